"""Exported models convert and match onnxruntime, with all ports as the runtime infers them."""

import re

import pytest

from ..conformance.entry import assert_passed
from ..conformance.tool import REPOSITORY
from .models import MODELS
from .table import document, without_counts

DOCUMENT = REPOSITORY / "docs" / "models.md"

PAIRS = [
    pytest.param(model, exporter, id=f"{model.name}-{exporter}") for model in MODELS.values() for exporter in model.exporters
]


@pytest.mark.parametrize(("model", "exporter"), PAIRS)
def test_model(model, exporter, outcomes):
    outcome = outcomes[model.name, exporter]
    expected_failure = model.export_fails.get(exporter)
    if expected_failure:
        assert re.search(expected_failure, outcome.export_failure), outcome.export_failure or "the export works now"
        pytest.xfail(f"the exporter: {outcome.export_failure}")
    if outcome.export_failure:
        pytest.fail(f"export: {outcome.export_failure}", pytrace=False)
    assert_passed(outcome.result)


def test_document(outcomes, request):
    """docs/models.md has the results of the run of all models. The results of the peer and the counts may be those of an earlier run."""
    if len(outcomes) < len(PAIRS):
        pytest.skip("only some of the models ran")
    text = document(MODELS, outcomes)
    if request.config.getoption("--update"):
        DOCUMENT.write_text(text)
    assert without_counts(DOCUMENT.read_text()) == without_counts(text)
