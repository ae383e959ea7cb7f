"""target/fault_occurrences.txt: read, and written from measurements."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "target/fault_occurrences.txt"

_HEAD = """\
# Where the experiments of tests/faults found each fault: NAME FIRST..LAST [LEVELS]. Without LAST, the newest release has it, too;
# without LEVELS (of ONEDNN_MAX_CPU_ISA), all instruction sets. Written by `./dev faults --update`; do not edit.
"""
_SPEC = importlib.util.spec_from_file_location("generate_faults", ROOT / "cmake/generate_faults.py")
generate_faults = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generate_faults)


@dataclass(frozen=True)
class Occurrence:
    first: tuple[int, int]
    last: tuple[int, int] | None  # None: the newest supported release has it
    instruction_sets: str  # levels of ONEDNN_MAX_CPU_ISA separated by spaces; empty: all

    def is_in(self, release):
        return self.first <= release and (self.last is None or release <= self.last)


def parse_release(text):
    """(2025, 4) of "2025.4"."""
    year, minor = text.split(".")
    return int(year), int(minor)


def load():
    """Occurrences by the name of the fault."""
    return {name: Occurrence(*row) for name, row in generate_faults.occurrences(PATH).items()}


def save(rows):
    text = _HEAD
    for name, row in sorted(rows.items()):
        last = "" if row.last is None else "%d.%d" % row.last
        text += f"{name} {'%d.%d' % row.first}..{last} {row.instruction_sets}".rstrip() + "\n"
    PATH.write_text(text)


def summarize(found, newest, levels, missing, old):
    """The Occurrence for the (release, level) pairs with the fault. `missing`: the levels that were not measured; for those the old
    Occurrence counts, if there is one."""
    releases = {release for release, _ in found}
    present = {level for _, level in found}
    if old is None and len(present) == len(levels) - len(missing):
        present |= set(missing)
    kept = [level for level in missing if old and (not old.instruction_sets or level in old.instruction_sets.split())]
    if kept:
        present |= set(kept)
        releases |= {old.first, old.last or newest}
    first, last = min(releases), max(releases)
    sets = "" if present == set(levels) else " ".join(level for level in levels if level in present)
    return Occurrence(first, None if last == newest else last, sets)
