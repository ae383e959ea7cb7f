"""A bounded search with a fixed seed; ./dev fuzz --models is the long one, which shrinks what it finds."""

import pytest

from ..conformance.tool import tool_path
from .search import search

MODELS = 100
SEED = 9005


@pytest.mark.matrix
def test_random_models():
    findings = search(MODELS, SEED, tool_path(), shrink=False)
    for found in findings.found:
        pytest.fail(f"{found.result.outcome}: {found.result.message}\n{found.text}", pytrace=False)
    assert findings.models > MODELS // 2
