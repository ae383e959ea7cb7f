"""Models that onnxruntime's tools quantise statically, in QDQ and QOperator format: the error against the model before quantisation is
that of onnxruntime, and convolutions and products are computed with integers."""

import numpy as np
import onnx
import onnx.parser
import openvino as ov
import pytest
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from . import runtime, tool
from .quantised_accuracy import assert_accurate

CHANNELS = 16
SHAPE = (1, CHANNELS, 16, 16)

# Nodes between two convolutions, from c to m.
MIDDLES = {
    "Relu": "m = Relu(c)",
    "Clip": "m = Clip(c, low, six)",
    "Sigmoid": "m = Sigmoid(c)",
    "Tanh": "m = Tanh(c)",
    "LeakyRelu": "m = LeakyRelu<alpha = 0.1>(c)",
    "PRelu": "m = PRelu(c, slopes)",
    "HardSwish": "m = HardSwish(c)",
    "HardSwish of parts": "s = HardSigmoid<alpha = 0.16666667, beta = 0.5>(c)\n m = Mul(c, s)",
    "SiLU": "s = Sigmoid(c)\n m = Mul(c, s)",
    "GELU": "d = Div(c, root)\n e = Erf(d)\n f = Add(e, one)\n g = Mul(c, f)\n m = Mul(g, half)",
    "residual": "r = Relu(c)\n d = Conv<pads = [1, 1, 1, 1]>(r, w2, b2)\n a = Add(d, r)\n m = Relu(a)",
    "MaxPool": "m = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(c)",
    "AveragePool": "m = AveragePool<kernel_shape = [2, 2], strides = [2, 2]>(c)",
    "GlobalAveragePool": "m = GlobalAveragePool(c)",
    "Transpose": "t = Transpose<perm = [0, 1, 3, 2]>(c)\n m = Sigmoid(t)",
    "Reshape": "m = Reshape(c, wide)",
    "channel shuffle": "r = Reshape(c, halves)\n t = Transpose<perm = [0, 2, 1, 3, 4]>(r)\n m = Reshape(t, whole)",
    "Concat": "r = Sigmoid(c)\n j = Concat<axis = 2>(r, c)\n m = MaxPool<kernel_shape = [2, 1], strides = [2, 1]>(j)",
    "Split": "left, right = Split<axis = 1>(c, eights)\n m = Concat<axis = 1>(right, left)",
    "Slice": "m = Slice(c, first, last, axis)",
    "Resize": 'm = Resize<mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor">(c, , twice)',
    "Pad": "m = Pad(c, frame)",
    "Mul of a constant": "m = Mul(c, factors)",
    "depthwise": "m = Conv<group = 16, pads = [1, 1, 1, 1]>(c, wd, b2)",
    "groups": "m = Conv<group = 4, pads = [1, 1, 1, 1]>(c, wg, b2)",
    "kernel 1": "m = Conv(c, w1, b2)",
    "no bias": "m = Conv<pads = [1, 1, 1, 1]>(c, w2)",
    "squeeze and excite": "p = GlobalAveragePool(c)\n q = Conv(p, w1, b2)\n s = HardSigmoid(q)\n m = Mul(c, s)",
    "Gemm": "p = GlobalAveragePool(c)\n f = Flatten(p)\n g = Gemm<transB = 1>(f, matrix, b2)\n m = Reshape(g, point)",
    "attention": "q = Reshape(c, rows)\n k = Transpose<perm = [0, 2, 1]>(q)\n s = MatMul(q, k)\n t = Mul(s, small)\n"
    "p = Softmax(t)\n v = MatMul(p, q)\n m = Reshape(v, whole)",
}

INTEGERS = {
    "wide": [1, CHANNELS, 8, 32],
    "halves": [1, 2, CHANNELS // 2, 16, 16],
    "whole": SHAPE,
    "rows": [1, CHANNELS, 256],
    "point": [1, CHANNELS, 1, 1],
    "eights": [8, 8],
    "first": [1],
    "last": [9],
    "axis": [2],
    "frame": [0, 0, 1, 1, 0, 0, 1, 1],
}
NUMBERS = {"low": 0, "six": 6, "root": 2**0.5, "one": 1, "half": 0.5, "small": 0.06, "twice": [1, 1, 2, 2]}
RANDOM = {
    "w": (CHANNELS, CHANNELS, 3, 3),
    "w1": (CHANNELS, CHANNELS, 1, 1),
    "w2": (CHANNELS, CHANNELS, 3, 3),
    "wd": (CHANNELS, 1, 3, 3),
    "wg": (CHANNELS, CHANNELS // 4, 3, 3),
    "wz": (CHANNELS, CHANNELS, 3, 3),
    "matrix": (CHANNELS, CHANNELS),
    "b": (CHANNELS,),
    "b2": (CHANNELS,),
    "bz": (CHANNELS,),
    "slopes": (CHANNELS, 1, 1),
    "factors": (CHANNELS, 1, 1),
}


def constants():
    generator = np.random.default_rng(3)
    for name, values in INTEGERS.items():
        yield onnx.numpy_helper.from_array(np.array(values, np.int64), name)
    for name, values in NUMBERS.items():
        yield onnx.numpy_helper.from_array(np.array(values, np.float32), name)
    for name, shape in RANDOM.items():
        deviation = (2 / np.prod(shape[1:])) ** 0.5 if len(shape) > 1 else 0.1
        yield onnx.numpy_helper.from_array(generator.normal(0, deviation, shape).astype(np.float32), name)


def network(middle, is_dynamic, opset):
    model = onnx.parser.parse_model(f"""<ir_version: 10, opset_import: ["": {opset}]>
    network (float[{"N" if is_dynamic else 1}, {CHANNELS}, 16, 16] x) => (float[N, {CHANNELS}, H, W] y)
    {{
        c = Conv<pads = [1, 1, 1, 1]>(x, w, b)
        {middle}
        y = Conv<pads = [1, 1, 1, 1]>(m, wz, bz)
    }}""")
    used = {name for node in model.graph.node for name in node.input}
    model.graph.initializer.extend(constant for constant in constants() if constant.name in used)
    for index, node in enumerate(model.graph.node):
        node.name = f"{node.op_type}_{index}"
    return model


def values(seed):
    return {"x": np.random.default_rng(seed).normal(0, 1, SHAPE).astype(np.float32)}


class Calibration(CalibrationDataReader):
    def __init__(self):
        self.batches = iter([values(seed) for seed in range(4)])

    def get_next(self):
        return next(self.batches, None)


def quantised(middle, form, activations, weights, per_channel, is_dynamic, folder, opset=17):
    """The model before and after quantisation. Weights of seven bits, so that no CPU saturates."""
    original = network(MIDDLES[middle], is_dynamic, opset).SerializeToString()
    (folder / "original.onnx").write_bytes(original)
    quantize_static(
        folder / "original.onnx",
        folder / "quantised.onnx",
        Calibration(),
        quant_format=form,
        activation_type=activations,
        weight_type=weights,
        per_channel=per_channel,
        reduce_range=True,
    )
    return original, (folder / "quantised.onnx").read_bytes()


FORMS = {
    "QDQ, u8": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QInt8, True),
    "QDQ, i8": (QuantFormat.QDQ, QuantType.QInt8, QuantType.QInt8, True),
    "QDQ, u8, one scale": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QInt8, False),
    "QDQ, u8 weights": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QUInt8, False),
    "QOperator, u8": (QuantFormat.QOperator, QuantType.QUInt8, QuantType.QInt8, True),
    "QOperator, i8": (QuantFormat.QOperator, QuantType.QInt8, QuantType.QInt8, False),
}


@pytest.mark.matrix
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("middle", MIDDLES)
def test_error_is_that_of_onnxruntime(middle, form, tmp_path):
    original, model = quantised(middle, *FORMS[form], False, tmp_path)
    assert_accurate(original, model, [values(10), values(11)])


IN_16_BITS = {
    "16 bits": (QuantFormat.QDQ, QuantType.QUInt16, QuantType.QInt16, False),
    "16 bits, signed, 8-bit weights": (QuantFormat.QDQ, QuantType.QInt16, QuantType.QInt8, True),
}


@pytest.mark.parametrize("form", IN_16_BITS)
@pytest.mark.parametrize("middle", ["Relu", "Clip", "SiLU", "residual", "channel shuffle", "Gemm", "attention"])
def test_activations_of_16_bits_are_clamped(middle, form, tmp_path):
    original, model = quantised(middle, *IN_16_BITS[form], True, tmp_path, opset=21)
    assert_accurate(original, model, [values(10), values(11)])
    types = operations(model, tmp_path)
    assert "Clamp" in types
    assert not {"Round", "FakeQuantize", "Floor", "Divide"} & set(types)
    assert types.count("Swish") == (middle == "SiLU")


@pytest.mark.matrix
@pytest.mark.parametrize("middle", ["Relu", "residual", "MaxPool", "Gemm", "attention"])
def test_error_with_a_dynamic_batch(middle, tmp_path):
    original, model = quantised(middle, *FORMS["QDQ, u8"], True, tmp_path)
    assert_accurate(original, model, [values(10)])


def integer_layers(model, folder):
    """How many convolutions and products there are, and how many the CPU plugin computes with integers."""
    (folder / "model.onnx").write_bytes(model)
    tool.convert(tool.tool_path(), folder / "model.onnx", folder / "model.xml")
    compiled = ov.Core().compile_model(folder / "model.xml", "CPU", runtime.CONFIG)
    infos = [node.get_rt_info() for node in compiled.get_runtime_model().get_ops()]
    products = [info for info in infos if info["layerType"].astype(str) in ("Convolution", "FullyConnected", "MatMul")]
    return len(products), sum(info["runtimePrecision"].astype(str) in ("i8", "u8") for info in products)


@pytest.mark.matrix
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("middle", MIDDLES)
def test_convolutions_and_products_use_integers(middle, form, tmp_path):
    _, model = quantised(middle, *FORMS[form], False, tmp_path)
    count, integers = integer_layers(model, tmp_path)
    assert integers == count >= 2


def operations(model, folder):
    """The types of the operations of the IR, with repetitions."""
    (folder / "model.onnx").write_bytes(model)
    tool.convert(tool.tool_path(), folder / "model.onnx", folder / "model.xml")
    return [op.get_type_name() for op in ov.Core().read_model(folder / "model.xml").get_ordered_ops()]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("middle", "activation"), {"SiLU": "Swish", "HardSwish of parts": "HSwish", "GELU": "Gelu"}.items())
def test_an_activation_is_one_operation_and_rounded_once(middle, activation, form, tmp_path):
    """onnxruntime's quantiser rounds each of its operations."""
    _, model = quantised(middle, *FORMS[form], False, tmp_path)
    types = operations(model, tmp_path)
    assert types.count(activation) == 1
    assert types.count("FakeQuantize") == 3, "the input, the result of the activation, and the output"


def test_one_operation_for_a_pair(tmp_path):
    """QuantizeLinear and DequantizeLinear are one FakeQuantize."""
    _, model = quantised("Relu", *FORMS["QDQ, u8"], False, tmp_path)
    types = operations(model, tmp_path)
    assert types.count("FakeQuantize") == 3
    assert not {"Round", "Divide", "Clamp", "Floor", "Subtract"} & set(types)
