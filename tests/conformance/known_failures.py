"""The checked list of suite cases that fail.

known_failures.txt has a line for each: the modes ("all" or a comma-separated list), the case, the outcome, the
experiment of test_runtime_limits.py that shows the reason.
"""

from dataclasses import dataclass
from pathlib import Path

from .failure_reasons import reason_for
from .suite import MODES

PATH = Path(__file__).with_name("known_failures.txt")

_HEADER = """\
# Cases of the ONNX backend suite that do not pass, each with its reason: an experiment of test_runtime_limits.py. A test
# fails when a case fails that is not listed here with that outcome, and when a listed case passes.
# `python -m tests.conformance.run_suite --update-known` rewrites this file and keeps the reasons.
# modes | case | outcome | reason
"""


@dataclass(frozen=True)
class KnownFailure:
    outcome: str
    reason: str


def load(path=PATH):
    """Known failures by (mode, case)."""
    known = {}
    if not path.exists():
        return known
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        modes, name, outcome, reason = (part.strip() for part in line.split("|", 3))
        for mode in MODES if modes == "all" else modes.split(","):
            known[mode, name] = KnownFailure(outcome, reason)
    return known


def save(known, path=PATH):
    """Writes the list, cases in alphabetical order, modes with the same entry in one line."""
    lines = {}
    for mode in MODES:
        for (entry_mode, name), entry in known.items():
            if entry_mode == mode:
                lines.setdefault((name, entry.outcome, entry.reason), []).append(mode)
    text = _HEADER
    for (name, outcome, reason), modes in sorted(lines.items()):
        text += f"{'all' if len(modes) == len(MODES) else ','.join(modes)} | {name} | {outcome} | {reason}\n"
    path.write_text(text)


def update(known, mode, results):
    """The list after a run of `mode`: reasons of entries that still hold are kept."""
    updated = dict(known)
    for result in results:
        key = mode, result.name
        old = updated.pop(key, None)
        # Random numbers come out as in the suite once in many runs.
        is_luck = old is not None and old.reason == "random_numbers"
        if result.outcome == "pass" and not is_luck:
            continue
        same = old is not None and old.outcome == result.outcome
        updated[key] = old if same or is_luck else KnownFailure(result.outcome, reason_for(result))
    return updated
