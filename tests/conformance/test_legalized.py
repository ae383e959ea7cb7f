"""onnx2ir legalize makes IR right that OpenVINO's own front end writes for models of tests/models/traps, and that the newest release computes
wrongly."""

import sys

from .case import PASS, PORT_MISMATCH
from .pool import run_cases
from .tool import REPOSITORY, tool_path
from .traps import trap_case

# The front end refuses other models of that folder, gives them another meaning, or the release computes them rightly.
NAMES = (
    "trip_zero",
    "trip_run_time",
    "condition_invariant",
    "condition_constant_in_body",
    "condition_captured",
    "condition_vector_out",
    "condition_scalar_then_vector",
    "condition_and_vector_trip",
    "scan_ranks",
    "no_rows",
    "captures_deep",
    "state_and_capture",
    "growing_state",
    "initial_of_other_size",
    "appended_in_branches",
    "growing_matrix",
    "condition_as_value",
    "scan_only_used",
    "scan_only",
    "trip_int32",
    "nested_loops",
    "loop_in_if",
    "ran_then_zero",
    "state_never_read",
    "walk_dynamic",
    "dynamic_states",
    "inner_trip_is_outer_iteration",
)


def converter(folder, tool):
    """A program that converts with OpenVINO's front end, and legalises if `tool` is not -."""
    path = folder / f"converter_{'legalized' if tool != '-' else 'written'}"
    path.write_text(f'#!/bin/sh\ncd "{REPOSITORY}" && exec "{sys.executable}" -m tests.conformance.legalized "{tool}" "$@"\n')
    path.chmod(0o755)
    return str(path)


def is_negative(value):
    return value.dtype.kind == "i" and (value < 0).any()


def is_right(folder, tool):
    """Of each model, whether its IR gives onnxruntime's results. In an IR, a negative trip count means that there is no limit: runs with one
    are left out. OpenVINO's front end names ports in its own way."""
    cases = [trap_case(name, "one_compiled") for name in NAMES]
    for case in cases:
        case.runs = [run for run in case.runs if not any(is_negative(value) for value in run.inputs.values())]
        case.time_limit = 10
    return [result.outcome in (PASS, PORT_MISMATCH) for result in run_cases(cases, converter(folder, tool))]


def test_ir_of_openvino_is_wrong_before_and_right_after(tmp_path):
    # In an experiment with 2026.4, all models gave wrong results. Some of these results are uninitialised memory, which can equal the expected
    # values on another machine. So only half of the models must give wrong results here.
    assert sum(not right for right in is_right(tmp_path, "-")) >= len(NAMES) / 2
    assert [name for name, right in zip(NAMES, is_right(tmp_path, tool_path()), strict=True) if not right] == []
