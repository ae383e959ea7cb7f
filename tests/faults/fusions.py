"""Faults of the fusions in which the CPU plugin or OpenVINO computes several operations by one."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from .experiment import compiled, experiment, fails, number, numbers, opset, parameter, results, shapes
from .kernels import integers


def scalar(value):
    return opset.constant(np.float32(value))


def rounded(value):
    """A FakeQuantize to multiples of 1/4 between -32 and 31.75."""
    bounds = [scalar(-32), scalar(31.75)]
    return opset.fake_quantize(value, *bounds, *bounds, 256)


def quantized(weights):
    """Constant weights of 8 bits with the scale 1/4."""
    return opset.multiply(opset.convert(opset.constant(weights.astype(np.int8)), "f32"), scalar(0.25))


@experiment
def activation_before_pool():
    """A convolution that copies its data, a maximum pool, and an activation that is not monotone: Abs and Swish."""
    x, values = parameter([1, 1, 8]), np.array([[[-3, -1, -2, -0.5, 1, -4, 0, 2]]], np.float32)
    copied = opset.convolution(x, opset.constant(np.ones([1, 1, 1], np.float32)), [1], [0], [0], [1])
    pooled = opset.max_pool(copied, [2], [1], [0], [0], [2], "floor", "explicit").output(0)
    largest = values.reshape(1, 1, 4, 2).max(3)
    return any(
        not np.allclose(results([x], activation, [values])[0], right, atol=1e-5)
        for activation, right in ((opset.abs(pooled), np.abs(largest)), (opset.swish(pooled), largest / (1 + np.exp(-largest))))
    )


@experiment
def convolution_sum_shape():
    """The sum of a convolution of static shape and a value of dynamic shape, which has more rows."""
    x, other, values = parameter([1, 1, 3]), parameter([-1, 1, 3]), integers(1, 1, 3)
    copied = opset.convolution(x, opset.constant(np.ones([1, 1, 1], np.float32)), [1], [0], [0], [1])
    wide = integers(2, 1, 3)
    try:
        given = results([x, other], opset.add(copied, other), [values, values], [values, wide])
    except RuntimeError:
        return True
    return not (np.array_equal(given[0], values * 2) and np.array_equal(given[1], values + wide))


@experiment
def permuted_channels():
    """Channels that a Gather, or a Split and a Concat, moves in a circle before a convolution."""
    x, values = parameter([1, 3, 1, 1]), np.array([1, 2, 4], np.float32).reshape(1, 3, 1, 1)
    gathered = opset.gather(x, numbers(1, 2, 0), opset.constant(np.int64(1)))
    parts = opset.split(x, opset.constant(np.int64(1)), 3)
    joined = opset.concat([parts.output(i) for i in (1, 2, 0)], 1)
    weights = opset.constant(np.array([1, 8, 64], np.float32).reshape(1, 3, 1, 1))
    outputs = [opset.convolution(value, weights, [1, 1], [0, 0], [0, 0], [1, 1]) for value in (gathered, joined)]
    return any(results([x], output, [values])[0].item() != 2 + 4 * 8 + 64 for output in outputs)


@experiment
def many_live_values():
    """The sum of 40 terms, each of which is the hyperbolic tangent of another multiple."""
    x = parameter([3])
    total = opset.tanh(x)
    for factor in range(2, 41):
        total = opset.add(opset.tanh(opset.multiply(x, scalar(factor))), total)
    values = np.array([-1, 0.01, 2], np.float32)
    try:
        given = results([x], total, [values])[0]
    except RuntimeError:
        return True
    return not np.allclose(given, sum(np.tanh(values * factor) for factor in range(1, 41)), atol=1e-3)


@experiment
def product_axis_constants():
    """A product with constant weights, of rank 4 and dynamic size, and a constant along the second axis; which has as many elements as
    columns, or more."""
    wrong = False
    for columns in (3, 2):
        x, values, weights = parameter([1, 3, -1, 2]), integers(1, 3, 2, 2), integers(2, columns)
        constant = integers(1, 3, 1, 1)
        try:
            given = results([x], opset.add(opset.matmul(x, opset.constant(weights), False, False), opset.constant(constant)), [values])[0]
            wrong = wrong or not np.array_equal(given, values @ weights + constant)
        except RuntimeError:
            wrong = True
    return wrong


def unit_products_are_wrong():
    x, values, weights = parameter([2, 3]), integers(2, 3), integers(3, 1)
    product = opset.matmul(opset.matmul(x, opset.constant(weights), False, False), opset.constant(np.full([1, 1], 2, np.float32)), False, False)
    try:
        return not np.array_equal(results([x], product, [values])[0], values @ weights * 2)
    except RuntimeError:
        return True


@experiment
def consecutive_unit_products():
    """A product that gives one column, and a product of it with a constant of one element, on one core."""
    # OpenVINO counts the cores when it is loaded.
    program = f"import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); from {__name__} import unit_products_are_wrong as wrong; raise SystemExit(wrong())"
    return subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).resolve().parents[2], stderr=subprocess.DEVNULL, check=False).returncode != 0


@experiment
def scaled_vector_product():
    """A product with a constant vector of one element, times a constant."""
    x, values = parameter([2, 1, 1]), integers(2, 1, 1)
    product = opset.matmul(x, opset.constant(np.array([3], np.float32)), False, False)
    return shapes([x], opset.multiply(product, scalar(2)), [values]) != [(2, 1)]


@experiment
def rotary_shape():
    """A rotary embedding of one sequence with the cosines and sines of two; and products of complex numbers that are joined in pairs."""
    x, cosine, sine = parameter([1, 2, 3, 4]), parameter([2, 1, 3, 4]), parameter([2, 1, 3, 4])
    halves = opset.variadic_split(x, opset.constant(np.int64(3)), numbers(2, 2))
    rotated = opset.concat([opset.multiply(halves.output(1), scalar(-1)), halves.output(0)], -1)
    embedded = opset.add(opset.multiply(x, cosine), opset.multiply(rotated, sine))
    values, angles = integers(1, 2, 3, 4), integers(2, 1, 3, 4)
    turned = np.concatenate([-values[..., 2:], values[..., :2]], -1)
    given = results([x, cosine, sine], embedded, [values, angles, angles + 1])[0]
    right = values * angles + turned * (angles + 1)
    if given.shape != right.shape or not np.array_equal(given, right):
        return True
    a, b = parameter([2, 1, 5, 2]), parameter([2, 3, 1, 2])
    (c, d), (e, f) = ((parts.output(0), parts.output(1)) for parts in (opset.split(x, number(3), 2) for x in (a, b)))
    real, imaginary = opset.subtract(opset.multiply(c, e), opset.multiply(d, f)), opset.add(opset.multiply(c, f), opset.multiply(d, e))
    return results([a, b], opset.concat([real, imaginary], 3), [integers(2, 1, 5, 2), integers(2, 3, 1, 2)])[0].shape != (2, 3, 5, 2)


@experiment
def shared_quantized_product():
    """A convolution of quantised numbers of dynamic size with two readers, which add a constant and remove negative numbers; and a product of
    two such tensors that is rounded and an output."""
    x, values, weights = parameter([-1, 2, 3]), integers(1, 2, 3), integers(2, 2, 1)
    convolved = opset.convolution(rounded(x), quantized(weights), [1], [0], [0], [1])
    model = compiled([x], opset.add(convolved, scalar(3)), opset.relu(convolved))
    given = model([values])
    right = np.einsum("oi,nix->nox", weights[:, :, 0] / 4, values)
    y, z, rows, columns = parameter([-1, 2]), parameter([2, 3]), integers(2, 2) / 4, integers(2, 3)
    product = opset.matmul(rounded(y), rounded(z), False, False)
    products = list(compiled([y, z], rounded(product), product)([rows, columns]).values())
    return not (
        np.allclose(given[0], right + 3, atol=1e-3)
        and np.allclose(given[1], np.maximum(right, 0), atol=1e-3)
        and all(np.array_equal(given, rows @ columns) for given in products)
    )


@experiment
def channels_from_factor():
    """Data of one channel times three factors, and a convolution of the three channels."""
    x, values = parameter([1, 1, 4]), integers(1, 1, 4)
    product = opset.multiply(x, opset.constant(np.array([[[1], [2], [3]]], np.float32)))
    output = opset.convolution(product, opset.constant(np.ones([2, 3, 1], np.float32)), [1], [0], [0], [1])
    try:
        given = results([x], output, [values])[0]
    except RuntimeError:
        return True
    return not np.array_equal(given, np.repeat(values * 6, 2, 1))


@experiment
def quantized_axis_constants():
    """Numbers rounded per channel, plus a constant along the last axis, which has as many elements as there are channels."""
    x, values, constant = parameter([1, 5, 5]), integers(1, 5, 5), integers(1, 1, 5)
    scales = np.array([1, 2, 1, 2, 1], np.float32).reshape(1, 5, 1) / 8
    bounds = [opset.constant(-128 * scales), opset.constant(127 * scales)]
    total = opset.add(opset.fake_quantize(x, *bounds, *bounds, 256), opset.constant(constant))
    return not np.array_equal(results([x], total, [values])[0], np.clip(values, -128 * scales, 127 * scales) + constant)


@experiment
def transposed_unit_reduction():
    """The Transpose of a column that a ReduceMin gives."""
    x, values = parameter([2, 2, 1]), integers(2, 2, 1)
    row = opset.transpose(opset.reduce_min(x, numbers(0), False), numbers(1, 0))
    return shapes([x], row, [values]) != [(1, 2)]


@experiment
def quantized_dynamic_channels():
    """Numbers rounded per channel, and once more with one scale. The first axis and that of the channels are dynamic."""
    x, values = parameter([-1, -1, 2]), integers(2, 2, 2)
    scales = np.array([1, 2], np.float32).reshape(1, 2, 1) / 8
    bounds = [opset.constant(-128 * scales), opset.constant(127 * scales)]
    twice = rounded(opset.fake_quantize(x, *bounds, *bounds, 256))
    return not np.array_equal(results([x], twice, [values])[0], np.clip(values, -128 * scales, 127 * scales))


@experiment
def quantized_channel_factors():
    """A negative and a positive factor of two columns, and rounding with a dynamic number of rows."""
    x, values, factors = parameter([-1, 2]), integers(2, 2) / 2, np.array([[-2, 4]], np.float32)
    return not np.allclose(results([x], rounded(opset.multiply(x, opset.constant(factors))), [values])[0], values * factors)


@experiment
def unsqueezed_reduction():
    """A tensor with a further last axis, reduced along its first axis, which stays; along -3, which is 1; and along -2 and 0."""
    x, values = parameter([2, 3, 2]), integers(2, 3, 2)
    wide, right = opset.unsqueeze(x, numbers(3)), np.expand_dims(values, 3)
    try:
        first = results([x], opset.reduce_sum(wide, numbers(0), True), [values])[0]
        second = results([x], opset.reduce_sum(wide, numbers(-3), False), [values])[0]
        both = results([x], opset.reduce_sum(wide, numbers(-2, 0), False), [values])[0]
    except RuntimeError:
        return True
    pairs = ((first, right.sum(0, keepdims=True)), (second, right.sum(1)), (both, right.sum((0, 2))))
    return any(given.shape != wanted.shape or not np.array_equal(given, wanted) for given, wanted in pairs)


@experiment
def space_to_batch_shape():
    """Blocks of a transposed and padded image of one channel, and the axes of batch and channels exchanged."""
    x, values = parameter([1, 1, 4, 4]), integers(1, 1, 4, 4)
    padded = opset.pad(opset.transpose(x, numbers(0, 1, 3, 2)), numbers(0, 0, 0, 0), numbers(0, 0, 2, 2), "constant", scalar(0))
    blocks = opset.transpose(opset.space_to_depth(padded, "blocks_first", 2), numbers(1, 0, 2, 3))
    right = np.pad(values.transpose(0, 1, 3, 2), [(0, 0), (0, 0), (0, 2), (0, 2)])
    right = right.reshape(3, 2, 3, 2).transpose(1, 3, 0, 2).reshape(4, 1, 3, 3)
    return not np.array_equal(results([x], blocks, [values])[0], right)


@experiment
def quantized_scalar_gather():
    """One row, by a scalar index, of a matrix that is rounded per column."""
    x, values = parameter([2, 2]), integers(2, 2)
    scales = np.array([[1, 2]], np.float32) / 8
    bounds = [opset.constant(-128 * scales), opset.constant(127 * scales)]
    row = opset.gather(opset.fake_quantize(x, *bounds, *bounds, 256), opset.constant(np.int64(0)), opset.constant(np.int64(0)))
    return shapes([x], row, [values]) != [(2,)]


@experiment
def attention_output_rank():
    """An attention of three axes, whose result is an output of the model, twice."""
    query, key, value = parameter([1, 4, 2]), parameter([1, 2, 2]), parameter([1, 2, 2])
    scores = opset.softmax(opset.matmul(query, key, False, False), 2)
    model = compiled([query, key, value], opset.matmul(scores, value, False, False))
    request = model.create_infer_request()
    inputs = [integers(1, 4, 2), integers(1, 2, 2), integers(1, 2, 2)]
    try:
        return any(request.infer(inputs)[0].shape != (1, 4, 2) for _ in range(2))
    except RuntimeError:
        return True


@experiment
def attention_rank():
    """An attention of three axes, times a constant of four."""
    query, key, value = parameter([2, 4, 2]), parameter([2, 2, 2]), parameter([2, 2, 2])
    attended = opset.matmul(opset.softmax(opset.matmul(query, key, False, False), 2), value, False, False)
    try:
        compiled([query, key, value], opset.abs(opset.multiply(attended, opset.constant(integers(1, 1, 1, 2)))))
    except RuntimeError:
        return True
    return False


@experiment
def split_convolution_concat():
    """An input of the model, and a convolution of the first part of a Split, one after the other."""
    x, other, values, beside = parameter([1, 4, 3]), parameter([1, 2, 3]), integers(1, 4, 3), integers(1, 2, 3)
    part = opset.split(x, opset.constant(np.int64(1)), 2).output(0)
    convolved = opset.convolution(part, opset.constant(np.ones([2, 2, 1], np.float32)), [1], [0], [0], [1])
    try:
        given = results([x, other], opset.concat([convolved, other], 1), [values, beside])[0]
    except RuntimeError:
        return True
    return not np.array_equal(given, np.concatenate([np.repeat(values[:, :2].sum(1, keepdims=True), 2, 1), beside], 1))


@experiment
def factor_along_kernel():
    """A convolution with three filter elements along an axis of three elements, which have factors, and pads."""
    x, values, factors = parameter([1, 1, 3]), integers(1, 1, 3), np.array([1, 2, -1], np.float32)
    convolved = opset.convolution(opset.multiply(x, opset.constant(factors)), opset.constant(np.ones([1, 1, 3], np.float32)), [1], [1], [1], [1])
    return not np.array_equal(results([x], convolved, [values])[0].flatten(), np.convolve((values * factors).flatten(), [1, 1, 1], "same"))


@experiment
def sum_of_scalar():
    """A product of four axes with constant weights, plus a number."""
    x, weights = parameter([2, 1, 2, 2]), integers(2, 3)
    total = opset.add(opset.matmul(x, opset.constant(weights), False, False), scalar(3))
    return fails(results, [x], total, [integers(2, 1, 2, 2)])


@experiment
def dynamic_attention_mask():
    """The weighted sums of values; the weights are of a product of static shape and a mask with a dynamic number of rows."""
    query, key, mask, value = parameter([1, 4, 4]), parameter([1, 4, 3]), parameter([-1, 1, 3]), parameter([1, 3, 2])
    weights = opset.softmax(opset.add(opset.matmul(query, key, False, False), mask), 2)
    return fails(results, [query, key, mask, value], opset.matmul(weights, value, False, False), [integers(1, 4, 4), integers(1, 4, 3), integers(1, 1, 3), integers(1, 3, 2)])


@experiment
def dynamic_attention_values():
    """The weighted sums of values with a dynamic number of columns; the weights have a static shape."""
    query, key, value = parameter([1, 4, 4]), parameter([1, 4, 3]), parameter([1, 3, -1])
    weights = opset.softmax(opset.matmul(query, key, False, False), 2)
    return fails(results, [query, key, value], opset.matmul(weights, value, False, False), [integers(1, 4, 4), integers(1, 4, 3), integers(1, 3, 2)])


@experiment(may_crash=True)
def narrow_rms_normalization():
    """Rows of three numbers divided by the root of the mean of their squares, and scaled."""
    x, values = parameter([2, 3]), integers(2, 3) + 1
    mean = opset.reduce_mean(opset.power(x, scalar(2)), numbers(-1), True)
    factor = opset.divide(scalar(1), opset.sqrt(opset.add(mean, scalar(1e-5))))
    scaled = opset.multiply(opset.multiply(x, factor), opset.constant(np.array([1, 2, 3], np.float32)))
    right = values / np.sqrt((values**2).mean(-1, keepdims=True)) * [1, 2, 3]
    return not np.allclose(results([x], scaled, [values])[0], right, atol=1e-3)


@experiment
def reshaped_reduction():
    """The sums of two rows of a vector, reshaped to two matrices of one row."""
    x, values = parameter([4]), integers(4)
    total = opset.reduce_sum(opset.reshape(x, numbers(2, 1, 2), False), numbers(0), False)
    return fails(results, [x], total, [values]) or not np.array_equal(results([x], total, [values])[0], values.reshape(2, 1, 2).sum(0))


@experiment
def attention_broadcast():
    """Attention of one query, added to each row of the values."""
    query, key, value = parameter([-1, -1, -1, -1]), parameter([1, 2, 4, 3]), parameter([-1, -1, -1, -1])
    weights = opset.softmax(opset.matmul(query, key, False, False), 3)
    queries, keys, values = integers(1, 2, 1, 4) / 8, integers(1, 2, 4, 3) / 8, integers(1, 2, 3, 4)
    given = results([query, key, value], opset.add(opset.matmul(weights, value, False, False), value), [queries, keys, values])[0]
    powers = np.exp(queries @ keys)
    return not np.allclose(given, powers / powers.sum(-1, keepdims=True) @ values + values, atol=0.1)


@experiment
def prelu_axis():
    """The positive part of a matrix minus multiples of its negative part, one for each of four columns; there are four rows, too."""
    x, values, slopes = parameter([4, 4, 4]), integers(4, 4, 4) - 3, np.array([1, 2, 3, 4], np.float32)
    negative = opset.multiply(opset.relu(opset.multiply(x, scalar(-1))), opset.constant(slopes))
    given = results([x], opset.subtract(opset.relu(x), negative), [values])[0]
    return not np.array_equal(given, np.maximum(values, 0) - slopes * np.maximum(-values, 0))


@experiment
def repeated_softmax():
    """The SoftMax of a convolution that copies its data, twice in a Concat."""
    x, values = parameter([1, 1, 4, 4]), integers(1, 1, 4, 4)
    copied = opset.convolution(x, opset.constant(np.ones([1, 1, 1, 1], np.float32)), [1, 1], [0, 0], [0, 0], [1, 1])
    powers = np.exp(values - values.max())
    columns = opset.softmax(copied, 2)
    return not np.allclose(results([x], opset.concat([columns, columns], 1), [values])[0], np.repeat(powers / powers.sum(2, keepdims=True), 2, 1), atol=1e-5)


@experiment
def transposed_concat_part():
    """A Convolution of the transpose of ReLU(x), which a Concat joins with x."""
    x, values = parameter([1, 3, 2, 4]), integers(1, 3, 2, 4)
    part = opset.relu(x)
    filters = opset.constant(np.ones([1, 4, 1, 1], np.float32))
    sums = opset.convolution(opset.transpose(part, numbers(0, 3, 1, 2)), filters, [1, 1], [0, 0], [0, 0], [1, 1])
    given = compiled([x], sums, opset.concat([x, part], 1))([values])[0]
    return not np.array_equal(given, np.maximum(values, 0).sum(3)[:, np.newaxis])


@experiment(may_crash=True)
def convolved_concat_part():
    """The transpose of a Convolution of ReLU(x) with a bias, and a Concat of x and ReLU(x)."""
    x, values = parameter([1, 1, 4, 4]), integers(1, 1, 4, 4) - 8
    part = opset.relu(x)
    convolved = opset.convolution(part, opset.constant(np.ones([2, 1, 1, 1], np.float32)), [1, 1], [0, 0], [0, 0], [1, 1])
    sums = opset.add(convolved, opset.constant(np.array([-0.5, 1], np.float32).reshape(1, 2, 1, 1)))
    given = compiled([x], opset.transpose(sums, numbers(0, 3, 1, 2)), opset.concat([x, part], 2))([values])[1]
    return not np.array_equal(given, np.concatenate([values, np.maximum(values, 0)], 2))


@experiment(may_crash=True)
def unread_columns():
    """A Convolution of 64 matrices with one column, with the stride 2: its windows are the pads on both sides."""
    x, values = parameter([64, 1, 64, 1]), integers(64, 1, 64, 1)
    filters = opset.constant(np.ones([1, 1, 1, 1], np.float32))
    return any(np.any(results([x], opset.convolution(x, filters, [1, 2], [0, 1], [0, 1], [1, 1]), [values])[0] != 0) for _ in range(20))


@experiment
def transposed_model_output():
    """A Convolution of the transpose of ReLU(x), and a Reshape of ReLU(x) as another output of the model."""
    x, values = parameter([1, 3, 2, 4]), integers(1, 3, 2, 4)
    part = opset.relu(x)
    filters = opset.constant(np.ones([1, 4, 1, 1], np.float32))
    sums = opset.convolution(opset.transpose(part, numbers(0, 3, 1, 2)), filters, [1, 1], [0, 0], [0, 0], [1, 1])
    given = compiled([x], sums, opset.reshape(part, numbers(6, 4), False))([values])[0]
    return not np.array_equal(given, np.maximum(values, 0).sum(3)[:, np.newaxis])


@experiment
def shared_half_table():
    """Rows of a constant of f16 in f32, and a product with the same constant in f16."""
    rows, x = parameter([-1], "i64"), parameter([-1, 4], "f16")
    table = opset.constant(np.arange(12).reshape(3, 4).astype(np.float16))
    found = opset.gather(opset.convert(table, "f32"), rows, opset.constant(np.int64(0)))
    product = opset.matmul(x, table, False, True)
    return fails(compiled, [rows, x], found, product)
