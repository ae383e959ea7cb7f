"""Faults of empty tensors."""

import numpy as np

from .experiment import compiled, experiment, fails, number, numbers, opset, parameter, results, shapes


@experiment
def empty_broadcast_in_arithmetic():
    """Arithmetic with a Broadcast to a dynamic size of 0 gives size 0."""
    x, y, size = parameter([1]), parameter([1]), parameter([1], "i64")
    one = np.ones(1, np.float32)
    makers = (opset.add, opset.subtract, opset.multiply, opset.maximum, opset.power, lambda a, b: opset.add(a, opset.negative(b)))
    return any(
        shapes([x, y, size], make(y, opset.broadcast(x, size)), (one, one, np.array([3])), (one, one, np.array([0]))) != [(3,), (0,)]
        for make in makers
    )


def without_columns(x):
    """x [n, 2] as [n, 0]."""
    return opset.relu(opset.slice(x, numbers(0), numbers(0), numbers(1), numbers(1)))


@experiment
def empty_unsqueeze_shape():
    """Unsqueeze of [n, 0] gives [1, n, 0]."""
    x = parameter([-1, 2])
    return shapes([x], opset.unsqueeze(without_columns(x), number(0)), (np.ones((5, 2), np.float32),)) != [(1, 5, 0)]


@experiment
def empty_unit_transpose():
    """Transpose of [1, 4, 0] to the order 1, 2, 0 gives [4, 0, 1]."""
    x = parameter([1, -1, -1])
    transposed = opset.transpose(x, numbers(1, 2, 0))
    return fails(shapes, [x], transposed, (np.ones((1, 4, 0), np.float32),)) or shapes(
        [x], transposed, (np.ones((1, 4, 0), np.float32),)
    ) != [(4, 0, 1)]


def texts(*values):
    return np.array(values, np.str_)


@experiment
def empty_string_unpack():
    """StringTensorUnpack of an empty tensor gives no positions and no bytes."""
    x = parameter([-1], "string")
    parts = [opset.string_tensor_unpack(x).output(index) for index in range(3)]
    return any(shapes([x], part, (texts("ab", "c"),), (texts(),))[1] != (0,) for part in parts)


@experiment
def empty_string_bytes():
    """StringTensorPack of empty strings gives empty strings, also after another inference."""
    places, size = parameter([-1], "i32"), parameter([1], "i64")
    data = opset.slice(opset.constant(np.full(8, ord("a"), np.uint8)), numbers(0), size, numbers(1), numbers(0))
    zero = opset.constant(np.int32(0))
    packed = opset.string_tensor_pack(opset.multiply(places, zero), opset.add(places, zero), data)
    runs = results([places, size], packed, (np.array([1], np.int32), np.array([1])), (np.array([0], np.int32), np.array([0])))
    return [run.tolist() for run in runs] != [["a"], [""]]


@experiment
def empty_string_pack():
    """StringTensorPack of an empty tensor gives an empty tensor, also in the first inference."""
    x = parameter([-1, -1], "i32")
    places = opset.add(x, opset.constant(np.int32(1)))
    packed = opset.string_tensor_pack(places, places, opset.constant(np.zeros(1, np.uint8)))
    return fails(shapes, [x], packed, (np.zeros((2, 0), np.int32),))


@experiment
def empty_unique():
    """Unique of an empty tensor gives empty tensors."""
    x = parameter([-1])
    some, none = np.array([1, 0, 2], np.float32), np.zeros(0, np.float32)
    return any(
        fails(shapes, [x], output, (none,)) or shapes([x], output, (some,), (none,))[1] != (0,)
        for output in opset.unique(x).outputs()
    )


@experiment
def abs_in_place():
    """Other readers of a Concat of vectors than Abs get the values with their signs."""
    x, y = parameter([2]), parameter([2])
    joined = opset.concat([x, y], 0)
    output = opset.concat([opset.abs(joined), opset.multiply(joined, opset.constant(np.float32(2)))], 0)
    given = (np.array([-1, 2], np.float32), np.array([3, -4], np.float32))
    return results([x, y], output, given)[0].tolist() != [1, 2, 3, 4, -2, 4, 6, -8]


@experiment(may_crash=True)
def empty_i64_output():
    """A model with an empty i64 constant as output compiles and runs."""
    x = parameter([2])
    model = compiled([x], opset.constant(np.zeros((0, 2), np.int64)), opset.relu(x))
    return model([np.ones(2, np.float32)])[0].shape != (0, 2)


@experiment(may_crash=True)
def empty_part_before_others():
    """A column, one that is repeated zero times, and the first one again are joined."""
    x, copies = parameter([-1, 1]), parameter([2], "i64")
    repeated = opset.tile(opset.constant(np.array([[5]], np.float32)), copies)
    model = compiled([x, copies], opset.concat([x, repeated, x], 0))
    columns = [np.array([[1]], np.float32), np.array([[1], [2], [3]], np.float32), np.array([[7], [8]], np.float32)]
    return any(model([column, np.array([count, 1])])[0].ravel().tolist() != [*column.ravel(), *[5] * count, *column.ravel()] for column in columns for count in (1, 0))


@experiment(may_crash=True)
def empty_gather():
    """Gather with an empty list of indices gives an empty tensor."""
    x = parameter([3, 2])
    none = opset.constant(np.zeros(0, np.int64))
    given = (np.ones((3, 2), np.float32),)
    for output in (opset.gather(x, none, number(0)), opset.relu(opset.gather(x, none, number(1)))):
        if fails(shapes, [x], output, given) or shapes([x], output, given) not in ([(0, 2)], [(3, 0)]):
            return True
    return False


@experiment(may_crash=True)
def empty_broadcast_folding():
    """A Broadcast of an empty constant to [3, 0] can be folded at compile time."""
    none = opset.broadcast(opset.constant(np.zeros(0, np.float32)), numbers(3, 0))
    return fails(shapes, [], opset.shape_of(none), ())


@experiment(may_crash=True)
def empty_tile_folding():
    """A Tile of a constant [0, 2] can be folded at compile time."""
    none = opset.tile(opset.constant(np.zeros((0, 2), np.float32)), numbers(3, 1))
    return fails(shapes, [], opset.shape_of(none), ())


@experiment
def empty_reshape_in_first_run():
    """An empty constant becomes [0, 0] by a Reshape to a dynamic shape."""
    sizes = parameter([2], "i64")
    none = opset.constant(np.zeros(0, np.float32))
    return fails(shapes, [sizes], opset.relu(opset.reshape(none, sizes, False)), (np.zeros(2, np.int64),))


@experiment
def stale_empty_shapes():
    """VariadicSplit, Tile and TopK of empty data give the shape that their other inputs ask for, also if only these have changed."""
    x, n = parameter([-1, -1, 3]), parameter([1], "i64")
    some, none = np.ones((2, 5, 3), np.float32), np.ones((2, 0, 3), np.float32)
    split = opset.variadic_split(x, number(0), opset.concat([n, numbers(-1)], 0)).output(0)
    tile = opset.tile(x, opset.concat([n, numbers(1, 1)], 0))
    top = opset.topk(x, opset.squeeze(n, number(0)), 0, "max", "value").output(0)
    runs = [(some, np.array([1])), (none, np.array([2])), (none, np.array([1]))]
    return any(shapes([x, n], output, *runs)[2] != shapes([x, n], output, runs[2])[0] for output in (split, tile, top))


@experiment(may_crash=True)
def empty_constant_factor():
    """A constant of no rows times a row, plus a row."""
    x, y = parameter([1, -1]), parameter([1, -1])
    total = opset.add(opset.multiply(opset.constant(np.zeros((0, 1), np.float32)), x), y)
    row = np.ones((1, 3), np.float32)
    return shapes([x, y], total, (row, row)) != [(0, 3)]
