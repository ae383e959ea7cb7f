"""target/fault_occurrences.cpp: read, and written from measurements."""

import re
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "target/fault_occurrences.cpp"

_TEXT = """\
// The releases in which the experiments of tests/faults found each fault. Written by `./dev faults --update`;
// do not edit.
#include <array>

#include "target/faults.hpp"

namespace onnx2ir::target {{
namespace {{

// clang-format off
constexpr auto kOccurrences = std::to_array<FaultOccurrence>({{
{rows}}});
// clang-format on

constexpr bool is_in_order(std::span<const FaultOccurrence> occurrences) {{
  for (std::size_t i = 0; i < occurrences.size(); ++i) {{
    if (static_cast<std::size_t>(occurrences[i].fault) != i) return false;
  }}
  return true;
}}
static_assert(is_in_order(kOccurrences), "the rows must have the order of the enumeration");

}}  // namespace

std::span<const FaultOccurrence> all_occurrences() {{
  return kOccurrences;
}}

}}  // namespace onnx2ir::target
"""
_ROW = re.compile(r'\{Fault::(\w+),\s*\{(\d+), (\d+)\},\s*(std::nullopt|Release\{(\d+), (\d+)\}),\s*"([\w ]*)"\}')


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
    rows = {}
    for name, year, minor, last, last_year, last_minor, sets in _ROW.findall(PATH.read_text()):
        newest = None if last == "std::nullopt" else (int(last_year), int(last_minor))
        rows[name] = Occurrence((int(year), int(minor)), newest, sets)
    return rows


def save(rows):
    text = ""
    for name, row in sorted(rows.items()):
        last = "std::nullopt" if row.last is None else "Release{%d, %d}" % row.last
        text += '    {Fault::%s, {%d, %d}, %s, "%s"},\n' % (name, *row.first, last, row.instruction_sets)
    PATH.write_text(_TEXT.format(rows=text))


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
