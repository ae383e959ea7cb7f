"""The compiler launcher of ./dev: results of ccache match the present headers."""

import os
import subprocess
from pathlib import Path

import pytest

LAUNCHER = Path(__file__).resolve().parents[1] / "cmake/compiler_cache.sh"


@pytest.fixture
def run(tmp_path):
    """Runs a command in a separate folder, with an initially empty compiler cache."""
    settings = {"CCACHE_DIR": str(tmp_path / "cache"), "CCACHE_SLOPPINESS": "pch_defines,time_macros", "CCACHE_INODECACHE": "1"}
    environment = os.environ | settings
    environment.pop("CCACHE_RECACHE", None)
    (tmp_path / "all.hpp").write_text('#include "header.hpp"\n')
    (tmp_path / "all.hpp.cxx").write_text("")

    def run(*arguments):
        done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr

    return run


def precompile(run, folder, text):
    """Writes header.hpp and makes the precompiled header all.hpp.gch as the build does."""
    (folder / "header.hpp").write_text(text)
    flags = ["-Winvalid-pch", "-fpch-preprocess", "-x", "c++-header", "-include", str(folder / "all.hpp"), "-MD", "-MF", "all.d"]
    run(LAUNCHER, "g++", *flags, "-o", "all.hpp.gch", "-c", "all.hpp.cxx")


def test_a_precompiled_header_has_the_current_headers(run, tmp_path):
    """One build folder changes from version one of a header to version two, another one from version one to version three."""

    def precompile_version(version):
        precompile(run, tmp_path, f"inline int version() {{ return {version}; }}\n")

    (tmp_path / "main.cpp").write_text("int main() { return version(); }\n")
    precompile_version(0)
    first = (tmp_path / "all.hpp.gch").read_bytes()
    precompile_version(1)
    (tmp_path / "all.hpp.gch").write_bytes(first)
    precompile_version(2)
    run("g++", "-Winvalid-pch", "-include", str(tmp_path / "all.hpp"), "main.cpp", "-o", "main")
    assert subprocess.run([tmp_path / "main"]).returncode == 2


@pytest.mark.parametrize("change", ["// another comment", "  "])
def test_a_changed_comment_rebuilds_the_precompiled_header(run, tmp_path, change):
    """After a change of a comment or of blanks, a source that includes a header of the precompiled header still compiles."""
    (tmp_path / "main.cpp").write_text('#include "header.hpp"\nint main() { return Number{}.value; }\n')
    for line in ("// a comment", change):
        precompile(run, tmp_path, f"#pragma once\n{line}\nstruct Number {{ int value = 0; }};\n")
    run("g++", "-Winvalid-pch", "-include", str(tmp_path / "all.hpp"), "-c", "main.cpp", "-o", "main.o")
