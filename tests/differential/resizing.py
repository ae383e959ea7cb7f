"""Operations that give a tensor another size, or combine tensors of different sizes, as in tensors.py."""

from .scope import MOST_ELEMENTS, MOST_MAGNITUDE
from .sizes import compared_sizes, computed, fill, fixed, read, scalar, shape_of, smaller, some_size
from .tensors import written
from .types import BOOL, F32, I64, I8, NUMBERS, Symbol, Tensor, at_least, at_most, same_size

TO_THE_END = 2**31 - 1
TO_THE_START = -(2**31) + 1
LONGER_THAN_ALL = 15  # more elements than an axis has


# Tensors of another size ------------------------------------------------------------------------------------------
# Each function takes a tensor of rank 1 or more and returns one of the same rank and element type, or None.


def total(scope, sizes):
    """The sum of some sizes of axes."""
    if all(isinstance(size, int) for size in sizes):
        return sum(sizes)
    others = [size for size in sizes if size != 0]
    return others[0] if len(others) == 1 else Symbol(scope, sum(map(at_least, others)), sum(map(at_most, others)))


def with_size(value, axis, dimension):
    dims = value.type.dims
    return Tensor(value.type.element, dims[:axis] + (dimension,) + dims[axis + 1 :], value.type.bound)


def slice_axis(scope, value, axis, start, end, dimension, step=1):
    operands = [value, start, end, scope.integers(written(scope, axis, value.type.rank))]
    if step != 1 or scope.source.one_in(3):
        operands.append(scope.integers(step))
    return scope.emit("Slice", operands, with_size(value, axis, dimension))


def first_elements(scope, value, axis, size):
    """value[:size] for a size that may be larger than the axis."""
    own = value.type.dims[axis]
    if same_size(own, size.dimension) or (isinstance(size.dimension, int) and at_least(own) >= size.dimension):
        dimension = size.dimension
    else:
        dimension = Symbol(scope, min(at_least(own), at_least(size.dimension)), min(at_most(own), at_most(size.dimension)))
    return slice_axis(scope, value, axis, scope.integers(0), size.value, dimension)


def negated(scope, size):
    return scope.emit("Neg", [size.value], size.value.type)


def cut(scope, value):
    """Some elements of an axis, by a size."""
    axis = scope.source.integer(0, value.type.rank - 1)
    own = value.type.dims[axis]
    size = some_size(scope, MOST_ELEMENTS)
    any_size = Symbol(scope, 0, at_most(own))
    end = scope.integers(TO_THE_END)
    kind = scope.source.integer(0, 7)
    if kind == 1:
        return slice_axis(scope, value, axis, size.value, end, any_size)
    if kind == 2:
        return slice_axis(scope, value, axis, scope.integers(scope.source.integer(0, 1)), negated(scope, size), any_size)
    if kind == 3:
        return slice_axis(scope, value, axis, negated(scope, size), end, any_size)
    if kind == 4:
        longer = scope.source.pick([LONGER_THAN_ALL, 5, 3, 2])
        value = slice_axis(scope, value, axis, scope.integers(0), scope.integers(longer), Symbol(scope, 0, min(at_most(own), longer)))
    if kind == 5:
        return slice_axis(scope, value, axis, size.value, scope.integers(TO_THE_START), any_size, step=-1)
    if kind == 6:
        return slice_axis(scope, value, axis, scope.integers(-1), size.value, any_size, step=-1)
    if kind == 7:
        start = scope.source.integer(0, 1)
        return slice_axis(scope, value, axis, scope.integers(start), scope.integers(-1 + start), any_size)
    return first_elements(scope, value, axis, size)


def part_for(scope, value, axis):
    """A tensor that a Concat can append to `value`."""
    kind = scope.source.integer(0, 3)
    if kind == 0:
        return value
    if kind == 1:
        return first_elements(scope, value, axis, some_size(scope, MOST_ELEMENTS))
    if kind == 2 and value.type.rank == 1:
        if other := scope.find_tensor(lambda tensor: tensor.rank == 1 and tensor.element == value.type.element):
            return other
    own = some_size(scope, 4) if scope.source.one_in(2) else fixed(scope, scope.source.integer(0, 1))
    sizes = [own if i == axis else read(scope, value, i) for i in range(value.type.rank)]
    return fill(scope, sizes, value.type.element)


def extend(scope, value):
    """A Concat of a tensor and parts, some of which may be empty."""
    axis = scope.source.integer(0, value.type.rank - 1)
    parts = [part_for(scope, value, axis) for _ in range(scope.source.integer(1, 3))]
    parts.insert(scope.source.integer(0, len(parts)), value)
    sizes = [part.type.dims[axis] for part in parts]
    bound = max(part.type.bound for part in parts)
    dims = with_size(value, axis, total(scope, sizes)).dims
    return scope.emit("Concat", parts, Tensor(value.type.element, dims, bound), axis=written(scope, axis, value.type.rank))


def pad(scope, value):
    rank = value.type.rank
    pads = [some_size(scope, 2) if scope.source.one_in(3) else fixed(scope, 0) for _ in range(2 * rank)]
    groups = zip(value.type.dims, pads[:rank], pads[rank:])
    dims = tuple(total(scope, [size, before.dimension, after.dimension]) for size, before, after in groups)
    return scope.emit("Pad", [value, shape_of(scope, pads)], Tensor(value.type.element, dims, value.type.bound))


def tile(scope, value):
    rank = value.type.rank
    axis = scope.source.integer(0, rank - 1)
    size = some_size(scope, 3)
    own = value.type.dims[axis]
    dimension = Symbol(scope, *(of(own) * of(size.dimension) for of in (at_least, at_most)))
    repeats = shape_of(scope, [size if i == axis else fixed(scope, 1) for i in range(rank)])
    return scope.emit("Tile", [value, repeats], with_size(value, axis, dimension))


def part_of_axis(scope, value, axis):
    """A size that is not larger than that of the axis."""
    return smaller(scope, some_size(scope, MOST_ELEMENTS), read(scope, value, axis))


def largest(scope, value):
    if value.type.element not in NUMBERS:
        return None
    axis = scope.source.integer(0, value.type.rank - 1)
    size = part_of_axis(scope, value, axis)
    result = with_size(value, axis, size.dimension)
    return scope.emit_many("TopK", [value, size.value], [result, Tensor(I64, result.dims, MOST_ELEMENTS)], axis=axis)[0]


def split(scope, value):
    axis = scope.source.integer(0, value.type.rank - 1)
    first = part_of_axis(scope, value, axis)
    whole = read(scope, value, axis)
    rest = computed(scope, "Sub", [whole.value, first.value], 0, at_most(whole.dimension))
    types = [with_size(value, axis, size.dimension) for size in (first, rest)]
    return scope.source.pick(scope.emit_many("Split", [value, shape_of(scope, [first, rest])], types, axis=axis))


def gather_first(scope, value):
    """The first elements of an axis, by a Range of indices."""
    axis = scope.source.integer(0, value.type.rank - 1)
    size = part_of_axis(scope, value, axis)
    bounds = [scope.integer(0), scalar(scope, size), scope.integer(1)]
    indices = scope.emit("Range", bounds, Tensor(I64, (size.dimension,), MOST_ELEMENTS))
    return scope.emit("Gather", [value, indices], with_size(value, axis, size.dimension), axis=axis)


def compress(scope, value):
    """The elements of an axis for which some numbers are positive."""
    axis = scope.source.integer(0, value.type.rank - 1)
    own = value.type.dims[axis]
    numbers = scope.find_tensor(lambda tensor: tensor.element in NUMBERS and tensor.rank == 1 and same_size(tensor.dims[0], own))
    if not numbers:
        return None
    positive = scope.emit("Greater", [numbers, scope.constant(0, numbers.type.element)], Tensor(BOOL, numbers.type.dims, 1))
    return scope.emit("Compress", [value, positive], with_size(value, axis, Symbol(scope, 0, at_most(own))), axis=axis)


def unique(scope, value):
    if value.type.rank != 1 or value.type.element not in (F32, I64, I8):
        return None
    size = value.type.dims[0]
    result = Tensor(value.type.element, (Symbol(scope, min(at_least(size), 1), at_most(size)),), value.type.bound)
    return scope.emit("Unique", [value], result, sorted=1)


RESIZES = [(4, cut), (4, extend), (1, pad), (1, tile), (1, largest), (1, split), (1, gather_first), (1, compress), (1, unique)]


def resized(scope, value):
    """A tensor with some elements more or fewer, of small size; the tensor itself if the chosen operation does not take it."""
    result = scope.source.weighted(RESIZES)(scope, value)
    return scope.tame(result) if result else value


def resize(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank > 0)
    return value and resized(scope, value)


# Two tensors ------------------------------------------------------------------------------------------------------


def pair(scope):
    """Two tensors, cut to a common size and combined."""
    first = scope.find_tensor(lambda tensor: tensor.rank > 0 and can_add(tensor))
    if not first:
        return None
    tensor = first.type
    second = scope.find_tensor(lambda other: other.element == tensor.element and other.rank == tensor.rank and can_add(other))
    for axis in range(tensor.rank):
        if not same_size(first.type.dims[axis], second.type.dims[axis]):
            size = smaller(scope, read(scope, first, axis), read(scope, second, axis))
            first, second = (with_first(scope, value, axis, size) for value in (first, second))
    bound = first.type.bound + second.type.bound
    operator = scope.source.pick(["Add", "Max", "Less"])
    if operator == "Less":
        return scope.emit(operator, [first, second], Tensor(BOOL, first.type.dims, 1))
    return scope.tame(scope.emit(operator, [first, second], Tensor(tensor.element, first.type.dims, bound)))


def can_add(tensor):
    return tensor.element in NUMBERS and tensor.bound <= MOST_MAGNITUDE


def with_first(scope, value, axis, size):
    """The first elements of an axis that has at least `size` elements."""
    if same_size(value.type.dims[axis], size.dimension):
        return value
    return slice_axis(scope, value, axis, scope.integers(0), size.value, size.dimension)


def broadcast(scope):
    """A tensor plus one that has, along some axis, at run time the same size or 1."""
    first = scope.find_tensor(lambda tensor: tensor.rank > 0 and can_add(tensor))
    condition = first and compared_sizes(scope)
    if not condition:
        return None
    tensor = first.type
    axis = scope.source.integer(0, tensor.rank - 1)
    sizes = [read(scope, first, i) for i in range(axis, tensor.rank)]
    own = sizes[0].dimension
    operands = [condition, scope.integers(1), sizes[0].value]
    sizes[0] = computed(scope, "Where", operands, min(at_least(own), 1), max(at_most(own), 1))
    second = fill(scope, sizes, tensor.element)
    if second.type.bound > MOST_MAGNITUDE:
        return second
    result = Tensor(tensor.element, tensor.dims, tensor.bound + second.type.bound)
    return scope.tame(scope.emit("Add", scope.source.pick([[first, second], [second, first]]), result))


def outer(scope):
    """A column and a row, combined."""
    column = scope.find_tensor(lambda tensor: tensor.rank == 1 and can_add(tensor))
    if not column:
        return None
    tensor = column.type
    row = scope.find_tensor(lambda other: other.rank == 1 and other.element == tensor.element and can_add(other))
    column = scope.emit("Unsqueeze", [column, scope.integers(1)], Tensor(tensor.element, (*tensor.dims, 1), tensor.bound))
    if scope.source.one_in(2):
        row = scope.emit("Unsqueeze", [row, scope.integers(0)], Tensor(tensor.element, (1, *row.type.dims), row.type.bound))
    dims = (tensor.dims[0], row.type.dims[-1])
    result = Tensor(tensor.element, dims, tensor.bound + row.type.bound)
    return scope.tame(scope.emit(scope.source.pick(["Add", "Sub", "Max"]), [column, row], result))


OPERATIONS = [
    (9, resize),
    (3, pair),
    (2, broadcast),
    (2, outer),
]
