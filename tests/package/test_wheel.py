"""The wheel, installed into an environment without a compiler, and used there."""

import re
import subprocess
import sys
import sysconfig
import time
import zipfile

import mypy.api
import pytest

from .test_package import BUILD, MODEL, REPOSITORY

WHEELS = sorted((BUILD.parent / "wheel").glob("*.whl"))

pytestmark = pytest.mark.skipif(not WHEELS, reason="./dev wheel makes the wheel")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The folder of a virtual environment with only the wheel, and the environment variables for it."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin/pip", "install", "--no-index", "--no-deps", "--quiet", WHEELS[-1]], check=True)
    return folder, {"PATH": str(folder / "bin"), "HOME": str(folder)}


def run(environment, *command, **options):
    folder, variables = environment
    done = subprocess.run([folder / "bin" / command[0], *map(str, command[1:])], env=variables, cwd=folder, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_name_and_size():
    """One wheel for each Python from 3.9 on and each Linux with glibc 2.28, at most 15 MB."""
    wheel = WHEELS[-1]
    assert re.fullmatch(r"onnx2ir-\d+\.\d+\.\d+-py3-none-manylinux_2_(1[7-9]|2[0-8])_x86_64\.whl", wheel.name)
    assert wheel.stat().st_size <= 15_000_000
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for ending in ("onnx2ir/py.typed", "onnx2ir/libonnx2ir.so", "scripts/onnx2ir", "licenses/LICENSE", "licenses/NOTICE"):
        assert [name for name in names if name.endswith(ending)], (ending, names)


def test_command(environment, tmp_path):
    for command in (["onnx2ir"], ["python", "-m", "onnx2ir"]):
        run(environment, *command, MODEL, "-o", tmp_path / "m.xml", "--input", "trip_count->5")
        assert (tmp_path / "m.xml").exists()
    assert run(environment, "onnx2ir", "--version").split()[1] == WHEELS[-1].name.split("-")[1]


def test_module(environment, tmp_path):
    """Without numpy, onnx and OpenVINO."""
    program = f"""
import pickle, sys, onnx2ir
model = onnx2ir.convert({str(MODEL)!r}, input={{"y": [1]}})
print([port.name for port in model.inputs], model.inputs[0].shape)
model.save({str(tmp_path / "m.xml")!r})
onnx2ir.check_files({str(tmp_path / "m.xml")!r})
assert onnx2ir.convert(open({str(MODEL)!r}, "rb")).xml() and len(onnx2ir.supported_operators()) > 150
assert "numpy" not in sys.modules
print(onnx2ir.__version__)
"""
    ports, version = run(environment, "python", "-I", "-c", program).splitlines()
    assert ports == "['y', 'trip_count', 'cond'] (1,)" and version == WHEELS[-1].name.split("-")[1]


def test_files_are_those_of_the_record(environment):
    """pip does not check them during installation."""
    run(environment, "python", "-m", "pip", "check")
    listed = run(environment, "python", "-m", "pip", "show", "--files", "onnx2ir")
    assert "onnx2ir/_api.py" in listed and "bin/onnx2ir" in listed


def test_quick_start(environment, tmp_path):
    """The commands of docs/quick-start.md after the installation print what it shows, and the comparison with onnxruntime is there in less than
    a minute. Python, OpenVINO and onnxruntime are those of the tests."""
    start = time.monotonic()
    folder, _ = environment
    [packages] = folder.glob("lib/python3*/site-packages")
    variables = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "PYTHONPATH": f"{packages}:{sysconfig.get_path('purelib')}"}
    install, *sessions = re.findall(r"^```console\n(.*?)^```$", (REPOSITORY / "docs/quick-start.md").read_text(), re.DOTALL | re.MULTILINE)
    assert "pip install build/wheel/onnx2ir-*.whl" in install
    for session in sessions:
        for part in ("\n" + session).split("\n$ ")[1:]:
            here = re.match(r"(.*<<'END'\n.*?\nEND\n|.*\n?)", part, re.DOTALL if "<<" in part.split("\n")[0] else 0)[0]
            command = here.replace("python3 ", f"{sys.executable} ", 1) if here.startswith("python3 ") else here
            done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            expected = part[len(here) :].strip()
            assert (" ".join(done.stdout.split()) if here.startswith("ls") else done.stdout.strip()) == (" ".join(expected.split()) if here.startswith("ls") else expected)
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("shape, is_right", [("tuple[onnx2ir.Dimension, ...] | None", True), ("list[int]", False)])
def test_types(environment, tmp_path, monkeypatch, shape, is_right):
    """mypy finds the types in the package."""
    folder, _ = environment
    (tmp_path / "use.py").write_text(
        f"import typing\nimport onnx2ir\ntyping.assert_type(onnx2ir.convert('m.onnx').inputs[0].shape, {shape})\n"
    )
    monkeypatch.chdir(tmp_path)
    text, errors, code = mypy.api.run(["--python-executable", str(folder / "bin/python"), "--strict", "use.py"])
    assert (code == 0) == is_right, text + errors
    assert is_right or "assert-type" in text, text + errors
