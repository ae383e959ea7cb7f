"""`onnx2ir verify`: the comparison with onnxruntime, and the search for the first node that differs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

from .test_package import MODEL

MATRICES = """<ir_version: 10, opset_import: ["": 18]>
matrices (float[rows, inner] a, float[inner, columns] b) => (float[rows, columns] y) {
    product = MatMul (a, b)
    y = Relu (product)
}
"""

# The branch, the loop body and the inner body each contain one Mul.
BRANCH = """<ir_version: 10, opset_import: ["": 18]>
branch (float[2] x) => (float[2] y) {
    largest = ReduceMax <keepdims = 0> (x)
    low = Constant <value = float {-100.0}> ()
    is_large = Greater (largest, low)
    [choice] y = If (is_large) <
        then_branch = then () => (float[2] t) { [product] t = Mul (x, x) },
        else_branch = else () => (float[2] e) { e = Neg (x) }
    >
}
"""
LOOP = """<ir_version: 10, opset_import: ["": 18]>
loop (float[2] x) => (float[2] y) {
    trips = Constant <value = int64 {4}> ()
    go = Constant <value = bool {1}> ()
    [steps] y = Loop (trips, go, x) <
        body = step (int64 i, bool c, float[2] s) => (bool again, float[2] next) {
            again = Identity (c)
            [product] grown = Mul (s, s)
            next = Abs (grown)
        }
    >
}
"""
NESTED = """<ir_version: 10, opset_import: ["": 18]>
nested (float[2] x) => (float[2] y) {
    trips = Constant <value = int64 {3}> ()
    go = Constant <value = bool {1}> ()
    [outer] y = Loop (trips, go, x) <
        body = step (int64 i, bool c, float[2] s) => (bool again, float[2] next) {
            again = Identity (c)
            [inner] last = Loop (trips, c, s) <
                body = inner_step (int64 j, bool d, float[2] u) => (bool more, float[2] v) {
                    more = Identity (d)
                    [product] v = Mul (u, u)
                }
            >
            next = Abs (last)
        }
    >
}
"""
CHAIN = """<ir_version: 10, opset_import: ["": 18]>
chain (float[2] x) => (float[2] y) {
    a = Abs (x)
    b = Exp (a)
    [product] c = Mul (b, b)
    d = Sqrt (c)
    y = Neg (d)
}
"""
VALUES = np.array([0.5, -3], np.float32)
EQUAL_AT_FIRST = np.array([0, 2], np.float32)  # the sum and the product of each element with itself are equal


@pytest.fixture
def files(tmp_path):
    def write(text, name="model.onnx"):
        path = tmp_path / name
        onnx.save(onnx.parser.parse_model(text), path)
        return path

    return write


def run_verify(installed, *words, python=sys.executable, **options):
    (package,) = installed.rglob("dist-packages")
    environment = {"PATH": f"{Path(python).parent}:/usr/bin:/bin", "PYTHONPATH": str(package)}
    tool = installed / "bin/onnx2ir"
    return subprocess.run([tool, "verify", *map(str, words)], **{"env": environment, "cwd": package, "capture_output": True, "text": True, "check": False} | options)


def test_equal_outputs(installed):
    done = run_verify(installed, MODEL)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [re.split(r"  +", line) for line in done.stdout.splitlines()]
    assert rows[0] == ["run", "output", "type", "shape", "largest difference", "relative", "result"]
    assert [(row[1], row[-1]) for row in rows[1:]] == [("res_y", "equal"), ("res_scan", "equal")]


def test_another_ir_differs(installed, files, tmp_path):
    model, other = files(MATRICES), files(MATRICES.replace("Relu", "Neg"), "other.onnx")
    subprocess.run([installed / "bin/onnx2ir", other, "-o", tmp_path / "other.xml"], check=True)
    done = run_verify(installed, model, tmp_path / "other.xml")
    assert done.returncode == 1
    assert re.search(r"1 +y +float32 +\[2, 4\] .* 8 of 8 differ, first at \[0, 0\]: ", done.stdout)
    assert "run 2: rows=3, inner=4, columns=5" in done.stdout


def test_given_inputs_and_sizes(installed, files, tmp_path):
    np.save(tmp_path / "a.npy", np.ones([1, 5], np.float32))
    done = run_verify(installed, files(MATRICES), "--input", f"a={tmp_path / 'a.npy'}", "--sizes", "7")
    assert done.returncode == 0, done.stderr
    assert "run 1: rows=1, inner=5, columns=7" in done.stdout and "[1, 7]" in done.stdout
    done = run_verify(installed, files(MATRICES), "--dim", "inner=5", "--dim", "columns=1", "--sizes", "0")
    assert done.returncode == 0, done.stderr
    assert "[0, 1]" in done.stdout


def test_dimensions_that_must_be_equal(onnx2ir, files):
    from onnx2ir.verify import verify

    rows = verify(files(MATRICES.replace("float[inner, columns]", "float[other, columns]")), sizes=[3])
    assert [row.is_equal for row in rows] == [True]
    assert rows[0].sizes == "rows=3, inner=3, other=3, columns=3"


def test_failures(installed, files, tmp_path):
    model = files(MATRICES)
    for words, message in [
        ([tmp_path / "missing.onnx"], "No such file"),
        ([model, tmp_path / "missing.xml"], "No such file"),
        ([model, "--dim", "inner=5", "--dim", "rows=x"], "argument --dim: 'x' is not a size"),
        ([model, "--input", "z=1"], "the model has no input z, only a, b"),
        ([model, "--input", "a=[1]"], "give valid ones (--input NAME=VALUE, --dim NAME=SIZE)"),
        ([files(MATRICES.replace("Relu", "NoOperator"), "unknown.onnx")], "NoOperator"),
    ]:
        done = run_verify(installed, *words)
        assert done.returncode == 2 and message in done.stderr, (words, done)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--dim", "rows=-1"], "verify: argument --dim: '-1' is not a size from 0 to 2147483647"),
        (["--dim", "rows=99999999999"], "verify: argument --dim: '99999999999' is not a size from 0 to 2147483647"),
        (["--dim", "rows"], "verify: argument --dim: 'rows' is not NAME=SIZE"),
        (["--sizes", "a"], "verify: argument --sizes: 'a' is not a size from 0 to 2147483647"),
        (["--seed", "-1"], "verify: argument --seed: '-1' is not a number of 0 or more"),
        (["--rtol", "nan"], "verify: argument --rtol: 'nan' is not a number of 0 or more"),
        (["--input", "a=[1"], "verify: argument --input: [1: Expecting ',' delimiter: line 1 column 3 (char 2)"),
        (["--input", 'a=[["x"]]'], "the value of the input a cannot be converted to float32: could not convert string to float: 'x'"),
        (["--input", "a=[[1]]", "--dim", "inner=2"], "the value of the input a has the shape [1, 1], but the dimension inner was given the size 2"),
        (["--bogus"], "verify: unrecognized arguments: --bogus"),
    ],
)
def test_wrong_arguments(installed, files, words, message):
    done = run_verify(installed, files(MATRICES), *words)
    assert (done.returncode, done.stderr) == (2, f"onnx2ir: {message}\n")


def test_sizes_that_need_too_much_memory(installed, files):
    done = run_verify(installed, files(MATRICES), "--dim", "rows=2147483647")
    assert done.returncode == 2 and "has more than 268435456 elements" in done.stderr


def test_a_given_value_of_a_wrong_rank(installed, files):
    done = run_verify(installed, files(MATRICES), "--input", "a=3", "--input", "b=3")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "Invalid rank" in done.stderr


def test_standard_streams(installed, files):
    """The model is standard input, the page standard output."""
    with open(files(MATRICES), "rb") as file:
        done = run_verify(installed, "-", "--html", "-", stdin=file)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<!DOCTYPE html>") and "largest difference" in done.stderr
    with open("/dev/full", "w") as full:
        done = run_verify(installed, files(MATRICES), capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (2, "onnx2ir: [Errno 28] No space left on device\n")


def test_models_that_are_no_files(onnx2ir, files):
    from onnx2ir.verify import Failure, heat_map, locate, verify

    path = files(MATRICES)
    for model in (onnx.load(path), path.read_bytes(), MATRICES):
        assert all(row.is_equal for row in verify(model))
    assert locate(onnx.load(path)) is None
    with open(path, "rb") as file:
        heat_map(file, path.with_suffix(".html"))
    for model in (b"", b"\x00\xff"):
        with pytest.raises(Failure, match="^the model is not an ONNX model: "):
            verify(model)


def test_arguments_that_no_model_fits(onnx2ir, files):
    from onnx2ir.verify import verify

    for arguments in ({"sizes": []}, {"sizes": [-1]}, {"dimensions": {"rows": -1}}, {"seed": -1}):
        with pytest.raises(ValueError, match=f"{next(iter(arguments))}|rows"):
            verify(files(MATRICES), **arguments)


def test_missing_packages(installed):
    """Debian's Python has no onnxruntime."""
    done = run_verify(installed, MODEL, python="/usr/bin/python3")
    assert done.returncode == 2
    assert re.fullmatch(r"onnx2ir: verify needs the Python package \w+: \S+python3 -m pip install numpy onnx onnxruntime openvino\n", done.stderr)


def test_python_of_the_same_environment_is_used(installed, tmp_path):
    tool, python = tmp_path / "onnx2ir", tmp_path / "python3"
    tool.write_bytes((installed / "bin/onnx2ir").read_bytes())
    python.write_text("#!/bin/sh\nshift 2\necho here: $@")
    for file in (tool, python):
        file.chmod(0o755)
    done = subprocess.run([tool, "verify", "m.onnx", "--locate"], env={}, capture_output=True, text=True, check=True)
    assert done.stdout == "here: m.onnx --locate\n"


def test_the_current_folder_is_not_searched_for_modules(installed, tmp_path):
    (tmp_path / "onnx2ir.py").write_text("raise SystemExit(7)")
    (package,) = installed.rglob("dist-packages")
    environment = dict(os.environ, PYTHONPATH=str(package))
    done = subprocess.run([installed / "bin/onnx2ir", "verify", MODEL], cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 0


def with_fault(graph):
    """Replaces Mul by Add, also in bodies."""
    for node in graph.node:
        node.op_type = {"Mul": "Add"}.get(node.op_type, node.op_type)
        for attribute in node.attribute:
            with_fault(attribute.g)


def convert_with_fault(convert, most_outputs):
    def converted(model, **options):
        proto = onnx.ModelProto()
        proto.CopyFrom(model)
        if len(proto.graph.output) <= most_outputs:
            with_fault(proto.graph)
        return convert(proto, **options)

    return converted


@pytest.mark.parametrize(
    "text, values, most_outputs, graphs",
    [
        (CHAIN, VALUES, 100, ()),
        (CHAIN, VALUES, 1, ()),
        (BRANCH, VALUES, 100, ("then_branch of If 'choice'",)),
        (LOOP, EQUAL_AT_FIRST, 100, ("iteration 1 of Loop 'steps'",)),
        (NESTED, VALUES, 100, ("iteration 0 of Loop 'outer'", "Loop 'inner'")),
    ],
    ids=["main graph", "only without other outputs", "branch", "loop", "nested loop"],
)
def test_locate(onnx2ir, files, monkeypatch, text, values, most_outputs, graphs):
    from onnx2ir.verify import _locate

    monkeypatch.setattr(_locate._api, "convert", convert_with_fault(onnx2ir.convert, most_outputs))
    found = _locate.locate(files(text), inputs={"x": values})
    assert (found.graphs, found.op_type, found.node) == (graphs, "Mul", "product")
    assert ("a pass of the conversion" in found.note) == (most_outputs == 1)


@pytest.mark.parametrize("text", [CHAIN, BRANCH, LOOP, NESTED])
def test_locate_finds_nothing_in_a_right_conversion(onnx2ir, files, text):
    from onnx2ir.verify import locate

    assert locate(files(text), inputs={"x": VALUES}) is None


def decoder(folder, *, mask="past_sequence_length + sequence_length", merged=False):
    """Attention of one layer with a cache, with the inputs and dimensions of optimum's decoders."""
    hidden = 4
    values = lambda name, kind, shape: onnx.helper.make_tensor_value_info(name, kind, shape)  # noqa: E731
    integer, real = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
    cache = ["batch_size", 1, "past_sequence_length", hidden]
    inputs = [values("input_ids", integer, ["batch_size", "sequence_length"]), values("attention_mask", integer, ["batch_size", mask])]
    inputs += [values(f"past_key_values.0.{part}", real, cache) for part in ("key", "value")]
    new = ["batch_size", 1, mask, hidden]
    outputs = [values("logits", real, ["batch_size", "sequence_length", hidden])]
    outputs += [values(f"present.0.{part}", real, new) for part in ("key", "value")]
    random = np.random.default_rng(0)
    tensors = {
        "table": random.standard_normal((8, hidden)).astype(np.float32),
        "one": np.array(1, np.float32),
        "low": np.array(-1000, np.float32),
        "heads": np.array([1]),
        "mask_axes": np.array([1, 2]),
    }
    node = onnx.helper.make_node
    nodes = [
        node("Gather", ["table", "input_ids"], ["embedded"]),
        node("Unsqueeze", ["embedded", "heads"], ["query"]),
        node("Concat", ["past_key_values.0.key", "query"], ["present.0.key"], axis=2),
        node("Concat", ["past_key_values.0.value", "query"], ["present.0.value"], axis=2),
        node("Transpose", ["present.0.key"], ["keys"], perm=[0, 1, 3, 2]),
        node("MatMul", ["query", "keys"], ["products"]),
        node("Cast", ["attention_mask"], ["kept"], to=real),
        node("Sub", ["one", "kept"], ["hidden"]),
        node("Mul", ["hidden", "low"], ["penalty"]),
        node("Unsqueeze", ["penalty", "mask_axes"], ["penalties"]),
        node("Add", ["products", "penalties"], ["scores"]),
        node("Softmax", ["scores"], ["weights"], axis=-1),
        node("MatMul", ["weights", "present.0.value"], ["mixed"]),
        node("Squeeze", ["mixed", "heads"], ["logits"]),
    ]
    if merged:  # no size of these logits is a multiple of 5: the branch without a cache fails
        inputs.append(values("use_cache_branch", onnx.TensorProto.BOOL, [1]))
        tensors["width"] = np.array([-1, 5, 1])
        broken = onnx.helper.make_graph([node("Reshape", ["kept_logits", "width"], ["bad"])], "without", [], [values("bad", real, [None, 5, 1])])
        right = onnx.helper.make_graph([node("Identity", ["logits"], ["good"])], "with", [], [values("good", real, None)])
        nodes[-1].output[0] = "kept_logits"
        right.node[0].input[0] = "kept_logits"
        nodes.append(node("If", ["use_cache_branch"], ["logits"], then_branch=right, else_branch=broken))
    graph = onnx.helper.make_graph(nodes, "decoder", inputs, outputs, [onnx.numpy_helper.from_array(value, name) for name, value in tensors.items()])
    path = folder / "decoder.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.mark.parametrize(
    ("mask", "words", "sizes"),
    [
        ("past_sequence_length + sequence_length", [], "batch_size=2, sequence_length=3, past_sequence_length=4"),
        ("past_sequence_length+sequence_length", [], "batch_size=2, sequence_length=3, past_sequence_length=4"),
        ("sequence_length + past_sequence_length*1", ["--dim", "past_sequence_length=0"], "batch_size=2, sequence_length=3"),
        ("past_sequence_length + 1", ["--dim", "sequence_length=1"], "batch_size=2, past_sequence_length=3"),
        ("past_sequence_length + sequence_length", ["--input", "attention_mask=[[1,1,1,1,1]]"], "batch_size=1, sequence_length=2, past_sequence_length=3"),
        ("past_sequence_length + sequence_length", ["--dim", "past_sequence_length + sequence_length=9"], "sequence_length=2, past_sequence_length=7, batch_size=3"),
    ],
)
def test_sums_of_dimensions(installed, tmp_path, mask, words, sizes):
    done = run_verify(installed, decoder(tmp_path, mask=mask), *words)
    assert done.returncode == 0, done.stderr + done.stdout
    assert f"run 1: {sizes}" in done.stdout


def test_the_branch_with_a_cache(installed, tmp_path):
    done = run_verify(installed, decoder(tmp_path, merged=True))
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("batchsize", "the model has no dynamic dimension batchsize: did you mean batch_size?"),
        ("past", "the model has no dynamic dimension past"),
        ("frames", "; the dynamic dimensions are batch_size, sequence_length, past_sequence_length + sequence_length, past_sequence_length"),
    ],
)
def test_unknown_dimensions(installed, tmp_path, name, message):
    done = run_verify(installed, decoder(tmp_path), "--dim", f"{name}=3")
    assert done.returncode == 2
    assert message in done.stderr


def test_dimensions_by_input_and_axis(installed, files):
    done = run_verify(installed, files(MATRICES), "--dim", "a[0]=6", "--sizes", "2")
    assert done.returncode == 0, done.stderr
    assert "[6, " in done.stdout


NAN = """<ir_version: 10, opset_import: ["": 17]>
g (float[n] x) => (float[n] y, float[n] z) {
    low = Constant <value = float {-1.0}> ()
    nan = Log (low)
    y = Add (x, nan)
    square = Mul (x, x)
    z = Log (x)
}
"""


def test_nan_is_not_silently_equal(installed, files):
    done = run_verify(installed, files(NAN), "--input", "x=[1, -1]")
    assert done.returncode == 0, done.stderr
    assert re.search(r"1 +y .* equal, but all elements are NaN$", done.stdout, re.MULTILINE)
    assert re.search(r"1 +z .* equal, but 1 of 2 elements are NaN$", done.stdout, re.MULTILINE)
    assert "onnx2ir: warning: all elements of 'y' are NaN" in done.stderr
    assert "'z'" not in done.stderr


def test_expressions_of_dimensions(onnx2ir):
    from onnx2ir.verify import _dimensions

    sizes = {"n": 5, "m": 2, "batch-size": 7, "unk__1": 8, "x.1": 9}
    for text, names, value in [
        ("n", ["n"], 5),
        ("batch-size", ["batch-size"], 7),
        ("x.1", ["x.1"], 9),
        ("unk__1", ["unk__1"], 8),
        ("n + m", ["n", "m"], 7),
        ("m*(n - 1)", ["m", "n"], 8),
        ("n/2", ["n"], 2),
        ("floor(n/2)", ["n"], 2),
        ("ceil(n/2)", ["n"], 3),
        ("(n + 1)//2 % 2", ["n"], 1),
        ("Max(m, n)", ["m", "n"], 5),
    ]:
        assert _dimensions.names_in(text) == names
        assert _dimensions.evaluate(text, sizes) == value
    for text in ("__import__('os')", "n.size", "n if m else n", "[n]", "3", "", "n +", "a b", "f(n)", "n ** 99999999", "max()"):
        assert _dimensions.names_in(text) == [text]


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="model">(.*?)</script>', page, re.DOTALL)[1])


def test_heat_map(onnx2ir, files, tmp_path, monkeypatch):
    """The page has the error of each layer with a tensor of the ONNX model, and marks the first one that differs."""
    from onnx2ir.verify import Failure, _heat_map, _runs

    text = """<ir_version: 10, opset_import: ["": 18]>
    m (float[2, n] x) => (float[2, n] y) { [first] a = Sigmoid (x) [product] b = Mul (a, x) [last] y = Exp (b) }
    """
    model = files(text)
    _heat_map.heat_map(model, tmp_path / "page.html")
    data = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    errors = {row[1]: row[4]["error"] for row in data["graphs"][0] if len(row) > 4 and "error" in row[4]}
    assert data["first_difference"] is None and all(problem == "" and float(relative) < 1e-3 for _, relative, problem, _ in errors.values())
    assert {"last"} <= errors.keys()
    monkeypatch.setattr(_runs._api, "convert", lambda path, convert=convert_with_fault(onnx2ir.convert, 100): convert(onnx.load(path)))
    _heat_map.heat_map(model, tmp_path / "page.html")
    data = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    row = data["graphs"][0][data["first_difference"]]
    assert row[1] == "product" and " differ, first at " in row[4]["error"][2]
    before = Path(model).read_bytes()
    with pytest.raises(Failure, match="overwrite"):
        _heat_map.heat_map(model, model)
    assert Path(model).read_bytes() == before


def test_nan_in_a_heat_map_is_not_silently_equal(onnx2ir, files, tmp_path):
    from onnx2ir.verify import heat_map

    heat_map(files(NAN), tmp_path / "page.html", inputs={"x": np.float32([1, -1])})
    data = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    notes = {names[0][1]: row[4]["error"][3] for row in data["graphs"][0] if len(row) > 4 and "error" in row[4] for names in [row[4]["tensors"]]}
    assert notes["y"] == "all elements are NaN" and notes["z"] == "1 of 2 elements are NaN"


def test_names_in_a_heat_map_are_no_markup():
    from onnx2ir.verify import Comparison, _heat_map

    page = '<script type="application/json" id="model">{"graphs":[[[0,"n",[],[0],{"tensors":[[0,"\\u003c/script>"]]}]]]}</script>'
    changed = _heat_map.with_errors(page, {"</script>": Comparison("float32", "[1]", 1.0, 0.5, "</script><script>alert(1)</script>")})
    assert changed.count("</script>") == 1 and data_of(changed)["graphs"][0][0][4]["error"] == ["1", "0.5", "</script><script>alert(1)</script>", ""]
