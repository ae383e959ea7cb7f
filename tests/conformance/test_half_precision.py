"""--compress_to_fp16: which constants are stored in half precision, their values, and the results of the runtime."""

import json
import subprocess

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import openvino
import pytest
from onnx import TensorProto, helper, numpy_helper

from . import runtime
from .tool import tool_path

ROWS = 70_000  # more than one piece per thread


def model_of(nodes, constants, inputs, outputs):
    values = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()]
    graph = helper.make_graph(nodes, "half", infos, [onnx.ValueInfoProto(name=name) for name in outputs], values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def adding(constant):
    """A model that adds one constant to its input."""
    shape = np.shape(constant)
    nodes = [helper.make_node("Add", ["x", "c"], ["y"])]
    return model_of(nodes, {"c": constant}, {"x": list(shape)}, ["y"])


def reading(node_of, shape=(2, 4, 8, 8), constant=(1.0, 1.0), cast=TensorProto.INT64, **constants):
    """A model in which a value computed from the constant `c` is an input of another node."""
    nodes = [helper.make_node("Add", ["p", "c"], ["s"])]
    name = "s"
    if cast:
        nodes.append(helper.make_node("Cast", ["s"], ["i"], to=cast))
        name = "i"
    nodes.append(node_of(name))
    constants["c"] = np.float32(constant)
    return model_of(nodes, constants, {"p": list(np.shape(constant)), "x": list(shape)}, nodes[-1].output)


def node(op_type, *inputs, outputs=1, **attributes):
    return helper.make_node(op_type, inputs, [f"y{i}" for i in range(outputs)], **attributes)


def convert(model, folder, *options):
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    command = [tool_path(), folder / "m.onnx", "-o", folder / "m.xml", "--diagnostics-format", "json", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stderr or "[]")


def convert_by_peer(model, folder):
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    openvino.save_model(openvino.Core().read_model(folder / "m.onnx"), folder / "peer.xml", compress_to_fp16=True)


def compressed(xml):
    """Names and values of the constants in half precision, each with a marked Convert."""
    found = {}
    for operation in openvino.Core().read_model(xml).get_ordered_ops():
        if operation.get_type_name() != "Convert" or "decompression_0" not in operation.get_rt_info():
            continue
        constant = operation.input_value(0).get_node()
        assert constant.get_type_name() == "Constant" and constant.get_element_type() == openvino.Type.f16
        assert operation.get_output_element_type(0) in (openvino.Type.f32, openvino.Type.f64)
        found[operation.get_friendly_name()] = constant.data
    return found


f32 = np.float32
DATA = {
    "scalar exact": f32(1.5),
    "scalar off": f32(1 / 3),
    "scalar large": f32(1e6),
    "scalar infinite": f32(np.inf),
    "thirds": f32([1 / 3] * 4),
    "half out of range": f32([1e6, 1]),
    "three quarters out of range": f32([1e6, 1e6, -1e6, 1]),
    "fewer out of range": f32([1e6] * 74 + [1] * 26),
    "tiny": f32([1e-9] * 3 + [1]),
    "subnormal and exact": f32([3e-5] * 4),
    "subnormal and off": f32([1e-6] * 4),
    "off by one": f32([2049] * 4),
    "off by more than one": f32([8193.5] + [1] * 999),
    "largest": f32([65504] * 4),
    "rounds to the largest": f32([65510] * 4),
    "double": np.float64([1 / 3] * 4),
    "double out of range": np.float64([1e300] * 3 + [1]),
    "double scalar": np.float64(1 / 3),
    "integers": np.int64([1, 2]),
}


def sizes(*values):
    return np.int64(values)


USES = {
    "Reshape": reading(lambda v: node("Reshape", "x", v), constant=(8, 64)),
    "Tile": reading(lambda v: node("Tile", "x", v), constant=(1, 1, 1, 2)),
    "Slice": reading(lambda v: node("Slice", "x", v, "e"), constant=(1,), e=sizes(2)),
    "Pad": reading(lambda v: node("Pad", "x", v), constant=(0,) * 8),
    "Pad value": reading(lambda v: node("Pad", "x", "p8", v), constant=2.5, cast=None, p8=sizes(*[1] * 8)),
    "Expand": reading(lambda v: node("Expand", "x", v), constant=(2, 4, 8, 8)),
    "TopK": reading(lambda v: node("TopK", "x", v, outputs=2), constant=(2,)),
    "Resize sizes": reading(lambda v: node("Resize", "x", "", "", v, mode="nearest"), constant=(2, 4, 16, 16)),
    "Resize scales": reading(lambda v: node("Resize", "x", "", v, mode="nearest"), constant=(1, 1, 2, 2), cast=None),
    "Gather": reading(lambda v: node("Gather", "x", v), constant=(1,)),
    "ConstantOfShape": reading(lambda v: node("ConstantOfShape", v), constant=(2, 2)),
}


@pytest.mark.parametrize("constant", DATA.values(), ids=DATA)
def test_compresses_the_same_constants_as_openvino(constant, tmp_path):
    model = adding(constant)
    model.graph.input[0].type.tensor_type.elem_type = model.graph.initializer[0].data_type
    convert(model, tmp_path, "--compress_to_fp16")
    convert_by_peer(model, tmp_path)
    ours, peers = compressed(tmp_path / "m.xml"), compressed(tmp_path / "peer.xml")
    assert ours.keys() == peers.keys()
    for name, values in ours.items():
        np.testing.assert_array_equal(values, peers[name])


@pytest.mark.parametrize(("name", "model"), USES.items(), ids=USES)
def test_sources_of_shapes_and_indices_are_not_compressed(name, model, tmp_path):
    convert(model, tmp_path, "--compress_to_fp16")
    convert_by_peer(model, tmp_path)
    ours, peers = compressed(tmp_path / "m.xml"), compressed(tmp_path / "peer.xml")
    assert ("c" in ours) == (name == "Pad value")
    assert ours.keys() & {"c"} <= peers.keys(), "what OpenVINO keeps is kept"


BODIES = {
    "scales of branches": """(float[1, 3, H, W] x, bool flag) => (float[1, 3, A, B] y) {
        s = If (flag) <then_branch = t () => (float[4] s1) { s1 = Constant <value_floats = [1.0, 1.0, 0.1, 0.1]> () q1 = Identity (s1) },
            else_branch = e () => (float[4] s2) { s2 = Constant <value_floats = [1.0, 1.0, 0.7, 0.7]> () }>
        y = Resize <mode = "nearest"> (x, , s) }""",
    "factors of indices": """(float[N, 2] x, float[9000] t) => (float[N, 2] y) <float[2] c = {2049, 4099}, float low = {0}, float high = {8999}> {
        m = Mul (x, c) k = Clip (m, low, high) i = Cast <to = 7> (k) y = Gather (t, i) }""",
    "sums of positions": """(float[N, 2] x, float[9000] t) => (float[N] y) <float[2] c = {2049, 4099}, int64[1] axis = {1}> {
        m = Mul (x, c) k = ReduceSum <keepdims = 0> (m, axis) i = Cast <to = 7> (k) y = Gather (t, i) }""",
    "states of index arithmetic": """(float[N, 2] x, float[9000] t, int64 n) => (float[K, N, 2] y) <float[2] c = {2049, 4099}, bool go = {1}> {
        last, y = Loop (n, go, c) <body = b (int64 j, bool in, float[2] s) => (bool out, float[2] next, float[N, 2] row) {
            out = Identity (in) f = Neg (s) next = Abs (f) m = Mul (x, next) i = Cast <to = 7> (m) row = Gather (t, i) }> }""",
}


@pytest.mark.parametrize("text", BODIES.values(), ids=BODIES)
def test_shapes_and_indices_are_followed_into_bodies_and_through_arithmetic(text, tmp_path):
    convert(onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 21]> main ' + text), tmp_path, "--compress_to_fp16")
    assert 'element_type="f16"' not in (tmp_path / "m.xml").read_text()


def test_models_with_quantized_weights_are_not_compressed(tmp_path):
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "scale", "zero"], ["d"]),
        helper.make_node("MatMul", ["x", "d"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["y"]),
    ]
    constants = {"w": np.int8(np.eye(64) * 100), "scale": f32(0.1), "zero": np.int8(3), "b": f32([0.1] * 64)}
    model = model_of(nodes, constants, {"x": [2, 64]}, ["y"])
    convert(model, tmp_path, "--compress_to_fp16")
    convert_by_peer(model, tmp_path)
    assert compressed(tmp_path / "m.xml") == compressed(tmp_path / "peer.xml") == {}


def test_a_table_of_f16_may_be_read_in_both_types(tmp_path):
    """An embedding whose rows are read in f32, and which is the weight of a product in f16 (shared_half_table)."""
    table = np.random.default_rng(2).standard_normal((64, 48)).astype(np.float16)
    nodes = [
        helper.make_node("Cast", ["t"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["p"], ["i"], to=TensorProto.INT64),
        helper.make_node("Gather", ["wide", "i"], ["rows"]),
        helper.make_node("Cast", ["x"], ["half"], to=TensorProto.FLOAT16),
        helper.make_node("Transpose", ["t"], ["turned"], perm=[1, 0]),
        helper.make_node("MatMul", ["half", "turned"], ["m"]),
        helper.make_node("Cast", ["m"], ["y"], to=TensorProto.FLOAT),
    ]
    convert(model_of(nodes, {"t": table}, {"p": [None], "x": [None, 48]}, ["rows", "y"]), tmp_path)
    compiled = openvino.Core().compile_model(tmp_path / "m.xml", "CPU", runtime.CONFIG)
    x = np.random.default_rng(3).standard_normal((3, 48)).astype(np.float32)
    rows, y = (np.array(value) for value in compiled([f32([5, 0, 63]), x]).values())
    np.testing.assert_array_equal(rows, table[[5, 0, 63]].astype(np.float32))
    np.testing.assert_allclose(y, x @ table.astype(np.float32).T, atol=0.05)


def test_out_of_range_elements_are_reported_and_infinities_kept(tmp_path):
    values = f32([1e6, -1e6, np.inf, -np.inf, np.nan, 2.5, 0.1, -0.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0])
    [warning] = convert(adding(values), tmp_path, "--compress_to_fp16")
    assert (warning["severity"], warning["code"]) == ("warning", "fp16-range")
    assert warning["notes"] == ["2 of 17 elements of constant 'c'"]
    expected = np.clip(values, -65504, 65504).astype(np.float16)
    expected[2:5] = [np.inf, -np.inf, np.nan]
    np.testing.assert_array_equal(compressed(tmp_path / "m.xml")["c"], expected)


INDICES = {
    "branch": "t = If (b) <then_branch = then () => (float[4] a) { a = Add (k, x) }, else_branch = other () => (float[8] c) { c = Concat <axis = 0> (k, x) }>",
    "parts": "s = Add (k, x) t, u = Split <axis = 0> (s, l)",
    "elements": "t = GatherElements (k, l)",
    "updates": "s = Sub (l, l) u = Slice (x, zero, two) t = ScatterElements (k, s, u)",
    "padded": "s = Add (k, x) t = Pad (s, l)",
    "repeated": "s = Add (k, x) t = Tile (s, one)",
    "rows": "t = Loop (n, , x) <body = body (int64 i, bool c, float[R] s) => (bool d, float[Q] r) { d = Identity (c) r = Concat <axis = 0> (s, k) }>",
}


@pytest.mark.parametrize("name", INDICES)
def test_indices_behind_bodies_and_moves_are_not_rounded(name, tmp_path):
    """The CPU plugin gets copies of outputs of bodies, which are no longer the outputs themselves."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 18]>
        main (float[4] x, bool b, int64 n, int64[2] l, float[4000] data) => (float[A] y)
        <float[4] k = {{2059, 2057, 2055, 2053}}, int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] two = {{2}}>
        {{ {INDICES[name]} i = Cast <to = 7> (t) y = Gather (data, i) }}"""
    )
    convert(model, tmp_path, "--compress_to_fp16")
    given = {"x": np.zeros(4, f32), "b": np.array(True), "n": np.array(1), "l": np.array([1, 3]), "data": np.arange(4000, dtype=f32)}
    expected = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, given)[0]
    compiled = openvino.Core().compile_model(tmp_path / "m.xml", "CPU", runtime.CONFIG)
    result = compiled({key: value for key, value in given.items() if key in {name for port in compiled.inputs for name in port.names}})[0]
    np.testing.assert_array_equal(result, expected)


def weights(seed):
    return np.random.default_rng(seed).standard_normal((ROWS, 16), f32) / 16


@pytest.fixture(scope="module")
def large_model():
    """Constants of many pieces, in single and double precision, beside small ones; two are equal."""
    large = weights(1)
    nodes = [
        helper.make_node("Gather", ["a", "i"], ["g"]),
        helper.make_node("Gather", ["same", "i"], ["h"]),
        helper.make_node("Gather", ["d", "i"], ["k"]),
        helper.make_node("Cast", ["k"], ["kf"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["g", "h"], ["s"]),
        helper.make_node("Add", ["s", "kf"], ["t"]),
        helper.make_node("Mul", ["t", "x"], ["y"]),
    ]
    odd = np.concatenate([large, weights(2)[: ROWS // 2 + 1]]).astype(np.float64)
    constants = {"a": large, "same": large, "d": odd, "i": np.int64([0, 5, ROWS - 1])}
    return model_of(nodes, constants, {"x": [3, 16]}, ["y"])


def test_large_constants_are_rounded_to_nearest(large_model, tmp_path):
    convert(large_model, tmp_path, "--compress_to_fp16")
    found = compressed(tmp_path / "m.xml")
    assert found.keys() == {"a", "same", "d"}
    np.testing.assert_array_equal(found["a"], weights(1).astype(np.float16))
    np.testing.assert_array_equal(found["d"][: ROWS], weights(1).astype(np.float16))
    size = (tmp_path / "m.bin").stat().st_size
    assert size < ROWS * 16 * 2 + (ROWS + ROWS // 2 + 1) * 16 * 2 + 1024, "equal constants are written once"


def test_output_does_not_depend_on_the_number_of_threads(large_model, tmp_path):
    results = set()
    for threads in (1, 2, 5):
        convert(large_model, tmp_path, "--compress_to_fp16", "--threads", str(threads))
        results.add(((tmp_path / "m.xml").read_bytes(), (tmp_path / "m.bin").read_bytes()))
    assert len(results) == 1


def test_results_are_close_to_f32(large_model, tmp_path):
    x = np.random.default_rng(3).standard_normal((3, 16), f32)
    outputs = []
    for options in ([], ["--compress_to_fp16"]):
        convert(large_model, tmp_path, *options)
        compiled = openvino.compile_model(tmp_path / "m.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        outputs.append(compiled([x])[0])
    assert not np.array_equal(*outputs)
    np.testing.assert_allclose(*outputs, rtol=2e-3, atol=2e-4)
