"""The ONNX backend suite: every case passes, or is listed with the outcome it has."""

import pytest

from . import known_failures, suite_results
from .case import PASS
from .entry import Entry, parameters
from .suite import MODES, case_names, suite_case

KNOWN = known_failures.load()


def entries():
    for mode in MODES:
        for name in case_names():
            yield Entry(("suite", mode, name), lambda name=name, mode=mode: suite_case(name, mode))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_suite(conformance, result):
    _, mode, name = conformance.key
    known = KNOWN.get((mode, name))
    if known is None and result.outcome != PASS:
        pytest.fail(f"not a known failure: {result.outcome}: {result.message}", pytrace=False)
    # Random numbers may come out as in the suite once in a thousand runs.
    is_random = known is not None and "random" in known.reason
    if known is not None and result.outcome != known.outcome and not is_random:
        pytest.fail(f"listed as {known.outcome}, now {result.outcome}: {result.message}", pytrace=False)
    assert not result.port_mismatches, "\n".join(result.port_mismatches)


def test_known_failures_name_existing_cases():
    names = set(case_names())
    assert [name for _, name in KNOWN if name not in names] == []


def test_results_by_operator_are_those_of_the_known_failures():
    assert suite_results.PATH.read_text() == suite_results.render(KNOWN)
