"""A program built against the installed package converts a Loop and runs it with OpenVINO's C++ API."""

import os
import subprocess
from pathlib import Path

import openvino

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ONNX2IR_BUILD", REPOSITORY / "build/release"))
MODEL = REPOSITORY / "tests/models/loop_11.onnx"
OPENVINO_CMAKE = Path(openvino.__file__).parent / "cmake"

# The result the ONNX specification documents for five iterations from y = -2.
DOCUMENTED = "res_y [1]: 13\nres_scan [5,1]: -1 1 4 8 13\n"


def run(*command, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def library_folder(installed):
    return next(installed.rglob("libonnx2ir.so")).parent


def build_and_run(installed, folder, *options, **environment):
    run(
        "cmake",
        *("-G", "Ninja", "-S", REPOSITORY / "tests/package/consumer", "-B", folder, "-DCMAKE_BUILD_TYPE=Release"),
        f"-DOpenVINO_DIR={OPENVINO_CMAKE}",
        *options,
        env={**os.environ, **environment},
    )
    run("cmake", "--build", folder)
    return run(folder / "consumer", MODEL, env={**os.environ, "LD_LIBRARY_PATH": str(library_folder(installed))})


def test_find_package(installed, tmp_path):
    assert build_and_run(installed, tmp_path, f"-DCMAKE_PREFIX_PATH={installed}") == DOCUMENTED


def test_pkg_config(installed, tmp_path):
    package = library_folder(installed) / "pkgconfig"
    assert build_and_run(installed, tmp_path, "-DUSE_PKG_CONFIG=ON", PKG_CONFIG_PATH=str(package)) == DOCUMENTED


def test_installed_tool(installed, tmp_path):
    run(installed / "bin/onnx2ir", MODEL, "-o", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"loop_11.xml", "loop_11.bin"}


def test_library_shows_the_public_api_only(installed):
    symbols = run("nm", "--dynamic", "--defined-only", "--demangle", library_folder(installed) / "libonnx2ir.so")
    names = [line.split(maxsplit=2)[2] for line in symbols.splitlines()]
    foreign = [name for name in names if not any(part in name for part in ("onnx2ir::", "onnx2ir_", "std::"))]
    assert names and not foreign
