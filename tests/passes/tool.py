"""Finds onnx2ir-opt, which runs single passes."""

import os
from pathlib import Path

from ..conformance.tool import tool_path


def opt_path():
    """An environment variable, otherwise the program next to the converter under test."""
    return os.environ.get("ONNX2IR_OPT") or str(Path(tool_path()).with_name("onnx2ir-opt"))
