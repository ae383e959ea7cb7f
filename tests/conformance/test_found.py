"""Models that were converted wrongly once, each with fresh compiled models and with one for all runs."""

import pytest

from .entry import Entry, assert_passed, parameters
from .found import found_case, names


def entries():
    for name in names():
        for one_compiled in (False, True):
            key = ("found", name, "one_compiled" if one_compiled else "fresh")
            yield Entry(key, lambda name=name, one_compiled=one_compiled: found_case(name, one_compiled))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_found(conformance, result):
    assert_passed(result)
