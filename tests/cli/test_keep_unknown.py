"""Operators without a translation that are kept as layers for an extension of OpenVINO: the example in docs/extensions.md, bodies and
functions, errors, and the other tools."""

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx.parser
import openvino
import pytest
from onnx import TensorProto, helper

from ..passes.tool import opt_path
from .command import converted, run

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/extensions.md"
HEADER = '<ir_version: 10, opset_import: ["" : 17, "com.example" : 2]>'
SWIRL = HEADER + """
m (float[1, n, 3] x) => (float[1, n, 3] y) { y = com.example.Swirl <strength = 0.1, turns = 1> (x) }
"""
BODIES = HEADER + """
bodies (float[2, 3] x, int64 count, bool choice, float[4, 3] rows) => (float[2, 3] a, float[k, 2, 3] b, float[2, 3] c, float[4, 3] d) {
  go = Constant <value = bool {1}> ()
  a, b = Loop (count, go, x) <body = step (int64 i, bool go_in, float[2, 3] v) => (bool go_out, float[2, 3] next, float[2, 3] row) {
    go_out = Identity (go_in)
    next = com.example.Swirl <strength = 2.0, turns = 1> (v)
    row = Neg (next)
  }>
  c = If (choice) <then_branch = t () => (float[2, 3] t) { t = com.example.Swirl <strength = 3.0, turns = 0> (x) },
                   else_branch = e () => (float[2, 3] e) { e = Neg (x) }>
  d = Scan <num_scan_inputs = 1, body = s (float[3] r) => (float[3] q) { q = com.example.Swirl <strength = 5.0, turns = 2> (r) }> (rows)
}
"""
FUNCTION = HEADER.replace("]>", ', "local" : 1]>') + """
m (float[1, 3] x) => (float[1, 3] y) { y = local.twice (x) }
<domain: "local", opset_import: ["" : 17, "com.example" : 2]>
twice (a) => (c) {
  b = com.example.Swirl <strength = 0.5, turns = 1> (a)
  c = com.example.Swirl <strength = 2.0, turns = 1> (b)
}
"""


def extension_class():
    """The class in the document."""
    [code] = re.findall(r"```python\n(import numpy\n.*?)\n\n\ncore = ", DOCUMENT.read_text(), re.S)
    names = {}
    exec(compile(code, str(DOCUMENT), "exec"), names)  # noqa: S102
    return names["Swirl"]


def swirl(x, strength, turns):
    return np.roll(x, turns, axis=-1) * np.float32(strength)


def model_file(folder, text, change=None, name="model.onnx"):
    model = onnx.parser.parse_model(text)
    if change is not None:
        change(model)
    onnx.save(model, folder / name)
    return folder / name


def infer_with_extension(xml, **feeds):
    core = openvino.Core()
    core.add_extension(extension_class())
    model = core.read_model(xml)
    names = [output.any_name for output in model.outputs]
    results = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(feeds)
    return dict(zip(names, results.values(), strict=True))


def layers(xml, kind):
    return [layer for layer in ElementTree.parse(xml).iter("layer") if layer.get("type") == kind]


def test_document(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model_file(tmp_path, SWIRL)
    done = converted("model.onnx", "--keep-unknown", folder=tmp_path)
    assert "remark: operator com.example.Swirl is kept: OpenVINO needs an extension with the operation 'Swirl' [kept-operator]" in done.stderr
    [layer] = layers("model.xml", "Swirl")
    assert layer.get("version") == "extension" and layer.find("data").attrib == {"strength": "0.1", "turns": "1"}
    assert [dim.text for dim in layer.find("output/port")] == ["1", "-1", "3"]
    [code] = re.findall(r"```python\n(import numpy\n.*?)```", DOCUMENT.read_text(), re.S)
    names = {}
    exec(compile(code, str(DOCUMENT), "exec"), names)  # noqa: S102
    np.testing.assert_allclose(names["result"], np.float32([[[0.3, 0.1, 0.2]]]), rtol=1e-6)


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("choice", [True, False])
def test_bodies(tmp_path, count, choice):
    done = converted(model_file(tmp_path, BODIES), "--keep-unknown", folder=tmp_path)
    assert "operator com.example.Swirl is kept: OpenVINO needs an extension with the operation 'Swirl', 3 times" in done.stderr
    assert len(layers(tmp_path / "model.xml", "Swirl")) == 3
    x = np.float32([[1, 2, 3], [4, 5, 7]])
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    results = infer_with_extension(tmp_path / "model.xml", x=x, count=np.int64(count), choice=np.array(choice), rows=rows)
    states = [x]
    for _ in range(count):
        states.append(swirl(states[-1], 2, 1))
    np.testing.assert_allclose(results["a"], states[-1])
    np.testing.assert_allclose(results["b"], -np.float32(states[1:]).reshape(count, 2, 3))
    np.testing.assert_allclose(results["c"], swirl(x, 3, 0) if choice else -x)
    np.testing.assert_allclose(results["d"], swirl(rows, 5, 2))


def test_function(tmp_path):
    """The function declares the inner tensor, the call its output."""
    def declare(model):
        model.functions[0].value_info.append(helper.make_tensor_value_info("b", TensorProto.FLOAT, None))

    converted(model_file(tmp_path, FUNCTION, declare), "--keep-unknown", folder=tmp_path)
    x = np.float32([[1, 2, 3]])
    np.testing.assert_allclose(infer_with_extension(tmp_path / "model.xml", x=x)["y"], swirl(x, 1, 2))
    inner, outer = layers(tmp_path / "model.xml", "Swirl")
    assert inner.find("output/port/rank") is not None and [dim.text for dim in outer.find("output/port")] == ["1", "3"]


def test_all_kinds_of_attributes_and_types(tmp_path):
    text = HEADER + """
    m (float[2] x, int64[2] i, bool[2] c) => (float16[2, n] y, int64[2] k, uint8 z, string[2] s) {
      y, k, z, s = com.example.Many <a = 3, b = 1.5, c = "te<x>t, \\"quoted\\"", d = [1, -2], e = [0.1, 1e20], f = ["p", "q r"], g: ints = []> (x, i, c)
    }"""  # fmt: skip
    converted(model_file(tmp_path, text), "--keep-unknown", folder=tmp_path)
    [layer] = layers(tmp_path / "model.xml", "Many")
    assert layer.find("data").attrib == {
        "a": "3", "b": "1.5", "c": 'te<x>t, "quoted"', "d": "1,-2", "e": "0.1,1e+20", "f": "p,q r", "g": "",
    }  # fmt: skip
    ports = [(port.get("precision"), [dim.text for dim in port]) for port in layer.findall("output/port")]
    assert ports == [("FP16", ["2", "-1"]), ("I64", ["2"]), ("U8", []), ("STRING", ["2"])]
    check_other_tools(tmp_path, "model")


def check_other_tools(folder, name):
    """Text IR, show and diff round-trip the layers."""
    shown = [converted("show", *words, folder=folder).stdout for words in ([f"{name}.onnx", "--keep-unknown"], [f"{name}.xml"])]
    assert shown[0] == shown[1] and "= ExtensionOperation(" in shown[0]
    done = run("diff", f"{name}.xml", f"{name}.onnx", "--keep-unknown", folder=folder)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout
    text = subprocess.run([opt_path(), f"{name}.xml"], cwd=folder, capture_output=True, text=True, timeout=60, check=True).stdout
    (folder / f"{name}.ir").write_text(text)
    again = subprocess.run([opt_path(), f"{name}.ir", "-o", f"{name}_again.xml"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == 0, again.stderr
    done = run("diff", f"{name}.xml", f"{name}_again.xml", folder=folder)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_bodies_in_other_tools(tmp_path):
    converted(model_file(tmp_path, BODIES), "--keep-unknown", folder=tmp_path)
    check_other_tools(tmp_path, "model")


def test_diff_finds_a_changed_attribute(tmp_path):
    for name, strength in (("a", "0.1"), ("b", "0.2")):
        converted(model_file(tmp_path, SWIRL.replace("0.1", strength), name=f"{name}.onnx"), "--keep-unknown", folder=tmp_path)
    done = run("diff", "a.xml", "b.xml", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "main/y (Swirl): attribute attributes [\"strength=0.1\", \"turns=1\"] -> [\"strength=0.2\", \"turns=1\"]\n")


def test_new_shapes_of_inputs(tmp_path):
    """Declared sizes need not hold if --input changes shapes."""
    text = HEADER + "m (float[2, 3] x) => (int64[2] s, float[2, 3] z) { y = com.example.Swirl <strength = 1.0> (x) s = Shape (y) z = Neg (y) }"

    def declare(model):
        model.graph.value_info.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3]))

    converted(model_file(tmp_path, text, declare), "--keep-unknown", "--input", "x[5,3]", folder=tmp_path)
    assert infer_with_extension(tmp_path / "model.xml", x=np.zeros((5, 3), np.float32))["s"].tolist() == [5, 3]


def test_kept_operators_are_not_merged(tmp_path):
    text = HEADER + "m (float[3] x) => (float[3] y, float[3] z) { y = com.example.Noise (x) z = com.example.Noise (x) u = com.example.Unused (x) }"

    def declare(model):
        model.graph.value_info.append(helper.make_tensor_value_info("u", TensorProto.FLOAT, None))

    converted(model_file(tmp_path, text, declare), "--keep-unknown", folder=tmp_path)
    assert len(layers(tmp_path / "model.xml", "Noise")) == 2 and not layers(tmp_path / "model.xml", "Unused")


def test_supported_operators_are_converted(tmp_path):
    text = HEADER + "m (float[3] x) => (float[3] y) { t = Gelu (x) y = com.example.Swirl (t) }"
    converted(model_file(tmp_path, text.replace('"" : 17', '"" : 20')), "--keep-unknown", folder=tmp_path)
    assert [layer.get("version") for layer in layers(tmp_path / "model.xml", "Gelu")] == ["opset7"]


def tensor_attribute(model):
    model.graph.node[0].attribute.append(helper.make_attribute("t", helper.make_tensor("t", TensorProto.FLOAT, [1], [1])))


def bad_name(model):
    model.graph.node[0].attribute.append(helper.make_attribute('a="1" b', 1))


def control_character(model):
    model.graph.node[0].attribute.append(helper.make_attribute("a", "\x01"))


def commas(model):
    model.graph.node[0].attribute.append(helper.make_attribute("a", ["x,y"]))


def omitted_input(model):
    model.graph.node[0].input[:] = ["", "x"]


def undeclared(model):
    model.graph.output[0].type.Clear()
    model.graph.node[0].output[0] = "t"
    model.graph.node.append(helper.make_node("Neg", ["t"], ["y"]))
    model.graph.output[0].type.CopyFrom(helper.make_tensor_type_proto(TensorProto.FLOAT, None))


def undefined_type(model):
    undeclared(model)
    model.graph.value_info.append(helper.make_tensor_value_info("t", TensorProto.UNDEFINED, [1]))


def sequence_type(model):
    undeclared(model)
    model.graph.value_info.append(helper.make_tensor_sequence_value_info("t", TensorProto.FLOAT, [1]))


def other_domain(model):
    model.opset_import.append(helper.make_opsetid("org.other", 1))
    model.graph.node.append(helper.make_node("Swirl", ["y"], ["z"], domain="org.other"))
    model.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, None))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (undeclared, "the model does not declare the element type of its output 't'"),
        (undefined_type, "the model does not declare the element type of its output 't'"),
        (sequence_type, "its output 't' is declared as a sequence of f32[1]; a layer has only tensors"),
        (tensor_attribute, "its attribute 't' is not a number, a text or a list of them"),
        (bad_name, """'a="1" b' cannot be the name of an attribute in XML"""),
        (control_character, "its attribute 'a' contains a control character, which XML does not have"),
        (commas, "its attribute 'a' is a list with a comma in a text"),
        (omitted_input, "its input 0 is omitted, and a later one is not"),
    ],
)
def test_errors(tmp_path, change, reason):
    done = run(model_file(tmp_path, SWIRL, change), "--keep-unknown", folder=tmp_path)
    assert done.returncode == 1 and f"error: operator com.example.Swirl cannot be kept: {reason} [unsupported-operator]" in done.stderr
    assert "  hint: " in done.stderr


def test_two_domains(tmp_path):
    done = run(model_file(tmp_path, SWIRL, other_domain), "--keep-unknown", folder=tmp_path)
    assert done.returncode == 1
    assert "operator org.other.Swirl cannot be kept: an operator of the same name, but of the domain 'com.example', is kept as well" in done.stderr


def test_hint(tmp_path):
    done = run(model_file(tmp_path, SWIRL), folder=tmp_path)
    assert done.returncode == 1 and "--keep-unknown keeps it for an extension of OpenVINO" in done.stderr


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('precision="FP32" names="y"', 'precision="FP33" names="y"'), "'FP33' is not the precision of a port"),
        (("<dim>3</dim></port>\n</output>\n</layer>\n<layer id=\"2\"", "<dim>x</dim></port>\n</output>\n</layer>\n<layer id=\"2\""), "'x' is not a number"),
        (('type="Swirl" version="extension"', 'type="Swirl" version="opset1"'), "there is no operation Swirl of opset1"),
        (('type="Swirl" version="extension"', 'type="ExtensionOperation" version="opset1"'), "there is no operation ExtensionOperation of opset1"),
    ],
)
def test_damaged_ir(tmp_path, change, reason):
    converted(model_file(tmp_path, SWIRL), "--keep-unknown", folder=tmp_path)
    xml = (tmp_path / "model.xml").read_text()
    assert change[0] in xml, xml
    (tmp_path / "model.xml").write_text(xml.replace(*change))
    done = run("show", "model.xml", folder=tmp_path)
    assert done.returncode == 1 and reason in done.stderr, done.stderr


def identity_class(name, outputs=1):
    """An operation that returns its input in each output, and the types of tensors that its kernel has had."""
    kernel_types = []

    class Operation(openvino.Op):
        def __init__(self, inputs=None):
            super().__init__(self, inputs)

        def validate_and_infer_types(self):
            for i in range(outputs):
                self.set_output_type(i, self.get_input_element_type(0), self.get_input_partial_shape(0))

        def clone_with_new_inputs(self, new_inputs):
            return type(self)(new_inputs)

        def visit_attributes(self, visitor):
            return True

        def has_evaluate(self):
            return True

        def evaluate(self, results, inputs):
            kernel_types.append(inputs[0].data.dtype)
            for result in results:
                result.shape = inputs[0].shape
                result.data[:] = inputs[0].data
            return True

    return type(name, (Operation,), {}), kernel_types


@pytest.mark.parametrize(("declared", "kernel"), [("int64", "int32"), ("float16", "float32"), ("double", "float32"), ("bool", "uint8"), ("uint8", "uint8")])
def test_types_of_the_kernel(tmp_path, declared, kernel):
    """The table in the document. The model's own types are kept around the layer."""
    text = HEADER + f"m ({declared}[2, 3] x) => ({declared}[2, 3] y) {{ y = com.example.Same (x) }}"
    converted(model_file(tmp_path, text), "--keep-unknown", folder=tmp_path)
    operation, kernel_types = identity_class("Same")
    core = openvino.Core()
    core.add_extension(operation)
    x = np.array([[1, 0, 3], [4, 5, 0]]).astype(declared)
    result = core.compile_model(tmp_path / "model.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(x)[0]
    assert result.dtype == x.dtype and result.tolist() == x.tolist()
    assert {str(kind) for kind in kernel_types} == {kernel}


def test_omitted_output(tmp_path):
    def omit(model):
        model.graph.node[0].output[1] = ""

    text = HEADER + "m (float[3] x) => (float[3] y, float[3] z) { y, u, z = com.example.Three (x) }"
    converted(model_file(tmp_path, text, omit), "--keep-unknown", folder=tmp_path)
    core = openvino.Core()
    core.add_extension(identity_class("Three", 3)[0])
    results = core.compile_model(tmp_path / "model.xml", "CPU")(np.float32([1, 2, 3]))
    assert [result.tolist() for result in results.values()] == [[1, 2, 3], [1, 2, 3]]
    check_other_tools(tmp_path, "model")
