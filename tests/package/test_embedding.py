"""The code in docs/embedding.md, with the installed package."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import openvino
import pytest

from .test_package import REPOSITORY, library_folder, run

DOCUMENT = (REPOSITORY / "docs/embedding.md").read_text()
MODEL = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[n, 3, h, w] x, int32[b, s] mask, float rate) => (float[n, 3, h, w] scores, int32[b, s] other) {
  scores = Mul (x, rate)
  other = Neg (mask)
}
"""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)


@pytest.fixture
def model(tmp_path):
    onnx.save(onnx.parser.parse_model(MODEL), tmp_path / "model.onnx")
    return tmp_path


def compiled(installed, compiler, source, folder, *options):
    package = library_folder(installed) / "pkgconfig"
    flags = run("pkg-config", "--cflags", "--libs", "onnx2ir", env={**os.environ, "PKG_CONFIG_PATH": str(package)}).split()
    command = [*compiler, "-o", str(folder / "program"), "-", "-x", "none", *flags, f"-Wl,-rpath,{library_folder(installed)}", *map(str, options)]
    subprocess.run(command, input=source, text=True, check=True)
    return folder / "program"


def check(xml):
    x = np.float32(np.arange(12)).reshape(1, 3, 2, 2)
    result = openvino.Core().compile_model(openvino.Core().read_model(xml), "CPU")({"x": x, "rate": np.float32(2), "mask": np.int32([[1]])})
    assert result["scores"].tolist() == (x * 2).tolist()


def test_cpp(installed, model):
    convert, stream, layers, weights = blocks("cpp")
    include = Path(openvino.__file__).parent / "include"
    [library] = sorted((Path(openvino.__file__).parent / "libs").glob("libopenvino.so.*"))[-1:]
    source = f"""
    #include <onnx2ir/onnx2ir.hpp>
    #include <openvino/openvino.hpp>
    #include <fstream>
    #include <iostream>
    int main() {{
      {convert}
      ov::Core core;
      const onnx2ir::Model& model = *conversion.model;
      {weights}
      {stream}
      {layers}
      std::cout << compiled.inputs().size();
    }}"""
    program = compiled(installed, ["g++", "-x", "c++", "-std=c++20", "-isystem", str(include)], source, model, library, f"-Wl,-rpath,{library.parent}")
    *layers_of_model, inputs = run(program, cwd=model).splitlines()
    assert inputs == "3" and {" x Parameter", " scores/sink_port_0 Result"} & set(layers_of_model)
    check(model / "model.xml")


def test_c(installed, model):
    [code] = blocks("c")
    source = f"#include <onnx2ir/onnx2ir.h>\n#include <stdio.h>\nint main(void) {{\n{code}return 0;\n}}\n"
    program = compiled(installed, ["gcc", "-x", "c", "-std=c99"], source.replace("[1,3,224,224]", "[1,3,2,2]"), model)
    run(program, cwd=model)
    check(model / "model.xml")


def test_python(installed, model):
    [code] = blocks("python")
    [package] = installed.rglob("dist-packages")
    [command] = re.findall(r"^    python -c '(.*)'$", DOCUMENT, re.MULTILINE)
    for text in (command, f"import onnx2ir\n{code}"):
        subprocess.run([sys.executable, "-c", text], cwd=model, env={**os.environ, "PYTHONPATH": str(package), "LD_LIBRARY_PATH": str(library_folder(installed))}, check=True)
    check(model / "model.xml")
