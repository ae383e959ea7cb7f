"""Reductions of a Transpose to a scalar: total_of_transpose."""

import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}
NODES = {
    op: f"t = Transpose (x) y = {op} <keepdims = 0> (t)" for op in ("ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceProd", "ReduceMax", "ReduceSumSquare")
} | {
    "unsqueezed": "t = Transpose (x) u = Constant <value_ints = [2]> () v = Unsqueeze(t, u) a = Constant <value_ints = [0, 1]> () r = ReduceSum <keepdims = 0> (v, a) y = Squeeze(r)",
    "kept": "t = Transpose (x) u = Constant <value_ints = [0]> () v = Unsqueeze(t, u) a = Constant <value_ints = [1, 2]> () r = ReduceProd <keepdims = 1> (v, a) y = Squeeze(r)",
    "axes": "t = Transpose (x) a = Constant <value_ints = [-1, 0]> () y = ReduceSum <keepdims = 0> (t, a)",
    "two_steps": "t = Transpose (x) a = Constant <value_ints = [0]> () s = ReduceSum <keepdims = 0> (t, a) y = ReduceSum <keepdims = 0> (s, a)",
}


def add_case(name, nodes, sizes):
    def make():
        text = f'<ir_version: 10, opset_import: ["" : 18]> main (float[{sizes}] x) => (float y) {{ {nodes} }}'
        return Case(name, onnx.parser.parse_model(text).SerializeToString(), [Run({"x": numbers("x", 2, 3)}), Run({"x": numbers("y", 2, 3)})], rtol=1e-4)

    CASES[name] = make


for case_name, nodes in NODES.items():
    add_case(case_name, nodes, "2, 3")
    add_case(f"{case_name}-dynamic", nodes, "N, M")


@pytest.mark.parametrize("conformance", parameters(Entry(("transposed totals", name), make) for name, make in CASES.items()))
def test_transposed_totals(conformance, result):
    assert_passed(result)
