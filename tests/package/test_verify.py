"""`onnx2ir verify`: the comparison with onnxruntime, and the search for the first node that differs."""

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


def run_verify(installed, *words, python=sys.executable):
    (package,) = installed.rglob("dist-packages")
    environment = {"PATH": f"{Path(python).parent}:/usr/bin:/bin", "PYTHONPATH": str(package)}
    tool = installed / "bin/onnx2ir"
    return subprocess.run([tool, "verify", *map(str, words)], env=environment, cwd=package, capture_output=True, text=True, check=False)


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
        ([model, "--dim", "inner=5", "--dim", "rows=x"], "invalid literal"),
        ([model, "--input", "z=1"], "the model has no input z, only a, b"),
        ([model, "--input", "a=[1]"], "give valid ones (--input NAME=VALUE, --dim NAME=SIZE)"),
        ([files(MATRICES.replace("Relu", "NoOperator"), "unknown.onnx")], "NoOperator"),
    ]:
        done = run_verify(installed, *words)
        assert done.returncode == 2 and message in done.stderr, (words, done)


def test_missing_packages(installed):
    """Debian's Python has no onnxruntime."""
    done = run_verify(installed, MODEL, python="/usr/bin/python3")
    assert done.returncode == 2
    assert re.fullmatch(r"onnx2ir: verify needs the Python package \w+: python3 -m pip install 'onnx2ir\[verify\]'\n", done.stderr)


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
