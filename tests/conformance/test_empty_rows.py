"""Rows of a Scan that may be empty, stacked along another axis than the first (empty_stacked_rows), and constants without elements as
factors (empty_constant_factor)."""

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

HEAD = '<ir_version: 9, opset_import: ["" : 21]> main '
SCAN = "(float[K] x, float[N, P] c) => ({kind}[A, B, C] y) {{ y = Scan <num_scan_inputs = 1, scan_output_axes = [{axis}], body = b (float e) => ({kind}[M, Q] row) {{ {row} }}> (x) }}"
ROWS = {"float": "row = Mul (c, e)", "bool": "row = Greater (c, e)"}
SIZES = ((3, 2, 4), (2, 0, 3), (1, 0, 1), (2, 2, 0), (4, 1, 1))
# onnxruntime's own Scan divides by 0 for an empty axis before that of the stack.
PRODUCTS = {
    "constant first": "p = Mul (k, x) y = Add (p, w)",
    "constant second": "p = Mul (x, k) y = Add (w, p)",
    "constant of rows": "l = Neg (x) p = Mul (k, l) s = Add (p, w) y = Add (s, x)",
}


def stacked(kind, axis):
    text = SCAN.format(kind=kind, axis=axis, row=ROWS[kind])
    runs = []
    for count, *sizes in SIZES:
        x, c = numbers(f"{kind}{axis}{count}", count), numbers(f"c{sizes}", *sizes)
        steps = x.reshape(count, 1, 1)
        rows = c * steps if kind == "float" else c > steps
        runs.append(Run({"x": x, "c": c}, {"y": np.moveaxis(rows, 0, axis)}))
    return Case(f"stacked_{kind}_{axis}", onnx.parser.parse_model(HEAD + text).SerializeToString(), runs, one_compiled=True)


def product(name):
    text = f"(float[1, N] x, float[1, N] w) => (float[0, M] y) <float[0, 1] k = {{}}> {{ {PRODUCTS[name]} }}"
    runs = [Run({"x": numbers(f"x{n}", 1, n), "w": numbers(f"w{n}", 1, n)}) for n in (3, 1)]
    return Case(f"product_{name}", onnx.parser.parse_model(HEAD + text).SerializeToString(), runs, one_compiled=True)


def joined():
    """Tensors of no rows, joined along their second axis."""
    text = """(float[0, N] x, int64 n) => (float[0, M] y) <bool go_on = {1}> { s = SequenceEmpty <dtype = 1> ()
        l = Loop (n, go_on, s) <body = b (int64 i, bool c, seq(float[0, P]) t) => (bool d, seq(float[0, Q]) u) { d = Identity (c) u = SequenceInsert (t, x) }>
        z = SequenceInsert (l, x) y = ConcatFromSequence <axis = 1> (z) }"""
    runs = [Run({"x": np.zeros((0, size), np.float32), "n": np.array(count)}) for count, size in ((2, 3), (0, 1))]
    return Case("joined", onnx.parser.parse_model(HEAD + text).SerializeToString(), runs, one_compiled=True)


ENTRIES = [Entry(("empty_rows", f"stacked-{kind}-{axis}"), lambda k=kind, a=axis: stacked(k, a)) for kind in ROWS for axis in (0, 1, 2)]
ENTRIES += [Entry(("empty_rows", f"product-{name}"), lambda n=name: product(n)) for name in PRODUCTS] + [Entry(("empty_rows", "joined"), joined)]


@pytest.mark.parametrize("conformance", parameters(ENTRIES))
def test_empty_rows(conformance, result):
    assert_passed(result)
