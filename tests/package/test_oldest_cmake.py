"""A first configuration by hand, as README.md describes it, with the oldest CMake that CMakeLists.txt permits."""

import re

from .test_package import REPOSITORY, run

DEBIAN_CMAKE = "/usr/bin/cmake"


def test_first_configuration(tmp_path):
    oldest = re.match(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (REPOSITORY / "CMakeLists.txt").read_text())[1]
    printed = run(DEBIAN_CMAKE, "--preset", "release", "-B", tmp_path / "build", cwd=REPOSITORY)
    assert "Generating done" in printed
    assert (tmp_path / "build/build.ninja").exists()
    is_debian_12 = 'VERSION_ID="12"' in open("/etc/os-release").read()
    assert not is_debian_12 or f"cmake version {oldest}." in run(DEBIAN_CMAKE, "--version")
