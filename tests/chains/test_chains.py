"""A bounded search with a fixed seed; ./dev fuzz --chains is the long one, which shrinks what it finds."""

import pytest

from ..conformance.case import PASS
from .generator import NAMES, choices_of, random_case, template_of
from .search import search
from .template import TEMPLATES

GRAPHS = 4 * len(NAMES)
SEED = 36


@pytest.mark.matrix
def test_random_graphs():
    findings = search(SEED, range(GRAPHS), shrink=False)
    for found in findings.found:
        pytest.fail(f"{found.template} {found.index}: {found.result.outcome}: {found.result.message}\n{found.text}", pytrace=False)
    assert findings.counts[PASS] > GRAPHS * 0.9


def test_graphs_depend_on_the_seed_alone():
    for index in range(len(NAMES)):
        first, second = (random_case(template_of(index), choices_of(SEED, index), "graph") for _ in range(2))
        assert first.model == second.model


def test_each_template_names_its_transformations():
    assert all(template.aims for template in TEMPLATES.values())
