"""Faults of the transformations that move scales and zero points of quantised numbers."""

import importlib
import importlib.util

import numpy as np

from .experiment import compiled, experiment, fails, number, numbers, opset, parameter, results
from .fusions import quantized, rounded, scalar
from .kernels import integers


def rounded_above(value, least):
    """A FakeQuantize to multiples of 1/8 from `least` on."""
    bounds = [scalar(least), scalar(least + 255 / 8)]
    return opset.fake_quantize(value, *bounds, *bounds, 256)


def average(value, kernel, pads):
    """The average of windows; pads count. Newer versions of the operation do not have the faults."""
    package = "openvino" if importlib.util.find_spec("openvino.opset1") else "openvino.runtime"
    oldest = importlib.import_module(f"{package}.opset1")
    return oldest.avg_pool(value, [1, 1], [pads, pads], [pads, pads], [kernel, kernel], False, "floor", "explicit")


@experiment
def disjoint_clamp():
    """A sum, between -5 and -4, rounded to numbers from -1 on; the number of rows is dynamic."""
    x, values = parameter([-1, 2]), integers(2, 2)
    limited = opset.clamp(opset.add(x, opset.constant(np.float32(1))), -5.0, -4.0)
    return not np.array_equal(results([x], rounded_above(limited, -1.0), [values])[0], np.full([2, 2], -1))


@experiment
def quantized_clamp_bounds():
    """A ReLU, written as a Clamp between 0 and the largest float, of rounded numbers."""
    x, values = parameter([1, 1, 2, 2]), integers(1, 1, 2, 2)
    given = results([x], opset.clamp(rounded(x), 0.0, float(np.finfo(np.float32).max)), [values])[0]
    return not np.array_equal(given, np.maximum(values, 0))


@experiment
def quantized_clamp_channels():
    """A row plus a constant for each column, between -1 and 2, rounded to multiples of 1/4; the number of rows is dynamic."""
    x, values, constants = parameter([-1, 4]), integers(2, 4) - 4, np.array([2, 0, 1, -1], np.float32)
    given = results([x], rounded(opset.clamp(opset.add(x, opset.constant(constants)), -1.0, 2.0)), [values])[0]
    return not np.array_equal(given, np.clip(values + constants, -1, 2))


@experiment
def quantized_concat_factors():
    """The positive part of two rows, rounded, times a factor for each column."""
    x, values, factors = parameter([1, 2, 2]), integers(1, 2, 2), np.array([2, 4], np.float32)
    rows = opset.relu(opset.concat([x, opset.constant(np.ones([1, 2, 2], np.float32))], 0))
    try:
        given = results([x], opset.multiply(rounded(rows), opset.constant(factors.reshape(1, 1, 2))), [values])[0]
    except RuntimeError:
        return True
    return not np.array_equal(given, np.maximum(np.concatenate([values, np.ones([1, 2, 2])]), 0) * factors)


@experiment(may_crash=True)
def quantized_product_gather():
    """The last row of a product of numbers that are rounded with a zero point, and weights of 8 bits with one scale."""
    x, values, weights = parameter([2, 2]), integers(2, 2), integers(2, 3)
    scaled = opset.multiply(opset.convert(opset.constant(weights.astype(np.int8)), "f32"), opset.constant(np.float32(0.25)))
    row = opset.gather(opset.matmul(rounded_above(x, -10.0), scaled, False, False), numbers(-1), opset.constant(np.int64(0)))
    return not np.allclose(results([x], row, [values])[0], (values @ weights)[-1:] / 4, atol=0.1)


@experiment
def quantized_product_pool():
    """The larger one of each two columns of a product of numbers that are rounded with a zero point."""
    x, values, weights = parameter([2, 2, 2]), integers(2, 2, 2), integers(2, 4)
    pooled = opset.max_pool(opset.matmul(rounded_above(x, -10.0), quantized(weights), False, False), [2], [1], [0], [0], [2], "floor", "explicit").output(0)
    right = (values @ weights / 4).reshape(2, 2, 2, 2).max(3)
    try:
        return not np.allclose(results([x], pooled, [values])[0], right, atol=0.1)
    except RuntimeError:
        return True


@experiment
def reversed_quantized_sum():
    """A constant for each column plus a Concat of rows, rounded to numbers from -1 on; the number of rows is dynamic."""
    x, y, values, constants = parameter([1, 2]), parameter([-1, 2]), integers(2, 2), np.array([[-20, -1]], np.float32)
    sums = opset.add(opset.constant(constants), opset.concat([x, y], 0))
    given = results([x, y], rounded_above(sums, -1.0), [values[:1], values[1:]])[0]
    return not np.array_equal(given, np.maximum(values + constants, -1))


@experiment
def scaled_integer_clamp():
    """Integers of 8 bits times 4, at most 2, and the same numbers rounded by a FakeQuantize."""
    x, values = parameter([1, 4]), np.array([[-1, 0, 1, 2]], np.float32)
    integral = opset.convert(opset.convert(rounded(x), "i8"), "f32")
    limited = opset.clamp(opset.multiply(integral, opset.constant(np.float32(4))), -2.0, 2.0)
    return not np.array_equal(results([x], limited, [values])[0], np.clip(values * 4, -2, 2))


@experiment
def quantized_extremum():
    """The least number of each row, in steps of 1/2 as integers of 8 bits."""
    x, values = parameter([2, 2]), np.array([[-4.5, 1], [3, 2.5]], np.float32)
    bounds = [opset.constant(np.float32(bound)) for bound in (-64, 63.5, -128, 127)]
    steps = opset.convert(opset.fake_quantize(opset.reduce_min(x, numbers(1), True), *bounds, 256), "i8")
    return results([x], steps, [values])[0].tolist() != [[-9], [5]]


@experiment(may_crash=True)
def misread_filters():
    """A convolution of numbers from -32 on, of 24 columns first and of 2 columns then; its results are rounded, too."""
    x, values = parameter([1, 16, -1]), integers(1, 16, 24) - 5
    weights = ((np.arange(16 * 16) * 5) % 13 - 6).reshape(16, 16, 1)
    product = rounded(opset.convolution(rounded(x), quantized(weights), [1], [0], [0], [1]))
    right = np.clip(weights[:, :, 0] / 4 @ values[0], -32, 31.75)
    return not np.allclose(results([x], product, [values], [values[:, :, :2]])[1][0], right[:, :2], atol=0.25)


@experiment
def quantized_factor_rank():
    """Rounded rows times a constant of three axes."""
    x = parameter([2, 3])
    return fails(results, [x], opset.multiply(rounded(x), opset.constant(integers(1, 1, 3))), [integers(2, 3)])


@experiment
def quantized_filters_of_channel():
    """Two groups of one channel of numbers from -1 on, each with two filters of 2 * 2 elements; the number of rows is dynamic."""
    x, values = parameter([1, 2, -1, 3]), integers(1, 2, 2, 3)
    low, high = (opset.constant(np.float32(bound)) for bound in (-1, 62.75))
    weights = (np.arange(16).reshape(2, 2, 1, 2, 2) * 5) % 13 - 6
    shifted = opset.fake_quantize(x, low, high, low, high, 256)
    convolved = opset.group_convolution(shifted, quantized(weights), [1, 1], [0, 0], [0, 0], [1, 1])
    windows = np.lib.stride_tricks.sliding_window_view(values[0], (2, 2), (1, 2))
    right = np.einsum("goyx,grcyx->gorc", weights[:, :, 0] / 4, windows).reshape(1, 4, 1, 2)
    return not np.allclose(results([x], convolved, [values])[0], right)


@experiment(may_crash=True)
def quantized_gather_of_part():
    """The second row of a half of rounded numbers minus a constant for each row."""
    x, values, rows = parameter([2, 2, 2]), integers(2, 2, 2), np.array([[[0.5], [1]]], np.float32)
    half = opset.split(opset.subtract(rounded(x), opset.constant(rows)), number(0), 2).output(0)
    return not np.array_equal(results([x], opset.gather(half, numbers(1), number(1)), [values])[0], (values - rows)[:1, 1:])


@experiment
def quantized_group_filters():
    """Two groups of one channel, each with two filters of 3 * 3 elements, and the positive part of the result."""
    x, values = parameter([1, 2, 4, 4]), integers(1, 2, 4, 4)
    weights = (np.arange(36).reshape(2, 2, 1, 3, 3) * 5) % 13 - 6
    convolved = opset.group_convolution(rounded(x), quantized(weights), [1, 1], [0, 0], [0, 0], [1, 1])
    windows = np.lib.stride_tricks.sliding_window_view(values[0], (3, 3), (1, 2))
    right = np.einsum("goyx,grcyx->gorc", weights[:, :, 0] / 4, windows).reshape(1, 4, 2, 2)
    return not np.allclose(results([x], opset.relu(convolved), [values])[0], np.maximum(right, 0))


@experiment
def quantized_narrow_average():
    """The rounded average of a row of each of three channels of rounded numbers."""
    x, values = parameter([1, 3, 2, 2]), integers(1, 3, 2, 2)
    given = results([x], rounded(average(rounded(x), 2, 0)), [values])[0]
    return not np.array_equal(given, values.mean((2, 3), keepdims=True))


@experiment
def quantized_normalization():
    """Rounded numbers, minus their mean and divided by the root of their variance and 4."""
    x, values = parameter([1, 2, 4, 4]), integers(1, 2, 4, 4)
    given = results([x], opset.mvn(rounded(x), numbers(2, 3), True, 4.0, "inside_sqrt"), [values])[0]
    centred = values - values.mean((2, 3), keepdims=True)
    return not np.allclose(given, centred / np.sqrt((centred**2).mean((2, 3), keepdims=True) + 4), atol=0.01)


@experiment
def quantized_pad_value():
    """A row of rounded numbers with a further column of 1/2; one of rounded numbers from -3/8 on with a further row of 0; and one of rounded
    numbers plus 1 with a further row of 0."""
    x, values = parameter([1, 3]), integers(1, 3)
    beside = opset.pad(rounded(x), numbers(0, 0), numbers(0, 1), "constant", scalar(0.5))
    below = opset.pad(rounded_above(x, -0.375), numbers(0, 0), numbers(1, 0), "constant", scalar(0))
    right = np.pad(np.maximum(values, -0.375), [(0, 1), (0, 0)])
    if not np.array_equal(results([x], beside, [values])[0], np.append(values, [[0.5]], 1)) or not np.array_equal(results([x], below, [values])[0], right):
        return True
    shifted = opset.pad(opset.add(rounded(x), scalar(1)), numbers(0, 0), numbers(1, 0), "constant", scalar(0))
    return not np.array_equal(results([x], shifted, [values])[0], np.pad(values + 1, [(0, 1), (0, 0)]))


@experiment
def quantized_padded_average():
    """Averages with pads, which count as 0, of rounded numbers from -3/8 on."""
    x, values = parameter([1, 8, 2, 2]), integers(1, 8, 2, 2)
    padded = np.pad(np.maximum(values, -0.375), [(0, 0), (0, 0), (1, 1), (1, 1)])
    right = sum(padded[:, :, i : i + 3, j : j + 3] for i in (0, 1) for j in (0, 1)) / 4
    return not np.allclose(results([x], average(rounded_above(x, -0.375), 2, 1), [values])[0], right)


TWO_THREADS = {"INFERENCE_NUM_THREADS": 2, "NUM_STREAMS": "1"}  # 2026.1 to 2026.3 are right with one thread


@experiment
def batched_product_constants():
    """Products of rounded numbers with several matrices, with a factor or a summand for each column, and with a scale for each matrix."""
    values, weights = integers(3, 5, 16), integers(3, 16, 10) % 3 - 1
    columns, matrices = np.linspace(0.5, 1.5, 10, dtype=np.float32).reshape(1, 1, 10), np.array([1, 2, 4], np.float32).reshape(3, 1, 1)
    for join, combine in ((opset.multiply, np.multiply), (opset.add, np.add)):
        x = parameter([3, 5, 16])
        y = join(opset.matmul(rounded(x), quantized(weights), False, False), opset.constant(columns))
        if not np.allclose(results([x], y, [values], **TWO_THREADS)[0], combine(values @ weights / 4, columns), atol=0.001):
            return True
    x = parameter([3, 5, 16])
    scaled = opset.matmul(rounded(x), opset.multiply(quantized(weights), opset.constant(matrices)), False, False)
    bounds = [scalar(-64), scalar(63.5)]
    y = opset.fake_quantize(scaled, *bounds, *bounds, 256)
    try:
        given = results([x], y, [values], **TWO_THREADS)[0]
    except RuntimeError:
        return True
    return not np.allclose(given, np.clip(np.round(values @ weights * matrices / 2), -128, 127) / 2, atol=0.51)


@experiment
def quantized_row_constants():
    """A product of rounded numbers of dynamic size, with a factor for each matrix; and one of static size with a constant for each column,
    rounded again, with a factor for each row."""
    values, weights, factors = integers(2, 2, 3), integers(3, 4) % 3 - 1, np.array([2, -1], np.float32)
    x, y, columns = parameter([-1, 2, 3]), parameter([2, 2, 3]), integers(1, 1, 4)

    def product(data):
        return opset.matmul(rounded(data), quantized(weights), False, False)

    matrices = opset.multiply(product(x), opset.constant(factors.reshape(2, 1, 1)))
    rows = opset.multiply(rounded(opset.add(product(y), opset.constant(columns))), opset.constant(factors.reshape(1, 2, 1)))
    right = values @ weights / 4
    assert np.abs(right + columns).max() < 31  # is not clipped
    return not (
        np.allclose(results([x], matrices, [values])[0], right * factors.reshape(2, 1, 1))
        and np.allclose(results([y], rows, [values])[0], (right + columns) * factors.reshape(1, 2, 1), atol=0.01)
    )


@experiment(may_crash=True)
def quantized_pool_of_channel():
    """The larger ones of two columns of rounded numbers, rounded; the sizes are dynamic. Many sizes, because what is overwritten is chance."""
    x, runs = parameter([-1, -1, -1, -1]), [integers(images, 1, rows, 2) for rows in range(3, 20) for images in (1, 2, 3)]
    pooled = opset.max_pool(rounded(x), [1, 1], [1, 1], [0, 0], [0, 0], [2, 2], "floor", "explicit").output(0)
    bounds = [scalar(-64), scalar(63.5)]
    given = results([x], opset.fake_quantize(pooled, *bounds, *bounds, 256), *[[values] for values in runs])
    right = [np.maximum(values[:, :, :-1], values[:, :, 1:]).max(3, keepdims=True) for values in runs]
    return not all(map(np.array_equal, given, right))


@experiment
def quantized_regrouped_channels():
    """Numbers of two channels of four elements, rounded per channel, as two pairs for each of two rows; the number of images is dynamic."""
    x, values, scales = parameter([-1, 2, 4]), integers(1, 2, 4), np.array([1, 2], np.float32).reshape(1, 2, 1) / 8
    bounds = [opset.constant(-128 * scales), opset.constant(127 * scales)]
    regrouped = opset.reshape(opset.fake_quantize(x, *bounds, *bounds, 256), numbers(-1, 2, 2), False)
    return not np.array_equal(results([x], regrouped, [values])[0], values.reshape(2, 2, 2))


@experiment
def quantized_relu_factors():
    """The positive part of a product and of a convolution of rounded numbers, times a positive and a negative factor."""
    x, image = parameter([2, 3]), parameter([1, 3, 2, 2])
    rows, pixels = integers(2, 3), integers(1, 3, 2, 2)
    weights, factors = np.array([[1, -1], [2, 3], [-1, 2]]), np.array([2, -1], np.float32)
    product = opset.relu(opset.matmul(rounded(x), quantized(weights), False, False))
    convolved = opset.relu(opset.convolution(rounded(image), quantized(weights.T.reshape(2, 3, 1, 1).copy()), [1, 1], [0, 0], [0, 0], [1, 1]))
    scaled = results([x], opset.multiply(product, opset.constant(factors)), [rows])[0]
    filtered = results([image], opset.multiply(convolved, opset.constant(factors.reshape(1, 2, 1, 1))), [pixels])[0]
    right = np.maximum(np.einsum("io,nihw->nohw", weights / 4, pixels), 0) * factors.reshape(1, 2, 1, 1)
    return not (np.allclose(scaled, np.maximum(rows @ weights / 4, 0) * factors) and np.allclose(filtered, right))


@experiment
def quantized_transpose():
    """A Transpose of a dynamic number of matrices, rounded per row, and per column."""
    x, values, scales = parameter([-1, 2, 2]), integers(1, 2, 2), np.array([1, 2], np.float32) / 8

    def is_wrong(shape):
        bounds = [opset.constant(least * scales.reshape(shape)) for least in (-128, 127)]
        transposed = opset.transpose(x, numbers(0, 2, 1))
        return fails(results, [x], opset.fake_quantize(transposed, *bounds, *bounds, 256), [values])

    return is_wrong((1, 2, 1)) or is_wrong((1, 1, 2))


@experiment
def quantized_truncation():
    """The integer part of multiples of 1/4, twice it, and its opposite."""
    values = np.array([[-1.5, 0.75], [2.5, -3]], np.float32)

    def is_wrong(follow, right):
        x = parameter([2, 2])
        return not np.array_equal(results([x], follow(opset.convert(rounded(x), "i32")), [values])[0], right(np.trunc(values)))

    doubled = is_wrong(lambda whole: opset.multiply(whole, opset.constant(np.int32(2))), lambda whole: whole * 2)
    return doubled or is_wrong(opset.negative, np.negative)


@experiment
def truncation_before_quantization():
    """The integer part of numbers in 8 bits, rounded to multiples of 1/4."""
    x, values = parameter([2, 2]), np.array([[-1.5, 0.75], [2.5, -3]], np.float32)
    whole = opset.convert(opset.convert(x, "i8"), "f32")
    return not np.array_equal(results([x], rounded(whole), [values])[0], np.trunc(values))


@experiment
def quantized_vector_product():
    """A vector of rounded numbers times weights of 8 bits with a scale for each column."""
    x, weights = parameter([3]), opset.convert(opset.constant(np.ones([3, 2], np.int8)), "f32")
    scaled = opset.multiply(weights, opset.constant(np.array([[0.25, 0.5]], np.float32)))
    return results([x], opset.matmul(rounded(x), scaled, False, False), [integers(3)])[0].shape != (2,)


@experiment
def quantized_unit_scale():
    """A product of rounded numbers and weights, both multiples of 1/4, plus a constant for each column, rounded to multiples of 1/16."""
    x, values, weights, columns = parameter([2, 3]), integers(2, 3), integers(3, 2) % 5 - 2, np.array([[1, -2]], np.float32)
    product = opset.matmul(rounded(x), quantized(weights), False, False)
    bounds = [scalar(-8), scalar(127 / 16)]
    given = results([x], opset.fake_quantize(opset.add(product, opset.constant(columns)), *bounds, *bounds, 256), [values])[0]
    return not np.allclose(given, np.clip(values @ weights / 4 + columns, -8, 127 / 16), atol=0.07)


@experiment
def scaled_shared_filters():
    """A convolution of rounded numbers with a stride, and twice its result; the filters are an output of the model, too."""
    x, values, filters = parameter([1, 2, 3, 3]), integers(1, 2, 3, 3) / 4, np.array([[-3, 7], [6, -7]])
    weights = quantized(filters.reshape(2, 2, 1, 1))
    convolved = opset.convolution(rounded(x), weights, [2, 2], [0, 0], [0, 0], [1, 1])
    given = compiled([x], opset.multiply(convolved, scalar(2)), weights)([values])[0]
    return not np.allclose(given, np.einsum("nchw,oc->nohw", values, filters / 2)[:, :, ::2, ::2])


@experiment
def merged_quantizations():
    """Rounded numbers plus a fraction of the step, rounded with the same step."""
    x, values = parameter([16]), np.arange(-8, 8).astype(np.float32)
    first, second = [scalar(-64), scalar(191)], [scalar(-63), scalar(192)]
    moved = opset.add(opset.fake_quantize(x, *first, *first, 256), scalar(0.3))
    return not np.array_equal(results([x], opset.fake_quantize(moved, *second, *second, 256), [values])[0], values)


@experiment
def stripped_quantization():
    """Numbers that are rounded to 65536 levels from 0 on are not negative."""
    x, bounds = parameter([-1]), [scalar(0), scalar(65535)]
    given = results([x], opset.sigmoid(opset.fake_quantize(x, *bounds, *bounds, 65536)), [np.array([-2, 0], np.float32)])[0]
    return given.tolist() != [0.5, 0.5]


@experiment
def quantized_constant_data():
    """A convolution of a constant of bytes with a zero point, beside rounded numbers."""
    x, bytes_of_data = parameter([-1]), np.arange(100, 108).astype(np.uint8).reshape(1, 2, 2, 2)
    data = opset.multiply(opset.subtract(opset.convert(opset.constant(bytes_of_data), "f32"), scalar(104)), scalar(0.5))
    filters = np.array([[1, 2], [3, -4]])
    convolved = opset.convolution(data, quantized(filters.reshape(2, 2, 1, 1)), [1, 1], [0, 0], [0, 0], [1, 1])
    given = compiled([x], convolved, rounded(x))([np.zeros(2, np.float32)])[0]
    return not np.allclose(given, np.einsum("nchw,oc->nohw", (bytes_of_data - 104.0) / 2, filters / 4))


@experiment
def quantized_recurrent_weights():
    """An LSTM of rounded numbers whose weights are integers of 8 bits times 1/8."""
    x, values, state = parameter([1, 2, 4]), integers(1, 2, 4) / 4, np.zeros([1, 1, 4], np.float32)
    integral = (np.arange(64).reshape(1, 16, 4) % 7 - 3).astype(np.int8)

    def sequence(weights):
        states = [opset.constant(state), opset.constant(state), opset.constant(np.array([2], np.int32))]
        return opset.lstm_sequence(rounded(x), *states, weights(), weights(), opset.constant(np.zeros([1, 16], np.float32)), 4, "forward").output(0)

    right = results([x], sequence(lambda: opset.constant(integral.astype(np.float32) / 8)), [values])[0]
    quantised = sequence(lambda: opset.multiply(opset.convert(opset.constant(integral), "f32"), scalar(0.125)))
    return not np.allclose(results([x], quantised, [values])[0], right, atol=1e-4)
