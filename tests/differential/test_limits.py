"""The assumptions of limits.py about onnxruntime, tested with onnxruntime alone; and that other differences are not limits."""

import numpy as np
import pytest

from ..conformance.case import PASS, WRONG_SHAPE, WRONG_VALUES, Case, Result, Run
from ..conformance.oracle import Oracle
from ..conformance.oracle import parse_model
from .limits import UNDECLARED_ROWS, limit_of

LOOP = """<ir_version: 10, opset_import: ["" : 17]>
rows (int64 n, float[N] x) => (float[] y)
{
   y = Loop (n, "") <body: graph = body (int64 i, bool going) => (bool goes_on, float[%s] row)
      <int64[1] first = {0}, int64[1] last = {3}>
{
      goes_on = Identity (going)
      row = Slice (x, first, last)
   }>
}
"""


def inputs(trip_count):
    return {"n": np.array(trip_count, np.int64), "x": np.ones(5, np.float32)}


@pytest.mark.parametrize("declared, shape", [("?", (0, 0)), ("3", (0, 3)), ("K", (0, 0)), ("", (0, 0))])
def test_onnxruntime_takes_sizes_from_declarations(declared, shape):
    oracle = Oracle(parse_model((LOOP % declared).encode()))
    assert oracle.run(inputs(0))["y"].shape == shape
    assert oracle.run(inputs(2))["y"].shape == (2, 3)


STATE_AS_ROW = """<ir_version: 10, opset_import: ["" : 17]>
rows (int64 n, float[N] x) => (float[] last, float[] y)
{
   last, y = Loop (n, "", x) <body: graph = body (int64 i, bool going, float[] state) => (bool goes_on, float[] next, float[3] state)
{
      goes_on = Identity (going)
      next = Neg (state)
   }>
}
"""


def test_onnxruntime_has_no_rank_for_undeclared_states():
    oracle = Oracle(parse_model(STATE_AS_ROW.encode()))
    assert oracle.run(inputs(0))["y"].shape == (0,)
    assert oracle.run(inputs(2))["y"].shape == (2, 5)


def checked_against(shape):
    """A converter that always returns zero rows of this shape."""

    def check(case):
        expected = Oracle(parse_model(case.oracle_model or case.model)).run(case.runs[0].inputs)["y"].shape
        if expected == shape:
            return Result("", PASS)
        return Result("", WRONG_SHAPE, f"y: shape {list(shape)} instead of {list(expected)}")

    return check


@pytest.mark.parametrize(
    "trip_count, declared, given, limit",
    [
        (0, "?", (0, 3), UNDECLARED_ROWS),
        (0, "?", (0, 2), UNDECLARED_ROWS),
        (0, "", (0, 3), UNDECLARED_ROWS),
        (0, "3", (0, 2), None),  # it was declared
        (2, "?", (0, 3), None),  # there are rows
        (0, "?", (0,), None),
    ],
)
def test_limit(trip_count, declared, given, limit):
    model = (LOOP % declared).encode()
    check = checked_against(given)
    case = Case("", model, [Run(inputs(trip_count))])
    assert limit_of(case, check(case), check) == limit


TWO_ROWS = """<ir_version: 10, opset_import: ["" : 17]>
rows (int64 n, float[N] x) => (float[] y, float[] z)
{
   y, z_inside = Loop (n, "") <body: graph = body (int64 i, bool going) => (bool goes_on, float[?] row, float[?] other)
      <int64[1] first = {0}, int64[1] last = {3}>
{
      goes_on = Identity (going)
      row = Slice (x, first, last)
      other = Identity (x)
   }>
   z = Identity (z_inside)
}
"""


def test_outputs_of_equal_rank_may_differ_in_size():
    """A converter that knows the size of one row, but not that of another row of the same rank."""

    def check(case):
        expected = Oracle(parse_model(case.oracle_model or case.model)).run(case.runs[0].inputs)
        for name, shape in {"y": (0, 3), "z": (0, 7)}.items():
            if expected[name].shape != shape:
                return Result("", WRONG_SHAPE, f"run 0: {name}: shape {list(shape)} instead of {list(expected[name].shape)}")
        return Result("", PASS)

    case = Case("", TWO_ROWS.encode(), [Run(inputs(0))])
    assert limit_of(case, check(case), check) == UNDECLARED_ROWS


def test_other_failures_are_not_limits():
    case = Case("", (LOOP % "?").encode(), [Run(inputs(0))])
    assert limit_of(case, Result("", WRONG_VALUES, "shape [0, 1] instead of [0, 2]"), checked_against((0, 1))) is None
