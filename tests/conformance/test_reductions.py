"""ReduceMax and ReduceMin: one operation if no element can be infinite, otherwise of halved elements (fault
extremum_of_infinities)."""

import numpy as np
import onnx.parser
import openvino as ov
import pytest

from .runtime import CONFIG
from .tool import convert, tool_path

MODEL = '<ir_version: 9, opset_import: ["" : 17]> m (float[3, 4] x) => (float[3] y) {{ b = {bound} (x) y = {op} <axes = [1], keepdims = 0> (b) }}'


def converted(tmp_path, op, bound):
    source, target = tmp_path / "m.onnx", tmp_path / "m.xml"
    source.write_bytes(onnx.parser.parse_model(MODEL.format(op=op, bound=bound)).SerializeToString())
    convert(tool_path(), source, target)
    return ov.Core().read_model(target)


@pytest.mark.parametrize("op, bound, is_one", [
    ("ReduceMax", "Tanh", True), ("ReduceMin", "Tanh", True), ("ReduceMax", "Relu", True), ("ReduceMin", "Relu", False),
    ("ReduceMax", "Neg", False), ("ReduceMin", "Neg", False),
])  # fmt: skip
def test_form_and_infinities(tmp_path, op, bound, is_one):
    model = converted(tmp_path, op, bound)
    names = [node.get_type_name() for node in model.get_ops()]
    assert names.count("Multiply") == (0 if is_one else 2)
    x = np.array([[np.inf] * 4, [-np.inf] * 4, [1, 2, -3, np.inf]], np.float32)
    bounded = {"Tanh": np.tanh, "Relu": lambda v: np.maximum(v, 0), "Neg": np.negative}[bound](x)
    expected = (np.max if op == "ReduceMax" else np.min)(bounded, 1)
    np.testing.assert_allclose(ov.Core().compile_model(model, "CPU", CONFIG)([x])[0], expected, rtol=1e-6)
