"""Control flow as exporters write it, each model with fresh compiled models and with one for all inputs."""

import pytest

from .entry import Entry, assert_passed, parameters
from .patterns import FOLDER, RUNS, pattern_case
from .traps import FEEDINGS


def entries():
    for name in RUNS:
        for feeding in FEEDINGS:
            yield Entry(("pattern", name, feeding), lambda name=name, feeding=feeding: pattern_case(name, feeding))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_pattern(conformance, result):
    assert_passed(result)


def test_every_model_has_runs():
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(RUNS)
