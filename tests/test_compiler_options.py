"""The IR does not depend on the machine that the compiler was built for: a * b + c is not contracted to one rounding."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from .conformance.tool import tool_path

REPOSITORY = Path(__file__).parent.parent
SOURCES = ["frontend/translators/onnx/resampling.cpp", "frontend/translators/onnx/resize.cpp", "ir/value_ranges.cpp", "base/half_precision.cpp"]


def commands():
    folder = Path(tool_path()).parent
    listed = json.loads((folder / "compile_commands.json").read_text())
    return {Path(entry["file"]).relative_to(REPOSITORY).as_posix(): entry for entry in listed if Path(entry["file"]).is_relative_to(REPOSITORY)}


@pytest.mark.parametrize("source", SOURCES)
def test_multiplications_and_additions_are_not_contracted(source, tmp_path):
    """For a CPU that has such instructions."""
    entry = commands()[source]
    command = shlex.split(entry["command"])
    command[command.index("-o") + 1] = str(tmp_path / "object.s")
    command[command.index("-c")] = "-S"
    compiler = next(i for i, word in enumerate(command) if Path(word).name.startswith(("g++", "clang++", "c++")))
    include = command.index("-include") if "-include" in command else None
    if include is not None and "cmake_pch" in command[include + 1]:
        command = [word for word in command if word != "-Winvalid-pch"]  # a precompiled header is for one CPU
    done = subprocess.run([*command[compiler:], "-march=x86-64-v3", "-Wno-error"], cwd=entry["directory"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assembly = (tmp_path / "object.s").read_text()
    assert not [line for line in assembly.splitlines() if "vfmadd" in line or "vfmsub" in line or "vfnmadd" in line]
