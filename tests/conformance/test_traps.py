"""Every row of the table of Loop's traps, each with fresh compiled models and with one for all inputs."""

import pytest

from .entry import Entry, assert_passed, parameters
from .feedings import FEEDINGS
from .traps import FOLDER, RUNS, trap_case


def entries():
    for name in RUNS:
        for feeding in FEEDINGS:
            yield Entry(("trap", name, feeding), lambda name=name, feeding=feeding: trap_case(name, feeding))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_trap(conformance, result):
    assert_passed(result)


def test_every_model_has_runs():
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(RUNS)
