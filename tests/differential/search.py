"""Searches for random models whose results differ from those of onnxruntime, and shrinks them."""

from collections import Counter
from dataclasses import dataclass, field

import onnx.printer
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings, strategies
from hypothesis.errors import Flaky

from ..conformance.case import ORACLE_ERROR, PASS, Case, Result
from ..conformance.oracle import parse_model
from .checker import Checker
from .generator import random_case
from .limits import limit_of
from .source import Source

NOT_RUN = "not run by onnxruntime"
NOTHING = "nothing to compare"


@dataclass
class Found:
    """A failing model after shrinking."""

    case: Case
    result: Result

    @property
    def text(self):
        """The model as ONNX text."""
        return onnx.printer.to_text(parse_model(self.case.model)) + "\n"


@dataclass
class Findings:
    """The result of a search: the number of models that agree or meet a limit (by its name), and the failing ones."""

    counts: Counter = field(default_factory=Counter)
    found: list = field(default_factory=list)

    @property
    def models(self):
        """How many models were compared."""
        return sum(count for name, count in self.counts.items() if name not in (NOT_RUN, NOTHING))

    def add(self, other):
        self.counts += other.counts
        self.found += other.found


class Difference(Exception):
    """The failure that hypothesis shrinks."""


@strategies.composite
def random_cases(draw):
    return random_case(Source(draw))


def search(models, first_seed, tool, shrink=True):
    """Findings among about `models` models, selected by the seed. Ends with the first failure, shrunk; without
    `shrink` continues and does not shrink failing models."""
    findings = Findings()
    last = None

    @seed(first_seed)
    @settings(
        max_examples=models,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
    )
    @given(random_cases())
    def examine(case):
        nonlocal last
        name = NOTHING
        if case is not None:
            result = checker.result_of(case)
            if result.outcome == ORACLE_ERROR:
                name = NOT_RUN
            elif result.outcome == PASS:
                name = PASS
            elif (name := limit_of(case, result, checker.result_of)) is None:
                last = Found(case, result)
                if shrink:
                    raise Difference
                findings.found.append(last)
                return
        if last is None or not shrink:
            findings.counts[name] += 1

    with Checker(tool) as checker:
        try:
            examine()
        except (Difference, Flaky):
            findings.found.append(last)
    return findings
