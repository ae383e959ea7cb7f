"""The Loop matrix, each model with fresh compiled models and with one for all inputs."""

import pytest

from .entry import Entry, assert_passed, parameters
from .loop_matrix import FEEDINGS, loop_case, names


def entries():
    for name in names():
        for feeding in FEEDINGS:
            key = tuple(str(part).replace(" ", "_") for part in (*name, feeding))
            yield Entry(("loop", *key), lambda name=name, feeding=feeding: loop_case(*name, feeding))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_loop(conformance, result):
    assert_passed(result)
