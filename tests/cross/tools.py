"""The tool of another system, which `./dev cross` builds, and the release build. ONNX2IR_CROSS_TOOL is a command that runs the former
with Wine or qemu, if that is necessary."""

import os
import subprocess
from pathlib import Path

from ..conformance.tool import tool_path

TESTS = Path(__file__).parent.parent
MODELS = TESTS / "models"
MODEL = MODELS / "loop_13.onnx"
HERE = tool_path()
THERE = os.environ.get("ONNX2IR_CROSS_TOOL", "")


def run(tool, *arguments, **options):
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, check=False, timeout=1800, **options)


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def text(output):
    """Windows ends the lines of messages with two characters."""
    return output.replace(b"\r\n", b"\n").decode()
