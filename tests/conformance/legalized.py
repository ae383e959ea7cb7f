"""A converter for the harness: OpenVINO's own front end, and onnx2ir legalize.

Usage: python -m tests.conformance.legalized TOOL MODEL -o FILE.xml: TOOL is onnx2ir; with - the IR stays as OpenVINO writes it.
"""

import subprocess
import sys
from pathlib import Path

import openvino as ov

from .environment import release
from .oracle import parse_model


def main():
    tool, model, _, xml = sys.argv[1:5]
    written = Path(xml) if tool == "-" else Path(xml).with_suffix(".written.xml")
    path = Path(model)
    path.write_bytes(parse_model(path.read_bytes()).SerializeToString())
    # From a file: OpenVINO reads absent inputs of a model in memory in another way.
    ov.save_model(ov.Core().read_model(path), written, compress_to_fp16=False)
    if tool != "-":
        sys.exit(subprocess.run([tool, "legalize", written, "-o", xml, "--target-runtime", release()], stdout=subprocess.DEVNULL).returncode)


if __name__ == "__main__":
    main()
