"""The C interface: a C program, and a C++ program with another protobuf, linked with the shared and the static library."""

import ctypes
import importlib
import json
import subprocess

import pytest

from . import c_abi
from .test_package import BUILD, MODEL, REPOSITORY, library_folder, run

FOLDER = REPOSITORY / "tests/package"
STATIC = BUILD / "self_contained/libonnx2ir.a"

needs_static = pytest.mark.skipif(not STATIC.exists(), reason="./dev package makes the static library")
LINKING = ["shared", pytest.param("static", marks=needs_static)]


def link_options(installed, linking):
    if linking == "static":
        return [STATIC, "-lstdc++", "-lm", "-lpthread"]
    folder = library_folder(installed)
    return ["-L", folder, "-lonnx2ir", f"-Wl,-rpath,{folder}"]


@pytest.mark.parametrize("linking", LINKING)
def test_c_program(installed, tmp_path, linking):
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    run("gcc", *warnings, "-I", installed / "include", FOLDER / "c_program/main.c", *link_options(installed, linking), "-o", tmp_path / "main")
    version, problem, description = run(tmp_path / "main", MODEL, tmp_path).split("\n", 2)
    assert version == "version " + run(installed / "bin/onnx2ir", "--version").split()[1]
    assert problem == "there is no option 'target_runtimes'; did you mean 'target_runtime'?"
    assert [port["name"] for port in json.loads(description)["inputs"]] == ["y"]
    assert (tmp_path / "model.bin").exists()


def test_null_in_place_of_text(onnx2ir):
    """An error, not the end of the process."""
    functions = importlib.import_module("onnx2ir._library").library
    options = functions.onnx2ir_options_new()
    for name, value, problem in ((None, b"x", b"the name of the option is NULL"), (b"target_runtime", None, b"the value is NULL")):
        assert functions.onnx2ir_options_set(options, name, value) != 0 and functions.onnx2ir_options_problem(options) == problem
    functions.onnx2ir_options_delete(options)
    made = [
        (functions.onnx2ir_convert_file(None, None), b"the path of the model is NULL"),
        (functions.onnx2ir_convert_bytes(None, 1, None), b"the model is NULL"),
        (functions.onnx2ir_convert_bytes(None, 0, None), b"the model cannot be read: it is empty"),
        (functions.onnx2ir_read_ir(None, None), b"the path of the XML is NULL"),
        (functions.onnx2ir_read_ir_bytes(None, 0, None, 0), b"the XML is NULL"),
    ]
    for conversion, problem in made:
        assert functions.onnx2ir_conversion_status(conversion) != 0 and problem in functions.onnx2ir_conversion_text(conversion)
        functions.onnx2ir_conversion_delete(conversion)
    conversion = functions.onnx2ir_convert_file(str(MODEL).encode(), None)
    assert functions.onnx2ir_conversion_save(conversion, None, None, None) != 0 and b"is NULL" in functions.onnx2ir_conversion_text(conversion)
    functions.onnx2ir_conversion_delete(conversion)
    problem = ctypes.create_string_buffer(100)
    assert functions.onnx2ir_check_files(None, None, problem, 100) != 0 and problem.value == b"the path of the XML is NULL"


@needs_static  # without ./dev package, the shared library uses the host's libprotobuf.so
@pytest.mark.parametrize("linking", LINKING)
def test_host_with_its_own_protobuf(installed, tmp_path, linking):
    source = FOLDER / "protobuf_host"
    run("protoc", f"--cpp_out={tmp_path}", f"--proto_path={source}", "onnx-ml.proto")
    # The host's protobuf comes first, so that it would be used for symbols that are not hidden.
    flags = ["-std=c++17", "-I", installed / "include", "-I", tmp_path]
    run("g++", *flags, source / "main.cpp", tmp_path / "onnx-ml.pb.cc", "-lprotobuf", *link_options(installed, linking), "-o", tmp_path / "host")
    assert run(tmp_path / "host", MODEL) == "converted own messages work\n"


def test_header_alone(tmp_path):
    """C90 with C99's integers, and C++."""
    (tmp_path / "a.c").write_text("#include <onnx2ir/onnx2ir.h>\nint main(void) { return ONNX2IR_OK; }\n")
    for compiler in (["gcc", "-std=c99"], ["g++", "-x", "c++", "-std=c++11"]):
        run(*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", REPOSITORY / "include", tmp_path / "a.c")


@pytest.mark.parametrize(("standard", "is_accepted"), [("c++17", False), ("c++20", True)])
def test_standard_of_the_cpp_header(tmp_path, standard, is_accepted):
    (tmp_path / "a.cpp").write_text("#include <onnx2ir/onnx2ir.hpp>\n")
    command = ["g++", f"-std={standard}", "-fsyntax-only", "-I", str(REPOSITORY / "include"), str(tmp_path / "a.cpp")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == is_accepted
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert is_accepted or "needs C++20: compile with -std=c++20, or use onnx2ir/onnx2ir.h" in errors[0]


def exported(library):
    lines = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(line.split()[2] for line in lines if line.split()[2].startswith("onnx2ir_"))


@pytest.mark.parametrize(("header", "macro"), [("onnx2ir.h", "ONNX2IR_ABI_VERSION"), ("extension.h", "ONNX2IR_EXTENSION_VERSION")])
def test_abi(tmp_path, request, header, macro):
    """Functions, types, layouts and values are those of the kept file. --update accepts additions; other changes need a new number."""
    path = FOLDER / f"c_abi.{header}.txt"
    now = c_abi.describe(header, REPOSITORY / "include", tmp_path)
    before = c_abi.parsed(path.read_text()) if path.exists() else {}
    assert c_abi.violations(before, now, macro) == [], f"this breaks programs that exist: raise {macro} (docs/embedding.md)"
    if request.config.option.update:
        path.write_text(c_abi.text_of(now))
    assert path.read_text() == c_abi.text_of(now)


def test_exported_functions_are_those_of_the_header(installed, tmp_path):
    facts = c_abi.describe("onnx2ir.h", REPOSITORY / "include", tmp_path)
    assert exported(library_folder(installed) / "libonnx2ir.so") == sorted(key.split()[1] for key in facts if key.startswith("function "))


ABI_HEADER = """
#include <stddef.h>
#define ONNX2IR_ABI_VERSION 1
typedef enum onnx2ir_color { ONNX2IR_RED = 0, ONNX2IR_BLUE = 1 } onnx2ir_color;
typedef struct onnx2ir_table { size_t size; int (*call)(void* data, const char* name); } onnx2ir_table;
typedef struct onnx2ir_pair { short first; short second; } onnx2ir_pair;
typedef void (*onnx2ir_report)(const char* text, double done);
__attribute__((visibility("default"))) int onnx2ir_run(const onnx2ir_pair* pair, onnx2ir_report report);
"""


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (("", ""), []),
        (("int onnx2ir_run", "int onnx2ir_stop(void); int onnx2ir_run"), []),
        (("* pair,", "* two,"), []),
        (("name); }", "name); int more; }"), []),
        (("_BLUE = 1", "_BLUE = 1, ONNX2IR_GREEN = 2"), []),
        (("int onnx2ir_run(", "int onnx2ir_walk("), ["function onnx2ir_run is gone"]),
        (("double done", "float done"), ["type onnx2ir_report was 'void (*)(const char*, double)' and is 'void (*)(const char*, float)'"]),
        (("int onnx2ir_run", "long onnx2ir_run"), ["function onnx2ir_run was 'int (const onnx2ir_pair*, onnx2ir_report)' and is 'long (const onnx2ir_pair*, onnx2ir_report)'"]),
        (("_BLUE = 1", "_BLUE = 2"), ["enum onnx2ir_color.ONNX2IR_BLUE was '1' and is '2'"]),
        (("short second;", "short second; short third;"), ["field onnx2ir_pair.third is new", "size onnx2ir_pair was '4' and is '6'"]),
        (("short first; short second;", "short second; short first;"), ["offset onnx2ir_pair.first was '0' and is '2'", "offset onnx2ir_pair.second was '2' and is '0'"]),
        (("size_t size; int (*call)", "size_t size; int more; int (*call)"), ["field onnx2ir_table.more is new", "offset onnx2ir_table.call was '8' and is '16'"]),
        (("VERSION 1", "VERSION 2"), []),
    ],
)  # fmt: skip
def test_changes_of_an_abi(tmp_path, change, found):
    folder = tmp_path / "include/onnx2ir"
    folder.mkdir(parents=True)
    facts = []
    for text in (ABI_HEADER, ABI_HEADER.replace(*change)):
        (folder / "a.h").write_text(text)
        facts.append(c_abi.describe("a.h", tmp_path / "include", tmp_path))
    assert c_abi.violations(*facts, "ONNX2IR_ABI_VERSION") == found
    assert c_abi.violations(facts[0], facts[1] | {"macro ONNX2IR_ABI_VERSION": "9"}, "ONNX2IR_ABI_VERSION") == []
    assert c_abi.parsed(c_abi.text_of(facts[1])) == facts[1]


@needs_static
def test_static_library_hides_all_other_names():
    done = subprocess.run(["nm", "--defined-only", "--extern-only", STATIC], capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in done.stdout.splitlines() if len(line.split()) == 3]
    assert names and not [name for name in names if not name.startswith("onnx2ir_") and "7onnx2ir" not in name]
