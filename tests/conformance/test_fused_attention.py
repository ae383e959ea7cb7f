"""MatMul, Softmax and MatMul, which OpenVINO fuses into an attention, and what follows them."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import collection, entries, whole

CASES, _, add_all = collection()

add_all(
    "attention_broadcast",
    {
        f"{name} {rows}": (f"v = MatMul(q, k) p = Softmax(v) m = MatMul(p, x) {text}", {"q": whole(1, 2, rows, 4), "k": whole(1, 2, 4, 3), "x": whole(1, 2, 3, 2)}, {}, {"dynamic": [("q", (0, 1, 2, 3)), ("x", (0, 1, 2, 3))]})
        for rows in (1, 3)
        for name, text in {"sum": "y = Add(m, x)", "right": "y = Sub(x, m)", "maximum": "y = Max(m, x)", "unary": "a = Abs(m) y = Mul(a, x)", "two": "a = Add(m, m) y = Add(a, x)"}.items()
    },
)
add_all(
    "attention_broadcast-to static",
    {
        f"{op} {rank}": (f"t = Transpose <perm = [0, 2, 1]> (k) v = MatMul(q, t) p = Softmax(v) m = MatMul(p, x) y = {op}(r, m)", {"q": whole(1, 1, 4), "k": whole(1, 2, 4), "x": whole(1, 2, 4), "r": whole(*(1, 2, 1, 4)[-rank:])}, {}, {"dynamic": [("k", (0,))]})
        for op in ("Min", "Add")
        for rank in (3, 4)
    },
)
add_all(
    "dynamic_attention_mask",
    {
        f"{name} {mask} {axes}": (text, {"q": whole(1, 2, 4, 4), "k": whole(1, 2, 4, 3), "x": whole(1, 2, 3, 2), "b": whole(*mask)}, {"c": np.float32(2)}, {"dynamic": [("b", axes)]})
        for name, text in {
            "plain": "v = MatMul(q, k) s = Add(v, b) p = Softmax(s) y = MatMul(p, x)",
            "scaled": "v = MatMul(q, k) u = Mul(v, c) s = Add(b, u) p = Softmax(s) y = MatMul(p, x)",
            "difference": "v = MatMul(q, k) s = Sub(v, b) p = Softmax(s) y = MatMul(p, x)",
        }.items()
        for mask in ((1, 1, 1, 3), (1, 1, 4, 3), (4, 3))
        for axes in ((), (0,), (0, 1))
    },
)
add_all(
    "dynamic_attention_mask-dynamic scores",
    {
        f"{mask} {axes}": ("v = MatMul(q, k) s = Add(v, b) p = Softmax(s) y = MatMul(p, x)", {"q": whole(2, 2, 4, 4), "k": whole(2, 2, 4, 3), "x": whole(2, 2, 3, 2), "b": whole(*mask)}, {}, {"dynamic": [(name, axes) for name in "qkx"]})
        for mask in ((1, 1, 1, 3), (1, 2, 4, 3), (4, 3))
        for axes in ((0,), (0, 1))
    },
)
add_all(
    "dynamic_attention_values",
    {
        f"{name} {axes}": (text, {"q": whole(1, 4, 4), "k": whole(1, 4, 3), "x": whole(1, 3, 2)}, {"c": np.float32(2)}, {"dynamic": [("x", axes)]})
        for name, text in {"plain": "v = MatMul(q, k) p = Softmax(v) y = MatMul(p, x)", "scaled": "v = MatMul(q, k) u = Mul(v, c) p = Softmax(u) y = MatMul(p, x)"}.items()
        for axes in ((), (2,), (0, 2))
    },
)
add_all(
    "attention_output_rank",
    {
        f"{shape} {after}": (
            f"s = MatMul(q, k) p = Softmax(s) {text}",
            {"q": whole(*shape, 4, 2), "k": whole(*shape, 2, 2), "v": whole(*shape, 2, 2)},
            {},
            {"runs": 3},
        )
        for shape in ((), (1,), (1, 1), (2,))
        for after, text in (("product", "y = MatMul(p, v)"), ("relu", "r = MatMul(p, v) y = Relu(r)"))
    },
)
add_all(
    "attention_rank",
    {
        f"{name} {rank} {axes}": (
            f"s = MatMul(q, k) p = Softmax(s) m = MatMul(p, v) {text}",
            {"q": whole(*shape, 3, 4), "k": whole(*shape, 4, 2), "v": whole(*shape, 2, 4), "w": whole(3, *[1] * (rank - 2), 3, 4)},
            {"c": whole(*[1] * rank, 4), "r": whole(1, 3, 4)},
            {"dynamic": [(name, axes) for name in ("q", "k", "v")]},
        )
        for rank, shape in ((3, (2,)), (4, (2, 2)), (2, ()))
        for axes in ((), (0,))
        for name, text in {"constant": "a = Mul(m, c) y = Add(a, w)", "operand": "a = Abs(m) y = Sub(a, w)", "row": "a = Mul(m, r) y = Max(a, w)"}.items()
    },
)
add_all(
    "repeated_softmax",
    {
        f"{channels} {axis} {parts}": (f"c = Conv(x, w) s = Softmax <axis = {axis}> (c) y = Concat <axis = 1> ({parts})", {"x": whole(1, channels, 4, 4)}, {"w": whole(channels, channels, 1, 1, shift=3)})
        for channels in (1, 2, 8)
        for axis in (2, -1)
        for parts in ("s, s", "s, c, s", "s, c")
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("fused_attention", CASES)))
def test_fused_attention(conformance, result):
    assert_passed(result)
