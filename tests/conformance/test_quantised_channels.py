"""Quantised graphs with constants or scales for each channel, which OpenVINO moves wrongly, with variants."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import AGAIN, CHANNELS, EACH, ONE_SCALE, PER_CHANNEL, collection, entries, whole

CASES, _, add_all = collection()
CLAMPS = {"both": "v = Clip(m, low, high)", "high": "v = Clip(m,, high)", "relu": "v = Relu(m)", "later": "u = Clip(m, low, high) v = Abs(u)"}
PRODUCTS = {
    "convolution": "l = Conv(x, w)",
    "group convolution": "l = Conv <group = 3> (x, g)",
    "transposed convolution": "l = ConvTranspose(x, w)",
    "product": "l = MatMul(x, p)",
    "quantised convolution": "a = QuantizeLinear(x, s, z) d = DequantizeLinear(a, s, z) i = DequantizeLinear(j, s, z) l = Conv(d, i)",
    "quantised product": "a = QuantizeLinear(x, s, z) d = DequantizeLinear(a, s, z) l = MatMul(d, p)",
    "shared convolution": "l = Conv(x, w) r = Relu(l)",
    "average": "l = AveragePool <kernel_shape = [1, 1]> (x)",
    "sum": "l = Add(x, x)",
}
add_all(
    "quantized_clamp_channels",
    {
        f"{op} {rank} {name} {axes} {ending}": (
            f"m = {op}(x, c) {clamp} q = QuantizeLinear(v, s, z) {ending}",
            {"x": whole(*(2, 3, 4, 2)[:rank])},
            ONE_SCALE | {"c": whole(*(3, 1, 1)[: rank - 1], shift=1), "low": np.float32(-1), "high": np.float32(2)},
            {"dynamic": [("x", axes)]},
        )
        for op in ("Add", "Sub")
        for rank in (2, 3, 4)
        for name, clamp in CLAMPS.items()
        for axes in ((), (0,), (0, 1))
        for ending in ("y = Identity(q)", "y = DequantizeLinear(q, s, z)")
    },
)
add_all(
    "quantized_clamp_channels-products",
    {
        f"{name} {op} {axes}": (
            f"{product} m = {op}(l, c) v = Clip(m, low, high) q = QuantizeLinear(v, s, z) y = DequantizeLinear(q, s, z) u = {'Neg(r)' if 'r =' in product else 'Neg(y)'}",
            {"x": whole(2, 3, 2, 2)},
            ONE_SCALE
            | {"c": whole(3, 1, 1, shift=1), "low": np.float32(-1), "high": np.float32(2), "w": whole(3, 3, 1, 1), "g": whole(3, 1, 1, 1), "p": whole(2, 2), "j": whole(3, 3, 1, 1).astype(np.int8)},
            {"dynamic": [("x", axes)], "outputs": ("y", "u")},
        )
        for name, product in PRODUCTS.items()
        for op in ("Add", "Sub")
        for axes in ((), (0,), (0, 2, 3))
    },
)
add_all(
    "quantized_concat_factors",
    {
        f"{op} {shape}": (f"c = Concat <axis = 0> (x, o) v = Relu(c) {AGAIN} y = {op}(e, f)", {"x": whole(1, 2, 2)}, ONE_SCALE | {"o": np.ones([1, 2, 2], np.float32), "f": np.array([-0.5, 2], np.float32).reshape(shape)})
        for op in ("Mul", "Div")
        for shape in ((2,), (2, 1), (2, 1, 1))
    },
)
add_all(
    "quantized_dynamic_channels-moved",
    {
        f"{name} {axes} {ending}": (
            f"q = QuantizeLinear <axis = 1> (x, s, n) d = DequantizeLinear <axis = 1> (q, s, n) {text} u = QuantizeLinear(v, t, z) {ending}",
            {"x": whole(1, 2, 2, 2) / 4},
            EACH | {"t": np.float32(0.25), "z": np.uint8(3), "pads": np.array([0, 0, 1, 0, 0, 0, 1, 1]), "h": np.array([1, 1]), "scales": np.array([1, 1, 2, 2], np.float32), "i": np.array([0]), "j": np.array([1]), "a": np.array([2])},
            {"dynamic": [("x", axes)]},
        )
        for name, text in {
            "pad": "v = Pad(d, pads)",
            "pool": "v = MaxPool <kernel_shape = [2, 2]> (d)",
            "joined": "v = Concat <axis = 2> (d, d)",
            "resized": 'v = Resize <mode = "nearest"> (d,, scales)',
            "slice": "v = Slice(d, i, j, a)",
            "part": "b, v = Split <axis = 2> (d, h)",
            "gathered": "v = Gather <axis = 2> (d, j)",
            "pad and relu": "p = Pad(d, pads) v = Relu(p)",
        }.items()
        for axes in ((), (0,), (0, 1, 2, 3))
        for ending in ("y = Identity(u)", "y = DequantizeLinear(u, t, z)")
        if not (name == "part" and 2 in axes)
    },
)
add_all(
    "quantized_axis_constants-several readers",
    {
        f"{shape} {target} {axes}": (
            "q = QuantizeLinear <axis = 1> (x, s, z) d = DequantizeLinear <axis = 1> (q, s, z) r = Reshape(d, n) y = Add(r, c) u = Sub(r, k)",
            {"x": whole(*shape) / 4},
            {"s": np.array([0.125, 0.25, 0.375], np.float32), "z": np.full(3, 128, np.uint8), "n": np.array(target), "c": np.array([[0.25], [0.75], [-3]], np.float32), "k": np.float32(1)},
            {"dynamic": [("x", axes)], "outputs": ("y", "r", "u"), "opset": 17},
        )
        for shape, target in (((3, 3, 1), (3, 3)), ((3, 3), (1, 3, 3)), ((1, 3, 3), (3, 3)))
        for axes in ((), (0,), (len(shape) - 1,))
    },
)
add_all(
    "quantized_regrouped_channels",
    {
        f"{shape} {target} {axes} {name}": (f"{CHANNELS} {move}", {"x": whole(*shape) / 4}, PER_CHANNEL | {"n": np.array(target)}, {"opset": 17, "dynamic": [("x", axes)]})
        for shape in ((1, 2, 2, 2), (2, 2, 1, 2), (2, 2, 3, 2))
        for target in ((-1, 2, 2), (0, 2, -1), (-1, 2), (2, 2, -1))
        for axes in ((0,), (0, 1, 2, 3), ())
        for name, move in (("plain", "y = Reshape(d, n)"), ("relu", "r = Relu(d) y = Reshape(r, n)"), ("two readers", "r = Abs(d) v = Reshape(d, n) e = ReduceSum(r) y = Add(v, e)"))
    },
)
add_all(
    "quantized_dynamic_channels-transposed",
    {
        f"{name} {perm} {axes}": (
            f"{first} v = Transpose <perm = {perm}> (d) u = QuantizeLinear(v, t, k) {text}",
            {"x": whole(2, 2, 2) / 4},
            {"s": np.array([0.125, 0.25], np.float32), "z": np.array([128, 128], np.uint8), "t": np.float32(0.25), "k": np.int8(0), "c": np.array([[[1], [2]]], np.float32)},
            {"dynamic": [("x", axes)], "outputs": ("y", "u")},
        )
        for perm in ([2, 1, 0], [0, 2, 1], [1, 0, 2], [1, 2, 0])
        for axes in ((0,), (2,), ())
        for name, first, text in (
            ("twice", "q = QuantizeLinear <axis = 1> (x, s, z) d = DequantizeLinear <axis = 1> (q, s, z)", "y = DequantizeLinear(u, t, k)"),
            ("other", "q = QuantizeLinear <axis = 1> (x, s, z) d = DequantizeLinear <axis = 1> (q, s, z)", "y = Abs(v)"),
            ("factor", "d = Mul(x, c)", "y = DequantizeLinear(u, t, k)"),
        )
    },
)
add_all(
    "quantized_axis_constants-joined",
    {
        f"{name} {axis} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) p = QuantizeLinear(x, t, z) e = DequantizeLinear(p, t, z) j = Concat <axis = {axis}> (d, e) {nodes}",
            {"x": whole(1, 2, 2, 4) / 2},
            {"s": np.float32(0.5), "t": np.float32(0.125), "z": np.uint8(128), "c": np.arange(8 if axis == 3 else 4, dtype=np.float32) - 3, "f": np.float32(2)},
            {"dynamic": [("x", axes)], "outputs": ("y", "j")},
        )
        for name, nodes in {"sum": "y = Add(c, j)", "difference": "y = Sub(j, c)", "reversed": "y = Sub(c, j)", "relu": "r = Relu(j) y = Add(r, c)", "scaled": "r = Mul(j, f) y = Add(r, c)"}.items()
        for axis in (0, 1, 2, 3)
        for axes in ((), (0, 2))
    },
)
add_all(
    "quantized_axis_constants-filters",
    {
        f"{name} {scales} {op} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) k = DequantizeLinear <axis = 0> ({weights}) v = Conv <group = {group}> (d, k) {nodes} y = {op}(a, c)",
            {"x": whole(1, 2, 2, 2) / 4},
            {"s": np.float32(0.125), "z": np.uint8(128), "w": np.array([-3, 7, 6, -7], np.int8).reshape(2, 2, 1, 1), "g": np.array([-3, 7], np.int8).reshape(2, 1, 1, 1), "e": np.array([0.125, 0.25], np.float32), "n": np.array([0, 0], np.int8), "o": np.int8(0), "c": np.array([2.75, 3], np.float32)},
            {"dynamic": [("x", axes)]},
        )
        for name, nodes in {
            "plain": "a = Identity(v)",
            "relu": "a = Relu(v)",
            "leaky": "a = LeakyRelu(v)",
            "pool": "a = MaxPool <kernel_shape = [1, 1]> (v)",
            "transpose": "a = Transpose <perm = [0, 1, 3, 2]> (v)",
        }.items()
        for scales, group, weights in (("each", 1, "w, e, n"), ("one", 1, "w, s, o"), ("groups", 2, "g, e, n"))
        for op in ("Add", "Sub", "Mul")
        for axes in ((), (0, 2))
    },
)
add_all(
    "quantized_axis_constants-moved",
    {
        f"{name} {op} {axes}": (
            f"q = QuantizeLinear <axis = 1> (x, s, z) d = DequantizeLinear <axis = 1> (q, s, z) {move} y = {op}(p, {constant})",
            {"x": whole(1, 2, 2, 3) / 4},
            {"s": np.array([0.125, 0.25], np.float32), "z": np.array([128, 3], np.uint8), "c": np.array([1, -0.25], np.float32), "r": np.array([[[[1], [-0.25]]]], np.float32), "i": np.array([0, 1]), "p0": np.array([0, 0, 0, 0, 0, 0, 0, -1])},
            {"dynamic": [("x", axes)], "opset": 18},
        )
        for name, move, constant in (
            ("pool", "p = MaxPool <kernel_shape = [2, 2]> (d)", "c"),
            ("rows", "p = MaxPool <kernel_shape = [1, 2]> (d)", "r"),
            ("transpose", "p = Transpose <perm = [0, 1, 3, 2]> (d)", "c"),
            ("pad", "p = Pad(d, p0)", "c"),
            ("gather", "p = Gather <axis = 3> (d, i)", "c"),
            ("two", "l = MaxPool <kernel_shape = [2, 1]> (d) m = Relu(l) p = MaxPool <kernel_shape = [1, 2]> (m)", "c"),
        )
        for op in ("Add", "Sub", "Mul")
        for axes in ((), (2,))
    },
)
add_all(
    "quantized_channel_factors-shared",
    {
        f"{name} {axes}": (
            f"{nodes} q = QuantizeLinear(n, s, z) y = DequantizeLinear(q, s, z)",
            {"x": whole(2, 2, 2, 2) / 4},
            {"s": np.float32(0.5), "z": np.uint8(128), "f": np.array([4, -0.5], np.float32).reshape(1, 2, 1, 1), "p": np.array([4, 0.5], np.float32).reshape(1, 2, 1, 1), "g": np.float32(-0.25)},
            {"dynamic": [("x", axes)], "outputs": ("y", "v")},
        )
        for name, nodes in {
            "one": "n = Mul(x, f) v = Neg(n)",
            "two": "m = Mul(x, f) n = Mul(g, m) v = Identity(m)",
            "positive": "m = Mul(x, p) n = Mul(g, m) v = Neg(m)",
            "before": "m = Mul(x, g) n = Mul(m, p) v = Neg(n)",
            "difference": "m = Mul(x, p) n = Sub(g, m) v = Neg(m)",
            "negative": "m = Mul(x, p) n = Neg(m) v = Abs(m)",
            "sum": "m = Mul(x, f) n = Add(m, g) v = Neg(m)",
            "joined": "m = Mul(x, f) n = Concat <axis = 1> (m, x) v = Neg(m)",
        }.items()
        for axes in ((), (0,), (2, 3))
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("quantised_channels", CASES)))
def test_quantised_channels(conformance, result):
    assert_passed(result)
