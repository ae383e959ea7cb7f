"""Libraries with translators: what they can read and emit, precedence, versions, and errors. tests/package builds the example with the
installed package."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import openvino
import pytest
from onnx import TensorProto, helper

from .command import converted, infer, model_file, run
from .extension_library import EXAMPLE, START, compiled, converts, library

HEADER = '<ir_version: 10, opset_import: ["" : 17, "com.example" : 2, "org.example" : 1]>'
X = np.float32([[1.5, -2, 3], [0, 0.5, -0.25]])


def one_node(node, inputs="float[2, 3] x", outputs="float[2, 3] y"):
    return f"{HEADER} m ({inputs}) => ({outputs}) {{ {node} }}"


OP = one_node("y = com.example.Op (x)")
ABS = converts("Op", 'return {node.op("Abs", {node.input(0)})};')


def test_example(tmp_path):
    """Two versions of an operator in two models, and another domain."""
    swirl = compiled(tmp_path / "libswirl.so", EXAMPLE.read_text())
    text = HEADER + """
    m (float[2, 3] x, float[3] scale) => (float[2, 3] y) {
      a = com.example.Swirl <turns = 4, strength = 0.5> (x)
      b = org.example.Norm (a, scale)
      y = org.example.Norm <epsilon = 1.0> (b)
    }"""
    scale = np.float32([1, -2, 0.5])

    def norm(x, epsilon):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)

    for version, strength in ((2, 0.5), (1, 1)):
        converted(model_file(tmp_path, text.replace('"com.example" : 2', f'"com.example" : {version}')), "--extension", swirl, folder=tmp_path)
        expected = norm(norm(np.roll(X, 4, -1) * strength, 1e-5) * scale, 1)
        np.testing.assert_allclose(infer(tmp_path / "model.xml", x=X, scale=scale)["y"], expected, rtol=1e-5)
    assert openvino.Core().read_model(tmp_path / "model.xml").get_rt_info(["onnx2ir", "extension"]).value == "libswirl.so"
    done = run(model_file(tmp_path, one_node("y = com.example.Swirl <turns = 1> (x)", "float[2, n] x", "float[2, n] y")), "--extension", swirl, folder=tmp_path)
    assert done.returncode == 1 and "the extension '" in done.stderr
    assert "libswirl.so' cannot convert the node: the size of its last axis is not known [cannot-convert]" in done.stderr
    assert "hint: give the inputs of the model static shapes with --input" in done.stderr


READS = """
  if (node.op_type() != "Op" || node.domain() != "com.example" || node.name() != "the node" || node.opset() != 2) node.fail("names");
  if (node.input_count() != 3 || node.has_input(1) || !node.has_input(2) || node.has_input(3)) node.fail("inputs");
  if (node.output_count() != 3 || !node.has_output(0) || node.has_output(1) || !node.has_output(2)) node.fail("outputs");
  if (node.integer("i") != -7 || node.integer("j", 3) != 3 || node.real("r") != 0.5 || node.real("s", 2) != 2) node.fail("numbers");
  if (node.text("t") != "a b" || node.text("u", "c") != "c" || node.has_attribute("u")) node.fail("texts");
  if (node.integers("is") != std::vector<std::int64_t>{1, 2} || !node.integers("none").empty()) node.fail("integers");
  if (node.reals("rs") != std::vector<double>{1, 2.5} || !node.reals("none").empty()) node.fail("reals");
  if (node.texts("ts") != std::vector<std::string>{"a", ""} || !node.texts("none").empty()) node.fail("texts");
  const Value x = node.input(0), known = node.input(2), tensor = node.tensor("v");
  if (x.type() != "f32" || x.shape() != std::vector<std::int64_t>{2, -1} || x.integers() || x.numbers()) node.fail("x");
  if (known.integers() != std::vector<std::int64_t>{4, 5} || known.type() != "i64") node.fail("known");
  if (tensor.numbers() != std::vector<double>{0.5, -1} || tensor.type() != "f64") node.fail("tensor");
  if (node.element_type(11) != "f64") node.fail("element type");
  const Value sum = node.op("Add", {node.op("Convert", {tensor}, {{"destination_type", "f32"}}), node.number(0.25, "f32")});
  return {node.op("ReduceSum", {x, node.integer_constant(1)}, {{"keep_dims", false}}), {}, sum};
"""


def test_what_a_translator_reads(tmp_path):
    """Names, inputs and outputs that are omitted, attributes of every kind, known elements, types and shapes."""
    text = one_node("k = Constant <value = int64[2] {4, 5}> () y, , z = com.example.Op <i = -7, r = 0.5, t = \"a b\", is = [1, 2], rs = [1.0, 2.5], ts = [\"a\", \"\"], v = double[2] {0.5, -1}> (x, , k)",
                    "float[2, n] x", "float[2] y, float[2] z")  # fmt: skip

    def change(model):
        model.graph.node[-1].name = "the node"

    done = converted(model_file(tmp_path, text, change), "--extension", library(tmp_path / "reads.so", converts("Op", READS)), folder=tmp_path)
    assert done.stderr == ""
    results = infer(tmp_path / "model.xml", x=X)
    assert results["y"].tolist() == X.sum(1).tolist() and results["z"].tolist() == [0.75, -0.75]
    names = [op.get_friendly_name() for op in openvino.Core().read_model(tmp_path / "model.xml").get_ops()]
    assert "the node" in names


def test_several_outputs_lists_and_constants(tmp_path):
    body = """
      const Values parts = node.ops("Split", {node.input(0), node.integer_constant(1)}, {{"num_splits", 3}}, 3);
      const Value padded = node.op("Pad", {parts[2], node.integer_vector({0, 1}), node.integer_vector({0, 0}), node.number(7, "f32")}, {{"pad_mode", "constant"}});
      const float raw[] = {10, 20, 30, 40};
      return {node.op("Concat", {parts[1], parts[0]}, {{"axis", 1}}), node.op("Add", {padded, node.constant(raw, sizeof raw, {2, 2}, "f32")})};"""
    text = one_node("a, b = com.example.Op (x)", outputs="float[2, 2] a, float[2, 2] b")
    converted(model_file(tmp_path, text), "--extension", library(tmp_path / "parts.so", converts("Op", body)), folder=tmp_path)
    results = infer(tmp_path / "model.xml", x=X)
    assert results["a"].tolist() == X[:, [1, 0]].tolist()
    assert results["b"].tolist() == [[17, 23], [37, 39.75]]


def test_versions_of_several_libraries(tmp_path):
    """The translator with the highest version up to the imported one is used, whatever library it is in; also in bodies."""
    rows = [converts("Op", f'return {{node.op("{operation}", {{node.input(0)}})}};', since=since) for since, operation in ((1, "Abs"), (2, "Negative"), (3, "Floor"))]
    both = f"{library(tmp_path / 'a.so', rows[1])},{library(tmp_path / 'b.so', rows[0] + ',' + rows[2])}"
    text = HEADER + """
    m (float[2, 3] x, bool c) => (float[2, 3] y) {
      y = If (c) <then_branch = t () => (float[2, 3] a) { a = com.example.Op (x) }, else_branch = e () => (float[2, 3] b) { b = Identity (x) }>
    }"""
    for version, function in ((1, np.abs), (2, np.negative), (3, np.floor), (4, np.floor)):
        converted(model_file(tmp_path, text.replace('"com.example" : 2', f'"com.example" : {version}')), "--extension", both, folder=tmp_path)
        for choice, expected in ((True, function(X)), (False, X)):
            assert infer(tmp_path / "model.xml", x=X, c=np.array(choice))["y"].tolist() == expected.tolist()
    assert openvino.Core().read_model(tmp_path / "model.xml").get_rt_info(["onnx2ir", "extension"]).value == "a.so,b.so"


def test_precedence(tmp_path):
    """A rule of the operator map comes before a library, and a library before functions of the model and operators of ONNX."""
    text = HEADER + """
    m (float[2, 3] x) => (float[2, 3] y) { t = com.example.Op (x) u = com.example.Other (t) y = Relu (u) }
    <domain: "com.example", opset_import: ["" : 17]>
    Op (a) => (b) { b = Identity (a) }"""
    rows = [converts("Op", 'return {node.op("Negative", {node.input(0)})};'),
            converts("Other", 'node.fail("not used");'),
            converts("Relu", 'return {node.op("Floor", {node.input(0)})};', "ai.onnx", 14)]  # fmt: skip
    made = library(tmp_path / "rows.so", ",".join(rows))
    (tmp_path / "map.json").write_text('{"operators": [{"domain": "com.example", "operator": "Other", "operation": "Abs"}]}')
    converted(model_file(tmp_path, text), "--extension", made, "--operator-map", "map.json", folder=tmp_path)
    assert infer(tmp_path / "model.xml", x=X)["y"].tolist() == np.floor(np.abs(X)).tolist()
    # Version 13 of Relu is older than the translator's.
    converted(model_file(tmp_path, text.replace('"" : 17', '"" : 13')), "--extension", made, "--operator-map", "map.json", folder=tmp_path)
    assert infer(tmp_path / "model.xml", x=-X)["y"].tolist() == np.abs(X).tolist()


def test_an_attribute_without_effect(tmp_path):
    model = model_file(tmp_path, one_node("y = com.example.Op <speed = 3> (x)"))
    done = converted(model, "--extension", library(tmp_path / "abs.so", ABS), folder=tmp_path)
    assert "warning: attribute 'speed' has no effect on the converted model [ignored-attribute]" in done.stderr


THROWN = "its translator has thrown an exception"


FAILURES = [
    ('throw std::runtime_error("no strength");', THROWN + ": no strength"),
    ("throw 3;", THROWN),
    ('node.fail("too swirly", "use another model");', "too swirly"),
    ('try { node.fail("first"); } catch (...) {} node.fail("second");', "first"),
    ("return {Value().shape() ? node.input(0) : Value()};", THROWN + ": a value is empty"),
    ("return {node.input(1)};", "input 1 is missing"),
    ('return {node.op("Abs", {node.input(0), node.input(0)})};', "Abs rejects its inputs or attributes: Abs cannot have 2 inputs"),
    ('return {node.op("LogicalNot", {node.input(0)})};', "LogicalNot rejects its inputs or attributes: the input must be boolean"),
    ('return {node.op("Add", {node.input(0), Value()})};', "Add rejects its inputs or attributes: input 1 of Add is absent"),
    ('return {node.op("Softmax", {node.input(0)})};', "it emits 'Softmax', which is no operation of the IR; did you mean 'SoftMax'?"),
    ('return {node.op("Loop", {node.input(0)})};', "it emits 'Loop', which a library cannot emit"),
    ('return {node.op("Parameter", {})};', "it emits 'Parameter', which a library cannot emit"),
    ('return {node.op("SoftMax", {node.input(0)})};', "SoftMax needs the attribute 'axis'"),
    ('return {node.op("SoftMax", {node.input(0)}, {{"axes", 1}})};', "SoftMax has no attribute 'axes'; did you mean 'axis'?"),
    ('return {node.op("Convert", {node.input(0)}, {{"covers_ranges", true}})};', "Convert has no attribute 'covers_ranges'"),
    ('return {node.op("SoftMax", {node.input(0)}, {{"axis", 1.5}})};', "attribute 'axis' of SoftMax has another type"),
    ('return {node.op("SoftMax", {node.input(0)}, {{"axis", 7}})};', "SoftMax rejects its inputs or attributes: axis 7 is out of range for rank 2"),
    ('return {node.op("Convert", {node.input(0)}, {{"destination_type", "float"}})};', "attribute 'destination_type' of Convert has another type"),
    ('return node.ops("Abs", {node.input(0)}, {}, 2);', "Abs has 1 outputs, not 2"),
    ('return {node.number(1, "float")};', "it uses the element type 'float', which the IR does not have"),
    ('return {node.numbers({1, 2}, {3}, "f32")};', "a constant of shape [3] cannot have 8 bytes"),
    ('return {node.numbers({}, {-1}, "f32")};', "it makes a constant whose shape is negative"),
    ('return {node.numbers({}, {std::int64_t{1} << 62, 8}, "f32")};', "a constant of shape [4611686018427387904,8] cannot have 0 bytes"),
    ('return {node.integer_constant(300, "u8")};', "300 "),
    ('return {node.constant("a", 1, {1}, "string")};', "it makes a constant of the type 'string' from bytes"),
    ('return {node.tensor("v")};', "attribute 'v' is missing"),
    ('return {node.tensor("i")};', "attribute 'i' is not a tensor"),
    ('return {node.number(node.real("i"), "f32")};', "attribute 'i' is not a floating-point number"),
    ('return {node.number(node.real("r"), "f32")};', "attribute 'r' is missing"),
    ("node.element_type(999); return {};", "element type unknown type does not exist in OpenVINO"),
    ("return {Value(node, 99)};", "it uses a value of another node"),
    ("return {};", "it does not set output 0"),
    ("return {node.input(0), node.input(0)};", "it sets output 1, but the node has 1"),
]  # fmt: skip


@pytest.fixture(scope="module")
def failures(tmp_path_factory):
    """A library in which the operator Op3 has row 3 of the table."""
    return library(tmp_path_factory.mktemp("failures") / "wrong.so", ",".join(converts(f"Op{i}", f"(void)node; {body}") for i, (body, _) in enumerate(FAILURES)))


@pytest.mark.parametrize(("body", "reason"), FAILURES)
def test_translators_that_fail(failures, tmp_path, body, reason):
    """The error names the library, the node, the operator and its version."""
    operator = f"com.example.Op{FAILURES.index((body, reason))}"
    model = model_file(tmp_path, one_node(f"y = {operator} <i = 1> (x)"), lambda model: setattr(model.graph.node[0], "name", "the node"))
    done = run(model, "--extension", "wrong.so", folder=failures.parent)
    first = done.stderr.splitlines()[0]
    assert done.returncode == 1 and "error: the extension 'wrong.so' cannot convert the node: " in first and reason in first, done.stderr
    assert ("did you mean" in first) == ("did you mean" in reason), first
    assert f"at main, node 0 'the node' ({operator}, opset 2)" in done.stderr, done.stderr
    assert ("hint: use another model" in done.stderr) == ("use another model" in body)


RAW = """
#include <onnx2ir/extension.h>
"""
ADD = """
#define TEXT(words) (onnx2ir_text){ words, sizeof words - 1 }
int onnx2ir_extension_version(void) { return ONNX2IR_EXTENSION_VERSION; }
"""


def test_library_in_c(tmp_path):
    source = RAW + ADD + """
    static void translate(onnx2ir_node* node, const onnx2ir_node_functions* call, void* data) {
      onnx2ir_value inputs[2], y = 0;
      const int64_t shape[1] = { 3 };
      inputs[0] = call->input(node, 0);
      inputs[1] = call->reals(node, call->type_of(node, inputs[0]), shape, 1, (const double*)data, 3);
      if (call->emit(node, TEXT("Multiply"), inputs, 2, NULL, 0, &y, 1)) call->set_output(node, 0, y);
    }
    void onnx2ir_extension_register(const onnx2ir_registry* registry) {
      static double scale[3] = { 2, -1, 0.5 };
      registry->add(registry->table, TEXT("com.example"), TEXT("Op"), 1, translate, scale);
    }"""
    converted(model_file(tmp_path, OP), "--extension", compiled(tmp_path / "raw.c.so", source), folder=tmp_path)
    assert infer(tmp_path / "model.xml", x=X)["y"].tolist() == (X * np.float32([2, -1, 0.5])).tolist()


REGISTER = "void onnx2ir_extension_register(const onnx2ir_registry*) {}"
VERSION = "int onnx2ir_extension_version() { return ONNX2IR_EXTENSION_VERSION; }"
ROWS = "std::vector<Translator> onnx2ir::extension::translators() "


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (RAW, "it does not export onnx2ir_extension_version"),
        (RAW + VERSION, "it does not export onnx2ir_extension_register"),
        (RAW + REGISTER + VERSION.replace("VERSION;", "VERSION + 1;"), "it has version 2 of the extension interface, this onnx2ir has version 1"),
        (RAW + REGISTER + VERSION, "it registers no translator"),
        (RAW + VERSION + 'extern "C" void missing(); void onnx2ir_extension_register(const onnx2ir_registry*) { missing(); }', "undefined symbol: missing"),
        (START + ROWS + '{ throw std::runtime_error("no licence"); }', "no licence"),
        (START + ROWS + "{ throw 3; }", "it has thrown an exception"),
        (START + ROWS + '{ return {{"a", "", 1, nullptr}}; }', "it registers '' of the domain 'a' and version 1 without a name"),
        (START + ROWS + '{ return {{"a", "B", 0, nullptr}}; }', "it registers 'B' of the domain 'a' and version 0 without a version of at least 1"),
        (RAW + VERSION + 'void onnx2ir_extension_register(const onnx2ir_registry* all) { all->add(all->table, {"a", 1}, {"B", 1}, 1, nullptr, nullptr); }', "it registers 'B' of the domain 'a' and version 1 without a translator"),
        (START + "Values f(Node&) { return {}; }" + ROWS + '{ return {{"a", "B", 1, f}, {"a", "B", 1, f}}; }', "it registers version 1 of the operator 'a.B', which it has registered already"),
    ],
)  # fmt: skip
def test_libraries_that_cannot_be_used(tmp_path, source, reason):
    compiled(tmp_path / "wrong.so", source)
    done = run(model_file(tmp_path, OP), "--extension", "wrong.so", folder=tmp_path)
    assert done.returncode == 1 and f"error: the extension 'wrong.so' cannot be used: {reason}" in done.stderr, done.stderr
    assert done.stderr.splitlines()[0].endswith(" [bad-extension]")


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "No such file or directory"), (b"", "file too short"), (b"#!/bin/sh\n" * 99, "invalid ELF header")]
)
def test_files_that_are_no_library(tmp_path, content, reason):
    if content is not None:
        (tmp_path / "lib.so").write_bytes(content)
    done = run(model_file(tmp_path, OP), "--extension", "lib.so", folder=tmp_path)
    first = done.stderr.splitlines()[0]
    assert done.returncode == 1 and "error: the extension 'lib.so' cannot be used: " in first and reason in first, done.stderr
    assert str(tmp_path) not in first


def test_folder_and_pipe(tmp_path):
    (tmp_path / "folder").mkdir()
    subprocess.run(["mkfifo", tmp_path / "pipe"], check=True)
    done = run(model_file(tmp_path, OP), "--extension", "folder,pipe", folder=tmp_path)
    assert done.returncode == 1 and "'folder' cannot be used: " in done.stderr and "'pipe' cannot be used: " in done.stderr


def test_extension_of_openvino(tmp_path):
    """It is recognised before it is loaded: its libraries may be missing, and its code does not run."""
    source = """
    #include <cstdlib>
    extern "C" __attribute__((visibility("default"))) void create_extensions(void*) {}
    __attribute__((constructor)) static void start() { std::abort(); }"""
    compiled(tmp_path / "libopenvino_extension.so", source)
    done = run(model_file(tmp_path, OP), "--extension", "libopenvino_extension.so", folder=tmp_path)
    assert done.returncode == 1
    assert "error: the extension 'libopenvino_extension.so' cannot be used: it is an extension of OpenVINO [bad-extension]" in done.stderr
    assert "hint: pass --keep-unknown instead: it keeps unknown operators as layers of the IR" in done.stderr


def test_openvino_finds_its_extensions_by_the_same_name():
    header = Path(openvino.__file__).parent / "include/openvino/core/extension.hpp"
    assert "OV_CREATE_EXTENSION create_extensions" in " ".join(header.read_text().split())


def test_library_with_both_interfaces(tmp_path):
    """One library can have the translator and the kernels for --keep-unknown."""
    both = 'extern "C" __attribute__((visibility("default"))) void create_extensions(void*) {}'
    converted(model_file(tmp_path, OP), "--extension", library(tmp_path / "both.so", ABS, both), folder=tmp_path)
    assert infer(tmp_path / "model.xml", x=X)["y"].tolist() == np.abs(X).tolist()


def test_two_libraries_for_one_operator(tmp_path):
    library(tmp_path / "a.so", ABS)
    library(tmp_path / "b.so", ABS)
    done = run(model_file(tmp_path, OP), "--extension", "a.so", "--extension", "b.so", folder=tmp_path)
    assert done.returncode == 1
    assert "error: the extension 'b.so' cannot be used: it registers version 1 of the operator 'com.example.Op', which 'a.so' registers already [bad-extension]" in done.stderr


def test_all_libraries_are_checked(tmp_path):
    done = run(model_file(tmp_path, OP), "--extension", "a.so,b.so", folder=tmp_path)
    assert "'a.so' cannot be used" in done.stderr and "'b.so' cannot be used" in done.stderr


def test_name_with_a_comma(tmp_path):
    library(tmp_path / "a,b.so", ABS)
    converted(model_file(tmp_path, OP), "--extension", "a\\,b.so", folder=tmp_path)
    done = run(model_file(tmp_path, OP), "--extension", "a.so,,b.so", folder=tmp_path)
    assert done.returncode == 2 and "has an empty name" in done.stderr


def test_hint(tmp_path):
    done = run(model_file(tmp_path, OP), folder=tmp_path)
    assert done.returncode == 1 and "--extension by a library of yours" in done.stderr


def test_sequences_are_rejected(tmp_path):
    text = one_node("s = SequenceConstruct (x, x) y = com.example.Op (s)")
    done = run(model_file(tmp_path, text), "--extension", library(tmp_path / "abs.so", ABS), folder=tmp_path)
    assert done.returncode == 1 and "cannot convert the node: input 0 is not a tensor, but a sequence" in done.stderr


def test_library_with_several_sources_and_hidden_symbols(tmp_path):
    """The header may be included in several sources; -fvisibility=hidden does not hide the interface."""
    (tmp_path / "other.cpp").write_text(START + 'Values op(Node& node) { return {node.op("Abs", {node.input(0)})}; }')
    complete = [] if os.environ.get("ONNX2IR_EXTENSION_FLAGS") else ["-Wl,--no-undefined"]  # the runtime of Clang's sanitizers is in the program
    made = compiled(tmp_path / "lib.so", START + "Values op(Node& node);" + ROWS + '{ return {{"com.example", "Op", 1, op}}; }', "-x", "c++", str(tmp_path / "other.cpp"), "-fvisibility=hidden", *complete, "-O2")  # fmt: skip
    names = subprocess.run(["nm", "--dynamic", "--defined-only", made], capture_output=True, text=True, check=True).stdout
    assert [line.split()[2] for line in names.splitlines() if "onnx2ir_" in line.split()[2]] == ["onnx2ir_extension_register", "onnx2ir_extension_version"]
    converted(model_file(tmp_path, OP), "--extension", made, folder=tmp_path)
    assert infer(tmp_path / "model.xml", x=X)["y"].tolist() == np.abs(X).tolist()


@pytest.mark.parametrize("is_newer", [False, True])
def test_table_of_another_release(tmp_path, is_newer):
    """A library that was built before a function was added works; one that was built after it gets an error, not a crash."""
    headers = EXAMPLE.parents[2] / "include/onnx2ir"
    (tmp_path / "onnx2ir").mkdir()
    text = (headers / "extension.h").read_text()
    last = "  void (*fail)(onnx2ir_node* node, onnx2ir_text reason, onnx2ir_text hint);\n"
    assert text.count(last + "} onnx2ir_node_functions;") == 1
    # A library that is older than this onnx2ir knows less of the table. Its last function is not used here.
    (tmp_path / "onnx2ir/extension.h").write_text(text.replace(last, last + "  void (*added)(onnx2ir_node* node);\n" if is_newer else ""))
    cpp = (headers / "extension.hpp").read_text()
    (tmp_path / "onnx2ir/extension.hpp").write_text(cpp if is_newer else re.sub(r"functions_?->fail\([^;]*;", ";", cpp))
    made = compiled(tmp_path / "lib.so", f"{START}{ROWS}{{ return {{{ABS}}}; }}", "-Wno-unused", "-Wno-error", include=tmp_path)
    done = run(model_file(tmp_path, OP), "--extension", made, folder=tmp_path)
    assert done.returncode == int(is_newer), done.stderr
    if is_newer:
        assert "cannot convert the node: it was built with the headers of a newer version of onnx2ir [cannot-convert]" in done.stderr
    else:
        assert infer(tmp_path / "model.xml", x=X)["y"].tolist() == np.abs(X).tolist()


def test_several_models_at_once(tmp_path):
    """Translators are called from several threads."""
    made = compiled(tmp_path / "libswirl.so", EXAMPLE.read_text())
    model = model_file(tmp_path, one_node(" ".join(f"{'y' if i == 49 else f'v{i}'} = com.example.Swirl <turns = 1, strength = 1.0> ({f'v{i - 1}' if i else 'x'})" for i in range(50))))
    names = [f"m{i}.onnx" for i in range(8)]
    for name in names:
        (tmp_path / name).symlink_to(model)
    converted(*names, "--jobs", "8", "--extension", made, folder=tmp_path)
    assert len({(tmp_path / name).with_suffix(".xml").read_bytes() for name in names}) == 1
    np.testing.assert_allclose(infer(tmp_path / "m0.xml", x=X)["y"], np.roll(X, 50, -1))


def test_unused_translators_change_nothing(tmp_path):
    model = model_file(tmp_path, one_node("y = Relu (x)"), lambda m: m.graph.value_info.append(helper.make_tensor_value_info("q", TensorProto.FLOAT, None)))
    converted(model, "--extension", library(tmp_path / "abs.so", ABS), folder=tmp_path)
    assert infer(tmp_path / "model.xml", x=X)["y"].tolist() == np.maximum(X, 0).tolist()
