"""Products of f64 to which several constants are added, some of them computed: dropped_double_constant; and products one after the other:
consecutive_double_products."""

import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}
SUMS = {
    "computed_first": "e = Exp(a) s = Add(p, e) y = Add(s, b)",
    "computed_second": "e = Exp(a) s = Add(p, b) y = Add(e, s)",
    "both_computed": "e = Exp(a) f = Neg(b) s = Add(p, e) y = Add(s, f)",
    "subtracted": "e = Exp(a) s = Sub(p, e) y = Sub(s, b)",
    "subtracted_and_added": "e = Exp(a) s = Sub(p, e) y = Add(s, b)",
    "from_constant": "e = Exp(a) s = Add(p, e) y = Sub(b, s)",
    "three": "e = Exp(a) s = Add(p, e) t = Sub(s, b) y = Add(t, a)",
    "of_other_rank": "zero = Constant<value_int = 0>() e = Gather(rows, zero) s = Add(p, e) y = Add(s, b)",
    "one_number": "zero = Constant<value_int = 0>() r = Gather(rows, zero) e = Gather(r, zero) s = Add(p, e) y = Add(s, b)",
    "activation_between": "e = Exp(a) s = Add(p, e) t = Relu(s) y = Add(t, b)",
    "two_uses": "e = Exp(a) s = Add(p, e) t = Add(s, b) y = Mul(s, t)",
    # The log probabilities of scikit-learn's BernoulliNB.
    "naive_bayes": "e = Exp(w) one = Constant<value = double {1.1}>() m = Sub(one, e) l = Log(m) axis = Constant<value_ints = [0]>() "
    "s = ReduceSum(l, axis) d = Sub(w, l) q = MatMul(x, d) t = Add(q, s) y = Add(t, b)",
}
PRODUCTS = {
    "residual": "q = MatMul(x, u) s = Add(x, q) y = MatMul(s, w)",
    "residual_of_activations": "q = MatMul(x, u) r = Relu(x) t = Tanh(q) s = Mul(r, t) y = MatMul(s, w)",
    "power": "two = Constant<value = double {2}>() q = MatMul(x, u) s = Pow(two, q) y = MatMul(s, w)",
    "batch_normalization": "q = MatMul(x, u) zero = Sub(c, c) n = BatchNormalization(q, c, zero, zero, c) y = MatMul(n, w)",
    "batch_normalization_and_bias": "q = MatMul(x, u) s = Add(q, c) zero = Sub(c, c) n = BatchNormalization(s, c, zero, zero, c) g = Relu(n) y = MatMul(g, w)",
}


def add_case(name, sums, is_dynamic):
    def make():
        model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
            main (double[{"N" if is_dynamic else "4"}, 2] x) => (double[?, 3] y)
            <double[2, 3] w = {{-0.5, -0.25, -2, -1, -0.75, -1.5}}, double[1, 3] a = {{0.5, 1, 1.5}}, double[1, 3] b = {{4, 5, 6}},
             double[2, 3] rows = {{7, 8, 9, 10, 11, 12}}, double[2, 2] u = {{1, 0.5, -1, 2}}, double[2] c = {{1, 1}}>
            {{ p = MatMul(x, w) {sums} }}""")
        x = numbers("x", 4, 2, dtype="float64")
        return Case(name, model.SerializeToString(), [Run({"x": x}, None), Run({"x": x[::-1].copy()}, None)])

    CASES[name] = make


for sum_name, sums in (SUMS | PRODUCTS).items():
    add_case(sum_name, sums, False)
    add_case(f"{sum_name}-dynamic", sums, True)


@pytest.mark.parametrize("conformance", parameters(Entry(("double constants", name), make) for name, make in CASES.items()))
def test_double_constants(conformance, result):
    assert_passed(result)
