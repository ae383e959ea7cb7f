"""Our IR in OpenVINO's GPU plugin, over a driver whose kernels compute nothing: README.md."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.tool import tool_path

ROOT = Path(__file__).resolve().parents[1]
MODELS = sorted(path for folder in ("traps", "found") for path in (ROOT / "models" / folder).iterdir() if path.suffix in (".onnx", ".onnxtxt"))
WORKER = Path(__file__).with_name("worker.py")
SECONDS = 120

STRINGS = "the plugin has no strings"
NEEDS_RESULTS = "an error of the driver without kernels: the sizes come from a kernel"
COUNT = "an error of the driver without kernels: the plugin asks for the size of a result"
EMPTY_STATE = "the plugin ends, or has no memory, for a state without elements; models without our workaround have sizes that change"
NO_ITERATION = "the kernels compute a trip count of 0, and the plugin cannot convert rows of dynamic sizes from f16 after no iteration; runs in f32"
KNOWN = {
    "appended_parts_of_two_rows": NEEDS_RESULTS,
    "break_in_while": "the plugin does not find the output of an If in a Loop; nor in OpenVINO's own IR",
    "condition_as_source_of_a_size": COUNT,
    "condition_captured": NEEDS_RESULTS,
    "condition_of_constants_as_state": EMPTY_STATE,
    "constant_appended_by_sequence_map": EMPTY_STATE,
    "constants_behind_unread_states": "the plugin gives an Elu of f16 constants in a Loop twice the size; also without our workaround",
    "declared_row": COUNT,
    "dynamic_states": NO_ITERATION,
    "empty_part_of_columns": NEEDS_RESULTS,
    "empty_parts_of_strings": STRINGS,
    "exchanged_lists_of_scalars": EMPTY_STATE,
    "exchanged_strings": STRINGS,
    "initial_of_other_size": COUNT,
    "labels_of_constants": STRINGS,
    "loops_of_constants": EMPTY_STATE,
    "moved_strings": STRINGS,
    "nested_loops": COUNT,
    "no_rows": NO_ITERATION,
    "operations_on_constants": "the plugin gives a Selu of constants in a Loop three times the size; also without our workaround",
    "outputs_of_loops_and_ifs": COUNT,
    "parts_of_bounded_sizes": NEEDS_RESULTS,
    "size_beside_rows_of_no_iteration": COUNT,
    "slices_of_strings": STRINGS,
    "split_along_axis_1": NEEDS_RESULTS,
    "split_of_no_rows": EMPTY_STATE,
    "stack_of_any_size": NO_ITERATION,
    "stacked_axes_of_strings": STRINGS,
    "state_read_by_later_loop": EMPTY_STATE,
    "strings_from_static_list": STRINGS,
    "strings_in_a_loop": STRINGS,
    "unbind": NEEDS_RESULTS,
    "unpooled_to_shape_of_input": "the plugin does not take a MaxPool with indices of a dynamic size",
    "walk_dynamic": NEEDS_RESULTS,
    "zero_trip_rows_of_bounded_size": NO_ITERATION,
    "zero_trip_rows_of_rank_1": NO_ITERATION,
}


class Gpu:
    """A process with the plugin; another one after a crash."""

    def __init__(self):
        self.process = None

    def run(self, path):
        """None, or the error."""
        if self.process is None:
            command = [sys.executable, WORKER]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            code, self.process = self.process.wait(SECONDS), None
            return f"the process has ended with {code}"
        return None if answer == "ok" else answer


@pytest.fixture(scope="module")
def gpu():
    plugin = Gpu()
    yield plugin
    if plugin.process is not None:
        plugin.process.stdin.close()
        plugin.process.wait(SECONDS)


def test_openvino_finds_the_gpu():
    import openvino as ov

    assert "GPU" in ov.Core().available_devices, "./dev test --devices makes the OpenCL library"


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_control_flow(model, gpu, tmp_path):
    xml = tmp_path / "model.xml"
    subprocess.run([tool_path(), model, "-o", xml, "--quiet"], check=True)
    error = gpu.run(xml)
    reason = KNOWN.get(model.stem)
    if reason is None:
        assert error is None, error
    else:
        assert error is not None, f"runs, but KNOWN says: {reason}"


def test_known_models_exist():
    assert not set(KNOWN) - {model.stem for model in MODELS}
