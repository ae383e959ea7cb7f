"""The Loop examples of the ONNX specification with sequences, for run-time trip counts: loop_13, loop_16."""

import numpy as np
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .tool import REPOSITORY

COUNTS = (5, 0, 3, 1)


def grown(count, start):
    """`start`, then the first 1, 2, ... of 1, 2, 3, 4, 5."""
    return start + [np.arange(1, length + 1, dtype=np.float32) for length in range(1, count + 1)]


def run(count, sequence_name, given, started):
    inputs = {"trip_count": np.array(count), "cond": np.array(True), sequence_name: given}
    return Run(inputs, {"seq_res": grown(count, started)})


def loop_13():
    return [run(count, "seq_empty", [], []) for count in COUNTS]


def loop_16():
    zero = np.array(0, np.float32)
    two = np.array(2, np.float32)
    # An absent sequence starts as [0] in the first iteration. Without one the result is absent, too: an empty pair.
    absent = [run(count, "opt_seq", None, [zero] if count else []) for count in COUNTS]
    return absent + [run(count, "opt_seq", [zero, two], [zero, two]) for count in COUNTS]


def entries():
    for name, runs in (("loop_13", loop_13), ("loop_16", loop_16)):
        model = (REPOSITORY / f"tests/models/{name}.onnx").read_bytes()
        for one_compiled in (False, True):
            key = ("specification", name, "one_compiled" if one_compiled else "fresh")
            yield Entry(key, lambda m=model, n=name, r=runs, o=one_compiled: Case(n, m, r(), one_compiled=o))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_example(conformance, result):
    assert_passed(result)
