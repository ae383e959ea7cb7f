"""ReduceMax and ReduceMin: one operation if no element can be infinite, otherwise of halved elements (fault
extremum_of_infinities)."""

import numpy as np
import onnx.parser
import openvino as ov
import pytest

from .runtime import CONFIG
from .tool import convert, tool_path

MODEL = '<ir_version: 9, opset_import: ["" : 17]> m (float[3, 4] x) => (float[3] y) {{ b = {bound} (x) y = {op} <axes = [1], keepdims = 0> (b) }}'

SCALED = """<ir_version: 9, opset_import: ["" : 17]> m (float[N, 4] x) => (float[{shape}] y) <float factor = {{0.5}}>
{{ peak = {op} <axes = [{axis}], keepdims = 0> (x) y = Mul (peak, factor) }}"""
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
    assert names.count("Multiply") + names.count("Add") == (0 if is_one else 2)
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


@pytest.mark.parametrize("op, least", [("ReduceMax", -np.inf), ("ReduceMin", np.inf)])
@pytest.mark.parametrize("axis, shape", [(0, 4), (1, "N")])
def test_scaled_extremum(tmp_path, op, least, axis, shape):
    compiled = ov.Core().compile_model(converted(tmp_path, SCALED.format(op=op, axis=axis, shape=shape)), "CPU", CONFIG)
    extremum = np.max if op == "ReduceMax" else np.min
    for rows in (2, 0, 3):
        x = np.full((rows, 4), least, np.float32)
        x[rows - 1 : rows, 1] = 3
        np.testing.assert_array_equal(compiled([x])[0], extremum(x, axis, initial=least) * np.float32(0.5))
