"""The number of passing cases by operator and mode on the newest release: suite_results.txt, generated from the known failures.

docs/operators.md shows these numbers.
"""

from collections import Counter
from pathlib import Path

from . import known_failures
from .suite import MODES, operators

PATH = Path(__file__).with_name("suite_results.txt")
HEADER = f"""\
# Cases of the ONNX backend suite by operator, and how many of them pass in each mode on the newest OpenVINO release.
# Made from known_failures.txt by `./dev test --update tests/conformance`; do not edit.
# operator | cases | {" | ".join(MODES)}
"""


def render(known):
    """The file's text for a list of known failures."""
    cases = Counter(operators().values())
    here = known_failures.in_environment(known, known_failures.REFERENCE)
    failures = Counter((mode, operators()[name]) for mode, name in here if mode in MODES)
    lines = []
    for operator in sorted(cases):
        passed = [cases[operator] - failures[mode, operator] for mode in MODES]
        lines.append(" | ".join(map(str, [operator, cases[operator], *passed])))
    return HEADER + "\n".join(lines) + "\n"


def load():
    """(cases, passed in each mode) by operator."""
    rows = [line.split(" | ") for line in PATH.read_text().splitlines() if not line.startswith("#")]
    return {name: (int(cases), tuple(map(int, passed))) for name, cases, *passed in rows}


def save():
    PATH.write_text(render(known_failures.load()))
