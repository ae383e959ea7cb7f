"""Products with quantised weights, and numbers at the zero point."""

import functools
import xml.etree.ElementTree

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from . import tool
from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .quantized_weights import CASES, Weights, case_of, dequantized, mat_mul_n_bits, quantized_activations

ZERO_POINTS = {"uint8": (190, 0.0173), "int8": (-77, 0.0371), "uint16": (40000, 0.0011)}


def zero_point_case(type_name, shape):
    """1 / DequantizeLinear(zero point) is infinite."""
    dtype = np.dtype(type_name)
    zero_point, scale = ZERO_POINTS[type_name]
    element = helper.np_dtype_to_tensor_dtype(dtype)
    graph = helper.make_graph(
        [
            helper.make_node("DequantizeLinear", ["x", "scale", "zero"], ["numbers"]),
            helper.make_node("Reciprocal", ["numbers"], ["y"]),
        ],
        "zero_point",
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [
            numpy_helper.from_array(np.array(scale, np.float32), "scale"),
            numpy_helper.from_array(np.array(zero_point, dtype), "zero"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    x = np.full(16, zero_point, dtype)
    return Case(f"{type_name} {shape}", model.SerializeToString(), [Run({"x": x}, {"y": np.full(16, np.inf, np.float32)})])


def zero_points():
    for type_name in ZERO_POINTS:
        for shape in ([16], [None]):
            kind = "static" if shape[0] else "dynamic"
            yield Entry(("zero_point", type_name, kind), functools.partial(zero_point_case, type_name, shape))


def constant_at_zero_point():
    """Constants that are not the weights of a product are exact as well."""
    weights = Weights("constants", "uint8", (1, 16), None, 0, True)
    weights.zero_points = np.array(190)
    weights.data[:] = 190
    nodes = [weights.node(), helper.make_node("Div", ["x", "weights"], ["y"])]
    return case_of("constants", nodes, weights.initializers(), np.ones((1, 16), np.float32), np.full((1, 16), np.inf))


@pytest.mark.parametrize("conformance", parameters(Entry(("quantized_weights", name), make) for name, make in CASES.items()))
def test_product(conformance, result):
    assert_passed(result)


@pytest.mark.parametrize("conformance", parameters([*zero_points(), Entry(("zero_point", "constant"), constant_at_zero_point)]))
def test_zero_point(conformance, result):
    assert_passed(result)


def converted(make, folder, *options):
    """The converted model's XML, and the size of its weights."""
    (folder / "model.onnx").write_bytes(make().model)
    tool.convert(tool.tool_path(), folder / "model.onnx", folder / "model.xml", options)
    return xml.etree.ElementTree.parse(folder / "model.xml").getroot(), (folder / "model.bin").stat().st_size


@pytest.mark.parametrize(
    "make, most_bytes",
    [
        (dequantized("uint4", 512, 256, 0, 32, True), 512 * 256 // 2 + 16 * 256 * (4 + 1) + 64),
        (dequantized("int4", 512, 256, 1, 32, True), 512 * 256 // 2 + 512 * 8 * (4 + 1) + 64),
        (dequantized("uint4", 512, 256, 0, 0, True), 512 * 256 // 2 + 512 * (4 + 4) + 64),
        (dequantized("int8", 512, 256, 1, 0, False), 512 * 256 + 256 * 4 + 64),
        (mat_mul_n_bits(4, 512, 256, 32, "packed"), 512 * 256 // 2 + 16 * 256 * (4 + 1) + 64),
    ],
    ids=["blocks of inputs", "blocks of outputs", "scale of each input", "scale of each output", "MatMulNBits"],
)
def test_runtime_keeps_weights_compressed(make, most_bytes, tmp_path):
    network, size = converted(make[1], tmp_path)
    assert size <= most_bytes
    operations = {layer.get("type") for layer in network.iter("layer")}
    assert not operations & {"Tile", "Broadcast", "Concat"}, operations


# Products whose inputs onnxruntime rounds to 8 bits, and others.
ROUNDED = {
    "one scale": dequantized("uint8", 128, 96, None, 0, True),
    "scale of each output": dequantized("int8", 128, 96, 1, 0, False),
    "blocks of inputs": dequantized("uint4", 128, 96, 0, 32, True),
    "MatMulNBits of level 4": mat_mul_n_bits(4, 128, 96, 32, None, accuracy_level=4),
}
EXACT = {
    "scale of each input": dequantized("uint8", 128, 96, 0, 0, True),
    "blocks of outputs": dequantized("uint4", 128, 96, 1, 32, True),
    "blocks of 8": dequantized("uint4", 128, 96, 0, 8, True),
    "Gemm of the transposed": dequantized("int8", 128, 96, 0, 0, True, is_transposed=True),
    "MatMulNBits": mat_mul_n_bits(4, 128, 96, 32, "packed"),
}


@pytest.mark.parametrize("make", ROUNDED.values(), ids=ROUNDED)
@pytest.mark.parametrize("when, may_round", [("auto", True), ("always", True), ("never", False)])
def test_inputs_are_rounded_where_onnxruntime_rounds_them(make, when, may_round, tmp_path):
    assert rounds_inputs(make, tmp_path, when) == may_round


@pytest.mark.parametrize("make", EXACT.values(), ids=EXACT)
def test_inputs_are_exact_where_onnxruntime_keeps_them(make, tmp_path):
    assert not rounds_inputs(make, tmp_path, "auto", "--quantization", "exact")


@pytest.mark.parametrize("name", EXACT)
def test_inputs_of_4_bit_weights_are_rounded_by_default(name, tmp_path):
    """The error of the weights is much larger. Weights of 8 bits are as precise as the rounding."""
    assert rounds_inputs(EXACT[name], tmp_path, "auto") == (name == "MatMulNBits")


def test_inputs_that_are_quantised_already_are_exact(tmp_path):
    assert not rounds_inputs(quantized_activations(64, 48, 128), tmp_path, "auto", "--quantization", "exact")


def test_one_exact_product_disables_rounding_of_all(tmp_path):
    def make():
        weights = Weights("two products", "uint8", (64, 64), None, 0, False)
        nodes = [weights.node(), helper.make_node("MatMul", ["x", "weights"], ["h"]), helper.make_node("Gemm", ["h", "weights"], ["y"], transB=1)]
        x = np.ones((1, 64), np.float32)
        return case_of("two", nodes, weights.initializers(), x, x)

    assert not rounds_inputs(("two", make), tmp_path, "auto")


def rounds_inputs(make, folder, when, *options):
    """Whether the IR allows the CPU plugin to round. Weights in a form that the plugin misreads are exact as well."""
    network, _ = converted(make[1], folder, "--dynamic-quantization", when, *options)
    found = network.find("rt_info/runtime_options")
    if found is None:
        return not any(layer.get("type") == "Clamp" for layer in network.iter("layer"))
    groups = {option.tag: option.get("value") for option in found}
    assert set(groups) == {"DYNAMIC_QUANTIZATION_GROUP_SIZE"}
    return groups.popitem()[1] != "0"


def test_models_without_quantized_weights_set_no_options(tmp_path):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    weights = np.eye(16, dtype=np.float32)
    x = np.ones((1, 16), np.float32)
    network, _ = converted(lambda: case_of("plain", nodes, [onnx.numpy_helper.from_array(weights, "w")], x, x), tmp_path)
    assert network.find("rt_info/runtime_options") is None
