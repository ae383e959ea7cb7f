"""SplitToSequence along every axis, with static and dynamic lengths."""

import functools
import itertools

import numpy as np
import pytest

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


@pytest.mark.parametrize("conformance", parameters(Entry(("split", name), make) for name, make in CASES.items()))
def test_split_to_sequence(conformance, result):
    assert_passed(result)
