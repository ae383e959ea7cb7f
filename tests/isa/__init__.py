"""Runs tests as on a CPU with fewer instruction sets."""

import os
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "build/release/libonnx2ir_limit_cpuid.so"


def cpu_has_more_than_avx2():
    return " avx512f " in Path("/proc/cpuinfo").read_text()


def cpu_can_hide_features():
    """Whether CPUID can be made to fail. With AVX-512 and without this, tests at the level AVX2 need another machine."""
    return " cpuid_fault " in Path("/proc/cpuinfo").read_text()


def environment(level):
    """Environment variables for a process at a level of ONEDNN_MAX_CPU_ISA. For AVX2 the features above it are hidden as well,
    because parts of the CPU plugin ask the CPU instead (limit_cpuid.cpp)."""
    if level == "AVX2" and cpu_has_more_than_avx2() and cpu_can_hide_features() and LIBRARY.exists():
        return {"ONEDNN_MAX_CPU_ISA": level, "LD_PRELOAD": str(LIBRARY)}
    return {"ONEDNN_MAX_CPU_ISA": level, "LD_PRELOAD": ""}
