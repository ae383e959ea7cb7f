"""The codes of errors and warnings: docs/diagnostics.md is generated from the tool's own table (--update rewrites it), and each code
is emitted by a test."""

import json
import os
import re
import subprocess
from pathlib import Path

import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper

from .conformance.tool import tool_path
from .expectations import check_text

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "diagnostics.md"
TEXT = """# Codes of errors and warnings

Generated from `onnx2ir --list-diagnostics` by `./dev test --update tests/test_diagnostics.py`; do not edit.

Each error, warning and remark has a code, which does not change between versions: in brackets after a message, as `code` in JSON
and in Python, as `onnx2ir::DiagnosticCode` in C++.

| code | meaning | what to do |
|---|---|---|
{rows}"""
RELU = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[2] x) => (float[2] y) { y = Relu (x) }
"""


def listed():
    done = subprocess.run([tool_path(), "--list-diagnostics"], capture_output=True, text=True, timeout=60, check=True)
    return [line.split("  ") for line in done.stdout.splitlines()]


def test_document(request):
    rows = "".join(f"| `{code}` | {meaning} | {remedy} |\n" for code, meaning, remedy in listed())
    check_text(DOCUMENT, TEXT.format(rows=rows), request.config.getoption("--update"))


def test_the_table_is_sorted_and_complete():
    rows = listed()
    codes = [code for code, _, _ in rows]
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"\S.*\.", text) for _, *texts in rows for text in texts)


def parsed(text, change=None):
    model = onnx.parser.parse_model(text)
    if change is not None:
        change(model)
    return model


def without_ir_version(model):
    model.ClearField("ir_version")


def without_graph(model):
    model.ClearField("graph")


def without_output_name(model):
    model.graph.output[0].name = ""


def second_import(model):
    model.opset_import.append(helper.make_opsetid("", 16))


def unimported_domain(model):
    model.graph.node[0].domain = "com.example"


def many_errors(model):
    for _ in range(1000):
        model.graph.node.append(helper.make_node("Relu", ["absent"], ["y"]))


def many_nodes(model):
    for i in range(1000):
        model.graph.node.append(helper.make_node("Relu", ["y" if i == 0 else f"y{i - 1}"], [f"y{i}"]))
    model.graph.output[0].name = "y999"


def external_data(model):
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2], [1, 2])
    weight.ClearField("float_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="absent.data")
    model.graph.initializer.append(weight)


def short_tensor(model):
    model.graph.initializer.append(TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], raw_data=b"123"))


def complex_initializer(model):
    model.graph.initializer.append(helper.make_tensor("w", TensorProto.COMPLEX64, [1], [1 + 2j]))
    model.graph.node[0].CopyFrom(helper.make_node("Add", ["w", "w"], ["y"]))


def map_input(model):
    map_type = onnx.TypeProto()
    map_type.map_type.key_type = TensorProto.INT64
    map_type.map_type.value_type.CopyFrom(helper.make_tensor_type_proto(TensorProto.FLOAT, [1]))
    model.graph.input.append(helper.make_value_info("m", map_type))


def empty_sequence_output(model):
    model.graph.node[0].CopyFrom(helper.make_node("SequenceEmpty", [], ["y"]))
    element = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    model.graph.output[0].CopyFrom(helper.make_value_info("y", helper.make_sequence_type_proto(element)))


def zip_map(model):
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    model.graph.node.append(helper.make_node("ZipMap", ["y"], ["z"], domain="ai.onnx.ml", classlabels_int64s=[0, 1]))
    model.graph.node[0].CopyFrom(helper.make_node("Relu", ["x"], ["y"]))
    map_type = onnx.TypeProto()
    map_type.map_type.key_type = TensorProto.INT64
    map_type.map_type.value_type.CopyFrom(helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    model.graph.output[0].CopyFrom(helper.make_value_info("z", helper.make_sequence_type_proto(map_type)))


def other_declaration(model):
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 3


CALL = """
<ir_version: 10, opset_import: ["" : 17, "local" : 1]>
m (float[2] x) => (float[2] y) { y = local.twice (x) }
<domain: "local", opset_import: ["" : 17]>
twice (a) => (c) { b = Relu (a) c = Relu (b) }
"""


def unnamed_function(model):
    model.functions[0].name = ""


OUTER = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[2] x, bool c) => (float[2] y) {
    y = If (c) <then_branch = t () => (float[2] x) {}, else_branch = e () => (float[2] b) { b = Relu (x) }>
}
"""
CACHE = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[b,h,s,8] x, float[b,h,t,8] past_key) => (float[b,h,u,8] present_key) {
    present_key = Concat <axis = 2> (past_key, x)
}
"""
BRANCHES = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[2,3] x, bool c) => (float[n,m] y)
<int64[1] s = {7}>
{
    y = If (c) <then_branch = t () => (float[n,m] a) { a = Relu (x) },
                else_branch = e () => (float[n,m] b) { t = Concat <axis = 0> (s, s) b = Reshape (x, t) }>
}
"""

IGNORED = """
<ir_version: 10, opset_import: ["" : 17, "com.microsoft" : 1]>
m (float[2,3] x) => (float[2,3] y) { y = com.microsoft.Gelu <approximated = 1> (x) }
"""

DEFAULT = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[2] x, float[2] a = {1, 2}) => (float[2] y) { y = Add (x, a) }
"""

POWERS = """
<ir_version: 10, opset_import: ["" : 17]>
m (int64[2] x) => (int64[2] y) { y = Pow (x, x) }
"""

SQUEEZE = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[n,1] x) => (float[n] y) { y = Squeeze (x) }
"""

UNKNOWN = """
<ir_version: 10, opset_import: ["" : 17, "com.example" : 1]>
m (float[2] x) => (float[2] y) { y = com.example.Frobnicate (x) }
"""

# The model and the options that give each code.
RUNS = {
    "declared-output": (parsed(RELU, other_declaration), []),
    "bad-extension": (parsed(RELU), ["--operator-map", "absent.json"]),
    "bad-external-data": (parsed(RELU, external_data), []),
    "assumed-rank": (parsed(SQUEEZE), []),
    "bad-initializer": (parsed(RELU, complex_initializer), []),
    "bad-interface": (parsed(RELU), ["--input", "absent[1]"]),
    "bad-target-runtime": (parsed(RELU), ["--target-runtime", "1.0"]),
    "branch-never-taken": (parsed(BRANCHES), []),
    "cannot-write": (parsed(RELU), ["-o", "/proc/m.xml"]),
    "ignored-attribute": (parsed(IGNORED), []),
    "inexact-number": (parsed(POWERS), []),
    "input-default": (parsed(DEFAULT), []),
    "invalid-function": (parsed(CALL, unnamed_function), []),
    "invalid-graph": (parsed(RELU, without_output_name), []),
    "invalid-model": (parsed(RELU, without_graph), []),
    "invalid-tensor": (parsed(RELU, short_tensor), []),
    "kept-operator": (parsed(UNKNOWN), ["--keep-unknown"]),
    "missing-opset-import": (parsed(RELU, unimported_domain), []),
    "more-errors": (parsed(RELU, many_errors), []),
    "no-cache": (parsed(RELU), ["--stateful"]),
    "no-ir-version": (parsed(RELU, without_ir_version), []),
    "out-of-memory": (parsed(RELU, many_nodes), ["--max-memory", "1K"]),
    "outer-value-returned": (parsed(OUTER), []),
    "repeated-import": (parsed(RELU, second_import), []),
    "too-many-nodes": (parsed(CALL), ["--max-function-nodes", "1"]),
    "unknown-cache-size": (parsed(CACHE), ["--stateful"]),
    "unsupported-input": (parsed(RELU, map_input), []),
    "unsupported-output": (parsed(RELU, empty_sequence_output), []),
    "zipmap-dropped": (parsed(RELU, zip_map), []),
}
# Codes that are not caused by a model alone, and their tests.
ELSEWHERE = {
    "cache-is-input": "tests/conformance/test_cache_forms.py",
    "fp16-range": "tests/conformance/test_half_precision.py",
    "cancelled": "tests/unit/options_test.cpp",
    "internal-error": "tests/unit/diagnostic_test.cpp",
    "not-a-pair": "tests/unit/diagnostic_test.cpp",
    "unreadable-input": "tests/unit/diagnostic_test.cpp",
    "unreadable-ir": "tests/package/test_python_ir.py",
}


@pytest.mark.parametrize("code", RUNS)
def test_run(code, tmp_path):
    if code == "out-of-memory" and "ONNX2IR_SANITIZED" in os.environ:
        pytest.skip("./dev test: AddressSanitizer maps terabytes")
    model, options = RUNS[code]
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    options = options if "-o" in options else [*options, "-o", str(tmp_path / "out.xml")]
    done = subprocess.run(
        [tool_path(), str(path), "--diagnostics-format", "json", *options],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    codes = {finding["code"] for finding in json.loads(done.stderr)}
    assert code in codes, done.stderr


def test_each_code_is_emitted_by_a_test():
    texts = [path.read_text() for folder in ("errors", "passes") for path in (ROOT / "tests" / folder).rglob("*.*") if path.suffix in (".stderr", ".ir")]
    emitted = {code for text in texts for code in re.findall(r"\[([a-z0-9-]+)\]$", text, re.MULTILINE)}
    emitted |= set(RUNS) | set(ELSEWHERE)
    assert {code for code, _, _ in listed()} <= emitted


def test_hints_have_one_style():
    """A hint begins with a small letter, unless with the name of an operator, and has no full stop."""
    folders = ("frontend", "api", "base", "backend_xml")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.cpp")]
    literals = [literal for path in sources for literal in re.findall(r'"([A-Z][^"\n]*\.)"[,;)}]', path.read_text())]
    assert literals == []
    expected = (ROOT / "tests" / "errors").rglob("*.stderr")
    hints = [hint for path in expected for hint in re.findall(r"^ *hint: (.*)$", path.read_text(), re.MULTILINE)]
    assert hints
    operators = {schema.name for schema in onnx.defs.get_all_schemas()}
    first_words = [first[0] for hint in hints if (first := re.match("[A-Z][a-z]+(?= )", hint))]
    assert set(first_words) <= operators
    assert not any(hint.endswith(".") for hint in hints)


@pytest.mark.parametrize("code", ELSEWHERE)
def test_codes_without_a_model_are_in_the_named_test(code):
    text = (ROOT / ELSEWHERE[code]).read_text()
    assert "DiagnosticCode::" + code.replace("-", "_") in text or f'"{code}"' in text


@pytest.mark.parametrize(
    ("declared", "computed"),
    [("float[3]", "f32[2]"), ("float[2, 1]", "f32[2]"), ("float", "f32[2]"), ("int64[2]", "f32[2]"), ("float[2]", None), ("float[n]", None), ("float[]", None)],
)
def test_declared_output(declared, computed, tmp_path):
    """A declaration that contradicts the graph is a warning, and the IR has the computed shape."""
    (tmp_path / "m.onnxtxt").write_text(RELU.replace("=> (float[2] y)", f"=> ({declared} y)"))
    done = subprocess.run([tool_path(), "m.onnxtxt"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert ("[declared-output]" in done.stderr) == (computed is not None), done.stderr
    if computed:
        assert f"but the graph computes {computed}" in done.stderr
    assert "<dim>2</dim>" in (tmp_path / "m.xml").read_text()


def test_requested_shapes_may_differ_from_declared_outputs(tmp_path):
    (tmp_path / "m.onnxtxt").write_text(RELU)
    done = subprocess.run([tool_path(), "m.onnxtxt", "--input", "x[5]"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
