"""Running the converter."""

import os
import subprocess
import sys
import time
from pathlib import Path

from .case import CONVERT_ERROR, CONVERTER_CRASH, Failure

REPOSITORY = Path(__file__).resolve().parents[2]

# Instead of a path: OpenVINO's own ONNX front end, to measure the peer with the same harness.
PEER = "openvino"

# Instead of a path: the library of the release build inside of the worker process, which saves a process per case.
LIBRARY = "library"


def tool_path(given=None):
    """The converter under test: an argument, otherwise ONNX2IR_TOOL, otherwise the release build."""
    return str(given or os.environ.get("ONNX2IR_TOOL") or REPOSITORY / "build/release/onnx2ir")


def convert_in_process(model, options=()):
    """The XML and the weights of a model in memory, converted by the library of the release build. `options`: pairs of the name and the
    value of an option of the tool. Raises Failure."""
    folder = str(REPOSITORY / "build/release/python")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import onnx2ir

    try:
        named = {name.lstrip("-").replace("-", "_"): value for name, value in zip(options[::2], options[1::2])}
        converted = onnx2ir.convert(model, **named)
    except onnx2ir.ConversionError as error:
        raise Failure(CONVERT_ERROR, str(error)) from error
    return converted.xml(), converted.weights()


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
