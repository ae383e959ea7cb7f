"""Operations on sizes, ranks and integers that OpenVINO transforms or computes wrongly, with variants: abs_of_sizes, neutral_constant_rank,
unique_slices, unsigned_right_shift, and the shifts that PyTorch's exporter writes."""

import numpy as np
import pytest

from .entry import assert_passed, parameters
from .fused_cases import collection, entries, whole

CASES, _, add_all = collection()

SIZE = "s = Shape(x) n = Gather(s, i) m = Gather(s, j) d = Sub(m, n)"
add_all(
    "abs_of_sizes",
    {
        f"{name} {axes}": (f"{SIZE} {nodes}", {"x": whole(5, 3)}, {"i": np.array([0]), "j": np.array([1]), "h": np.float32(0.5)}, {"dynamic": [("x", axes)]})
        for name, nodes in {
            "difference": "y = Abs(d)",
            "negative": "g = Neg(n) y = Abs(g)",
            "real": "f = Cast <to = 1> (d) a = Abs(f) y = Mul(a, h)",
            "sum": "a = Abs(d) b = Add(a, n) y = Concat <axis = 0> (b, a)",
            "scalar": "q = ReduceSum <keepdims = 0> (d) y = Abs(q)",
            "as a shape": "a = Abs(d) y = ConstantOfShape(a)",
            "as a pad": "a = Abs(d) p = Concat <axis = 0> (a, a, a, a) y = Pad(x, p)",
        }.items()
        for axes in ((), (0,), (0, 1))
    },
)
add_all(
    "reshape_size_operand",
    {
        f"{name} {op} {size} {axes}": (f"v = Reshape(x, n) {nodes.format(op)}", {"x": np.array([[-2, -1], [3, 5]])}, {"n": np.array([size]), "c": np.array([size]), "k": np.array(3)}, {"dynamic": [("x", axes)]})
        for name, nodes in {
            "shared": "y = {}(v, n)",
            "first": "y = {}(n, v)",
            "equal": "y = {}(v, c)",
            "function": "u = Abs(v) y = {}(u, n)",
            "sum": "u = Add(v, k) y = {}(u, n)",
        }.items()
        for op in ("Min", "Add", "Mul", "Div")
        for size in (-1, 4)
        for axes in ((), (0, 1))
        if not (name in ("first", "sum") and op == "Div")
    },
)
add_all(
    "neutral_constant_rank",
    {
        f"{op} {rank} {source} {after} {axes}": (
            f"{nodes} c = {op}(v, k) {'y = Softmax(c)' if after == 'softmax' else 'y = Neg(c)'}",
            {"x": whole(2, 3, 2) + 1},
            {"i": np.int64(1), "k": np.full([1] * rank, number, np.float32), "a": np.array([0]), "n": np.array([-1]), "m": np.array([3, 4])},
            {"dynamic": [("x", axes)]},
        )
        for op, number in (("Add", 0), ("Add", 2), ("Sub", 2), ("Mul", 1), ("Mul", 2), ("Div", 2), ("Max", 3), ("Pow", 2))
        for rank in (3, 4)
        for source, nodes in {
            "gather": "v = Gather(x, i)",
            "squeeze": "b, z = Split <axis = 0, num_outputs = 2> (x) v = Squeeze(b, a)",
            "reshape": "v = Reshape(x, m)",
            "flat": "v = Reshape(x, n)",
        }.items()
        for after in ("neg", "softmax")
        for axes in ((), (1, 2))
    }
    | {
        # The sum is computed from constants by operations that only OpenVINO folds.
        f"computed {op} {axes}": (f"v = ReduceMax <keepdims = 0> (x) k = Range(a, m, m) t = Softplus(k) c = {op}(v, t) d = Min(c, b) y = Neg(d)", {"x": whole(2, 3)}, {"a": np.float32(0), "m": np.float32(1), "b": np.float32(2)}, {"dynamic": [("x", axes)]})
        for op in ("Max", "Add", "Mul")
        for axes in ((), (0, 1))
    }
    | {
        f"Expand {source} {ones} {axes}": (f"{nodes} e = Expand(v, o) y = Neg(e)", {"x": whole(2, 3, 2)}, {"i": np.int64(1), "m": np.array([3, 4]), "o": np.ones(ones, np.int64)}, {"dynamic": [("x", axes)]})
        for source, nodes in {"gather": "v = Gather(x, i)", "reshape": "v = Reshape(x, m)", "input": "v = Abs(x)"}.items()
        for ones in (1, 3, 4)
        for axes in ((), (1, 2))
    },
)
add_all(
    "unique_slices",
    {
        f"{np.dtype(dtype).name} {axis} {is_sorted} {seed} {axes}": (
            f"y, f, r, c = Unique <axis = {axis}, sorted = {is_sorted}> (x)",
            {"x": np.random.RandomState(seed).randint(0, 2, (3, 6, 2) if seed % 2 else (4, 5)).astype(dtype)},
            {},
            {"dynamic": [("x", axes)], "outputs": ("y", "f", "r", "c")},
        )
        for dtype in (np.float32, np.int64, np.int8)
        for axis in (0, 1, -1)
        for is_sorted in (0, 1)
        for seed in range(4)
        for axes in ((), (0, 1))
    },
)
WORDS = np.array([0xFFFFFFF0, 0x80000000, 0x7FFFFFFF, 0, 1, 0xDEADBEEF], np.uint32)
add_all(
    "unsigned_right_shift",
    {
        f"{name} {axes}": ('y = BitShift <direction = "RIGHT"> (x, k)', {"x": WORDS}, {"k": count}, {"dynamic": [("x", axes)]})
        for name, count in {"one": np.uint32(1), "eight": np.uint32(8), "all": np.uint32(31), "none": np.uint32(0), "several": np.array([0, 1, 2, 30, 31, 7], np.uint32)}.items()
        for axes in ((), (0,))
    }
    | {f"scalar and {places}": ('y = BitShift <direction = "RIGHT"> (x, k)', {"x": np.array(WORDS[0])}, {"k": np.array([places], np.uint32)}, {}) for places in (0, 8)}
    | {"computed": ('y = BitShift <direction = "RIGHT"> (x, k)', {"x": WORDS, "k": np.array([0, 1, 2, 30, 31, 7], np.uint32)}, {})},
)
# As PyTorch's exporter writes x >> k.
add_all(
    "signed shift",
    {
        f"{signed} {places} {axes}": (
            f'l = Less(x, z) u = Cast <to = {unsigned}> (x) r = BitShift <direction = "RIGHT"> (u, k) o = BitwiseOr(r, m) a = Cast <to = {signed}> (o) b = Cast <to = {signed}> (r) y = Where(l, a, b)',
            {"x": np.array([-16, -1, 5, 0, 100, -2147483648 if signed != 3 else -128], dtype)},
            {"z": dtype(0), "k": words(places), "m": words((1 << bits) - (1 << (bits - places)))},
            {"dynamic": [("x", axes)], "opset": 18},
        )
        for signed, unsigned, dtype, words, bits in ((6, 12, np.int32, np.uint32, 32), (7, 13, np.int64, np.uint64, 64), (3, 2, np.int8, np.uint8, 8))
        for places in (1, 3, 7)
        for axes in ((), (0,))
    },
)


@pytest.mark.parametrize("conformance", parameters(entries("sizes_and_integers", CASES)))
def test_sizes_and_integers(conformance, result):
    assert_passed(result)
