"""Runs the conformance cases of all selected tests once, on the worker pool, beside the tests without a case."""

import dataclasses
import hashlib
import pickle
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from . import known_failures, suite_results
from .pool import run_cases
from .tool import PEER, tool_path

_RESULTS = pytest.StashKey()  # of the session: a Future of the Result, by the key of the Entry


def pytest_collection_modifyitems(items, config):
    """Moves the tests with a case to the end, because they wait for the pool."""
    if not config.option.update:  # then some of the other tests read what the results have changed
        items.sort(key=lambda item: _entry_of(item) is not None)


def pytest_collection_finish(session):
    tool = tool_path()
    if session.config.option.collectonly or (tool != PEER and not Path(tool).is_file()):
        return
    entries = {entry.key: entry for entry in map(_entry_of, session.items) if entry}
    results = session.stash[_RESULTS] = {key: Future() for key in entries}
    threading.Thread(target=_run, args=(entries, tool, results), daemon=True).start()


def _entry_of(item):
    """The Entry of a test with a `conformance` parameter (see entry.py), else None."""
    parameters = getattr(item, "callspec", None)
    return parameters and parameters.params.get("conformance")


def _run(entries, tool, results):
    """Equal cases run once: one in ten cases of the backend suite has nothing that the other modes could change."""
    futures = list(results.values())
    try:
        equal = {}  # the case, and the futures of its result, by a digest of the case
        for entry, future in zip(entries.values(), futures):
            try:
                case = entry.make()
            except Exception as error:  # a mistake in the test
                future.set_exception(error)
                continue
            equal.setdefault(hashlib.sha256(pickle.dumps(case)).digest(), (case, []))[1].append(future)
        cases = list(equal.values())

        def finished(index, result):
            for future in cases[index][1]:
                future.set_result(dataclasses.replace(result))

        run_cases([case for case, _ in cases], tool, finished=finished)
    except BaseException as error:
        for future in futures:
            if not future.done():
                future.set_exception(error)


@pytest.fixture(scope="session")
def conformance_results(request):
    """A Future of each Result, by the key of its Entry."""
    results = request.session.stash.get(_RESULTS, None)
    if results is None:
        pytest.fail(f"no converter at {tool_path()}: build it or set ONNX2IR_TOOL", pytrace=False)
    if request.config.option.update:
        by_place = {known_failures.place_of(key): future.result() for key, future in results.items()}
        known_failures.save(known_failures.update(known_failures.load(), by_place, known_failures.current()))
        suite_results.save()
    return results


@pytest.fixture
def result(conformance, conformance_results):
    """The result of the item's own case."""
    own = conformance_results[conformance.key].result()
    own.key = conformance.key
    return own
