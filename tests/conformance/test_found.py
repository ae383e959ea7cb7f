"""Models that were once converted wrongly, with fresh compiled models and with one for all inputs."""

import pytest

from .entry import Entry, assert_passed, parameters
from .feedings import FEEDINGS
from .found import found_case, names


def entries():
    for name in names():
        for feeding in FEEDINGS:
            yield Entry(("found", name, feeding), lambda name=name, feeding=feeding: found_case(name, feeding))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_found(conformance, result):
    assert_passed(result)
