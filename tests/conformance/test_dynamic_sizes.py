"""Dynamic sizes that are products of others: Expands that have no effect, and the size that a Reshape leaves for a -1. In each
case one compiled model runs on several sizes, also on 0 where onnxruntime accepts it. And remainders of sizes."""

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

SIZES = """shape = Shape (x) i0 = Constant <value_ints = [0]> () i1 = Constant <value_ints = [1]> ()
    n = Gather (shape, i0) m = Gather (shape, i1)"""
ROWS = "r = Constant <value_ints = [-1, 10]> () t = Reshape (x, r) last = Constant <value_ints = [-1]> () s = ReduceL2 <keepdims = 1> (t, last)"
HEADS = "rest = Constant <value_ints = [-1, 8]> () list = Concat <axis = 0> (n, m, rest)"
PAIRS = [(2, 3), (1, 4), (3, 1), (1, 1), (5, 2)]
WITH_NONE = [*PAIRS, (0, 3), (2, 0), (4, 3), (0, 1), (1, 3)]
CASES = {}


def add_case(name, text, runs, opset=23):
    def make():
        model = onnx.parser.parse_model(f'<ir_version: 11, opset_import: ["" : {opset}]> main {text}')
        return Case(name, model.SerializeToString(), [Run(run, None) for run in runs])

    CASES[name] = make


def tensor(key, *sizes):
    return numbers(f"{key}{sizes}", *sizes)


for factor in (4, 2):  # the rows of t are 4 * n
    runs = [{"x": tensor("x", n, 8, 5)} for n in ((2, 0, 3, 1, 0, 2) if factor == 4 else ())]
    runs = runs or [{"x": np.zeros((0, 8, 5), np.float32)}]
    body = f"{SIZES} {ROWS} k = Constant <value_ints = [{factor}]> () c = Constant <value_ints = [10]> () rows = Mul (n, k)"
    body += " sizes = Concat <axis = 0> (rows, c) e = Expand (s, sizes) y = Div (t, e)"
    add_case(f"rows-{factor}", f"(float[N, 8, 5] x) => (float[A, B] y) {{ {body} }}", runs)

for op in ("Add", "Div", "Max", "Less"):
    result = "bool" if op == "Less" else "float"
    runs = [{"x": tensor("x", n, m), "z": tensor("z", rows, 1)} for n, m in WITH_NONE for rows in {1, n}]
    body = f"shape = Shape (x) e = Expand (z, shape) y = {op} (x, e)"
    add_case(f"shape-{op}", f"(float[N, M] x, float[K, 1] z) => ({result}[A, B] y) {{ {body} }}", runs)
    body = f"e = Expand (z, sizes) y = {op} (x, e)"
    runs = [{"x": tensor("x", 1, 3), "z": tensor("z", 1, 3), "sizes": np.array([n, 1])} for n in (2, 0, 1, 3, 0)]
    add_case(f"input-{op}", f"(float[N, 3] x, float[1, 3] z, int64[2] sizes) => ({result}[A, B] y) {{ {body} }}", runs)

body = "shape = Shape (c) one = Expand (z, shape) two = Expand (x, shape) y = Where (c, one, two)"
runs = [{"x": tensor("x", n, 1), "z": tensor("z", 1), "c": numbers("c", n, m, dtype="bool")} for n, m in WITH_NONE]
add_case("where", f"(float[N, 1] x, float[1] z, bool[N, M] c) => (float[A, B] y) {{ {body} }}", runs)

# Bounds of a size: a remainder is less than its divisor. A chain, because a workaround of each remainder depends on the bounds.
for name, fmod, sign in (("floor", 0, 1), ("truncated", 1, 1), ("negative", 0, -1), ("negative-truncated", 1, -1)):
    body = "shape = Shape (x) i0 = Constant <value_ints = [0]> () n = Gather (shape, i0) " + ("r0 = Neg (n) " if sign < 0 else "r0 = Identity (n) ")
    for i, divisor in enumerate(range(200, 130, -1)):
        body += f"d{i} = Constant <value_ints = [{divisor}]> () r{i + 1} = Mod <fmod = {fmod}> (r{i}, d{i}) "
    body += "size = Abs (r70) c = Expand (x, size) y = Concat <axis = 0> (c, c)" if name == "negative" else "y = Identity (r70)"
    result = "float[A] y" if name == "negative" else "int64[1] y"
    sizes = (1,) if name == "negative" else (205, 0)
    add_case(f"remainders-{name}", f"(float[N] x) => ({result}) {{ {body} }}", [{"x": tensor("x", n)} for n in sizes])

for allowzero in (0, 1):
    runs = [{"x": tensor("x", n, m, 32)} for n, m in (WITH_NONE if allowzero else PAIRS)]
    body = f"{SIZES} {HEADS} t = Reshape <allowzero = {allowzero}> (x, list) y = Transpose <perm = [0, 2, 1, 3]> (t)"
    add_case(f"heads-{allowzero}", f"(float[N, M, 32] x) => (float[A, B, C, D] y) {{ {body} }}", runs)
    runs = [{"x": tensor("x", n, m, 32)} for n, m in PAIRS]
    body = body.replace("(n, m, rest)", "(m, n, rest)")
    add_case(f"swapped-{allowzero}", f"(float[N, M, 32] x) => (float[A, B, C, D] y) {{ {body} }}", runs)

# The sum of looked-up rows and positions, as in a decoder: all its sizes come from the indices.
body = f"""{SIZES} all = Constant <value_ints = [-1]> () flat = Concat <axis = 0> (all, m) ids = Reshape <allowzero = 1> (x, flat)
    rows = Gather (w, ids) zero = Constant <value_int = 0> () one = Constant <value_int = 1> () length = Squeeze (m)
    steps = Range (zero, length, one) row = Unsqueeze (steps, i0) repeats = Concat <axis = 0> (n, i1) grid = Tile (row, repeats)
    i2 = Constant <value_ints = [2]> () index = Unsqueeze (grid, i2) places = GatherND (w, index) sum = Add (rows, places)
    {HEADS} t = Reshape <allowzero = 1> (sum, list) q = Transpose <perm = [0, 2, 1, 3]> (t)
    four = Constant <value_ints = [-1, 4, 8]> () kl = Concat <axis = 0> (n, four) k0 = Reshape <allowzero = 1> (sum, kl)
    k = Transpose <perm = [0, 2, 1, 3]> (k0)"""
runs = [{"x": np.arange(n * m).reshape(n, m) % 9, "w": tensor("w", 9, 32)} for n, m in PAIRS]
inputs = "(int64[N, M] x, float[9, 32] w)"
add_case("decoder-heads", f"{inputs} => (float[A, B, C, D] q, float[E, F, G, H] k) {{ {body} }}", runs)
attention = f"{body} a = Attention (q, k, k) o = Transpose <perm = [0, 2, 1, 3]> (a) ol = Concat <axis = 0> (n, m, all) y = Reshape <allowzero = 1> (o, ol)"
add_case("decoder-attention", f"{inputs} => (float[A, B, C] y) {{ {attention} }}", runs)

# Outputs that are inputs: OpenVINO uses the memory of the input, whose size changes.
AS_THEY_ARE = [(5, 4), (3, 5), (5, 1), (0, 3), (7, 9), (2, 2)]
for type_name, dtype in (("float", "float32"), ("int64", "int64"), ("bool", "bool"), ("uint8", "uint8"), ("float16", "float16")):
    runs = [{"x": numbers(f"x{n}", *n, dtype=dtype)} for n in AS_THEY_ARE]
    add_case(f"identity-{type_name}", f"({type_name}[N, M] x) => ({type_name}[N, M] y) {{ y = Identity (x) }}", runs)
runs = [{"x": tensor("x", *n)} for n in AS_THEY_ARE]
add_case("identity-twice", "(float[N, M] x) => (float[N, M] y, float[N, M] z) { y = Identity (x) z = Identity (x) }", runs)
add_case("identity-and-more", "(float[N, M] x) => (float[N, M] y, float[N, M] z) { y = Identity (x) z = Relu (x) }", runs)
add_case("two-outputs", "(float[N, M] x) => (float[N, M] y, float[N, M] z) { y = Relu (x) z = Identity (y) }", runs)

# Elements without numbers: the joined size is not that of the numbers divided by the other sizes.
LISTS = [[(1, 0, 2)] * 3, [(3, 1, 2)], [(3, 1, 2), (1, 1, 2)], [(2, 0, 0), (1, 0, 0)], [(0, 2, 2), (0, 2, 2)], [(2, 2, 1), (0, 2, 1)]]
runs = [{"x": [tensor(f"x{i}", *size) for i, size in enumerate(sizes)]} for sizes in LISTS]
add_case("joined-first", "(seq(float[A, B, C]) x) => (float[E, F, G] y) { y = ConcatFromSequence <axis = 0> (x) }", runs)
runs = [{"x": [tensor(f"x{i}", *size) for i, size in enumerate(sizes)]} for sizes in ([(0, 2, 3)] * 3, [(4, 2, 3)], [(1, 2, 3)] * 2)]
add_case("joined-static", "(seq(float[A, 2, 3]) x) => (float[E, F, G] y) { y = ConcatFromSequence <axis = 1> (x) }", runs)

# A decoder pads to the sizes of the encoder's data, turned around pair by pair as PyTorch exports it. Some of these pads cut off.
DECODERS = {
    "floor": ("p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)", "u = ConvTranspose <strides = [2, 2]> (p, f)", "x"),
    "ceil": ("p = MaxPool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (x)", "u = ConvTranspose <strides = [2, 2]> (p, f)", "x"),
    "wider": ("p = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (x)", "u = ConvTranspose <strides = [2, 2], output_padding = [1, 1]> (p, f)", "x"),
    "two levels": (
        "e = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (e)",
        "u = ConvTranspose <strides = [2, 2]> (p, f)",
        "e",
    ),
    "thirds": ("p = MaxPool <kernel_shape = [3, 3], strides = [3, 3]> (x)", "u = ConvTranspose <strides = [3, 3], output_padding = [1, 1]> (p, f)", "x"),
}
TURN = """zeros = Constant <value_ints = [0, 0, 0, 0]> () i0 = Constant <value_ints = [0]> () i2 = Constant <value_ints = [2]> () i3 = Constant <value_ints = [3]> ()
    a = Shape ({encoder}) b = Shape (u) d = Sub (a, b) dh = Gather (d, i2) dw = Gather (d, i3)
    list = Concat <axis = 0> (i0, dw, i0, dh, zeros) pair = Constant <value_ints = [-1, 2]> () rows = Reshape (list, pair)
    last = Constant <value_ints = [-1]> () end = Constant <value_ints = [-100]> ()
    turned = Slice (rows, last, end, i0, last) columns = Transpose <perm = [1, 0]> (turned) pads = Reshape (columns, last)"""
for name, (down, up, encoder) in DECODERS.items():
    runs = [{"x": tensor("x", 1, 2, h, w), "f": tensor("f", 2, 2, 2, 2)} for h, w in ((4, 6), (7, 5), (6, 9), (4, 4), (5, 8), (11, 10))]
    body = f"{down} {up} {TURN.format(encoder=encoder)} padded = Pad (u, pads) y = Add (padded, {encoder})"
    add_case(f"decoder-pads-{name}", f"(float[N, 2, H, W] x, float[2, 2, 2, 2] f) => (float[A, B, C, D] y) {{ {body} }}", runs)

# Squeeze without axes: the declared rank requires that the dynamic sizes are 1.
add_case("squeeze-to-number", "(float[N] x) => (float y) { y = Squeeze (x) }", [{"x": tensor("x", 1)}, {"x": tensor("other", 1)}])
add_case("squeeze-to-vector", "(float[N, 3, M, 1] x) => (float[3] y) { y = Squeeze (x) }", [{"x": tensor("x", 1, 3, 1, 1)}])

# A random number above 0 and below 1 that is not a tensor with axes.
add_case("random-number", "(float x) => (bool y) { u = RandomUniformLike (x) few = Constant <value_float = 0.00001> () y = Greater (u, few) }", [{"x": np.array(7, np.float32)}, {"x": np.array(5, np.float32)}], 21)

# The boxes of the only image, used with and without the axis of images.
runs = [{"x": tensor("x", 1, 4, n)} for n in (3, 2, 5)]
body = """zero = Constant <value_int = 0> () g = Gather (x, zero) t = Transpose <perm = [1, 0]> (g) f = Constant <value_ints = [0]> ()
    y = Unsqueeze (t, f) i = Constant <value_ints = [1, 0]> () z = Gather (t, i)"""
add_case("only-image", f"(float[1, 4, N] x) => (float[A, B, C] y, float[2, 4] z) {{ {body} }}", runs)

# A batch of crops of an image: the number of images is dynamic, and the second one after the Reshape.
for order, name in (("1, 0, 2, 3, 4", "crops"), ("1, 2, 0, 4, 3", "crops-turned")):
    runs = [{"x": tensor("x", 4 * n, 8, 2, 3)} for n in (2, 1, 3)]
    body = f"""s = Constant <value_ints = [4, -1, 8, 2, 3]> () t = Reshape (x, s) o = Transpose <perm = [{order}]> (t)
        r = Constant <value_ints = [-1, 32, 3, 2]> () y = Reshape (o, r)"""
    add_case(name, f"(float[N, 8, 2, 3] x) => (float[A, B, C, D] y) {{ {body} }}", runs)
body = """s = Constant <value_ints = [4, -1, 8, 6]> () t = Reshape (x, s) o = Transpose <perm = [1, 0, 2, 3]> (t)
    r = Constant <value_ints = [-1, 32, 6]> () y = Reshape (o, r)"""
add_case("crops-flat", f"(float[N, 8, 2, 3] x) => (float[A, B, C] y) {{ {body} }}", runs)


@pytest.mark.parametrize("conformance", parameters(Entry(("dynamic sizes", name), make) for name, make in CASES.items()))
def test_dynamic_sizes(conformance, result):
    assert_passed(result)
