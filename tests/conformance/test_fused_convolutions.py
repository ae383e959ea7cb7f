"""Convolutions and pools with what OpenVINO fuses with them or moves past them, and convolutions that share memory with other results."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import collection, entries, whole

CASES, _, add_all = collection()

X1, W1 = whole(1, 2, 6), whole(2, 2, 1)
POOL = "c = Conv(x, w) p = MaxPool <kernel_shape = [2]> (c) "
add_all(
    "activation_before_pool",
    {
        name: (POOL + text, {"x": X1}, {"w": W1, "half": np.float32(0.5), "slope": np.array([[-1.0], [-2]], np.float32), "b": whole(1, 2, 1)})
        for name, text in {
            "abs": "y = Abs(p)",
            "hardswish": "y = HardSwish(p)",
            "swish": "s = Sigmoid(p) y = Mul(p, s)",
            "mish": "y = Mish(p)",
            "prelu": "y = PRelu(p, slope)",
            "elu": "y = Elu <alpha = -1.0> (p)",
            "relu and abs": "r = Relu(p) q = Abs(r) y = Mul(q, half)",
            "gelu": "h = Mul(p, half) e = Erf(h) one = Div(half, half) f = Add(e, one) y = Mul(h, f)",
        }.items()
    }
    | {"bias": ("c = Conv(x, w) d = Add(c, b) p = MaxPool <kernel_shape = [2]> (d) y = Abs(p)", {"x": X1}, {"w": W1, "b": whole(1, 2, 1)})},
)
add_all(
    "channels_from_factor",
    {
        f"{op} {group}": (f"p = {op}(x, f) y = Conv <group = {group}> (p, w)", {"x": whole(1, 1, 4)}, {"f": np.array([[[1], [2], [4]]], np.float32), "w": whole(3, 3 // group, 1)})
        for op in ("Mul", "Div")
        for group in (1, 3)
    },
)
add_all(
    "convolution_of_one_channel",
    {
        f"{mode} {pads} {filters} {kernel} {own}": (
            f'v = Pad <mode = "{mode}"> (x, p) y = Conv <pads = {own}> (v, w)',
            {"x": whole(1, 1, 4, 5)},
            {"p": np.array([0, 0, *pads[:2], 0, 0, *pads[2:]]), "w": whole(filters, 1, *kernel)},
            {"dynamic": [("x", axes)]},
        )
        for mode in ("constant", "edge")
        for pads in ((2, 2, 2, 2), (0, 1, 0, 0), (0, 2, 0, 1), (1, 3, 0, 0))
        for filters in (1, 2)
        for kernel in ((1, 1), (1, 2), (2, 2))
        for own in ([0, 0, 0, 0], [0, 1, 0, 1])
        for axes in ((), (0, 2, 3))
    },
)
add_all(
    "convolution_sum_shape",
    {
        f"{name} {order}": (f"c = Conv(x, w) y = Add({order})", {"x": X1, "o": whole(*shape)}, {"w": W1}, {"dynamic": [("o", axes)]})
        for name, shape, axes in (("more rows", (3, 2, 6), (0,)), ("one column", (1, 2, 1), (2,)), ("equal", (1, 2, 6), (0, 1, 2)))
        for order in ("c, o", "o, c")
    },
)
add_all(
    "convolution_sum_shape-sizes",
    {
        f"{name} {columns} {padding}": (f"c = Conv <pads = [{padding}, {padding}]> ({value}) {text}", {"x": whole(1, 2, columns), "o": whole(1, 2, 1)}, {"w": W1, "v": whole(2, 2, 3)}, {"dynamic": [("x", (2,)), ("o", (2,))]})
        for name, value, text in (("sum", "x, w", "y = Add(c, o)"), ("activation", "x, w", "a = Relu(c) y = Add(o, a)"), ("residual", "x, v", "y = Add(c, x)"), ("one column", "o, w", "y = Add(c, x)"))
        for columns in (3, 4)
        for padding in (0, 1)
        if padding == {"residual": 1, "one column": 0}.get(name, padding)
    },
)
add_all(
    "factor_along_kernel",
    {
        f"{op} {shape} {group} {axes}": (f"v = {op}(x, f) y = Conv <group = {group}, pads = [1, 1, 1, 1]> (v, w)", {"x": whole(1, 4, 4, 3)}, {"f": (whole(*shape) * 2 + 1), "w": whole(4, 4 // group, 3, 3)}, {"dynamic": [("x", axes)]})
        for op in ("Mul", "Div")
        for shape in ((3,), (1, 3), (4, 1), (4, 1, 1), (1, 1, 1, 3), (1, 4, 1, 3))
        for group in (1, 2, 4)
        for axes in ((), (2, 3))
    },
)
add_all(
    "stride_to_part",
    {
        f"{name} {parts[:4]} {size} {reader}": (
            f"a, b = {parts} {text} {'c = Conv <strides = [2, 2]> (h, w)' if reader != 'two' else 'm = Conv(h, w) n = Abs(m) c = Conv <strides = [2, 2]> (n, w)'} y = Neg(c) {'u = Neg(b)' if 'Split' in parts else ''}",
            {"x": whole(2, 2, size, 4)},
            {"w": whole(2, 2, 1, 1), "sizes": np.array([1, 1]), "k": np.array([1]), "back": np.array([1, 0]), "f": whole(2, 1, 1), "pads": np.array([0, 0, 1, 0, 0, 0, 0, 1])},
            {"outputs": ("y", "u") if "TopK" not in parts else ("y",)},
        )
        for name, text in {"relu": "h = Relu(a)", "sum": "h = Add(a, a)", "factor": "h = Mul(f, a)", "two steps": "i = Relu(a) h = Mul(i, f)", "both": "h = Add(a, b)", "pad": "i = Relu(a) h = Pad(i, pads)", "padded": "i = Pad(a, pads) h = Relu(i)", "padded relu": "i = Relu(a) j = Abs(i) h = Pad(j, pads)", "reversed": "i = Gather <axis = 1> (a, back) h = Add(i, f)", "moved": "i = Transpose <perm = [0, 1, 3, 2]> (a) h = Relu(i)", "plain": "h = Identity(a)"}.items()
        for parts in ("Split <axis = 0> (x, sizes)", "TopK <axis = 0> (x, k)")
        for size in (3, 4)
        for reader in ("one", "two")
        if not ("TopK" in parts and name == "both")
    },
)
add_all(
    "space_to_batch_shape",
    {
        "transpose": ("t = Transpose <perm = [0, 1, 3, 2]> (x) p = Pad(t, e) d = SpaceToDepth <blocksize = 2> (p) y = Transpose <perm = [1, 0, 2, 3]> (d)", {"x": whole(1, 1, 4, 4)}, {"e": np.array([0, 0, 0, 0, 0, 0, 2, 2])}),
        "twice": ("t = Reshape(x, n) p = Pad(t, e) o = Transpose <perm = [1, 0, 2, 3]> (p) d = SpaceToDepth <blocksize = 2> (o) y = Transpose <perm = [1, 0, 2, 3]> (d)", {"x": whole(1, 4, 4)}, {"n": np.array([1, 1, 4, 4]), "e": np.array([0, 0, 0, 0, 0, 0, 2, 2])}),
        "reshape": ("t = Reshape(x, n) p = Pad(t, e) d = SpaceToDepth <blocksize = 2> (p) y = Transpose <perm = [1, 0, 2, 3]> (d)", {"x": whole(1, 4, 4)}, {"n": np.array([1, 1, 4, 4]), "e": np.array([0, 0, 0, 0, 0, 0, 2, 2])}),
    },
)
add_all(
    "split_convolution_concat",
    {
        name: (f"a, b = Split <axis = 1> (x, h) c = Conv(a, w) y = Concat <axis = 1> ({parts})", {"x": whole(1, 4, 3), "o": whole(1, 2, 3)}, {"h": np.array([2, 2]), "w": W1, "k": whole(1, 2, 3)})
        for name, parts in {"input": "c, o", "input first": "o, c", "constant": "c, k", "part": "c, b"}.items()
    },
)
add_all(
    "split_convolution_concat-parts",
    {
        f"{parts} {axis} {axes}": (f"a, b = Split <axis = 1> (x, h) c = Conv(a, w) d = Conv(b, w) e = Conv(a, v) y = Concat <axis = {axis}> ({parts}) z = Neg(d)", {"x": whole(2, 4, 3)}, {"h": np.array([2, 2]), "w": whole(2, 2, 1), "v": whole(2, 2, 1, shift=2)}, {"dynamic": [("x", axes)], "outputs": ("y", "z")})
        for parts in ("c, c", "c, d", "d, c", "c, d, c", "c, e", "c, a", "c", "e, d")
        for axis in (0, 1, 2)
        for axes in ((), (0,), (0, 1, 2))
    },
)
add_all(
    "split_convolution_concat-axis",
    {
        f"{axis}": (f"a, b = Split <axis = 1> (x, h) c = Conv(a, w) d = Conv(b, w) y = Concat <axis = {axis}> (c, d)", {"x": whole(1, 4, 3, 2)}, {"h": np.array([2, 2]), "w": whole(2, 2, 1, 1)})
        for axis in (-1, 0, 1, 2, -3)
    }
    | {"split twice": ("p, q = Split <axis = 0> (x, n) a, b = Split <axis = 1> (p, h) c = Conv(a, w) d = Conv(b, w) y = Concat <axis = 1> (c, d)", {"x": whole(2, 4, 3, 2)}, {"h": np.array([2, 2]), "n": np.array([1, 1]), "w": whole(2, 2, 1, 1)})}
    | {"two readers": ("a, b = Split <axis = 1> (x, h) c = Conv(a, w) d = Conv(b, w) y = Concat <axis = 1> (c, d) z = Concat <axis = 3> (d, d)", {"x": whole(1, 4, 3, 2)}, {"h": np.array([2, 2]), "w": whole(2, 2, 1, 1)}, {"outputs": ("y", "z")})},
)
PARTS = {
    "concat": "c = Concat <axis = {axis}> (x, r) y = Add(c, c)",
    "reshaped": "z = Constant <value = int64[2] {{3, 8}}> () u = Reshape(x, z) v = Reshape(r, z) y = Concat <axis = 0> (u, v)",
    "first": "y = Concat <axis = {axis}> (r, x, x)",
}
READERS = {
    "conv": "k = Conv(t, w)",
    "group": "k = Conv <group = 2> (t, g)",
    "transposed": "k = ConvTranspose(t, w)",
    "relu": "l = Relu(t) k = Conv(l, w)",
    "pool": "k = MaxPool <kernel_shape = [2, 2]> (t)",
    "average": "k = AveragePool <kernel_shape = [2, 2]> (t)",
    "resize": "k = Resize <mode = \"nearest\"> (t, , s)",
}
add_all(
    "transposed_concat_part",
    {
        f"{part} {axis} {reader} {name}": (
            f"r = {name} t = Transpose <perm = [0, 3, 1, 2]> (r) {READERS[reader]} {PARTS[part].format(axis=axis)}",
            {"x": whole(1, 3, 2, 4)},
            {"w": whole(4, 4, 1, 1), "g": whole(4, 2, 1, 1), "b": np.float32(3), "s": np.array([1, 1, 2, 2], np.float32)},
            {"dynamic": [("x", axes)], "outputs": ("k", "y"), "opset": 17},
        )
        for part in PARTS
        for axis in (0, 1, 2, 3)
        if part != "reshaped" or axis == 0
        for reader in READERS
        for name in ("Relu(x)", "Add(x, b)")
        for axes in ((), (0,), (1, 2))
    },
)
add_all(
    "convolved_concat_part",
    {
        f"{first} {axis} {channels} {axes}": (
            f"v = {first} a = Conv(v, w, b) t = Transpose <perm = [0, 3, 1, 2]> (a) z = Concat <axis = {axis}> (x, v)",
            {"x": whole(1, channels, 4, 4)},
            {"w": whole(2, channels, 1, 1), "b": np.array([-0.5, 1], np.float32), "f": np.float32(-0.25)},
            {"dynamic": [("x", axes)], "outputs": ("t", "z")},
        )
        for first in ("Relu(x)", "Div(x, f)")
        for axis in (1, 2, 3)
        for channels in (1, 2)
        for axes in ((), (0,))
    },
)
add_all(
    "unread_columns",
    {
        f"{width} {kernel} {pads} {group} {axes}": (
            f"y = Conv <strides = [1, {stride}], pads = [0, {pads}, 0, {pads}], group = {group}> (x, w, b)",
            {"x": whole(2, 2, 3, width)},
            {"w": whole(2, 2 // group, 1, kernel), "b": np.array([-0.5, 1], np.float32)},
            {"dynamic": [("x", axes)], "runs": 3},
        )
        for width, kernel, stride, pads in ((1, 1, 2, 1), (1, 2, 4, 2), (2, 1, 4, 2), (1, 1, 1, 1), (2, 1, 2, 1))
        for group in (1, 2)
        for axes in ((), (0,), (2,))
    },
)
add_all(
    "transposed_model_output",
    {
        f"{result} {reader} {name} {axes}": (
            f"r = {name} t = Transpose <perm = [0, 3, 1, 2]> (r) {READERS[reader]} {text}",
            {"x": whole(1, 3, 2, 4)},
            {"w": whole(4, 4, 1, 1), "g": whole(4, 2, 1, 1), "b": np.float32(3), "s": np.array([1, 1, 2, 2], np.float32), "n": np.array([-1, 4]), "z": np.array([0])},
            {"dynamic": [("x", axes)], "outputs": ("k", "y"), "opset": 17},
        )
        for result, text in {"reshape": "y = Reshape(r, n)", "two": "u = Squeeze(r, z) y = Reshape(u, n)", "unit": "y = Transpose <perm = [1, 0, 2, 3]> (r)", "later": "u = Reshape(r, n) y = Neg(u)"}.items()
        for reader in READERS
        for name in ("Relu(x)", "Add(x, b)")
        for axes in ((), (1, 2))
        if result != "two" or axes == ()
    },
)
add_all(
    "transposed_model_output-itself",
    {
        f"{reader} {name}": (
            f"r = {name} y = Transpose <perm = [0, 3, 1, 2]> (r) t = Identity(y) {READERS[reader]}",
            {"x": whole(1, 1, 4, 4) if rank == 4 else whole(1, 1, 1, 4)},
            {"w": whole(4, 4, 1, 1), "g": whole(4, 2, 1, 1), "s": np.array([1, 1, 2, 2], np.float32)},
            {"outputs": ("k", "y"), "opset": 17},
        )
        for reader in READERS
        if reader not in ("pool", "average")
        for name, rank in (("Relu(x)", 4), ("Abs(x)", 1))
    },
)
add_all(
    "stride_before_pad-unit transpose",
    {
        f"{shape} {perm} {pads} {strides} {axes}": (
            f"d = Sub(x, one) t = Transpose <perm = {perm}> (d) y = Conv <pads = {pads}, strides = {strides}> (t, w)",
            {"x": whole(*shape)},
            {"one": np.float32(1), "w": np.array([2.25, -1], np.float32).reshape(2, 1, 1, 1)},
            {"dynamic": [("x", axes)]},
        )
        for shape, perm in (((1, 1, 1, 1), [0, 3, 1, 2]), ((1, 1, 1, 3), [1, 0, 2, 3]), ((1, 1, 3, 1), [0, 3, 2, 1]), ((1, 3, 1, 1), [0, 3, 1, 2]))
        for pads, strides in (([0, 0, 1, 1], [2, 1]), ([1, 1, 0, 0], [2, 2]), ([0, 1, 0, 1], [1, 2]))
        for axes in ((), (2, 3))
    },
)
PERMUTATIONS = {"circle": [1, 2, 0], "other circle": [2, 0, 1], "negative": [-2, -1, -3], "reversed": [2, 1, 0], "four": [3, 0, 1, 2], "two circles": [1, 0, 3, 2], "twice": [0, 0, 1]}
AFTER_PERMUTATION = {
    "convolution": "y = Conv(g, w)",
    "activation": "r = LeakyRelu(g) y = Conv(r, w)",
    "own filters": "h = Conv <group = GROUPS> (g, v) y = Conv(h, w)",
    "sum": "a = Add(g, b) y = Conv(a, w)",
}
add_all(
    "permuted_channels",
    {
        f"{name} {reader} {axes}": (
            "g = Gather <axis = 1> (x, order) " + text.replace("GROUPS", str(len(order))),
            {"x": whole(2, len(order), 3)},
            {"order": np.array(order), "w": whole(4, len(order), 1), "v": whole(len(order), 1, 1), "b": whole(len(order), 1)},
            {"dynamic": [("x", axes)]},
        )
        for name, order in PERMUTATIONS.items()
        for reader, text in AFTER_PERMUTATION.items()
        for axes in ((), (0, 2))
    }
    | {
        f"parts {order}": (
            f"a, b, c = Split <axis = 1> (x) g = Concat <axis = 1> ({order}) y = Conv(g, w)",
            {"x": whole(2, 3, 3)},
            {"w": whole(4, 3, 1)},
            {"opset": 13},
        )
        for order in ("b, c, a", "c, a, b", "c, b, a")
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("fused_convolutions", CASES)))
def test_fused_convolutions(conformance, result):
    assert_passed(result)
