"""Templates of elementwise arithmetic, activations and normalisations."""

import numpy as np

from .steps import any_reduce, between, broadcast_shape, dtype, shape, start, with_constant
from .template import template


def data(g, low=2, high=4, integers=False, **bounds):
    return start(g, shape(g, low, high), dtype(g, integers), **bounds)


@template("LinOpSequenceFusion", "MultiplyMultiplyFusion", "AddMultiplyFusion", "FuseMultiplyAndAdd", "ConvertDivideWithConstant", "ConvertSubtractWithConstant")
def linear_chain(g):
    x = data(g, 1, 4, integers=True)
    for _ in range(g.choices.integer(2, 5)):
        x = with_constant(g, x, ("Add", "Mul", "Sub", "Div") if x.is_float else ("Add", "Mul", "Sub"), grow=True)
        x = between(g, x, exact=True) if g.choices.one_in(3) else x
        if g.choices.one_in(5):
            g.outputs.append(x)
    return [x]


@template("LinOpSequenceFusion", "ConvertNegative", "SubtractFusion")
def huge_constants(g):
    x = data(g)
    far = g.constant(np.full(broadcast_shape(g, x.shape), g.choices.pick([1e4, 3e4, 512.0]), x.dtype))
    y = g.binary(g.choices.pick(["Sub", "Add"]), *g.choices.shuffled([x, far]))
    y = g.binary(g.choices.pick(["Mul", "Sub", "Add"]), y, g.choices.pick([far, g.like(x, 1), g.factors((), x.dtype)]))
    return [with_constant(g, y)]


@template("SubtractFusion", "ConvertNegative", "ConvertSubtract")
def negative_sum(g):
    x, y = data(g, integers=True), None
    y = start(g, x.shape, x.dtype)
    negative = g.unary("Neg", x) if g.choices.one_in(2) else g.swapped("Mul", x, g.like(x, -1))
    if g.choices.one_in(3):
        g.outputs.append(between(g, negative))
    return [g.swapped("Add", y, negative)]


@template("DivideFusion", "ConvertDivide")
def reciprocal_product(g):
    x = data(g)
    y = start(g, x.shape, x.dtype, low=0)
    y = g.swapped("Add", g.unary("Abs", y), g.like(y, 0.5))
    power = g.binary("Pow", y, g.like(y, -1)) if g.choices.one_in(2) else g.unary("Reciprocal", y)
    return [g.swapped("Mul", x, power)]


@template("ClampFusion", "FuseClampAndFakeQuantize")
def clamps(g):
    x = data(g, integers=True)
    for _ in range(g.choices.integer(2, 3)):
        bound = g.constant(np.full(broadcast_shape(g, x.shape), g.choices.pick([0, 1, -2, 2]), x.dtype))
        x = g.choices.pick([lambda: g.swapped("Max", x, bound), lambda: g.swapped("Min", x, bound), lambda: g.clip(x, *g.choices.pick([(-1, 1), (0, None), (None, 2)]))])()
    return [x]


@template("PReluFusion", "LeakyReluFusion", "ConvertToLeakyRelu", "ReshapePRelu")
def prelu(g):
    x = data(g)
    if g.choices.one_in(2):
        slope = g.weights(broadcast_shape(g, x.shape), x.dtype)
        return [between(g, g.op("PRelu", [x, slope], x.shape))]
    if g.choices.one_in(2):
        return [g.binary("Max", x, g.swapped("Mul", x, g.like(x, g.choices.pick([0.25, 2, -0.5]))))]
    positive, negative = g.unary("Relu", x), g.unary("Relu", g.unary("Neg", x))
    scaled = g.swapped("Mul", negative, g.weights(broadcast_shape(g, x.shape), x.dtype))
    return [g.binary(g.choices.pick(["Sub", "Add"]), positive, scaled)]


@template("GeluFusionWithErf", "GeluFusionWithTanh", "GeluFusion")
def gelu(g):
    x = data(g)
    if g.choices.one_in(2):
        inner = g.binary("Div", x, g.like(x, 2**0.5)) if g.choices.one_in(2) else g.swapped("Mul", x, g.like(x, 0.5**0.5))
        one = g.swapped("Add", g.unary("Erf", inner), g.like(x, g.choices.pick([1, 1, 1, 2])))
    else:
        cube = g.binary("Pow", x, g.like(x, 3)) if g.choices.one_in(2) else g.binary("Mul", g.binary("Mul", x, x), x)
        total = g.swapped("Add", x, g.swapped("Mul", cube, g.like(x, 0.044715)))
        one = g.swapped("Add", g.unary("Tanh", g.swapped("Mul", total, g.like(x, 0.7978845608))), g.like(x, 1))
    if g.choices.one_in(2):
        return [g.swapped("Mul", g.swapped("Mul", x, one), g.like(x, 0.5))]
    return [g.swapped("Mul", g.swapped("Mul", x, g.like(x, 0.5)), one)]


@template("SwishFusion", "HSwishFusion", "HSigmoidFusion", "SoftPlusFusion", "SoftPlusToMishFusion")
def activations(g):
    x = data(g)
    way = g.choices.integer(0, 5)
    if way == 0:
        inner = g.swapped("Mul", x, g.like(x, g.choices.pick([1.5, -1, 1]))) if g.choices.one_in(2) else x
        return [g.swapped("Mul", x, g.unary("Sigmoid", inner))]
    if way == 1:
        exp = g.swapped("Add", g.unary("Exp", g.unary("Neg", x)), g.like(x, 1))
        return [g.binary("Div", x, exp)]
    if way == 2:
        six = g.clip(g.swapped("Add", x, g.like(x, 3)), 0, g.choices.pick([6, 6, 5]))
        scaled = g.binary("Div", six, g.like(x, 6)) if g.choices.one_in(2) else g.swapped("Mul", six, g.like(x, 1 / 6))
        return [g.swapped("Mul", x, scaled) if g.choices.one_in(2) else scaled]
    if way == 3:
        return [g.unary("Log", g.swapped("Add", g.unary("Exp", x), g.like(x, 1)))]
    if way == 4:
        return [g.swapped("Mul", x, g.unary("Tanh", g.unary("Softplus", x)))]
    return [g.swapped("Mul", x, g.unary("HardSigmoid", x, alpha=1 / 6, beta=0.5))]


@template("SoftmaxFusion", "LogSoftmaxDecomposition", "SoftmaxDecomposition")
def softmax(g):
    x = data(g)
    axis = g.choices.integer(-x.rank, x.rank - 1)
    if g.choices.one_in(3):
        return [g.op("LogSoftmax", [x], x.shape, axis=axis)]
    if g.choices.one_in(2):
        x = g.binary("Sub", x, g.reduce("ReduceMax", x, [axis]))
    exp = g.unary("Exp", x)
    other = g.choices.integer(-x.rank, x.rank - 1) if g.choices.one_in(4) else axis
    return [g.binary("Div", exp, g.reduce("ReduceSum", exp, [other]))]


@template("NormalizeL2Fusion", "RMSFusion", "FuseNormalizeL2AndSimpleOperation")
def l2_normalization(g):
    x = data(g)
    axes = sorted(g.choices.shuffled(range(x.rank))[: g.choices.integer(1, min(2, x.rank))])
    kind = g.choices.pick(["ReduceL2", "ReduceSum", "ReduceMean"])
    if kind == "ReduceL2":
        root = g.swapped("Add", g.reduce(kind, x, axes), g.like(x, 0.5))
    else:
        square = g.binary("Mul", x, x) if g.choices.one_in(2) else g.binary("Pow", x, g.like(x, 2))
        total = g.reduce(kind, square, axes)
        root = g.unary("Sqrt", g.swapped(g.choices.pick(["Add", "Max"]), total, g.like(x, 0.25)))
    y = g.binary("Div", x, root)
    return [with_constant(g, y) if g.choices.one_in(2) else y]


@template("MVNFusion", "MVN6Decomposition", "FuseMVNAndSimpleOperation")
def layer_normalization(g):
    x = data(g)
    axes = list(range(g.choices.integer(1, x.rank - 1), x.rank)) if g.choices.one_in(2) else [x.rank - 1]
    centred = g.binary("Sub", x, g.reduce("ReduceMean", x, axes))
    if g.choices.one_in(4):
        g.outputs.append(centred)
    square = g.binary("Mul", centred, centred) if g.choices.one_in(2) else g.binary("Pow", centred, g.like(x, 2))
    variance = g.reduce("ReduceMean", square, axes)
    if g.choices.one_in(3):
        y = g.binary("Div", centred, g.swapped("Add", g.unary("Sqrt", variance), g.like(x, 0.5)))
    else:
        y = g.binary("Div", centred, g.unary("Sqrt", g.swapped("Add", variance, g.like(x, 0.25))))
    for _ in range(g.choices.integer(0, 2)):
        y = with_constant(g, y)
    return [y]


@template("MVNFusion", "FuseMVNAndSimpleOperation", "LayerNormalization", "InstanceNormalization")
def normalization_operators(g):
    way = g.choices.integer(0, 2)
    if way == 0:
        x = data(g)
        axis = g.choices.integer(1, x.rank - 1)
        y = g.op("LayerNormalization", [x, g.weights(x.shape[axis:], x.dtype), g.weights(x.shape[axis:], x.dtype)], x.shape, axis=axis, epsilon=0.25)
        return [between(g, y)]
    x = start(g, shape(g, 3, 4))
    parameters = [g.weights(x.shape[1:2]) for _ in range(2)]
    if way == 1:
        y = g.op("InstanceNormalization", [x, *parameters], x.shape, epsilon=0.25)
    else:
        y = g.op("BatchNormalization", [x, *parameters, g.weights(x.shape[1:2]), g.weights(x.shape[1:2], low=0)], x.shape, epsilon=0.25)
    return [with_constant(g, y)]


@template("GlobalResponseNormalization", "NormalizeL2Fusion")
def global_response_normalization(g):
    """As in ConvNeXt V2; the data is channels last."""
    x = start(g, (g.choices.integer(1, 2), *shape(g, 3, 3)))
    norm = g.reduce("ReduceL2", x, [1, 2])
    mean = g.swapped("Add", g.reduce("ReduceMean", norm, [-1]), g.like(x, 0.25))
    scaled = g.swapped("Mul", x, g.binary("Div", norm, mean))
    y = g.swapped("Add", g.swapped("Mul", scaled, g.weights((1, 1, 1, x.shape[-1]))), g.weights((1, 1, 1, x.shape[-1])))
    return [g.swapped("Add", x, y)]


@template("ConvertMinimum", "ConvertMod", "DecomposeIntegerDivide", "ConvertToPowerStatic")
def integer_arithmetic(g):
    x = start(g, shape(g, 1, 4), g.choices.pick(["int64", "int32", "float32"]))
    divisor = g.constant(np.full(broadcast_shape(g, x.shape), g.choices.pick([2, 3, -2, 4]), x.dtype))
    way = g.choices.integer(0, 3)
    if way == 0:
        y = g.binary("Mod", x, divisor, fmod=1 if x.is_float else g.choices.integer(0, 1))
    elif way == 1:
        y = g.binary("Mul", g.binary("Div", x, divisor), divisor)
    elif way == 2:
        y = g.binary("Sub", x, g.binary("Mul", g.binary("Div", x, divisor), divisor))
    else:
        y = g.binary("Pow", x, g.like(x, g.choices.pick([2, 3, 1, 0])))
    return [with_constant(g, y, ("Add", "Mul", "Sub", "Max"))]


@template("SelectWithOneValueCondition", "SimplifySelectBroadcast", "ConvertBitwiseToLogical")
def selects(g):
    x = data(g, integers=True)
    other = g.choices.pick([lambda: start(g, x.shape, x.dtype), lambda: g.weights(broadcast_shape(g, x.shape, True), x.dtype)])()
    way = g.choices.integer(0, 3)
    if way == 0:
        condition = g.constant(np.full(broadcast_shape(g, x.shape, True), g.choices.one_in(2)))
    elif way == 1:
        condition = g.constant(g.numbers(broadcast_shape(g, x.shape), "bool"))
    else:
        condition = g.binary(g.choices.pick(["Greater", "Less", "Equal", "LessOrEqual"]), x, g.weights(broadcast_shape(g, x.shape), x.dtype))
        if way == 3:
            condition = g.unary("Not", condition)
    return [g.where(condition, x, other) if g.choices.one_in(2) else g.where(condition, other, x)]


@template("RemoveSameConvert", "EliminateConvert", "EliminateConvertNonZero", "SwapConvertTranspose", "MergeConvertAndScaleShift", "MoveConvertThroughVariadicSplit")
def casts(g):
    x = data(g, integers=True)
    for _ in range(g.choices.integer(2, 4)):
        kind = g.choices.pick(["float32", "int32", "int64", "float16", "bool", "uint8"])
        if kind == "uint8" and x.dtype != "bool":
            x = g.unary("Abs", x)  # the conversion of negative floats is not defined
        x = g.cast(x, kind)
        if x.dtype in ("bool", "uint8"):
            x = g.cast(x, g.choices.pick(["float32", "int32"]))
        if g.choices.one_in(3):
            x = g.transpose(x, g.choices.shuffled(range(x.rank)))
        if g.choices.one_in(4):
            x = with_constant(g, x, ("Add", "Mul"))
    return [x]


@template("CollapseSubgraph", "FuseEltwiseAndSimple", "SnippetsTokenization")
def elementwise_tree(g):
    """Several operations with several readers, broadcast against each other."""
    x = data(g)
    values = [x, start(g, x.shape, x.dtype), start(g, tuple(size if g.choices.one_in(2) else 1 for size in x.shape), x.dtype)]
    for _ in range(g.choices.integer(3, 6)):
        a, b = g.choices.pick(values[-3:]), g.choices.pick(values)
        y = g.binary(g.choices.pick(["Add", "Mul", "Sub", "Max", "Min"]), a, b) if g.choices.one_in(2) else with_constant(g, a)
        values.append(between(g, y))
    if g.choices.one_in(3):
        g.outputs.append(g.choices.pick(values[3:]))
    return [values[-1]]


@template("FuseReduceAndSimpleOperation", "ConvertReduceToPooling", "FuseEltwiseAndSimple")
def reduce_and_constants(g):
    x = any_reduce(g, data(g, 2, 5, integers=True))
    for _ in range(g.choices.integer(1, 3)):
        x = with_constant(g, x, grow=True)
    return [x]
