"""Integers beyond 2^24, and negative ones, that a Where, an If or a Loop selects, and their remainders: the CPU plugin computes a Select and a
FloorMod of them in f32 (select_in_f32, integer_remainder)."""

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

LARGE = [16777217, 2000000001, -16777219]
OTHER = [5, 2147483647, -2147483648]
P, Q, WHETHER = [1, 5, 2], [2, 4, 3], [True, False, True]
BRANCHES = "y = If (c) <then_branch = t () => (T[3] a) { a = Identity (i) }, else_branch = e () => (T[3] b) { b = Identity (j) }>"
LOOP = "y = Loop (n, go_on, s) <body = b (int64 k, bool c, T a) => (bool d, T e) { d = Identity (c) e = Add (a, one) }>"
# name: inputs and outputs (N becomes a dynamic size or 3), nodes, the values of the inputs in each run
MODELS = {
    "comparison": ("T[N] p, T[N] q, T[N] i, T[N] j) => (T[N] y", "c = Less (p, q) y = Where (c, i, j)", [dict(p=P, q=Q, i=LARGE, j=OTHER)]),
    "floats": ("float[N] p, float[N] q, T[N] i, T[N] j) => (T[N] y", "c = Less (p, q) y = Where (c, i, j)", [dict(p=P, q=Q, i=LARGE, j=OTHER)]),
    "input": ("bool[N] c, T[N] i, T[N] j) => (T[N] y", "y = Where (c, i, j)", [dict(c=WHETHER, i=LARGE, j=OTHER)]),
    "nan": ("float[N] p, T[N] i, T[N] j) => (T[N] y", "c = IsNaN (p) y = Where (c, i, j)", [dict(p=[np.nan, 1, np.nan], i=LARGE, j=OTHER)]),
    "cast": ("T[N] p, T[N] i, T[N] j) => (T[N] y", "c = Cast <to = 9> (p) y = Where (c, i, j)", [dict(p=[1, 0, -3], i=LARGE, j=OTHER)]),
    "constant": ("T[N] p, T[N] i) => (T[N] y", "c = Less (p, zero) y = Where (c, large, i)", [dict(p=[-1, 0, 3], i=LARGE)]),
    "zero": ("T[N] p, T[N] i) => (T[N] y", "c = Less (p, zero) y = Where (c, i, zero)", [dict(p=[-1, 0, -3], i=LARGE)]),
    "scalar": ("T p, T[N] i, T[N] j) => (T[N] y", "c = Less (p, zero) y = Where (c, i, j)", [dict(p=-1, i=LARGE, j=OTHER), dict(p=1, i=LARGE, j=OTHER)]),
    "broadcast": ("T[N, 1] p, T[3] i, T[1] j) => (T[N, 3] y", "c = Less (p, zero) y = Where (c, i, j)", [dict(p=[[-1], [0], [-3]], i=LARGE, j=OTHER[1:2])]),
    "branches": ("T p, T q, T[3] i, T[3] j) => (T[3] y", f"c = Less (p, q) {BRANCHES}", [dict(p=1, q=2, i=LARGE, j=OTHER), dict(p=2, q=1, i=LARGE, j=OTHER)]),
    "state": ("int64 n, T s) => (T y", LOOP, [dict(n=5, s=100000000), dict(n=0, s=100000001), dict(n=3, s=16777217)]),
    "remainder": ("T[N] i, T[N] j) => (T[N] y", "y = Mod (i, j)", [dict(i=i, j=[7, -1000003, -5]) for i in (LARGE, OTHER)]),
    "remainder of scalar": ("T i, T j) => (T y", "y = Mod (i, j)", [dict(i=i, j=7) for i in LARGE]),
    "hash": ("T[N] i) => (T[N] y", "a = Abs (i) y = Mod (a, buckets)", [dict(i=LARGE), dict(i=[0, 5, -2147483647])]),
    "range": ("T a, T b, T d) => (T[N] y", "y = Range (a, b, d)", [dict(a=20000001, b=20000011, d=1), dict(a=20000011, b=20000001, d=-1), dict(a=3, b=1, d=1)]),
}
NUMBERS = {"int32": np.int32, "int64": np.int64}


def typed(key, value, name, dtype):
    as_float = name in ("floats", "nan") and key in "pq"
    return np.array(value, np.float32 if as_float else bool if isinstance(np.ravel(value)[0], (bool, np.bool_)) else np.int64 if key == "n" else dtype)


def case(name, kind, size):
    interface, nodes, runs = MODELS[name]
    text = f"main ({interface}) <bool go_on = {{1}}, T one = {{1}}, T zero = {{0}}, T large = {{2000000003}}, T buckets = {{1000003}}> {{ {nodes} }}"
    text = text.replace("T ", f"{kind} ").replace("T[", f"{kind}[").replace("[N", f"[{size}")
    if name == "range":
        text = text.replace("[3] y", "[m] y")
    model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 21]> {text}')
    inputs = [{key: typed(key, value, name, NUMBERS[kind]) for key, value in run.items()} for run in runs]
    return Case(f"{name}-{kind}-{size}", model.SerializeToString(), [Run(run) for run in inputs], one_compiled=True)


ENTRIES = parameters(
    Entry(("selected_integers", f"{name}-{kind}-{size}"), lambda n=name, k=kind, s=size: case(n, k, s)) for name in MODELS for kind in NUMBERS for size in ("n", "3")
)


@pytest.mark.parametrize("conformance", ENTRIES)
def test_selected_integers(conformance, result):
    assert_passed(result)


# Indices that are computed by a Where, of which one may be negative.
NEGATIVE = '<ir_version: 9, opset_import: ["" : 21]> main (float[N] x, int64[M] i) => (float[M] y) <int64 last = {-1}, int64 zero = {0}, int64[2] column = {-1, 1}>'
READERS = {
    "GatherElements": "c = Less (i, zero) j = Where (c, last, i) y = GatherElements (x, j)",
    "GatherND": "c = Less (i, zero) j0 = Where (c, last, i) j = Reshape (j0, column) y = GatherND (x, j)",
}


def negative_case(name):
    model = onnx.parser.parse_model(f"{NEGATIVE} {{ {READERS[name]} }}")
    return Case(f"negative_{name}", model.SerializeToString(), [Run({"x": np.arange(5, dtype=np.float32), "i": np.array([-3, 1, -5])})], one_compiled=True)


@pytest.mark.parametrize("conformance", parameters(Entry(("negative_selected", name), lambda n=name: negative_case(n)) for name in READERS))
def test_negative_selected_indices(conformance, result):
    assert_passed(result)
