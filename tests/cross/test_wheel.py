"""The wheel for the other system: its command, and its Python module in a clean environment where Python runs."""

import os
import zipfile
from pathlib import Path

import pytest

from .tools import HERE, MODEL, files, run, text

WHEEL = os.environ.get("ONNX2IR_CROSS_WHEEL")
EMULATOR = os.environ.get("ONNX2IR_CROSS_EMULATOR", "")
ROOT = os.environ.get("ONNX2IR_CROSS_PYTHON")  # the folder of a system with Python for aarch64

pytestmark = pytest.mark.skipif(not WHEEL, reason="there is no wheel for this system")


def test_name():
    assert Path(WHEEL).name.endswith(("-py3-none-manylinux_2_28_aarch64.whl", "-py3-none-win_amd64.whl"))


def test_command(tmp_path):
    with zipfile.ZipFile(WHEEL) as archive:
        [name] = [name for name in archive.namelist() if ".data/scripts/" in name]
        tool = Path(archive.extract(name, tmp_path / "wheel"))
    tool.chmod(0o755)
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    assert run(HERE, MODEL, "-o", tmp_path / "here/m.xml").returncode == 0
    done = run(EMULATOR, tool, MODEL, "-o", tmp_path / "there/m.xml")
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "there") == files(tmp_path / "here")


PROGRAM = """
import platform, sys, onnx2ir
assert "site-packages" in onnx2ir.__file__
model = onnx2ir.convert(sys.argv[1])
model.save(sys.argv[2])
onnx2ir.check_files(sys.argv[2])
try:
    onnx2ir.convert(b"no model")
except onnx2ir.ConversionError as error:
    print(platform.machine(), len(onnx2ir.supported_operators()) > 150, error.diagnostics[0].code)
"""


@pytest.mark.skipif(not ROOT, reason="no Python for this system")
def test_module(tmp_path):
    """Nothing else is installed in the environment."""

    def python(program, *arguments):
        done = run("qemu-aarch64-static", "-L", ROOT, program, *arguments, cwd=tmp_path)
        assert done.returncode == 0, text(done.stderr)
        return text(done.stdout)

    [interpreter] = Path(ROOT, "usr/bin").glob("python3.[0-9]*[0-9]")
    [pip] = Path(ROOT, "usr/share/python-wheels").glob("pip-*.whl")
    # Linux does not know how to run the programs of the environment itself: pip is not started from venv.
    python(interpreter, "-m", "venv", "--without-pip", "--copies", tmp_path / "environment")
    own = tmp_path / "environment/bin/python"
    python(own, pip / "pip", "install", "--no-index", "--no-deps", "--quiet", WHEEL)
    words = python(own, "-I", "-c", PROGRAM, MODEL, tmp_path / "m.xml").split()
    assert words[:2] == ["aarch64", "True"] and len(words) == 3
    assert run(HERE, MODEL, "-o", tmp_path / "n.xml").returncode == 0
    assert (tmp_path / "m.xml").read_bytes() == (tmp_path / "n.xml").read_bytes()
    assert (tmp_path / "m.bin").read_bytes() == (tmp_path / "n.bin").read_bytes()
    assert python(tmp_path / "environment/bin/onnx2ir", "--version").startswith("onnx2ir ")
