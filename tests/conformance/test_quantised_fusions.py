"""Quantised graphs in which OpenVINO moves scales and zero points wrongly, with variants."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import CHANNELS, EACH, PER_CHANNEL, WEIGHTS, collection, entries, whole

CASES, _, add_all = collection()
ONE_SCALE = {"s": np.float32(0.25), "z": np.int8(0), "t": np.float32(0.125)}
ROUND = "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) "
AGAIN = "u = QuantizeLinear(v, t, z) e = DequantizeLinear(u, t, z) "
add_all(
    "quantized_row_constants",
    {
        f"{name} {shape} {axes}": (
            f"{ROUND}{WEIGHTS}{text}",
            {"x": whole(2, 2, 3)},
            ONE_SCALE | {"w": whole(3, 2).astype(np.int8), "f": np.array([2, -0.5], np.float32).reshape(shape), "b": whole(2)},
            {"dynamic": [("x", axes)]},
        )
        for name, text in {
            "Mul": "v = MatMul(d, k) y = Mul(v, f)",
            "Relu": "m = MatMul(d, k) v = Relu(m) y = Mul(f, v)",
            "Div": "v = MatMul(d, k) y = Div(v, f)",
            "rounded": f"m = MatMul(d, k) v = Add(m, b) {AGAIN} y = Mul(e, f)",
        }.items()
        for shape in ((2, 1, 1), (2, 1), (2,))
        for axes in ((), (0,), (0, 1, 2))
    },
)
add_all(
    "quantized_unit_scale",
    {
        f"{name} {step} {head[:8]}": (
            f"{head}{WEIGHTS}{text} {AGAIN} y = Identity(e)",
            {"x": whole(2, 3) if "Quantize" in head[:20] else whole(2, 3).astype(np.int8)},
            ONE_SCALE | {"w": whole(3, 2).astype(np.int8), "b": whole(2), "t": np.float32(step)},
        )
        for name, text in {
            "bias": "m = MatMul(d, k) v = Add(b, m)",
            "difference": "m = MatMul(d, k) v = Sub(m, b)",
            "relu": "m = MatMul(d, k) r = Add(m, b) v = Relu(r)",
            "none": "v = MatMul(d, k)",
            "Gemm": "v = Gemm(d, k, b)",
        }.items()
        for step in (0.0625, 0.125)
        for head in (ROUND, "d = DequantizeLinear(x, s, z) ")
    },
)
CLAMPS = {"both": "v = Clip(m, low, high)", "high": "v = Clip(m,, high)", "relu": "v = Relu(m)", "later": "u = Clip(m, low, high) v = Abs(u)"}
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
WHOLE = {
    "double": "y = Mul(i, two)",
    "opposite": "y = Neg(i)",
    "difference": "y = Sub(two, i)",
    "number": "f = Cast <to = 1> (i) y = Mul(f, half)",
    "transposed": "w = Transpose(i) y = Mul(w, two)",
    "plain": "y = Identity(i)",
    "again": "f = Cast <to = 1> (i) u = QuantizeLinear(f, s, z) y = DequantizeLinear(u, s, z)",
}
# QuantizeLinear gives multiples of 1/4 here.
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
    "quantized_concat_factors",
    {
        f"{op} {shape}": (f"c = Concat <axis = 0> (x, o) v = Relu(c) {AGAIN} y = {op}(e, f)", {"x": whole(1, 2, 2)}, ONE_SCALE | {"o": np.ones([1, 2, 2], np.float32), "f": np.array([-0.5, 2], np.float32).reshape(shape)})
        for op in ("Mul", "Div")
        for shape in ((2,), (2, 1), (2, 1, 1))
    },
)
add_all(
    "quantized_group_filters",
    {
        f"{groups} {name} {pads}": (
            f"{ROUND}{WEIGHTS} c = Conv <group = {groups}, pads = [{pads}, {pads}, {pads}, {pads}]> (d, k) y = {text}",
            {"x": whole(1, groups, 4, 4) / 4},
            ONE_SCALE | {"w": whole(2 * groups, 1, 3, 3).astype(np.int8), "one": np.float32(1), "b": whole(2 * groups, 1, 1)},
        )
        for groups in (2, 3)
        for name, text in {"relu": "Relu(c)", "scalar": "Add(c, one)", "bias": "Add(c, b)", "plain": "Identity(c)"}.items()
        for pads in (0, 1)
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
    "quantized_filters_of_channel",
    {
        f"{groups} {zero} {kernel} {sizes} {axes}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) k = DequantizeLinear(w, s, n) y = Conv <group = {groups}> (d, k)",
            {"x": whole(1, groups, *sizes) / 4},
            ONE_SCALE | {"z": np.uint8(zero), "n": np.int8(0), "w": whole(2 * groups, 1, kernel, kernel).astype(np.int8)},
            {"dynamic": [("x", axes)]},
        )
        for groups in (2, 3)
        for zero in (0, 3, 128)
        for kernel, sizes in ((2, (2, 3)), (2, (3, 5)), (3, (3, 3)))
        for axes in ((2,), (0, 2, 3), ())
    },
)
add_all(
    "quantized_pool_of_channel",
    {
        f"{channels} {sizes} {kernel} {axes}": (
            f"{ROUND} p = MaxPool <kernel_shape = {list(kernel)}> (d) {text} y = DequantizeLinear(u, t, z)",
            {"x": whole(2, channels, *sizes) / 4},
            ONE_SCALE,
            {"dynamic": [("x", axes)]},
        )
        for channels in (1, 2)
        for sizes in ((3, 2), (2, 3))
        for kernel in ((1, 2), (2, 2), (2, 1))
        for text in ("u = QuantizeLinear(p, t, z)",)
        for axes in ((), (0, 1, 2, 3), (2, 3))
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
    "quantized_relu_factors-scalar",
    {
        f"{name} {text} {axes}": (
            f"{ROUND} k = DequantizeLinear <axis = 0> (w, e, n) m = Conv(d, k) v = {name}(m) {text}",
            {"x": whole(1, 2, 3, 3) / 4},
            ONE_SCALE | {"w": whole(2, 2, 1, 1).astype(np.int8), "e": EACH["s"], "n": EACH["n"], "f": np.float32(-1), "g": np.float32(2), "h": np.full((1, 1, 1), -0.5, np.float32)},
            {"dynamic": [("x", axes)]},
        )
        for name in ("Relu", "Abs", "Identity")
        for text in ("y = Mul(f, v)", "y = Mul(v, g)", "y = Div(v, h)", "u = Add(v, g) y = Mul(u, f)", "y = Sub(g, v)", "y = Neg(v)")
        for axes in ((), (0,))
    },
)
add_all(
    "quantized_relu_factors-difference",
    {
        f"{group} {stride} {axes} {form}": (
            f"t = Concat <axis = 2> (x, u) q = QuantizeLinear(t, s, z) d = DequantizeLinear(q, s, z) k = DequantizeLinear(w, e, o) m = Conv <group = {group}, pads = [0, 1, 0, 0], strides = [{stride}, {stride}]> (d, k) v = Relu(m) y = Sub(c, v)",
            {"x": whole(1, 2, 1, 3) / 4, "u": whole(1, 2, 2, 3, shift=3) / 4},
            {"s": np.float32(0.125), "z": np.uint8(128), "e": np.float32(0.25), "o": np.int8(0), "w": whole(2, 2 // group, 3, 3).astype(np.int8), "c": np.full(form, 2, np.float32)},
            {"dynamic": [("u", axes)]},
        )
        for group in (1, 2)
        for stride in (1, 2)
        for axes in ((), (0, 1, 2, 3))
        for form in ((), (2, 1, 1), (1, 2, 1, 1))
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
    "quantized_relu_factors",
    {
        f"{name} {sign}": (
            f"{ROUND}{WEIGHTS}{text}",
            {"x": whole(1, 3, 2, 2) / 4} if "Conv" in text else {"x": whole(2, 3)},
            ONE_SCALE | {"w": (whole(2, 3, 1, 1) if "Conv" in text else whole(3, 2)).astype(np.int8), "f": np.array([2, sign], np.float32).reshape((2, 1, 1) if "Conv" in text else 2)}
            | {"slope": np.array([[[0.5]], [[0.25]]], np.float32), "far": np.float32(3)},
        )
        for name, text in {
            "product": "m = MatMul(d, k) v = Relu(m) y = Mul(v, f)",
            "sum": "m = MatMul(d, k) v = Relu(m) r = Add(v, far) y = Mul(r, f)",
            "quotient": "m = MatMul(d, k) v = Relu(m) y = Div(v, f)",
            "Conv": "m = Conv(d, k) v = Relu(m) y = Mul(v, f)",
            "Conv prelu": "m = Conv(d, k) v = PRelu(m, slope) y = Mul(v, f)",
            "Conv scalar": "m = Conv(d, k) a = Add(m, far) v = Relu(a) y = Mul(v, f)",
        }.items()
        for sign in (-0.5, 0.5)
    },
)
AVERAGE = "v = AveragePool <kernel_shape = [2, 2], pads = [{0}, {0}, {0}, {0}], count_include_pad = {1}> (d) "
add_all(
    "quantized_narrow_average",
    {
        f"{channels} {name}": (head + AVERAGE.format(0, 0) + AGAIN + "y = Identity(e)", {"x": data(channels)}, {"s": np.float32(0.25), "z": zero, "t": np.float32(0.0625)})
        for channels in (1, 2, 3, 4)
        for name, head, data, zero in (
            ("rounded", ROUND, lambda channels: whole(1, channels, 2, 2) / 4, np.int8(0)),
            ("input", "d = DequantizeLinear(x, s, z) ", lambda channels: (whole(1, channels, 2, 2) + 128).astype(np.uint8), np.uint8(128)),
        )
    },
)
add_all(
    "quantized_padded_average",
    {
        f"{zero} {pads} {counted} {name}": (
            "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) " + moved + AVERAGE.format(pads, counted) + "y = Identity(v)",
            {"x": whole(1, 8, 3, 3) / 4},
            {"s": np.float32(0.25), "z": np.uint8(zero)},
        )
        for zero in (0, 3, 128, 200)
        for pads in (0, 1)
        for counted in (0, 1)
        for name, moved in (("plain", ""),)
    },
)
add_all(
    "quantized_pad_value",
    {
        f"{mode} {value} {zero} {pads} {shape} {name}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) {moved} y = Pad <mode = \"{mode}\"> (v, p{', f' if mode == 'constant' else ''})",
            {"x": whole(*shape)},
            {"s": np.float32(0.25), "z": np.uint8(zero), "f": np.float32(value), "p": np.array(pads)},
            {"opset": 18},
        )
        for mode, values in (("constant", (0, 0.5)), ("edge", (0,)))
        for value in values
        for zero in (0, 3, 128)
        for pads in ([0, 0, 2, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 1], [0, 1, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0, 1])
        for shape in ((1, 2, 2, 1), (2, 3, 3, 2))
        for name, moved in (("transpose", "v = Transpose <perm = [0, 1, 3, 2]> (d)"), ("plain", "v = Identity(d)"), ("relu", "v = Relu(d)"), ("shifted", "v = Add(d, s)"), ("scaled", "n = Neg(s) v = Mul(d, n)"))
    },
)
add_all(
    "quantized_pad_value-moved",
    {
        f"{name} {arithmetic} {zero} {pads}": (
            f"q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) t = {before} b = {arithmetic} r = {after} y = Pad(r, p, o)",
            {"x": whole(1, 2, 2) / 4},
            {"s": np.float32(0.125), "z": np.uint8(zero), "c": np.array([2.75], np.float32), "n": np.array([1, -1]), "p": np.array(pads), "o": np.float32(0.5)},
            {"opset": 18},
        )
        for name, before, after in (("transposed", "Transpose <perm = [2, 1, 0]> (d)", "Reshape(b, n)"), ("reshaped", "Identity(d)", "Reshape(b, n)"), ("flat", "Flatten <axis = 2> (d)", "Transpose(b)"))
        for arithmetic in ("Sub(c, t)", "Add(t, c)", "Mul(t, c)")
        for zero in (0, 128)
        for pads in ([0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1])
    },
)
add_all(
    "quantized_pad_value-integers",
    {
        f"{kind} {axes}": (
            f'q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) c = Cast <to = {kind}> (d) r = Reshape(c, n) f = Cast <to = 1> (r) v = Mul(f, k) y = Pad <mode = "constant"> (v, p, o)',
            {"x": np.array([2, 1.75], np.float32)},
            {"s": np.float32(0.125), "z": np.int8(0), "n": np.array([2, 1]), "k": np.array([[-0.5]], np.float32), "p": np.array([0, 2, 0, 0]), "o": np.float32(1)},
            {"dynamic": [("x", axes)], "opset": 17},
        )
        for kind in (3, 6, 7)
        for axes in ((), (0,))
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


@pytest.mark.parametrize("conformance", parameters(entries("quantised_fusions", CASES)))
def test_quantised_fusions(conformance, result):
    assert_passed(result)
