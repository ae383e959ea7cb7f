"""onnx2ir lint finds the faults of experiments in the IR that OpenVINO writes, onnx2ir legalize works around them, and docs/lint.md lists
the faults that lint cannot find."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .. import isa
from ..conformance.tool import tool_path
from ..expectations import check_text
from . import measure, occurrences
from .run_experiments import RIGHT, release

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs/lint.md"
OCCURRENCES = occurrences.load()

# The experiments whose model lint and legalize must mend, on each release that has the fault.
MENDED = """
abs_in_place attention_scale_rounding bf16_attention_fusion bf16_constant_infinity boolean_attention_mask branch_output_memory
branch_output_size byte_arithmetic concat_reduction constant_batch_broadcast constant_initial_state constant_loop_operations
convolution_of_one_channel convolution_to_one_column dropped_double_constant dynamic_column_constants dynamic_constant_shapes
empty_broadcast_in_arithmetic empty_concat_part empty_constant_result empty_gather empty_i64_output empty_loop_vectors empty_product
empty_state_shape empty_string_bytes empty_string_pack empty_string_unpack empty_unique empty_unit_transpose empty_unsqueeze_shape
float4_rounding float8_rounding folded_random_numbers gathered_unsqueeze greater_than_nan infinity_check_broadcast integer_power
integer_reduce_then_constant integer_reduce_then_division integer_relu kept_initial_size long_fused_chains loop_shapes_from_body
lrn_even_size lrn_fractional_bias merged_slice_axes misread_weight_scales moved_strings narrow_shifts negative_run_time_pads
neutral_constant_rank overflowing_constants pad_value_dynamic quantized_clamp_bounds quantized_concat_factors quantized_group_filters quantized_narrow_average
quantized_padded_average quantized_relu_factors quantized_row_constants reduce_then_channel_constant remainder_bounds repeated_softmax
rounded_constant_sum scalar_random_numbers scalar_reshape_of_product scaled_group_filters sequential_back_edges shuffle_channels_groups
signed_4_bit_zero_points single_scale_rounding skipped_gather small_product_constants small_type_moves stale_empty_shapes
stale_initial_memory static_scan_rows stride_before_pad tile_dynamic_rank4 tile_of_one_channel topk_of_zero total_of_transpose
transposed_strings unique_order unnoticed_state_shape unsigned_bitwise_not zero_trip_final_values zero_trip_scan_outputs
zero_trip_unread_states
""".split()


def faults_of_workarounds():
    """The faults that passes or rows work around, and that are not only avoided while an operator is translated."""
    rows = (ROOT / "passes/pipeline.cpp").read_text().split("Pass{")[1:]
    texts = [row for row in rows if ".kind = legalize" in row]
    texts += [path.read_text() for path in sorted((ROOT / "passes/workarounds").glob("*.cpp"))]
    return {name for text in texts for name in re.findall(r"\bFault::(\w+)", text)}


def test_document_lists_the_faults_without_a_workaround(request):
    text = DOCUMENT.read_text()
    names = sorted(set(OCCURRENCES) - faults_of_workarounds())
    listed = "  " + ",\n  ".join(", ".join(f"`{name}`" for name in names[i : i + 5]) for i in range(0, len(names), 5)) + "."
    begin, end = "could be applied to an IR:\n", "\n- **Loops with string outputs"
    head, rest = text.split(begin)
    check_text(DOCUMENT, head + begin + listed + end + rest.split(end)[1], request.config.getoption("--update"))


@pytest.mark.parametrize("name", MENDED)
def test_faults_are_found_and_mended(name):
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
    assert answer["outcome"] == RIGHT and name in answer["found"]
