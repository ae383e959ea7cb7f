"""The Debian package and the tarball of `./dev package`, installed into empty folders."""

import os
import subprocess

import pytest

from .test_package import BUILD, DOCUMENTED, MODEL, REPOSITORY, build_and_run, run

PACKAGES = BUILD.parent / "package"
DEBIAN = sorted(PACKAGES.glob("onnx2ir_*.deb"))
TARBALL = sorted(PACKAGES.glob("onnx2ir-*-linux-x86_64.tar.gz"))

needs_packages = pytest.mark.skipif(not (DEBIAN and TARBALL), reason="./dev package makes the packages")
pytestmark = needs_packages


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    """A root folder with the package and a separate package database."""
    root = tmp_path_factory.mktemp("root")
    (root / "var/lib/dpkg/info").mkdir(parents=True)
    (root / "var/lib/dpkg/updates").mkdir()
    (root / "var/lib/dpkg/status").touch()
    # The libraries that it depends on are those of this system.
    options = [f"--root={root}", "--force-depends", "--force-script-chrootless", "--force-not-root", "--force-bad-path"]
    run("dpkg", *options, f"--log={root}/log", "--install", DEBIAN[-1])
    return root / "usr"


@pytest.fixture(scope="module")
def tarball(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tarball")
    run("tar", "-xzf", TARBALL[-1], "-C", folder)
    (top,) = folder.iterdir()
    return top


def test_debian_tool_and_library(debian, tmp_path):
    run(debian / "bin/onnx2ir", MODEL, "-o", tmp_path / "m.xml")
    assert build_and_run(debian, tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={debian}") == DOCUMENTED


def test_debian_dependencies():
    """protobuf and ONNX are included; it depends only on the C and C++ libraries of Debian 12."""
    depends = run("dpkg-deb", "--field", DEBIAN[-1], "Depends")
    assert {name.split()[0] for name in depends.split(",")} == {"libc6", "libgcc-s1", "libstdc++6"}


def test_debian_python_package(debian):
    program = f"import onnx2ir; print([port.name for port in onnx2ir.convert({str(MODEL)!r}).outputs])"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(debian / "lib/python3/dist-packages"), "LD_LIBRARY_PATH": str(debian / "lib")}
    assert run("/usr/bin/python3", "-c", program, env=environment) == "['res_y', 'res_scan']\n"


def test_debian_documents(debian):
    page = debian / "share/man/man1/onnx2ir.1"
    assert page.read_text().startswith(".TH ONNX2IR 1")
    assert (debian / "share/bash-completion/completions/onnx2ir").exists()
    for name in ("LICENSE", "NOTICE", "CHANGELOG.md"):
        assert (debian / "share/doc/onnx2ir" / name).read_bytes() == (REPOSITORY / name).read_bytes()


def test_static_tool(tarball, tmp_path):
    """It needs no shared library and no dynamic linker."""
    tool = tarball / "bin/onnx2ir"
    done = subprocess.run(["readelf", "--program-headers", "--dynamic", tool], capture_output=True, text=True, check=True)
    assert "INTERP" not in done.stdout and "NEEDED" not in done.stdout
    run(tool, MODEL, "-o", tmp_path / "m.xml", env={})
    assert (tmp_path / "m.bin").exists()


def test_static_library(tarball, tmp_path):
    command = ["gcc", "-std=c99", "-I", tarball / "include", REPOSITORY / "tests/package/c_program/main.c", tarball / "lib/libonnx2ir.a"]
    run(*command, "-lstdc++", "-lm", "-o", tmp_path / "main")
    run(tmp_path / "main", MODEL, tmp_path)


FIND = """
cmake_minimum_required(VERSION 3.16)
project(program LANGUAGES {language})
find_package(onnx2ir 0.2 REQUIRED)
add_executable(program "{source}")
target_link_libraries(program PRIVATE onnx2ir::onnx2ir)
"""
CPP = """
#include <onnx2ir/onnx2ir.hpp>
int main(int, char** arguments) { return onnx2ir::convert_file(arguments[1]).model ? 0 : 1; }
"""


@pytest.mark.parametrize("language", ["C", "CXX"])
def test_tarball_with_cmake(tarball, tmp_path, language):
    """In C, where CMake has no C++ compiler, and in C++, where the package asks for C++20. It may be moved."""
    (tmp_path / "main.cpp").write_text(CPP)
    source = REPOSITORY / "tests/package/c_program/main.c" if language == "C" else tmp_path / "main.cpp"
    (tmp_path / "CMakeLists.txt").write_text(FIND.format(language=language, source=source))
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tarball}")
    run("cmake", "--build", tmp_path / "build")
    run(tmp_path / "build/program", MODEL, tmp_path)


def test_tarball_with_pkg_config(tarball, tmp_path):
    flags = run("pkg-config", "--cflags", "--libs", "onnx2ir", env={**os.environ, "PKG_CONFIG_PATH": str(tarball / "lib/pkgconfig")}).split()
    run("gcc", "-std=c99", REPOSITORY / "tests/package/c_program/main.c", *flags, "-o", tmp_path / "main")
    run(tmp_path / "main", MODEL, tmp_path)


def test_tarball_documents(tarball):
    for path in (REPOSITORY / "docs").glob("*.md"):
        assert (tarball / "docs" / path.name).read_bytes() == path.read_bytes()


def test_tarball_has_no_path_of_the_repository(tarball):
    for path in (tarball / "bin/onnx2ir", tarball / "lib/libonnx2ir.a"):
        assert str(REPOSITORY).encode() not in path.read_bytes()
