"""Models with dynamic quantisation and with 4-bit weights, by default in the integer kernels of the runtime."""

import functools

import numpy as np
import onnx
import onnx.parser
import openvino as ov
import pytest
from onnx import TensorProto, helper, numpy_helper

from . import environment, runtime, tool
from .quantised_accuracy import assert_accurate, assert_same_integers, results_of_ir, results_of_onnxruntime
from .quantized_weights import packed
from .runtime_ops import ops as opset

pytestmark = pytest.mark.matrix

SIZE = 256


def model_of(nodes, constants, shape, outputs):
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, element, None) for name, element in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def layers(shape, activation="Relu", shared=False):
    """Products of `SIZE` x `SIZE` weights with biases. `shared`: three products of the same input, as of queries, keys and values."""
    generator = np.random.default_rng(5)
    constants, nodes, previous = {}, [], "x"
    for i in range(3):
        constants[f"w{i}"] = (generator.standard_normal((SIZE, SIZE)) * 1.4 / SIZE**0.5).astype(np.float32)
        constants[f"b{i}"] = (generator.standard_normal(SIZE) * 0.1).astype(np.float32)
        nodes.append(helper.make_node("MatMul", ["x" if shared else previous, f"w{i}"], [f"m{i}"]))
        nodes.append(helper.make_node("Add", [f"m{i}", f"b{i}"], [f"a{i}"]))
        previous = f"a{i}"
        if activation and i < 2:
            nodes.append(helper.make_node(activation, [previous], [f"r{i}"]))
            previous = f"r{i}"
    if shared:
        nodes.append(helper.make_node("Sum", ["a0", "a1", "a2"], ["sum"]))
        previous = "sum"
    return model_of(nodes, constants, shape, [(previous, TensorProto.FLOAT)])


def dynamically_quantised(model, folder, **options):
    from onnxruntime.quantization import quantize_dynamic

    onnx.save(model, folder / "f32.onnx")
    quantize_dynamic(folder / "f32.onnx", folder / "quantised.onnx", **options)
    return (folder / "quantised.onnx").read_bytes()


def operations(model, folder, *options):
    """The types of the IR's operations."""
    import xml.etree.ElementTree

    (folder / "model.onnx").write_bytes(model)
    tool.convert(tool.tool_path(), folder / "model.onnx", folder / "model.xml", options)
    return [layer.get("type") for layer in xml.etree.ElementTree.parse(folder / "model.xml").getroot().iter("layer")]


def inputs_of(shape, count=2):
    generator = np.random.default_rng(6)
    return [{"x": generator.standard_normal(shape).astype(np.float32)} for _ in range(count)]


@functools.cache
def weight_type(name):
    from onnxruntime.quantization import QuantType

    return QuantType[name]


@pytest.mark.parametrize("type_name", ["QInt8", "QUInt8"])
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("shape", [[4, 16, SIZE], [None, None, SIZE]], ids=["static", "dynamic"])
@pytest.mark.parametrize("shared", [False, True], ids=["chain", "shared"])
def test_dynamic_quantisation(type_name, per_channel, shape, shared, tmp_path):
    model = layers(shape, shared=shared)
    options = dict(weight_type=weight_type(type_name), per_channel=per_channel, reduce_range=environment.instruction_set() == "AVX2")
    quantised = dynamically_quantised(model, tmp_path, **options)
    assert_accurate(model.SerializeToString(), quantised, inputs_of([4, 16, SIZE]))
    found = operations(quantised, tmp_path)
    assert "Round" not in found and "ReduceMax" not in found, found
    assert "Round" in operations(quantised, tmp_path, "--quantization", "exact")


@pytest.mark.parametrize("type_name", ["QInt8", "QUInt8"])
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("shape", [[1, 1, SIZE], [None, None, SIZE]], ids=["static", "dynamic"])
def test_products_of_a_single_row(type_name, per_channel, shape, tmp_path):
    """onnxruntime has one scale for all rows, so that it rounds a single row more finely than many."""
    model = layers(shape)
    options = dict(weight_type=weight_type(type_name), per_channel=per_channel, reduce_range=environment.instruction_set() == "AVX2")
    quantised = dynamically_quantised(model, tmp_path, **options)
    assert_accurate(model.SerializeToString(), quantised, inputs_of([1, 1, SIZE], count=100))


def lstm(hidden, direction, shape, lengths):
    """X [steps, batch, 96]. `lengths`: one sequence ends earlier."""
    generator = np.random.default_rng(8)
    directions = 2 if direction == "bidirectional" else 1
    constants = {
        "w": (generator.standard_normal((directions, 4 * hidden, 96)) * 0.1).astype(np.float32),
        "r": (generator.standard_normal((directions, 4 * hidden, hidden)) / hidden**0.5).astype(np.float32),
        "b": (generator.standard_normal((directions, 8 * hidden)) * 0.1).astype(np.float32),
    }
    if lengths:
        constants["lengths"] = np.array([7, 4], np.int32)
    outputs = ["y", "last_h", "last_c"]
    node = helper.make_node("LSTM", ["x", "w", "r", "b", "lengths" if lengths else ""], outputs, direction=direction, hidden_size=hidden)
    return model_of([node], constants, shape, [(name, TensorProto.FLOAT) for name in outputs])


@pytest.mark.parametrize("type_name, per_channel", [("QInt8", False), ("QInt8", True), ("QUInt8", False)])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("shape", [[7, 2, 96], [None, None, 96]], ids=["static", "dynamic"])
@pytest.mark.parametrize("lengths", [False, True], ids=["all steps", "lengths"])
def test_recurrent_products_are_integer(type_name, per_channel, direction, shape, lengths, tmp_path):
    model = lstm(256, direction, shape, lengths)
    options = dict(weight_type=weight_type(type_name), per_channel=per_channel, reduce_range=environment.instruction_set() == "AVX2")
    quantised = dynamically_quantised(model, tmp_path, **options)
    # onnxruntime's own rounding errors grow with the steps: products in f32 also differ from it by 8 times its error.
    assert_accurate(model.SerializeToString(), quantised, inputs_of([7, 2, 96], count=10), most_difference=16)
    found = operations(quantised, tmp_path)
    assert "Loop" in found and "LSTMSequence" not in found, found
    assert "LSTMSequence" in operations(quantised, tmp_path, "--quantization", "exact")


@pytest.mark.parametrize("hidden, batch, operation", [(64, 2, "LSTMSequence"), (192, None, "LSTMSequence"), (256, 1, "LSTMSequence"), (288, 1, "Loop")])
def test_small_recurrent_products_are_not_integer(hidden, batch, operation, tmp_path):
    model = lstm(hidden, "bidirectional", [None, batch, 96], False)
    quantised = dynamically_quantised(model, tmp_path, weight_type=weight_type("QInt8"), reduce_range=environment.instruction_set() == "AVX2")
    assert_accurate(model.SerializeToString(), quantised, inputs_of([7, batch or 2, 96], count=10), most_difference=12)
    assert {"LSTMSequence", "Loop"} & set(operations(quantised, tmp_path)) == {operation}


MOVES = {
    "Reshape": ([helper.make_node("Reshape", ["q", "sizes"], ["moved"])], {"sizes": np.array([8, SIZE], np.int64)}),
    "Transpose": ([helper.make_node("Transpose", ["q"], ["moved"], perm=[1, 0, 2])], {}),
    "Gather": ([helper.make_node("Gather", ["q", "index"], ["moved"], axis=1)], {"index": np.array([3, 0], np.int64)}),
    "Concat": ([helper.make_node("Concat", ["q", "q"], ["moved"], axis=0)], {}),
}


def moved(move, visible=False):
    """DynamicQuantizeLinear, an operation that moves integers, and MatMulInteger with a scale and a zero point of each output."""
    generator = np.random.default_rng(7)
    nodes, constants = MOVES[move]
    constants |= {
        "w": generator.integers(0, 256, (SIZE, 48)).astype(np.uint8),
        "wz": np.array(119, np.uint8),
        "ws": generator.uniform(0.001, 0.002, 48).astype(np.float32),
    }
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        *nodes,
        helper.make_node("MatMulInteger", ["moved", "w", "z", "wz"], ["sums"]),
        helper.make_node("Cast", ["sums"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["s", "ws"], ["scales"]),
        helper.make_node("Mul", ["numbers", "scales"], ["y"]),
    ]
    outputs = [("y", TensorProto.FLOAT)]
    if visible:
        outputs += [("sums", TensorProto.INT32), ("q", TensorProto.UINT8)]
    return model_of(nodes, constants, [None, 4, SIZE], outputs).SerializeToString()


@pytest.mark.parametrize("move", MOVES)
def test_integers_may_be_moved_before_a_product(move, tmp_path):
    """The results differ by the rounding of both."""
    found = operations(moved(move), tmp_path)
    assert "Round" not in found, found
    inputs = inputs_of([2, 4, SIZE])
    actual, expected = (results(moved(move), inputs)["y"] for results in (results_of_ir, results_of_onnxruntime))
    assert np.abs(actual - expected).max() <= 0.1 * expected.std()


def test_visible_integers_are_integers():
    inputs = inputs_of([2, 4, SIZE])
    actual, expected = (results(moved("Reshape", visible=True), inputs) for results in (results_of_ir, results_of_onnxruntime))
    assert_same_integers(actual["q"], expected["q"])
    assert actual["sums"].dtype == np.int32
    assert np.abs(actual["sums"] - expected["sums"]).max() <= 0.01 * np.abs(expected["sums"]).max()


def in_4_bits(model, block, level):
    """MatMulNBits in place of MatMul with constants: scales for blocks of inputs, no zero points."""
    result = onnx.ModelProto.FromString(model.SerializeToString())
    weights = {constant.name: constant for constant in result.graph.initializer}
    for node in result.graph.node:
        if node.op_type != "MatMul":
            continue
        matrix = numpy_helper.to_array(weights[node.input[1]]).T.reshape(SIZE, -1, block)
        scales = np.abs(matrix).max(-1) / 7
        integers = np.rint(matrix / scales[..., None]).astype(np.int64) + 8
        data, scale = f"{node.input[1]}_data", f"{node.input[1]}_scales"
        result.graph.initializer.extend([numpy_helper.from_array(packed(integers, 4), data), numpy_helper.from_array(scales, scale)])
        attributes = dict(K=SIZE, N=SIZE, bits=4, block_size=block, accuracy_level=level)
        node.CopyFrom(helper.make_node("MatMulNBits", [node.input[0], data, scale], node.output, domain="com.microsoft", **attributes))
    return result.SerializeToString()


@pytest.mark.parametrize("level", [0, 4])
@pytest.mark.parametrize("block", [32, 128])
def test_weights_of_4_bits(level, block):
    model = layers([None, None, SIZE])
    assert_accurate(model.SerializeToString(), in_4_bits(model, block, level), inputs_of([4, 16, SIZE]))


@pytest.mark.parametrize("weights, zero", [("uint8", 128), ("uint8", 77), ("int8", 24), ("int8", 0)])
@pytest.mark.parametrize("inputs, offset", [("uint8", 128), ("uint8", 0), ("int8", 0), ("int8", -128), ("int8", 5)])
def test_filters_of_transposed_convolutions(inputs, offset, weights, zero):
    """The integer kernel of the runtime ignores the zero point of the filters."""
    generator = np.random.default_rng(4)
    data = generator.integers(*((0, 256) if weights == "uint8" else (-128, 128)), (4, 8, 2, 2)).astype(weights)
    filters = ((data.astype(np.float32) - zero) * np.float32(0.01)).astype(np.float32)
    low = (np.iinfo(inputs).min - offset) * 0.02
    x = (generator.random((2, 4, 9, 7)) * 5.1 + low).astype(np.float32)
    header = '<ir_version: 8, opset_import: ["" : 17]> g (float[n, 4, h, w] x) => (float[n, 8, a, b] y)'
    original = onnx.parser.parse_model(f"{header} {{ y = ConvTranspose <strides = [2, 2]> (x, f) }}")
    quantised = onnx.parser.parse_model(f"""{header} <float s = {{0.02}}, {inputs} z = {{{offset}}}, float ws = {{0.01}}, {weights} wz = {{{zero}}}, float t = {{0.08}}, uint8 v = {{128}}> {{
        q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) wd = DequantizeLinear (f, ws, wz)
        c = ConvTranspose <strides = [2, 2]> (d, wd) r = QuantizeLinear (c, t, v) y = DequantizeLinear (r, t, v) }}""")
    original.graph.initializer.append(numpy_helper.from_array(filters, "f"))
    quantised.graph.initializer.append(numpy_helper.from_array(data, "f"))
    assert_accurate(original.SerializeToString(), quantised.SerializeToString(), [{"x": x}, {"x": x[:1, :, :4]}])


@pytest.mark.parametrize("weights, zero", [("uint8", 128), ("int8", 0)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("operator", ["Conv", "ConvTranspose"])
def test_scales_along_either_axis_of_as_many_inputs_as_outputs(operator, axis, weights, zero):
    """Only the shape of the scales tells to which axis of the weights they belong. Weights of 7 bits, because those of 8 saturate on some CPUs."""
    generator = np.random.default_rng(6)
    data = generator.integers(zero - 64, zero + 64, (8, 8, 2, 2)).astype(weights)
    scales = generator.uniform(0.002, 0.02, 8).astype(np.float32)
    filters = ((data.astype(np.float32) - zero) * np.expand_dims(scales, [i for i in range(4) if i != axis])).astype(np.float32)
    x = generator.standard_normal((2, 8, 7, 6)).astype(np.float32)
    header = '<ir_version: 8, opset_import: ["" : 17]> g (float[n, 8, h, w] x) => (float[n, 8, a, b] y)'
    original = onnx.parser.parse_model(f"{header} {{ y = {operator} <strides = [2, 2]> (x, f) }}")
    quantised = onnx.parser.parse_model(f"""{header} <float s = {{0.03}}, uint8 z = {{128}}> {{ q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z)
        wd = DequantizeLinear <axis = {axis}> (f, ws, wz) y = {operator} <strides = [2, 2]> (d, wd) }}""")
    original.graph.initializer.append(numpy_helper.from_array(filters, "f"))
    constants = {"f": data, "ws": scales, "wz": np.full(8, zero, weights)}
    quantised.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    assert_accurate(original.SerializeToString(), quantised.SerializeToString(), [{"x": x}])


@pytest.mark.parametrize("is_bounded, precision", [(False, "f32"), (True, "u8")])
def test_the_runtime_has_an_integer_lstm_for_bounded_inputs_only(is_bounded, precision):
    """Why dynamically quantised LSTMs become loops: OpenVINO alone computes one with weights of 8 bits in f32, unless a FakeQuantize bounds
    its input. The bounds of a dynamic quantisation are known at run time only. If this fails, a release has such a kernel."""
    x = opset.parameter([1, 8, 32], np.float32)
    limits = [opset.constant(np.float32(value)) for value in (-1, 127 / 128)]
    data = opset.fake_quantize(x, *limits, *limits, 256) if is_bounded else x
    state = opset.constant(np.zeros((1, 1, 16), np.float32))
    weights = [
        opset.multiply(opset.convert(opset.constant(np.ones((1, 64, size), np.int8)), "f32"), opset.constant(np.float32(0.01)))
        for size in (32, 16)
    ]
    lengths, bias = opset.constant(np.array([8], np.int64)), opset.constant(np.zeros((1, 64), np.float32))
    lstm = opset.lstm_sequence(data, state, state, lengths, *weights, bias, 16, "forward")
    compiled = ov.Core().compile_model(ov.Model([lstm.output(0)], [x]), "CPU", runtime.CONFIG)
    infos = [node.get_rt_info() for node in compiled.get_runtime_model().get_ops()]
    assert [info["runtimePrecision"].astype(str) for info in infos if info["layerType"].astype(str) == "RNNSeq"] == [precision]
