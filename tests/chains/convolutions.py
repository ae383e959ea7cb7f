"""Templates of convolutions and pools."""

import numpy as np

from .steps import any_unary, between, broadcast_shape, start, with_constant
from .template import template


def image(g, channels=None, spatial=None, least=4):
    spatial = spatial or g.choices.pick([2, 1, 2, 3])
    sizes = [g.choices.integer(least, least + 3) for _ in range(spatial)] if spatial < 3 else [least] * 3
    return start(g, (g.choices.pick([1, 1, 2]), channels or g.choices.pick([2, 1, 3, 4]), *sizes))


def any_conv(g, x, channels=None, group=1, kernel=None, bias=None, weights=None):
    spatial = x.rank - 2
    channels = channels or g.choices.pick([2, 1, 3, 4]) * group
    kernel = kernel if kernel is not None else [g.choices.pick([1, 3, 2]) for _ in range(spatial)]
    kernel = [min(size, room) for size, room in zip(kernel, x.shape[2:])]
    w = weights or g.weights((channels, x.shape[1] // group, *kernel))
    strides = [g.choices.pick([1, 1, 2]) for _ in range(spatial)]
    pads = [g.choices.pick([0, 1, 0, 2]) for _ in range(2 * spatial)] if g.choices.one_in(2) else [0] * 2 * spatial
    with_bias = g.choices.one_in(2) if bias is None else bias
    return g.conv(x, w, g.weights((w.shape[0],)) if with_bias else None, strides, pads, None, group)


def per_channel(g, x, kind=None, channel=1):
    """Arithmetic with a constant per channel, or of another shape."""
    kind = kind or g.choices.pick(["Mul", "Add", "Sub", "Div"])
    form = (1,) * channel + (x.shape[channel],) + (1,) * (x.rank - channel - 1)
    form = form[channel:] if g.choices.one_in(3) else form
    form = broadcast_shape(g, x.shape) if g.choices.one_in(4) else form
    number = g.factors(form) if kind in ("Mul", "Div") else g.weights(form)
    return g.binary(kind, x, number) if kind in ("Sub", "Div") else g.swapped(kind, x, number)


@template("ConvolutionMultiplyFusion", "FuseConvolutionMatMulDeconvAndBias", "FuseConvolutionAndSimpleOperation", "LinOpSequenceFusion")
def conv_and_constants(g):
    y = any_conv(g, image(g))
    for _ in range(g.choices.integer(1, 3)):
        y = per_channel(g, y)
        if g.choices.one_in(4):
            g.outputs.append(y)
    return [between(g, y)]


@template("MultiplyConvolutionFusion", "MultiplyGroupConvolutionFusion")
def constants_and_conv(g):
    x = image(g)
    for _ in range(g.choices.integer(1, 2)):
        x = per_channel(g, x)
    group = x.shape[1] if g.choices.one_in(3) else 1
    y = any_conv(g, x, group=group)
    if g.choices.one_in(3):
        return [y, any_conv(g, x)]
    return [y]


@template("GroupConvolutionMultiplyFusion", "FuseConvolutionAndDWConvolution", "ConvertGroupConv")
def group_conv(g):
    x = image(g, channels=4)
    group = g.choices.pick([4, 2])
    y = any_conv(g, x, group=group)
    return [per_channel(g, y)]


@template("ConvolutionMultiplyFusion", "SharedOpOptimization", "GroupConvolutionMultiplyFusion")
def shared_filters(g):
    """Two convolutions with the same filters, with different factors."""
    x = image(g)
    group = x.shape[1] if g.choices.one_in(3) else 1
    w = g.weights((x.shape[1], x.shape[1] // group, *[1 + (size > 2) for size in x.shape[2:]]))
    if g.choices.one_in(3):
        w = g.choices.pick([lambda: g.input(w.shape), lambda: g.reshape(g.input((w.shape[0], int(np.prod(w.shape[1:])))), w.shape), lambda: g.binary("Mul", w, g.factors((w.shape[0],) + (1,) * (x.rank - 1)))])()
    first = g.conv(x, w, group=group)
    second = g.conv(between(g, x) if g.choices.one_in(2) else start(g, x.shape), w, group=group)
    return [per_channel(g, first), per_channel(g, second) if g.choices.one_in(2) else second]


@template("ConvolutionToGroupConvolutionFusion")
def split_convs(g):
    x = image(g, channels=4)
    parts = g.split(x, [2, 2], 1) if not g.choices.one_in(4) else g.split(x, [1, 3], 1)
    kernel = [g.choices.pick([1, 2]) for _ in range(x.rank - 2)]
    shared = g.choices.one_in(4)
    w = None
    results = []
    strides = [g.choices.pick([1, 2]) for _ in range(x.rank - 2)]
    pads = [g.choices.pick([0, 1]) for _ in range(2 * (x.rank - 2))]
    for part in parts:
        if w is None or not shared or w.shape[1] != part.shape[1]:
            w = g.weights((g.choices.pick([2, 2, 1]), part.shape[1], *kernel))
        results.append(g.conv(part, w, g.weights((w.shape[0],)) if g.choices.one_in(3) else None, strides, pads))
    return [g.concat(results, 1)]


@template("StridesOptimization")
def strided_points(g):
    """Convolutions with kernels of size 1 and strides after elementwise arithmetic."""
    x = image(g)
    y = any_conv(g, x, kernel=[g.choices.pick([1, 3])] * (x.rank - 2), bias=False) if g.choices.one_in(2) else x
    values = [y]
    for _ in range(g.choices.integer(1, 3)):
        values.append(g.choices.pick([any_unary, with_constant, lambda g, v: g.binary("Add", v, values[0])])(g, values[-1]))
    outputs = [any_conv(g, values[-1], kernel=[1] * (x.rank - 2)) for _ in range(g.choices.integer(1, 2))]
    if g.choices.one_in(3):
        outputs.append(any_conv(g, g.choices.pick(values), kernel=[1] * (x.rank - 2)))
    return outputs


@template("PadFusion", "EliminatePad")
def pad_and_window(g):
    x = image(g)
    spatial = x.rank - 2
    begins, ends = [[0, 0] + [g.choices.pick([0, 1, 2, -1]) for _ in range(spatial)] for _ in range(2)]
    if g.choices.one_in(6):
        begins[1] = 1
    value = g.choices.pick([None, 0, 0, 1])
    mode = g.choices.pick(["constant"] * 3 + ["edge", "reflect"])
    if mode != "constant":
        value, begins, ends = None, [max(0, n) for n in begins], [max(0, n) for n in ends]
        begins[1] = 0
    y = g.pad(x, begins, ends, mode, value)
    way = g.choices.integer(0, 3)
    kernel = [2] * spatial
    if way == 0:
        return [any_conv(g, y, group=y.shape[1] if g.choices.one_in(3) else 1)]
    if way == 1:
        return [g.pool("AveragePool", y, kernel, None, [g.choices.integer(0, 1) for _ in range(2 * spatial)], count_include_pad=g.choices.integer(0, 1))]
    if way == 2:
        return [g.pool("MaxPool", y, kernel, None, [g.choices.integer(0, 1) for _ in range(2 * spatial)])]
    return [transposed_conv(g, y)]


def transposed_conv(g, x, group=1):
    spatial = x.rank - 2
    channels = g.choices.pick([2, 1])
    kernel = [g.choices.pick([2, 1, 3]) for _ in range(spatial)]
    w = g.weights((x.shape[1], channels, *kernel))
    strides = [g.choices.pick([1, 2]) for _ in range(spatial)]
    sizes = [(size - 1) * stride + k for size, stride, k in zip(x.shape[2:], strides, kernel)]
    return g.op("ConvTranspose", [x, w] + ([g.weights((channels * group,))] if g.choices.one_in(2) else []), (x.shape[0], channels * group, *sizes), strides=strides, group=group)


@template("ConvolutionBackpropDataMultiplyFusion", "GroupConvolutionBackpropDataMultiplyFusion", "MultiplyConvolutionBackpropDataFusion", "FuseDeconvolutionAndSimpleOperation")
def transposed_conv_and_constants(g):
    x = image(g, spatial=g.choices.pick([2, 1]))
    if g.choices.one_in(2):
        x = per_channel(g, x)
    y = transposed_conv(g, x, x.shape[1] if g.choices.one_in(3) else 1)
    for _ in range(g.choices.integer(0, 2)):
        y = per_channel(g, y)
    return [between(g, y)]


@template("FuseConvolutionSumAndConvolutionSumActivation", "FuseConvolutionAndSimpleOperation", "FuseConvolutionAndBias")
def conv_sum(g):
    """Residual connections: a sum of a convolution and another value."""
    x = image(g)
    kernel = [1] * (x.rank - 2)
    conv = g.conv(x, g.weights((x.shape[1], x.shape[1], *kernel)))
    other = g.choices.pick([lambda: x, lambda: start(g, x.shape), lambda: g.conv(x, g.weights((x.shape[1], x.shape[1], *kernel))), lambda: g.unary("Relu", conv), lambda: start(g, x.shape[:2] + (1,) * (x.rank - 2))])()
    conv = between(g, conv)
    y = any_unary(g, g.swapped(g.choices.pick(["Add", "Add", "Mul", "Max"]), conv, other))
    if g.choices.one_in(3):
        g.outputs.append(other)
    return [with_constant(g, y) if g.choices.one_in(2) else y]


@template("FuseConvolutionAndSimpleOperationThroughMaxPool", "FusePoolingAndFakeQuantize")
def conv_pool(g):
    y = any_conv(g, image(g))
    if min(y.shape[2:]) > 1:
        y = g.pool("MaxPool" if g.choices.one_in(2) else "AveragePool", y, [2] * (y.rank - 2))
    y = any_unary(g, y)
    return [per_channel(g, y)]


@template("FuseConvolutionAndDWConvolution")
def conv_depthwise(g):
    x = image(g, spatial=2)
    y = any_conv(g, x, channels=g.choices.pick([4, 8, 16]), kernel=[1, 1])
    y = between(g, y)
    channels = y.shape[1]
    w = g.weights((channels, 1, 3, 3))
    z = g.conv(y, w, g.weights((channels,)) if g.choices.one_in(2) else None, [g.choices.pick([1, 2])] * 2, [1] * 4, group=channels)
    return [between(g, z)]


@template("ReverseInputChannelsFusion")
def reversed_channels(g):
    x = image(g, channels=3)
    way = g.choices.integer(0, 2)
    if way == 0:
        y = g.gather(x, [2, 1, 0], 1)
    elif way == 1:
        y = g.concat(g.split(x, [1, 1, 1], 1)[::-1], 1)
    else:
        y = g.slice(x, [2], [-4], [1], [-1])
    for _ in range(g.choices.integer(0, 2)):
        y = per_channel(g, y) if g.choices.one_in(2) else any_unary(g, y)
    if g.choices.one_in(3):
        return [any_conv(g, y), per_channel(g, y)]
    return [any_conv(g, y, group=3 if g.choices.one_in(3) else 1)]


@template("AdaptivePoolToReduce", "ConvertReduceToPooling", "FuseReduceAndSimpleOperation")
def pools_and_reductions(g):
    x = image(g)
    axes = list(range(2, x.rank))
    way = g.choices.integer(0, 3)
    if way == 0:
        y = g.op("GlobalAveragePool", [x], x.shape[:2] + (1,) * len(axes))
    elif way == 1:
        y = g.reduce("ReduceMean", x, axes, g.choices.integer(0, 1))
    elif way == 2:
        y = g.reduce("ReduceMax", x, axes, 1)
    else:
        y = g.pool(g.choices.pick(["AveragePool", "MaxPool"]), x, x.shape[2:])
    if y.rank > 2 and g.choices.one_in(2):
        y = g.reshape(y, y.shape[:2])
    return [per_channel(g, y) if y.rank > 1 else y]


@template("FuseConvolutionAndSimpleOperation", "ConvNeXt", "StridesOptimization", "MVNFusion")
def channels_last_block(g):
    """A convolution, a Transpose to channels last, a normalisation or product, and back."""
    x = image(g, spatial=2)
    y = any_conv(g, x)
    y = g.transpose(y, [0, 2, 3, 1])
    if g.choices.one_in(2):
        y = g.op("LayerNormalization", [y, g.weights(y.shape[-1:]), g.weights(y.shape[-1:])], y.shape, axis=-1, epsilon=0.25)
    else:
        y = g.matmul(y, g.weights((y.shape[-1], g.choices.pick([2, 4]))))
    y = between(g, with_constant(g, y))
    y = g.transpose(y, [0, 3, 1, 2])
    if g.choices.one_in(2):
        y = any_conv(g, y, kernel=[1, 1])
    return [y]


@template("BatchNormDecomposition", "ConvolutionMultiplyFusion")
def conv_batch_norm(g):
    y = any_conv(g, image(g), group=1)
    c = y.shape[1:2]
    y = g.op("BatchNormalization", [y, g.weights(c), g.weights(c), g.weights(c), g.weights(c, low=0)], y.shape, epsilon=0.25)
    y = between(g, y)
    return [any_conv(g, y) if g.choices.one_in(2) else per_channel(g, y)]


@template("SpaceToBatchFusion", "BatchToSpaceFusion")
def space_to_batch(g):
    x = start(g, (1, g.choices.integer(1, 2), 4, 4))
    y = g.pad(x, [0] * 4, [0, 0, *g.choices.pick([(0, 0), (2, 0), (2, 2)])])
    y = g.transpose(y, [1, 0, 2, 3])
    y = g.op("SpaceToDepth", [y], (y.shape[0], y.shape[1] * 4, y.shape[2] // 2, y.shape[3] // 2), blocksize=2)
    y = between(g, g.transpose(y, [1, 0, 2, 3]))
    if g.choices.one_in(2):
        y = g.transpose(y, [1, 0, 2, 3])
        y = g.op("DepthToSpace", [y], (y.shape[0], y.shape[1] // 4, y.shape[2] * 2, y.shape[3] * 2), blocksize=2)
        y = g.transpose(y, [1, 0, 2, 3])
        y = g.slice(y, [0], [g.choices.integer(2, 4)], [2])
    return [y]


