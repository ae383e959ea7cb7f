"""Versions, attributes, shapes and types of mathematical operators that the backend suite does not test.

Expected values come from onnxruntime, or from the case if onnxruntime does not have the version.
"""

import functools
import itertools

import numpy as np
import pytest
from onnx import helper

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

FLOATS = ["float32", "float16"]
INTEGERS = ["int8", "uint8", "int32", "int64"]


CASES = {}
case = functools.partial(add_case, CASES)


def add_arithmetic():
    a, b = numbers("a", 2, 3, 4), numbers("b", 3, 4, low=1)
    plain = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}
    for op, function in plain.items():
        for opset in (1, 6):
            case(op, opset, a, a + 5, expected=[function(a, a + 5)])
            case(op, opset, a, b, broadcast=1, expected=[function(a, b)])
            row = numbers("row", 3, low=1)
            case(op, opset, a, row, broadcast=1, axis=1, expected=[function(a, row[:, None])])
        for dtype in FLOATS + INTEGERS:
            x, y = numbers("x", 2, 1, 3, dtype=dtype, low=-9, high=9), numbers("y", 4, 1, dtype=dtype, low=1, high=4)
            if op != "Sub" or np.dtype(dtype).kind != "u":
                case(op, 14, x, y)
            if op == "Div" and np.dtype(dtype).kind == "i":
                case(op, 13 if dtype != "int8" else 14, x, -y, variant="negative")
        case(op, 14, np.float32(2.5), numbers("s", 2), variant="scalar")
    for dtype in ("uint16", "uint32", "uint64", "int16"):
        case("Add", 14, numbers("x", 5, dtype=dtype, low=0, high=99), numbers("y", 5, dtype=dtype, low=0, high=99))
    for base, exponent in itertools.product(["float32", "int32", "int64"], repeat=2):
        case("Pow", 15, numbers("x", 2, 3, dtype=base, low=1, high=5), numbers("y", 3, dtype=exponent, low=0, high=3))
    for exponent in range(1, 8):
        case("Pow", 15, np.array([7, -3, 0, 11], np.int32), np.array(exponent, np.int32), constants=(1,), variant=f"to{exponent}")
    for dtype, x, y in [("uint8", [200, 255, 3], [100, 1, 5]), ("int8", [100, -100, 127], [100, -100, 1]), ("int16", [32000, -32000, 5], [1000, -1000, 5])]:
        x, y = np.array(x, dtype), np.array(y, dtype)
        for op, function in plain.items():
            if op != "Div":
                case(op, 14, x, y, variant="overflow", expected=[function(x, y)])
    for dtype in INTEGERS:
        case("Mod", 13, numbers("x", 9, dtype=dtype, low=-9, high=9), numbers("y", 9, dtype=dtype, low=1, high=4))
        case("Mod", 13, numbers("x", 9, dtype=dtype, low=-9, high=9), numbers("y", 9, dtype=dtype, low=1, high=4), fmod=1)
    case("Mod", 13, numbers("x", 9), numbers("y", 9), fmod=1)
    for op in ("Max", "Min", "Sum", "Mean"):
        case(op, 13, a, variant="one")
        case(op, 13, a, b, np.float32(0.25), variant="broadcast")
        case(op, 6, a, a * 2, a - 1, expected=[{"Max": lambda v: v.max(0), "Min": lambda v: v.min(0), "Sum": lambda v: v.sum(0), "Mean": lambda v: v.mean(0)}[op](np.stack([a, a * 2, a - 1]))])
    for op, dtype in itertools.product(["Max", "Min"], ["int32", "int64", "uint32", "uint64", "float16"]):
        case(op, 13, numbers("x", 3, 1, dtype=dtype, low=0, high=9), numbers("y", 4, dtype=dtype, low=0, high=9))


def add_comparisons():
    functions = {"Equal": np.equal, "Less": np.less, "Greater": np.greater}
    for op, function in functions.items():
        x, y = numbers("x", 2, 3, 4, dtype="int32"), numbers("y", 3, dtype="int32")
        if op != "Equal":
            x, y = x.astype("float32"), y.astype("float32")
        case(op, 1, x, y, broadcast=1, axis=1, expected=[function(x, y[:, None])])
        for dtype in ["float32", "int32", "int64"] + (["bool"] if op == "Equal" else []):
            case(op, 13, numbers("x", 2, 1, 4, dtype=dtype), numbers("y", 3, 1, dtype=dtype))
    for op in ("LessOrEqual", "GreaterOrEqual"):
        for dtype in ("float32", "int32", "int64"):
            case(op, 16, numbers("x", 2, 1, 4, dtype=dtype), numbers("y", 3, 1, dtype=dtype))
    for op, function in {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}.items():
        x, y = numbers("x", 2, 3, dtype="bool"), numbers("y", 2, dtype="bool")
        case(op, 1, x, y, broadcast=1, axis=0, expected=[function(x, y[:, None])])
        case(op, 7, x, numbers("y", 3, dtype="bool"))
    c, x, y = (numbers(name, *shape, dtype="bool") for name, shape in [("c", (2, 1)), ("x", (3,)), ("y", (2, 1, 1))])
    case("Where", 16, c, x, y, expected=[np.where(c, x, y)])
    for dtype in ("float32", "int64", "uint8", "int32"):
        case("Where", 16, numbers("c", 2, 1, dtype="bool"), numbers("x", 3, dtype=dtype), numbers("y", 2, 1, 1, dtype=dtype))
    nan = np.array([1, np.nan, -np.inf, np.inf, -0.0, 0.0], np.float32)
    case("IsInf", 10, nan)
    case("IsInf", 10, nan, detect_negative=0)
    case("IsInf", 10, nan, detect_positive=0)
    case("IsInf", 10, nan, detect_positive=0, detect_negative=0)
    case("Equal", 13, nan, nan, variant="nan")
    for op in ("Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
        case(op, 16, nan, np.float32(0), variant="nan")
        case(op, 16, nan, nan[::-1].copy(), variant="nan")
    case("Sign", 13, nan, variant="nan")
    case("Round", 11, np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, -2.6], np.float32))


def add_dynamic_quantization():
    for name, x in {"mixed": numbers("x", 3, 4), "above": numbers("x", 5, low=2, high=9), "below": numbers("x", 5, low=-9, high=-2), "many": numbers("x", 700)}.items():
        case("DynamicQuantizeLinear", 11, x, outputs=3, variant=name)


def add_clip_and_casts():
    x = numbers("x", 3, 4)
    case("Clip", 6, x, min=-1.0, max=1.0)
    case("Clip", 6, x, max=1.0)
    case("Clip", 6, x)
    for dtype in ("float32", "int32", "int64", "uint8", "int8", "float16"):
        y = numbers("y", 3, 4, dtype=dtype, low=0 if dtype == "uint8" else -9, high=9)
        one, five = np.array(1, dtype), np.array(5, dtype)
        for constants in ((), (1, 2)):
            case("Clip", 13, y, one, five, constants=constants, variant=f"constants{len(constants)}")
            if constants:
                case("Clip", 13, y, None, five, constants=(2,), variant="max")
                case("Clip", 13, y, one, constants=(1,), variant="min")
        case("Clip", 13, y, five, one, constants=(1, 2), variant="crossed")
    types = ["float32", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"]
    for source, target in itertools.product(types, repeat=2):
        if source != target:
            values = numbers("v", 7, dtype=source, low=0, high=9)
            case("Cast", 13, values, to=helper.np_dtype_to_tensor_dtype(np.dtype(target)))
    fractions = np.array([0.3, -0.7, 1.9, -1.9, 0, -0.0], np.float32)
    for target in ("bool", "int32", "int64", "int8"):
        case("Cast", 13, fractions, to=helper.np_dtype_to_tensor_dtype(np.dtype(target)), variant="fractions")
    case("Cast", 1, fractions, to="INT32", expected=[fractions.astype("int32")])
    for shift, dtype in itertools.product(["LEFT", "RIGHT"], ["uint8", "uint32", "uint64"]):
        case("BitShift", 11, numbers("x", 5, dtype=dtype, low=0, high=255), numbers("y", 5, dtype=dtype, low=0, high=7), direction=shift)


def add_activations():
    x = numbers("x", 2, 3, 4)
    case("LeakyRelu", 1, x, alpha=0.2, expected=[np.where(x < 0, np.float32(0.2) * x, x)])
    case("LeakyRelu", 16, x.astype("float16"))
    case("LeakyRelu", 16, np.float32(-2), variant="scalar")
    for slope in [(1,), (), (4,), (3, 1), (3, 4), (2, 3, 4), (1, 3, 1), (2, 1, 1)]:
        case("PRelu", 16, x, numbers("s", *slope))
        case("PRelu", 16, x, numbers("s", *slope), constants=(1,), variant="constant")
    slope = numbers("s", 3)
    case("PRelu", 6, x, slope, expected=[np.where(x < 0, slope[:, None] * x, x)])
    case("PRelu", 1, x, slope[:1], expected=[np.where(x < 0, slope[0] * x, x)])
    x, slope = numbers("x", 2, 3, dtype="int32"), numbers("s", 3, dtype="int32")
    case("PRelu", 9, x, slope, variant="int", expected=[np.where(x < 0, x * slope, x)])
    x = numbers("x", 2, 3, 4)
    case("Relu", 14, numbers("x", 5, dtype="int32"))
    case("Relu", 14, numbers("x", 5, dtype="int8"))
    case("Selu", 1, x, expected=[np.where(x > 0, x, 1.6732 * (np.exp(x) - 1)).astype("float32") * np.float32(1.0507)])
    case("Celu", 12, x, alpha=2.0)
    case("Elu", 6, x, alpha=0.5)
    case("ThresholdedRelu", 10, x, alpha=0.5)
    case("HardSigmoid", 6, x, alpha=0.3, beta=0.4)
    for alpha, beta in ((0.0, 0.5), (1.0, 0.0), (0.0, 0.0)):
        case("HardSigmoid", 6, x, alpha=alpha, beta=beta)
        case("Selu", 6, x, alpha=alpha, gamma=beta)
    case("MeanVarianceNormalization", 13, x, axes=[0, -3, 1], variant="repeated-axes")
    case("ReduceMean", 18, np.float32(3.25), np.array([0]), keepdims=1)
    case("ReduceMean", 18, np.float32(3.25), np.array([-1]), keepdims=0)
    for end in (2**31, 2**32, 2**40, 2**62):
        case("Slice", 13, numbers("x", 5), np.array([1]), np.array([end]), constants=(1, 2), variant=f"{end}")
    case("Squeeze", 13, numbers("x", 4, 1, 3), np.zeros(0, np.int64), variant="no-axes", dynamic=False)
    case("Shrink", 9, x, lambd=1.0, bias=0.5)
    case("Shrink", 9, numbers("x", 6, dtype="int32"), lambd=1.0, bias=1.0)
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        for opset, axis in itertools.product((1, 11, 13), (-1, 0, 1, 2)):
            if opset > 1 or axis >= 0:
                case(op, opset, x, axis=axis)
        case(op, 11, x)
        case(op, 13, x)
        case(op, 13, numbers("one", 5), axis=0)
    ties = np.array([[1, 3, 3], [2, 2, 2]], np.float32)
    case("Hardmax", 13, ties, variant="ties")
    for op in ("Reciprocal", "Sqrt", "Log", "Exp", "Neg", "Abs", "Floor", "Ceil", "Sigmoid", "Tanh", "Softplus", "Softsign", "Erf"):
        case(op, 13, numbers("x", 2, 3, low=0.1))
        case(op, 13, np.float32(0.7), variant="scalar")


def add_products():
    shapes = [((4,), (4,)), ((4,), (4, 3)), ((2, 4), (4,)), ((5, 2, 4), (4, 3)), ((5, 1, 2, 4), (3, 4, 3)), ((2, 4), (5, 4, 3)), ((4,), (5, 4, 3)), ((5, 2, 4), (4,)), ((1, 2, 4), (5, 4, 1))]
    for a, b in shapes:
        case("MatMul", 13, numbers("a", *a), numbers("b", *b))
    for dtype in ("int32", "int64", "uint32", "float16"):
        case("MatMul", 13, numbers("a", 2, 3, dtype=dtype, low=0), numbers("b", 3, 4, dtype=dtype, low=0))
    for trans_a, trans_b in itertools.product((0, 1), repeat=2):
        a = numbers("a", *((3, 2) if trans_a else (2, 3)))
        b = numbers("b", *((4, 3) if trans_b else (3, 4)))
        for c in [(2, 4), (4,), (1, 4), (2, 1), (1,), (), (1, 1)]:
            case("Gemm", 13, a, b, numbers("c", *c), transA=trans_a, transB=trans_b, alpha=0.5, beta=2.0)
        case("Gemm", 11, a, b, transA=trans_a, transB=trans_b)
    c = numbers("c", 4)
    a, b = numbers("a", 2, 3), numbers("b", 3, 4)
    case("Gemm", 1, a, b, c, broadcast=1, alpha=0.5, expected=[np.float32(0.5) * a @ b + c])
    case("Gemm", 6, a, b, numbers("c", 2, 4), expected=[a @ b + numbers("c", 2, 4)])
    case("Gemm", 13, numbers("a", 2, 3, dtype="int32"), numbers("b", 3, 4, dtype="int32"), numbers("c", 4, dtype="int32"), alpha=2.0, beta=3.0, expected=[2 * numbers("a", 2, 3, dtype="int32") @ numbers("b", 3, 4, dtype="int32") + 3 * numbers("c", 4, dtype="int32")])
    quantized = numbers("a", 2, 3, dtype="uint8", low=0, high=255)
    weights = numbers("b", 3, 4, dtype="int8", low=-128, high=127)
    # Exact sums: onnxruntime's saturate on CPUs with AVX2 only.
    for zeros in ((), (np.uint8(12), np.int8(-3)), (np.uint8(12), numbers("z", 4, dtype="int8", low=-9, high=9)), (None, np.int8(-3))):
        of_left, of_right = (np.int32(0) if zero is None else zero.astype(np.int32) for zero in zeros or (None, None))
        products = (quantized.astype(np.int32) - of_left) @ (weights.astype(np.int32) - of_right)
        case("MatMulInteger", 10, quantized, weights, *zeros, expected=[products])
    for equation, *shapes in [("ij,jk->ik", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("ij->ji", (2, 3)), ("ij->", (2, 3)), ("ii->i", (3, 3)), ("...ij,...jk->...ik", (5, 3, 4), (5, 4, 2)), ("i,j->ij", (3,), (4,)), ("bhwc,hkc->bhwk", (2, 3, 4, 5), (3, 6, 5)), ("ij,jk", (2, 3), (3, 4)), (" a b , b -> a ", (2, 3), (3,)), ("i,i->", (3,), (3,)), ("ijk->kij", (2, 3, 4)), ("bi,bj,ij->b", (2, 3), (2, 4), (3, 4))]:
        case("Einsum", 12, *[numbers(f"e{i}", *shape) for i, shape in enumerate(shapes)], equation=equation)
    for shape in ((1, 1), (2, 2, 2), (3, 4, 4), (5, 5), (2, 3, 7, 7), (11, 11), (0, 3, 3)):
        case("Det", 11, numbers("det", *shape))
    for shape in ((0, 0), (2, 0, 0)):
        case("Det", 11, np.zeros(shape, np.float32))
    case("Det", 11, np.ones((3, 2, 2), np.float32), variant="singular")
    case("Det", 11, np.array([[0, 0, 1, 0], [2, 0, 0, 0], [0, 0, 0, 3], [0, 4, 0, 0]], np.float32), variant="permuted")


def add_reductions():
    x = numbers("x", 2, 3, 4, low=0.5)
    ops = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"]
    for op in ops:
        newest = 13 if op == "ReduceSum" else 18
        for keepdims in (0, 1):
            for axes in ([1], [0, 2], [-1], [0, 1, 2]):
                case(op, 11, x, axes=axes, keepdims=keepdims)
                for constants in ((1,), ()):
                    case(op, newest, x, np.array(axes, np.int64), constants=constants, keepdims=keepdims, variant=f"{'const' if constants else 'var'}{axes}", dynamic=bool(constants or keepdims))
            case(op, 11, x, keepdims=keepdims)
            case(op, newest, x, keepdims=keepdims, variant="newest")
        case(op, newest, x, noop_with_empty_axes=1)
        case(op, newest, numbers("s", low=0.5), variant="scalar")
        case(op, 11, numbers("i", 2, 3, dtype="int32", low=1), axes=[1])
    for dtype in ("int64", "int8", "uint8"):
        for op in ("ReduceMax", "ReduceMin"):
            case(op, 18, numbers("i", 2, 3, dtype=dtype, low=0), np.array([1]), constants=(1,))
    lowest = np.finfo(np.float32).min
    edges = np.array([[-np.inf, -np.inf], [lowest, -np.inf], [lowest, lowest], [np.inf, np.inf], [-lowest, np.inf], [1e-30, 2e-30]], np.float32)
    for op in ("ReduceMax", "ReduceMin"):
        case(op, 18, edges, np.array([1]), constants=(1,), variant="edges")
        case(op, 18, numbers("empty", 2, 0, 3), np.array([1]), constants=(1,), variant="empty")
    big = np.array([[1000, 1001], [-1000, -1001]], np.float32)
    case("ReduceLogSumExp", 18, big, np.array([1]), constants=(1,), variant="big")
    infinite = np.array([[-np.inf, -np.inf], [np.inf, 1]], np.float32)
    case("ReduceLogSumExp", 18, infinite, np.array([1]), constants=(1,), variant="infinite")


def add_searches():
    x = numbers("x", 3, 4, 5)
    ties = numbers("ties", 3, 4, 5, dtype="int32", low=0, high=2)
    for op in ("ArgMax", "ArgMin"):
        for axis, keepdims in itertools.product((0, 1, -1), (0, 1)):
            case(op, 11, x, axis=axis, keepdims=keepdims)
            case(op, 13, ties, axis=axis, keepdims=keepdims, select_last_index=0)
            case(op, 13, ties, axis=axis, keepdims=keepdims, select_last_index=1)
        case(op, 13, x)
        case(op, 13, numbers("v", 6), keepdims=0)
    for k, axis, largest in itertools.product((1, 3), (0, -1), (0, 1)):
        case("TopK", 11, x, np.array([k]), constants=(1,), outputs=2, axis=axis, largest=largest, variant=f"k{k}")
        case("TopK", 11, ties, np.array([k]), outputs=2, axis=axis, largest=largest, variant=f"k{k}")
    case("TopK", 10, x, np.array([2]), outputs=2, axis=1)
    case("TopK", 1, x, outputs=2, k=2, axis=1, expected=[-np.sort(-x, 1)[:, :2], np.argsort(-x, 1, kind="stable")[:, :2]])
    case("TopK", 11, numbers("i", 9, dtype="int64", low=-99, high=99), np.array([4]), outputs=2)
    for exclusive, reverse, axis in itertools.product((0, 1), (0, 1), (0, -1)):
        case("CumSum", 14, x, np.array(axis), constants=(1,), exclusive=exclusive, reverse=reverse, variant=f"axis{axis}")
    case("CumSum", 11, numbers("i", 2, 3, dtype="int64"), np.array([1], np.int32))
    for start, limit, delta in [(0, 5, 1), (5, 0, -2), (3, 3, 1), (0, 1, 5), (0, -3, 1)]:
        for dtype in ("int64", "int32", "float32"):
            values = [np.array(value, dtype) for value in (start, limit, delta)]
            case("Range", 11, *values, constants=(0, 1, 2), variant=f"{start},{limit},{delta}")
            case("Range", 11, *values, variant=f"run-time {start},{limit},{delta}")
    case("Range", 11, np.float32(0.5), np.float32(2.0), np.float32(0.3), variant="fractions")


def add_normalizations():
    x = numbers("x", 2, 4, 3, 5)
    channel = [numbers(name, 4, low=0.5) for name in ("scale", "bias", "mean", "var")]
    expected = [(x - channel[2][:, None, None]) / np.sqrt(channel[3][:, None, None] + np.float32(1e-5)) * channel[0][:, None, None] + channel[1][:, None, None]]
    case("BatchNormalization", 1, x, *channel, is_test=1, expected=expected, consumed_inputs=[0, 0, 0, 1, 1])
    case("BatchNormalization", 6, x, *channel, is_test=1, expected=expected)
    for opset in (7, 9, 14, 15):
        case("BatchNormalization", opset, x, *channel, epsilon=1e-3)
        case("BatchNormalization", opset, x, *channel, constants=(1, 2, 3, 4), variant="constants")
    case("BatchNormalization", 15, x, *channel, outputs=3, training_mode=1, momentum=0.8)
    case("BatchNormalization", 15, x[:, :, 0, 0], *channel)
    case("BatchNormalization", 15, x[:, :, :, 0], *channel)
    case("InstanceNormalization", 6, x, *channel[:2])
    case("InstanceNormalization", 6, x[:, :, :, 0], *channel[:2], epsilon=1e-2)
    for axis in (-1, 1, 2):
        shape = x.shape[axis:]
        case("LayerNormalization", 17, x, numbers("s", *shape), numbers("b", *shape), axis=axis)
        case("LayerNormalization", 17, x, numbers("s", *shape), axis=axis, outputs=3)
        case("RMSNormalization", 23, x, numbers("s", *shape), axis=axis)
        case("LpNormalization", 1, x, axis=axis, p=1)
        case("LpNormalization", 1, x, axis=axis, p=2)
    case("LayerNormalization", 17, x.astype("float16"), numbers("s", 5, dtype="float16"))
    case("GroupNormalization", 21, x, *channel[:2], num_groups=2)
    groups = numbers("gs", 2), numbers("gb", 2)
    parts = x.reshape(x.shape[0], 2, -1)
    parts = (parts - parts.mean(-1, keepdims=True)) / np.sqrt(parts.var(-1, keepdims=True) + 1e-5)
    case("GroupNormalization", 18, x, *groups, num_groups=2, expected=[(parts * groups[0][:, None] + groups[1][:, None]).reshape(x.shape)])
    for size in (1, 2, 3, 4, 5):
        for bias in (1.5, 2.0):
            case("LRN", 13, x, size=size, alpha=0.2, beta=0.6, bias=bias, expected=lrn(x, size, 0.2, 0.6, bias))
    for opset in (7, 10, 12, 13):
        case("Dropout", opset, x, outputs=2)
    case("MeanVarianceNormalization", 13, x)
    case("MeanVarianceNormalization", 13, x, axes=[1, 2])


def lrn(x, size, alpha, beta, bias):
    sums = np.zeros_like(x)
    for channel in range(x.shape[1]):
        window = x[:, max(0, channel - (size - 1) // 2) : channel + size // 2 + 1]
        sums[:, channel] = (window**2).sum(1)
    return [x / (bias + alpha / size * sums) ** beta]


add_arithmetic()
add_comparisons()
add_dynamic_quantization()
add_clip_and_casts()
add_activations()
add_products()
add_reductions()
add_searches()
add_normalizations()


@pytest.mark.parametrize("conformance", parameters(Entry(("math", name), make) for name, make in CASES.items()))
def test_math(conformance, result):
    assert_passed(result)
