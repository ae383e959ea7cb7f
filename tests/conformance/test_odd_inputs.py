"""Unusual inputs: rank 0, empty tensors, single elements, NaN and infinities, negative axes.

Expected values come from onnxruntime, or from the case if onnxruntime fails or is wrong.
"""

import functools
import itertools

import numpy as np
import onnx.parser
import openvino as ov
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, add_series, numbers
from .runtime import CONFIG
from .runtime_ops import ops
from .tool import convert, tool_path

CASES = {}
case = functools.partial(add_case, CASES)
series = functools.partial(add_series, CASES)

# NaN is tested by test_operations_that_lose_nan.
SPECIAL = np.array([np.inf, -np.inf, 0.0, -0.0, 1e-3, -1e-3, 0.5, -0.5, 1.5, 2.5, -1.5, 1.0, -1.0, 40.0, -40.0], np.float32)
NUMBER = np.array(0.75, np.float32)
SUBNORMAL = '<ir_version: 9, opset_import: ["" : 17]> m (float[2] x) => (float y) {{ y = {op} <keepdims = 0> (x) }}'
NOTHING = [np.zeros(shape, np.float32) for shape in ((0,), (2, 0, 3), (0, 0))]


def i64(*values):
    return np.array(values, np.int64)


def add_unary():
    version = {"Gelu": 20, "HardSwish": 14, "Mish": 18, "Swish": 24}
    # Gelu of infinity is NaN in the runtime.
    for op in (
        "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Identity IsNaN IsInf "
        "LeakyRelu Log Mish Neg Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu"
    ).split():
        opset = version.get(op, 13 if op not in ("Celu", "IsInf") else 12)
        case(op, opset, SPECIAL[1:] if op == "Gelu" else SPECIAL, variant="special")
        case(op, opset, NUMBER)
        for nothing in NOTHING:
            case(op, opset, nothing)
    for dtype in ("int32", "int64", "int8", "uint8"):
        case("Abs", 13, np.array(3, dtype))
        case("Sign", 13, np.array([0, 1, 5], dtype))
    case("Not", 1, np.array(True))
    case("Not", 1, np.zeros((0, 2), bool))
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        for opset in (1, 11, 13):
            case(op, opset, numbers("x", 2, 3, 1))
            case(op, opset, numbers("x", 1, 1))
        case(op, 13, numbers("x", 5), axis=0)
        case(op, 13, numbers("x", 2, 3, 4), axis=-3)
        case(op, 13, NOTHING[1], axis=0)
        case(op, 13, NOTHING[1], axis=1)
    case("Softmax", 13, np.array([[-np.inf, 0, 1], [-np.inf] * 3], np.float32), variant="infinite")


def add_binary():
    for op in ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mod", "Equal", "Less", "GreaterOrEqual", "PRelu"):
        opset = 16
        extra = {"fmod": 1} if op == "Mod" else {}
        if op != "Mod":
            case(op, opset, SPECIAL, SPECIAL[::-1].copy(), variant="special")
        case(op, opset, NUMBER, np.array(-2.0, np.float32), **extra)
        case(op, opset, NOTHING[0], NUMBER, **extra)
        case(op, opset, NOTHING[1], numbers("b", 3), **extra)
        if op != "PRelu":
            case(op, opset, numbers("a", 2, 1, 3), NOTHING[1], **extra)
            case(op, opset, numbers("a", 1), NOTHING[0], **extra)
            case(op, opset, NUMBER, numbers("b", 2, 3), **extra)
    for op in ("And", "Or", "Xor"):
        case(op, 7, np.array(True), np.array([True, False]))
        case(op, 7, np.zeros((0, 1), bool), np.array([True, False]))
    case("Where", 16, np.array(True), NUMBER, numbers("y", 2, 3))
    case("Where", 16, np.zeros((0, 1), bool), numbers("x", 3), numbers("y", 1, 3))
    case("BitShift", 11, np.array(8, np.uint8), np.array([0, 1, 7], np.uint8), direction="RIGHT")
    case("BitwiseAnd", 18, np.array(-2, np.int32), np.zeros((0, 2), np.int32))
    # A missing bound is the largest finite number, as in onnxruntime; ONNX's reference keeps infinities.
    for bounds in ((np.float32(-1), np.float32(1)), (None, np.float32(1)), (np.float32(-1), None)):
        constants = tuple(i + 1 for i, bound in enumerate(bounds) if bound is not None)
        largest = np.finfo(np.float32).max
        expected = [np.clip(SPECIAL, *(bound if bound is not None else limit for bound, limit in zip(bounds, (-largest, largest))))]
        case("Clip", 13, SPECIAL, *bounds, variant=f"special{constants}", expected=expected)
        case("Clip", 13, SPECIAL, *bounds, constants=constants, variant=f"special constants{constants}", expected=expected)
    for dtype in ("float32", "float16"):
        values = np.array([np.nan, np.inf, -np.inf, 0, 1e4, -1e4], dtype)
        for opset in (6, 11, 13) if dtype == "float32" else (13,):
            case("Clip", opset, values, variant="nothing")
        for opset in (11, 13) if dtype == "float32" else (13,):
            case("Clip", opset, values[1:], None, np.array(2, dtype), constants=(2,), variant="max")
            case("Clip", opset, values[1:], np.array(-2, dtype), constants=(1,), variant="min")
    case("Clip", 6, np.array([np.inf, -np.inf, 3], np.float32), max=2.0)
    case("Clip", 6, np.array([np.inf, -np.inf, 3], np.float32), min=-2.0)
    case("Clip", 13, NOTHING[1], np.float32(0), np.float32(1))
    case("Clip", 13, NUMBER, np.float32(0), np.float32(0.5))


def add_reductions():
    x = numbers("x", 2, 3, 4)
    for op in ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"):
        name = f"Reduce{op}"
        positive = np.abs(x) + 0.5 if op == "LogSum" else x
        case(name, 18, np.abs(NUMBER))
        case(name, 18, np.abs(NUMBER), keepdims=0)
        case(name, 18, positive, i64(-1, -3), keepdims=0, variant="run-time axes", dynamic=False)
        case(name, 18, positive, i64(-1, -3), constants=(1,), keepdims=0)
        case(name, 18, positive, i64(), constants=(1,), noop_with_empty_axes=0)
        opset = 11 if op == "Sum" else 13
        case(name, opset, positive, axes=[-2])
        case(name, opset, NOTHING[1], axes=[0])
        # onnxruntime keeps the dimension.
        case(name, opset, NOTHING[1], axes=[-1], keepdims=0, expected=[np.zeros((2, 0), np.float32)])
        if op not in ("Mean", "Max", "Min"):
            case(name, opset, NOTHING[1], axes=[1])
            case(name, opset, NOTHING[0], keepdims=0)
    for dtype in ("int32", "int64", "uint8", "int8"):
        for op in ("ReduceMax", "ReduceMin"):
            case(op, 18, numbers("i", 2, 3, dtype=dtype), i64(1), constants=(1,))
    # PyTorch writes axis 0 or -1 for the reduction of a number.
    for op, axis in itertools.product(("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"), (0, -1)):
        case(f"Reduce{op}", 9, np.float32(3), axes=[axis])
    case("ReduceMax", 20, np.array([[True, False], [False, False]]), i64(1), constants=(1,))
    special = SPECIAL.reshape(3, 5)
    case("Hardmax", 13, np.array([[-np.inf] * 3, [1, -np.inf, 2]], np.float32), variant="infinite")
    for dtype, version in ((np.float32, 1), (np.float16, 22)):
        case("GlobalMaxPool", version, np.array([[[[-np.inf] * 2], [[-np.inf, 3]]]], dtype), variant="infinite")
    # Masks contain the lowest number, from which the runtime starts as well.
    largest = np.finfo(np.float32).max
    edge = np.array([[np.inf] * 2, [-np.inf] * 2, [largest, np.inf], [largest] * 2, [-largest, -np.inf], [-largest] * 2], np.float32)
    for op in ("ReduceMax", "ReduceMin"):
        case(op, 18, special, i64(1), constants=(1,), variant="special")
        case(op, 18, edge, i64(1), constants=(1,), variant="edge")
        case(op, 18, np.clip(edge, -65504, 65504).astype(np.float16), i64(-1), constants=(1,), keepdims=0, variant="edge")
        case(op, 18, edge.astype(np.float16), i64(-1), constants=(1,), keepdims=0, variant="infinite")
    for op in ("ArgMax", "ArgMin"):
        case(op, 13, x, axis=-1, keepdims=0)
        case(op, 13, np.array([1, 3, 3, 0, 0], np.float32), axis=0, select_last_index=1)
        case(op, 13, np.array([1, 3, 3, 0, 0], np.float32), axis=-1)
        case(op, 13, NOTHING[1], axis=0)
        case(op, 13, numbers("i", 4, 3, dtype="int32"), axis=0)
        case(op, 13, numbers("u", 4, 3, dtype="uint8"), axis=0)
    for op in ("CumSum",):
        case(op, 14, x, np.array(-1, np.int32), constants=(1,), exclusive=1, reverse=1)
        case(op, 14, NOTHING[1], np.array(1, np.int64), constants=(1,))
        case(op, 14, numbers("i", 4, dtype="int64"), np.array(0, np.int32))
    case("TopK", 11, x, i64(0), constants=(1,), outputs=2)
    case("TopK", 11, x, i64(0), outputs=2, variant="none", axis=1)
    case("TopK", 11, np.zeros((2, 0), np.float32), i64(0), outputs=2, variant="none of none")
    case("TopK", 11, x, i64(1), outputs=2, axis=0)
    case("TopK", 11, numbers("s", 1), i64(1), outputs=2)
    case("TopK", 11, NOTHING[1], i64(2), constants=(1,), outputs=2)


def add_unique_of_empty_tensors():
    """Empty tensors before, between and after others. onnxruntime crashes on empty slices along axis 0; numpy, on which
    ONNX's Unique is based, treats them as equal."""
    some, other = np.array([[2, 1, 1], [2, 1, 1]], np.float32), np.array([[3]], np.float32)
    no_rows, no_columns = np.zeros((0, 3), np.float32), np.zeros((3, 0), np.float32)
    for nothing in (no_rows, no_columns):
        for attributes in ({}, {"sorted": 0}, {"axis": 0}, {"axis": 1}, {"axis": -2, "sorted": 0}):
            is_kept = nothing is no_columns and attributes.get("axis") in (0, -2)
            equal = (np.zeros((1, 0), np.float32), i64(0), i64(0, 0, 0), i64(3)) if is_kept else None
            runs = [(nothing,), (some,), (nothing,), (other,), (nothing,)]
            variant = f"{nothing.shape} between others"
            series("Unique", 11, *runs, outputs=4, expected=[equal, None] * 2 + [equal], variant=variant, **attributes)
    for attributes in ({}, {"axis": 0}):
        case("Unique", 11, no_rows, outputs=4, dynamic=False, **attributes)
    case("Unique", 11, no_columns, outputs=4, dynamic=False, axis=0, expected=[np.zeros((1, 0), np.float32), i64(0), i64(0, 0, 0), i64(3)])


def add_moves():
    x = numbers("x", 2, 3, 4)
    case("Gather", 13, x, np.zeros((0,), np.int64), axis=1)
    case("Gather", 13, x, np.zeros((2, 0), np.int32), axis=-1)
    case("Gather", 13, x, np.array(-1, np.int64), axis=-2)
    case("Gather", 13, NOTHING[1], i64(1), axis=0)
    case("GatherElements", 13, x, np.zeros((2, 0, 4), np.int64), axis=1)
    case("GatherElements", 13, x, np.array([[[1, 0], [0, 1]]]), dynamic=False, axis=0)
    case("GatherElements", 13, x, np.array([[[2, 0, 1]], [[0, 0, -1]]]), dynamic=False, axis=1)
    case("GatherElements", 13, numbers("v", 3), i64(-1, 0), axis=-1)
    case("GatherND", 13, x, np.zeros((0, 2), np.int64), dynamic=False)
    case("GatherND", 13, x, np.array([[-1, -2]], np.int64), dynamic=False)
    case("ScatterElements", 16, x, np.zeros((2, 0, 4), np.int64), np.zeros((2, 0, 4), np.float32), axis=1)
    case("ScatterElements", 16, numbers("v", 4), i64(-1, 0), numbers("u", 2), axis=0, reduction="add")
    case("ScatterND", 16, x, np.zeros((0, 1), np.int64), np.zeros((0, 3, 4), np.float32))
    case("ScatterND", 16, x, np.array([[-1]], np.int64), numbers("u", 1, 3, 4))
    case("NonZero", 13, np.array([[1, 0], [0, 2]], np.float32))
    case("NonZero", 13, np.zeros((2, 3), np.float32), variant="none")
    case("NonZero", 13, NOTHING[1])
    case("Concat", 13, NOTHING[0], numbers("v", 3), axis=-1)
    case("Concat", 13, NOTHING[1], NOTHING[1], axis=0)
    case("Concat", 13, x, axis=1, variant="one")
    case("Split", 13, x, i64(0, 3), constants=(1,), axis=1, outputs=2)
    case("Split", 13, x, i64(1, 0, 1), axis=-3, outputs=3, variant="run time", dynamic=False)
    case("Split", 18, numbers("v", 5), num_outputs=3, outputs=3)
    case("Expand", 13, NUMBER, i64(2, 3), dynamic=False)
    case("Expand", 13, numbers("v", 3, 1), i64(0), constants=(1,), variant="none")
    case("Expand", 13, numbers("v", 3, 1), i64(0), variant="none at run time", dynamic=False)
    case("Expand", 13, numbers("v", 1, 4), i64(0, 1), variant="no rows", dynamic=False)
    case("Expand", 13, np.zeros((0, 4), np.float32), i64(1, 1), variant="still none", dynamic=False)
    case("Expand", 13, np.zeros((0, 4), np.float32), i64(2, 1, 4), variant="two of none", dynamic=False)
    case("Expand", 13, numbers("v", 3, 1), i64(1), constants=(1,), variant="same")
    case("Expand", 13, NUMBER, i64(), constants=(1,), variant="number")
    case("Tile", 13, x, i64(1, 0, 2), constants=(1,))
    case("Tile", 13, x, i64(2, 1, 1), variant="run time")
    case("Tile", 13, NUMBER, i64(), constants=(1,))
    case("Pad", 13, x, i64(0, -1, 0, 0, 1, -1), constants=(1,))
    case("Pad", 18, x, i64(1, 1), np.float32(2), i64(-2), constants=(1, 3))
    case("Pad", 13, NUMBER, i64(), constants=(1,), expected=[NUMBER])
    case("Pad", 13, numbers("i", 2, dtype="int64"), i64(1, 2), np.int64(9), variant="run-time element")
    case("Pad", 13, numbers("b", 2, dtype="bool"), i64(1, 2), np.array(True), constants=(1,))
    case("Transpose", 13, NUMBER)
    case("Transpose", 13, NOTHING[1])
    case("Reshape", 14, NOTHING[1], i64(0, 0), constants=(1,), allowzero=1)
    case("Reshape", 14, NUMBER, i64(-1), constants=(1,))
    case("Reshape", 14, numbers("one", 1), i64(), constants=(1,), variant="number")
    case("Flatten", 13, NOTHING[1], axis=-1)
    case("Squeeze", 13, numbers("one", 1, 1), i64(-1, -2), constants=(1,))
    case("Unsqueeze", 13, NUMBER, i64(0, -1), constants=(1,))
    case("Slice", 13, x, i64(100), i64(-100), i64(-1), i64(-2))
    case("Slice", 13, x, i64(2), i64(1), i64(1), variant="none")
    case("Slice", 13, NOTHING[1], i64(0), i64(1), i64(0))
    case("Trilu", 14, NOTHING[1])
    case("Trilu", 14, x, np.array(-5, np.int64))
    case("Trilu", 14, x, np.array(5, np.int64), constants=(1,), upper=0)
    one_of_three = [np.array([0, 0, 1], np.float32)]
    case("OneHot", 11, np.array(2, np.int64), np.array(3, np.int64), np.array([0, 1], np.float32), constants=(1,), expected=one_of_three)
    case("OneHot", 11, np.zeros((0,), np.int64), i64(3), np.array([0, 1], np.float32), constants=(1,))
    case("OneHot", 11, i64(-1, 5, -9), i64(3), np.array([0, 1], np.float32), constants=(1,), axis=0)
    case("Shape", 15, NUMBER)
    case("Shape", 15, x, start=-2)
    case("Shape", 15, x, start=2, end=1)
    case("Shape", 15, x, start=-9, end=9)
    case("Size", 13, NOTHING[1])
    case("Size", 13, NUMBER)
    case("ConstantOfShape", 9, i64(2, 0), dynamic=False)
    case("ConstantOfShape", 9, i64(), constants=(0,))
    case("Range", 11, np.float32(3), np.float32(1), np.float32(0.5))
    case("Range", 11, np.int64(5), np.int64(-5), np.int64(-3))
    case("EyeLike", 9, numbers("e", 2, 4), k=-1)
    case("EyeLike", 9, NOTHING[2])
    case("ReverseSequence", 10, numbers("r", 4, 2), i64(1, 4), time_axis=0, batch_axis=1)
    case("Unique", 11, np.array([2, 1, 1, 3], np.float32), outputs=4, dynamic=False)
    case("Unique", 11, np.array([2, 1, 1, 3], np.float32), outputs=4, sorted=0)
    add_unique_of_empty_tensors()
    case("Compress", 11, x, np.array([False, True]), axis=-3)
    case("Compress", 11, x, np.array([False, True, True]))
    case("Compress", 11, x, np.zeros(3, bool), axis=1, variant="none")
    case("DepthToSpace", 13, np.zeros((0, 4, 2, 2), np.float32), blocksize=2)


def add_products():
    for a, b in [((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 1, 4, 3), (5, 3, 2)), ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((0,), (0,)), ((2, 3), (3, 0))]:
        case("MatMul", 13, numbers("a", *a), numbers("b", *b))
    case("MatMul", 13, numbers("a", 2, 3, dtype="int32"), numbers("b", 3, 2, dtype="int32"))
    case("Gemm", 13, numbers("a", 3, 2), numbers("b", 4, 3), NUMBER, transA=1, transB=1, alpha=0.5, beta=2.0)
    case("Gemm", 13, numbers("a", 2, 0), numbers("b", 0, 3), numbers("c", 3))
    case("Gemm", 13, numbers("a", 0, 2), numbers("b", 2, 3))
    case("Gemm", 13, numbers("a", 2, 3), numbers("b", 3, 2), numbers("c", 2, 1))
    case("Einsum", 12, numbers("a", 2, 3), numbers("b", 3), equation="ij,j->i")
    case("Einsum", 12, numbers("a", 3, 3), equation="ii->i")
    case("Einsum", 12, numbers("a", 3, 3), equation="ii")
    case("Einsum", 12, numbers("a", 2, 3), numbers("b", 2, 3), equation="...j,...j")
    image, weights = numbers("image", 1, 2, 5, 5), numbers("w", 3, 2, 3, 3)
    empty_batch = np.zeros((0, 2, 5, 5), np.float32)
    case("Conv", 11, empty_batch, weights)
    case("Conv", 11, image, weights, auto_pad="SAME_LOWER", strides=[2, 2])
    case("Conv", 11, image, weights, auto_pad="VALID")
    # Some pooling operations of the runtime crash on an empty batch of dynamic size.
    case("MaxPool", 12, empty_batch, kernel_shape=[2, 2], dynamic=False)
    case("AveragePool", 11, empty_batch, kernel_shape=[2, 2], dynamic=False)
    case("GlobalAveragePool", 1, empty_batch, dynamic=False)
    case("GlobalMaxPool", 1, numbers("line", 2, 3, 4))
    scale, bias = numbers("scale", 2), numbers("bias", 2)
    case("BatchNormalization", 15, empty_batch, scale, bias, bias, np.abs(scale))
    case("BatchNormalization", 15, numbers("flat", 3, 2), scale, bias, bias, np.abs(scale))
    case("InstanceNormalization", 6, numbers("line", 1, 2, 1), scale, bias)
    case("LayerNormalization", 17, numbers("x", 2, 3), numbers("s", 2, 3), axis=0)
    case("LayerNormalization", 17, np.zeros((0, 3), np.float32), numbers("s", 3))
    case("LayerNormalization", 17, numbers("x", 2, 1), numbers("s", 1))
    case("Dropout", 13, NOTHING[1])
    case("Resize", 13, image, None, np.array([1, 1, 0.5, 0.5], np.float32), constants=(2,), mode="nearest")
    case("Resize", 13, empty_batch, None, np.array([1, 1, 2, 2], np.float32), constants=(2,), mode="linear")
    case("LSTM", 14, numbers("x", 1, 1, 2), numbers("W", 1, 12, 2), numbers("R", 1, 12, 3), outputs=3, hidden_size=3)
    case("GRU", 14, numbers("x", 1, 2, 2), numbers("W", 1, 9, 2), numbers("R", 1, 9, 3), outputs=2, hidden_size=3)
    case("QuantizeLinear", 13, SPECIAL[2:], np.float32(0.5), np.array(3, np.uint8))
    case("QuantizeLinear", 13, NOTHING[1], np.float32(0.5), np.array(3, np.uint8))
    case("DequantizeLinear", 13, np.array(200, np.uint8), np.float32(0.5), np.array(3, np.uint8))
    case("NonMaxSuppression", 11, np.zeros((1, 0, 4), np.float32), np.zeros((1, 1, 0), np.float32), i64(3))


def add_no_steps():
    """The final states after zero steps are zeros. onnxruntime crashes on GRU with zero steps."""
    for op, gates, outputs in (("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2)):
        weights = numbers("W", 1, gates * 3, 2), numbers("R", 1, gates * 3, 3)
        runs = [(numbers("x", steps, 2, 2), *weights) for steps in (2, 0, 1, 0)]
        nothing = [np.zeros((0, 1, 2, 3), np.float32), *[np.zeros((1, 2, 3), np.float32)] * (outputs - 1)]
        for start in (0, 1):
            expected = [None, nothing, None, nothing][start:]
            series(op, 14, *runs[start:], constants=(1, 2), outputs=outputs, expected=expected, variant=f"from {start}", hidden_size=3)


def add_casts():
    for target in (1, 6, 7, 9, 10):
        case("Cast", 13, NUMBER, to=target)
        case("Cast", 13, NOTHING[1], to=target)
    case("Cast", 13, SPECIAL, to=9, variant="special")
    case("Cast", 13, SPECIAL, to=10, variant="special")
    for dtype in ("int8", "uint8", "int32", "int64", "bool"):
        case("Cast", 13, np.array([0, 1, 100], dtype), to=1)
        case("Cast", 13, np.array([0, 1, 100], dtype), to=9)
    case("Cast", 13, np.array([-1, 200, 300, -200], np.int32), to=2, variant="wraps")
    case("Cast", 13, np.array([-1, 200, 300, -200], np.int32), to=3, variant="wraps")
    case("Cast", 13, np.array([-1, 70000], np.int32), to=4, variant="wraps")
    case("Cast", 13, np.array([-1.5, 1.5, 2.5], np.float32), to=7, variant="truncates")


add_unary()
add_binary()
add_reductions()
add_moves()
add_products()
add_casts()
add_no_steps()


@pytest.mark.parametrize("conformance", parameters(Entry(("odd", name), make) for name, make in CASES.items()))
def test_odd_inputs(conformance, result):
    assert_passed(result)


def test_operations_that_lose_nan():
    """Extrema return the other operand. Keeping NaN would take a comparison and a Select for each Relu: see docs/limits.md."""
    x = ops.parameter([1], ov.Type.f32)
    zero = np.zeros(1, np.float32)
    lost = [ops.relu(x), ops.maximum(x, zero), ops.minimum(x, zero), ops.clamp(x, 0, 1), ops.hard_sigmoid(x, np.float32(1), np.float32(0))]
    # A NaN in the last place is kept.
    lost += [ops.reduce_max(ops.concat([x, zero], 0), np.array([0])), ops.reduce_min(ops.concat([x, zero], 0), np.array([0]))]
    compiled = ov.Core().compile_model(ov.Model(lost, [x]), "CPU", CONFIG)
    assert not [value for value in compiled([np.array([np.nan], np.float32)]).values() if np.isnan(value)]


def test_runtime_saturates_infinities_of_doubles():
    """Doubles are converted to f32 and back, and conversions saturate: see docs/limits.md."""
    x = ops.parameter([2], ov.Type.f64)
    compiled = ov.Core().compile_model(ov.Model([ops.add(x, x)], [x]), "CPU", CONFIG)
    largest = np.float64(np.finfo(np.float32).max)
    np.testing.assert_array_equal(compiled([np.array([np.inf, -np.inf])])[0], [largest, -largest])


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
def test_extrema_lose_the_last_bit_of_subnormal_numbers(tmp_path, op):
    """The elements are halved (reduction.cpp): see docs/limits.md."""
    source, target = tmp_path / "m.onnx", tmp_path / "m.xml"
    source.write_bytes(onnx.parser.parse_model(SUBNORMAL.format(op=op)).SerializeToString())
    convert(tool_path(), source, target)
    compiled = ov.Core().compile_model(str(target), "CPU", CONFIG)
    smallest = np.finfo(np.float32).smallest_subnormal
    assert compiled([np.full(2, smallest)])[0] == 0
    assert compiled([np.full(2, smallest * 2)])[0] == smallest * 2
