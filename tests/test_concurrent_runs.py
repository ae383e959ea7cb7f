"""Two runs of `./dev test` in one clone: the second one does not rebuild what the tests of the first one use, and keeps its own results."""

import re
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PREAMBLE = f"""set -euo pipefail
root=$PWD newest_runtime=2026.4
source {ROOT}/cmake/build.sh
source {ROOT}/tests/run.sh
set_up_build() {{ :; }}
configure() {{ :; }}
quietly() {{ "$@" >/dev/null; }}
say() {{ echo "$*"; }}
"""
RULES = """
rule configure
  command = true
  generator = 1
build build.ninja: configure

rule copy
  command = cp $in $out
build program: copy source
"""


def start(folder, script):
    return subprocess.Popen(["bash", "-c", PREAMBLE + script], cwd=folder, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)


@pytest.fixture
def folder(tmp_path):
    build = tmp_path / "build/release"
    build.mkdir(parents=True)
    (build / "build.ninja").write_text(RULES)
    (build / "source").write_text("old")
    assert start(tmp_path, "build_quietly release program").wait(timeout=20) == 0
    return tmp_path


@pytest.fixture
def holder(folder):
    """A run whose tests use the build."""
    process = start(folder, "build_quietly release program; hold_build release; echo testing; read -r")
    assert process.stdout.readline() == "testing\n"
    yield process
    if process.poll() is None:
        process.communicate("\n", timeout=20)


def test_a_built_program_is_shared(folder, holder):
    second = start(folder, "build_quietly release program; hold_build release; echo testing")
    assert second.communicate(timeout=20)[0] == "testing\n"


def test_a_changed_source_waits_for_the_tests(folder, holder):
    time.sleep(0.01)
    (folder / "build/release/source").write_text("new")
    second = start(folder, "build_quietly release program; echo built")
    assert second.stdout.readline().startswith("waiting for the tests of another run")
    assert (folder / "build/release/program").read_text() == "old" and second.poll() is None
    holder.communicate("\n", timeout=20)
    assert second.communicate(timeout=20)[0] == "built\n"
    assert (folder / "build/release/program").read_text() == "new"


def test_results_are_separate(folder):
    script = 'start_tests newest python; echo "$results"; read -r'
    first = start(folder, script)
    name = first.stdout.readline().strip()
    second = start(folder, script)
    other = second.stdout.readline().strip()
    assert name == f"{folder}/build/test/newest" and re.fullmatch(re.escape(name) + r"\.\d+", other)
    for process in (first, second):
        process.communicate("\n", timeout=20)
    third = start(folder, script)
    assert third.stdout.readline().strip() == name
    third.communicate("\n", timeout=20)
