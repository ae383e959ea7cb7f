"""Compiles libraries with translators (include/onnx2ir/extension.hpp)."""

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "examples/extension/swirl.cpp"

START = """
#include <onnx2ir/extension.hpp>
#include <stdexcept>
using namespace onnx2ir::extension;
"""


def compiled(path, source, *options, include=REPOSITORY / "include"):
    """The shared library `path` of C++ source, or of C source if its name ends with .c.so."""
    command = ["gcc", "-x", "c", "-std=c99"] if path.name.endswith(".c.so") else [os.environ.get("CXX", "g++"), "-x", "c++", "-std=c++17"]
    command += ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-shared", "-fPIC", "-I", str(include), "-o", str(path), "-", *options]
    subprocess.run(command, input=source, text=True, check=True)
    return path


def library(path, rows, functions=""):
    """A library that registers `rows` of the table."""
    return compiled(path, f"{START}{functions}\nstd::vector<Translator> onnx2ir::extension::translators() {{ return {{{rows}}}; }}\n")


def converts(name, body, domain="com.example", since=1):
    """The row of an operator with the body of its translator."""
    return f'{{"{domain}", "{name}", {since}, [](Node& node) -> Values {{ {body} }}}}'
