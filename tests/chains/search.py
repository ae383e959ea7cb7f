"""Searches for graphs whose results differ from those of onnxruntime."""

from collections import Counter
from dataclasses import dataclass, field

import onnx.printer

from ..conformance.case import ORACLE_ERROR, PASS, Case, Result
from ..conformance.pool import run_cases
from ..conformance.tool import LIBRARY
from ..conformance.oracle import parse_model
from ..differential.checker import Checker
from .generator import choices_of, random_case, template_of
from .judge import limit_of
from .shrink import shrunk

BATCH = 100
NOT_RUN = "not run by onnxruntime"


@dataclass
class Found:
    template: str
    index: int
    case: Case
    result: Result

    @property
    def text(self):
        """The model as ONNX text."""
        return onnx.printer.to_text(parse_model(self.case.model)) + "\n"

    @property
    def operators(self):
        return " ".join(node.op_type for node in parse_model(self.case.model).graph.node)


@dataclass
class Findings:
    """The number of graphs that agree or meet a limit, by its name; and the failing graphs."""

    counts: Counter = field(default_factory=Counter)
    limits: dict = field(default_factory=dict)  # indices of graphs by the name of the limit
    found: list = field(default_factory=list)


def search(seed, indices, tool=LIBRARY, workers=1, shrink=True, finished=lambda found: None):
    """Findings among the graphs with these indices of a seed."""
    findings = Findings()
    indices = list(indices)
    with Checker(tool) as checker:
        for begin in range(0, len(indices), BATCH):
            part = indices[begin : begin + BATCH]
            made = [choices_of(seed, index) for index in part]
            cases = [random_case(template_of(index), choices, f"{template_of(index)} {index}") for index, choices in zip(part, made)]
            for case in cases:
                case.time_limit = 60.0
            for index, choices, case, result in zip(part, made, cases, run_cases(cases, tool, workers)):
                name = outcome_name(case, result, checker)
                findings.counts[name] += 1
                if name != result.outcome:
                    findings.limits.setdefault(name, []).append(index)
                elif result.outcome != PASS:
                    found = Found(template_of(index), index, case, result)
                    if shrink:
                        found = shrink_found(found, choices.made, checker)
                    findings.found.append(found)
                    finished(found)
    return findings


def outcome_name(case, result, checker):
    """The name of a limit, or the outcome."""
    if result.outcome == ORACLE_ERROR:
        return NOT_RUN
    return (result.outcome != PASS and limit_of(case, result, checker.result_of)) or result.outcome


def shrink_found(found, made, checker):
    outcome = found.result.outcome

    def fails(case):
        result = checker.result_of(case)
        return result.outcome == outcome and limit_of(case, result, checker.result_of) is None

    case = shrunk(found.template, made, found.case, fails)
    return Found(found.template, found.index, case, checker.result_of(case))
