"""Runs tests as on a CPU with fewer instruction sets."""

from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "build/release/libonnx2ir_hide_avx512.so"


def environment(level):
    """Environment variables for a process at a level of ONEDNN_MAX_CPU_ISA. For AVX2, a library hides AVX-512 from the parts of
    the CPU plugin that do not read this variable (hide_avx512.cpp)."""
    return {"ONEDNN_MAX_CPU_ISA": level, "LD_PRELOAD": str(LIBRARY) if level == "AVX2" else ""}
