"""Products of one element that a Reshape turns into a scalar: scalar_reshape_of_product."""

import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}
NODES = {
    "two_vectors": "row = Reshape(a, of_row) column = Reshape(b, of_column) p = MatMul(row, column) y = Reshape(p, scalar)",
    "constant_weights": "row = Reshape(a, of_row) p = MatMul(row, w) y = Reshape(p, scalar)",
    "activation_between": "row = Reshape(a, of_row) p = MatMul(row, w) q = Sigmoid(p) y = Reshape(q, scalar)",
    "transpose_between": "row = Reshape(a, of_row) p = MatMul(row, w) q = Transpose(p) y = Reshape(q, scalar)",
    "used_by_a_sum": "row = Reshape(a, of_row) column = Reshape(b, of_column) p = MatMul(row, column) s = Reshape(p, scalar) y = Add(s, one)",
    "shape_of_a_scalar": "row = Reshape(a, of_row) p = MatMul(row, w) s = ReduceMax<keepdims = 0>(b) t = Shape(s) y = Reshape(p, t)",
}


def add_case(name, nodes, is_dynamic):
    def make():
        size = "N" if is_dynamic else "5"
        model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 13]>
            main (float[{size}] a, float[{size}] b) => (float y)
            <int64[2] of_row = {{1, -1}}, int64[2] of_column = {{-1, 1}}, int64[0] scalar = {{}}, float one = {{1}},
             float[5, 1] w = {{-0.5, -0.25, -2, -1, -0.75}}> {{ {nodes} }}""")
        a, b = numbers("a", 5), numbers("b", 5)
        return Case(name, model.SerializeToString(), [Run({"a": a, "b": b}, None), Run({"a": b, "b": b}, None)])

    CASES[name] = make


for case_name, nodes in NODES.items():
    add_case(case_name, nodes, False)
    add_case(f"{case_name}-dynamic", nodes, True)


@pytest.mark.parametrize("conformance", parameters(Entry(("scalar products", name), make) for name, make in CASES.items()))
def test_scalar_products(conformance, result):
    assert_passed(result)
