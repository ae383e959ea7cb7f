"""Graphs of a few operations that OpenVINO fuses wrongly, with variants: the faults of the workaround separate_fused_operations, and sums of many
terms (many_live_values)."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import collection, entries, is_broadcast, whole

CASES, add, add_all = collection()

X1, W1 = whole(1, 2, 6), whole(2, 2, 1)
NUMBERS, OFFSET, FACTOR = np.linspace(-3, 3, 300, dtype=np.float32).reshape(100, 3), np.array([0.1, 0.7, 1.3], np.float32), np.array([1.7, 0.3, 2.9], np.float32)
add_all(
    "compared_constants",
    {
        f"{name} {axes}": (f"{nodes}", {"x": NUMBERS}, {"a": OFFSET, "b": FACTOR, "t": ((NUMBERS - OFFSET) * FACTOR)[:, order], "i": np.array(order)}, {"dynamic": [("x", axes)]})
        for order, name, nodes in (
            ([0, 1, 2], "LessOrEqual", "v = Sub(x, a) w = Mul(v, b) y = LessOrEqual(w, t)"),
            ([0, 1, 2], "Equal", "v = Sub(x, a) w = Mul(b, v) y = Equal(t, w)"),
            ([2, 0, 1], "Gather", "v = Sub(x, a) w = Mul(v, b) g = Gather <axis = 1> (w, i) y = LessOrEqual(g, t)"),
        )
        for axes in ((), (0,))
    },
)
add_all(
    "consecutive_unit_products",
    {
        "plain": ("v = MatMul(x, w) y = MatMul(v, u)", {"x": whole(2, 3)}, {"w": whole(3, 1), "u": whole(1, 1)}),
        "gemm": ("v = Gemm <alpha = 0.5, transB = 1> (x, w) r = Relu(v) y = MatMul(r, u)", {"x": whole(2, 3)}, {"w": whole(1, 3), "u": whole(1, 1)}),
    }
    | {
        f"first {name} {rows}": (f"v = Gemm(x, u) {nodes} y = MatMul(r, w)", {"x": whole(rows, 1)}, {"u": whole(1, 1), "w": whole(1, 2), "m": np.array([-1, 1])})
        for name, nodes in {"plain": "r = Identity(v)", "relu": "r = Relu(v)", "sum": "r = Add(v, x)", "softmax": "r = Softmax(v)", "reshape": "r = Reshape(v, m)", "three": "r = MatMul(v, u)"}.items()
        for rows in (1, 4, 16)
    }
    | {
        "first transposed": ("v = Gemm <transA = 1> (x, u) y = MatMul(v, w)", {"x": whole(1, 4)}, {"u": whole(1, 1), "w": whole(1, 2)}),
    },
)
add_all(
    "converted_output_name",
    {
        f"{kind} {back}": (f"v = Add(x, x) h = Cast <to = {kind}> (v) y = Cast <to = {back}> (h)", {"x": whole(2, 3).astype(dtype)}, {}, {"outputs": ("h", "y"), "dynamic": [("x", axes)]})
        for kind, back, dtype in ((10, 1, np.float32), (11, 1, np.float32), (7, 6, np.int32), (7, 1, np.float32), (10, 1, np.float64), (6, 7, np.int64), (5, 6, np.int32))
        for axes in ((), (0,))
    },
)
add_all(
    "converted_output_name-same type",
    {
        f"{kind}": (f"h = Cast <to = {kind}> (x) y = Transpose <perm = [0, 1]> (h) v = Cast <to = 1> (y)", {"x": whole(2, 3)}, {}, {"outputs": ("h", "y", "v")}) for kind in (10, 11, 7)
    },
)
add_all(
    "converted_bias",
    {
        f"{name} {axes}": (f"m = MatMul(x, w) {nodes}", {"x": whole(2, 4) / 4}, {"w": whole(4, 3, shift=3), "b": whole(3), "c": whole(3, shift=2).astype(np.float16), "f": np.float32(2)}, {"dynamic": [("x", axes)]})
        for axes in ((), (0,))
        for name, nodes in {
            "f16": "s = Add(m, b) h = Cast <to = 10> (s) y = Add(c, h)",
            "minus": "s = Sub(m, b) h = Cast <to = 10> (s) y = Sub(h, c)",
            "f64": "s = Add(m, b) h = Cast <to = 10> (s) d = Cast <to = 11> (h) e = Cast <to = 11> (c) y = Add(d, e)",
            "scaled": "s = Add(m, b) t = Mul(s, f) h = Cast <to = 10> (t) y = Add(h, c)",
            "half": "n = Cast <to = 10> (m) s = Add(n, c) h = Cast <to = 1> (s) y = Add(h, b)",
        }.items()
    },
)
add_all(
    "conversion_after_products",
    {
        f"{kind} {rows} {name}": (nodes.format(kind), {"x": whole(rows, 8)}, {"w": whole(8, 8) / 4, "b": np.float32(0.75)}, {"dynamic": [("x", axes)]})
        for kind in (5, 6, 7, 9, 10, 11)
        for rows in (1, 4, 8)
        for axes in ((), (0,))
        for name, nodes in {
            "behind": "p = MatMul(x, w) v = MatMul(p, w) h = Mul(v, b) y = Cast <to = {}> (h)",
            "relu": "p = MatMul(x, w) r = Relu(p) v = MatMul(r, w) s = Add(v, b) q = Relu(s) y = Cast <to = {}> (q)",
            "between": "p = MatMul(x, w) c = Cast <to = {}> (p) f = Cast <to = 1> (c) y = MatMul(f, w)",
            "and back": "p = MatMul(x, w) v = MatMul(p, w) c = Cast <to = {}> (v) y = Cast <to = 1> (c)",
            "used twice": "p = MatMul(x, w) v = MatMul(p, w) c = Cast <to = {}> (v) f = Cast <to = 1> (c) y = Add(f, v)",
        }.items()
    },
)
add_all(
    "product_axis_constants",
    {
        f"{op} {columns} {name}": (f"v = MatMul(x, w) y = {op}(v, a)", {"x": whole(1, 3, 2, 2)}, {"w": whole(2, columns), "a": np.array([1, 2, 4], np.float32).reshape(shape)}, {"dynamic": [("x", axes)]})
        for op in ("Add", "Mul", "Div", "Sub")
        for columns in (2, 3)
        for name, shape in (("four axes", (1, 3, 1, 1)), ("three axes", (3, 1, 1)))
        for axes in ((0,), (2,), (1,))
    },
)
QDQ = "q = QuantizeLinear <axis = 1> (x, s, z) d = DequantizeLinear <axis = 1> (q, s, z) "
PER_CHANNEL = {"s": np.array([0.125, 0.25], np.float32), "z": np.array([0, 0], np.int8)}
add_all(
    "quantized_axis_constants",
    {
        f"{op} {name}": (f"{QDQ} {text}", {"x": whole(1, 2, 2, 2) / 4}, PER_CHANNEL | {"a": whole(*shape), "e": whole(1, 2, 1, 1)})
        for op, text in (("Add", "y = Add(d, a)"), ("Sub", "y = Sub(a, d)"), ("relu", "r = Relu(d) y = Add(r, a)"), ("two", "r = Mul(d, e) y = Add(r, a)"))
        for name, shape in (("last", (2,)), ("third", (2, 1)), ("channels", (2, 1, 1)))
    },
)
add_all(
    "quantized_axis_constants-unit axes",
    {
        f"{name} {axis} {form} {axes}": (f"{QDQ} {text} y = Add(u, a)", {"x": whole(2, 2, 3) / 4}, PER_CHANNEL | {"i": np.array([axis]), "a": whole(*form), "k": np.array([2, 1, 2, 3])}, {"dynamic": [("x", axes)]})
        for name, text in {"unsqueeze": "u = Unsqueeze(d, i)", "squeezed again": "v = Unsqueeze(d, i) u = Squeeze(v, i)", "reshape": "u = Reshape(d, k)", "relu": "r = Relu(d) u = Unsqueeze(r, i)"}.items()
        for axis in (0, 1, 2, 3)
        for form in ((3,), (2, 1), (3, 1), (2, 1, 1), (2, 1, 3))
        for axes in ((), (0,))
        if is_broadcast(form, {"squeezed again": (2, 2, 3), "reshape": (2, 1, 2, 3)}.get(name, np.expand_dims(whole(2, 2, 3), axis).shape))
    },
)
add_all(
    "quantized_dynamic_channels",
    {
        f"{op} {axes}": (f"a = {op}(x, f) u = QuantizeLinear(a, t, k) y = DequantizeLinear(u, t, k)", {"x": whole(2, 2) / 4}, {"f": np.array([[-2, 4]], np.float32), "t": np.float32(0.25), "k": np.uint8(3)}, {"dynamic": [("x", axes)]})
        for op in ("Add", "Mul", "Sub")
        for axes in ((0,), (1,), (0, 1))
    }
    | {
        "twice": (QDQ + "u = QuantizeLinear(d, t, k) y = DequantizeLinear(u, t, k)", {"x": whole(2, 2, 2) / 4}, PER_CHANNEL | {"t": np.float32(0.125), "k": np.int8(0)}, {"dynamic": [("x", (0, 1))]}),
    },
)
add_all(
    "quantized_scalar_gather",
    {
        f"axis {axis}": (QDQ + f"y = Gather <axis = {axis}> (d, i)", {"x": whole(2, 2, 2) / 4}, PER_CHANNEL | {"i": np.int64(1)})
        for axis in (0, 1, 2)
    }
    | {
        f"{op} {axis} {keep}": (QDQ + f"y = {op} <axes = [{axis}], keepdims = {keep}> (d)", {"x": whole(2, 2, 2) / 4}, PER_CHANNEL, {"opset": 17})
        for op in ("ReduceMax", "ReduceMean")
        for axis in (0, 2, -3)
        for keep in (0, 1)
    }
    | {"matrix": (QDQ + "y = Gather(d, i)", {"x": whole(2, 2) / 4}, PER_CHANNEL | {"i": np.int64(0)})},
)
add("rotary_shape-other reader", "a, b = Split <axis = -1> (x, h) n = Neg(b) r = Concat <axis = -1> (n, a) p = Mul(x, c) m = Mul(r, s) y = Add(p, m)", {"x": whole(1, 1, 3, 4), "s": whole(3, 1, 3, 4)}, {"c": whole(1, 1, 3, 4), "h": np.array([2, 2])}, outputs=("y", "m"))
add("rotary_shape-two readers", "a, b = Split <axis = -1> (x, h) n = Neg(b) r = Concat <axis = -1> (n, a) p = Mul(x, c) m = Mul(r, s) y = Add(p, m) z = Identity(r)", {"x": whole(1, 1, 3, 4), "s": whole(3, 1, 3, 4)}, {"c": whole(1, 1, 3, 4), "h": np.array([2, 2])}, outputs=("y", "z"))
add("rotary_shape-unequal parts", "a, b = Split <axis = -1> (x, h) n = Neg(b) r = Concat <axis = -1> (n, a) p = Mul(x, c) m = Mul(r, s) y = Add(p, m)", {"x": whole(2, 2, 3, 3), "s": whole(2, 2, 3, 3)}, {"c": whole(2, 2, 3, 3), "h": np.array([1, 2])})
ROTARY = "a, b = Split <axis = -1> (x, h) n = Neg(b) r = Concat <axis = -1> (n, a) p = Mul(x, c) m = Mul(r, s) y = Add(p, m)"
add_all(
    "rotary_shape",
    {
        f"{rows} {columns}": (ROTARY, {"x": whole(1, 2, 3, 4), "c": whole(rows, 1, 3, 4), "s": whole(columns, 1, 3, 4)}, {"h": np.array([2, 2])}, {"dynamic": [("c", axes), ("s", axes)]})
        for rows, columns in ((2, 2), (1, 2), (2, 1), (1, 1))
        for axes in ((), (0,))
    },
)
add_all(
    "scaled_vector_product",
    {
        f"{op}": (f"v = MatMul(x, w) y = {op}(v, f)", {"x": whole(2, 1, 3)}, {"w": whole(3), "f": np.array(shape, np.float32)})
        for op, shape in (("Mul", 2), ("Div", [[4]]))
    },
)
add_all(
    "sum_of_scalar",
    {
        f"{op} {len(shape)} {rank} {name}": (f"{text} y = {op}(v, f)", {"x": whole(*(2, 1, 2, 1, 2)[-rank:])}, {"w": whole(2, 3), "f": np.full(shape, 3, np.float32), "one": np.ones((1, 3), np.float32)})
        for op in ("Add", "Sub")
        for shape in ((), (1,), (1, 1, 1))
        for rank in (3, 4, 5)
        for name, text in (("product", "v = MatMul(x, w)"), ("transposed", "m = MatMul(x, w) v = Transpose(m)"), ("divided", "m = MatMul(x, w) v = Div(m, one)"))
    },
)
add_all(
    "slice_before_gather_elements",
    {
        f"{axis} {rows}": (f"s = Slice(x, o, e, a) y = GatherElements <axis = {axis}> (s, i)", {"x": whole(3, 2, 2)}, {"o": np.array([0]), "e": np.array([rows]), "a": np.array([0]), "i": np.array([[[1, 0], [0, 1]]] * rows) % (rows if axis == 0 else 2)})
        for axis in (0, 1, 2)
        for rows in (1, 2)
    },
)
add_all(
    "negative_gather_elements",
    {
        f"repeated {kind}": (f"{text} y = GatherElements <axis = 1> (x, e)", {"x": whole(2, 4, 3), "i": np.array([[[0], [-1], [-4]], [[3], [2], [-2]]])}, {"s": np.array([1, 1, 3])}, {"dynamic": [("x", (0, 1)), ("i", (0, 1))]})
        for kind, text in {
            "by Expand": "e = Expand(i, s)",
            "by Tile": "e = Tile(i, s)",
            "to the rank": "o = Constant <value = int64[1] {0}> () z = Constant <value = int64[1] {1}> () r = Slice(i, o, z, o) q = Squeeze(r, o) e = Expand(q, s)",
            "by both": "z = Constant <value = int64[3] {1, 2, 1}> () t = Tile(i, z) e = Expand(t, s)",
        }.items()
    },
)
add_all(
    "stride_before_pad-Pad",
    {
        f"{before} {pads} {strides}": (f"v = {before}(x) p = Pad(v, q) y = Conv <strides = {strides}> (p, w)", {"x": whole(1, 2, 4, 4)}, {"q": np.array([0, 0, *pads[:2], 0, 0, *pads[2:]]), "w": whole(2, 2, 1, 1, shift=3)})
        for before in ("Abs", "Identity", "Relu")
        for pads in ((1, 0, 1, 0), (1, 1, 1, 1), (0, 1, 0, 0))
        for strides in ([2, 2], [1, 2])
    },
)
# The values of x, a and c by a large number.
OVERFLOWING = {
    "sum factor": ("u = Sub(x, a) y = Mul(u, c)", lambda large: (large, large, 4)),
    "sum quotient": ("u = Sub(x, a) y = Div(u, c)", lambda large: (large, large, -1 / 4)),
    "negative": ("u = Sub(a, x) n = Neg(u) y = Mul(n, c)", lambda large: (large, large, 4)),
    "factors": ("u = Mul(x, a) y = Mul(u, c)", lambda large: (1 / large, large, large)),
    "quotients": ("u = Div(x, a) y = Div(u, c)", lambda large: (large, large, large / 2)),
    "sums": ("u = Add(x, a) y = Add(u, c)", lambda large: (-large * 3 / 2, large * 3 / 2, large * 3 / 2)),
    "shared": ("u = Sub(x, a) y = Mul(u, c) z = Relu(u)", lambda large: (large, large, 4)),
    "three": ("u = Mul(x, c) v = Add(u, a) y = Mul(v, c)", lambda large: (-large / 4, large, 4)),
}
add_all(
    "overflowing_constants",
    {
        f"{name} {np.dtype(dtype).name}": (nodes, {"x": np.array([[x, x / 2]], dtype)}, {"a": dtype(a), "c": dtype(c)})
        for dtype, large in ((np.float16, 30000), (np.float32, 2e38))
        for name, (nodes, numbers) in OVERFLOWING.items()
        for x, a, c in [numbers(large)]
    },
)
add_all(
    "sum_of_scalar-resize",
    {
        f"{sizes} {op}": (f"""v = Resize <mode = "linear", coordinate_transformation_mode = "half_pixel"> (x, , c) y = {op}(v, f)""", {"x": whole(2, 1, 2, 2)}, {"c": np.array([1, 1, *sizes], np.float32), "f": np.float32(-3)})
        for sizes in ((2, 1), (1, 2), (3, 2))
        for op in ("Add", "Sub")
    },
)
STEPS = {"a": np.array([1]), "two": np.array([2]), "row": np.array([0]), "o": np.ones((1, 1), np.float32)}
add_all(
    "slice_from_both_ends",
    {
        f"{start} {end} {step} {columns} {name}": (
            head + "v = Slice(p, s, e, a, i) y = Concat <axis = 1> (o, v)",
            {"x": whole(1, columns)},
            STEPS | {"z": np.array([0]), "four": np.array([4]), "s": np.array([start]), "e": np.array([end]), "i": np.array([step])},
            {"dynamic": [("x", (1,))]},
        )
        for start, end, step in ((0, -2, -1), (3, -3, -2), (-3, 1, 1), (-2, 2, 2), (-2, -2, -1), (-3, -2, -1), (-2, -4, -1), (-1, 2, 1))
        for columns in (1, 2, 3, 5)
        for name, head in (("bounded", "p = Slice(x, z, four, a) "), ("one at least", "p = Concat <axis = 1> (x, o) "), ("any", "p = Identity(x) "))
    },
)
SHARED = "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) v = DequantizeLinear(w, s, k) c = Conv(d, v) "
add_all(
    "shared_quantized_product",
    {
        f"{name} {axes}": (
            SHARED + text,
            {"x": whole(1, 2, 2, 3)},
            {"s": np.float32(0.25), "z": np.uint8(128), "k": np.int8(0), "w": whole(2, 2, 1, 1).astype(np.int8), "a": np.full((1, 2, 2, 3), 3, np.float32), "b": np.float32(3), "f": np.array([2, -3], np.float32).reshape(2, 1, 1)},
            {"dynamic": [("x", axes)], "outputs": ("y", "u")},
        )
        for name, text in {
            "sum and relu": "y = Add(c, a) u = Relu(c)",
            "scalar and relu": "y = Mul(c, b) u = Relu(c)",
            "sum and output": "u = Identity(c) y = Add(c, a)",
            "two factors": "y = Mul(c, a) u = Mul(c, b)",
            "hard swish": "s6 = Add(c, b) k6 = Relu(s6) y = Mul(c, k6) u = Mul(y, b)",
            "after a factor": "m = Mul(c, b) y = Add(m, a) u = Relu(m)",
            "negated": "m = Neg(c) y = Mul(b, m) u = Concat <axis = 2> (y, m)",
            "after a quotient": "m = Div(c, b) y = Abs(m) u = Relu(m)",
            "after two factors": "l = Mul(c, b) m = Mul(l, f) y = Abs(m) u = Relu(m)",
            "after no move": "l = Transpose(c) t = Transpose(l) m = Mul(t, b) y = Abs(m) u = Relu(m)",
        }.items()
        for axes in ((0,), (3,), ())
    },
)
TENSORS = "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) p = QuantizeLinear(w, s, z) v = DequantizeLinear(p, s, z) c = MatMul(d, v) r = QuantizeLinear(c, s, z) "
add_all(
    "shared_quantized_product-tensors",
    {
        f"{name} {axes}": (TENSORS + text, {"x": whole(2, 2, 3), "w": whole(3, 2)}, {"s": np.float32(0.25), "z": np.uint8(128), "t": np.float32(0.5)}, {"dynamic": [("x", axes)], "outputs": ("y", "u")})
        for name, text in {
            "output": "y = DequantizeLinear(r, s, z) u = Identity(c)",
            "relu": "y = DequantizeLinear(r, s, z) u = Relu(c)",
            "two steps": "y = DequantizeLinear(r, s, z) e = QuantizeLinear(c, t, z) u = DequantizeLinear(e, t, z)",
        }.items()
        for axes in ((0,), (1,), (0, 1, 2), ())
    },
)
add_all(
    "quantized_channel_factors",
    {
        f"{name} {axes}": (f"{nodes} q = QuantizeLinear(m, s, z) y = DequantizeLinear(q, s, z)", {"x": whole(2, 2, 3) / 4}, {"f": np.array([[-2], [4]], np.float32), "o": np.array([-2, 4], np.float32), "p": np.array([1, 2], np.float32), "s": np.float32(0.25), "z": np.uint8(128)}, {"dynamic": [("x", axes)]})
        for name, nodes in {"Mul": "m = Mul(x, f)", "Div": "m = Div(x, f)", "Relu": "n = Mul(x, f) m = Relu(n)", "norm": "m = BatchNormalization(x, o, p, p, p)"}.items()
        for axes in ((), (0,), (2,))
    },
)
add_all(
    "prelu_axis",
    {
        f"{name} {shape}": (f"r = Relu(x) n = Neg(x) m = Relu(n) p = Mul(m, a) y = {text}", {"x": whole(2, 4, 4)}, {"a": np.arange(1, 5, dtype=np.float32).reshape(shape)}, {"dynamic": [("x", axes)]})
        for name, text in (("Sub", "Sub(r, p)"), ("Add", "Add(r, p)"))
        for shape in ((4,), (4, 1), (1, 1, 4))
        for axes in ((), (0,))
    }
    | {"columns": ("r = Relu(x) n = Neg(x) m = Relu(n) p = Mul(m, a) y = Sub(r, p)", {"x": whole(2, 2, 4)}, {"a": np.arange(1, 5, dtype=np.float32)}, {"dynamic": [("x", (0, 1, 2))]})},
)


add_all(
    "gathered_unsqueeze",
    {
        f"{place} {axis} {list(np.shape(indices))}": (f"w = Unsqueeze(x, u) y = Gather <axis = {axis}> (w, i)", {"x": whole(2, 3, 2)}, {"u": np.array([place]), "i": np.array(indices)}, {"dynamic": [("x", (0, 1))]})
        for place, axis in ((1, 1), (2, 2), (-3, -3), (-1, 3))
        for indices in (0, [0], [0, 0], [[0]])
    },
)


add_all(
    "small_product_constants-activation",
    {
        f"{rows} {terms} {columns} {batch} {name} {axes}": (
            f"m = MatMul(v, x) {text}",
            {"v": whole(*batch, rows, terms), "x": whole(*batch, terms, columns, shift=3)},
            {"c": np.arange(1, columns + 1, dtype=np.float32), "w": whole(terms, columns), "k": np.float32(1.5)},
            {"dynamic": [("v", axes)]},
        )
        for rows, terms, columns in ((1, 1, 2), (1, 2, 2), (2, 2, 2), (2, 1, 2), (3, 2, 2), (1, 3, 2), (1, 2, 1))
        for batch in ((), (2,), (2, 2))
        for name, text in {"sum": "s = Abs(m) y = Add(s, c)", "product": "s = Sigmoid(m) y = Mul(s, c)", "later": "s = Relu(m) t = Add(s, k) u = Sub(t, c) y = Relu(u)", "direct": "s = Mul(m, c) y = Abs(s)"}.items()
        for axes in ((), (len(batch),))
    },
)

add_all(
    "dynamic_column_constants",
    {
        f"{name} {rows}": (f"t = Transpose <perm = [1, 0]> (x) p = MatMul(x, t) {nodes} y = Expand(v, o)", {"x": whole(rows, 3)}, {"o": np.array([1, 2])}, {"dynamic": [("x", (0, 1))]})
        for name, nodes in {"plain": "v = Identity(p)", "tanh": "v = Relu(p)"}.items()
        for rows in (1, 2)
    },
)


def series(terms, kind, order):
    """A sum of terms of static shape, from the first or the last one."""
    nodes, names = [], []
    for place in range(terms):
        nodes.append(f"m{place} = {kind}(x, f{place}) t{place} = Tanh(m{place})" if kind == "Mul" else f"m{place} = Pow(x, f{place}) t{place} = Mul(m{place}, x)")
        names.append(f"t{place}")
    total = names[0]
    for place, name in enumerate(names[1:]):
        nodes.append(f"s{place} = Add({total}, {name})" if order == "left" else f"s{place} = Add({name}, {total})")
        total = f"s{place}"
    factors = {f"f{place}": np.float32(0.1 * (place + 1)) for place in range(terms)}
    return " ".join(nodes) + f" y = Identity({total})", factors


for kind, order, shape, terms in (("Mul", "right", (3,), 16), ("Mul", "left", (3,), 40), ("Mul", "right", (2, 17), 40), ("Pow", "left", (3,), 31), ("Pow", "right", (1, 3), 60), ("Mul", "right", (), 40)):
    text, factors = series(terms, kind, order)
    add(f"many_live_values-{kind} {order} {shape} {terms}", text, {"x": np.array(np.abs(whole(*shape)) + 1)}, factors)


@pytest.mark.parametrize("conformance", parameters(entries("fused_operations", CASES)))
def test_fused_operations(conformance, result):
    assert_passed(result)
