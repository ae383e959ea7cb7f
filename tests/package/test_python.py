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


def test_errors(onnx2ir):
    with pytest.raises(onnx2ir.ConversionError, match="example.Second is not supported") as raised:
        onnx2ir.convert(REPOSITORY / "tests/errors/bad_unsupported_operators.onnxtxt")
    assert {diagnostic.severity for diagnostic in raised.value.diagnostics} == {"error"}
    assert len(raised.value.diagnostics) > 1 and raised.value.diagnostics[0].place.op_type
    with pytest.raises(onnx2ir.ConversionError):
        onnx2ir.convert(b"no model")
    with pytest.raises(TypeError):
        onnx2ir.convert(3)
