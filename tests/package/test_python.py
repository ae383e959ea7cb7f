"""The Python module of the installed package, and what it converts run by OpenVINO."""

import importlib.util
import sys

import numpy as np
import onnx
import openvino
import pytest

from .test_package import MODEL, REPOSITORY, installed

__all__ = ["installed"]


@pytest.fixture(scope="module")
def onnx2ir(installed):
    (library,) = installed.rglob("site-packages/onnx2ir.*.so")
    specification = importlib.util.spec_from_file_location("onnx2ir", library)
    module = sys.modules["onnx2ir"] = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    yield module
    del sys.modules["onnx2ir"]


def run_documented_example(model):
    """The first Loop example of the ONNX specification, with its documented results."""
    y, scan = openvino.Core().compile_model(model, "CPU")({"trip_count": np.int64(5), "cond": np.array(True), "y": np.array([-2], np.float32)}).values()
    return y.tolist() == [13] and scan.ravel().tolist() == [-1, 1, 4, 8, 13]


@pytest.mark.parametrize("form", ["path", "bytes", "ModelProto"])
def test_convert(onnx2ir, form):
    source = {"path": lambda: MODEL, "bytes": MODEL.read_bytes, "ModelProto": lambda: onnx.load(MODEL)}[form]()
    model = onnx2ir.convert(source)
    assert [port.name for port in model.inputs] == ["trip_count", "cond", "y"]
    assert [(port.name, port.element_type, port.shape) for port in model.outputs] == [("res_y", "f32", [-1]), ("res_scan", "f32", [-1, -1])]
    assert run_documented_example(openvino.Core().read_model(model.xml(), model.weights()))


def test_save(onnx2ir, tmp_path):
    onnx2ir.convert(str(MODEL)).save(tmp_path / "loop.xml")
    assert run_documented_example(tmp_path / "loop.xml")
    with pytest.raises(OSError, match="no/such/folder"):
        onnx2ir.convert(MODEL).save("no/such/folder/loop.xml")


def test_save_keeps_other_files(onnx2ir, tmp_path):
    source = tmp_path / "source.xml"
    source.write_bytes(MODEL.read_bytes())
    model = onnx2ir.convert(source)
    with pytest.raises(OSError, match="cannot both be written"):
        model.save(tmp_path / "x.bin")
    with pytest.raises(OSError, match="cannot both be written"):
        model.save(tmp_path / "p.xml", tmp_path / "p.xml")
    with pytest.raises(OSError, match="which the model is read from"):
        model.save(source)
    with pytest.raises(OSError, match="which the model is read from"):
        model.save(tmp_path / "p.xml", source)
    with pytest.raises(ValueError, match="'replaced', 'always' or 'never'"):
        model.save(tmp_path / "p.xml", sync="sometimes")
    assert [path.name for path in tmp_path.iterdir()] == ["source.xml"]
    # A file that was removed is no input any more, even if another one gets its inode number.
    source.unlink()
    for _ in range(3):
        model.save(source, sync="never")


def test_check_files(onnx2ir, tmp_path):
    onnx2ir.convert(MODEL).save(tmp_path / "p.xml", tmp_path / "w.bin", sync="always")
    onnx2ir.check_files(tmp_path / "p.xml", tmp_path / "w.bin")
    with pytest.raises(OSError, match="No such file"):
        onnx2ir.check_files(tmp_path / "p.xml")
    weights = (tmp_path / "w.bin").read_bytes()
    (tmp_path / "w.bin").write_bytes(bytes([weights[0] ^ 1]) + weights[1:])
    with pytest.raises(OSError, match="do not belong together"):
        onnx2ir.check_files(tmp_path / "p.xml", tmp_path / "w.bin")


def test_changed_input(onnx2ir, tmp_path):
    """Weights are read when the model is saved: those of a changed file are not taken."""
    path = tmp_path / "large.onnx"
    tensor = onnx.numpy_helper.from_array(np.ones(1 << 16, np.float32), "w")
    real = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", [real("x", 1, [1 << 16])], [real("y", 1, [1 << 16])], [tensor])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path)
    model = onnx2ir.convert(path)
    with open(path, "r+b") as file:
        file.truncate(1000)
    with pytest.raises(OSError, match="became shorter"):
        model.save(tmp_path / "p.xml")
    with pytest.raises(RuntimeError, match="became shorter"):
        model.weights()
    assert not (tmp_path / "p.xml").exists()


def test_errors(onnx2ir):
    with pytest.raises(onnx2ir.ConversionError, match="example.Second is not supported") as raised:
        onnx2ir.convert(REPOSITORY / "tests/errors/bad_unsupported_operators.onnxtxt")
    assert {diagnostic.severity for diagnostic in raised.value.diagnostics} == {"error"}
    assert len(raised.value.diagnostics) > 1 and raised.value.diagnostics[0].place.op_type
    with pytest.raises(onnx2ir.ConversionError):
        onnx2ir.convert(b"no model")
    with pytest.raises(TypeError):
        onnx2ir.convert(3)
