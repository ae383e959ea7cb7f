"""The table of faults, the workarounds, the experiments and docs/runtime-faults.md agree; each experiment finds its fault."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..conformance.tool import tool_path
from ..expectations import check_text
from . import measure, occurrences
from .described_passes import described_passes
from .experiment import load_all
from .run_experiments import FAULTY, RIGHT, release, run_alone

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs/runtime-faults.md"
EXPERIMENTS = load_all()
OCCURRENCES = occurrences.load()

TEXT = """\
# Faults of OpenVINO's runtime that conversions work around

Generated from `onnx2ir --list-faults` by `./dev test --update tests/faults`; do not edit. A workaround is active only if a release of
the target (`--target-runtime`, all supported releases by default) has the fault. Each fault has an experiment of the same name
with the runtime alone in `tests/faults`; `./dev faults` runs them on every supported release.

"Instruction sets" names the levels of `ONEDNN_MAX_CPU_ISA` that have the fault. They are not part of a target, because an IR is moved
between machines.

| fault | releases | instruction sets | description | worked around in |
|---|---|---|---|---|
{rows}"""


def listing():
    """(name, releases, instruction sets, summary) of each line of --list-faults."""
    done = subprocess.run([tool_path(), "--list-faults"], capture_output=True, text=True, timeout=60, check=True)
    return [line.split("  ", 3) for line in done.stdout.splitlines()]


def workarounds():
    """The source files that name each fault, and those of the passes that run if the target has it."""
    found = {name: set() for name in OCCURRENCES}
    for row in described_passes():
        for name in row.faults:
            found[name].add(row.source)
    for folder in ("passes", "frontend"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            source = str(path.relative_to(ROOT))
            for name in re.findall(r"\bFault::(\w+)", path.read_text()) if source != "passes/pipeline.cpp" else ():
                found[name].add(source)
    return found


def test_faults_experiments_workarounds_and_occurrences_match():
    names = {row[0] for row in listing()}
    assert names == set(EXPERIMENTS)
    assert names == set(OCCURRENCES)
    assert names == {name for name, places in workarounds().items() if places}


def test_document(request):
    places = workarounds()
    rows = "".join(
        f"| `{name}` | {releases} | {sets} | {summary} | {', '.join(f'`{path}`' for path in sorted(places[name]))} |\n"
        for name, releases, sets, summary in listing()
    )
    check_text(DOCUMENT, TEXT.format(rows=rows), request.config.getoption("--update"))


@pytest.mark.parametrize("name", sorted(OCCURRENCES))
def test_experiment(name):
    """The fault occurs as listed in the table, in this release and on this CPU."""
    if name not in EXPERIMENTS:
        pytest.fail("no experiment")
    row = OCCURRENCES[name]
    expected = row.is_in(occurrences.parse_release(release()))
    if not row.instruction_sets:
        assert run_alone(EXPERIMENTS[name]) == (FAULTY if expected else RIGHT)
        return
    levels = [level for level in row.instruction_sets.split() if level in measure.supported_levels()]
    if not levels:
        pytest.skip(f"this CPU has none of {row.instruction_sets}")
    outcomes = [measure.run(sys.executable, level, [name])[2][name] for level in levels]
    assert (FAULTY in outcomes) == expected, outcomes
