"""Rules that convert operators to operations of the IR: the example in docs/extensions.md, attributes, errors with their places."""

import json
import re
import time
from pathlib import Path

import numpy as np
import onnx.parser
import openvino
import pytest
from onnx import TensorProto, helper

from .command import converted, infer, model_file, run

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/extensions.md"
HEADER = '<ir_version: 10, opset_import: ["" : 17, "com.example" : 2]>'
EXAMPLE = HEADER + """
m (float[2, 3] x) => (float[2, 3] y) { y = com.example.Smooth <beta = 1.5, dim = 1> (x) }
"""


def rule_file(folder, *rules):
    (folder / "map.json").write_text(json.dumps({"operators": rules}, indent=1))
    return folder / "map.json"


def rule(operation, attributes=None, **others):
    return {"domain": "com.example", "operator": "Op", "operation": operation, "attributes": attributes or {}} | others


def one_node(inputs, outputs, node):
    return f"{HEADER} m ({inputs}) => ({outputs}) {{ {node} }}"


def test_document(tmp_path):
    [text] = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(), re.S)
    (tmp_path / "operators.json").write_text(text)
    converted(model_file(tmp_path, EXAMPLE), "--operator-map", "operators.json", folder=tmp_path)
    x = np.float32([[1, -2, 3], [0, 0.5, -0.5]])
    parameter = openvino.opset13.parameter([2, 3], np.float32)
    peer = openvino.Model([openvino.opset13.softmax(parameter, 1)], [parameter])
    expected = openvino.Core().compile_model(peer, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(x)[0]
    np.testing.assert_allclose(infer(tmp_path / "model.xml", x=x)["y"], expected, rtol=1e-6)
    assert openvino.Core().read_model(tmp_path / "model.xml").get_rt_info(["onnx2ir", "operator_map"]).value == "operators.json"


X = np.float32([[1.5, -2, 3], [0, 0.5, -0.25]])
CASES = {
    "constant": (rule("Clamp", {"min": {"value": -1}, "max": {"value": 1.5}}), "", "float[2, 3] y", lambda x: np.clip(x, -1, 1.5)),
    "copied": (rule("Clamp", {"min": {"from": "min"}, "max": {"from": "max"}}), "<min = -0.5, max = 2.0>", "float[2, 3] y", lambda x: np.clip(x, -0.5, 2)),
    "default": (rule("Clamp", {"min": {"from": "low", "default": -0.125}, "max": {"from": "high", "default": 9}}), "<high = 1.0>", "float[2, 3] y", lambda x: np.clip(x, -0.125, 1)),
    "type": (rule("Convert", {"destination_type": {"value": "i32"}}), "", "int32[2, 3] y", lambda x: x.astype(np.int32)),
    "type of ONNX": (rule("Convert", {"destination_type": {"from": "to"}}), "<to = 11>", "double[2, 3] y", lambda x: x.astype(np.float64)),
    "opset": (rule("SoftMax", {"axis": {"from": "dim"}}, opset="opset8"), "<dim = -1>", "float[2, 3] y", lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
}


@pytest.mark.parametrize("case", CASES)
def test_attributes(tmp_path, case):
    rules, attributes, output, function = CASES[case]
    model = model_file(tmp_path, one_node("float[2, 3] x", output, f"y = com.example.Op {attributes} (x)"))
    converted(model, "--operator-map", rule_file(tmp_path, rules), folder=tmp_path)
    result, expected = infer(tmp_path / "model.xml", x=X)["y"], function(X)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_inputs_and_inferred_shapes(tmp_path):
    """The operation gets the inputs in another order, and its own inference gives shapes that the model does not declare."""
    model = model_file(tmp_path, one_node("float[2, 3] x, float[n, 2] w, float u", "int64[2] s", "y = com.example.Op (x, u, w) s = Shape (y)"))
    rules = rule("MatMul", {"transpose_a": {"value": False}, "transpose_b": {"value": False}}, inputs=[2, 0])
    done = converted(model, "--operator-map", rule_file(tmp_path, rules), "--input", "x,w[5,2],u", folder=tmp_path)
    assert done.stderr == ""
    assert "MatMul" not in (tmp_path / "model.xml").read_text()  # the shape is a constant
    assert infer(tmp_path / "model.xml", x=X, w=np.zeros((5, 2), np.float32), u=np.float32(0))["s"].tolist() == [5, 3]


def test_outputs(tmp_path):
    rules = rule("TopK", {"axis": {"value": 1}, "mode": {"value": "max"}, "sort": {"value": "value"}, "index_element_type": {"value": "i64"}, "stable": {"value": False}})
    model = model_file(tmp_path, one_node("float[2, 3] x", "float[2, 2] v, int64[2, 2] i", "k = Constant <value = int64 {2}> () v, i = com.example.Op (x, k)"))
    converted(model, "--operator-map", rule_file(tmp_path, rules), folder=tmp_path)
    results = infer(tmp_path / "model.xml", x=X)
    assert results["v"].tolist() == [[3, 1.5], [0.5, 0]] and results["i"].tolist() == [[2, 0], [1, 0]]


def test_bodies_and_versions(tmp_path):
    """The rule with the highest version up to the imported one is used, also in a body."""
    text = HEADER + """
    m (float[2, 3] x, bool c) => (float[2, 3] y) {
      y = If (c) <then_branch = t () => (float[2, 3] a) { a = com.example.Op (x) }, else_branch = e () => (float[2, 3] b) { b = Identity (x) }>
    }"""
    rules = [rule(operation, version=version) for version, operation in ((1, "Abs"), (2, "Negative"), (3, "Floor"))]
    converted(model_file(tmp_path, text), "--operator-map", rule_file(tmp_path, *rules), folder=tmp_path)
    for choice, expected in ((True, -X), (False, X)):
        assert infer(tmp_path / "model.xml", x=X, c=np.array(choice))["y"].tolist() == expected.tolist()


def test_rules_take_precedence(tmp_path):
    """Over a function of the model and over an operator of ONNX."""
    text = HEADER + """
    m (float[2, 3] x) => (float[2, 3] y) { t = com.example.Op (x) y = Relu (t) }
    <domain: "com.example", opset_import: ["" : 17]>
    Op (a) => (b) { b = Identity (a) }"""
    rules = [rule("Negative"), {"operator": "Relu", "operation": "Abs"}]
    converted(model_file(tmp_path, text), "--operator-map", rule_file(tmp_path, *rules), folder=tmp_path)
    assert "Negative" in (tmp_path / "model.xml").read_text() and infer(tmp_path / "model.xml", x=X)["y"].tolist() == np.abs(X).tolist()


def test_an_attribute_without_effect(tmp_path):
    model = model_file(tmp_path, one_node("float[2, 3] x", "float[2, 3] y", "y = com.example.Op <speed = 3> (x)"))
    done = converted(model, "--operator-map", rule_file(tmp_path, rule("Abs")), folder=tmp_path)
    assert "warning: attribute 'speed' has no effect on the converted model [ignored-attribute]" in done.stderr


# The last window begins in the padding, which only opset14 can express.
POOL = rule(
    "AvgPool",
    {"strides": {"value": [2]}, "pads_begin": {"value": [0]}, "pads_end": {"value": [1]}, "kernel": {"value": [1]}}
    | {"exclude-pad": {"value": True}, "rounding_type": {"value": "ceil_torch"}, "auto_pad": {"value": "explicit"}},
    opset="opset1",
)


@pytest.mark.parametrize(
    ("rules", "node", "reason"),
    [
        (rule("Add"), "y = com.example.Op (x)", "Add, to which operators[0] of the operator map converts it, rejects the node: Add cannot have 1 inputs [cannot-convert]"),
        (rule("LogicalNot"), "y = com.example.Op (x)", "LogicalNot, to which operators[0] of the operator map converts it, rejects the node: the input must be boolean [cannot-convert]"),
        (rule("SoftMax", {"axis": {"from": "axis"}}), "y = com.example.Op (x)", "attribute 'axis' is missing [cannot-convert]"),
        (rule("SoftMax", {"axis": {"from": "axis"}}), "y = com.example.Op <axis = 1.5> (x)", "attribute 'axis' has another type than 'axis' of SoftMax [cannot-convert]"),
        (rule("SoftMax", {"axis": {"value": 7}}), "y = com.example.Op (x)", "rejects the node: axis 7 is out of range for rank 2 [cannot-convert]"),
        (POOL, "y = com.example.Op (u)", "operators[0] of the operator map converts it, rejects the node: opset1 cannot express it [cannot-convert]"),
        (rule("Abs"), "y, z = com.example.Op (x)", "its output 1 is not converted [cannot-convert]"),
        (rule("Abs", inputs=[1]), "y = com.example.Op (x)", "input 1 is missing [cannot-convert]"),
    ],
)
def test_nodes_that_a_rule_does_not_fit(tmp_path, rules, node, reason):
    done = run(model_file(tmp_path, one_node("float[2, 3] x, float[1, 1, 4] u", "float y", node)), "--operator-map", rule_file(tmp_path, rules), folder=tmp_path)
    assert done.returncode == 1 and reason in done.stderr, done.stderr


def member(**changes):
    """A file with one rule."""
    return json.dumps({"operators": [{"operator": "Op", "operation": "SoftMax", "attributes": {"axis": {"value": 1}}} | changes]})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ": the text is not JSON: parse error at line 1, column 1"),
        ('{\n"operators": [,]}', ": the text is not JSON: parse error at line 2, column 15"),
        ('{"operators": []} x', ": the text is not JSON: parse error at line 1, column 19"),
        ("[]", ": the file must be an object"),
        ("{}", ": 'operators' is missing"),
        ('{"operators": 3}', ": 'operators' must be a list of rules"),
        ('{"operators": [3]}', ": operators[0]: a rule must be an object"),
        ('{"operators": [], "operator": []}', ": the file has no 'operator'; did you mean 'operators'?"),
        ('{"operators": [], "operators": []}', ": 'operators' is given twice"),
        ("[" * 17 + "]" * 17, ": values are nested more than 16 deep"),
        ('{"operators": [{"operation": "Abs"}]}', ": operators[0]: 'operator' is missing"),
        (member(operator=""), ": operators[0]: 'operator' must not be empty"),
        (member(operator=3), ": operators[0]: 'operator' must be a text"),
        (member(domains="x"), ": operators[0]: a rule has no 'domains'; did you mean 'domain'?"),
        (member(operation="Softmax"), ": operators[0]: there is no operation 'Softmax'; did you mean 'SoftMax'?"),
        (member(operation="Loop"), ": operators[0]: the operation 'Loop' cannot be used in a rule"),
        (member(operation="Const"), ": operators[0]: the operation 'Const' cannot be used in a rule"),
        (member(attributes={}), ": operators[0]: SoftMax needs the attribute 'axis'"),
        (member(attributes=3), ": operators[0]: 'attributes' must be an object"),
        (member(attributes={"axes": {"value": 1}}), ": operators[0]: SoftMax has no attribute 'axes'; did you mean 'axis'?"),
        (member(attributes={"axis": 1}), ": operators[0]: attribute 'axis' must be an object"),
        (member(attributes={"axis": {"value": "1"}}), ": operators[0]: attribute 'axis' of SoftMax must be an integer"),
        (member(attributes={"axis": {"value": 1.5}}), ": operators[0]: attribute 'axis' of SoftMax must be an integer"),
        (member(attributes={"axis": {"value": 1e30}}), ": operators[0]: attribute 'axis' of SoftMax must be an integer"),
        (member(attributes={"axis": {}}), ": operators[0]: attribute 'axis' needs either 'value', or 'from' with or without 'default'"),
        (member(attributes={"axis": {"value": 1, "from": "x"}}), ": operators[0]: attribute 'axis' needs either 'value', or 'from' with or without 'default'"),
        (member(attributes={"axis": {"value": 1, "default": 1}}), ": operators[0]: attribute 'axis' needs either 'value', or 'from' with or without 'default'"),
        (member(attributes={"axis": {"source": "x"}}), ": operators[0]: attribute 'axis' has no 'source'"),
        (member(operation="Convert", attributes={"destination_type": {"value": "float32"}}), ': operators[0]: attribute \'destination_type\' of Convert must be an element type of the IR, such as "f32"'),
        (member(opset="opset99"), ": operators[0]: SoftMax is not in 'opset99', but in: opset8"),
        (member(operation="ScatterNDUpdate", attributes={"reduction": {"value": "sum"}}, opset="opset4"), ": operators[0]: ScatterNDUpdate of opset4 has no attribute 'reduction'"),
        (member(operation="ScatterNDUpdate", attributes={}, opset="opset5"), ": operators[0]: ScatterNDUpdate is not in 'opset5', but in: opset4, opset15"),
        (member(version=0), ": operators[0]: 'version' must be an integer of at least 1"),
        (member(version="1"), ": operators[0]: 'version' must be an integer of at least 1"),
        (member(inputs=[-1]), ": operators[0]: 'inputs' must be a list of indices of inputs, from 0 to 1023"),
        (member(inputs=[1.5]), ": operators[0]: 'inputs' must be a list of indices of inputs, from 0 to 1023"),
        ('{"operators": [{"operator": "Op", "operation": "Abs"}, {"domain": "ai.onnx", "operator": "Op", "operation": "Abs"}]}', ": operators[1]: there are two rules for version 1 of the operator 'Op'"),
    ],
)  # fmt: skip
def test_wrong_files(tmp_path, text, problem):
    (tmp_path / "map.json").write_text(text)
    done = run(model_file(tmp_path, EXAMPLE), "--operator-map", "map.json", folder=tmp_path)
    assert done.returncode == 1 and f"error: map.json{problem} [bad-extension]" in done.stderr, done.stderr
    assert "hint: `onnx2ir explain extensions` describes the file" in done.stderr


def test_unreadable_files(tmp_path):
    model = model_file(tmp_path, EXAMPLE)
    done = run(model, "--operator-map", "absent.json", folder=tmp_path)
    assert done.returncode == 1 and "error: the operator map 'absent.json' cannot be read: " in done.stderr
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate((16 << 20) + 1)
    done = run(model, "--operator-map", "large.json", folder=tmp_path)
    assert done.returncode == 1 and "error: the operator map 'large.json' is larger than 16777216 bytes [bad-extension]" in done.stderr


def test_large_files_take_linear_time(tmp_path):
    """Many rules, and many keys of one object: about a second each, where quadratic time would be minutes."""
    start = time.monotonic()
    rules = [rule("Abs", operator=f"Op{i}", version=i % 7 + 1) for i in range(50_000)]
    model = model_file(tmp_path, one_node("float[2, 3] x", "float[2, 3] y", "y = com.example.Op42 (x)"))
    converted(model, "--operator-map", rule_file(tmp_path, *rules), folder=tmp_path)
    keys = ",\n".join(f'"{"k" * (i % 50)}{i}": 1' for i in range(200_000))
    (tmp_path / "keys.json").write_text(f'{{"operators": [{{{keys}}}]}}')
    done = run(model, "--operator-map", "keys.json", folder=tmp_path)
    assert done.returncode == 1 and "keys.json: operators[0]: a rule has no '0'" in done.stderr
    assert time.monotonic() - start < 40


def test_hint(tmp_path):
    done = run(model_file(tmp_path, EXAMPLE), folder=tmp_path)
    assert done.returncode == 1 and "hint: `onnx2ir explain extensions`: --operator-map converts the operator to an operation of the IR" in done.stderr


def test_unused_rules_change_nothing(tmp_path):
    text = one_node("float[2, 3] x", "float[2, 3] y", "y = Relu (x)")
    model = model_file(tmp_path, text, lambda m: m.graph.value_info.append(helper.make_tensor_value_info("q", TensorProto.FLOAT, None)))
    converted(model, "--operator-map", rule_file(tmp_path, rule("Abs")), folder=tmp_path)
    assert infer(tmp_path / "model.xml", x=X)["y"].tolist() == np.maximum(X, 0).tolist()
