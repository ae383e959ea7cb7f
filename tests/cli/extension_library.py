"""Compiles libraries with translators (include/onnx2ir/extension.hpp)."""

import functools
import os
import subprocess
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "examples/extension/swirl.cpp"

START = """
#include <onnx2ir/extension.hpp>
#include <stdexcept>
using namespace onnx2ir::extension;
"""


@functools.cache
def shared_library(source, compiler, options):
    """The bytes of the shared library that the compiler makes of the source."""
    with tempfile.NamedTemporaryFile(suffix=".so") as made:
        warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
        subprocess.run([*compiler, *warnings, "-shared", "-fPIC", "-o", made.name, "-", *options], input=source + "\n", text=True, check=True)
        return Path(made.name).read_bytes()


def compiled(path, source, *options, include=REPOSITORY / "include"):
    """The shared library `path` of C++ source, or of C source if its name ends with .c.so. Equal sources are compiled once."""
    flags = os.environ.get("ONNX2IR_EXTENSION_FLAGS", "").split()  # of sanitizers
    is_c = path.name.endswith(".c.so")
    compiler = ("clang" if flags else "gcc", "-x", "c", "-std=c99") if is_c else (os.environ.get("CXX", "g++"), "-x", "c++", "-std=c++17")
    path.write_bytes(shared_library(source, compiler, ("-I", str(include), *flags, *options)))
    return path


def library(path, rows, functions=""):
    """A library that registers `rows` of the table."""
    return compiled(path, f"{START}{functions}\nstd::vector<Translator> onnx2ir::extension::translators() {{ return {{{rows}}}; }}\n")


def converts(name, body, domain="com.example", since=1):
    """The row of an operator with the body of its translator."""
    return f'{{"{domain}", "{name}", {since}, [](Node& node) -> Values {{ {body} }}}}'
