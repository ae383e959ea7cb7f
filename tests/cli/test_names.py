"""Names of layers and tensors, and what the IR says about its conversion."""

import os
import shutil
from xml.etree import ElementTree

import openvino
import pytest

from .command import converted, onnx_file, run

MODEL = """
<ir_version: 10, opset_import: ["" : 17, "com.microsoft" : 1]>
names (float[1, 4, 8, 8] x, float[2, 4] q, float[5, 1, 4] s, int64 count) => (float[2, 3] fc, float[1, 4, 6, 6] f, float[1, 4, 8, 8] b, float[5, 1, 1, 6] l, float[2, 4] r)
<float[4, 4, 3, 3] w = {%s}, float[4, 2, 3, 3] half = {%s}, float[4] bias = {1, 2, 3, 4}, float[4, 3] matrix = {%s}, float[3] shift = {1, 2, 3}, float[1, 24, 4] lw = {%s}, float[1, 24, 6] lr = {%s}> {
  [conv] c = Conv (x, w, bias)
  [deconv] d = ConvTranspose (c, w, bias)
  [act] b = Relu (d)
  [grouped] g = Conv <group = 2> (x, half, bias)
  [softer] f = Elu (g)
  [dense] m = Gemm (q, matrix, shift)
  [out] fc = Tanh (m)
  [memory] h = LSTM <hidden_size = 6> (s, lw, lr)
  [seen] l = Relu (h)
  go = Constant <value = bool {1}> ()
  [repeat] r = Loop (count, go, q) <body = step (int64 i, bool go_in, float[2, 4] v) => (bool go_out, float[2, 4] next) {
    go_out = Identity (go_in)
    [double] twice = Add (v, v)
    [bend] next = Sigmoid (twice)
  }>
}
""" % tuple(", ".join(str((i * 7 % 11) / 8) for i in range(count)) for count in (144, 72, 12, 96, 144))


@pytest.fixture
def folder(tmp_path):
    onnx_file(tmp_path / "m.onnx", MODEL)
    return tmp_path


def operations(model):
    return {node.get_friendly_name(): node.get_type_name() for node in model.get_ops()}


def body(model):
    [loop] = [node for node in model.get_ops() if node.get_type_name() == "Loop"]
    return loop.get_function()


def tensor_names(model):
    return {name for node in model.get_ops() for output in node.outputs() for name in output.get_names()}


def test_operations_have_the_names_of_their_nodes(folder):
    converted("m.onnx", folder=folder)
    found = operations(openvino.Core().read_model(folder / "m.xml"))
    expected = {"act": "Relu", "softer": "Elu", "out": "Tanh", "seen": "Relu", "conv": "Add", "deconv": "Add", "grouped": "Add", "dense": "Add", "repeat": "Loop"}
    assert {name: found.get(name) for name in expected} == expected


def test_main_operations_are_named_as_by_openvino(folder):
    """nncf.IgnoredScope and others select operations by these names."""
    converted("m.onnx", folder=folder)
    found = operations(openvino.Core().read_model(folder / "m.xml"))
    peer = operations(openvino.convert_model(folder / "m.onnx"))
    named = {name: kind for name, kind in peer.items() if name.endswith("/WithoutBiases")}
    assert set(named) == {"conv/WithoutBiases", "grouped/WithoutBiases", "dense/WithoutBiases"}
    assert {name: found.get(name) for name in named} == named
    # OpenVINO gives these a number, which depends on the process.
    assert found["deconv/WithoutBiases"] == "ConvolutionBackpropData" and found["memory/LSTMSequence"] == "LSTMSequence"


def test_tensors_have_their_names_also_in_bodies(folder):
    converted("m.onnx", folder=folder)
    ours, peer = openvino.Core().read_model(folder / "m.xml"), openvino.convert_model(folder / "m.onnx")
    assert {"v", "twice", "next"} <= tensor_names(body(ours))
    assert tensor_names(body(peer)) - tensor_names(body(ours)) <= {"i", "go_in", "go_out"}
    assert {"c", "d", "g", "m", "h", "r", "x"} <= tensor_names(ours)


def test_runtime_information(folder):
    converted("m.onnx", "--input", "x[1,4,8,8],q[2,4]", "--compress_to_fp16", "--target-runtime", "2025.4", folder=folder)
    model = openvino.Core().read_model(folder / "m.xml")
    facts = {name: model.get_rt_info(["onnx2ir", name]).value for name in ("version", "framework", "opsets", "target_runtime", "input", "compress_to_fp16")}
    assert facts == {
        "version": run("--version").stdout.split()[1],
        "framework": "onnx",
        "opsets": "ai.onnx 17, com.microsoft 1",
        "target_runtime": "2025.4",
        "input": "x[1,4,8,8],q[2,4]",
        "compress_to_fp16": "true",
    }
    converted("m.onnx", "-o", "plain.xml", folder=folder)
    names = [fact.tag for fact in ElementTree.parse(folder / "plain.xml").find("rt_info/onnx2ir")]
    assert names == ["opsets", "version", "framework", "target_runtime", "weights_size", "weights_digest"]


def test_files_do_not_depend_on_the_folder_and_the_time(folder):
    converted("m.onnx", "--threads", "1", folder=folder)
    other = folder / "other folder"
    other.mkdir()
    shutil.copy(folder / "m.onnx", other / "n.onnx")
    limit = [] if "ONNX2IR_SANITIZED" in os.environ else ["--max-memory", "2G"]  # AddressSanitizer maps terabytes
    converted(other / "n.onnx", "-o", other / "m.xml", "--threads", "3", *limit)
    for name in ("m.xml", "m.bin"):
        assert (folder / name).read_bytes() == (other / name).read_bytes()
    assert str(folder.name) not in (folder / "m.xml").read_text()
