"""Exports, converts and runs all selected models once, also with OpenVINO's own front end, and prints a summary."""

from pathlib import Path

import pytest

from ..conformance.pool import run_cases
from ..conformance.tool import PEER, tool_path
from .cases import count_nodes, exported_models, make_case
from .outcome import Outcome
from .table import summary

_OUTCOMES = pytest.StashKey()


@pytest.fixture(scope="session")
def outcomes(request):
    """The Outcome of each selected pair of a model and an exporter, by their names."""
    tool = tool_path()
    if not Path(tool).is_file():
        pytest.fail(f"no converter at {tool}: build it or set ONNX2IR_TOOL", pytrace=False)
    items = [item for item in request.session.items if "model" in getattr(item, "fixturenames", ())]
    pairs = [(item.callspec.params["model"], item.callspec.params["exporter"]) for item in items]
    found = {(model.name, exporter): Outcome() for model, exporter in pairs}
    cases = {}
    for (model, exporter), exported in zip(pairs, exported_models(pairs)):
        found[model.name, exporter].export_failure = exported.failure
        if not exported.failure:
            found[model.name, exporter].nodes = count_nodes(exported)
            cases[model.name, exporter] = make_case(model, exporter, exported)
    for key, result in zip(cases, run_cases(cases.values(), tool)):
        result.key = ("zoo", *key)
        found[key].result = result
    for key, result in zip(cases, run_cases(cases.values(), PEER)):
        found[key].peer = result
    request.config.stash[_OUTCOMES] = found
    return found


def pytest_terminal_summary(terminalreporter, config):
    found = config.stash.get(_OUTCOMES, {})
    if found:
        terminalreporter.write_line("")
        for line in summary(found):
            terminalreporter.write_line(line)
