"""The C interface: a C program, and a C++ program with another protobuf, linked with the shared and the static library."""

import json
import subprocess

import pytest

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
    version, problem, description = run(tmp_path / "main", MODEL, tmp_path).splitlines()
    assert version == "version " + run(installed / "bin/onnx2ir", "--version").split()[1]
    assert problem == "there is no option 'target_runtimes'; did you mean 'target_runtime'?"
    assert [port["name"] for port in json.loads(description)["inputs"]] == ["y"]
    assert (tmp_path / "model.bin").exists()


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


def exported(library):
    lines = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(line.split()[2] for line in lines if line.split()[2].startswith("onnx2ir_"))


def test_abi(installed, request):
    """The functions of the C interface; removing one requires a new ONNX2IR_ABI_VERSION."""
    path = FOLDER / "c_abi.txt"
    now = "\n".join(exported(library_folder(installed) / "libonnx2ir.so")) + "\n"
    if request.config.option.update:
        path.write_text(now)
    assert path.read_text() == now


@needs_static
def test_static_library_hides_all_other_names():
    done = subprocess.run(["nm", "--defined-only", "--extern-only", STATIC], capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in done.stdout.splitlines() if len(line.split()) == 3]
    assert names and not [name for name in names if not name.startswith("onnx2ir_") and "7onnx2ir" not in name]
