"""onnx2ir lint finds the faults of experiments in the IR that OpenVINO writes, onnx2ir legalize works around them, and docs/lint.md lists
the faults that lint cannot find."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .. import isa
from ..conformance.tool import tool_path
from ..expectations import check_text
from . import measure, occurrences
from .described_passes import described_passes
from .run_experiments import RIGHT, release

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs/lint.md"
OCCURRENCES = occurrences.load()

# Faults with a workaround that lint does not find in the model of their experiment, or that legalize does not mend there, with the reason.
EXCEPTIONS = {
    "consecutive_double_products": "the experiment compiles by itself",
    "consecutive_unit_products": "the experiment compiles by itself",
    "constant_loop_evaluation": "OpenVINO cannot build the second Loop of the experiment",
    "einsum_labels": "a label that occurs once is not removed (2024.6)",
    "empty_reshape_in_first_run": "only the Reshapes are found that conversions emit",
    "equal_random_numbers": "docs/lint.md",
    "float4_transpose": "found and mended as other faults of the type",
    "loops_take_no_strings": "docs/lint.md",
    "misread_filters": "a warning of conversions; docs/quantised-models.md",
    "no_average_dilations": "an operation that the release does not know",
    "no_dynamic_transforms": "an operation that the release cannot compute",
    "no_float4_inputs": "a type that the release does not know",
    "no_float8_inputs": "a type that the release does not know",
    "no_scale_inputs": "a type that the release does not know",
    "no_uint2": "a type that the release does not know",
    "pads_of_open_count": "the rank of the result is not known",
    "reassociated_zero_point": "x may have any type; conversions know that x and the zero point are quantised numbers",
    "saturated_products": "what saturates depends on the weights; docs/quantised-models.md",
    "two_bit_types": "a type that the release does not know",
    "wide_integers": "docs/lint.md",
}


def faults_of_workarounds():
    """The faults that passes or rows work around, and that are not only avoided while an operator is translated."""
    return {name for row in described_passes() if row.mends_ir for name in row.faults | row.consulted}


def test_document_lists_the_faults_without_a_workaround(request):
    text = DOCUMENT.read_text()
    names = sorted(set(OCCURRENCES) - faults_of_workarounds())
    listed = "  " + ",\n  ".join(", ".join(f"`{name}`" for name in names[i : i + 5]) for i in range(0, len(names), 5)) + "."
    begin, end = "could be applied to an IR:\n", "\n- **Loops with string outputs"
    head, rest = text.split(begin)
    check_text(DOCUMENT, head + begin + listed + end + rest.split(end)[1], request.config.getoption("--update"))


@pytest.mark.parametrize("name", sorted(faults_of_workarounds() - set(EXCEPTIONS)))
def test_faults_are_found_and_mended(name):
    assert is_found_and_mended(name)


@pytest.mark.parametrize("name", sorted(EXCEPTIONS))
def test_exceptions_are_needed(name):
    """The experiment of each exception shows that it is one: otherwise it leaves the list."""
    assert not is_found_and_mended(name)


def is_found_and_mended(name):
    row = OCCURRENCES[name]
    if not row.is_in(occurrences.parse_release(release())):
        # The experiment of the fault passes there: test_faults.py runs it and compares it with the table of occurrences.
        pytest.skip("this release does not have the fault: test_faults.py runs its experiment")
    levels = [level for level in row.instruction_sets.split() if level in measure.supported_levels()]
    if row.instruction_sets and not levels:
        pytest.skip(f"this CPU has none of {row.instruction_sets}")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.faults.run_legalized", tool_path(), name],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | (isa.environment(levels[0]) if levels else {}) | {"OPENVINO_TELEMETRY": "0"},
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)[name]
    return answer["outcome"] == RIGHT and name in answer["found"]
