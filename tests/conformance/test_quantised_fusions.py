"""Quantised graphs in which OpenVINO moves scales and zero points wrongly, with variants."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import CHANNELS, ONE_SCALE, PER_CHANNEL, ROUND, WEIGHTS, collection, entries, whole

CASES, _, add_all = collection()
# QuantizeLinear gives multiples of 1/4 here.
WHOLE = {
    "double": "y = Mul(i, two)",
    "opposite": "y = Neg(i)",
    "difference": "y = Sub(two, i)",
    "number": "f = Cast <to = 1> (i) y = Mul(f, half)",
    "transposed": "w = Transpose(i) y = Mul(w, two)",
    "plain": "y = Identity(i)",
    "again": "f = Cast <to = 1> (i) u = QuantizeLinear(f, s, z) y = DequantizeLinear(u, s, z)",
}
add_all(
    "quantized_truncation",
    {
        f"{name} {dtype.__name__} {middle} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) m = {middle} i = Cast <to = {number}> (m) {text}",
            {"x": whole(2, 4) / 4},
            ONE_SCALE | {"two": dtype(2), "half": np.float32(0.5), "shape": np.array([4, 2])},
            {"dynamic": [("x", axes)]},
        )
        for name, text in WHOLE.items()
        for number, dtype in ((6, np.int32), (3, np.int8), (7, np.int64))
        for middle in ("Identity(d)", "Add(d, half)", "Relu(d)", "Transpose(d)", "Reshape(d, shape)")
        for axes in ((), (0,))
    },
)
add_all(
    "numbers at the zero point",
    {
        f"{text} {scale} {zero}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) {text}",
            {"x": np.float32([0, scale * 1.01, -scale * 0.99, scale * 10, -scale * 20])},
            ONE_SCALE | {"s": np.float32(scale), "z": np.uint8(zero), "none": np.float32(0), "two": np.float32(2)},
            {},
        )
        for scale in (0.3, 0.7, 1.3)
        for zero in (7, 120, 128)
        for text in ("y = Sign(d)", "y = Floor(d)", "y = Ceil(d)", "y = Greater(d, none)", "k = Div(d, two) y = Floor(k)", "k = Mul(two, d) y = Sign(k)")
    },
)
add_all(
    "quantized_normalization",
    {
        f"{name} {step} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) {text}",
            {"x": whole(2, 4, 3, 3) * np.float32(step)},
            ONE_SCALE | {"s": np.float32(step), "g": np.linspace(0.5, 1.5, 4, dtype=np.float32), "b": np.linspace(-1, 1, 4, dtype=np.float32), "r": np.ones((4, 3, 3), np.float32)},
            {"dynamic": [("x", axes)]},
        )
        for step in (0.001, 0.25)
        for name, text in {
            "instances": "y = InstanceNormalization <epsilon = 0.00001> (d, g, b)",
            "scaled": "e = Mul(d, s) y = InstanceNormalization <epsilon = 0.00001> (e, g, b)",
            "layers": "y = LayerNormalization <axis = 1, epsilon = 0.00001> (d, r)",
        }.items()
        for axes in ((), (0,))
    },
)
add_all(
    "quantized_factor_rank",
    {
        f"{name} {data} {factor} {axes}": (
            f"{ROUND}{text}",
            {"x": whole(*data)},
            ONE_SCALE | {"f": abs(whole(*factor)) + 1, "h": np.float32(1.5)},
            {"dynamic": [("x", axes)]},
        )
        for name, text in {"Mul": "y = Mul(f, d)", "Div": "y = Div(d, f)", "twice": "e = Mul(d, h) y = Mul(e, f)", "Relu": "e = Relu(d) y = Mul(e, f)"}.items()
        for data, factor in (((2, 8), (1, 1, 8)), ((8,), (2, 8)), ((2, 8), (3, 2, 8)), ((2, 8), (1, 1, 1)))
        for axes in ((), (0,))
    },
)
add_all(
    "truncation_before_quantization",
    {
        f"{name} {number} {head[0]} {axes}": (
            f"{head} f = Cast <to = 1> (w) {middle} u = QuantizeLinear(m, s, z) y = DequantizeLinear(u, s, z)",
            {"x": abs(whole(2, 4)) / 4},
            ONE_SCALE | {"half": np.float32(0.5)},
            {"dynamic": [("x", axes)]},
        )
        for name, middle in {"plain": "m = Identity(f)", "sum": "m = Add(f, half)", "scaled": "m = Mul(f, half)", "moved": "m = Transpose(f)"}.items()
        for number in (2, 3, 6)
        for head in (f"w = Cast <to = {number}> (x)", f"i = Cast <to = {number}> (x) w = Transpose(i)")
        for axes in ((), (0,))
    },
)
add_all(
    "quantized_extremum",
    {
        f"{op} {axes} {keep} {name}": (f"m = {op} <keepdims = {keep}> (x, a) {text}", {"x": whole(2, 3, 4) / 2}, ONE_SCALE | {"a": np.array(axes), "b": np.float32(0.5)}, {"opset": 18})
        for op in ("ReduceMin", "ReduceMax", "ReduceSum")
        for axes in ([2], [0, 1], [1, 2])
        for keep in (0, 1)
        for name, text in {"integers": "y = QuantizeLinear(m, s, z)", "numbers": "q = QuantizeLinear(m, s, z) y = DequantizeLinear(q, s, z)", "scaled": "n = Mul(m, b) y = QuantizeLinear(n, s, z)"}.items()
    },
)
add_all(
    "extremum_of_infinities",
    {
        f"{op} {name}": (f"{text} y = {op}(d, a)", {"x": np.zeros([1, 2, 0], np.uint8 if name == "integers" else np.float32)}, {"s": np.float32(0.25), "z": np.uint8(128), "a": np.array([0, 1, 2])})
        for op in ("ReduceMax", "ReduceMin")
        for name, text in {"integers": "d = DequantizeLinear(x, s, z)", "rounded": "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z)", "sigmoid": "d = Sigmoid(x)", "plain": "d = Identity(x)"}.items()
    },
)
add_all(
    "scaled_shared_filters",
    {
        f"{name} {stride} {groups}": (
            f"{ROUND}{WEIGHTS} c = Conv <strides = [{stride}, {stride}], group = {groups}> (d, k) {text} u = Neg(k)",
            {"x": whole(1, 2, 3, 3) / 4},
            ONE_SCALE | {"w": whole(2, 2 // groups, 1, 1).astype(np.int8), "f": np.float32(4), "g": np.full((1, 1, 1, 1), -0.5, np.float32)},
            {"outputs": ("y", "u")},
        )
        for name, text in {"quotient": "y = Div(c, f)", "factor": "y = Mul(c, g)", "opposite": "y = Neg(c)", "two": "v = Mul(c, g) y = Div(v, f)"}.items()
        for stride in (1, 2)
        for groups in (1, 2)
    },
)
add_all(
    "quantized_transpose",
    {
        f"{perm} {axis} {axes} {name}": (
            f"t = Transpose <perm = {perm}> (x) q = QuantizeLinear <axis = {axis}> (t, s, z) {text}",
            {"x": whole(2, 2, 2) / 4},
            PER_CHANNEL | {"one": np.float32(0.25), "zero": np.int8(0)},
            {"opset": 17, "dynamic": [("x", axes)]},
        )
        for perm in ([0, 2, 1], [1, 2, 0])
        for axis in (0, 1, 2)
        for axes in ((), (0,), (0, 1, 2))
        for name, text in (
            ("plain", f"y = DequantizeLinear <axis = {axis}> (q, s, z)"),
            ("twice", f"d = DequantizeLinear <axis = {axis}> (q, s, z) m = Transpose <perm = {perm}> (d) p = QuantizeLinear(m, one, zero) y = DequantizeLinear(p, one, zero)"),
        )
    },
)
add_all(
    "quantized_clamp_bounds",
    {
        f"{name} {low}": (f"{head} y = Clip({value}, low, {high})", {"x": whole(1, 2, 2, 2)}, scales | {"low": np.float32(low), "high": np.float32(2), "far": np.float32(1e30), "n": np.array([0, -1])})
        for low in (0, -1)
        for name, head, value, high, scales in (
            ("no bound", ROUND, "d", "", ONE_SCALE),
            ("far bound", ROUND, "d", "far", ONE_SCALE),
            ("bound", ROUND, "d", "high", ONE_SCALE),
            ("reshaped", ROUND + "r = Reshape(d, n)", "r", "", ONE_SCALE),
            ("channels", CHANNELS, "d", "", PER_CHANNEL),
            ("negated", ROUND + "v = Div(d, half)", "v", "high", ONE_SCALE | {"half": np.float32(-0.5)}),
            ("negated part", ROUND + "p, r = Split <axis = 1, num_outputs = 2> (d) v = Mul(r, half)", "v", "high", ONE_SCALE | {"half": np.float32(-0.5)}),
            ("gathered", ROUND + "r = Gather(d, row)", "r", "", ONE_SCALE | {"row": np.int64(0)}),
            ("reduced", ROUND + "r = ReduceMax(d, rows)", "r", "", ONE_SCALE | {"rows": np.array([1])}),
        )
    },
)
add_all(
    "scaled_integer_clamp",
    {
        f"{kind} {name}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) i = Cast <to = {kind}> (d) v = Cast <to = 1> (i) {nodes} y = Clip(c, l, h)",
            {"x": whole(2, 3) / 2},
            {"s": np.float32(0.125), "z": np.int8(0), "f": np.float32(4), "o": np.float32(0.5), "l": np.float32(-1), "h": np.float32(2), "a": np.array([3, 2])},
        )
        for kind in (3, 6)
        for name, nodes in {"factor": "c = Mul(v, f)", "quotient": "c = Div(v, f)", "sum": "u = Sub(v, o) c = Mul(u, f)", "reshape": "u = Mul(v, f) c = Reshape(u, a)", "plain": "c = Identity(v)"}.items()
    },
)
add_all(
    "reversed_quantized_sum",
    {
        f"{name} {axis}": (
            f"j = Concat <axis = {axis}> (w, x) b = {text} q = QuantizeLinear(b, s, z) y = DequantizeLinear(q, s, z)",
            {"w": whole(1, 2) / 4, "x": whole(1, 2) / 2},
            {"c": np.array([[-2.5, -0.5, 1, 2][: 2 + 2 * axis]], np.float32), "s": np.float32(0.125), "z": np.uint8(3)},
            {"dynamic": [("x", (0,))]},
        )
        for axis in (0, 1)
        for name, text in {"sum": "Add(c, j)", "difference": "Sub(c, j)", "product": "Mul(c, j)", "other order": "Add(j, c)"}.items()
    },
)
add_all(
    "disjoint_clamp",
    {
        f"{name} {first}": (
            f"b = {first} {text} q = QuantizeLinear(a, s, z) y = DequantizeLinear(q, s, z)",
            {"x": whole(2, 4) / 4},
            {"s": np.float32(0.125), "z": np.uint8(3), "n": np.float32(0), "t": np.float32(2), "m": np.float32(-2.75), "l": np.float32(-5), "c": np.array([-2.75, -3, 1, 0], np.float32), "w": whole(4, 4)},
            {"dynamic": [("x", (0,))]},
        )
        for first in ("Add(x, t)", "Mul(x, m)", "MatMul(x, w)")
        for name, text in {
            "sum": "l0 = Clip(b, n, t) a = Add(l0, m)",
            "difference": "l0 = Clip(b, n, t) a = Sub(m, l0)",
            "quotient": "l0 = Clip(b, t, t) a = Div(l0, m)",
            "bounds": "a = Clip(b, l, m)",
            "channels": "l0 = Clip(b, n, t) a = Add(l0, c)",
            "reshaped": "l0 = Clip(b, n, t) v = Add(l0, m) a = Flatten(v)",
            "extrema": "u = Max(b, n) v = Min(u, t) a = Add(v, m)",
            "some": "l0 = Clip(b, m, t) a = Mul(l0, t)",
        }.items()
    },
)
add_all(
    "quantized_clamp_bounds-part",
    {
        f"{name} {parts}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) {parts} m = Mul(f, b) y = Clip({bounds})",
            {"x": whole(2, 4) / 4},
            {"s": np.float32(0.125), "z": np.uint8(128), "f": np.float32(-0.25), "o": np.float32(1), "n": np.array([2, 2])},
        )
        for name, bounds in (("above", 'm, "", o'), ("below", "m, f"), ("none", "m"))
        for parts in ("a, b = Split <axis = 1> (d, n)", "b = Identity(d)")
    },
)
add_all(
    "moved extremum",
    {
        f"{op} {name}": (
            f"{ROUND} r = Reshape(d, h) m = {op} <keepdims = 0> (r, a) {text} n = QuantizeLinear(u, s, z) e = DequantizeLinear(n, s, z) y = Concat <axis = 0> (e, e)",
            {"x": whole(1, 4, 3, 3) / 4},
            ONE_SCALE | {"h": np.array([1, 4, -1]), "a": np.array([2])},
            {},
        )
        for op in ("ReduceMin", "ReduceMax")
        for name, text in {"unsqueezed": "u = Unsqueeze(m, a)", "transposed": "u = Transpose(m)", "plain": "u = Identity(m)", "joined": "u = Concat <axis = 0> (m, m)"}.items()
    },
)
add_all(
    "pads of the average",
    {
        f"{zero}": (
            f"{ROUND} y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1> (d)",
            {"x": whole(1, 4, 5, 5) / 4},
            ONE_SCALE | {"z": zero},
        )
        for zero in (np.uint8(127), np.uint8(128), np.uint8(0), np.uint8(129), np.int8(-1), np.int8(0), np.int8(1), np.int8(-128))
    },
)
add_all(
    "factors of matrices",
    {
        f"{axes} {dynamic}": (
            f"{ROUND} k = QuantizeLinear(v, s, z) e = DequantizeLinear(k, s, z) m = MatMul(d, e) n = {op}(m, g) u = QuantizeLinear(n, w, z) y = DequantizeLinear(u, w, z)",
            {"x": whole(1, 3, 4, 8) / 4, "v": whole(1, 3, 8, 4) / 4},
            ONE_SCALE | {"g": np.linspace(0.5, 2, 3 if axes != "rows" else 4, dtype=np.float32).reshape([3, 1, 1] if axes != "rows" else [4, 1]), "w": np.float32(1)},
            {"dynamic": [("x", dynamic), ("v", dynamic)]},
        )
        for op, axes in (("Mul", "matrices"), ("Mul", "rows"), ("Add", "matrices of sums"))
        for dynamic in ((), (0,))
    },
)
CELLS = {"LSTM": 4, "GRU": 3, "RNN": 1}
add_all(
    "recurrent weights",
    {
        f"{op} {zero} {state} {weights}": (
            f"q = QuantizeLinear(x, s, h) d = DequantizeLinear(q, s, h) {'g = QuantizeLinear(i, s, h) j = DequantizeLinear(g, s, h)' if state == 'rounded' else 'j = Identity(i)'}"
            f" {text} y, last = {op} <hidden_size = 4> (d, k, k, b, , j) sum = Add(d, d)",
            {"x": whole(5, 1, 4) / 4, "i": whole(1, 1, 4) / 8},
            {"s": np.float32(0.05), "h": np.uint8(120), "w": ((np.arange(16 * count) * 5) % 100 + 60).reshape(1, 4 * count, 4).astype(zero.dtype), "t": np.float32(0.01), "z": zero, "f": np.float32(-1), "b": np.zeros((1, 8 * count), np.float32)},
            {"outputs": ("y", "last", "sum")},
        )
        for op, count in CELLS.items()
        for zero in (np.uint8(128), np.int8(0), np.int8(2))
        for state in ("plain", "rounded")
        for weights, text in {"linear": "k = DequantizeLinear(w, t, z)", "computed": "c = Cast <to = 1> (w) n = Mul(c, t) k = Add(n, f)"}.items()
    },
)
add_all(
    "pointwise filters",
    {
        f"{name} {stride} {pad} {type_.__name__}": (
            f"k = DequantizeLinear <axis = 0> (w, t, z) {text.format(attributes=f'strides = [{stride}, {stride}], pads = [{pad}, {pad}, {pad}, {pad}]')}",
            {"x": whole(2, 4, 4, 4) / 4},
            {"w": (whole(4, 4, 1, 1) + 6).astype(type_), "t": np.array([0.125, 0.25, 0.5, 1], np.float32), "z": np.array([6] * 4, type_), "b": np.arange(4, dtype=np.float32)},
            {"dynamic": [("x", (0,))]},
        )
        for name, text in {
            "before": "v = Transpose <perm = [0, 1, 3, 2]> (x) y = Conv <{attributes}> (v, k)",
            "rows last": "v = Transpose <perm = [0, 3, 1, 2]> (x) y = Conv <{attributes}> (v, k, b)",
            "after": "c = Conv <{attributes}> (x, k) y = Transpose <perm = [0, 1, 3, 2]> (c)",
            "channels last": "c = Conv <{attributes}> (x, k, b) y = Transpose <perm = [0, 2, 3, 1]> (c)",
            "both": "v = Transpose <perm = [0, 2, 3, 1]> (x) c = Conv <{attributes}> (v, k) y = Transpose <perm = [0, 3, 1, 2]> (c)",
        }.items()
        for stride in (1, 2)
        for pad in (0, 1)
        for type_ in (np.int8, np.uint8)
    },
)
add_all(
    "scaled pointwise filters",
    {
        f"{size}": (
            "v = Mul(x, f) c = Cast <to = 21> (w) n = Cast <to = 21> (z) k = DequantizeLinear <axis = 0> (c, t, n) y = Conv(v, k)",
            {"x": whole(1, 4, 4, 4) / 4},
            {"w": (whole(4, 4, size, size) + 6).astype(np.uint8), "t": np.array([0.125, 0.25, 0.5, 1], np.float32), "z": np.array([6] * 4, np.uint8), "f": np.float32(2)},
            {"opset": 21},
        )
        for size in (1, 3)
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("quantised_fusions", CASES)))
def test_quantised_fusions(conformance, result):
    assert_passed(result)
