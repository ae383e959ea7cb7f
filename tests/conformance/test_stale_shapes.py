"""Shapes of empty results in many inferences of one compiled model: values change while the shape of the empty data stays."""

import itertools

import numpy as np
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

MODEL = """<ir_version: 9, opset_import: ["" : 17]> m ({inputs}) => ({outputs}) {{
    zero = Constant <value = int64[1] {{0}}> () one = Constant <value = int64[1] {{1}}> () ones = Constant <value = int64[2] {{1, 1}}> ()
    {nodes}
}}"""
CASES = {}


def floats(*shape):
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) + 1).astype(np.float32)


def add(name, inputs, outputs, nodes, runs):
    model = MODEL.format(inputs=inputs, outputs=outputs, nodes=nodes).encode()
    CASES[name] = lambda: Case(name, model, [Run(*run) for run in runs], one_compiled=True, rtol=0, atol=0)


# The second and third shape have no elements in any part; the number changes while they repeat.
SHAPES = ((2, 5, 3), (2, 0, 3), (2, 0, 3), (2, 0, 3), (2, 5, 3), (0, 5, 3), (2, 5, 0), (2, 5, 0), (2, 0, 3), (2, 5, 3))
NUMBERS = (1, 2, 1, 0, 1, 0, 2, 1, 1, 2)


def inferences(expected):
    for shape, number in zip(SHAPES, NUMBERS):
        x = floats(*shape)
        yield x, number, expected(x, number)


def add_splits():
    def expected(x, number):
        first = min(number, x.shape[0])
        return np.array([first, x.shape[0] - first]), x[:first], x[first:]

    runs = [({"x": x, "n": lengths}, {"a": a, "b": b}) for x, _, (lengths, a, b) in inferences(expected)]
    add("split", "float[A,B,C] x, int64[2] n", "float[D,B,C] a, float[E,B,C] b", "a, b = Split <axis = 0> (x, n)", runs)


def add_tiles():
    for axis in range(3):
        runs = []
        for shape, number in zip(SHAPES, NUMBERS):
            repeats = [1, 1, 1]
            repeats[axis] = number
            runs.append(({"x": floats(*shape), "n": np.array(repeats)}, {"y": np.tile(floats(*shape), repeats)}))
        add(f"tile-{axis}", "float[A,B,C] x, int64[3] n", "float[D,E,F] y", "y = Tile (x, n)", runs)


def add_top_k():
    runs = []
    for shape, number in zip(SHAPES, NUMBERS):
        x, number = floats(*shape), min(number, shape[0])
        places = np.broadcast_to(np.arange(shape[0] - 1, -1, -1).reshape(-1, 1, 1), shape)[:number]
        runs.append(({"x": x, "k": np.array([number])}, {"y": x[::-1][:number], "places": places.astype(np.int64)}))
    add("top_k", "float[A,B,C] x, int64[1] k", "float[D,B,C] y, int64[D,B,C] places", "y, places = TopK <axis = 0> (x, k)", runs)


def add_slices():
    for axis, end in itertools.product((0, 1, 2, -1), ("computed", "given")):
        runs = []
        for shape, number in zip(SHAPES, NUMBERS):
            x = floats(*shape)
            part = x[(slice(None),) * (axis % 3) + (slice(0, number),)]
            given = np.array([number]) if end == "given" else floats(number)
            runs.append(({"x": x, "n": given}, {"y": part}))
        axes = f"axis = Constant <value = int64[1] {{{axis}}}> () "
        if end == "given":
            add(f"slice-given-{axis}", "float[A,B,C] x, int64[1] n", "float[D,E,F] y", axes + "y = Slice (x, zero, n, axis)", runs)
        else:
            add(f"slice-computed-{axis}", "float[A,B,C] x, float[N] n", "float[D,E,F] y", axes + "end = Shape (n) y = Slice (x, zero, end, axis)", runs)


def add_loops():
    """Rows stacked by a loop, of which some runs have no iteration, and some rows no elements."""
    body = """y = Loop (trip, , ) <body = b (int64 i, bool c) => (bool d, {row} r) {{ d = Identity (c) r = {value} }}>"""
    trips = (3, 0, 3, 0, 0, 2, 3, 0, 1)
    runs = [({"x": floats(2), "trip": np.array(n)}, {"y": np.stack([floats(2)] * n) if n else np.zeros((0, 2), np.float32)}) for n in trips]
    add("loop-static", "float[2] x, int64 trip", "float[N,2] y", body.format(row="float[2]", value="Identity (x)"), runs)
    runs = []
    for count, columns in ((3, 2), (2, 0), (3, 0), (0, 0), (0, 2), (3, 0), (2, 2), (0, 2), (2, 0)):
        # Without iterations, the dynamic size of a row is 0.
        stacked = np.broadcast_to(floats(columns), (count, columns)) if count else np.zeros((0, 0), np.float32)
        runs.append(({"x": floats(columns), "trip": np.array(count)}, {"y": stacked}))
    add("loop-dynamic", "float[C] x, int64 trip", "float[N,M] y", body.format(row="float[C]", value="Identity (x)"), runs)


add_splits()
add_tiles()
add_top_k()
add_slices()
add_loops()


@pytest.mark.parametrize("conformance", parameters(Entry(("stale_shapes", name), make) for name, make in CASES.items()))
def test_stale_shapes(conformance, result):
    assert_passed(result)
