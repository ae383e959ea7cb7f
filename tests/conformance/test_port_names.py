"""get_any_name() of the inputs and outputs of a compiled model is their ONNX name. OpenVINO joins the names of tensors if it removes an
operation between them; other cases compare the names of the model as it is read."""

import numpy as np
import onnx
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CONSTANTS = {
    "zeros": np.zeros(3, np.float32), "ones": np.ones(3, np.float32), "w": numbers("w", 3, 3), "first": np.array([0]), "last": np.array([2**63 - 1]),
    "one_each": np.array([1, 1]), "no_pads": np.array([0, 0, 0, 0]), "flat": np.array([-1]), "rows": np.array([-1, 3]), "minus_one": np.array([-1], np.float32),
}
# "a" precedes the names of the ports in alphabetical order.
MIDDLES = {
    "add_0": "c = Add(a, zeros)",
    "0_add": "c = Add(zeros, a)",
    "mul_1": "c = Mul(a, ones)",
    "mul_minus_1": "c = Mul(a, minus_one)",
    "sub_0": "c = Sub(a, zeros)",
    "div_1": "c = Div(a, ones)",
    "pow_1": "c = Pow(a, ones)",
    "two_sums": "b = Add(a, zeros) c = Add(b, zeros)",
    "unsqueeze_squeeze": "b = Unsqueeze(a, first) c = Squeeze(b, first)",
    "two_reshapes": "b = Reshape(a, flat) c = Reshape(b, rows)",
    "two_transposes": "b = Transpose<perm = [1, 0]>(a) c = Transpose<perm = [1, 0]>(b)",
    "expand": "c = Expand(a, one_each)",
    "tile": "c = Tile(a, one_each)",
    "pad": "c = Pad(a, no_pads)",
    "slice": "c = Slice(a, first, last)",
    "concat": "c = Concat<axis = 0>(a)",
    "half": "b = Cast<to = 10>(a) c = Cast<to = 1>(b)",
    "double": "b = Cast<to = 11>(a) c = Cast<to = 1>(b)",
    "negative": "c = Neg(a)",
    "where": "t = Equal(first, first) c = Where(t, a, zeros)",
}
FORMS = {
    "output": "a = Sin(x) MIDDLE",
    "input": "MIDDLE y = Sin(c)",
    "product": "a = MatMul(x, w) MIDDLE",
    "both": "a = Sin(x) MIDDLE z = Cos(a)",
    "port": "MIDDLE",
    "two_outputs": "a = Sin(x) MIDDLE z = Identity(a)",
}


def make(form, middle, is_dynamic):
    body = FORMS[form].replace("MIDDLE", MIDDLES[middle])
    if form == "input":
        body = body.replace("(a", "(x").replace(", a", ", x").replace("c =", "a =").replace("(c)", "(a)")
    elif form == "port":
        body = body.replace("(a", "(x").replace(", a", ", x").replace("c =", "y =")
    else:
        body = body.replace("c =", "y =")
    size = "N" if is_dynamic else 2
    outputs = "float[M, 3] y, float[M, 3] z" if " z =" in body else "float[M, 3] y"
    model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 17]> g (float[{size}, 3] x) => ({outputs}) {{ {body} }}')
    used = {name for node in model.graph.node for name in node.input}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(value, name) for name, value in CONSTANTS.items() if name in used)
    return Case(f"{form}-{middle}", model.SerializeToString(), [Run({"x": numbers("x", 2, 3)})], rtol=1e-2, atol=1e-2, compares_compiled_names=True)


def entries():
    for form in FORMS:
        for middle in MIDDLES:
            for is_dynamic in (False, True):
                name = f"{form}-{middle}" + ("-dynamic" if is_dynamic else "")
                yield Entry(("port_names", name), lambda given=(form, middle, is_dynamic): make(*given))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_port_names(conformance, result):
    assert_passed(result)
