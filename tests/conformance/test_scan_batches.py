"""Scan of version 8: a batch of sequences, each with its own length."""

import itertools

import numpy as np
import onnx
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

MODEL = """
<ir_version: 3, opset_import: ["" : 8]>
scan ({types}) => ({outputs}) {{
  {outer}
  final, rows, sums = Scan ({lengths}, state, x, y) <num_scan_inputs = 2, directions = [{directions}], body = body (float[2] s, float[2] a, float[2] b) => (float[2] next, float[2] row, float twice) {{
    sum = Add (s, a)
    next = Mul (sum, {factor})
    row = Sub (b, s)
    twice = ReduceSum <keepdims = 0> (row)
  }}>
}}
"""


def make(directions, has_lengths, is_dynamic, has_capture):
    sizes = (lambda *_: "[B, L, 2]") if is_dynamic else (lambda batch, length: f"[{batch}, {length}, 2]")
    types = f"float[{'B' if is_dynamic else 3}, 2] state, float{sizes(3, 5)} x, float{sizes(3, 5)} y"
    if has_lengths:
        types = f"int64[{'B' if is_dynamic else 3}] lengths, " + types
    if has_capture:
        types += ", float[2] outside"
    model = onnx.parser.parse_model(
        MODEL.format(
            types=types,
            outputs=", ".join(f"float{shape} {name}" for name, shape in zip(("final", "rows", "sums"), ("[P, Q]", "[P, Q, R]", "[P, Q]"))),
            lengths="lengths" if has_lengths else "",
            outer="factor = Abs (outside)" if has_capture else "",
            directions=", ".join(map(str, directions)),
            factor="factor" if has_capture else "a",
        )
    )
    inputs = {"state": numbers("state", 3, 2), "x": numbers("x", 3, 5, 2), "y": numbers("y", 3, 5, 2)}
    if has_lengths:
        inputs["lengths"] = np.array([5, 2, 3])
    if has_capture:
        inputs["outside"] = np.array([0.5, -0.25], np.float32)
    return Case("scan", model.SerializeToString(), [Run(inputs, None)], rtol=1e-4, atol=1e-5)


VARIANTS = list(itertools.product(([0, 0], [1, 0], [1, 1]), (False, True), (False, True), (False, True)))


def name_of(variant):
    return "-".join(map(str, variant))


@pytest.mark.parametrize("conformance", parameters(Entry(("scan 8", name_of(v)), lambda v=v: make(*v)) for v in VARIANTS))
def test_scan_batches(conformance, result):
    assert_passed(result)
