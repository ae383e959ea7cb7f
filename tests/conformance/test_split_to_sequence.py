"""SplitToSequence along every axis, with static and dynamic lengths."""

import functools
import itertools

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES)


def add_splits():
    x = numbers("x", 2, 5, 3)
    for axis, constants in itertools.product((0, 1, 2, -1, -2), ((), (1,))):
        variant = "constant" if constants else ""
        size = x.shape[axis]
        for lengths in (np.array(2), np.array(size + 4), np.array([1, size - 1]), np.array([size, 0])):
            case("SplitToSequence", 11, x, lengths, constants=constants, axis=axis, variant=f"{variant}{lengths.tolist()}")
    for axis, keepdims in itertools.product((0, 1, -1), (0, 1)):
        case("SplitToSequence", 11, x, axis=axis, keepdims=keepdims)
    case("SplitToSequence", 11, numbers("long", 7), np.array(3), variant="vector")
    case("SplitToSequence", 11, numbers("m", 3, 4, dtype="int64"), np.array([3, 1]), axis=1)


add_splits()

# The exporter of PyTorch writes torch.repeat_interleave with a tensor of repeats like this: slices by a list of ones.
REPEAT = """<ir_version: 9, opset_import: ["" : 18]> main (float{shape} x, int64[N] repeats) => (float[A, B, C] y) {{
    i0 = Constant <value_ints = [0]> () count = Shape (repeats) ones = ConstantOfShape <value = int64[1] {{1}}> (count)
    parts = SplitToSequence <axis = 0> (repeats, ones) slices = SplitToSequence <axis = {axis}> (x, ones) none = SequenceEmpty ()
    trip = Squeeze (count, i0) go_on = Constant <value = bool {{1}}> ()
    rows = Loop (trip, go_on, none) <body = b (int64 i, bool c, seq(float[?, ?, ?]) before) => (bool d, seq(float[?, ?, ?]) after) {{
        times = SequenceAt (parts, i) slice = SequenceAt (slices, i) next = Constant <value_ints = [{next}]> () wide = Unsqueeze (slice, next)
        left = Constant <value_ints = {left}> () right = Constant <value_ints = {right}> () list = Concat <axis = 0> (left, times, right)
        rank = Shape (list) all = ConstantOfShape <value = int64[1] {{1}}> (rank) m = Constant <value_int = -1> () negative = Mul (all, m)
        keeps = Equal (list, negative) sizes = Where (keeps, all, list) e = Expand (wide, sizes)
        flat = Constant <value_ints = {flat}> () row = Reshape (e, flat) after = SequenceInsert (before, row) d = Identity (c) }}>
    y = ConcatFromSequence <axis = {axis}> (rows) }}"""


def add_repeats():
    for axis, shape, left, right in ((0, "[N, 3, 2]", [1], [3, 2]), (1, "[3, N, 2]", [3, 1], [2])):
        flat = [*left[:-1], -1, *right]
        text = REPEAT.format(shape=shape, axis=axis, next=axis + 1, left=left, right=right, flat=flat)
        runs = []
        for repeats in ([2, 0, 1], [3], [1, 1, 4, 2]):
            x = numbers(f"x{axis}{repeats}", *flat[:axis], len(repeats), *right)
            runs.append(Run({"x": x, "repeats": np.array(repeats)}, {"y": np.repeat(x, repeats, axis)}))
        model = onnx.parser.parse_model(text).SerializeToString()
        CASES[f"repeat-{axis}"] = lambda model=model, runs=runs: Case("repeat", model, runs, one_compiled=True)


add_repeats()


@pytest.mark.parametrize("conformance", parameters(Entry(("split", name), make) for name, make in CASES.items()))
def test_split_to_sequence(conformance, result):
    assert_passed(result)
