"""Ifs whose branches differ in rank, where the condition compares two sizes that are equal in every run, however the second tensor was
computed. The converter takes one branch only if it knows that the sizes are equal."""

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}

CONSTANTS = """<int64 i0 = {0}, int64 i1 = {1}, int64[1] l0 = {0}, int64[1] l1 = {1}, int64[1] l2 = {2}, int64[1] l3 = {3}, int64[1] minus = {-1},
    int64[1] width = {8}, int64 i2 = {2}, int64[1] most = {9223372036854775807}, int64[1] four = {4}, float zero = {0}>"""
CHOICE = """shape_x = Shape (x) wanted = Gather (shape_x, i1) shape_z = Shape (z) found = Gather (shape_z, {axis})
    same = Equal (wanted, found)
    chosen = If (same) <then_branch = kept () => (float[] kept_x) {{ kept_x = Relu (x) }},
        else_branch = unsqueezed () => (float[] more_x) {{ more_x = Unsqueeze (x, l0) }}>
    y = Neg (chosen)"""
SIZES = [(2, 3), (1, 4), (3, 1), (1, 1), (2, 3)]
EMPTY = [(0, 3), (2, 0)]


def add(name, nodes, inputs="", axis="i1", sizes=(*SIZES, *EMPTY), more=lambda n, m: {}, opset=18):
    def make():
        text = f"""<ir_version: 8, opset_import: ["" : {opset}]> main (float[n, m, 8] x{inputs}) => (float[a, b, c] y)
            {CONSTANTS} {{ {nodes} {CHOICE.format(axis=axis)} }}"""
        runs = [Run({"x": numbers(f"x{n, m}", n, m, 8), **more(n, m)}) for n, m in sizes]
        return Case(name, onnx.parser.parse_model(text).SerializeToString(), runs, one_compiled=True)

    CASES[name] = make


def weights(*sizes, key="w"):
    values = numbers(f"{key}{sizes}", *sizes).ravel()
    return f"{key} = Constant <value = float[{', '.join(map(str, sizes))}] {{{', '.join(f'{v:.3f}' for v in values)}}}> ()"


BATCH_AND_LENGTH = "shape = Shape (x) both = Slice (shape, l0, l2)"

add("elementwise", "t = Add (x, x) z = Tanh (t)")
add("operand-of-one-row", "z = Mul (x, k)", ", float[1, 8] k", more=lambda n, m: {"k": numbers("k", 1, 8)})
add("where", "c = IsNaN (x) z = Where (c, zero, x)")
add("softmax", "z = Softmax (x)")
add("copied-by-zeros", "p = Constant <value = int64[4] {0, 0, 4, -1}> () z = Reshape (x, p)", sizes=SIZES)
add("copied-by-zeros-and-back", "p = Constant <value = int64[4] {0, 0, 4, -1}> () t = Reshape (x, p) q = Constant <value = int64[3] {0, 0, 8}> () z = Reshape (t, q)", sizes=SIZES)
add("transposed-twice", "t = Transpose <perm = [1, 0, 2]> (x) z = Transpose <perm = [1, 0, 2]> (t)")
add("product-of-flattened-rows", f"{BATCH_AND_LENGTH} {weights(8, 4)} t = Flatten <axis = 2> (x) p = Gemm (t, w) s = Concat <axis = 0> (both, four) z = Reshape (p, s)", sizes=SIZES)
add("view-as", "shape = Shape (x) rows = Constant <value = int64[2] {-1, 8}> () t = Reshape (x, rows) s = Concat <axis = 0> (minus, shape) v = Reshape (t, s) z = Squeeze (v, l0)", sizes=SIZES)
add("einsum", f"{weights(8, 5)} z = Einsum <equation = \"bsh,hk->bsk\"> (x, w)")
add("lstm", f"t = Transpose <perm = [1, 0, 2]> (x) {weights(1, 8, 8)} {weights(1, 8, 2, key='r')} h, a, b = LSTM <hidden_size = 2> (t, w, r) s = Squeeze (h, l1) z = Transpose <perm = [1, 0, 2]> (s)", sizes=SIZES)
add("pad", "p = Constant <value = int64[6] {0, 2, 0, 0, 1, 0}> () t = Pad (x, p) a = Constant <value = int64[1] {2}> () e = Constant <value = int64[1] {-1}> () z = Slice (t, a, e, l1)", sizes=SIZES)
add("slice-of-all", "z = Slice (x, l0, most, l1)")
add("slice-to-size", "shape = Shape (x) m = Slice (shape, l1, l2) z = Slice (x, l0, m, l1)")
add("reversed", "e = Constant <value = int64[1] {-9223372036854775807}> () z = Slice (x, minus, e, l1, minus)")
add("tile", "r = Constant <value = int64[3] {2, 1, 3}> () z = Tile (x, r)")
add("resize", 's = Constant <value = float[3] {1.0, 1.0, 2.0}> () z = Resize <mode = "nearest"> (x, "", s)', sizes=SIZES)
add("top-k", "k = Constant <value = int64[1] {3}> () z, i = TopK <axis = 2> (x, k)", sizes=SIZES)
add("arg-max", "t = ArgMax <axis = 2, keepdims = 0> (x) z = Cast <to = 1> (t)")
add("reduced", "z = ReduceSum <keepdims = 1> (x, l2)")
add("concat", "t = Concat <axis = 2> (x, x) z = Relu (t)")
add("split", "a, b = Split <axis = 2, num_outputs = 2> (x) z = Relu (a)")
add("gather", "i = Constant <value = int64[2] {3, 1}> () z = Gather <axis = 2> (x, i)")
add("one-hot", 'c = ArgMax <axis = 2, keepdims = 0> (x) d = Constant <value = int64 {8}> () v = Constant <value = float[2] {0, 1}> () z = OneHot (c, d, v)', sizes=SIZES)
add("expand", "shape = Shape (x) z = Expand (zero, shape)")
add("range", "shape = Shape (x) m = Gather (shape, i1) r = Range (i0, m, i1) z = Cast <to = 1> (r)", axis="i0")
add("sum-of-sizes", "shape = Shape (x) m = Gather (shape, i1) n = Gather (shape, i0) sum = Add (m, n) d = Sub (sum, n) one = Unsqueeze (d, l0) z = Expand (zero, one)", axis="i0")
add("scatter", "z = ScatterElements <axis = 2> (x, i, u)", ", int64[n, m, 1] i, float[n, m, 1] u", more=lambda n, m: {"i": np.full((n, m, 1), 3), "u": numbers("u", n, m, 1)})
add("heads", "p = Constant <value = int64[4] {0, 0, 4, -1}> () t = Reshape (x, p) z = Transpose <perm = [0, 2, 1, 3]> (t)", axis="i2", sizes=SIZES)
add("convolution", f"t = Transpose <perm = [0, 2, 1]> (x) {weights(2, 8, 1)} z = Conv (t, w)", axis="i2", sizes=SIZES)
add("state-of-a-loop", """c = Constant <value = bool {1}> () k = Constant <value = int64 {3}> () z = Loop (k, c, x) <body = body
    (int64 i, bool before, float[sa, sb, 8] state) => (bool after, float[sc, sd, 8] next) { after = Identity (before) next = Add (state, state) }>""", sizes=SIZES)

# Sizes that differ in some runs: the If stays.
STAYS = """shape_x = Shape (x) wanted = Gather (shape_x, i1) shape_z = Shape (z) found = Gather (shape_z, i1) same = Equal (wanted, found)
    y = If (same) <then_branch = kept () => (float[sa, sb, 8] kept_x) { kept_x = Neg (x) },
        else_branch = other () => (float[sc, sd, 8] other_x) { other_x = Exp (x) }>"""


def add_different(name, nodes, runs, inputs=""):
    def make():
        text = f"""<ir_version: 8, opset_import: ["" : 18]> main (float[n, m, 8] x{inputs}) => (float[a, b, c] y) {CONSTANTS} {{ {nodes} {STAYS} }}"""
        return Case(name, onnx.parser.parse_model(text).SerializeToString(), [Run(run) for run in runs], one_compiled=True)

    CASES[name] = make


def x_of(n, m):
    return numbers(f"x{n, m}", n, m, 8)


add_different("names-that-are-equal", "z = Abs (k)", [{"x": x_of(2, m), "k": numbers("k", 2, k, 8)} for m, k in ((3, 3), (3, 2), (1, 4))], ", float[n, m, 8] k")
add_different("broadcast", "z = Add (x, k)", [{"x": x_of(2, m), "k": numbers("k", 1, k, 8)} for m, k in ((3, 3), (3, 1), (1, 4))], ", float[p, q, 8] k")
add_different("slice", "z = Slice (x, l0, l3, l1)", [{"x": x_of(2, m)} for m in (3, 2, 5, 0)])
add_different("zero-that-copies", f"{BATCH_AND_LENGTH} t = Flatten <axis = 2> (x) s = Concat <axis = 0> (both, width) z = Reshape (t, s)", [{"x": x_of(*size)} for size in ((2, 3), (0, 0), (1, 2))])
add_different("state-that-grows", """c = Constant <value = bool {1}> () z = Loop (k, c, x) <body = body
    (int64 i, bool before, float[sa, sb, 8] state) => (bool after, float[sc, sd, 8] next) { after = Identity (before) next = Concat <axis = 1> (state, x) }>""",
              [{"x": x_of(2, 3), "k": np.array(k)} for k in (0, 1, 2)], ", int64 k")


@pytest.mark.parametrize("conformance", parameters(Entry(("equal sizes", name), make) for name, make in CASES.items()))
def test_equal_sizes(conformance, result):
    assert_passed(result)
