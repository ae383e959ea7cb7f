"""Loops with a constant trip count that need another translation in each iteration: a state changes its rank, or a rank depends on the
iteration number. Loops without iterations, whose body may be invalid."""

import itertools

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

HEAD = '<ir_version: 9, opset_import: ["" : {opset}]>\n'


def loop(inputs, outputs, before, states, body, counter="i", condition="go_on", trip="n", carried=""):
    """A model with one Loop. `states`: pairs of body input and initial value; `body`: its outputs and nodes."""
    names = ", ".join(initial for _, initial in states)
    parameters_ = ", ".join(f"{name}" for name, _ in states)
    results, nodes = body
    return f"""main ({inputs}) => ({outputs}) {{
    go_on = Constant <value = bool {{1}}> () {before}
    {carried} = Loop ({trip}, {condition}{', ' + names if names else ''}) <body = b (int64 {counter}, bool c{', ' + parameters_ if states else ''}) => (bool d, {results}) {{
        {nodes} }}>
}}"""


COUNT = "n = Constant <value = int64 {{{}}}> ()"
# name: the text, inputs of the runs
MODELS = {
    # A state that starts as a scalar, or with a placeholder of another rank, and then keeps its rank.
    "from_scalar": (
        loop("float[A, 4] x", "float[B, C] y", COUNT.format(3) + " zero = Constant <value = float {0}> ()", [("float[] s", "zero")],
             ("float[] t", "t = Add (s, x) d = Identity (c)"), carried="y"),
        [dict(x=(2, 4)), dict(x=(3, 4))]),
    "placeholder": (
        loop("float[10] a", "float[N] r", COUNT.format(3) + " s0 = Constant <value = float[2, 1] {7, 8}> ()", [("float[2, 1] p", "s0")],
             ("float[K] q", "f = Cast <to = 1> (i) q = Mul (a, f) d = Identity (c)"), carried="r"),
        [dict(a=(10,))]),
    # The same in loops that are too long to be unrolled: the first iterations precede a Loop.
    "long_from_scalar": (
        loop("float[A, 4] x", "float[B, C] y, float[D] z", COUNT.format(3000) + " zero = Constant <value = float {0}> ()", [("float[] s", "zero")],
             ("float[] t, float[] row", "t = Add (s, x) f = Cast <to = 1> (i) m = ReduceMax <keepdims = 0> (t) row = Sub (m, f) d = Identity (c)"), carried="y, z"),
        [dict(x=(2, 4)), dict(x=(3, 4))]),
    "long_placeholder": (
        loop("float[10] a", "float[N] r", COUNT.format(3000) + " s0 = Constant <value = float[2, 1] {7, 8}> ()", [("float[2, 1] p", "s0")],
             ("float[K] q", "f = Cast <to = 1> (i) q = Mul (a, f) d = Identity (c)"), carried="r"),
        [dict(a=(10,))]),
    "long_ended": (
        loop("float[A, 4] x", "float[B, C] y, float[D] z", COUNT.format(3000) + " zero = Constant <value = float {0}> () most = Constant <value = float {99}> ()",
             [("float[] s", "zero")],
             ("float[] t, float[] row", "u = Abs (x) t = Add (s, u) row = ReduceSum <keepdims = 0> (t) d = Less (row, most)"), carried="y, z"),
        [dict(x=(2, 4)), dict(x=(40, 4))]),
    "long_second_iteration": (
        loop("float[A] x, float[B, 3] w", "float[C, D] y", COUNT.format(3000) + " zero = Constant <value = float {0}> ()", [("float[] s", "zero"), ("float[] r", "x")],
             ("float[] t, float[] q", "t = Add (s, r) q = Identity (w) d = Identity (c)"), carried="y, y2"),
        [dict(x=(3,), w=(2, 3))]),
    # Another rank in each iteration.
    "growing": (
        loop("float[A] x", "float[B, C, D, E] y", COUNT.format(3) + " axis = Constant <value_ints = [0]> ()", [("float[] s", "x")],
             ("float[] t", "t = Unsqueeze (s, axis) d = Identity (c)"), carried="y"),
        [dict(x=(2,)), dict(x=(5,))]),
    "shrinking": (
        loop("float[A, B, C, D] x", "float[E, F] y", COUNT.format(2), [("float[] s", "x")],
             ("float[] t", "t = ReduceMax <axes = [0], keepdims = 0> (s) d = Identity (c)"), carried="y"),
        [dict(x=(2, 3, 4, 5))]),
    "captured": (
        loop("float[A] x, float[B] z", "float[C, D, E] y", COUNT.format(2) + " axis = Constant <value_ints = [0]> ()", [("float[] s", "x")],
             ("float[] t", "u = Unsqueeze (s, axis) k = Cast <to = 1> (i) m = Mul (k, z) v = ReduceSum <keepdims = 0> (m) t = Add (u, v)"
              " d = Identity (c)"), carried="y"),
        [dict(x=(2,), z=(3,))]),
    # Scan outputs of static rows.
    "scans": (
        loop("float[A, 4] x", "float[B, C] y, float[D] z, float[E] u", COUNT.format(3) + " zero = Constant <value = float {0}> ()", [("float[] s", "zero")],
             ("float[] t, float[] row, float[] unused", "t = Add (s, x) row = ReduceSum <keepdims = 0> (t) unused = Neg (row) d = Identity (c)"),
             carried="y, z, u"),
        [dict(x=(2, 4))]),
    # The body condition ends the loop before the trip count.
    "ended": (
        loop("float[A] x", "float[B, C, D] y", COUNT.format(9) + " axis = Constant <value_ints = [0]> () last = Constant <value_int = 1> ()",
             [("float[] s", "x")], ("float[] t", "t = Unsqueeze (s, axis) d = Less (i, last)"), carried="y"),
        [dict(x=(2,))]),
    # An If of the iteration number, with branches of different ranks.
    "branches": (
        loop("float[A, 4] x", "float[B, C] y", COUNT.format(3) + " zero = Constant <value = float {0}> () first = Constant <value_int = 0> ()",
             [("float[] s", "zero")],
             ("float[] t", "e = Equal (i, first) r = If (e) <then_branch = u () => (float[] p) { p = ReduceSum <keepdims = 0> (x) }, else_branch = w () =>"
              " (float[] q) { q = Mul (x, s) }> t = Add (r, s) d = Identity (c)"), carried="y"),
        [dict(x=(2, 4))]),
    # The rank of Expand depends on the iteration: Slice of a constant list, as in as_strided.
    "sliced_list": (
        loop("float[A] x", "float[B, C, D] y",
             COUNT.format(2) + " sizes = Constant <value_ints = [3, 2, 4]> () three = Constant <value_ints = [3]> () list = Constant <value_ints = [-1]> ()"
             " two = Constant <value_int = 2> () zero = Constant <value = float {0}> () k = ReduceSum <keepdims = 0> (x) start = Add (k, zero)",
             [("float[] s", "start")],
             ("float[] t", "j = Sub (two, i) p = Reshape (j, list) part = Slice (sizes, p, three) t = Expand (s, part) d = Identity (c)"), carried="y0"
             ).replace("y0 =", "y1 =").replace("}>\n}", "}> y = Expand (y1, sizes) }"),
        [dict(x=(2,))]),
    # No iterations: the body is invalid for the sizes, or changes ranks.
    "zero_trips_invalid_body": (
        loop("float[0, 4] x", "float[K, 4] y", "s = Shape (x) z = Constant <value_int = 0> () n = Gather (s, z) one = Constant <value_ints = [1]> ()"
             " ax = Constant <value_ints = [0]> () four = Constant <value_ints = [4]> ()", [],
             ("float[4] r", "i1 = Reshape (i, one) j = Add (i1, one) sl = Slice (x, i1, j, ax) r = Reshape (sl, four) d = Identity (c)"), carried="y"),
        [dict(x=(0, 4))]),
    "zero_trips_other_rank": (
        loop("float[A, 4] x", "float[B, 4] y", COUNT.format(0), [("float[] s", "x")],
             ("float[] t", "t = ReduceMax <keepdims = 0> (s) d = Identity (c)"), carried="y"),
        [dict(x=(2, 4))]),
    "never_starts": (
        loop("float[A, 4] x", "float[B, 4] y", COUNT.format(5) + " never = Constant <value = bool {0}> ()", [("float[] s", "x")],
             ("float[] t", "t = ReduceMax <keepdims = 0> (s) d = Identity (c)"), carried="y", condition="never"),
        [dict(x=(2, 4))]),
    # Row sizes that only the body's declaration tells.
    "zero_trips_declared_row": (
        loop("float[3] x", "float[B, C, D, E] y", COUNT.format(0) + " sizes = Cast <to = 7> (x)", [],
             ("float[C1, 2, E1] row", "row = Reshape (x, sizes) d = Identity (c)"), carried="y"),
        [dict(x=(3,))]),
    "never_starts_declared_row": (
        loop("float[3] x", "float[B, C, D, E] y", COUNT.format(5) + " never = Constant <value = bool {0}> () sizes = Cast <to = 7> (x)", [],
             ("float[C1, 2, 4] row", "row = Reshape (x, sizes) d = Identity (c)"), carried="y", condition="never"),
        [dict(x=(3,))]),
}


def nested(trip):
    """An outer Loop whose body has a Loop that changes ranks."""
    return f"""main (float[A] x) => (float[B, C] y) {{
    go_on = Constant <value = bool {{1}}> () n = Constant <value = int64 {{2}}> () m = Constant <value = int64 {{{trip}}}> () axis = Constant <value_ints = [0]> ()
    y = Loop (n, go_on, x) <body = b (int64 i, bool c, float[] s) => (bool d, float[] t) {{
        u = Loop (m, go_on, s) <body = b2 (int64 j, bool e, float[] v) => (bool f, float[] w) {{ k = Unsqueeze (v, axis) w = Add (k, k) f = Identity (e) }}>
        t = ReduceSum <keepdims = 1> (u, axis) z = Identity (t) d = Identity (c) }}>
}}"""


MODELS["nested"] = (nested(1), [dict(x=(3,))])


def unrolled_case(name, opset):
    text, shapes = MODELS[name]
    if opset >= 18:  # axes became an input
        text = text.replace("ReduceMax <axes = [0], keepdims = 0> (s)", "ReduceMax <keepdims = 0> (s, first_axis)")
        text = text.replace("go_on = Constant", "first_axis = Constant <value_ints = [0]> () go_on = Constant", 1)
    model = onnx.parser.parse_model(HEAD.format(opset=opset) + text).SerializeToString()
    runs = [Run({key: numbers(f"{name}{key}{shape}", *shape) for key, shape in inputs.items()}) for inputs in shapes]
    return Case(f"unrolled_{name}", model, runs, one_compiled=True)


@pytest.mark.parametrize(
    "conformance",
    parameters(Entry(("unrolled_loops", name, str(opset)), lambda n=name, o=opset: unrolled_case(n, o)) for name, opset in itertools.product(MODELS, (16, 18))),
)
def test_unrolled_loop(conformance, result):
    assert_passed(result)


# Conditions that are scalars by definition, although the Squeeze has no axes.
CONDITIONS = {
    "if": """main (float[N] x) => (float[N] y) { z = Constant <value = float[1] {0}> () c0 = Less (x, z) c = Squeeze (c0)
        y = If (c) <then_branch = t () => (float[] a) { a = Neg (x) }, else_branch = e () => (float[] b) { b = Identity (x) }> }""",
    "not": """main (float[N, M] x) => (float[N, M] y) { z = Constant <value = float[1] {0}> () c0 = Less (x, z) c = Squeeze (c0) n = Not (c)
        y = If (n) <then_branch = t () => (float[] a) { a = Neg (x) }, else_branch = e () => (float[] b) { b = Identity (x) }> }""",
    "loop": """main (float[N] x) => (float[M] y) { ten = Constant <value = float[1] {10}> () one = Constant <value = float[1] {1}> () c0 = Less (x, ten)
        c = Squeeze (c0) y = Loop ("", c, x) <body = b (int64 i, bool ci, float[N] v) => (bool co, float[K] w) {
            w = Add (v, one) d = Less (w, ten) co = Squeeze (d) }> }""",
    "trip_count": """main (float[N] x) => (float[M] y) { s = Cast <to = 7> (x) a = Abs (s) n = Squeeze (a)
        y = Loop (n, "", x) <body = b (int64 i, bool ci, float[N] v) => (bool co, float[K] w) { w = Add (v, v) co = Identity (ci) }> }""",
}


def condition_case(name):
    model = onnx.parser.parse_model(HEAD.format(opset=18) + CONDITIONS[name]).SerializeToString()
    shape = (1, 1) if name == "not" else (1,)
    runs = [Run({"x": np.full(shape, value, np.float32)}) for value in (-2.0, 3.0, 11.0)]
    return Case(f"condition_{name}", model, runs, one_compiled=True)


@pytest.mark.parametrize("conformance", parameters(Entry(("squeezed_conditions", name), lambda n=name: condition_case(n)) for name in CONDITIONS))
def test_squeezed_condition(conformance, result):
    assert_passed(result)


# A sequence input without declared ranks: the reader of its concatenation, or a declared rank, gives the rank of the elements.
SEQUENCES = {
    "list": ("""main (float[2, 2, 4, 4] x, seq(int64[]) s) => (float[A, B, C, D] y) { p = ConcatFromSequence <axis = 0, new_axis = 1> (s) y = Pad (x, p) }""",
             [np.array(v) for v in (0, 0, 1, 1, 0, 0, 2, 1)]),
    "vectors": ("""main (float[2, 2, 4, 4] x, seq(int64[]) s) => (float[A, B, C, D] y) { p = ConcatFromSequence <axis = 0> (s) y = Pad (x, p) }""",
                [np.array(v) for v in ([0, 0, 1, 1], [0, 0, 2, 1])]),
    "declared": ("""main (float[2, 2, 4, 4] x, seq(int64[]) s) => (int64[A, B] y) { y = ConcatFromSequence <axis = 0, new_axis = 1> (s) }""",
                 [np.array(v) for v in ([0, 5, 1], [0, 2, 1])]),
}


def sequence_case(name):
    text, elements = SEQUENCES[name]
    proto = onnx.parser.parse_model(HEAD.format(opset=16) + text)
    sequence = proto.graph.input[1].type.sequence_type.elem_type.tensor_type
    sequence.ClearField("shape")
    x = numbers("x", 2, 2, 4, 4)
    expected = {"y": np.stack(elements)} if name == "declared" else None
    if expected is None:
        pads = np.array(elements).reshape(-1)
        expected = {"y": np.pad(x, list(zip(pads[:4], pads[4:])))}
    if name == "declared":
        proto.graph.input.pop(0)
    inputs = {"s": elements} if name == "declared" else {"x": x, "s": elements}
    return Case(f"sequence_{name}", proto.SerializeToString(), [Run(inputs, expected)])


@pytest.mark.parametrize("conformance", parameters(Entry(("open_sequences", name), lambda n=name: sequence_case(n)) for name in SEQUENCES))
def test_sequence_of_open_rank(conformance, result):
    assert_passed(result)
