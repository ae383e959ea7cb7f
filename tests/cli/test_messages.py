"""What the tool prints to a terminal and to pipes: colours, the summary of a conversion, --verbose."""

import os
import pty
import re
import subprocess

import pytest

from ..conformance.tool import tool_path
from .command import converted, model_file, onnx_file, run

RELU = '<ir_version: 10, opset_import: ["" : 17]> m (float[4] x) => (float[4] y) { y = Relu (x) }'
BAD = '<ir_version: 10, opset_import: ["" : 17]> m (float[4] x) => (float[4] y) { y = Abs (z) }'
WARNS = '<ir_version: 10, opset_import: ["" : 17, "own" : 1]> m (float[4] x) => (float[4] y) { y = Selu <surplus = 1> (x) }'
RED, YELLOW = "\x1b[1;31merror:\x1b[0m", "\x1b[1;33mwarning:\x1b[0m"


def on_terminal(*arguments, folder, **variables):
    """Exit code and standard error of the tool, whose standard error is a terminal."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"} | variables
    process = subprocess.Popen([tool_path(), *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    process.stdout.close()
    return process.wait(), text.decode().replace("\r\n", "\n")


@pytest.fixture
def folder(tmp_path):
    model_file(tmp_path, RELU)
    onnx_file(tmp_path / "bad.onnx", BAD)
    return tmp_path


SUMMARY = r"model\.xml, model\.bin: \d layers, \d+ bytes? of weights, (\d+ ms|\d+\.\d s)\n"


def test_a_summary_at_a_terminal(folder):
    code, text = on_terminal("model.onnx", folder=folder)
    assert code == 0 and re.fullmatch(SUMMARY, text)
    layers = (folder / "model.xml").read_text().count("<layer ")
    size = (folder / "model.bin").stat().st_size
    assert f": {layers} layers, {size} bytes of weights" in text


@pytest.mark.parametrize("options", [["--quiet"], ["--diagnostics-format", "json"], ["--diagnostics-format", "sarif"]])
def test_no_summary_if_it_is_not_for_people(folder, options):
    assert "layers" not in on_terminal("model.onnx", *options, folder=folder)[1]


def test_nothing_is_printed_to_a_pipe(folder):
    done = converted("model.onnx", folder=folder)
    assert (done.stdout, done.stderr) == ("", "")


def test_the_summary_in_a_pipe_with_verbose(folder):
    assert re.search("^" + SUMMARY, converted("model.onnx", "--verbose", folder=folder).stderr, re.M)


@pytest.mark.parametrize(
    ("options", "variables", "is_colored"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),
        ([], {"TERM": "dumb"}, False),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color=auto"], {}, True),
    ],
)
def test_colors_at_a_terminal(folder, options, variables, is_colored):
    code, text = on_terminal("bad.onnx", *options, folder=folder, **variables)
    assert code == 1 and text.startswith(RED if is_colored else "error:")


@pytest.mark.parametrize("arguments", [["bad.onnx"], ["show", "bad.onnx"], ["diff", "bad.onnx", "bad.onnx"], ["stats", "bad.onnx"]])
def test_colors_in_a_pipe(folder, arguments):
    assert run(*arguments, folder=folder).stderr.startswith("error:")
    assert run(*arguments, "--color", "always", folder=folder).stderr.startswith(RED)


def test_warnings_are_yellow(tmp_path):
    model_file(tmp_path, RELU.replace("float[4] x", "float[4] x, float[4] unused").replace("17]", "99]"))
    done = run("model.onnx", "--color", "always", folder=tmp_path)
    assert re.search(re.escape(YELLOW), done.stderr) or re.search(re.escape(RED), done.stderr)


def test_formats_for_programs_have_no_colors(folder):
    for form in ("json", "github", "sarif"):
        assert "\x1b" not in run("bad.onnx", "--color", "always", "--diagnostics-format", form, folder=folder).stderr


def test_an_unknown_color(folder):
    done = run("model.onnx", "--color", "allways", folder=folder)
    assert done.returncode == 2 and "'allways' is not one of auto, always, never; did you mean 'always'?" in done.stderr


TWICE = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[4] x) => (float[4] y) { zero = Constant <value = float {0.0}> ()  a = Add (x, zero)  b = Identity (a)  y = Relu (b) }
"""


def test_verbose_is_a_summary(tmp_path):
    model_file(tmp_path, TWICE)
    lines = converted("model.onnx", "--verbose", folder=tmp_path).stderr.splitlines()
    assert re.fullmatch(r"import +\d+\.\d{3} ms", lines[0])
    changing, passes = map(int, re.fullmatch(r"passes +\d+\.\d{3} ms  (\d+) of (\d+) have changed the model", lines[1]).groups())
    known = {line.split()[0] for line in run("--list-passes").stdout.splitlines()}
    rows = [re.fullmatch(r"  (\w+) +\d+\.\d{3} ms(  changed(?: in \d+ of \d+ runs)?)?", line) for line in lines[2:-2]]
    assert all(rows) and {row[1] for row in rows} <= known
    assert sum(row[2] is not None for row in rows) == changing <= passes <= len(known)
    assert re.fullmatch(r"write +\d+\.\d{3} ms", lines[-2]) and lines[-1].startswith("model.xml, model.bin: ")
