"""The command lines for ONNX models in OpenVINO's documentation, with ovc replaced by onnx2ir: same files, inputs and outputs.

Pages: "Convert to OpenVINO IR", "Convert from ONNX", "Conversion Parameters", "Setting Input Shapes", "Transition from Legacy
Conversion API", and `ovc --help`. File names that stand for the reader's own are replaced by those of a model that fits.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .command import IMAGE_AND_LENGTH, interface, onnx_file, run

OVC = Path(sys.executable).with_name("ovc")

LINES = [
    "ovc your_model_file.onnx",
    "ovc your_model.onnx --output_model directory_name",
    "ovc your_model.onnx --output_model directory_name/",
    "ovc your_model.onnx --output_model new/folder/name",
    "ovc your_model.onnx --output_model new/folder/name.xml",
    "ovc ./models/your_model.onnx",
    "ovc your_model.onnx --compress_to_fp16=False",
    "ovc your_model.onnx --compress_to_fp16=True",
    "ovc your_model.onnx --compress_to_fp16 True --output_model=model_fp16",
    "ovc --compress_to_fp16 False your_model.onnx",
    "ovc ocr.onnx --input data[3,150,200,1],seq_len[3]",
    "ovc ocr.onnx --input [3,150,200,1],[3]",
    'ovc ocr.onnx --input "data[?,150,200,1],seq_len[?]"',
    'ovc ocr.onnx --input "data[-1,150,200,1],seq_len[-1]"',
    "ovc ocr.onnx --input data[1..3,150,200,1],seq_len[1..3]",
    "ovc ocr.onnx --input data[..3,150,200,1],seq_len[2..]",
    "ovc ocr.onnx --input seq_len[3],data[3,150,200,1]",
    "ovc ocr.onnx --input seq_len,data",
    'ovc ocr.onnx --input "data[2, 150, 200, 1]"',
    "ovc ocr.onnx --input [3,150,200,1],[3] --output_model OUTPUT_MODEL",
    "ovc ocr.onnx --output lengths,sum",
    "ovc ocr.onnx --output=sum",
    "ovc ocr.onnx --input data[1,2,3,1] --verbose",
]

# According to `ovc --help`, the order of the names is that of inputs and outputs, but ovc does not keep it.
ORDERED = {
    "ovc ocr.onnx --input seq_len[3],data[3,150,200,1]": (["seq_len", "data"], ["sum", "lengths"]),
    "ovc ocr.onnx --input seq_len,data": (["seq_len", "data"], ["sum", "lengths"]),
    "ovc ocr.onnx --output lengths,sum": (["data", "seq_len"], ["lengths", "sum"]),
}


def make_models(folder):
    """The models in the command lines, and a folder that must exist."""
    for name in ("your_model_file.onnx", "your_model.onnx", "ocr.onnx", "models/your_model.onnx"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        onnx_file(folder / name, IMAGE_AND_LENGTH)
    (folder / "directory_name").mkdir()


def written(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix in (".xml", ".bin"))


@pytest.mark.skipif(not OVC.exists(), reason="this OpenVINO has no ovc")
@pytest.mark.parametrize("line", LINES)
def test_documented_line(line, tmp_path):
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    for folder in ("ours", "theirs"):
        make_models(tmp_path / folder)
    arguments = shlex.split(line)[1:]
    environment = {**os.environ, "HOME": str(tmp_path), "OPENVINO_TELEMETRY": "0"}
    theirs = subprocess.run([OVC, *arguments], cwd=tmp_path / "theirs", env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert theirs.returncode == 0, theirs.stderr
    ours = run(*arguments, folder=tmp_path / "ours")
    assert ours.returncode == 0, ours.stderr
    # ovc writes an empty .bin for a model without weights as well.
    assert written(tmp_path / "ours") == written(tmp_path / "theirs")
    for name in written(tmp_path / "ours"):
        if name.endswith(".xml"):
            now, expected = (interface(tmp_path / folder / name) for folder in ("ours", "theirs"))
            if line in ORDERED:
                assert tuple([port for port, *_ in ports] for ports in now) == ORDERED[line]
                now, expected = ([sorted(ports) for ports in ports_of] for ports_of in (now, expected))
            assert now == expected


def test_information():
    for option in ("--version", "--help", "-h"):
        done = run(option)
        assert done.returncode == 0 and done.stdout.startswith("onnx2ir "), done.stderr
