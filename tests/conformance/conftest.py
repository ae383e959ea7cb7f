"""Runs the conformance cases of all selected tests once, together, on the worker pool."""

from pathlib import Path

import pytest

from . import known_failures, suite_results
from .pool import run_cases
from .tool import PEER, tool_path


@pytest.fixture(scope="session")
def conformance_results(request):
    """Results by key, of every selected item that has a `conformance` parameter (see entry.py)."""
    tool = tool_path()
    if tool != PEER and not Path(tool).is_file():
        pytest.fail(f"no converter at {tool}: build it or set ONNX2IR_TOOL", pytrace=False)
    entries = {}
    for item in request.session.items:
        parameters = getattr(item, "callspec", None)
        entry = parameters and parameters.params.get("conformance")
        if entry:
            entries[entry.key] = entry
    results = run_cases([entry.make() for entry in entries.values()], tool)
    if request.config.option.update:
        by_place = {known_failures.place_of(key): result for key, result in zip(entries, results)}
        known_failures.save(known_failures.update(known_failures.load(), by_place, known_failures.current()))
        suite_results.save()
    return dict(zip(entries, results))


@pytest.fixture
def result(conformance, conformance_results):
    """The result of the item's own case."""
    own = conformance_results[conformance.key]
    own.key = conformance.key
    return own
