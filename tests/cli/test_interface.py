"""--input and --output: shapes, types, order, cuts and constant inputs."""

import numpy as np
import onnx
import openvino
import pytest

from .command import IMAGE_AND_LENGTH, assert_equal, converted, infer, infer_onnx, interface, onnx_file, run

CHAIN = """
<ir_version: 10, opset_import: ["" : 17]>
chain (float[n, 4] x, int64 rate, bool flag) => (float[n, 4] y, float z) {
  weight = Constant <value = float[4] {1.0, 2.0, 3.0, 4.0}> ()
  scaled = Mul (x, weight)
  positive = Relu (scaled)
  as_float = Cast <to = 1> (rate)
  picked = If (flag) <
    then_branch = yes () => (float[n, 4] a) { a = Add (positive, as_float) },
    else_branch = no () => (float[n, 4] b) { b = Sub (positive, as_float) }
  >
  y = Neg (picked)
  z = Sqrt (as_float)
}
"""

LOOP = """
<ir_version: 10, opset_import: ["" : 17]>
loop (float[3] x, int64 count) => (float[3] y) {
  go = Constant <value = bool {1}> ()
  y = Loop (count, go, x) <body = step (int64 i, bool go_in, float[3] v) => (bool go_out, float[3] doubled) {
    go_out = Identity (go_in)
    doubled = Add (v, v)
  }>
}
"""

X = np.array([[1, -2, 3, -4], [0.5, 2, -1, 0]], np.float32)


@pytest.fixture
def chain(tmp_path):
    return onnx_file(tmp_path / "chain.onnx", CHAIN)


def convert(model, *options):
    xml = model.with_name("m.xml")
    converted(model, "-o", xml, *options)
    return xml


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("x[2,4]", [("x", "f32", "[2,4]"), ("rate", "i64", "[]"), ("flag", "boolean", "[]")]),
        ("x[1..8,4]", [("x", "f32", "[1..8,4]"), ("rate", "i64", "[]"), ("flag", "boolean", "[]")]),
        ("flag,x[?,4]", [("flag", "boolean", "[]"), ("x", "f32", "[?,4]"), ("rate", "i64", "[]")]),
        ("[2,4]", [("x", "f32", "[2,4]"), ("rate", "i64", "[]"), ("flag", "boolean", "[]")]),
        ("x[2 4]{f16}", [("x", "f16", "[2,4]"), ("rate", "i64", "[]"), ("flag", "boolean", "[]")]),
        ("x{f16}[2,4]", [("x", "f16", "[2,4]"), ("rate", "i64", "[]"), ("flag", "boolean", "[]")]),
        ("rate{i32}", [("rate", "i32", "[]"), ("x", "f32", "[?,4]"), ("flag", "boolean", "[]")]),
        ("rate->16000,flag->true", [("x", "f32", "[?,4]")]),
        (" x[1,4] , rate -> 16000 , flag->False", [("x", "f32", "[1,4]")]),
    ],
)
def test_inputs(chain, text, inputs):
    assert interface(convert(chain, "--input", text))[0] == inputs


@pytest.mark.parametrize("flag", [True, False])
def test_constant_inputs(chain, flag):
    xml = convert(chain, "--input", f"rate->16000,flag->{flag}")
    # The condition is constant: one branch is left.
    assert "If" not in {node.get_type_name() for node in openvino.Core().read_model(xml).get_ops()}
    expected = infer_onnx(chain, ["y", "z"], x=X, rate=np.array(16000, np.int64), flag=np.array(flag, np.bool_))
    assert_equal(infer(xml, x=X), expected)


def test_constant_list(chain):
    xml = convert(chain, "--input", "x->[1,-2,3,-4,0.5,2,-1,0]")
    assert [name for name, *_ in interface(xml)[0]] == ["rate", "flag"]
    feeds = {"rate": np.array(3, np.int64), "flag": np.array(True, np.bool_)}
    assert_equal(infer(xml, **feeds), infer_onnx(chain, ["y", "z"], x=X, **feeds))


def test_constant_without_elements(tmp_path):
    """A dynamic size beside a size of 0 is 0 as well."""
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[0, n] x, float[2] y) => (float[0, n] a, float[2] b) { a = Neg (x) b = Neg (y) }'
    xml = convert(onnx_file(tmp_path / "empty.onnx", text), "--input", "x->[]")
    inputs, outputs = interface(xml)
    assert [name for name, *_ in inputs] == ["y"]
    assert outputs[0] == ("a", "f32", "[0,0]")


def test_converted_types(chain):
    xml = convert(chain, "--input", "x{u8},rate{i32}")
    feeds = {"x": np.array([[1, 2, 3, 250]], np.uint8), "rate": np.array(7, np.int32), "flag": np.array(False, np.bool_)}
    expected = infer_onnx(chain, ["y", "z"], x=feeds["x"].astype(np.float32), rate=np.array(7, np.int64), flag=feeds["flag"])
    assert_equal(infer(xml, **feeds), expected)


def test_static_shape_unrolls_and_guards_disappear(tmp_path):
    """If the trip count is known at conversion time, no Loop and no zero-iteration guard is left."""
    model = onnx_file(tmp_path / "loop.onnx", LOOP)
    plain = convert(model)
    assert "Loop" in {node.get_type_name() for node in openvino.Core().read_model(plain).get_ops()}
    unrolled = convert(model, "--input", "x,count->3", "--unroll-loops")
    assert not {"Loop", "If"} & {node.get_type_name() for node in openvino.Core().read_model(unrolled).get_ops()}
    x = np.array([1, 2, 3], np.float32)
    assert_equal(infer(unrolled, x=x), infer_onnx(model, ["y"], x=x, count=np.array(3, np.int64)))


def test_cut_outputs(chain):
    xml = convert(chain, "--output", "positive,z")
    # flag is unused; the order is that of the option.
    assert interface(xml)[0] == [("x", "f32", "[?,4]"), ("rate", "i64", "[]")]
    assert [name for name, *_ in interface(xml)[1]] == ["positive", "z"]
    results = infer(xml, x=X, rate=np.array(9, np.int64))
    np.testing.assert_array_equal(results["positive"], np.maximum(X * [1, 2, 3, 4], 0))
    assert results["z"] == 3


def test_cut_removes_unsupported_operators(tmp_path):
    model = onnx_file(tmp_path / "m.onnx", """
        <ir_version: 10, opset_import: ["" : 17, "com.example" : 1]>
        m (float[2] x) => (float[2] y) { middle = Relu (x)  strange = com.example.Frob (middle)  y = Neg (strange) }""")
    assert run(model, "-o", tmp_path / "m.xml").returncode == 1
    convert(model, "--output", "middle")
    xml = convert(model, "--input", "strange[2]{f32}")
    assert interface(xml) == [[("strange", "f32", "[2]")], [("y", "f32", "[2]")]]
    assert_equal(infer(xml, strange=np.array([1, -2], np.float32)), {"y": np.array([-1, 2], np.float32)})


def test_cut_inputs(tmp_path):
    """An inner tensor that the model declares needs no type; the cut removes inputs that become unused."""
    model = onnx.parser.parse_model(CHAIN)
    model.graph.value_info.append(onnx.helper.make_tensor_value_info("positive", onnx.TensorProto.FLOAT, ["n", 4]))
    path = tmp_path / "chain.onnx"
    onnx.save(model, path)
    xml = convert(path, "--input", "positive[2,4]")
    assert interface(xml)[0] == [("positive", "f32", "[2,4]"), ("rate", "i64", "[]"), ("flag", "boolean", "[]")]
    results = infer(xml, positive=X, rate=np.array(4, np.int64), flag=np.array(True, np.bool_))
    np.testing.assert_array_equal(results["y"], -(X + 4))


def test_initializer_becomes_an_input(tmp_path):
    model = onnx_file(tmp_path / "m.onnx", """
        <ir_version: 10, opset_import: ["" : 17]>
        m (float[2] x) => (float[2] y) <float[2] w = {3, 4}> { y = Mul (x, w) }""")
    xml = convert(model, "--input", "w")
    assert interface(xml)[0] == [("w", "f32", "[2]"), ("x", "f32", "[2]")]
    two = np.array([2, 2], np.float32)
    assert_equal(infer(xml, w=two, x=two), {"y": two * 2})
    assert_equal(infer(convert(model, "--input", "w->5"), x=two), {"y": two * 5})


def test_escaped_name(tmp_path):
    model = onnx.parser.parse_model(IMAGE_AND_LENGTH)
    model.graph.input[1].name = model.graph.node[3].input[0] = "a[0],b->c"
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    xml = convert(path, "--input", r"a\[0]\,b\->c[7]")
    assert interface(xml)[0][0] == ("a[0],b->c", "i64", "[7]")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--input", "y2[3]"], 1, "The model has no tensor 'y2' in its main graph [bad-interface]"),
        (["--input", "flga"], 1, "hint: did you mean 'flag'?"),
        (["--output", "positve"], 1, "hint: did you mean 'positive'?"),
        (["--output", "model.xml"], 1, "hint: --output is for names of tensors; use -o or --output-model for the file"),
        (["--input", "x,[3]"], 1, "name all of them or none"),
        (["--input", "[1,4],[],[],[]"], 1, "4 inputs are given, but the model has 3"),
        (["--input", "x,x"], 1, "The input 'x' is given twice"),
        (["--output", "y,y"], 1, "The output 'y' is given twice"),
        (["--input", "picked"], 1, 'hint: give its type and, if it is known, its shape: "picked[1,3]{f32}"'),
        (["--input", "x{f23}"], 1, "'f23', requested for the input 'x', is not an element type"),
        (["--input", "x{string}"], 1, "cannot be converted from string"),
        (["--input", "rate->fast"], 1, "The input 'rate' cannot have the value fast: 'fast' is not a value of type int64"),
        (["--input", "flag->2"], 1, "'2' is not a value of type bool"),
        (["--input", "x->[1,2,3]"], 1, "the shape [?,4] does not have 3 elements"),
        (["--input", "rate{i32}->3"], 1, "hint: leave the type out"),
        (["--input", "x[1,"], 2, "--input: a size, ? or -1 is expected at character 5 of 'x[1,'"),
        (["--input", "x[-12]"], 2, "--input: ',' or ']' is expected at character 5 of 'x[-12]'"),
        (["--input", "x[3..5..7]"], 2, "--input: ',' or ']' is expected at character 7 of 'x[3..5..7]'"),
        (["--input", "x[4..2]"], 2, "the largest size is below the smallest one"),
        (["--input", "x[1]y"], 2, "',' is expected"),
        (["--input", ""], 2, "an input is expected"),
        (["--output", "y,,z"], 2, "--output: 'y,,z' has an empty name"),
    ],
)
def test_invalid_inputs_and_outputs(chain, options, code, message):
    done = run(chain, "-o", chain.with_name("m.xml"), *options)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert not chain.with_name("m.xml").exists()


def test_shape_of_another_rank_names_the_declared_one(chain):
    stderr = run(chain, "-o", chain.with_suffix(".xml"), "--input", "x[2,3,4]").stderr
    assert "warning: The input 'x' is declared with the shape [?,4], and [2,3,4] has another rank [bad-interface]" in stderr


def test_no_suggestion_for_names_of_one_letter(chain):
    """Every other letter would be near."""
    done = run(chain, "--output", "q", "--check")
    assert done.returncode == 1 and "[bad-interface]" in done.stderr and "did you mean" not in done.stderr
