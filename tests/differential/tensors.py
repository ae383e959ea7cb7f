"""Operations on tensors that the generator chooses from. Each takes a scope and returns a new value, or None if
there is no suitable input. Floats stay small integers, so that all results are exact."""

import numpy as np

from .scope import CONDITION, MOST_MAGNITUDE
from .types import BOOL, ELEMENTS, F32, I64, I8, INTEGERS, MOST_BYTE, NUMBERS, NUMPY, Symbol, Tensor, at_least, at_most, same_size

MOST_RANK = 3
COMPARISONS = ("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual")


def make_constant(scope):
    element = scope.source.pick(ELEMENTS)
    dims = tuple(scope.source.integer(0, 4) for _ in range(scope.source.integer(0, 2)))
    count = int(np.prod(dims, dtype=int))
    values = [scope.source.integer(-3, 3) for _ in range(min(count, 4))] or [0]
    return scope.constant(np.resize(np.array(values), dims).astype(NUMPY[element]), element)


def unary(scope):
    operator, elements = scope.source.pick(
        [("Neg", NUMBERS), ("Abs", NUMBERS), ("Relu", (F32,)), ("Not", (BOOL,)), ("Identity", ELEMENTS), ("Sign", NUMBERS)]
    )
    value = scope.find_tensor(lambda tensor: tensor.element in elements)
    return value and scope.emit(operator, [value], value.type)


def cast(scope):
    value = scope.find_tensor()
    if not value:
        return None
    elements = [element for element in ELEMENTS if element not in (value.type.element, I8)]
    if value.type.bound <= MOST_BYTE and value.type.element != I8:
        elements.append(I8)
    element = scope.source.pick(elements)
    return scope.emit("Cast", [value], Tensor(element, value.type.dims, value.type.bound), to=element)


def written(scope, axis, rank):
    """An axis, counted from the first or from the last."""
    return axis - rank if scope.source.one_in(3) else axis


def _second(scope, first):
    """An operand that broadcasts with `first`: the same sizes, a scalar or ones."""
    tensor = first.type

    def fits(other):
        if other.element != tensor.element or other.rank > tensor.rank:
            return False
        offset = tensor.rank - other.rank
        return all(size == 1 or same_size(size, tensor.dims[offset + i]) for i, size in enumerate(other.dims))

    return scope.find_tensor(fits)


def binary(scope):
    operator, elements = scope.source.pick(
        [
            ("Add", NUMBERS),
            ("Mul", NUMBERS),
            ("Sub", NUMBERS),
            ("Max", NUMBERS),
            ("Min", NUMBERS),
            ("And", (BOOL,)),
            ("Or", (BOOL,)),
            ("Xor", (BOOL,)),
        ]
    )
    first = scope.find_tensor(lambda tensor: tensor.element in elements and tensor.bound <= MOST_MAGNITUDE)
    if not first:
        return None
    second = _second(scope, first)
    if second.type.bound > MOST_MAGNITUDE:
        return None
    if operator in ("Add", "Sub"):
        bound = first.type.bound + second.type.bound
    elif operator == "Mul":
        bound = first.type.bound * second.type.bound
    else:
        bound = max(first.type.bound, second.type.bound)
    if operator not in ("And", "Or", "Xor", "Add", "Mul", "Max", "Min") or scope.source.one_in(2):
        operands = [first, second]
    else:
        operands = [second, first]
    return scope.tame(scope.emit(operator, operands, Tensor(first.type.element, first.type.dims, bound)))


def compare(scope):
    first = scope.find_tensor(lambda tensor: tensor.element in NUMBERS)
    if not first:
        return None
    operands = [first, _second(scope, first)]
    return scope.emit(scope.source.pick(COMPARISONS), operands, Tensor(BOOL, first.type.dims, 1))


def where(scope):
    first = scope.find_tensor(lambda tensor: tensor.element in NUMBERS)
    if not first:
        return None
    second = _second(scope, first)
    condition = scope.find_tensor(
        lambda tensor: tensor.element == BOOL
        and (tensor.is_scalar or (tensor.rank == first.type.rank and all(map(same_size, tensor.dims, first.type.dims))))
    )
    bound = max(first.type.bound, second.type.bound)
    result = Tensor(first.type.element, first.type.dims, bound)
    return condition and scope.emit("Where", [condition, first, second], result)


def reduce(scope):
    operator = scope.source.pick(["ReduceSum", "ReduceMax"])
    # onnxruntime does not remove the axis of an empty tensor.
    value = scope.find_tensor(
        lambda tensor: tensor.rank > 0
        and tensor.element in NUMBERS
        and tensor.bound <= MOST_MAGNITUDE
        and all(at_least(size) > 0 for size in tensor.dims)
    )
    if not value:
        return None
    tensor = value.type
    axis = scope.source.integer(0, tensor.rank - 1)
    keep = scope.source.one_in(2)
    dims = tensor.dims[:axis] + ((1,) if keep else ()) + tensor.dims[axis + 1 :]
    bound = tensor.bound * max(at_most(tensor.dims[axis]), 1) if operator == "ReduceSum" else tensor.bound
    result = Tensor(tensor.element, dims, bound)
    place = written(scope, axis, tensor.rank)
    if operator == "ReduceSum" or scope.opset >= 18:
        return scope.tame(scope.emit(operator, [value, scope.integers(place)], result, keepdims=int(keep)))
    return scope.emit(operator, [value], result, axes=[place], keepdims=int(keep))


def shape(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank > 0)
    if not value:
        return None
    bound = max(at_most(size) for size in value.type.dims)
    return scope.emit("Shape", [value], Tensor(I64, (value.type.rank,), bound))


def size_of(scope):
    value = scope.find_tensor()
    return value and scope.tame(scope.emit("Size", [value], Tensor(I64, (), value.type.most_elements)))


def unsqueeze(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank < MOST_RANK)
    if not value:
        return None
    axis = scope.source.integer(0, value.type.rank)
    dims = value.type.dims[:axis] + (1,) + value.type.dims[axis:]
    return scope.emit("Unsqueeze", [value, scope.integers(written(scope, axis, len(dims)))], Tensor(value.type.element, dims, value.type.bound))


def squeeze(scope):
    value = scope.find_tensor(lambda tensor: 1 in [size for size in tensor.dims if isinstance(size, int)])
    if not value:
        return None
    axis = next(i for i, size in enumerate(value.type.dims) if isinstance(size, int) and size == 1)
    dims = value.type.dims[:axis] + value.type.dims[axis + 1 :]
    return scope.emit("Squeeze", [value, scope.integers(axis)], Tensor(value.type.element, dims, value.type.bound))


def transpose(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank >= 2)
    if not value:
        return None
    order = list(range(value.type.rank))
    shift = scope.source.integer(1, len(order) - 1)
    order = order[shift:] + order[:shift]
    dims = tuple(value.type.dims[axis] for axis in order)
    return scope.emit("Transpose", [value], Tensor(value.type.element, dims, value.type.bound), perm=order)


def concat(scope):
    first = scope.find_tensor(lambda tensor: tensor.rank > 0)
    if not first:
        return None
    tensor = first.type
    axis = scope.source.integer(0, tensor.rank - 1)

    def fits(other):
        return (
            other.element == tensor.element
            and other.rank == tensor.rank
            and all(i == axis or same_size(other.dims[i], size) for i, size in enumerate(tensor.dims))
        )

    second = scope.find_tensor(fits)
    one, other = tensor.dims[axis], second.type.dims[axis]
    if isinstance(one, int) and isinstance(other, int):
        joined = one + other
    else:
        joined = Symbol(scope, at_least(one) + at_least(other), at_most(one) + at_most(other))
    dims = tensor.dims[:axis] + (joined,) + tensor.dims[axis + 1 :]
    bound = max(tensor.bound, second.type.bound)
    return scope.tame(scope.emit("Concat", [first, second], Tensor(tensor.element, dims, bound), axis=written(scope, axis, tensor.rank)))


def run_time_scalar(scope):
    """Any i64 scalar, or None."""
    return scope.find_tensor(lambda tensor: tensor.element == I64 and tensor.is_scalar)


def position(scope, count):
    """A run-time index below `count`, an i64 scalar that is positive, or None."""
    number = run_time_scalar(scope)
    return number and scope.emit("Mod", [number, count], Tensor(I64, (), 200))


def axis_size(scope, value, axis):
    """The size of an axis at run time, an i64 scalar."""
    sizes = scope.emit("Shape", [value], Tensor(I64, (value.type.rank,), 200))
    return scope.emit("Gather", [sizes, scope.integer(axis)], Tensor(I64, (), 200), axis=0)


def gather(scope):
    value = scope.find_tensor(lambda tensor: any(at_least(size) > 0 for size in tensor.dims))
    if not value:
        return None
    tensor = value.type
    axis = scope.source.pick([i for i, size in enumerate(tensor.dims) if at_least(size) > 0])
    known = at_least(tensor.dims[axis])
    rest = tensor.dims[:axis], tensor.dims[axis + 1 :]
    kind = scope.source.integer(0, 2)
    if kind == 2 and (index := position(scope, axis_size(scope, value, axis))):
        dims = rest[0] + rest[1]
    elif kind == 1 and tensor.rank <= MOST_RANK:
        index = scope.integers(*[scope.source.integer(-known, known - 1) for _ in range(2)])
        dims = rest[0] + (2,) + rest[1]
    else:
        index = scope.integer(scope.source.integer(-known, known - 1))
        dims = rest[0] + rest[1]
    return scope.emit("Gather", [value, index], Tensor(tensor.element, dims, tensor.bound), axis=written(scope, axis, tensor.rank))


def slices(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank > 0)
    if not value:
        return None
    tensor = value.type
    axis = scope.source.integer(0, tensor.rank - 1)
    size = tensor.dims[axis]
    number = run_time_scalar(scope) if scope.source.one_in(2) else None
    step = scope.source.pick([1, 1, 2, -1])
    bounds = [scope.integers(scope.source.integer(-3, 3)), scope.integers(scope.source.pick([2**31 - 1, -1, 1, 2]))]
    if number:
        bounds[scope.source.integer(0, 1)] = scope.emit("Unsqueeze", [number, scope.integers(0)], Tensor(I64, (1,), number.type.bound))
    if step < 0:
        bounds.reverse()
    dims = tensor.dims[:axis] + (Symbol(scope, 0, at_most(size)),) + tensor.dims[axis + 1 :]
    operands = [value, *bounds, scope.integers(written(scope, axis, tensor.rank)), scope.integers(step)]
    return scope.emit("Slice", operands, Tensor(tensor.element, dims, tensor.bound))


def flatten(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank != 1)
    if not value:
        return None
    tensor = value.type
    if tensor.is_static:
        size = int(np.prod(tensor.dims, dtype=int))
    else:
        size = Symbol(scope, 0, tensor.most_elements)
    return scope.tame(scope.emit("Reshape", [value, scope.integers(-1)], Tensor(tensor.element, (size,), tensor.bound)))


def run_time_range(scope):
    number = run_time_scalar(scope)
    if not number:
        return None
    limit = scope.emit("Mod", [number, scope.integer(5)], Tensor(I64, (), 4))
    return scope.emit("Range", [scope.integer(0), limit, scope.integer(1)], Tensor(I64, (Symbol(scope, 0, 4),), 4))


def expand(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank < 2)
    number = run_time_scalar(scope)
    if not value or not number:
        return None
    count = scope.emit("Mod", [number, scope.integer(4)], Tensor(I64, (), 3))
    front = scope.emit("Unsqueeze", [count, scope.integers(0)], Tensor(I64, (1,), 3))
    sizes = front
    if value.type.rank == 1:
        own = scope.emit("Shape", [value], Tensor(I64, (1,), 12))
        sizes = scope.emit("Concat", [front, own], Tensor(I64, (2,), 12), axis=0)
    dims = (Symbol(scope, 0, 3),) + value.type.dims
    return scope.emit("Expand", [value, sizes], Tensor(value.type.element, dims, value.type.bound))


def number(scope):
    """An i64 scalar computed from existing values."""
    value = scope.find_tensor(
        lambda tensor: tensor.element in (*INTEGERS, F32) and not tensor.is_scalar and tensor.bound <= MOST_MAGNITUDE
    )
    if not value:
        return None
    total = scope.emit("ReduceSum", [value], Tensor(value.type.element, (), value.type.bound * value.type.most_elements), keepdims=0)
    total = scope.tame(total)
    return total if total.type.element == I64 else scope.emit("Cast", [total], Tensor(I64, (), total.type.bound), to=I64)


def condition(scope):
    """A dynamic boolean scalar, if there is something to compare."""
    if scope.source.one_in(3) and (found := scope.find(lambda value_type: value_type == CONDITION)):
        return found
    value = scope.find_tensor(lambda tensor: tensor.element in NUMBERS and tensor.is_scalar)
    if not value:
        value = number(scope) or scope.integer(scope.source.integer(0, 3))
    limit = scope.constant(NUMPY[value.type.element](scope.source.integer(-2, 4)), value.type.element)
    operator = scope.source.pick(["Less", "Greater"])
    return scope.emit(operator, [value, limit], CONDITION)


OPERATIONS = [
    (5, binary),
    (2, unary),
    (2, concat),
    (2, gather),
    (2, slices),
    (2, reduce),
    (2, unsqueeze),
    (1, squeeze),
    (1, cast),
    (1, compare),
    (1, where),
    (1, shape),
    (1, size_of),
    (1, transpose),
    (1, flatten),
    (1, run_time_range),
    (1, expand),
    (1, number),
    (1, make_constant),
]
