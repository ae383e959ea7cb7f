"""The example of a library with translators (examples/extension), built with the installed package, in each program that can load it."""

import os
import re
import subprocess

import numpy as np
import onnx
import onnx.parser
import openvino
import pytest

from ..cli.extension_library import compiled
from .test_distribution import debian, needs_packages, tarball  # noqa: F401 (fixtures)
from .test_package import REPOSITORY, library_folder, run
from .test_wheel import WHEELS, environment  # noqa: F401 (fixture)
from .test_wheel import run as run_in

EXAMPLE = REPOSITORY / "examples/extension"
TEXT = """
<ir_version: 10, opset_import: ["" : 17, "com.example" : 2, "org.example" : 1]>
m (float[2, 3] x, float[3] scale) => (float[2, 3] y) {
  a = com.example.Swirl <turns = 1, strength = 0.5> (x)
  y = org.example.Norm (a, scale)
}
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.onnx"
    onnx.save(onnx.parser.parse_model(TEXT), path)
    return path


def built(installed, folder, *options, **variables):
    run("cmake", "-G", "Ninja", "-S", EXAMPLE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *options, env={**os.environ, **variables})
    run("cmake", "--build", folder)
    return folder / "libswirl.so"


@pytest.fixture(scope="module")
def swirl(installed, tmp_path_factory):
    return built(installed, tmp_path_factory.mktemp("example"), f"-DCMAKE_PREFIX_PATH={installed}")


def check(xml):
    x, scale = np.float32([[1, -2, 3], [0, 0.5, -0.25]]), np.float32([1, -2, 0.5])
    a = np.roll(x, 1, -1) * 0.5
    expected = a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-5) * scale
    program = openvino.Core().compile_model(openvino.Core().read_model(xml), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    np.testing.assert_allclose(program({"x": x, "scale": scale})[0], expected, rtol=1e-5)


def test_find_package(installed, swirl, model, tmp_path):
    run(installed / "bin/onnx2ir", model, "--extension", swirl, "-o", tmp_path / "m.xml")
    check(tmp_path / "m.xml")
    assert "onnx2ir" not in run("readelf", "--dynamic", swirl)  # not linked with it


def test_pkg_config(installed, model, tmp_path):
    package = library_folder(installed) / "pkgconfig"
    swirl = built(installed, tmp_path, "-DUSE_PKG_CONFIG=ON", PKG_CONFIG_PATH=str(package))
    run(installed / "bin/onnx2ir", model, "--extension", swirl, "-o", tmp_path / "m.xml")
    check(tmp_path / "m.xml")


def test_document(installed, tmp_path):
    """The commands and the library in docs/extensions.md."""
    section = (REPOSITORY / "docs/extensions.md").read_text().split("## Convert the operator with a library of yours")[1].split("\n## ")[0]
    [source] = re.findall(r"```cpp\n(.*?)```", section, re.S)
    (tmp_path / "swirl.cpp").write_text(source)
    text = TEXT.split("m (")[0] + "m (float[2, 3] x, bool[3] mask) => (float[2, 3] y) { a = com.example.Swirl <strength = 3.0> (x) y = com.example.Swirl <strength = 0.5> (a, mask) }"
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    variables = {"PATH": f"{installed / 'bin'}:{os.environ['PATH']}", "PKG_CONFIG_PATH": str(library_folder(installed) / "pkgconfig")}
    commands = [line.strip() for line in section.split("```")[0].splitlines() if line.startswith("    ")]
    assert len(commands) == 2
    for command in commands:
        subprocess.run(["bash", "-ec", command], cwd=tmp_path, env={**os.environ, **variables}, check=True)
    x, mask = np.float32([[1, -2, 3], [0, 0.5, -0.25]]), np.array([True, False, True])
    program = openvino.Core().compile_model(openvino.Core().read_model(tmp_path / "model.xml"), "CPU")
    assert program({"x": x, "mask": mask})[0].tolist() == np.where(mask, x * 1.5, x * 3).tolist()


PROGRAM = """
#include <onnx2ir/onnx2ir.hpp>
#include <iostream>
int main(int, char** words) {
  onnx2ir::Options options;
  options.extensions = {words[2]};
  const auto conversion = onnx2ir::convert_file(words[1], options);
  for (const auto& diagnostic : conversion.diagnostics) std::cerr << onnx2ir::to_string(diagnostic);
  if (!conversion.model) return 1;
  return conversion.model->save(words[3]) ? 1 : 0;
}
"""
C_PROGRAM = """
#include <onnx2ir/onnx2ir.h>
#include <stdio.h>
int main(int count, char** words) {
  onnx2ir_options* options = onnx2ir_options_new();
  onnx2ir_conversion* conversion;
  if (count != 4 || onnx2ir_options_set(options, "extension", words[2]) != ONNX2IR_OK) return 2;
  conversion = onnx2ir_convert_file(words[1], options);
  fputs(onnx2ir_conversion_text(conversion), stderr);
  if (onnx2ir_conversion_status(conversion) != ONNX2IR_OK) return 1;
  return onnx2ir_conversion_save(conversion, words[3], NULL, NULL);
}
"""


@pytest.mark.parametrize(("compiler", "source"), [(["g++", "-x", "c++", "-std=c++20"], PROGRAM), (["gcc", "-x", "c", "-std=c99"], C_PROGRAM)])
def test_shared_library(installed, swirl, model, tmp_path, compiler, source):
    folder = library_folder(installed)
    flags = ["-I", str(installed / "include"), "-o", str(tmp_path / "program"), "-", "-x", "none", "-L", str(folder), "-lonnx2ir", f"-Wl,-rpath,{folder}"]
    subprocess.run([*compiler, *flags], input=source, text=True, check=True)
    run(tmp_path / "program", model, swirl, tmp_path / "m.xml")
    check(tmp_path / "m.xml")


@needs_packages
def test_debian_package(debian, model, tmp_path):  # noqa: F811
    swirl = built(debian, tmp_path, f"-DCMAKE_PREFIX_PATH={debian}")
    run(debian / "bin/onnx2ir", model, "--extension", swirl, "-o", tmp_path / "m.xml")
    check(tmp_path / "m.xml")


@needs_packages
def test_static_tool(tarball, swirl, model, tmp_path):  # noqa: F811
    """It has no dynamic linker; that of another glibc could not be used either."""
    done = subprocess.run([tarball / "bin/onnx2ir", model, "--extension", swirl, "-o", tmp_path / "m.xml"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "this onnx2ir is linked statically and cannot load libraries [bad-extension]" in done.stderr, done.stderr
    assert "hint: use onnx2ir of the Python wheel or of the Debian package" in done.stderr


@needs_packages
def test_static_library(tarball, swirl, model, tmp_path):  # noqa: F811
    """In a program that is not static itself."""
    flags = ["-I", str(tarball / "include"), "-o", str(tmp_path / "program"), "-", "-x", "none", str(tarball / "lib/libonnx2ir.a"), "-lstdc++", "-lm"]
    subprocess.run(["gcc", "-x", "c", "-std=c99", *flags], input=C_PROGRAM, text=True, check=True)
    run(tmp_path / "program", model, swirl, tmp_path / "m.xml")
    check(tmp_path / "m.xml")


@pytest.mark.skipif(not WHEELS, reason="./dev wheel makes the wheel")
def test_wheel(environment, swirl, model, tmp_path):  # noqa: F811
    """The command and the module, with a library that is built with the headers of the wheel."""
    folder = run_in(environment, "python", "-I", "-c", "import onnx2ir; print(onnx2ir.get_include())").strip()
    assert "site-packages" in folder
    made = compiled(tmp_path / "libswirl.so", (EXAMPLE / "swirl.cpp").read_text(), include=folder)
    run_in(environment, "onnx2ir", model, "--extension", made, "-o", tmp_path / "c.xml")
    check(tmp_path / "c.xml")
    run_in(environment, "onnx2ir", model, "--extension", swirl, "-o", tmp_path / "a.xml")
    check(tmp_path / "a.xml")
    run_in(environment, "python", "-I", "-c", f"import onnx2ir; onnx2ir.convert({str(model)!r}, extension={str(swirl)!r}).save({str(tmp_path / 'b.xml')!r})")
    check(tmp_path / "b.xml")
