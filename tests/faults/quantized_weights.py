"""Faults of products with quantised weights, and of dequantisation."""

import numpy as np

from .experiment import experiment, fails, opset, parameter, results
from .small_types import four_bit_constant

INPUTS, OUTPUTS = 128, 32
X = np.random.default_rng(0).standard_normal((3, INPUTS)).astype(np.float32)


def dequantized(data, zero_point, scale):
    """(data - zero point) * scale, which the CPU plugin recognises as quantised weights."""
    return opset.multiply(opset.subtract(opset.convert(data, "f32"), zero_point), opset.constant(scale.astype(np.float32)))


def product_is_wrong(weights, expected, values=X, atol=1e-3):
    """Whether the values times the weights [inputs, outputs] fail or are less precise than f32, or than `atol`."""
    x = opset.parameter([-1, values.shape[1]], np.float32)
    product = opset.matmul(x, weights, False, False)
    if fails(results, [x], product, (values,)):
        return True
    return not np.allclose(results([x], product, (values,))[0], values.astype(np.float64) @ expected, rtol=1e-3, atol=atol)


def is_wrong_when_rounded(values, scale):
    """Whether products of rounded values and weights of 4 bits are wrong by more than the rounding can explain."""
    data = np.random.default_rng(1).integers(-8, 8, (values.shape[1], OUTPUTS))
    weights = opset.multiply(opset.convert(packed(data), "f32"), opset.constant(scale))
    expected = data * scale.astype(np.float64)
    return product_is_wrong(weights, expected, values, atol=0.05 * np.abs(values @ expected).max())


def bytes_of_weights():
    return np.random.default_rng(1).integers(0, 256, (INPUTS, OUTPUTS)).astype(np.uint8)


@experiment(may_crash=True)
def dynamic_quantization():
    """The product of f32 and quantised weights is as precise as f32."""
    data = bytes_of_weights()
    zero_point, scale = data[:1], np.linspace(0.01, 0.03, OUTPUTS, dtype=np.float32).reshape(1, OUTPUTS)
    weights = dequantized(opset.constant(data), opset.convert(opset.constant(zero_point), "f32"), scale)
    return product_is_wrong(weights, (data - zero_point.astype(float)) * scale)


@experiment
def partial_rounding_groups():
    """The number of inputs need not be a multiple of 32."""
    return is_wrong_when_rounded(X[:, :80], np.linspace(0.01, 0.03, OUTPUTS, dtype=np.float32).reshape(1, OUTPUTS))


@experiment
def single_scale_rounding():
    """There may be one scale for all weights."""
    return is_wrong_when_rounded(X, np.float32(0.02))


@experiment(may_crash=True)
def gathered_blocks():
    """Rows of a table with a scale for each block of rows and each column."""
    data, scale = bytes_of_weights().astype(np.int8), np.linspace(0.01, 0.03, 4 * OUTPUTS, dtype=np.float32).reshape(4, 1, OUTPUTS)
    blocks = data.reshape(4, INPUTS // 4, OUTPUTS)
    scaled = opset.multiply(opset.convert(opset.constant(blocks), "f32"), opset.constant(scale))
    table = opset.reshape(scaled, opset.constant(np.array([INPUTS, OUTPUTS])), False)
    rows = opset.parameter([-1], np.int64)
    gathered = opset.gather(table, rows, opset.constant(np.int64(0)))
    given = results([rows], gathered, (np.array([1, 70]),))[0]
    expected = (blocks * scale).reshape(INPUTS, OUTPUTS)[[1, 70]]
    return given.shape != expected.shape or not np.allclose(given, expected)


@experiment(may_crash=True)
def misread_weight_scales():
    """Weights may have a scale for each input instead of for each output."""
    data = bytes_of_weights()
    scale = np.linspace(0.01, 0.03, INPUTS, dtype=np.float32).reshape(INPUTS, 1)
    # With zero points of f32 there is no dynamic quantisation.
    weights = dequantized(opset.constant(data), opset.constant(np.full((INPUTS, 1), 3, np.float32)), scale)
    return product_is_wrong(weights, (data - 3.0) * scale)


@experiment
def signed_4_bit_zero_points():
    """Zero points of i4 can be negative."""
    data = np.arange(INPUTS * OUTPUTS).reshape(INPUTS, OUTPUTS) % 15 - 7
    zero_point = np.arange(OUTPUTS).reshape(1, OUTPUTS) % 16 - 8
    scale = np.full((1, OUTPUTS), 0.25)
    weights = dequantized(packed(data), opset.convert(packed(zero_point), "f32"), scale)
    return product_is_wrong(weights, (data - zero_point) * scale)


@experiment
def saturated_products():
    """Products of u8 and i8 do not saturate in 16 bits: 2 * 255 * 127 is larger."""
    x = opset.parameter([1, 16, 8, 8], np.float32)
    limits = [opset.constant(np.float32(value)) for value in (0, 255, 0, 255)]
    rounded = opset.fake_quantize(x, *limits, 256)
    filters = opset.multiply(opset.convert(opset.constant(np.full((4, 16, 3, 3), 127, np.int8)), "f32"), opset.constant(np.float32(1 / 128)))
    product = opset.convolution(rounded, filters, [1, 1], [0, 0], [0, 0], [1, 1])
    found = results([x], product, (np.full((1, 16, 8, 8), 255, np.float32),))[0]
    return not np.allclose(found, 16 * 9 * 255 * 127 / 128, rtol=1e-3)


@experiment
def halved_filters():
    """Sums of odd and even multiples of signed integers, rounded."""
    x = opset.parameter([1, 4, 3, 3], np.int8)
    scaled = opset.multiply(opset.convert(x, "f32"), opset.constant(np.float32(0.25)))
    filters = opset.multiply(opset.convert(opset.constant(np.full((4, 4, 3, 3), 3, np.int8)), "f32"), opset.constant(np.float32(0.25)))
    limits = [opset.constant(np.float32(value)) for value in (-8, 7.9375, -8, 7.9375)]
    rounded = opset.fake_quantize(opset.convolution(scaled, filters, [1, 1], [0, 0], [0, 0], [1, 1]), *limits, 256)
    values = np.arange(36).reshape(1, 4, 3, 3) % 3 - 1
    values[0, 0, 0, 0] += 3
    found = results([x], rounded, (values.astype(np.int8),))[0]
    return not np.allclose(found, values.sum() * 3 / 16)


def packed(values):
    return four_bit_constant(values.reshape(-1).tolist(), values.shape)


@experiment
def reassociated_zero_point():
    """(x - z) * s is 0 if x is z."""
    x = opset.parameter([16], np.uint8)
    centred = opset.subtract(opset.convert(x, "f32"), opset.constant(np.float32(190)))
    scaled = opset.multiply(centred, opset.constant(np.float32(0.0173)))
    return bool(results([x], scaled, (np.full(16, 190, np.uint8),))[0].any())


@experiment
def quantized_transposed_filters():
    """Filters of a ConvolutionBackpropData of quantised numbers may have a zero point."""
    random = np.random.default_rng(3)
    data, scale, step = random.integers(0, 256, (4, 8, 2, 2)).astype(np.uint8), np.float32(0.01), np.float32(0.02)
    values = (random.integers(0, 256, (1, 4, 5, 6)) * step).astype(np.float32)
    x = opset.parameter([-1, 4, -1, -1], np.float32)
    rounded = opset.fake_quantize(x, *(opset.constant(np.float32(bound)) for bound in (0, 255 * step, 0, 255 * step)), 256)
    filters = dequantized(opset.constant(data), opset.constant(np.float32(128)), scale)
    y = opset.convolution_backprop_data(rounded, filters, [2, 2], None, [0, 0], [0, 0])
    whole = np.einsum("nihw,ioab->nohawb", values, (data.astype(np.float32) - 128) * scale)
    expected = whole.reshape(1, 8, 10, 12)
    return not np.allclose(results([x], y, (values,))[0], expected, atol=0.02 * np.abs(expected).max())


@experiment
def constant_times_weights():
    """The product of a constant and transposed weights of 8 bits, plus an input."""
    factor = np.arange(-64, 64).reshape(2, 64).astype(np.float32)
    data = np.random.default_rng(1).integers(-8, 8, (OUTPUTS, 64)).astype(np.int8)
    scale = (2.0 ** np.arange(-4, OUTPUTS - 4) % 4 + 1).astype(np.float32).reshape(OUTPUTS, 1)
    weights = opset.multiply(opset.convert(opset.constant(data), "f32"), opset.constant(scale))
    x, zeros = opset.parameter([-1, OUTPUTS], np.float32), np.zeros((2, OUTPUTS), np.float32)
    total = opset.add(opset.matmul(opset.constant(factor), weights, False, True), x)
    return fails(results, [x], total, (zeros,)) or not np.allclose(results([x], total, (zeros,))[0], factor @ (data * scale).T, atol=1)


def pointwise(value, filters):
    """The convolution of single pixels."""
    return opset.convolution(value, filters, [1, 1], [0, 0], [0, 0], [1, 1])


@experiment
def transposed_pointwise_filters():
    """A convolution of transposed images, which have four rows and columns, and its result with transposed images."""
    values, integers_ = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4), np.array([[1, -2], [3, 4]], np.int8)
    x, order = parameter([1, 2, 4, 4]), opset.constant(np.array([0, 1, 3, 2]))
    filters = opset.multiply(opset.convert(opset.constant(integers_.reshape(2, 2, 1, 1)), "f32"), opset.constant(np.full([2, 1, 1, 1], 0.5, np.float32)))
    right = np.einsum("nchw,oc->nowh", values, integers_ / 2)
    after, before = opset.transpose(pointwise(x, filters), order), pointwise(opset.transpose(x, order), filters)
    return not all(np.array_equal(results([x], found, [values])[0], right) for found in (after, before))


@experiment
def scaled_pointwise_filters():
    """A convolution of twice the image with filters of 4 bits that have a zero point for each of them."""
    x = parameter([1, 2, 4, 4])
    integers_, zero_points = four_bit_constant([1, 2, 3, 4], [2, 2, 1, 1], "u4"), four_bit_constant([8, 8], [2, 1, 1, 1], "u4")
    centred = opset.subtract(opset.convert(integers_, "f32"), opset.convert(zero_points, "f32"))
    filters = opset.multiply(centred, opset.constant(np.full([2, 1, 1, 1], 0.5, np.float32)))
    doubled = opset.multiply(x, opset.constant(np.float32(2)))
    return fails(results, [x], pointwise(doubled, filters), [np.ones((1, 2, 4, 4), np.float32)])
