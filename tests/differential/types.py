"""The generator's knowledge of a value, which is sufficient to create only valid graphs."""

from dataclasses import dataclass, field
from itertools import count

import numpy as np
from onnx import TensorProto, helper

F32, I64, I32, BOOL, I8 = (getattr(TensorProto, name) for name in ("FLOAT", "INT64", "INT32", "BOOL", "INT8"))
ELEMENTS = (F32, I64, BOOL, I32, I8)
INTEGERS = (I64, I32)
NUMBERS = (F32, I64, I32)
NUMPY = {F32: np.float32, I64: np.int64, I32: np.int32, BOOL: np.bool_, I8: np.int8}
MOST_BYTE = 100  # the largest magnitude of an int8

_serial = count()


@dataclass(frozen=True, eq=False)
class Symbol:
    """A dynamic size. `scope` is the body (or the main graph) that it belongs to."""

    scope: object = field(repr=False)
    at_least: int = 0
    at_most: int = 12
    serial: int = field(default_factory=lambda: next(_serial))


def at_least(dimension):
    return dimension if isinstance(dimension, int) else dimension.at_least


def at_most(dimension):
    return dimension if isinstance(dimension, int) else dimension.at_most


def same_size(a, b):
    """Whether two sizes are certain to be equal."""
    return a is b or (isinstance(a, int) and a == b)


@dataclass(frozen=True)
class Tensor:
    element: int
    dims: tuple
    bound: int = 8  # of the magnitude of values, which must fit into 32 bits of integers and 24 bits of floats

    @property
    def rank(self):
        return len(self.dims)

    @property
    def is_static(self):
        return all(isinstance(dimension, int) for dimension in self.dims)

    @property
    def is_scalar(self):
        return not self.dims

    @property
    def most_elements(self):
        return int(np.prod([max(at_most(dimension), 1) for dimension in self.dims], dtype=np.int64))


@dataclass(frozen=True)
class Sequence:
    element: int
    dims: tuple  # the common sizes of all tensors; None if they may differ
    at_least: int = 0  # tensors
    bound: int = 8

    @property
    def rank(self):
        return len(self.dims)


@dataclass(frozen=True)
class Optional:
    content: object  # Tensor or Sequence

    @property
    def bound(self):
        return self.content.bound


@dataclass(frozen=True)
class Value:
    name: str
    type: object
    scope: object = field(repr=False, compare=False)
    # The iteration number and the condition of a Loop: onnxruntime is wrong if a body returns them directly.
    returnable: bool = True


class SizeNames(dict):
    """The names of dynamic sizes in declarations: N0, N1, ..."""

    def __missing__(self, symbol):
        self[symbol] = f"N{len(self)}"
        return self[symbol]


def type_proto(value_type, with_shape=True, names=None):
    """The onnx.TypeProto. Dynamic sizes have names if there are SizeNames, and are left open otherwise."""
    if isinstance(value_type, Optional):
        return helper.make_optional_type_proto(type_proto(value_type.content, with_shape, names))
    dims = [_declared(dimension, names) for dimension in value_type.dims] if with_shape else None
    tensor = helper.make_tensor_type_proto(value_type.element, dims)
    return helper.make_sequence_type_proto(tensor) if isinstance(value_type, Sequence) else tensor


def _declared(dimension, names):
    if isinstance(dimension, Symbol):
        return names[dimension] if names is not None else None
    return dimension


def same_form(a, b):
    """Whether values of both can be branches of one If: kind, element type and rank."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Optional):
        return same_form(a.content, b.content)
    return a.element == b.element and a.rank == b.rank


def kept(size, scope):
    """A size as seen from `scope`: None when it belongs to a body inside."""
    return size if size is None or isinstance(size, int) or scope.holds(size) else None


def joined(a, b, scope):
    """The common type of both; different sizes become new sizes of `scope`."""
    if isinstance(a, Optional):
        return Optional(joined(a.content, b.content, scope))
    bound = max(a.bound, b.bound)
    if isinstance(a, Sequence):
        dims = tuple(kept(x if same_size(x, y) else None, scope) for x, y in zip(a.dims, b.dims))
        return Sequence(a.element, dims, min(a.at_least, b.at_least), bound)
    dims = tuple(
        x
        if same_size(x, y) and kept(x, scope) is not None
        else Symbol(scope, min(at_least(x), at_least(y)), max(at_most(x), at_most(y)))
        for x, y in zip(a.dims, b.dims)
    )
    return Tensor(a.element, dims, bound)
