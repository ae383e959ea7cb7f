"""onnx2ir stats: counts, formulas, sizes, memory of activations. tests/package/test_python_embedding.py has the function."""

import json
import re

import numpy as np
import onnx
import openvino as ov
import openvino.opset13 as op
import pytest
from onnx import TensorProto, helper

from .command import converted, model_file, run


def counted(*arguments, folder):
    done = converted("stats", *arguments, "--json", folder=folder)
    assert done.stderr == ""
    return json.loads(done.stdout)


def layers_of(counts):
    return {row["type"]: row for row in counts["ir"]["operators"]}


def ir_file(folder, results, parameters):
    ov.save_model(ov.Model(results, parameters, "m"), folder / "m.xml", compress_to_fp16=False)
    return "m.xml"


CNN = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[batch, 3, 16, 16] x) => (float[batch, 10] y) <float[8, 3, 3, 3] w, float[8, 10] v, int64[2] axes> {
  c = Conv <pads = [1, 1, 1, 1]> (x, w)
  relu = Relu (c)
  p = ReduceMean <axes = [2, 3], keepdims = 0> (relu)
  y = MatMul (p, v)
}
"""


@pytest.fixture
def cnn(tmp_path):
    def fill(model):
        for name, shape in (("w", (8, 3, 3, 3)), ("v", (8, 10))):
            model.graph.initializer.append(onnx.numpy_helper.from_array(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), name))
        for row in [row for row in model.graph.value_info if row.name == "axes"]:
            model.graph.value_info.remove(row)
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.int64([2, 3]), "axes"))

    model_file(tmp_path, CNN, fill)
    return tmp_path


def test_a_network_with_a_given_batch(cnn):
    counts = counted("model.onnx", "--dim", "batch=2", folder=cnn)
    assert {row["type"]: row["count"] for row in counts["onnx"]["operators"]} == {"Conv": 1, "MatMul": 1, "ReduceMean": 1, "Relu": 1}
    assert counts["onnx"]["parameters"] == counts["ir"]["parameters"] == 8 * 3 * 9 + 80
    assert counts["onnx"]["weight_bytes"] == 4 * (8 * 3 * 9 + 80) + 16
    layers = layers_of(counts)
    assert layers["Convolution"]["multiply_adds"] == 2 * 8 * 16 * 16 * 3 * 9
    assert layers["MatMul"]["multiply_adds"] == 2 * 10 * 8
    assert layers["ReLU"] == {"type": "ReLU", "count": 1, "in_bodies": 0, "multiply_adds": 0, "flops": 2 * 8 * 256, "without_sizes": 0}
    assert layers["ReduceMean"]["flops"] == 2 * 8 * 256
    assert counts["costs"]["flops"] == sum(row["flops"] for row in layers.values())
    # The convolution needs its input and its result, ReLU two results.
    assert counts["costs"]["peak_bytes"] == 2 * 4 * 2 * 8 * 256 and counts["costs"]["without_sizes"] == 0
    assert counts["missing_sizes"] == []


def test_missing_sizes_are_named(cnn):
    counts = counted("model.onnx", folder=cnn)
    assert counts["missing_sizes"] == ["batch"] and counts["costs"]["peak_bytes"] is None
    assert counts["costs"]["without_sizes"] == 4 and counts["costs"]["flops"] == 0
    text = converted("stats", "model.onnx", folder=cnn).stdout
    assert text.endswith("the arithmetic of 4 layers and the memory of activations; give sizes with --dim batch=N\n")


def test_a_shape_for_the_conversion_counts_the_same(cnn):
    by_name = counted("model.onnx", "--dim", "batch=2", folder=cnn)
    by_shape = counted("model.onnx", "--input", "x[2,3,16,16]", folder=cnn)
    assert by_name["costs"] == by_shape["costs"]


def test_an_ir_with_sizes_by_place_and_by_shape(cnn):
    converted("model.onnx", "-o", "m.xml", folder=cnn)
    expected = counted("model.onnx", "--dim", "batch=2", folder=cnn)
    for option in (["--dim", "x[0]=2"], ["--input", "x[2,3,16,16]"]):
        counts = counted("m.xml", *option, folder=cnn)
        assert counts["onnx"] is None and counts["costs"] == expected["costs"] and counts["ir"] == expected["ir"]
    assert counted("m.xml", folder=cnn)["missing_sizes"] == ["x[0]"]


@pytest.mark.parametrize(
    ("sizes", "code", "message"),
    [
        ("batch", 2, "'batch' is not NAME=SIZE"),
        ("batch=-1", 2, "'batch=-1' is not NAME=SIZE"),
        ("batsh=2", 1, "hint: did you mean 'batch'? the dynamic sizes are: batch"),
        ("m=4", 1, "no input of the model has a dimension 'm' [bad-interface]\n  hint: the dynamic sizes are: batch"),
        ("x[1]=4", 1, "input 'x' cannot have 4 elements along axis 1: the model has 3 there"),
    ],
)
def test_wrong_sizes(cnn, sizes, code, message):
    done = run("stats", "model.onnx", "--dim", sizes, folder=cnn)
    assert done.returncode == code and message in done.stderr and done.stdout == ""


def test_the_sizes_of_an_unknown_name(tmp_path):
    """Each name once, the parts of a sum, and places of sizes without a name."""
    model_file(tmp_path, '<ir_version: 10, opset_import: ["" : 17]> m (float[n, 3] x, float[k, n] y) => (float[n, 3] z) { z = Abs (x) }', lambda m: m.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, ["past + 2", None])))
    done = run("stats", "model.onnx", "--dim", "zzz=4", folder=tmp_path)
    assert done.returncode == 1 and "hint: the dynamic sizes are: n, k, past, w[1]\n" in done.stderr


def test_the_hint_of_a_static_model(tmp_path):
    model_file(tmp_path, '<ir_version: 10, opset_import: ["" : 17]> m (float[4] x) => (float[4] z) { z = Abs (x) }')
    done = run("stats", "model.onnx", "--dim", "n=4", folder=tmp_path)
    assert done.returncode == 1 and "hint: all sizes of the inputs are static" in done.stderr


def test_sizes_that_do_not_fit_each_other(tmp_path):
    model_file(tmp_path, '<ir_version: 10, opset_import: ["" : 17]> m (float[n] x, float[k] y) => (float[m] z) { z = Add (x, y) }')
    done = run("stats", "model.onnx", "--dim", "n=2,k=3", folder=tmp_path)
    assert done.returncode == 1 and "the sizes do not fit the model" in done.stderr


def test_sums_of_names(tmp_path):
    model_file(tmp_path, '<ir_version: 10, opset_import: ["" : 17]> m (float[past, 4] x, float[length, 4] z) => (float[n, 4] y) { y = Concat <axis = 0> (x, z) }', lambda m: m.graph.input.append(helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["past + length", 4])))
    assert counted("model.onnx", folder=tmp_path)["missing_sizes"] == ["past", "length"]
    counts = counted("model.onnx", "--dim", "past=3", "--dim", "length=2", folder=tmp_path)
    assert counts["missing_sizes"] == [] and counts["costs"]["peak_bytes"] >= 2 * 5 * 4 * 4


# Each formula of docs/stats.md, as (results, inputs, type of the layer, multiply-adds, FLOPs).
def parameter(*shape, kind=np.float32):
    return op.parameter(list(shape), kind)


def formula_cases():
    def weights(*shape):
        return np.ones(shape, np.float32)

    x = parameter(2, 3, 8, 8)
    yield "Convolution", op.convolution(x, weights(5, 3, 3, 3), [1, 1], [0, 0], [0, 0], [1, 1]), [x], 2 * 5 * 36 * 27, None
    x = parameter(1, 4, 8, 8)
    yield "GroupConvolution", op.group_convolution(x, weights(2, 3, 2, 3, 3), [1, 1], [0, 0], [0, 0], [1, 1]), [x], 6 * 36 * 18, None
    x = parameter(1, 3, 8, 8)
    yield "ConvolutionBackpropData", op.convolution_backprop_data(x, weights(3, 5, 2, 2), [2, 2]), [x], 3 * 64 * 20, None
    x = parameter(1, 4, 8, 8)
    yield "GroupConvolutionBackpropData", op.group_convolution_backprop_data(x, weights(2, 2, 3, 2, 2), [2, 2]), [x], 4 * 64 * 12, None
    a, b = parameter(5, 2, 7), parameter(5, 3, 7)
    yield "MatMul", op.matmul(a, b, False, True), [a, b], 5 * 2 * 3 * 7, None
    a, b = parameter(7, 2), parameter(7, 3)
    yield "MatMul", op.matmul(a, b, True, False), [a, b], 2 * 3 * 7, None
    x, h, c, n = parameter(2, 6, 3), parameter(2, 1, 4), parameter(2, 1, 4), parameter(2, kind=np.int32)
    lstm = op.lstm_sequence(x, h, c, n, weights(1, 16, 3), weights(1, 16, 4), weights(1, 16), 4, "forward")
    yield "LSTMSequence", lstm.output(0), [x, h, c, n], 2 * 6 * 16 * 7, None
    q, k, v = parameter(1, 2, 5, 8), parameter(1, 2, 9, 8), parameter(1, 2, 9, 6)
    yield "ScaledDotProductAttention", op.scaled_dot_product_attention(q, k, v), [q, k, v], 2 * 5 * 9 * (8 + 6), None
    a, b = parameter(2, 3, 4), parameter(2, 4, 5)
    yield "Einsum", op.einsum([a, b], "bij,bjk->bik"), [a, b], 2 * 3 * 4 * 5, None
    a, b = parameter(2, 3, 4), parameter(4, 5)
    yield "Einsum", op.einsum([a, b], "...j,jk->...k"), [a, b], 2 * 3 * 4 * 5, None
    x = parameter(1, 2, 8, 8)
    yield "MaxPool", op.max_pool(x, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2], "floor", "explicit").output(0), [x], 0, 2 * 16 * 4
    x = parameter(4, 5)
    yield "SoftMax", op.softmax(x, 1), [x], 0, 5 * 20
    x = parameter(4, 5)
    yield "NormalizeL2", op.normalize_l2(x, np.int64([1]), 1e-6, "add"), [x], 0, 3 * 20
    x = parameter(4, 5)
    yield "ReduceSum", op.reduce_sum(x, np.int64([1])), [x], 0, 20
    x = parameter(4, 1)
    yield "Add", op.add(x, np.ones((4, 5), np.float32)), [x], 0, 20
    x = parameter(4, 5)
    yield "Transpose", op.transpose(x, np.int64([1, 0])), [x], 0, 0


@pytest.mark.parametrize("case", range(len(list(formula_cases()))))
def test_formulas(tmp_path, case):
    kind, result, inputs, multiply_adds, flops = list(formula_cases())[case]
    row = layers_of(counted(ir_file(tmp_path, [result], inputs), folder=tmp_path))[kind]
    assert (row["count"], row["multiply_adds"]) == (1, multiply_adds)
    assert row["flops"] == (2 * multiply_adds if flops is None else flops)


def loop_model(trip_count):
    return f"""
    <ir_version: 10, opset_import: ["" : 17]>
    m (float[4] x, int64 count) => (float[4] y) {{
      yes = Constant <value = bool {{1}}> ()
      {"trips = Constant <value = int64 {" + str(trip_count) + "}> ()" if trip_count else "trips = Identity (count)"}
      y = Loop <body = body (int64 i, bool on, float[4] v) => (bool again, float[4] next) {{
        again = Identity (on)
        small = Exp (v)
        next = Mul (small, v)
      }}> (trips, yes, x)
    }}"""


def test_a_loop_counts_its_iterations(tmp_path):
    model_file(tmp_path, loop_model(7))
    layers = layers_of(counted("model.onnx", folder=tmp_path))
    assert layers["Exp"]["flops"] == layers["Multiply"]["flops"] == 7 * 4 and layers["Exp"]["in_bodies"] == 1


def test_one_iteration_counts_if_the_trip_count_is_dynamic(tmp_path):
    model_file(tmp_path, loop_model(None))
    counts = counted("model.onnx", folder=tmp_path)
    assert layers_of(counts)["Exp"]["flops"] == 4 and counts["costs"]["open_loops"] == 1
    assert {row["type"]: row["in_bodies"] for row in counts["onnx"]["operators"]}["Exp"] == 1
    assert "; of 1 loop, one iteration is counted\n" in converted("stats", "model.onnx", folder=tmp_path).stdout


def test_the_larger_branch_counts(tmp_path):
    model_file(tmp_path, """
    <ir_version: 10, opset_import: ["" : 17]>
    m (bool c, float[4] x) => (float[4] y) {
      y = If (c) <then_branch = a () => (float[4] p) { e = Exp (x)  p = Exp (e) }, else_branch = b () => (float[4] q) { q = Abs (x) }>
    }""")
    layers = layers_of(counted("model.onnx", folder=tmp_path))
    assert layers["Exp"]["flops"] == 8 and layers["Abs"] == {"type": "Abs", "count": 1, "in_bodies": 1, "multiply_adds": 0, "flops": 0, "without_sizes": 0}


def test_functions_count_for_each_call(tmp_path):
    model_file(tmp_path, """
    <ir_version: 10, opset_import: ["" : 17, "own" : 1]>
    m (float[4] x) => (float[4] y) { a = own.twice (x)  b = own.twice (a)  y = Abs (b) }
    <domain: "own", opset_import: ["" : 17, "own" : 1]> twice (v) => (w) { s = own.once (v)  w = own.once (s) }
    <domain: "own", opset_import: ["" : 17]> once (v) => (w) { w = Exp (v) }
    """)
    assert {row["type"]: row["count"] for row in counted("model.onnx", folder=tmp_path)["onnx"]["operators"]} == {"Exp": 4, "Abs": 1}


def test_weights_by_type_and_shared_bytes(tmp_path):
    same = np.arange(100, dtype=np.float16)
    x = parameter(100, kind=np.float16)
    result = op.add(op.add(x, op.constant(same)), op.constant(same))
    small = op.convert(op.constant(np.arange(100, dtype=np.int8)), np.float16)
    counts = counted(ir_file(tmp_path, [op.multiply(result, small)], [x]), folder=tmp_path)
    rows = {row["element_type"]: row for row in counts["ir"]["weights"]}
    assert rows["f16"] == {"element_type": "f16", "constants": 1, "elements": 100, "bytes": 200}
    assert rows["i8"]["bytes"] == 100 and counts["ir"]["parameters"] == 200
    # The Convert of the constant is computed once, when the model is compiled.
    assert layers_of(counts)["Convert"]["flops"] == 0 and counts["costs"]["peak_bytes"] == 400


def test_memory_of_a_chain_and_of_views(tmp_path):
    x = parameter(100)
    result = x
    for _ in range(5):
        result = op.reshape(op.relu(result), np.int64([10, 10]), False)
    assert counted(ir_file(tmp_path, [result], [x]), folder=tmp_path)["costs"]["peak_bytes"] == 800
    first = op.relu(x)
    result = op.add(op.exp(op.exp(first)), first)
    counts = counted(ir_file(tmp_path, [result], [x]), folder=tmp_path)
    assert counts["costs"]["peak_bytes"] == 1200


def test_memory_inside_of_a_body(tmp_path):
    """The body keeps its state, Exp and the product, while the loop keeps its input and its result."""
    model_file(tmp_path, loop_model(7))
    costs = counted("model.onnx", folder=tmp_path)["costs"]
    assert costs["peak_bytes"] >= 5 * 16 and "/body/" in costs["peak_layer"]


def test_tables(cnn):
    text = converted("stats", "model.onnx", "--dim", "batch=2", folder=cnn).stdout
    assert text.startswith("ONNX model: 4 operators, 296 parameters, 1.2 KiB of weights\n")
    assert re.search(r"^  Convolution +1 +110,592 +221,184 +\d+\.\d %$", text, re.M)
    assert re.search(r"^activations: at most 32.0 KiB at the same time, at '\w+'$", text, re.M)


def test_a_page_has_the_counts_for_a_chart(cnn):
    """tests/browser/test_html_picture.py looks at the chart."""
    assert converted("stats", "model.onnx", "--dim", "batch=2", "--html", "page.html", folder=cnn).stdout == ""
    page = (cnn / "page.html").read_text()
    begin = page.index(">", page.index('<script type="application/json"')) + 1
    data = json.loads(page[begin : page.index("</script>", begin)])
    counts = counted("model.onnx", "--dim", "batch=2", folder=cnn)
    assert data["statistics"] == counts and any("emitter" in node[4] for node in data["graphs"][0] if len(node) > 4)
    converted("show", "model.onnx", "--html", "shown.html", folder=cnn)
    assert '"missing_sizes":["batch"]' in (cnn / "shown.html").read_text()
    done = run("stats", "model.onnx", "--dim", "z=2", "--html", "other.html", folder=cnn)
    assert done.returncode == 1 and "no input of the model has a dimension 'z'" in done.stderr and not (cnn / "other.html").exists()


def test_an_error_of_the_conversion(tmp_path):
    model_file(tmp_path, '<ir_version: 10, opset_import: ["" : 17]> m (float[4] x) => (float[4] y) { y = Abs (z) }')
    done = run("stats", "model.onnx", folder=tmp_path)
    assert done.returncode == 1 and "[undefined-name]" in done.stderr and done.stdout == ""
