"""Integers that are made of quotients of floating-point numbers: of an exact multiple, each must be the whole quotient. OpenVINO multiplies by
the reciprocal (rounded_quotients), which gives another integer for one in eleven of these."""

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

DIVISORS = (3.0, 7.0, 41.0, 47.0, 49.0, 55.0, 97.0, 107.0, 3600.0, 0.1, -41.0, -0.7, 8.0)
INFINITE = [np.inf, -np.inf]
NODES = {
    "floor": "q = Div (x, d) y = Floor (q)",
    "ceil": "q = Div (x, d) y = Ceil (q)",
    "cast-i64": "q = Div (x, d) y = Cast <to = 7> (q)",
    "cast-i32": "q = Div (x, d) y = Cast <to = 6> (q)",
    "cast-i64-of-clipped": "q = Div (x, d) low = CastLike (least, x) high = CastLike (most, x) w = Clip (q, low, high) y = Cast <to = 7> (w)",
    "cast-i64-of-smaller": "q = Div (x, d) l = Size (x) n = CastLike (l, x) w = Min (q, n) u = Unsqueeze (w, axis) i = Cast <to = 7> (u) y = Squeeze (i, axis)",
    "remainder": "q = Div (x, d) f = Floor (q) p = Mul (f, d) y = Sub (x, p)",
    "remainder-reversed": "q = Div (x, d) f = Floor (q) p = Mul (d, f) y = Sub (x, p)",
    "both": "q = Div (x, d) f = Floor (q) p = Mul (f, d) r = Sub (x, p) z = Neg (f) y = Concat <axis = 0> (r, z)",
    "row-of-list": "q = Div (x, d) f = Floor (q) i = Cast <to = 7> (f) m = Mod (i, five) y = Gather (table, m)",
}
OUTPUTS = {"cast-i64-of-clipped": "int64", "cast-i64-of-smaller": "int64", "cast-i64": "int64", "cast-i32": "int32"}


def multiples(divisor, most):
    values = np.arange(-most, most + 1) * np.float32(divisor)
    return values[np.abs(values) < 60000]


def case(name, divisor, dtype):
    kind = {"float32": "float", "float16": "float16"}[dtype]
    most = 300 if dtype == "float32" else 60
    several = np.stack([multiples(d, 40)[:81] for d in DIVISORS[:4]], 1)
    x = several if divisor == "list" else multiples(3.0 if divisor == "input" else divisor, most)
    given = np.array(DIVISORS[:4] if divisor == "list" else [3.0 if divisor == "input" else divisor])
    rank = "n, 4" if divisor == "list" else "n"
    if name in ("floor", "ceil", "remainder") and divisor != "list":
        x = np.append(x, INFINITE)
    size = len(given)
    numbers = ", ".join(map(repr, map(float, given)))
    constant = "" if divisor == "input" else f"c = Constant <value = float[{size}] {{{numbers}}}> () d = CastLike (c, x)"
    inputs = f", {kind}[1] d" if divisor == "input" else ""
    text = f"""<ir_version: 8, opset_import: ["" : 18]> main ({kind}[{rank}] x{inputs}) => ({OUTPUTS.get(name, kind)}[{rank.replace('n', 'm')}] y)
        <int64 five = {{5}}, int64[1] axis = {{0}}, float least = {{-5}}, float most = {{90}}, float[5] list = {{0, 1, 2, 3, 4}}> {{ table = CastLike (list, x) {constant} {NODES[name]} }}"""
    divisors = [given, *([np.array([d]) for d in (0.0, np.inf, -np.inf, -41.0)] if name in ("floor", "ceil", "remainder") else [])]
    given_parts = [(part, d) for part in (x, x[::3], x[:0]) for d in (divisors if divisor == "input" else divisors[:1])]
    runs = [{"x": part.astype(dtype)} | ({"d": d.astype(dtype)} if divisor == "input" else {}) for part, d in given_parts]
    return Case(f"{name}-{divisor}-{dtype}", onnx.parser.parse_model(text).SerializeToString(), [Run(run) for run in runs], one_compiled=True)


CASES = {}
for name in NODES:
    for divisor in (*DIVISORS, "input", "list"):
        for dtype in ("float32", "float16"):
            if dtype == "float16" and divisor not in (3.0, 7.0, 41.0, "list"):
                continue
            CASES[f"{name}-{divisor}-{dtype}"] = lambda name=name, divisor=divisor, dtype=dtype: case(name, divisor, dtype)

SIZES = {
    "floor": "w = Floor (q) i = Cast <to = 7> (w)",
    "ceil": "w = Ceil (q) i = Cast <to = 7> (w)",
    "cast": "i = Cast <to = 7> (q)",
    "remainder": "w = Floor (q) p = Mul (w, d) r = Sub (f, p) i = Cast <to = 7> (r)",
}


def case_of_sizes(name):
    """The integers are sizes."""
    text = f"""<ir_version: 8, opset_import: ["" : 18]> main (float[N, M] x) => (float[A, B] y) <float d = {{41}}, float one = {{1}}> {{
        s = Shape (x) f = Cast <to = 1> (s) q = Div (f, d) {SIZES[name]} y = Expand (one, i) }}"""
    runs = [Run({"x": np.zeros(sizes, np.float32)}) for sizes in ((123, 41), (82, 45), (41, 41), (41, 3))]
    return Case(f"size-{name}", onnx.parser.parse_model(text).SerializeToString(), runs, one_compiled=True)


for name in SIZES:
    CASES[f"size-{name}"] = lambda name=name: case_of_sizes(name)


@pytest.mark.parametrize("conformance", parameters(Entry(("rounded quotients", name), make) for name, make in CASES.items()))
def test_rounded_quotients(conformance, result):
    assert_passed(result)
