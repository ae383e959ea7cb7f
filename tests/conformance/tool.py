"""Running the converter."""

import os
import subprocess
import time
from pathlib import Path

from .case import CONVERT_ERROR, CONVERTER_CRASH, Failure

REPOSITORY = Path(__file__).resolve().parents[2]

# Instead of a path: OpenVINO's own ONNX front end, to measure the peer with the same harness.
PEER = "openvino"


def tool_path(given=None):
    """The converter under test: an argument, otherwise ONNX2IR_TOOL, otherwise the release build."""
    return str(given or os.environ.get("ONNX2IR_TOOL") or REPOSITORY / "build/release/onnx2ir")


def convert(tool, model_path, xml_path, options=()):
    """Converts one file; returns the seconds of the process. Raises Failure with the output of the tool."""
    started = time.perf_counter()
    done = subprocess.run(
        [tool, str(model_path), "-o", str(xml_path), *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        close_fds=False,
        check=False,
    )
    seconds = time.perf_counter() - started
    message = done.stderr.decode(errors="replace").strip()
    if done.returncode == 1 and message:
        raise Failure(CONVERT_ERROR, message)
    if done.returncode != 0:
        raise Failure(CONVERTER_CRASH, f"exit code {done.returncode}: {message}")
    return seconds
