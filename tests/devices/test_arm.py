"""Our IR in OpenVINO's CPU plugin for ARM, under qemu: values of the models with control flow. README.md"""

import dataclasses
import os
from multiprocessing.connection import wait

import pytest

from ..conformance.case import PASS
from ..conformance.found import found_case, names
from ..conformance.oracle import expected_values
from ..conformance.pool import WorkerProcess
from ..conformance.tool import tool_path
from ..conformance.traps import RUNS, trap_case

PYTHON = os.environ.get("ONNX2IR_ARM_PYTHON")
FEEDING = "one_compiled"
SECONDS = 900  # qemu takes 20 times as long as a processor, and up to a minute to import the modules
CASES = {**{name: trap_case for name in RUNS}, **{name: found_case for name in names()}}

# Each is seen with the plugin of 2026.4.1 alone, under qemu.
INTEGERS = "the plugin computes Add and Multiply of floats and a Convert of integers in integers if a size is dynamic or they are in a Loop"
KNOWN = {
    "absent_optional_at_first": INTEGERS,
    "small_branches": "Divide of integers rounds down, also with m_pythondiv=false",
    "state_never_read": INTEGERS,
    "transforms_of_doubles": "DFT and IDFT of a length that is a power of two give other numbers",
    "transposed_windows_below_stride": "ConvolutionBackpropData and GroupConvolutionBackpropData mirror their filters, in one to three dimensions",
    "untyped_body": INTEGERS,
}

pytestmark = pytest.mark.skipif(not PYTHON, reason="./dev test --arm installs Python and OpenVINO for aarch64")


class Arm:
    """A process with the plugin; another one after a crash."""

    def __init__(self):
        self._process = None

    def run(self, case):
        """The Result. onnxruntime does not run under qemu, so the expected values are computed here."""
        runs = [dataclasses.replace(run, expected=values) for run, values in zip(case.runs, expected_values(case)) if values is not None]
        if self._process is None or not self._process.alive:
            self._process = WorkerProcess(tool_path(), PYTHON)
        self._process.start(dataclasses.replace(case, runs=runs, time_limit=SECONDS))
        while True:
            wait([self._process.connection], self._process.seconds_left)
            result = self._process.poll()
            if result is not None:
                return result

    def close(self):
        if self._process is not None and self._process.alive:
            self._process.close()


@pytest.fixture(scope="module")
def arm():
    plugin = Arm()
    yield plugin
    plugin.close()


@pytest.mark.parametrize("name", CASES)
def test_control_flow(name, arm):
    result = arm.run(CASES[name](name, FEEDING))
    reason = KNOWN.get(name)
    if reason is None:
        assert result.outcome == PASS, result.message
    else:
        assert result.outcome != PASS, f"passes, but KNOWN says: {reason}"


def test_known_models_exist():
    assert not set(KNOWN) - set(CASES)
