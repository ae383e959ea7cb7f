"""Faults of single operations and of their replacements in OpenVINO."""

import numpy as np

from .experiment import compiled, experiment, fails, number, numbers, opset, parameter, results

F32 = np.float32


def differs(inputs, output, given, right):
    """Whether the runtime fails or gives other values or another shape than `right`."""
    if fails(results, inputs, output, given):
        return True
    found = results(inputs, output, given)[0]
    return found.shape != np.shape(right) or not np.allclose(found, right, rtol=1e-4, atol=1e-5)


@experiment
def concat_reduction():
    """ReduceMax and ReduceMin of a Concat of two tensors along its axis give one element."""
    for size in (2, -1):
        for reduce, extremum in ((opset.reduce_max, 4), (opset.reduce_min, 3)):
            x = parameter([size], "i32")
            joined = opset.concat([x, opset.constant(np.array([3], np.int32))], 0)
            reduced = reduce(joined, numbers(0), False)
            if differs([x], reduced, (np.array([4, 3], np.int32),), extremum):
                return True
    return False


@experiment
def reshape_size_operand():
    """The smaller ones of the four numbers of a matrix and 4, which is also the size of their vector; and a size and 4 as parts of a shape."""
    x, four = parameter([2, 2], "i32"), opset.constant(np.array([4], np.int32))
    if differs([x], opset.minimum(opset.reshape(x, four, False), four), (np.array([[3, 5], [6, 1]], np.int32),), [3, 4, 4, 1]):
        return True
    size = parameter([], "i32")
    limited = opset.minimum(opset.unsqueeze(size, number(0)), four)
    return differs([size], opset.concat([limited, four], 0), (np.int32(3),), [3, 4])


@experiment
def updated_constants():
    """The sum of an Elu of constants and of x + 1, twice."""
    x, values = parameter([3]), np.array([1, 2, 3], np.float32)
    total = opset.add(opset.elu(opset.constant(values), 1.0), opset.add(x, opset.constant(np.float32(1))))
    return not all(np.array_equal(result, 2 * values + 1) for result in results([x], total, [values], [values]))


@experiment
def skipped_gather():
    """A Transpose of the only element of the first axis has a Reshape and another use."""
    x = parameter([1, 2, -1])
    moved = opset.transpose(opset.gather(x, number(0), number(0)), numbers(1, 0))
    rows = opset.gather(moved, numbers(0, 2), number(0))
    output = opset.concat([opset.reshape(moved, numbers(-1), False), opset.reshape(rows, numbers(-1), False), opset.convert(opset.shape_of(rows), "f32")], 0)
    given = np.arange(6, dtype=F32).reshape(1, 2, 3)
    columns = given[0].T
    return differs([x], output, (given,), np.concatenate([columns.ravel(), columns[[0, 2]].ravel(), [2, 2]]))


@experiment
def shuffle_channels_groups():
    """A Reshape, a Transpose and a Reshape take the dynamic batch of a tensor of four dimensions apart."""
    x = parameter([-1, 8, 2, 2])
    parts = opset.reshape(x, numbers(4, -1, 8, 2, 2), False)
    joined = opset.reshape(opset.transpose(parts, numbers(1, 0, 2, 3, 4)), numbers(-1, 32, 2, 2), False)
    given = np.arange(256, dtype=F32).reshape(8, 8, 2, 2)
    right = given.reshape(4, 2, 8, 2, 2).transpose(1, 0, 2, 3, 4).reshape(2, 32, 2, 2)
    return differs([x], joined, (given,), right)


@experiment(may_crash=True)
def col2im_run_time_sizes():
    """Col2Im of data of static shape takes its sizes from inputs."""
    x, size, kernel = parameter([1, 5, 5]), parameter([2], "i64"), parameter([2], "i64")
    output = opset.col2im(x, size, kernel, [1, 1], [1, 1], [0, 0], [0, 0])
    given = (np.ones((1, 5, 5), F32), np.array([5, 5]), np.array([1, 5]))
    return differs([x, size, kernel], output, given, np.ones((1, 1, 5, 5)))


@experiment
def boolean_attention_mask():
    """ScaledDotProductAttention ignores the keys for which a boolean mask is false."""
    query, key, value = np.ones((1, 1, 2, 4), F32), np.ones((1, 1, 3, 4), F32), np.arange(12, dtype=F32).reshape(1, 1, 3, 4)
    mask = np.array([[True, False, False], [False, True, True]])
    inputs = [parameter(query.shape), parameter(key.shape), parameter(value.shape), parameter(mask.shape, "boolean")]
    output = opset.scaled_dot_product_attention(*inputs[:3], attention_mask=inputs[3], causal=False)
    right = np.array([[[[0, 1, 2, 3], [6, 7, 8, 9]]]], F32)
    return differs(inputs, output, (query, key, value, mask), right)


def wrong_einsum(equation, *values):
    inputs = [parameter(value.shape) for value in values]
    if fails(opset.einsum, inputs, equation):
        return True
    return differs(inputs, opset.einsum(inputs, equation), values, np.einsum(equation, *values))


@experiment
def einsum_labels():
    """Einsum takes ellipses, a label twice in a term, and scalars."""
    matrix, cube, scalar = np.arange(9, dtype=F32).reshape(3, 3), np.arange(12, dtype=F32).reshape(3, 2, 2), np.array(2, F32)
    return (
        wrong_einsum("...i->...", matrix)
        or wrong_einsum("ii->i", matrix)
        or wrong_einsum("...ij,...jk->...ik", cube, cube)
        or wrong_einsum("->", scalar)
        or wrong_einsum("i,->i", matrix[0], scalar)
    )


@experiment(may_crash=True)
def empty_constant_result():
    """A model output can be a constant without elements."""
    x = parameter([2])
    return differs([x], opset.constant(np.zeros(0, np.int64)), (np.ones(2, F32),), np.zeros(0))


@experiment
def dynamic_constant_shapes():
    """Operations on constants compile, also if OpenVINO does not fold a size: it folds no IsNaN and no GatherND."""
    x, table = parameter([], "i64"), opset.constant(np.array([[3, 4], [2, 6]]))
    count = opset.gather_nd(table, numbers(0, 0))
    is_nan = opset.is_nan(opset.constant(np.array([1, np.nan], F32)))
    ranges = opset.range(number(0), count, number(1), "i64")
    copies = opset.broadcast(number(7), opset.unsqueeze(count, number(0)))
    places = opset.squeeze(opset.non_zero(is_nan, "i64"), numbers(0))
    one = (np.array(1),)
    return any(differs([x], opset.add(output, x), one, right) for output, right in ((ranges, [1, 2, 3]), (copies, [8] * 3), (places, [2])))


@experiment
def unsigned_bitwise_not():
    """BitwiseNot of unsigned integers gives the other bits."""
    x = parameter([2], "u16")
    return differs([x], opset.bitwise_not(x), (np.array([5, 60000], np.uint16),), [65530, 5535])


@experiment
def unsigned_right_shift():
    """The upper half of the largest u32."""
    x = parameter([1], "i32")
    words = opset.bitwise_not(opset.convert(x, "u32"))
    return differs([x], opset.convert(opset.bitwise_right_shift(words, opset.constant(np.array([16], np.uint32))), "i32"), (np.array([0], np.int32),), [65535])


@experiment(may_crash=True)
def input_converted_to_output():
    """An input of dynamic shape, converted to its own type, or to another one and back, in runs with other sizes."""
    for through in ("f32", "f64"):
        x = parameter([-1, -1])
        model = compiled([x], opset.convert(opset.convert(x, through), "f32"))
        for rows in (2, 5, 1, 40, 3, 300, 2):
            data = np.arange(rows * (rows + 1), dtype=np.float32).reshape(rows, rows + 1)
            if not np.array_equal(model([data])[0], data):
                return True
    return False


@experiment
def converted_output_name():
    """A number as f16 and back in f32."""
    x = parameter([2])
    half = opset.convert(opset.add(x, x), "f16")
    back = opset.convert(half, "f32")
    for node, name in ((half, "half"), (back, "back")):
        node.output(0).set_names({name})
    return [port.get_names() for port in compiled([x], half, back).outputs] != [{"half"}, {"back"}]


@experiment
def constant_string_pack():
    """Two strings of constant bytes."""
    begins, ends = (opset.constant(np.array(places, np.int32)) for places in ([0, 3], [3, 6]))
    packed = opset.string_tensor_pack(begins, ends, opset.constant(np.frombuffer(b"catdog", np.uint8)))
    return fails(results, [], packed, ()) or results([], packed, ())[0].tolist() != ["cat", "dog"]


@experiment
def transposed_constant_data():
    """The product of the transpose of an Elu of a constant, and a constant."""
    data, factor = np.arange(1, 9, dtype=np.float32).reshape(4, 2), np.arange(12, dtype=np.float32).reshape(4, 3)
    product = opset.matmul(opset.elu(opset.constant(data), 1.0), opset.constant(factor), True, False)
    return differs([], product, (), data.T @ factor)
