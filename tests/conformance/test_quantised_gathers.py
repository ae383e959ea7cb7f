"""Gathers and Slices of quantised numbers with scales that OpenVINO moves, with variants."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import CHANNELS, EACH, PER_CHANNEL, collection, entries, whole

CASES, _, add_all = collection()
PRODUCT = {"s": np.float32(0.5), "z": np.uint8(3), "t": np.float32(0.25), "p": np.array([0.25, 0.5], np.float32), "k": np.int8(0), "e": np.array([0, 0], np.int8), "w": np.array([[0, -1], [5, 7]], np.int8), "i": np.int64(-1), "v": np.array([1]), "m": np.array([[0]]), "f": np.float32(2)}
BEFORE = {"plain": "a = Identity(j)", "relu": "a = Relu(j)", "factor": "a = Mul(j, f)"}

add_all(
    "quantized_scalar_gather-shared",
    {
        f"{name} {ending} {axes}": (
            f"d = DequantizeLinear <axis = 1> (x, s, k) {text} {ending} u = Concat <axis = 2> (d, d)",
            {"x": (whole(1, 2, 2, 2) + 120).astype(np.uint8)},
            {"s": EACH["s"], "k": np.array([128, 128], np.uint8), "t": np.float32(0.5), "z": np.uint8(128), "i": np.int64(0), "c": np.array([-2.75], np.float32), "pads": np.array([0] * 5 + [2]), "g": np.array([2])},
            {"dynamic": [("x", axes)], "outputs": ("y", "u")},
        )
        for name, text in {"plain": "v = Gather <axis = 2> (d, i)", "relu": "r = Relu(d) v = Gather <axis = 2> (r, i)", "sum": "r = Sub(d, c) v = Gather <axis = 3> (r, i)", "mean": "v = ReduceMean <keepdims = 0> (d, g)"}.items()
        for ending in ("y = Identity(v)", "q = QuantizeLinear(v, t, z) y = DequantizeLinear(q, t, z)", "y = Pad(v, pads)")
        for axes in ((), (0,))
    },
)
# The FakeQuantize is outside of the branch or in it, or in the other one.
ROUND_OTHER = "o = QuantizeLinear(v, t, z) b = DequantizeLinear(o, t, z)"
add_all(
    "quantized_scalar_gather-branch",
    {
        f"{kind} {place} {taken}": (
            f"{ROUND_OTHER if place == 'outside' else 'b = Identity(v)'}"
            f" y, m = If (c) <then_branch = taken () => (float[2] t0, float[2] t1) {{ {text} {rounding if place == 'then' else plain.format('t1')} }},"
            f" else_branch = other () => (float[2] e0, float[2] e1) {{ e0 = Identity(v) {rounding.replace('t1', 'e1') if place == 'else' else plain.format('e1')} }}>",
            {"x": np.array([[1, 2], [3, 4]], np.uint8), "v": np.array([0.5, -0.25], np.float32), "c": np.array(taken)},
            {"s": np.array([0.5, 2], np.float32), "k": np.array([0, 0], np.uint8), "t": np.float32(0.25), "z": np.uint8(128), "i": np.int64(0), "w": np.array([[1, 2], [3, 4]], np.int8), "h": np.float32(0.25), "n": np.int8(0), "g": np.uint8(3)},
            {"outputs": ("y", "m", "b"), "opset": 17},
        )
        for kind, text in {
            "row": "d = DequantizeLinear <axis = 1> (x, s, k) t0 = Gather <axis = 0> (d, i)",
            "sum": "d = DequantizeLinear <axis = 1> (x, s, k) t0 = ReduceMax <axes = [0], keepdims = 0> (d)",
            "product": "d = DequantizeLinear (x, t, g) f = DequantizeLinear (w, h, n) p = MatMul(d, f) t0 = Gather <axis = 0> (p, i)",
        }.items()
        for rounding, plain in [("o = QuantizeLinear(v, t, z) t1 = DequantizeLinear(o, t, z)", "{} = Identity(v)")]
        for place in ("outside", "then", "else", "nowhere")
        for taken in (True, False)
    },
)
add_all(
    "quantized_scalar_gather-split",
    {
        f"{arithmetic} {shape} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) v = {arithmetic}(d, c) a, b = Split <axis = 2, num_outputs = 2> (v) y = Gather <axis = 1> (a, i) u = ReduceMax <keepdims = 0> (b, g)",
            {"x": whole(*shape) / 4},
            {"s": np.float32(0.125), "z": np.int8(0), "c": np.array([2.5, -1.25], np.float32).reshape(1, 2, 1), "i": np.int64(0), "g": np.array([1])},
            {"dynamic": [("x", axes)], "outputs": ("y", "u"), "opset": 18},
        )
        for arithmetic in ("Sub", "Add", "Mul")
        for shape in ((1, 2, 2), (3, 2, 4))
        for axes in ((), (0,), (2,))
    },
)
add_all(
    "quantized_gather_of_part",
    {
        f"{name} {kind} {index.tolist()} {axis} {axes}": (
            f"q = QuantizeLinear{form} d = DequantizeLinear{form.replace('(x', '(q')} {moved} y = Gather <axis = {axis}> (a, i)",
            {"x": whole(2, 2, 4) / 4},
            {"s": np.float32(0.125), "z": np.int8(0), "e": np.array([0.25, 0.125], np.float32), "k": np.array([3, 9], np.uint8), "c": np.array([2.5, -1.25], np.float32).reshape(1, 2, 1), "i": index, "n": np.array([2, 2, 2, 2])},
            {"dynamic": [("x", axes)], "opset": 18},
        )
        for name, form, arithmetic in (("sum", "(x, s, z)", "v = Add(c, d)"), ("difference", "(x, s, z)", "v = Sub(d, c)"), ("channels", " <axis = 1> (x, e, k)", "v = Identity(d)"))
        for kind, moved in {
            "split": f"{arithmetic} a, b = Split <axis = 2, num_outputs = 2> (v)",
            "relu": f"{arithmetic} r = Relu(v) a, b = Split <axis = 0, num_outputs = 2> (r)",
            "reshape": f"{arithmetic} a = Reshape(v, n)",
            "plain": f"{arithmetic} a = Identity(v)",
        }.items()
        for index in (np.int64(0), np.array([0]), np.array([[0, 0]]))
        for axis in (0, 1, 2)
        for axes in ((), (0,))
    },
)
add_all(
    "quantized_scalar_gather-joined",
    {
        f"{axis} {name} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) e = DequantizeLinear(w, t, z) j = Concat <axis = {axis}> (d, e) {text}",
            {"x": whole(2, 3) / 4, "w": (whole(2, 3) + 8).astype(np.uint8)},
            {"s": np.float32(0.125), "t": np.float32(0.5), "z": np.uint8(3), "i": np.int64(0), "c": np.array([-2.75], np.float32), "pads": np.array([0, 2]), "g": np.array([1])},
            {"dynamic": [("x", axes), ("w", axes)]},
        )
        for axis in (0, 1, -1)
        for name, text in {"plain": "y = Gather <axis = 1> (j, i)", "difference": "v = Sub(j, c) u = Gather <axis = 1> (v, i) y = Pad(u, pads)", "rows": "v = Sub(j, c) y = Gather <axis = 0> (v, i)", "sum": "v = Add(j, c) y = ReduceSum <keepdims = 0> (v, g)"}.items()
        for axes in ((), (0,), (0, 1))
    },
)
add_all(
    "quantized_scalar_gather-moved",
    {
        f"{name} {op} {axis} {len(outputs)}": (f"{CHANNELS} {move} y = {op.format(axis)}", {"x": whole(2, 2, 2, 2) / 4}, PER_CHANNEL | {"i": np.int64(1), "n": np.array([0, -1, 2]), "m": np.array([2, 2, 4])}, {"opset": 17, "outputs": outputs})
        for outputs in (("y",), ("v", "y"))
        for name, move in {"reshape": "v = Reshape(d, n)", "join": "v = Reshape(d, m)", "relu": "v = Relu(d)", "transpose": "v = Transpose <perm = [0, 2, 1, 3]> (d)", "both": "r = Relu(d) v = Reshape(r, n)"}.items()
        for op in ("Gather <axis = {}> (v, i)", "ReduceMax <axes = [{}], keepdims = 0> (v)")
        for axis in (0, 2)
    },
)
add_all(
    "quantized_gather_of_part-joined",
    {
        f"{name} {index} {axis} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) p = QuantizeLinear(x, t, z) e = DequantizeLinear(p, t, z) j = Concat <axis = {place}> (d, e) {nodes} y = Gather <axis = {axis}> (v, {index})",
            {"x": whole(2, 2, 2) / 2},
            {"s": np.float32(0.5), "t": np.float32(0.125), "z": np.uint8(3), "i": np.int64(0), "k": np.array([0, 1]), "n": np.array([0, 0, -1])},
            {"dynamic": [("x", axes)]},
        )
        for name, place, nodes in (("channels", 1, "v = Identity(j)"), ("columns", 2, "v = Identity(j)"), ("relu", 1, "v = Relu(j)"), ("reshape", 1, "v = Reshape(j, n)"))
        for index in ("i", "k")
        for axis in (0, 1, 2)
        for axes in ((), (0,))
    },
)
add_all(
    "quantized_gather_of_part-scalars",
    {
        f"{name} {zero} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) {nodes} y = Gather <axis = 1> (v, i)",
            {"x": whole(4, 2, 4, 4) / 4},
            {"s": np.float32(0.125), "z": np.uint8(zero), "t": np.float32(0.5), "k": np.int8(0), "f": np.float32(2), "i": np.array([0]), "c": np.array([4, -0.5], np.float32).reshape(1, 2, 1, 1), "n": np.array([8, 2, 2, 4]), "g": np.array([2]), "o": np.array([1, 0]), "h": np.array([2, -1, 1, 3], np.int8).reshape(2, 2, 1, 1)},
            {"dynamic": [("x", axes)], "outputs": ("y", "d")},
        )
        for name, nodes in {
            "product": "b, a = Split <axis = 0, num_outputs = 2> (d) v = Mul(a, c)",
            "quotient": "b, a = Split <axis = 0, num_outputs = 2> (d) v = Div(a, c)",
            "sum": "b, a = Split <axis = 0, num_outputs = 2> (d) v = Add(a, c)",
            "difference": "b, a = Split <axis = 0, num_outputs = 2> (d) v = Sub(c, a)",
            "later": "m = Mul(d, c) b, v = Split <axis = 2, num_outputs = 2> (m)",
            "transpose": "a = Transpose <perm = [0, 1, 3, 2]> (d) v = Mul(a, c)",
            "reshape": "a = Reshape(d, n) v = Add(a, c)",
            "gathered": "a = Gather <axis = 2> (d, o) v = Mul(a, c)",
            "joined": "a = Concat <axis = 0> (d, d) v = Mul(a, c)",
            "mean": "a = ReduceMean(d, g) v = Mul(a, c)",
            "pool": "a = MaxPool <kernel_shape = [1, 2]> (d) m = Mul(a, c) b, v = Split <axis = 0, num_outputs = 2> (m)",
            "shifted": "m = Add(d, f) b, a = Split <axis = 0, num_outputs = 2> (m) v = Mul(a, c)",
            "negated": "b, a = Split <axis = 0, num_outputs = 2> (d) m = Neg(a) v = Add(m, c)",
            "convolved": "w = DequantizeLinear(h, t, k) m = Conv(d, w) r = Relu(m) v = Add(r, c)",
            "float sum": "m = Mul(x, f) b, a = Split <axis = 0, num_outputs = 2> (m) v = Add(a, c)",
            "float product": "m = Add(x, f) a = Mul(m, c) b, v = Split <axis = 0, num_outputs = 2> (a)",
            "float scale": "m = Sub(x, c) a = Mul(m, f) b, v = Split <axis = 0, num_outputs = 2> (a)",
        }.items()
        for zero in (0, 3, 128)
        for axes in ((), (0,), (0, 1, 2, 3))
        if not (name == "later" and 2 in axes)
    },
)
add_all(
    "quantized_scalar_gather-integer product",
    {
        f"{name} {zero} {axes}": (
            f"q = QuantizeLinear(x, s, z) m = MatMulInteger(q, w, z, k) f = Cast <to = 1> (m) {text}",
            {"x": whole(2, 2, 2) / 4},
            {"s": np.float32(0.25), "z": np.uint8(zero), "w": whole(2, 3).astype(np.int8), "k": np.int8(1), "c": np.array([[[4], [1]]], np.float32), "b": np.array([0.75, -0.25, -2.75], np.float32), "h": np.float32(-0.25), "g": np.array([2]), "i": np.int64(0), "o": np.array([1])},
            {"dynamic": [("x", axes)], "opset": 18},
        )
        for zero in (3, 128)
        for axes in ((), (0,))
        for name, text in {
            "mean": "v = Mul(f, c) y = ReduceMean <keepdims = 0> (v, g)",
            "quotient": "v = Div(f, c) y = ReduceMax <keepdims = 0> (v, g)",
            "column": "v = Add(b, f) u = Sub(h, v) y = Gather <axis = 2> (u, i)",
            "row": "v = Add(f, c) u = Sub(h, v) y = Gather <axis = 1> (u, o)",
            "factor": "v = Mul(f, c) u = Add(v, h) y = Gather <axis = 1> (u, i)",
        }.items()
    },
)
add_all(
    "quantized_gather_of_part-rounded",
    {
        f"{before} {after} {axes}": (
            f"j = Concat <axis = 1> (x, w) {BEFORE[before]} q = QuantizeLinear <axis = 1> (a, s, z) d = DequantizeLinear <axis = 1> (q, s, z) {nodes}",
            {"x": whole(2, 1, 2, 2) / 4, "w": whole(2, 1, 2, 2, shift=3) / 4},
            EACH | {"z": np.array([0, 0], np.int8), "f": np.float32(2), "n": np.float32(-0.25), "i": np.array([0]), "k": np.int64(1), "c": np.array([2, 3], np.float32).reshape(1, 2, 1, 1)},
            {"dynamic": [("x", axes), ("w", axes)]},
        )
        for before in BEFORE
        for after, nodes in {
            "factor": "g = Gather <axis = 2> (d, i) y = Mul(g, n)",
            "scalar": "g = Gather <axis = 3> (d, k) y = Mul(g, f)",
            "quotient": "g = Gather <axis = 1> (d, i) y = Div(g, f)",
            "channels": "g = Gather <axis = 2> (d, i) r = Relu(g) y = Mul(r, c)",
            "negated": "g = Gather <axis = 0> (d, i) t = Transpose <perm = [0, 2, 1, 3]> (g) y = Neg(t)",
        }.items()
        for axes in ((), (0,), (0, 2, 3))
    },
)
add_all(
    "quantized_product_gather",
    {
        f"{weights} {name} {axis} {axes}": (f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) {scaled} a = MatMul(d, g) {nodes.format(axis)}", {"x": whole(2, 2, 2) / 2}, PRODUCT, {"dynamic": [("x", axes)], "outputs": ("y", "a") if name == "shared" else ("y",)})
        for weights, scaled in (("one", "g = DequantizeLinear(w, t, k)"), ("each", "g = DequantizeLinear <axis = 1> (w, p, e)"))
        for name, nodes in {
            "plain": "y = Gather <axis = {}> (a, i)",
            "shared": "y = Gather <axis = {}> (a, i)",
            "vector": "y = Gather <axis = {}> (a, v)",
            "matrix": "y = Gather <axis = {}> (a, m)",
            "factor": "b = Mul(a, f) y = Gather <axis = {}> (b, i)",
            "relu": "b = Relu(a) y = Gather <axis = {}> (b, i)",
            "two": "b = Gather <axis = {}> (a, i) y = Gather <axis = 0> (b, i)",
        }.items()
        for axis in (0, 1, 2)
        for axes in ((), (0, 1))
    },
)
add_all(
    "quantized_product_pool",
    {
        f"{weights} {zero} {name} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) {scaled} p = MatMul(d, w) {nodes}",
            {"x": whole(2, 2, 2, 2) / 4},
            {"s": np.float32(0.125), "z": np.uint8(zero), "h": np.array([[2, -1, 1, 3], [1, 4, -2, 0]], np.int8), "t": np.float32(0.5), "k": np.int8(0), "e": np.array([0.5, 0.25, 2, 1], np.float32), "i": np.zeros(4, np.int8), "c": np.array([4, -0.5], np.float32).reshape(1, 2, 1, 1), "f": np.array([1, 2, 3, 4], np.float32), "g": np.array([0]), "n": np.array([1, 1, 1, 2], np.float32), "v": np.array([0])},
            {"dynamic": [("x", axes)]},
        )
        for weights, scaled in (("one", "w = DequantizeLinear(h, t, k)"), ("each", "w = DequantizeLinear <axis = 1> (h, e, i)"))
        for zero in (0, 3)
        for name, nodes in {
            "largest": "y = MaxPool <kernel_shape = [1, 2]> (p)",
            "mean": "y = AveragePool <kernel_shape = [1, 2]> (p)",
            "padded": "y = MaxPool <kernel_shape = [1, 3], pads = [0, 1, 0, 1]> (p)",
            "strides": "y = MaxPool <kernel_shape = [1, 1], strides = [1, 2]> (p)",
            "rows": "y = MaxPool <kernel_shape = [2, 1]> (p)",
            "sum": "m = MaxPool <kernel_shape = [1, 2]> (p) y = Add(m, c)",
            "factors": "m = Mul(p, f) y = AveragePool <kernel_shape = [1, 2]> (m)",
            "quotient": "m = Div(p, t) y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (m)",
            "relu": "m = Relu(p) y = MaxPool <kernel_shape = [1, 2]> (m)",
            "resize": 'y = Resize <mode = "nearest"> (p, , n)',
            "squeezed": "m = Unsqueeze(p, g) r = Squeeze(m, g) y = MaxPool <kernel_shape = [1, 2]> (r)",
            "parts": "m = MaxPool <kernel_shape = [1, 2]> (p) r = Add(m, c) a, b = Split <axis = 0, num_outputs = 2> (r) y = Gather <axis = 1> (b, v)",
        }.items()
        for axes in ((), (0, 2))
    },
)
add_all(
    "quantized_scalar_gather-factors",
    {
        f"{name} {rank} {axes}": (f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) {nodes} y = Gather <axis = 2> (b, {rank})", {"x": whole(2, 2, 2, 2) / 4}, {"s": np.float32(0.5), "z": np.uint8(128), "i": np.int64(1), "m": np.array([[1, 0]]), "c": np.array([-0.25, 0.5], np.float32).reshape(1, 2, 1, 1), "f": np.float32(2)}, {"dynamic": [("x", axes)], "outputs": ("y", "d")})
        for name, nodes in {
            "joined": "a = Concat <axis = 3> (d, x) b = Mul(a, c)",
            "other": "b = Mul(x, c)",
            "quotient": "b = Div(x, c)",
            "two": "a = Mul(x, c) b = Mul(a, f)",
            "sum": "a = Mul(x, c) b = Add(a, c)",
            "function": "a = Sigmoid(d) b = Mul(a, c)",
        }.items()
        for rank in ("i", "m")
        for axes in ((), (0,), (0, 2, 3))
    },
)
add_all(
    "gathered_blocks",
    {
        f"{kind} {scale} {axis} {gathered} {'zero points' if ', p' in given else ''}": (
            f"d = DequantizeLinear <axis = {axis}, block_size = 4> ({given}) y = Gather <axis = {gathered}> (d, r)",
            {"r": np.array([[1, 6], [3, 0]])},
            {"c": (whole(8, 8) * 5).astype(kind), "s": np.abs(whole(*((2, 8) if axis == 0 else (8, 2)))) .astype(scale) / 8 + np.array(0.125, scale), "p": np.ones((2, 8) if axis == 0 else (8, 2), kind)},
            {"opset": 21},
        )
        for kind in ("int8", "uint8")
        for scale in ("float32", "float16")
        for axis in (0, 1)
        for gathered in (0, 1)
        for given in ("c, s", "c, s, p")
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("quantised_gathers", CASES)))
def test_quantised_gathers(conformance, result):
    assert_passed(result)
