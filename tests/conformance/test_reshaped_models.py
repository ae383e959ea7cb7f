"""Models that are converted with dynamic sizes, and get static ones from the program (ov.Model.reshape) before it compiles them: OpenVINO
then folds all that is computed from shapes."""

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}
SIZES = ((4, 2, 3), (3, 1, 3), (1, 2, 3), (1, 1, 3))


def add_case(name, text, runs=None):
    def make():
        header = '<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>'
        model = onnx.parser.parse_model(f"{header} main {text}").SerializeToString()
        given = runs or [{"x": numbers(f"x{sizes}", *sizes)} for sizes in SIZES]
        return Case(name, model, [Run(run) for run in given], is_reshaped=True, atol=1e-5)

    CASES[name] = make


# A state that begins with zeros, whose sizes are those of the rows of x.
START = """first = Shape <start = 0, end = 1> (x) count = Squeeze (first) sizes = Shape <start = 1> (x) zeros = ConstantOfShape (sizes)
    true = Constant <value = bool {1}> ()"""
BODY = """body = body (int64 i, bool c, float[B, 3] s) => (bool co, float[B, 3] t, float[B, 3] o) {
    row = Gather (x, i) sum = Add (s, row) t = Tanh (sum) co = Identity (c) o = Mul (t, s) }"""
rows = "y, z = Loop (count, true, zeros)"
add_case("loop", f"(float[N, B, 3] x) => (float[B, 3] y, float[N, B, 3] z) {{ {START} {rows} <{BODY}> }}")
add_case("loop-final-value", f"(float[N, B, 3] x) => (float[B, 3] y) {{ {START} {rows} <{BODY}> }}")
add_case("loop-rows", f"(float[N, B, 3] x) => (float[N, B, 3] z) {{ {START} {rows} <{BODY}> }}")
ends = BODY.replace("co = Identity (c)", "low = ReduceMin <keepdims = 0> (t) least = Constant <value_float = -0.9> () co = Less (least, low)")
add_case("loop-condition", f"(float[N, B, 3] x) => (float[B, 3] y, float[M, B, 3] z) {{ {START} {rows} <{ends}> }}")
SCAN = """body = body (float[B, 3] s, float[B, 3] row) => (float[B, 3] t, float[B, 3] o) {
    sum = Add (s, row) t = Tanh (sum) o = Mul (t, s) }"""
scan = "y, z = Scan (zeros, x)"
add_case("scan", f"(float[N, B, 3] x) => (float[B, 3] y, float[N, B, 3] z) {{ {START} {scan} <num_scan_inputs = 1, {SCAN}> }}")
add_case("scan-final-value", f"(float[N, B, 3] x) => (float[B, 3] y) {{ {START} {scan} <num_scan_inputs = 1, {SCAN}> }}")
# The inner loop captures the sizes, and a sum of x in which only its elements are dynamic.
INNER = """body = outer (int64 k, bool d, float[B, 3] u) => (bool do, float[B, 3] v) {
    w, unread = Loop (count, true, zeros) <{inner}> v = Add (u, w) do = Identity (d) }"""
nested = INNER.replace("{inner}", BODY)
add_case("nested-loops", f"(float[N, B, 3] x) => (float[B, 3] y) {{ {START} y = Loop (count, true, zeros) <{nested}> }}")
# Loops that read only shapes.
COUNT = """body = body (int64 i, bool c, int64 k) => (bool co, int64 l) {
    next = Add (k, one) l = Add (next, i) {condition} }"""
for name, condition in (("count", "co = Identity (c)"), ("early-end", "co = Less (l, most)")):
    body = COUNT.replace("{condition}", condition)
    text = f"""{START} one = Constant <value_int = 1> () most = Constant <value_int = 3> () n = Loop (count, true, one) <{body}>
        factor = Cast <to = 1> (n) y = Mul (x, factor)"""
    add_case(f"shapes-only-{name}", f"(float[N, B, 3] x) => (float[N, B, 3] y) {{ {text} }}")

# Layers that become loops, or do not.
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
for op, gates in GATES.items():
    activations = {"LSTM": '"Sigmoid", "LeakyRelu", "LeakyRelu"', "GRU": '"Sigmoid", "LeakyRelu"', "RNN": '"LeakyRelu"'}[op]
    for kind, attributes in {"": "", "leaky": f", activations = [{activations}]", "clip": ", clip = 0.5"}.items():
        for lengths in (False, True):
            shape = f"shape = Constant <value_ints = [1, {gates * 4}, 3]> () square = Constant <value_ints = [1, {gates * 4}, 4]> ()"
            body = f"{shape} w = ConstantOfShape <value = float[1] {{0.2}}> (shape) r = ConstantOfShape <value = float[1] {{-0.1}}> (square)"
            node = f'y, h = {op} <hidden_size = 4{attributes}> (x, w, r{", , n" if lengths else ""})'
            inputs = "float[N, B, 3] x" + (", int32[B] n" if lengths else "")
            runs = None
            if lengths:
                runs = [{"x": numbers(f"x{n}", n, 2, 3), "n": np.array([n, max(n - 1, 1)], np.int32)} for n in (4, 3, 1)]
            name = "-".join(filter(None, [op, kind, "lengths" if lengths else ""]))
            add_case(name, f"({inputs}) => (float[N, D, B, 4] y, float[D, B, 4] h) {{ {body} {node} }}", runs)


@pytest.mark.parametrize("conformance", parameters(Entry(("reshaped models", name), make) for name, make in CASES.items()))
def test_reshaped_models(conformance, result):
    assert_passed(result)
