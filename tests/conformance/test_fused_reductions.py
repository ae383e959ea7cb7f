"""A Reduce, and what OpenVINO merges with it: Reshapes, Transposes, constants, other Reduces and products."""

import itertools

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import collection, entries, whole

CASES, add, add_all = collection()


def reduced_sizes(axes, keep):
    """The shape of a constant along the last axis that a Reduce of three axes leaves."""
    sizes = [1 if i in axes else 2 for i in range(3)]
    last = max(i for i in range(3) if i not in axes)
    return [sizes[i] if i == last else 1 for i in range(3) if keep or i not in axes]


add_all(
    "integer_reduce_then_constant-transposed",
    {
        f"{name} {order} {axes} {keep}": (
            f"t = Transpose <perm = {list(order)}> (x) r = ReduceSum <keepdims = {keep}> (t, a) y = Add(r, c)",
            {"x": whole(2, 2, 2).astype(dtype)},
            {"a": np.array(axes), "c": np.array([1, 20], dtype).reshape(reduced_sizes(axes, keep)) if name != "number" else np.array(1, dtype)},
        )
        for name, dtype in (("number", np.int32), ("channels", np.int32), ("floats", np.float32))
        for order in itertools.permutations(range(3))
        for axes in ([0], [1], [2], [0, 1], [1, 2], [0, 2])
        for keep in (0, 1)
    },
)
add_all(
    "integer_reduce_then_constant-unsqueezed",
    {
        f"{op} {place} {axes} {keep} {first}": (
            f"u = Unsqueeze(x, p) {'m = ReduceMin <axes = [0], keepdims = 1> (u)' if first else 'm = Identity(u)'} v = {op} <axes = {axes}, keepdims = {keep}> (m) y = Add(v, c)",
            {"x": whole(2, 2, 2).astype(np.int32)},
            {"p": np.array([place]), "c": np.int32(-3)},
            {"opset": 17},
        )
        for op in ("ReduceMax", "ReduceL1")
        for place in (0, 2, 3)
        for axes in ([2, 3], [1], [0, 3])
        for keep in (0, 1)
        for first in (False, True)
    },
)
add(
    "reduce_then_channel_constant-normalisation",
    "a = ReduceMean <axes = [2]> (x) b = Sub(x, a) c = Mul(b, b) d = ReduceMean <axes = [2]> (c) e = Sqrt(d) f = Add(e, h) y = Div(b, f) z = Div(e, k)",
    {"x": whole(2, 4, 2)},
    {"h": np.float32(0.5), "k": whole(4, 1) + 6},
    outputs=("y", "z"),
    opset=17,
)
add_all(
    "narrow_rms_normalization",
    {
        f"{columns} {rank}": ("s = Pow(x, two) m = ReduceMean <keepdims = 1> (s, a) e = Add(m, few) r = Sqrt(e) i = Reciprocal(r) v = Mul(x, i) y = Mul(v, g)", {"x": whole(*(2, 3, columns)[-rank:])}, {"two": np.float32(2), "few": np.float32(0.125), "a": np.array([-1]), "g": whole(columns, shift=5)})
        for columns in (1, 2, 7, 8, 15, 16, 17)
        for rank in (2, 3)
    },
)
add_all(
    "transposed_unit_reduction-read twice",
    {
        f"{shape} {pads}": ("r = ReduceSum <keepdims = 0> (x, z) t = Transpose <perm = [1, 0]> (r) y = Pad(t, p) v = Neg(r)", {"x": whole(2, *shape)}, {"z": np.array([0]), "p": np.array(pads)}, {"outputs": ("y", "v")})
        for shape in ((2, 1), (1, 3), (2, 3))
        for pads in ([0, 1, 1, 0], [0, 0, 1, 1])
    },
)
add_all(
    "reshaped_reduction",
    {
        f"{op} {target} {axes} {keep}": (f"r = Reshape(x, t) y = {op} <keepdims = {keep}> (r, a)", {"x": whole(4)}, {"t": np.array(target), "a": np.array(axes)})
        for op in ("ReduceSum", "ReduceMax")
        for target, axes in (([2, 1, 2], [0]), ([2, 1, 2], [2]), ([2, 1, 2], [0, 1]), ([1, 2, 2], [1, 2]), ([2, 2, 1], [0]))
        for keep in (0, 1)
    },
)
add_all(
    "reshaped_reduction-unsqueezed",
    {
        f"{place} {axis}": ("r = Reshape(x, t) u = Unsqueeze(r, p) y = ReduceSum <keepdims = 0> (u, a)", {"x": whole(4)}, {"t": np.array([2, 2]), "p": np.array([place]), "a": np.array([axis])})
        for place in (0, 1, 2)
        for axis in (0, 2)
    },
)
add_all(
    "transposed_unit_reduction",
    {
        f"{op} {shape}": (f"r = {op} <axes = [0], keepdims = 0> (x) y = Transpose <perm = {perm}> (r)", {"x": whole(*shape)}, {}, {"opset": 13})
        for op in ("ReduceMin", "ReduceMax", "ReduceMean")
        for shape, perm in (((2, 2, 1), [1, 0]), ((2, 1, 3), [1, 0]), ((2, 2, 1, 3), [1, 0, 2]), ((2, 2, 1, 3), [1, 2, 0]))
    },
)
add_all(
    "unsqueezed_reduction",
    {
        f"{op} {place} {axes} {keep}": (f"w = Unsqueeze(x, u) y = {op} <keepdims = {keep}> (w, a)", {"x": whole(2, 3, 2)}, {"u": np.array([place]), "a": np.array(axes)})
        for op in ("ReduceMean", "ReduceMax", "ReduceSum")
        for place in (0, 2, 3)
        for axes in ([0], [1, 2], [-3], [-4], [-2, 0], [-1, -3])
        for keep in (0, 1)
    },
)
add_all(
    "unsqueezed_reduction-two",
    {
        f"{op} {axes} {axis} {keep}": (f"r = {op} <axes = {axes}, keepdims = 0> (x) y = {op} <axes = [{axis}], keepdims = {keep}> (r)", {"x": whole(1, 2, 3, 2)}, {}, {"opset": 13})
        for op in ("ReduceMean", "ReduceMax", "ReduceMin")
        for axes in ([2, 3], [3])
        for axis in (-2, -1, 0)
        for keep in (0, 1)
    },
)
add_all(
    "transposed_unit_reduction-reshape",
    {
        f"{shape}": ("r = ReduceSum <keepdims = 0> (x, z) y = Reshape(r, s)", {"x": whole(1, *shape)}, {"z": np.array([0]), "s": np.array(target)})
        for shape, target in (((2, 1), [1, 2]), ((2, 1, 3), [1, 2, 3]), ((1, 2), [2, 1]), ((2, 2), [1, 4]), ((2, 3), [6]))
    },
)
add_all(
    "total_of_transpose",
    {
        f"{first} {second} {keep}": (f"t = Transpose <perm = [2, 0, 1]> (x) r = {first} <keepdims = {keep}> (t, a) y = {second} <keepdims = 0> (r)", {"x": whole(2, 3, 4)}, {"a": np.array([0, -1])})
        for first, second in (("ReduceMean", "ReduceSum"), ("ReduceMax", "ReduceSum"), ("ReduceSum", "ReduceSum"))
        for keep in (0, 1)
    },
)
add_all(
    "transposed_unit_reduction-before",
    {
        f"{perm}": (f"t = Transpose <perm = {perm}> (x) y = ReduceMean <axes = [2, 3], keepdims = 0> (t)", {"x": whole(3, 2, 1, 4)}, {}, {"opset": 13})
        for perm in ([2, 1, 0, 3], [1, 2, 0, 3], [2, 0, 3, 1], [0, 1, 3, 2])
    },
)
add_all(
    "concat_reduction-unsqueezed",
    {
        f"{op} {axis} {place}": (f"c = Concat <axis = 1> (x, o) w = Unsqueeze(c, u) y = {op} <axes = [{axis}], keepdims = 0> (w)", {"x": whole(2, 2, 2).astype(np.int64), "o": whole(2, 2, 2, shift=3).astype(np.int64)}, {"u": np.array([place])}, {"opset": 17})
        for op in ("ReduceMax", "ReduceMin")
        for axis in (-3, 1, 0, 3)
        for place in (3, 1)
    },
)
add_all(
    "transposed_unit_reduction-several reshapes",
    {
        f"{op} {first} {target}": (f"r = {op} <axes = [1], keepdims = 0> (x) f = Reshape(r, m) y = Reshape(f, n)", {"x": whole(2, 1, 2)}, {"m": np.array(first), "n": np.array(target)}, {"opset": 13})
        for op in ("ReduceL1", "ReduceMax")
        for first in ([4], [1, 2, 2])
        for target in ([4, -1], [1, 4], [2, 2])
    },
)
add_all(
    "total_of_product",
    {
        f"{op} {name} {axes}": (f"m = MatMul(x, w) {nodes}", {"x": whole(2, 2, 3)}, {"w": whole(2, 3, 2, shift=3), "f": np.float32(-0.25), "a": np.array([0, 1, 2]), "b": np.array([1, 2]), "z": np.array([0])}, {"dynamic": [("x", axes)]})
        for op in ("ReduceSum", "ReduceMax", "ReduceMean")
        for axes in ((), (1,))
        for name, nodes in {
            "plain": f"y = {op} <keepdims = 0> (m, a)",
            "relu": f"v = Relu(m) y = {op} <keepdims = 0> (v, a)",
            "sum": f"v = Add(m, f) y = {op} <keepdims = 0> (v, a)",
            "two": f"v = Min(m, f) r = {op} <keepdims = 0> (v, b) y = {op} <keepdims = 0> (r, z)",
        }.items()
    },
)
add_all(
    "dynamic_reduce_channels",
    {
        f"{op} {arithmetic} {keep} {size} {rank}": (f"r = {op} <keepdims = {keep}> (x, z) y = {arithmetic}(r, c)", {"x": whole(2, size, *[2] * (rank - 2))}, {"z": np.array([0] if rank == 2 else [rank - 1]), "c": np.array([1, 2, 3], np.float32).reshape(3, *[1] * (keep * (rank - 2) + (1 - keep) * max(rank - 3, 0)))}, {"dynamic": [("x", (1,))]})
        for op, arithmetic in (("ReduceProd", "Div"), ("ReduceSum", "Mul"), ("ReduceMean", "Add"), ("ReduceMax", "Sub"))
        for keep in (0, 1)
        for size in (1, 3)
        for rank in (2, 3, 4)
    },
)
add_all(
    "transposed_unit_reduction-rounded",
    {
        f"{op} {perm} {axis} {len(outputs)} {axes}": (
            f"t = Transpose <perm = {perm}> (x) q = QuantizeLinear(t, s, k) d = DequantizeLinear(q, s, k) y = {op} <keepdims = 0> (d, a) v = Relu(t)",
            {"x": whole(2, 1, 2, 2) / 2},
            {"s": np.float32(0.5), "k": np.int8(0), "a": np.array([axis])},
            {"dynamic": [("x", axes)], "outputs": outputs},
        )
        for op in ("ReduceSum", "ReduceMax")
        for perm, axis in (([0, 2, 3, 1], 1), ([0, 3, 1, 2], 3), ([0, 2, 3, 1], 3))
        for outputs in (("y",), ("y", "v"))
        for axes in ((), (0,))
    },
)
add_all(
    "transposed_unit_reduction-joined",
    {
        name: (f"{nodes}", {"x": whole(2, 2, 2)}, {"f": np.float32(0), "z": np.array([0]), "o": np.array([1]), "t": np.array([3]), "a": np.array([0, 1]), "all": np.array([-1]), "row": np.array([1, 4]), "column": np.array([4, 1])}, {"outputs": outputs, "dynamic": [("x", axes)]})
        for axes in ((), (1,))
        for name, nodes, outputs in (
            (f"readers {axes}", "r = ReduceSum <keepdims = 0> (x, z) u = Reshape(r, all) y = Unsqueeze(u, z) v = Neg(u)", ("y", "v")),
            (f"kept {axes}", "r = ReduceSum <keepdims = 0> (x, z) u = Unsqueeze(r, z) y = Flatten(u)", ("y",)),
            (f"two {axes}", "w = Unsqueeze(x, t) v = Concat <axis = 3> (w, w) q = ReduceSum <keepdims = 0> (v, z) r = ReduceSum <keepdims = 0> (q, all) y = Reshape(r, row)", ("y",)),
            (f"unsqueezed {axes}", "w = Unsqueeze(x, z) r = ReduceSum <keepdims = 0> (w, o) y = Reshape(r, row)", ("y",)),
            (f"unsqueezed two {axes}", "w = Unsqueeze(x, z) r = ReduceSum <keepdims = 0> (w, a) y = Reshape(r, row)", ("y",)),
            (f"transposed {axes}", "w = Transpose <perm = [1, 0, 2]> (x) r = ReduceSum <keepdims = 0> (w, z) y = Reshape(r, column)", ("y",)),
            (f"sum {axes}", "r = ReduceSum <keepdims = 0> (x, z) u = Add(r, f) y = Reshape(u, row)", ("y",)),
        )
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("fused_reductions", CASES)))
def test_fused_reductions(conformance, result):
    assert_passed(result)
