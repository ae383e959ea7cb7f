"""The script and the workflow in examples/golden-files."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ..conformance.tool import tool_path
from .command import IMAGE_AND_LENGTH, onnx_file

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/golden-files"


@pytest.fixture
def repository(tmp_path):
    """A repository with a model, as the workflow describes it, and a folder with the tool."""
    (tmp_path / "models").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/onnx2ir").symlink_to(Path(tool_path()).resolve())
    onnx_file(tmp_path / "models/ocr.onnx", IMAGE_AND_LENGTH)
    shutil.copy(EXAMPLE / "golden.sh", tmp_path)
    return tmp_path


def shell(repository, command, **variables):
    environment = {"PATH": f"{repository / 'bin'}:{os.environ['PATH']}", **variables}
    return subprocess.run(["sh", "-c", command], cwd=repository, env=environment, capture_output=True, text=True, check=False)


def steps():
    """The commands of the workflow after the installation, in order."""
    text = (EXAMPLE / "golden-files.yml").read_text()
    single = re.findall(r"^ +- run: (.*)$", text, re.MULTILINE)
    [pages] = re.findall(r"run: \|\n((?: {10}.*\n)+)", text)
    return single[1], pages


def test_workflow(repository):
    check, pages = steps()
    assert shell(repository, "./golden.sh update models/*.onnx").returncode == 0
    assert "= Parameter" in (repository / "golden/ocr.txt").read_text()
    done = shell(repository, check, GITHUB_ACTIONS="true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    onnx_file(repository / "models/ocr.onnx", IMAGE_AND_LENGTH.replace("Relu", "Abs"))
    done = shell(repository, check, GITHUB_ACTIONS="true")
    assert done.returncode == 1 and "+%more = Abs" in done.stdout
    assert "\n::error file=models/ocr.onnx,title=golden file::the IR differs from golden/ocr.txt" in done.stdout
    assert shell(repository, pages).returncode == 0 and (repository / "pages/ocr.html").read_text().startswith("<!DOCTYPE html>")


def test_models_that_cannot_be_converted(repository):
    (repository / "models/bad.onnx").write_text('<ir_version: 10, opset_import: ["" : 17]> bad (float x) => (float y) { y = Neg (a) }')
    done = shell(repository, "./golden.sh update models/*.onnx", GITHUB_ACTIONS="true")
    assert done.returncode == 1 and "::error file=models/bad.onnx,title=undefined-name::" in done.stderr
    assert [path.name for path in (repository / "golden").iterdir()] == ["ocr.txt"]


def test_options_and_usage(repository):
    for command, files in (("update", ["ocr.txt"]), ("check", ["ocr.txt"])):
        assert shell(repository, f"./golden.sh {command} models/*.onnx", ONNX2IR_OPTIONS="--compress-to-fp16 --target-runtime 2026.4", GOLDEN="other").returncode == 0
        assert [path.name for path in (repository / "other").iterdir()] == files
    assert shell(repository, "./golden.sh").returncode == 2
    done = shell(repository, "./golden.sh check models/ocr.onnx")
    assert done.returncode == 1 and "the IR differs from golden/ocr.txt" in done.stderr
