"""cmake/generate_faults.py writes what depends on a changed row, and rejects rows that are none."""

import subprocess
import sys

import pytest

from .occurrences import ROOT

GENERATOR = ROOT / "cmake/generate_faults.py"
TABLES = [ROOT / "target/faults.txt", ROOT / "target/fault_occurrences.txt", ROOT / "cmake/runtimes.txt"]


def generate(folder, texts):
    paths = [folder / table.name for table in TABLES]
    for path, text in zip(paths, texts):
        path.write_text(text)
    return subprocess.run([sys.executable, GENERATOR, *paths, folder / "generated"], capture_output=True, text=True)


def test_an_edit_of_a_sentence_writes_only_the_rows(tmp_path):
    """A header that would not change keeps its time, so that few sources are compiled."""
    texts = [table.read_text() for table in TABLES]
    assert generate(tmp_path, texts).returncode == 0
    times = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("generated/target/*")}
    assert generate(tmp_path, [texts[0].replace("The CPU plugin", "The plugin", 1), *texts[1:]]).returncode == 0
    assert [path.name for path in tmp_path.glob("generated/target/*") if path.stat().st_mtime_ns != times[path.name]] == ["fault_rows.cpp"]


@pytest.mark.parametrize(
    ("faults", "occurrences", "runtimes", "message"),
    [
        ("a: One\nb: Two", "a 2024.6..\nb 2024.6..2025.0 AVX2", "openvino==2024.6.0", ""),
        ("a One", "a 2024.6..", "openvino==2024.6.0", "faults.txt: line 1: not of the form NAME: SENTENCE"),
        ("a: One", "# head\na 2024.6", "openvino==2024.6.0", "fault_occurrences.txt: line 2: not of the form NAME FIRST..LAST LEVELS"),
        ("b: Two\na: One", "a 2024.6..\nb 2024.6..", "openvino==2024.6.0", "faults.txt: line 2: a is not behind b in the alphabet"),
        ("a: One\na: Two", "a 2024.6..", "openvino==2024.6.0", "faults.txt: line 2: a is not behind a in the alphabet"),
        ("a: One\nb: Two", "a 2024.6..", "openvino==2024.6.0", "in one of the two files only: b; ./dev faults --update NAME"),
        ("a: One", "a 2024.6..", "openvino==2025.0.0\nopenvino==2024.6.0", "runtimes.txt: no releases, or not the oldest first"),
        ("a: One", "a 2024.6..", "", "runtimes.txt: no releases, or not the oldest first"),
    ],
)
def test_the_generator_rejects(faults, occurrences, runtimes, message, tmp_path):
    done = generate(tmp_path, [faults, occurrences, runtimes])
    assert (done.returncode != 0) == bool(message), done.stderr
    assert message in done.stderr
