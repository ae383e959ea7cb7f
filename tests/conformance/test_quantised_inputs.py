"""Pools, Pads and averages of quantised numbers of which OpenVINO moves scales and zero points wrongly, with variants."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import AGAIN, ONE_SCALE, ROUND, collection, entries, whole

CASES, _, add_all = collection()
AVERAGE = "v = AveragePool <kernel_shape = [2, 2], pads = [{0}, {0}, {0}, {0}], count_include_pad = {1}> (d) "
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
    "quantized_pad_value-product",
    {
        f"{name} {number} {place} {axes}": (
            f'{ROUND} i = DequantizeLinear(a, s, z) m = MatMul(i, d) {scaled} y = Pad <mode = "constant"> (v, p, o)',
            {"x": whole(2, 3) / 4, "a": np.array([[-5, 4]], np.int8)},
            ONE_SCALE | {"p": np.array(place), "o": np.float32(number), "half": np.float32(0.5)},
            {"dynamic": [("x", axes)], "opset": 17},
        )
        for name, scaled in (("plain", "v = Identity(m)"), ("scaled", "v = Mul(m, half)"), ("transposed", "v = Transpose(m)"))
        for number in (0, 1)
        for place in ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1])
        for axes in ((), (1,))
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("quantised_inputs", CASES)))
def test_quantised_inputs(conformance, result):
    assert_passed(result)
