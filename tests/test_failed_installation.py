"""If pip cannot install a Python environment, the command of `./dev` fails, and the environment is not taken for complete."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAMS = {
    # All Debian packages are installed.
    "dpkg-query": 'for package in "${@:4}"; do echo "$package installed"; done',
    "pip": "exit 1",
}
PREAMBLE = f"""set -euo pipefail
root={ROOT}
say() {{ :; }}
quietly() {{ case $1 in *python3) mkdir -p "$4/bin" ;; *) pip "$@" || exit 3 ;; esac; }}
source {ROOT}/cmake/setup.sh
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache; PROGRAMS are first in PATH."""
    for name, script in PROGRAMS.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


@pytest.mark.parametrize("function", ["find_environment", "use_environment"])
@pytest.mark.parametrize("form", ["{}; echo continued", "({}; echo continued) || exit", "if ({}; echo continued); then exit 0; else exit 3; fi"])
def test_a_failure_ends_the_shell(cache, function, form):
    script = f"{PREAMBLE}cache={cache}\n" + form.format(f"{function} name package==1")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert list(cache.glob("name-*/requirements.txt")) and not list(cache.glob("*/.complete"))


@pytest.mark.parametrize("form", ["{}", "{} || exit"])
def test_a_maker_that_fails_is_not_complete(cache, form):
    script = f"{PREAMBLE}cache={cache}\nmaker() {{ mkdir $1; return 3; }}\n" + form.format("cached name maker") + "\necho continued"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=20)
    assert done.returncode != 0 and done.stdout == ""
    assert (cache / "name").exists() and not (cache / "name/.complete").exists()


def test_build(cache, tmp_path):
    """The command, with the virtual environment that Python makes, and pip that finds no packages."""
    clone = tmp_path / "clone"
    clone.mkdir()
    shutil.copy(ROOT / "dev", clone)
    for folder in ("cmake", "tests", "bench"):
        (clone / folder).symlink_to(ROOT / folder)
    done = subprocess.run(
        [clone / "dev", "build"],
        env=os.environ | {"ONNX2IR_CACHE": str(cache), "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 3
    assert [line for line in done.stderr.splitlines() if line.startswith("dev: ")][1:] == [f"dev: failed: {next(cache.glob('tools-*/bin/pip'))}"]
    assert not list(cache.glob("*/.complete"))
