"""The converter with limits of processor time, memory and size of its files, as for the conversion of untrusted
models. Processor time, because wall time depends on the load of the machine."""

import os
import resource
from dataclasses import dataclass

from ..conformance.tool import tool_path

SECONDS = 5
BYTES = 1 << 30
# A converter with sanitizers is slower by a large factor, and AddressSanitizer maps terabytes.
IS_SANITIZED = "ONNX2IR_SANITIZED" in os.environ


@dataclass
class Run:
    exit_code: int  # negative: the signal that ended it
    seconds: float
    peak_bytes: int
    errors: str


def convert_limited(model, folder, *options):
    """Converts the file `model`; the output is written to `folder`."""
    log = folder / "stderr"
    child = os.fork()
    if child == 0:
        try:
            if not IS_SANITIZED:
                resource.setrlimit(resource.RLIMIT_CPU, (4 * SECONDS, 4 * SECONDS))
                resource.setrlimit(resource.RLIMIT_AS, (4 * BYTES, 4 * BYTES))
            resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, BYTES))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            descriptor = os.open(log, os.O_WRONLY | os.O_CREAT)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            os.execv(tool_path(), [str(tool_path()), str(model), "-o", str(folder / "model.xml"), *options])
        finally:
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    return Run(
        exit_code=os.waitstatus_to_exitcode(status),
        seconds=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss << 10,
        errors=log.read_text(errors="replace"),
    )
