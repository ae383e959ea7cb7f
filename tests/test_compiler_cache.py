"""The compiler launcher of ./dev: results of ccache match the present headers."""

import os
import subprocess
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parents[1] / "cmake/compiler_cache.sh"


def test_a_precompiled_header_is_made_of_the_headers_as_they_are(tmp_path):
    """One build folder changes from version one of a header to version two, another one from version one to version three."""
    environment = os.environ | {"CCACHE_DIR": str(tmp_path / "cache"), "CCACHE_SLOPPINESS": "pch_defines,time_macros"}
    environment.pop("CCACHE_RECACHE", None)

    def run(*arguments):
        done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def precompile(version):
        (tmp_path / "header.hpp").write_text(f"inline int version() {{ return {version}; }}\n")
        (tmp_path / "all.hpp").write_text('#include "header.hpp"\n')
        flags = ["-Winvalid-pch", "-fpch-preprocess", "-x", "c++-header", "-include", str(tmp_path / "all.hpp")]
        run(LAUNCHER, "g++", *flags, "-o", "all.hpp.gch", "-c", "all.hpp.cxx")

    (tmp_path / "all.hpp.cxx").write_text("")
    (tmp_path / "main.cpp").write_text("int main() { return version(); }\n")
    precompile(0)
    first = (tmp_path / "all.hpp.gch").read_bytes()
    precompile(1)
    (tmp_path / "all.hpp.gch").write_bytes(first)
    precompile(2)
    run("g++", "-Winvalid-pch", "-include", str(tmp_path / "all.hpp"), "main.cpp", "-o", "main")
    assert subprocess.run([tmp_path / "main"]).returncode == 2
