"""Runs the command line tool on models in ONNX text, and reads its output."""

import subprocess

import numpy as np
import onnx.parser
import onnxruntime
import openvino

from ..conformance.tool import tool_path

IMAGE_AND_LENGTH = """
<ir_version: 10, opset_import: ["" : 17]>
ocr (float[batch, height, width, 1] data, int64[n] seq_len) => (float[batch, height, width, 1] sum, int64[n] lengths) {
  one = Constant <value = float {1.0}> ()
  more = Relu (data)
  sum = Add (more, one)
  lengths = Neg (seq_len)
}
"""


def onnx_file(path, text):
    """Writes the model in `text` to `path` as protobuf."""
    onnx.save(onnx.parser.parse_model(text), path)
    return path


def model_file(folder, text, change=None):
    """Writes the model in `text`, after `change` of it, to model.onnx in `folder`."""
    model = onnx.parser.parse_model(text)
    if change is not None:
        change(model)
    onnx.save(model, folder / "model.onnx")
    return folder / "model.onnx"


def run(*arguments, folder=None, **options):
    return subprocess.run(
        [tool_path(), *(str(argument) for argument in arguments)], cwd=folder, capture_output=True, timeout=120, check=False, **({"stdin": subprocess.DEVNULL, "text": True} | options)
    )


def converted(*arguments, folder=None, **options):
    """Runs a conversion that must succeed."""
    done = run(*arguments, folder=folder, **options)
    assert done.returncode == 0, done.stderr
    return done


def interface(xml):
    """Names, types and shapes of inputs and outputs, as OpenVINO reads the file."""
    model = openvino.Core().read_model(xml)
    return [[(port.any_name, port.element_type.get_type_name(), str(port.partial_shape)) for port in ports] for ports in (model.inputs, model.outputs)]


def infer(xml, **feeds):
    """The outputs of an IR by name."""
    model = openvino.Core().read_model(xml)
    names = [output.any_name for output in model.outputs]
    results = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(feeds)
    return dict(zip(names, results.values(), strict=True))


def infer_onnx(path, outputs, **feeds):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return dict(zip(outputs, session.run(outputs, feeds), strict=True))


def assert_equal(results, expected):
    assert results.keys() == expected.keys()
    for name, value in expected.items():
        assert results[name].dtype == value.dtype and results[name].shape == value.shape
        np.testing.assert_allclose(results[name], value, rtol=1e-5)
