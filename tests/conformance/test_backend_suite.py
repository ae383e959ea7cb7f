"""The ONNX backend suite: every case passes, or is listed with its outcome."""

import pytest

from . import known_failures, suite_results
from .entry import Entry, assert_passed, parameters
from .suite import MODES, case_names, suite_case

KNOWN = known_failures.load()


def entries():
    for mode in MODES:
        for name in case_names():
            yield Entry(("suite", mode, name), lambda name=name, mode=mode: suite_case(name, mode))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_suite(conformance, result):
    assert_passed(result)
    assert not result.port_mismatches, "\n".join(result.port_mismatches)


def test_known_failures_name_existing_cases():
    names = set(case_names())
    assert [name for mode, name, _ in KNOWN if mode in MODES and name not in names] == []


def test_results_by_operator_are_those_of_the_known_failures():
    assert suite_results.PATH.read_text() == suite_results.render(KNOWN)
