"""Templates of quantised values: QuantizeLinear and DequantizeLinear around other operations."""

import numpy as np

from .steps import any_reshape, any_slice, any_transpose, any_unary, between, shape, start, with_constant
from .template import template


def parameters(g, x, kind=None, axis=None, positive=False):
    """Scale and zero point of a value, per tensor or along an axis."""
    kind = kind or g.choices.pick(["int8", "uint8"])
    form = () if axis is None else (x.shape[axis],)
    scale = g.constant(np.full(form, g.choices.pick([0.25, 0.5, 0.125]), np.float32) if not form else (np.arange(form[0]) % 3 + 1).astype(np.float32) / 8)
    zero = np.full(form, 128 if kind == "uint8" and not positive else 0, kind)
    if g.choices.one_in(4) and kind == "uint8":
        zero = (zero * 0 + 3).astype(kind)
    return scale, g.constant(zero)


def rounded(g, x, axis=None, kind=None):
    """QuantizeLinear and DequantizeLinear in a row."""
    scale, zero = parameters(g, x, kind, axis)
    q = g.quantize(x, scale, zero, axis or 0)
    return g.dequantize(q, scale, zero, axis or 0)


def quantized_weights(g, shape, axis):
    scale = g.constant((np.arange(shape[axis]) % 3 + 1).astype(np.float32) / 8) if g.choices.one_in(2) else g.constant(np.float32(0.25))
    w = g.constant(g.numbers(shape, "int8", -7, 7))
    zero = g.constant(np.zeros(scale.shape, np.int8))
    return g.op("DequantizeLinear", [w, scale, zero], shape, "float32", axis=axis)


@template("ConvertQuantizeDequantize", "FakeQuantizeDecomposition", "FuseConvert", "FoldConvert", "WeightsDequantizeToFakeQuantize")
def round_trip(g):
    x = start(g, shape(g, 2, 4))
    x = between(g, x, exact=True)
    axis = g.choices.integer(0, x.rank - 1) if g.choices.one_in(2) else None
    y = rounded(g, x, axis)
    for _ in range(g.choices.integer(0, 2)):
        y = with_constant(g, y)
    return [y]


@template("AddFakeQuantizeFusion", "MulFakeQuantizeFusion", "ReluFakeQuantizeFusion", "FuseClampAndFakeQuantize", "FusePerformedAsScaleShiftAndFakeQuantize")
def arithmetic_before(g):
    x = start(g, shape(g, 2, 4))
    if x.rank == 4 and g.choices.one_in(2):
        x = g.pool(g.choices.pick(["MaxPool", "AveragePool"]), x, [1, 1]) if g.choices.one_in(2) else between(g, x, exact=True)
    for _ in range(g.choices.integer(1, 3)):
        x = g.choices.pick([lambda: with_constant(g, x, ("Add", "Mul", "Sub")), lambda: g.unary("Relu", x), lambda: g.clip(x, g.choices.pick([0, -1]), g.choices.pick([2, 1]))])()
    return [rounded(g, x, g.choices.integer(0, x.rank - 1) if g.choices.one_in(3) else None)]


@template("FakeQuantizeMulFusion", "FakeQuantizeReshapeFusion", "PullTransposeThroughFQUp", "FuseMultiplyToFakeQuantize", "FuseSubtractToFakeQuantize")
def movement_after(g):
    x = start(g, shape(g, 3, 4))
    axis = g.choices.integer(0, x.rank - 1) if g.choices.one_in(2) else None
    y = rounded(g, x, axis)
    y = g.choices.pick([any_transpose, any_reshape, any_slice, with_constant])(g, y)
    return [y, with_constant(g, y)] if g.choices.one_in(2) else [rounded(g, y)]


@template("ConvolutionTransformation", "FuseConvolutionAndZeroPoints", "FuseConvMatmulFCDeconvAndDQScales", "GroupConvolutionTransformation", "MultiplyToGroupConvolution")
def quantized_conv(g):
    x = start(g, (1, g.choices.pick([2, 4, 3]), g.choices.integer(3, 5), g.choices.integer(3, 5)))
    y = rounded(g, x)
    group = x.shape[1] if g.choices.one_in(4) else 1
    w = quantized_weights(g, (x.shape[1] * g.choices.pick([1, 2]), x.shape[1] // group, *g.choices.pick([(1, 1), (3, 3), (2, 1)])), 0)
    pads = [g.choices.pick([0, 1]) for _ in range(4)]
    y = g.conv(y, w, g.weights((w.shape[0],)) if g.choices.one_in(2) else None, [g.choices.pick([1, 2])] * 2, pads, group=group)
    y = between(g, y, exact=True)
    return [rounded(g, y) if g.choices.one_in(2) else with_constant(g, y)]


@template("MatMulTransformation", "FuseConvMatmulFCDeconvAndDQScales", "FullyConnectedCompressed")
def quantized_product(g):
    x = start(g, shape(g, 2, 3))
    y = rounded(g, x)
    if g.choices.one_in(2):
        w = quantized_weights(g, (x.shape[-1], g.choices.pick([3, 4, 1])), 1)
    else:
        w = rounded(g, start(g, (x.shape[-1], 3)))
    y = g.matmul(y, w)
    y = with_constant(g, y, ("Add",)) if g.choices.one_in(2) else y
    return [rounded(g, y) if g.choices.one_in(2) else between(g, y)]


@template("AddTransformation", "MultiplyPartialTransformation", "EltwiseBaseTransformation", "SubtractTransformation")
def quantized_sum(g):
    x = start(g, shape(g, 2, 4))
    a, b = rounded(g, x), rounded(g, start(g, x.shape) if g.choices.one_in(2) else x)
    y = g.binary(g.choices.pick(["Add", "Mul", "Sub", "Max"]), a, b)
    return [rounded(g, between(g, y, exact=True))]


@template("FuseConvert", "FakeQuantizeDecomposition", "ConvertPrecision", "EliminateConvert", "ConvertConvertElimination")
def conversions(g):
    x = start(g, shape(g, 1, 4))
    y = rounded(g, x) if g.choices.one_in(2) else x
    y = between(g, y, exact=True)
    y = g.cast(y, g.choices.pick(["int8", "int32", "int64"])) if g.choices.one_in(2) else g.cast(g.unary("Abs", y), "uint8")
    for _ in range(g.choices.integer(0, 2)):
        y = g.choices.pick([any_transpose, any_reshape, lambda g, y: g.swapped("Mul", y, g.like(y, 2)), lambda g, y: g.swapped("Add", y, g.like(y, 1)), lambda g, y: y if y.dtype == "uint8" else g.unary("Neg", y)])(g, y)
    if g.choices.one_in(2):
        return [y]
    y = g.cast(y, "float32")
    return [rounded(g, between(g, y, exact=True)) if g.choices.one_in(2) else with_constant(g, y)]


@template("ConcatTransformation", "SplitTransformation", "VariadicSplitTransformation", "AlignQuantizationIntervals", "HorizontalQDQFusion")
def quantized_parts(g):
    x = start(g, shape(g, 2, 4))
    axis = g.choices.integer(0, x.rank - 1)
    if g.choices.one_in(2):
        y = g.concat([rounded(g, x), rounded(g, start(g, x.shape))], axis)
        return [rounded(g, y) if g.choices.one_in(2) else with_constant(g, y)]
    y = rounded(g, x)
    if x.shape[axis] < 2:
        return [y]
    parts = g.split(y, [1, x.shape[axis] - 1], axis)
    return [rounded(g, parts[0]), with_constant(g, parts[1])]


@template(
    "ReshapeTransformation", "TransposeTransformation", "StridedSliceTransformation", "PadTransformation", "MaxPoolTransformation", "AvgPoolTransformation",
    "ReluTransformation", "ClampTransformation", "ReduceMeanTransformation", "SqueezeTransformation", "InterpolateTransformation", "GatherTransformation", "PReluTransformation",
)  # fmt: skip
def quantized_movement(g):
    x = start(g, (1, g.choices.integer(1, 3), g.choices.integer(2, 4), g.choices.integer(2, 4)))
    y = rounded(g, x, g.choices.pick([None, None, 1]))
    way = g.choices.integer(0, 8)
    if way == 0:
        y = any_reshape(g, y)
    elif way == 1:
        y = any_transpose(g, y)
    elif way == 2:
        y = any_slice(g, y)
    elif way == 3:
        y = g.pad(y, [0, 0, 1, 0], [0, 0, 1, 1], value=g.choices.pick([None, 1]))
    elif way == 4:
        y = g.pool(g.choices.pick(["MaxPool", "AveragePool"]), y, [2, 2])
    elif way == 5:
        y = g.choices.pick([lambda: g.unary("Relu", y), lambda: g.clip(y, -1, 1), lambda: g.op("PRelu", [y, g.weights((y.shape[1], 1, 1))], y.shape)])()
    elif way == 6:
        y = g.reduce(g.choices.pick(["ReduceMean", "ReduceMax", "ReduceSum", "ReduceMin"]), y, g.choices.pick([[2, 3], [1], [3]]), g.choices.integer(0, 1))
    elif way == 7:
        y = g.gather(y, g.choices.pick([[0], 0]), g.choices.integer(1, 3))
    else:
        y = any_unary(g, y)
    return [rounded(g, y) if g.choices.one_in(2) and y.rank else between(g, y)]


@template("DynamicQuantizeLinear", "ConvertMatMulInteger", "MatMulWithDequantization")
def integer_product(g):
    x = start(g, shape(g, 2, 3))
    scale, zero = parameters(g, x, "uint8")
    q = g.quantize(x, scale, zero, 0)
    w = g.constant(g.numbers((x.shape[-1], 3), "int8", -7, 7))
    y = g.op("MatMulInteger", [q, w, zero, g.constant(np.int8(g.choices.pick([0, 1])))], x.shape[:-1] + (3,), "int32")
    y = g.cast(y, "float32")
    return [with_constant(g, y, ("Mul", "Add"))]
