"""If in all versions and kinds, each model with fresh compiled models and with one for all inputs."""

import pytest

from .entry import Entry, assert_passed, parameters
from .if_matrix import FEEDINGS, if_case, names


def entries():
    for name in names():
        for feeding in FEEDINGS:
            key = tuple(str(part).replace(" ", "_") for part in (*name, feeding))
            yield Entry(("if", *key), lambda name=name, feeding=feeding: if_case(*name, feeding))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_if(conformance, result):
    assert_passed(result)
