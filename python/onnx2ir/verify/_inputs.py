"""Random values for the inputs of a model, with sizes for its dynamic dimensions."""

import difflib
import math
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

import numpy as np
import onnx
from onnx.helper import tensor_dtype_to_np_dtype

from ._dimensions import evaluate, names_in, solve
from ._runs import Failure, WrongInput


MAX_SIZE = 2**31 - 1
MAX_ELEMENTS = 2**28  # of a random input


class Sizes:
    """Sizes of dynamic dimensions. Dimensions of the same name have the same size; those of sums and products follow from the names in them."""

    def __init__(self, base: int, are_distinct: bool, given: Mapping[str, int]) -> None:
        self._base = base
        self._are_distinct = are_distinct
        self._given = given
        self._count = 0
        self.chosen: Dict[str, int] = {}
        for name, size in given.items():
            if names_in(name) != [name]:
                self._bind_name(name, size)

    def of(self, name: str) -> int:
        if name in self._given:
            return self._given[name]
        if name in self.chosen:
            return self.chosen[name]
        parts = names_in(name)
        if parts == [name]:
            self.chosen[name] = self._base + (self._count if self._are_distinct else 0)
            self._count += 1
            return self.chosen[name]
        try:
            size = evaluate(name, {part: self.of(part) for part in parts})
        except ArithmeticError as error:
            raise Failure(f"the dimension {name} has no size: {error}") from error
        if size < 0:
            raise Failure(f"the dimension {name} would have the size {size}")
        return size

    def of_axis(self, info: onnx.ValueInfoProto, axis: int) -> int:
        """The size of an axis, which may also be given as INPUT[AXIS] if it has a name."""
        plain = f"{info.name}[{axis}]"
        return self._given[plain] if plain in self._given else self.of(_name_of(info, axis))

    def bind(self, info: onnx.ValueInfoProto, shape: Sequence[int]) -> None:
        """Gives the dimensions of a tensor the sizes of a given value."""
        for axis, (dimension, size) in enumerate(zip(info.type.tensor_type.shape.dim, shape)):
            for name in (_name_of(info, axis), f"{info.name}[{axis}]"):
                if self._given.get(name, size) != size:
                    raise WrongInput(f"the value of the input {info.name} has the shape {list(shape)}, but the dimension {name} was given the size {self._given[name]}")
            if not dimension.HasField("dim_value"):
                self._bind_name(_name_of(info, axis), size)

    def _bind_name(self, name: str, size: int) -> None:
        """For a sum, the first name without a size gets what the others leave."""
        parts = names_in(name)
        unknown = [part for part in parts if part not in self._given and part not in self.chosen]
        if parts == [name] or not unknown:
            self.chosen.setdefault(name, size)
            return
        found = solve(name, size, {part: self.of(part) for part in parts if part != unknown[0]}, unknown[0])
        self.chosen.setdefault(*((name, size) if found is None else (unknown[0], found)))

    def __str__(self) -> str:
        return ", ".join(f"{name}={size}" for name, size in self.chosen.items())


def check_names(graph: onnx.GraphProto, given: Mapping[str, int]) -> None:
    """Raises Failure for a name that is not one of a dynamic dimension."""
    known: List[str] = []
    for info in graph.input:
        for axis, dimension in enumerate(info.type.tensor_type.shape.dim):
            if not dimension.HasField("dim_value"):
                known += [_name_of(info, axis), f"{info.name}[{axis}]", *names_in(_name_of(info, axis))]
    known = list(dict.fromkeys(known))
    for name in given:
        if name in known:
            continue
        nearest = difflib.get_close_matches(name, known, n=1)
        all_names = [one for one in known if not one.endswith("]") or "[" not in one] or known
        names = f"; the dynamic dimensions are {', '.join(all_names)}" if known else "; all sizes are static"
        raise Failure(f"the model has no dynamic dimension {name}{f': did you mean {nearest[0]}?' if nearest else names}")


def _name_of(info: onnx.ValueInfoProto, axis: int) -> str:
    return info.type.tensor_type.shape.dim[axis].dim_param or f"{info.name}[{axis}]"


def input_infos(graph: onnx.GraphProto) -> List[onnx.ValueInfoProto]:
    """The inputs without a default value."""
    defaults = {tensor.name for tensor in graph.initializer} | {tensor.values.name for tensor in graph.sparse_initializer}
    return [info for info in graph.input if info.name not in defaults]


def choices(base: int, given: Mapping[str, int]) -> Iterator[Tuple[Sizes, bool]]:
    """Sizes, and whether booleans are true instead of random.

    Distinct sizes show exchanged dimensions. Some models require equal sizes without saying so, and merged decoders a cache.
    """
    for are_true in (False, True):
        for are_distinct in (True, False):
            yield Sizes(base, are_distinct, given), are_true


def random_inputs(graph: onnx.GraphProto, given: Mapping[str, Any], sizes: Sizes, seed: int, are_true: bool = False) -> Dict[str, Any]:
    """The given values, and random ones for other inputs. `are_true`: booleans are true."""
    generator = np.random.default_rng(seed)
    infos = input_infos(graph)
    unknown = set(given) - {info.name for info in infos}
    if unknown:
        raise Failure(f"the model has no input {', '.join(sorted(unknown))}, only {', '.join(info.name for info in infos)}")
    values = dict(given)
    for info in infos:
        if info.name in given and info.type.HasField("tensor_type"):
            values[info.name] = _array_of(info, given[info.name])
            sizes.bind(info, values[info.name].shape)
    for info in infos:
        if info.name not in values:
            shape = _shape(info, sizes)
            if math.prod(shape) > MAX_ELEMENTS:
                raise WrongInput(f"the input {info.name} of the shape {shape} has more than {MAX_ELEMENTS} elements: give it a smaller size or a value")
            values[info.name] = np.ones(shape, bool) if are_true and _dtype(info).kind == "b" else _random(generator, _dtype(info), shape)
    return values


def _array_of(info: onnx.ValueInfoProto, given: Any) -> Any:
    try:
        if given is None:
            raise TypeError("a tensor is needed")
        return np.asarray(given, _dtype(info))
    except (TypeError, ValueError, OverflowError) as error:
        raise WrongInput(f"the value of the input {info.name} cannot be converted to {_dtype(info)}: {error}") from error


def _dtype(info: onnx.ValueInfoProto) -> Any:
    return np.dtype(tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type))


def _shape(info: onnx.ValueInfoProto, sizes: Sizes) -> List[int]:
    if not info.type.HasField("tensor_type") or not info.type.tensor_type.HasField("shape"):
        raise Failure(f"the input {info.name} is not a tensor of known rank and needs a given value")
    dimensions = info.type.tensor_type.shape.dim
    return [
        dimension.dim_value if dimension.HasField("dim_value") else sizes.of_axis(info, axis) for axis, dimension in enumerate(dimensions)
    ]


def _random(generator: np.random.Generator, dtype: Any, shape: List[int]) -> Any:
    if dtype.kind in "biu":  # small numbers are valid indices more often
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "O":
        return generator.choice(np.array(["a", "bc", "def"], object), shape)
    return np.asarray(generator.standard_normal(shape)).astype(dtype)
