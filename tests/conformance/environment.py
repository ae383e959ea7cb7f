"""The environment of the tests: the OpenVINO release of this Python, and the instruction set of its CPU plugin."""

import functools
import os
import re
from pathlib import Path

import openvino

RUNTIMES = Path(__file__).resolve().parents[2] / "cmake/runtimes.txt"
OLDEST, *_, NEWEST = re.findall(r"^openvino==(\d+\.\d+)\.", RUNTIMES.read_text(), re.MULTILINE)
# The releases that CI runs the conformance cases on, the oldest first.
RELEASES = (OLDEST, "2025.4", NEWEST)

# Instruction sets as failures are listed for them: the CPU plugin has other kernels with AVX-512 than without.
INSTRUCTION_SETS = ("AVX2", "AVX512")


def release():
    """ "2026.4" for OpenVINO 2026.4.1."""
    return ".".join(openvino.__version__.split(".")[:2])


@functools.cache
def instruction_set():
    """One of INSTRUCTION_SETS: that of the CPU, limited by ONEDNN_MAX_CPU_ISA."""
    limit = os.environ.get("ONEDNN_MAX_CPU_ISA", "DEFAULT").upper()
    has_avx512 = " avx512f " in Path("/proc/cpuinfo").read_text()
    return "AVX512" if has_avx512 and limit.startswith(("AVX512", "AVX10", "DEFAULT", "ALL")) else "AVX2"
