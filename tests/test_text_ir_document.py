"""The examples of docs/text-ir.md: commands print the given output, and texts are in the form of the printer."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .passes.tool import opt_path

ROOT = Path(__file__).parent.parent
DOCUMENT = (ROOT / "docs/text-ir.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)


def run(arguments, folder):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("text", blocks("ir"))
def test_text(text, tmp_path):
    (tmp_path / "example.ir").write_text(text)
    assert run([opt_path(), "example.ir"], tmp_path) == text


@pytest.mark.parametrize("session", blocks("console"))
def test_session(session, tmp_path):
    """`$ cat FILE` writes the file; other commands print the text that follows them."""
    shutil.copytree(ROOT / "tests/models", tmp_path / "tests/models", ignore=lambda folder, names: [n for n in names if n == "found"])
    for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, output = step.split("\n", 1)
        if command.startswith("cat "):
            (tmp_path / command.split()[1]).write_text(output)
        else:
            program, *arguments = command.split()
            assert os.path.basename(program) == "onnx2ir-opt"
            assert run([opt_path(), *arguments], tmp_path) == output


def test_commands():
    """The options in the table of commands are those of the tools."""
    helps = run([opt_path(), "--help"], ROOT)
    table = DOCUMENT.split("| to do |", 1)[1].split("\n\n", 1)[0]
    for options in re.findall(r"`onnx2ir-opt (.*?)`", table):
        for option in re.findall(r"(?<!\S)--?[\w-]+", options):
            assert re.search(rf"(?<!\S){option}[, ]", helps), option
