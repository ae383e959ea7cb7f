"""Sizes of tensors, as values of a graph, and operations that make tensors of these sizes, as in tensors.py. Sizes are read from other
tensors or computed, and limited so that they fit at run time."""

from dataclasses import dataclass

import numpy as np
from onnx import helper

from .scope import CONDITION, MOST_ELEMENTS
from .tensors import COMPARISONS, MOST_RANK, run_time_scalar, written
from .types import BOOL, F32, I64, NUMBERS, Symbol, Tensor, Value, at_least, at_most, same_size

MOST_OF_RANK = {1: 8, 2: 5, 3: 3}  # the sizes of new tensors


@dataclass(frozen=True)
class Size:
    value: Value  # i64[1]
    dimension: object  # the size of an axis that is made with it: an integer or a Symbol


# Sizes ------------------------------------------------------------------------------------------------------------


def number_type(least, most):
    return Tensor(I64, (1,), max(most, -least, 1))


def read(scope, value, axis):
    """The size of an axis."""
    tensor = value.type
    dimension = tensor.dims[axis]
    result = number_type(0, at_most(dimension))
    kind = scope.source.integer(0, 4)
    if kind == 1 and scope.opset >= 15:
        return Size(scope.emit("Shape", [value], result, start=axis, end=axis + 1), dimension)
    if kind == 2 and tensor.rank == 1:
        count = scope.emit("Size", [value], Tensor(I64, (), result.bound))
        return Size(scope.emit("Reshape", [count, scope.integers(1)], result), dimension)
    shape = scope.emit("Shape", [value], Tensor(I64, (tensor.rank,), max(map(at_most, tensor.dims))))
    if kind == 3:
        return Size(scope.emit("Slice", [shape, scope.integers(axis), scope.integers(axis + 1)], result), dimension)
    number = scope.emit("Gather", [shape, scope.integers(written(scope, axis, tensor.rank))], result, axis=0)
    if kind == 4:  # the number of elements that the runtime makes of it
        ones = scope.emit("Expand", [scope.integers(1), number], Tensor(I64, (dimension,), 2))
        number = scope.emit("ReduceSum", [ones], result, keepdims=1)
    return Size(number, dimension)


def read_any(scope):
    """The size of an axis of some tensor, or None."""
    value = scope.find_tensor(lambda tensor: tensor.rank > 0)
    return value and read(scope, value, scope.source.integer(0, value.type.rank - 1))


def fixed(scope, number):
    return Size(scope.integers(number), number)


def computed(scope, operator, operands, least, most):
    value = scope.emit(operator, operands, number_type(least, most))
    return Size(value, Symbol(scope, least, most))


def limited(scope, size, most):
    if at_most(size.dimension) <= most:
        return size
    return computed(scope, "Min", [size.value, scope.integers(most)], min(at_least(size.dimension), most), most)


def smaller(scope, a, b):
    """The smaller one of two sizes."""
    if same_size(a.dimension, b.dimension):
        return a
    least, most = (min(of(a.dimension), of(b.dimension)) for of in (at_least, at_most))
    return computed(scope, "Min", [a.value, b.value], least, most)


def arithmetic(scope, a, b):
    """A size from two others."""
    (least, most), (other_least, other_most) = ((at_least(size.dimension), at_most(size.dimension)) for size in (a, b))
    operands = [a.value, b.value]
    kind = scope.source.integer(0, 7)
    if kind == 0:
        return computed(scope, "Add", operands, least + other_least, most + other_most)
    if kind == 1:
        difference = scope.emit("Sub", operands, number_type(-other_most, most))
        return computed(scope, "Max", [difference, scope.integers(0)], 0, most)
    if kind == 2:
        return smaller(scope, a, b)
    if kind == 3:
        return computed(scope, "Max", operands, max(least, other_least), max(most, other_most))
    if kind == 4:
        return computed(scope, "Mul", operands, least * other_least, most * other_most)
    if kind == 5:
        return computed(scope, "Div", [a.value, scope.integers(2)], least // 2, most // 2)
    if kind == 6:
        divisor = scope.source.integer(2, 3)
        return computed(scope, "Mod", [a.value, scope.integers(divisor)], 0, min(most, divisor - 1))
    smaller_one = scope.emit("Less", operands, Tensor(BOOL, (1,), 1))
    return computed(scope, "Where", [smaller_one, *operands], min(least, other_least), max(most, other_most))


def from_number(scope):
    """A size from a run-time number, such as the iteration number, or None."""
    number = run_time_scalar(scope)
    if not number:
        return None
    most = scope.source.integer(1, 4)
    remainder = scope.emit("Mod", [number, scope.integer(most + 1)], Tensor(I64, (), most))
    return computed(scope, "Unsqueeze", [remainder, scope.integers(0)], 0, most)


def some_size(scope, most):
    """A size of at most `most`."""
    kind = scope.source.weighted([(1, "fixed"), (4, "read"), (2, "arithmetic"), (2, "number")])
    size = None
    if kind == "read":
        size = read_any(scope)
    elif kind == "number":
        size = from_number(scope)
    elif kind == "arithmetic" and (first := read_any(scope)):
        size = arithmetic(scope, first, read_any(scope))
    return limited(scope, size or fixed(scope, scope.source.integer(0, 3)), most)


def shape_of(scope, sizes):
    """The sizes as one i64 tensor."""
    if len(sizes) == 1:
        return sizes[0].value
    bound = max(at_most(size.dimension) for size in sizes)
    return scope.emit("Concat", [size.value for size in sizes], Tensor(I64, (len(sizes),), max(bound, 1)), axis=0)


def scalar(scope, size):
    """A size as an i64 scalar."""
    result = Tensor(I64, (), size.value.type.bound)
    if scope.source.one_in(2):
        return scope.emit("Squeeze", [size.value, scope.integers(0)], result)
    return scope.emit("Reshape", [size.value, scope.constant(np.zeros(0, np.int64))], result)


def seen_sizes(scope):
    """Some sizes as one tensor, which shows them to the comparison with onnxruntime; None if there are none."""
    sizes = [read_any(scope) for _ in range(scope.source.integer(1, 3))]
    return shape_of(scope, sizes) if sizes[0] else None


def compared_sizes(scope):
    """A condition that compares two sizes, or None."""
    first = read_any(scope)
    if not first:
        return None
    second = some_size(scope, MOST_ELEMENTS)
    result = scope.emit(scope.source.pick(COMPARISONS), [first.value, second.value], Tensor(BOOL, (1,), 1))
    return scope.emit("Squeeze", [result, scope.integers(0)], CONDITION)


# New tensors ------------------------------------------------------------------------------------------------------


def fill(scope, sizes, element):
    """A tensor of these sizes with one number."""
    dims = tuple(size.dimension for size in sizes)
    shape = shape_of(scope, sizes)
    if scope.source.one_in(2):
        number = helper.make_tensor("", element, [1], [scope.source.integer(0, 1 if element == BOOL else 3)])
        return scope.emit("ConstantOfShape", [shape], Tensor(element, dims, 4), value=number)
    value = scope.find_tensor(lambda tensor: tensor.element == element and tensor.is_scalar)
    if not value:
        value = scope.constant(np.array(scope.source.integer(0, 1 if element == BOOL else 3)), element)
    return scope.emit("Expand", [value, shape], Tensor(element, dims, value.type.bound))


def filled(scope):
    rank = scope.source.integer(1, MOST_RANK)
    sizes = [some_size(scope, MOST_OF_RANK[rank]) for _ in range(rank)]
    return fill(scope, sizes, scope.source.pick([F32, I64, BOOL]))


def expand_like(scope):
    """A tensor expanded to the sizes of another one."""
    other = scope.find_tensor(lambda tensor: tensor.rank > 0)
    if not other:
        return None
    dims = other.type.dims

    def fits(tensor):
        missing = len(dims) - tensor.rank
        return missing >= 0 and all(size == 1 or same_size(size, dims[missing + i]) for i, size in enumerate(tensor.dims))

    value = scope.find_tensor(fits)
    if scope.source.one_in(2):
        shape = shape_of(scope, [read(scope, other, axis) for axis in range(len(dims))])
    else:
        shape = scope.emit("Shape", [other], Tensor(I64, (len(dims),), max(map(at_most, dims))))
    return scope.emit("Expand", [value, shape], Tensor(value.type.element, dims, value.type.bound))


def reshape(scope):
    """A Reshape to the tensor's own sizes: as they are, in another order, or with two of them merged."""
    value = scope.find_tensor(lambda tensor: tensor.rank > 1)
    if not value:
        return None
    tensor = value.type
    sizes = [read(scope, value, axis) for axis in range(tensor.rank)]
    kind = scope.source.integer(0, 3)
    if kind == 1:
        sizes = sizes[1:] + sizes[:1]
    elif kind == 2:
        axis = scope.source.integer(0, tensor.rank - 2)
        a, b = sizes[axis : axis + 2]
        least, most = (of(a.dimension) * of(b.dimension) for of in (at_least, at_most))
        sizes[axis : axis + 2] = [computed(scope, "Mul", [a.value, b.value], least, most)]
    dims = tuple(size.dimension for size in sizes)
    if kind == 3:
        axis = scope.source.integer(0, tensor.rank - 1)
        if all(at_least(size) > 0 for size in tensor.dims[:axis] + tensor.dims[axis + 1 :]):
            sizes[axis] = fixed(scope, -1)
        sizes = [size if scope.source.one_in(2) or size.dimension == -1 else fixed(scope, 0) for size in sizes]
    # Without allowzero, 0 means the size of the input.
    attributes = {} if kind in (0, 3) else {"allowzero": 1}
    return scope.tame(scope.emit("Reshape", [value, shape_of(scope, sizes)], Tensor(tensor.element, dims, tensor.bound), **attributes))


def non_zero(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank > 0 and tensor.element in (*NUMBERS, BOOL))
    if not value:
        return None
    tensor = value.type
    dims = (tensor.rank, Symbol(scope, 0, tensor.most_elements))
    return scope.tame(scope.emit("NonZero", [value], Tensor(I64, dims, max(map(at_most, tensor.dims)) + 1)))


OPERATIONS = [
    (3, filled),
    (2, expand_like),
    (2, reshape),
    (1, seen_sizes),
    (1, compared_sizes),
    (1, non_zero),
]
