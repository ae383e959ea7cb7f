"""onnx2ir explain and help: all names of the tables, the topics, unknown words; messages name no file that a user lacks."""

import re
import subprocess
from pathlib import Path

import pytest

from .command import IMAGE_AND_LENGTH, onnx_file, run

ROOT = Path(__file__).resolve().parents[2]


def explained(*words):
    done = run("explain", *words)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def test_code():
    text = explained("undefined-name")
    assert text.startswith("undefined-name: the code of an error, a warning or a remark\n\n") and "\nWhat to do: " in text
    assert explained("[undefined-name]") == explained("UNDEFINED-NAME") == text


def test_fault():
    text = explained("zero_trip_final_values")
    assert text.startswith("zero_trip_final_values: a fault of OpenVINO's CPU plugin") and "\nreleases: 2024.6 to " in text
    assert explained("zero-trip-final-values") == text


def test_operator():
    text = explained("Loop")
    assert text.startswith("Loop: an operator of ai.onnx\n\nversions: ") and "\nconverted by: a translator" in text
    assert explained("ai.onnx.Loop") == text and explained("loop").startswith(text)
    assert "an operator of com.microsoft" in explained("com.microsoft.SkipLayerNormalization")


def test_operator_of_two_domains():
    text = explained("Attention")
    assert "an operator of ai.onnx\n" in text and "an operator of com.microsoft\n" in text


def test_option():
    text = explained("--target-runtime")
    assert text.startswith("--target-runtime RELEASES: an option (IR)\n\n")
    assert explained("target_runtime") == text
    assert "\nvalues: fast, exact\n" in explained("--quantization")


def test_words_with_two_meanings_and_several_words():
    text = explained("dynamic_quantization")
    assert "a fault of OpenVINO" in text and "an option (IR)" in text
    assert explained("Abs", "Loop") == explained("Abs") + "\n" + explained("Loop")


@pytest.mark.parametrize("listing", ["--list-ops", "--list-faults", "--list-diagnostics", "--list-passes"])
def test_every_row_of_a_list(listing):
    names = [line.split("  ")[0] for line in run(listing).stdout.splitlines()]
    assert len(names) > 30 and explained(*names).count("\n") > 3 * len(names)


def test_topics():
    """The documents themselves; those that are generated come from the tables."""
    overview = explained()
    topics = overview.rpartition("document: ")[2].strip().split(", ")
    assert {"extensions", "from-ovc", "limits", "quantised-models"} <= set(topics)
    for topic in topics:
        assert explained(topic).endswith((ROOT / f"docs/{topic}.md").read_text())
    assert explained("--help") == run("help", "explain").stdout == overview


@pytest.mark.parametrize(("word", "hint"), [("undefined-nmae", "did you mean 'undefined-name'?"), ("Lopo", "did you mean 'Loop'?"), ("qqqqqqqqqqqq", "onnx2ir explain lists the topics")])
def test_unknown_word(word, hint):
    done = run("explain", word)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"onnx2ir: there is no code, fault, operator, option, pass or topic '{word}'; ") and hint in done.stderr


def test_help_as_a_word():
    assert run("help").stdout == run("--help").stdout == run("help", "convert").stdout
    text = run("show", "--help").stdout
    assert text.startswith("usage: onnx2ir show MODEL [options]\n\nprint the IR") and "--html" in text
    assert "--output-model" not in text and "onnx2ir [convert]" not in text
    assert run("help", "show").stdout == text and run("help", "diff").stdout.startswith("usage: onnx2ir diff OLD NEW")
    done = run("help", "shwo")
    assert done.returncode == 2 and done.stderr == "onnx2ir: there is no command 'shwo'; did you mean 'show'?\n"


def test_files_called_help_or_explain(tmp_path):
    for name in ("help", "explain"):
        onnx_file(tmp_path / name, IMAGE_AND_LENGTH)
        assert run(f"./{name}", folder=tmp_path).returncode == 0


def test_messages_name_no_documents():
    """Hints and lists name commands, not documents: users of a wheel have none."""
    for listing in ("--help", "--list-diagnostics"):
        assert "docs/" not in run(listing).stdout
    names = set(re.findall(r"`onnx2ir explain ([a-z-]+)`", run("--list-diagnostics").stdout))
    assert names and explained(*sorted(names))
