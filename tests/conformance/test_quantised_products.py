"""Products and convolutions of quantised numbers that OpenVINO fuses wrongly with what follows, with variants."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import AGAIN, EACH, ONE_SCALE, ROUND, WEIGHTS, collection, entries, whole

CASES, _, add_all = collection()
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
    "batched_product_constants",
    {
        f"{name} {batches} {axes}": (
            f"{ROUND}{text}",
            {"x": whole(*batches, 5, 16)},
            ONE_SCALE | {"w": whole(*batches, 16, 10).astype(np.int8), "f": np.linspace(0.5, 1.5, 10, dtype=np.float32), "g": scale, "n": np.zeros(scale.shape, np.int8)},
            {"dynamic": [("x", axes)]},
        )
        for batches in ((3,), (2, 3))
        for name, text, scale in (
            ("Mul", f"{WEIGHTS}v = MatMul(d, k) y = Mul(v, f)", np.zeros(1, np.float32)),
            ("Add", f"{WEIGHTS}v = MatMul(d, k) y = Add(f, v)", np.zeros(1, np.float32)),
            ("Relu", f"{WEIGHTS}v = MatMul(d, k) r = Relu(v) y = Mul(r, f)", np.zeros(1, np.float32)),
            ("columns", f"k = DequantizeLinear <axis = {len(batches) + 1}> (w, g, n) y = MatMul(d, k)", np.linspace(0.5, 1.5, 10, dtype=np.float32)),
            ("matrices", f"k = DequantizeLinear <axis = {len(batches) - 1}> (w, g, n) v = MatMul(d, k) {AGAIN} y = Identity(e)", np.linspace(0.25, 0.5, 3, dtype=np.float32)),
        )
        for axes in ((), (0,), (len(batches),))
    },
)
add_all(
    "quantized_vector_product",
    {
        f"{name} {shape} {axes}": (
            f"{ROUND}{text} y = Identity(v)",
            {"x": whole(16)},
            ONE_SCALE | {"w": whole(*shape).astype(np.int8), "g": np.linspace(0.5, 1.5, 10, dtype=np.float32), "n": np.zeros(10, np.int8)},
            {"dynamic": [("x", axes)]},
        )
        for shape in ((16, 10), (3, 16, 10), (2, 3, 16, 10))
        for name, text in {
            "columns": f"k = DequantizeLinear <axis = {len(shape) - 1}> (w, g, n) v = MatMul(d, k)",
            "one": f"{WEIGHTS}v = MatMul(d, k)",
            "rounded": f"k = DequantizeLinear <axis = {len(shape) - 1}> (w, g, n) v = MatMul(d, k) {AGAIN}",
        }.items()
        for axes in ((), (0,))
    },
)
add_all(
    "constant_batch_broadcast",
    {
        f"{name} {batch} {axes}": (
            f"{ROUND}{text}",
            {"x": whole(*batch, 5, 16)},
            ONE_SCALE | {"w": whole(3, 16, 10).astype(np.int8), "g": np.linspace(0.5, 1.5, 10, dtype=np.float32), "n": np.zeros(10, np.int8)},
            {"dynamic": [("x", axes)]},
        )
        for batch in ((), (1,), (3,))
        for name, text in {
            "columns": "k = DequantizeLinear <axis = 2> (w, g, n) y = MatMul(d, k)",
            "weights": "k = DequantizeLinear <axis = 2> (w, g, n) y = MatMul(x, k)",
            "one": f"{WEIGHTS}y = MatMul(d, k)",
            "rounded": f"k = DequantizeLinear <axis = 2> (w, g, n) v = MatMul(d, k) {AGAIN} y = Identity(e)",
        }.items()
        for axes in ((0,), (0, 1))
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
add_all(
    "halved_filters",
    {
        f"{groups} {zero} {axes} {name}": (
            f"d = DequantizeLinear(x, s, o) k = DequantizeLinear(w, e, n) {moved} m = Conv <group = {groups}, pads = [1, 0, 0, 0]> (l, k) q = QuantizeLinear(m, t, z) y = DequantizeLinear(q, t, z)",
            {"x": whole(1, 4, 3, 3).astype(np.int8)},
            {"s": np.float32(0.25), "o": np.int8(zero), "e": np.float32(0.25), "n": np.int8(0), "t": np.float32(0.125), "z": np.uint8(128), "w": whole(4, 4 // groups, 3, 3).astype(np.int8)},
            {"dynamic": [("x", axes)]},
        )
        for groups in (1, 2, 4)
        for zero in (0, -3)
        for axes in ((), (0,))
        for name, moved in (("plain", "l = Identity(d)"), ("transposed", "l = Transpose <perm = [0, 1, 3, 2]> (d)"), ("relu", "l = Relu(d)"))
    },
)
add_all(
    "scaled_shared_filters-rounded",
    {
        f"{groups} {name}": (
            f"{ROUND} k = DequantizeLinear(w, e, n) c = Conv <group = {groups}> (d, k, b) {text} u = QuantizeLinear(v, t, z) y = DequantizeLinear(u, t, z) r = Neg(k)",
            {"x": whole(1, 4, 3, 3) / 4},
            ONE_SCALE | {"e": np.float32(0.25), "n": np.int8(0), "b": whole(4), "c1": whole(4, 1, 1), "f": np.float32(-0.5), "w": whole(4, 4 // groups, 3, 3).astype(np.int8)},
            {"outputs": ("y", "r")},
        )
        for groups in (1, 2)
        for name, text in (("difference", "v = Sub(c1, c)"), ("opposite", "v = Neg(c)"), ("factor", "a = Add(c, c1) v = Mul(a, f)"))
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("quantised_products", CASES)))
def test_quantised_products(conformance, result):
    assert_passed(result)
