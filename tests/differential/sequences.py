"""Operations on sequences and optionals that the generator chooses from, as in tensors.py."""

from .scope import CONDITION, Scope
from .tensors import MOST_RANK, position
from .types import I64, Optional, Sequence, Symbol, Tensor, at_least, at_most, same_size, type_proto

MOST_TENSORS = 200  # that a sequence can have, for bounds


def fits(sequence, tensor):
    """Whether a tensor can join a sequence."""
    return (
        tensor.element == sequence.element
        and tensor.rank == sequence.rank
        and all(own is None or same_size(own, size) for own, size in zip(sequence.dims, tensor.dims))
    )


def with_tensors(sequence, number, bound):
    return Sequence(sequence.element, sequence.dims, max(0, sequence.at_least + number), max(sequence.bound, bound))


def _common_dims(scope, tensor):
    """The sizes of all elements: those of `tensor`, or dynamic."""
    return tuple(None if scope.source.one_in(2) else size for size in tensor.dims)


def empty(scope):
    model = scope.find_tensor()
    if not model:
        return None
    result = Sequence(model.type.element, _common_dims(scope, model.type), 0, 1)
    return scope.emit("SequenceEmpty", [], result, dtype=model.type.element)


def construct(scope):
    first = scope.find_tensor()
    if not first:
        return None
    result = Sequence(first.type.element, _common_dims(scope, first.type), 0, 1)
    tensors = [first] + [scope.find_tensor(lambda tensor: fits(result, tensor)) for _ in range(scope.source.integer(0, 2))]
    for tensor in tensors:
        result = with_tensors(result, 1, tensor.type.bound)
    return scope.emit("SequenceConstruct", tensors, result)


def _length(scope, sequence):
    return scope.emit("SequenceLength", [sequence], Tensor(I64, (), MOST_TENSORS))


def _position(scope, sequence, allow_end):
    """An index into a sequence, known or not; `allow_end`: the position after the last element is valid, too."""
    known = sequence.type.at_least
    if scope.source.one_in(2):
        count = _length(scope, sequence)
        if allow_end:
            count = scope.emit("Add", [count, scope.integer(1)], Tensor(I64, (), MOST_TENSORS))
        if place := position(scope, count):
            if allow_end or not scope.source.one_in(3):
                return place
            return scope.emit("Sub", [place, count], Tensor(I64, (), MOST_TENSORS))
    return scope.integer(scope.source.integer(-known, known if allow_end else known - 1))


def insert(scope):
    sequence = scope.find_sequence()
    tensor = sequence and scope.find_tensor(lambda tensor: fits(sequence.type, tensor))
    if not tensor:
        return None
    place = _position(scope, sequence, allow_end=True) if scope.source.one_in(3) else None
    return scope.emit("SequenceInsert", [sequence, tensor, place], with_tensors(sequence.type, 1, tensor.type.bound))


def erase(scope):
    sequence = scope.find_sequence(lambda sequence: sequence.at_least > 0)
    if not sequence:
        return None
    place = _position(scope, sequence, allow_end=False) if scope.source.one_in(2) else None
    return scope.emit("SequenceErase", [sequence, place], with_tensors(sequence.type, -1, 0))


def element_type(scope, sequence):
    dims = tuple(Symbol(scope, 0, 12) if size is None else size for size in sequence.dims)
    return Tensor(sequence.element, dims, sequence.bound)


def at(scope):
    sequence = scope.find_sequence(lambda sequence: sequence.at_least > 0)
    if not sequence:
        return None
    place = _position(scope, sequence, allow_end=False)
    return scope.emit("SequenceAt", [sequence, place], element_type(scope, sequence.type))


def length(scope):
    sequence = scope.find_sequence()
    return sequence and _length(scope, sequence)


def join(scope):
    """ConcatFromSequence."""
    new_axis = scope.source.one_in(2)

    def joinable(sequence):
        open_sizes = sum(size is None for size in sequence.dims)
        if sequence.at_least == 0 or (new_axis and sequence.rank >= MOST_RANK):
            return False
        return open_sizes == 0 if new_axis else sequence.rank > 0 and open_sizes <= 1

    sequence = scope.find_sequence(joinable)
    if not sequence:
        return None
    dims = list(sequence.type.dims)
    if new_axis:
        axis = scope.source.integer(0, len(dims))
        dims.insert(axis, Symbol(scope, sequence.type.at_least, MOST_TENSORS))
    else:
        axis = dims.index(None) if None in dims else scope.source.integer(0, len(dims) - 1)
        each = dims[axis]
        least = 0 if each is None else at_least(each) * sequence.type.at_least
        dims[axis] = Symbol(scope, least, MOST_TENSORS * (12 if each is None else max(at_most(each), 1)))
    result = Tensor(sequence.type.element, tuple(dims), sequence.type.bound)
    return scope.tame(scope.emit("ConcatFromSequence", [sequence], result, axis=axis, new_axis=int(new_axis)))


def split(scope):
    value = scope.find_tensor(lambda tensor: tensor.rank > 0)
    if not value:
        return None
    tensor = value.type
    axis = scope.source.integer(0, tensor.rank - 1)
    size = tensor.dims[axis]
    before, after = tensor.dims[:axis], tensor.dims[axis + 1 :]
    kind = scope.source.integer(0, 2)
    if kind == 2 and isinstance(size, int) and size > 0:
        first = scope.source.integer(0, size)
        result = Sequence(tensor.element, before + (None,) + after, 2, tensor.bound)
        return scope.emit("SplitToSequence", [value, scope.integers(first, size - first)], result, axis=axis)
    if kind == 1 and at_least(size) > 0:
        each = scope.source.integer(1, 3)
        count = -(-at_least(size) // each)
        result = Sequence(tensor.element, before + (None,) + after, count, tensor.bound)
        return scope.emit("SplitToSequence", [value, scope.integer(each)], result, axis=axis)
    keep = scope.source.one_in(2)
    dims = before + ((1,) if keep else ()) + after
    result = Sequence(tensor.element, dims, at_least(size), tensor.bound)
    return scope.emit("SplitToSequence", [value], result, axis=axis, keepdims=int(keep))


def copy(scope):
    sequence = scope.find_sequence()
    return sequence and scope.emit("Identity", [sequence], sequence.type)


def make_optional(scope):
    """An optional with or without a value."""
    value = scope.find_sequence() if scope.source.one_in(2) else scope.find_tensor()
    if not value:
        return None
    if scope.source.one_in(3):
        return scope.emit("Optional", [], Optional(value.type), type=type_proto(value.type))
    return scope.emit("Optional", [value], Optional(value.type))


def take_out(scope):
    """The content of an optional, or another value of its type if it is absent."""
    optional = scope.find(lambda value_type: isinstance(value_type, Optional))
    if not optional:
        return None
    content = optional.type.content
    if isinstance(content, Sequence):
        other = scope.find_sequence(lambda other: other.element == content.element and other.rank == content.rank)
    else:
        other = scope.find_tensor(lambda other: other.element == content.element and other.rank == content.rank)
    if not other:
        return None
    there = scope.emit("OptionalHasElement", [optional], CONDITION)
    then, otherwise = Scope(scope.model, scope), Scope(scope.model, scope)
    inside = then.emit("OptionalGetElement", [optional], content)
    return scope.emit_if(there, (then, [inside]), (otherwise, [otherwise.returned(other)]))[0]


OPERATIONS = [
    (2, construct),
    (2, empty),
    (5, insert),
    (2, erase),
    (4, at),
    (2, length),
    (3, join),
    (3, split),
    (1, copy),
]
OPTIONALS = [(1, make_optional), (2, take_out)]
