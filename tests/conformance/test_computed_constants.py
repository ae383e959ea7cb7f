"""Values that are computed from constants only, and that determine the shape of other values. OpenVINO does not
fold all operations; the CPU plugin cannot compile an operation on constants whose output has a dynamic shape."""

import numpy as np
import onnx.parser
import pytest
from onnx import numpy_helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

CONSTANTS = {
    "table": np.array([[3, 4], [2, 6]]),
    "place": np.array([[0, 0]]),
    "column": np.array([[0], [1]]),
    "three": np.array([3]),
    "seven": np.array([7]),
    "one": np.array(1),
    "zero": np.array(0),
    "ones": np.array([1]),
    "zeros": np.array([0]),
    "rest": np.array([-1]),
    "six": np.array([6]),
    "words": np.array(["word"], object),
    "row": np.arange(6, dtype=np.float32),
    "grid": np.arange(12, dtype=np.float32),
    "image": np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2),
    "kernel": np.ones((1, 1, 2), np.float32),
    "signal": np.array([[[1, 2, 5]]], np.float32),
    "two": np.array([2, 5], np.float32),
    "odd": np.array([1, np.nan, 2, np.nan, np.nan], np.float32),
    "huge": np.array([np.inf, 1, -np.inf, 2, np.inf], np.float32),
    "boxes": np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]], np.float32),
    "scores": np.array([[[0.9, 0.8, 0.7]]], np.float32),
    "true": np.array(True),
}

# Each computes v, which is [3].
SOURCES = {
    "GatherND": "v = GatherND (table, place)",
    "GatherElements": "a = GatherElements (table, place) aa = Reshape (a, rest) v = Slice (aa, zeros, ones)",
    "IsNaN": "a = IsNaN (odd) aa = Cast <to = 7> (a) v = ReduceSum (aa)",
    "IsInf": "a = IsInf (huge) aa = Cast <to = 7> (a) v = ReduceSum (aa)",
    "BitwiseAnd": "v = BitwiseAnd (seven, three)",
    "Conv": "a = Conv (signal, kernel) aa = Cast <to = 7> (a) aaa = Reshape (aa, rest) v = Slice (aaa, zeros, ones)",
    "Unique": "a = GatherND (table, column) aa = Reshape (a, rest) aaa = Unique (aa) w = Shape (aaa) v = Sub (w, ones)",
    "NonMaxSuppression": "a = NonMaxSuppression (boxes, scores, seven) v = Shape <end = 1> (a)",
}

# Each computes t, a vector of float, from v.
CONSUMERS = {
    "Range": "s = Squeeze (v) r = Range (zero, s, one) t = Cast <to = 1> (r)",
    "Expand": "r = Cast <to = 1> (three) t = Expand (r, v)",
    "ConstantOfShape": "t = ConstantOfShape (v)",
    "Slice": "t = Slice (row, zeros, v)",
    "Tile": "t = Tile (two, v)",
    "Pad": "pads = Concat <axis = 0> (zeros, v) t = Pad (row, pads)",
    "Reshape": "list = Concat <axis = 0> (v, rest) r = Reshape (grid, list) t = ReduceSum <keepdims = 0> (r, ones)",
    "Resize": """list = Concat <axis = 0> (ones, ones, v, v) r = Resize <mode = "nearest"> (image, , , list) t = Reshape (r, rest)""",
    "NonZero": "places = Cast <to = 7> (row) m = Less (places, v) r = NonZero (m) s = Squeeze (r, zeros) t = Cast <to = 1> (s)",
    "Compress": "places = Cast <to = 7> (row) m = Less (places, v) t = Compress (row, m)",
    "OneHot": "r = OneHot (zeros, v, two) t = ReduceSum <keepdims = 0> (r, zeros)",
    "TopK": "t, u = TopK (row, v)",
    "Split": "w = Sub (six, v) list = Concat <axis = 0> (v, w) t, u = Split (row, list)",
    "SplitToSequence": "s = Squeeze (v) q = SplitToSequence (row, s) t = SequenceAt (q, zero)",
    "Unique": "r = Mod (table, v) s = Reshape (r, rest) ss = Cast <to = 1> (s) t = Unique (ss)",
    "strings": "r = Expand (words, v) s = Equal (r, words) t = Cast <to = 1> (s)",
    "Loop": "s = Squeeze (v) t = Loop (s, true) <body = b (int64 i, bool c) => (bool d, float r) { d = Identity (c) r = Cast <to = 1> (i) }>",
    "state": """n = Squeeze (three) f = Cast <to = 1> (v) t = Loop (n, true, f) <body = b (int64 i, bool c, float[K] p)
        => (bool d, float[L] q) { d = Identity (c) q = Concat <axis = 0> (p, p) }>""",
    "If": """e = Equal (v, three) g = Squeeze (e) t = If (g)
        <then_branch = a () => (float[K] r) { r = Slice (row, zeros, v) }, else_branch = b () => (float[L] q) { q = Identity (row) }>""",
}
CASES = {}


def add_case(name, inputs, body, values, output="float[K]"):
    def make():
        text = f'<ir_version: 10, opset_import: ["" : 20]> main ({inputs}) => ({output} y) {{ {body} }}'
        model = onnx.parser.parse_model(text)
        used = {name for node in model.graph.node for name in node.input} | {word.strip("(),") for word in body.split()}
        model.graph.initializer.extend(numpy_helper.from_array(value, key) for key, value in CONSTANTS.items() if key in used)
        return Case(name, model.SerializeToString(), [Run(values, None)])

    CASES[name] = make


ONE = {"x": np.array([0.5], np.float32)}
for source, given in SOURCES.items():
    for consumer, use in CONSUMERS.items():
        if source in ("GatherND", "IsNaN") or consumer in ("Range", "Slice"):
            add_case(f"{source}-{consumer}", "float[1] x", f"{given} {use} y = Add (t, x)", ONE)
            add_case(f"{source}-{consumer}-alone", "", f"{given} {use} y = Neg (t)", {})
    body = f"{given} {CONSUMERS['Range']} q = Concat <axis = 0> (p, t) d = Identity (c)"
    loop = f"n = Squeeze (three) y = Loop (n, true, x) <body = b (int64 i, bool c, float[K] p) => (bool d, float[L] q) {{ {body} }}>"
    add_case(f"{source}-in a body", "float[1] x", loop, ONE)

# Operators on constants whose output size depends on the elements.
for name, use in {
    "Unique": "t = Unique (two)",
    "Unique of rows": "r = Unique <axis = 0> (table) rr = Reshape (r, rest) t = Cast <to = 1> (rr)",
    "NonZero": "r = NonZero (row) rr = Reshape (r, rest) t = Cast <to = 1> (rr)",
    "growing state": """n = Squeeze (three) t = Loop (n, true, two) <body = b (int64 i, bool c, float[K] p)
        => (bool d, float[L] q) { d = Identity (c) q = Concat <axis = 0> (p, p) }>""",
}.items():
    add_case(f"only {name}", "float[1] x", f"{use} y = Add (t, x)", ONE)
    add_case(f"only {name}-alone", "", f"{use} y = Neg (t)", {})

# Loops of constants, which OpenVINO evaluates at compile time.
for name, use in {
    "IsNaN": "a = IsNaN (p) aa = Cast <to = 1> (a) q = Add (aa, p)",
    "GatherND": "a = GatherND (table, place) aa = Cast <to = 1> (a) q = Add (aa, p)",
    "Conv": "a = Reshape (p, list) aa = Conv (a, kernel) aaa = Reshape (aa, rest) q = Concat <axis = 0> (aaa, f)",
    "If": "a = ReduceSum <keepdims = 0> (p) aa = Less (a, z) q = If (aa) <then_branch = g () => (float[L] r) { r = Add (p, f) }, else_branch = h () => (float[L] r) { r = Sub (p, f) }>",
    "inner Loop": """q = Loop (n, true, p) <body = e (int64 j, bool cc, float[2] pp) => (bool dd, float[2] qq)
        { dd = Identity (cc) a = IsNaN (pp) aa = Cast <to = 1> (a) qq = Add (aa, pp) }>""",
}.items():
    body = f"{use} d = Identity (c) w = Identity (q)"
    loop = f"""n = Squeeze (three) list = Concat <axis = 0> (ones, ones, rest) f = Cast <to = 1> (ones) z = Squeeze (f)
        last, t = Loop (n, true, two) <body = b (int64 i, bool c, float[2] p) => (bool d, float[2] q, float[2] w) {{ {body} }}>"""
    add_case(f"loop of {name}", "float[1] x", f"{loop} y = Add (t, x)", ONE, "float[K, L]")
    add_case(f"loop of {name}-alone", "", f"{loop} y = Neg (t)", {}, "float[K, L]")

# A loop that runs zero times beside an input without elements: OpenVINO folds what depends on that.
add_case(
    "no iterations beside an empty input",
    "float[0] e, float[2] x",
    """f = Cast <to = 1> (zeros) a = Sin (f) m = ReduceMax <keepdims = 0> (a) n = Cast <to = 7> (m)
        q, t = Loop (n, true, x) <body = b (int64 i, bool c, float[2] p) => (bool d, float[2] r, float[2] w) { d = Identity (c) r = Add (p, p) w = Neg (r) }>
        s = ReduceSum <keepdims = 0> (t) u = ReduceSum <keepdims = 0> (e) v = Add (s, u) y = Add (q, v)""",
    {"e": np.zeros(0, np.float32), "x": np.array([0.5, 2], np.float32)},
)


def entries():
    for name, make in CASES.items():
        yield Entry(("computed_constants", name), make)


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_computed_constants(conformance, result):
    assert_passed(result)
