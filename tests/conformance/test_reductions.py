"""ReduceMax and ReduceMin: one operation if no element can be infinite, otherwise of halved elements (fault
extremum_of_infinities)."""

import numpy as np
import onnx.parser
import openvino as ov
import pytest

from .runtime import CONFIG
from .tool import convert, tool_path

MODEL = '<ir_version: 9, opset_import: ["" : 17]> m (float[3, 4] x) => (float[3] y) {{ b = {bound} (x) y = {op} <axes = [1], keepdims = 0> (b) }}'

COMPARED = """<ir_version: 9, opset_import: ["" : 17]> m (float[3, 4] x) => (bool[3] y) <float limit = {{{limit}}}>
{{ peak = {op} <axes = [1], keepdims = 0> (x) y = {comparison} (peak, limit) }}"""


def converted(tmp_path, text):
    source, target = tmp_path / "m.onnx", tmp_path / "m.xml"
    source.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    convert(tool_path(), source, target)
    return ov.Core().read_model(target)


@pytest.mark.parametrize("op, bound, is_one", [
    ("ReduceMax", "Tanh", True), ("ReduceMin", "Tanh", True), ("ReduceMax", "Relu", True), ("ReduceMin", "Relu", False),
    ("ReduceMax", "Neg", False), ("ReduceMin", "Neg", False),
])  # fmt: skip
def test_form_and_infinities(tmp_path, op, bound, is_one):
    model = converted(tmp_path, MODEL.format(op=op, bound=bound))
    names = [node.get_type_name() for node in model.get_ops()]
    assert names.count("Multiply") == (0 if is_one else 2)
    x = np.array([[np.inf] * 4, [-np.inf] * 4, [1, 2, -3, np.inf]], np.float32)
    bounded = {"Tanh": np.tanh, "Relu": lambda v: np.maximum(v, 0), "Neg": np.negative}[bound](x)
    expected = (np.max if op == "ReduceMax" else np.min)(bounded, 1)
    np.testing.assert_allclose(ov.Core().compile_model(model, "CPU", CONFIG)([x])[0], expected, rtol=1e-6)


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
@pytest.mark.parametrize("comparison, compared", [
    ("Less", np.less), ("LessOrEqual", np.less_equal), ("Greater", np.greater), ("GreaterOrEqual", np.greater_equal), ("Equal", np.equal),
])  # fmt: skip
@pytest.mark.parametrize("limit", [1e6, -1e30])
def test_comparison_of_one_operation(tmp_path, op, comparison, compared, limit):
    model = converted(tmp_path, COMPARED.format(op=op, comparison=comparison, limit=limit))
    assert "Multiply" not in [node.get_type_name() for node in model.get_ops()]
    x = np.array([[np.inf] * 4, [-np.inf] * 4, [limit, -np.inf, limit, -np.inf]], np.float32)
    expected = compared((np.max if op == "ReduceMax" else np.min)(x, 1), np.float32(limit))
    np.testing.assert_array_equal(ov.Core().compile_model(model, "CPU", CONFIG)([x])[0], expected)
