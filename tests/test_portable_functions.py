"""Functions of the C library whose last bit depends on the system or the processor: base/portable_math.hpp replaces them."""

import re
import subprocess
from pathlib import Path

from .conformance.tool import tool_path

FUNCTIONS = "acosh? asinh? atan[2h]? cbrt cosh? erfc? exp[2m]? expm1 hypot lgamma log log10 log1p log2 pow sinh? tanh? tgamma".split()
CALL = re.compile(rf"^(\S+\.o): +U ((?:{'|'.join(FUNCTIONS)})[fl]?)$", re.MULTILINE)


def test_functions_with_different_last_bits_are_not_called():
    """The symbols that the objects of the layers import. portable_math.cpp has them for special cases, whose results the C standard defines."""
    folder = Path(tool_path()).parent / "CMakeFiles"
    objects = [path for path in folder.glob("onnx2ir_*.dir/**/*.o") if path.relative_to(folder).parts[1] not in ("tests", "cmake", "bench")]
    done = subprocess.run(["nm", "-A", "-u", *objects], capture_output=True, text=True, timeout=60, check=True)
    assert {Path(path).name for path, _ in CALL.findall(done.stdout)} == {"portable_math.cpp.o"}
