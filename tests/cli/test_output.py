"""Standard output, reports and pages that cannot be written, and outputs that are no files."""

import subprocess
from pathlib import Path

import pytest

from ..conformance.tool import tool_path
from .command import IMAGE_AND_LENGTH, onnx_file, run

OTHER = IMAGE_AND_LENGTH.replace("Relu", "Abs")


@pytest.fixture
def folder(tmp_path):
    onnx_file(tmp_path / "m.onnx", IMAGE_AND_LENGTH)
    onnx_file(tmp_path / "n.onnx", OTHER)
    assert run("m.onnx", folder=tmp_path).returncode == 0
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("--help", 1),
        ("--list-ops", 1),
        ("help lint", 1),
        ("explain Loop", 1),
        ("show m.onnx", 1),
        ("show m.onnx --html -", 1),
        ("stats m.onnx", 1),
        ("m.onnx --check --report -", 1),
        ("diff m.onnx n.onnx", 2),
        ("lint m.xml --json", 2),
    ],
)
def test_standard_output_cannot_be_written(folder, arguments, code):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool_path(), *arguments.split()], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == code
    assert "cannot be written: No space left on device" in done.stderr


def test_graphs_that_cannot_be_printed(folder):
    """They are printed to standard error."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool_path(), "m.onnx", "--check", "--print-after", "all"], cwd=folder, stderr=full, check=False)
    assert done.returncode == 1


@pytest.mark.parametrize("option", ["--report", "--html"])
def test_a_full_disk_keeps_the_previous_file(folder, option):
    """The file would be larger than a limit of the process, whose signal Python ignores."""
    (folder / "r").write_text("previous")
    limited = ["bash", "-c", 'ulimit -f 0; exec "$@"', "bash"]
    done = subprocess.run([*limited, tool_path(), "m.onnx", "--check", option, "r"], cwd=folder, capture_output=True, text=True, check=False, restore_signals=False)
    assert done.returncode == 1 and "'r' cannot be written: File too large" in done.stderr, done
    assert (folder / "r").read_text() == "previous"
    done = subprocess.run([*limited, tool_path(), "m.onnx", "--check", option, "new"], cwd=folder, capture_output=True, text=True, check=False, restore_signals=False)
    assert done.returncode == 1 and sorted(path.name for path in folder.iterdir()) == ["m.bin", "m.onnx", "m.xml", "n.onnx", "r"]


@pytest.mark.parametrize("option", ["--report", "--html"])
def test_reports_and_pages_replace_files(folder, option):
    """A link, a device and a file's permissions stay."""
    (folder / "link").symlink_to("target")
    (folder / "target").write_text("previous")
    (folder / "target").chmod(0o640)
    assert run("m.onnx", "--check", option, "link", folder=folder).returncode == 0
    assert (folder / "link").is_symlink() and len((folder / "target").read_text()) > 100
    assert (folder / "target").stat().st_mode & 0o777 == 0o640
    assert len(run("m.onnx", "--check", option, "/dev/stdout", folder=folder).stdout) > 100
    done = run("m.onnx", "--check", option, "none/r", folder=folder)
    assert done.returncode == 1 and "'none/r' cannot be written: No such file or directory" in done.stderr
    done = run("m.onnx", "--check", option, ".", folder=folder)
    assert done.returncode == 1 and "'.' cannot be written: Is a directory" in done.stderr


def test_two_results_on_standard_output(folder):
    done = run("m.onnx", "--check", "--report", "-", "--html", "-", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "onnx2ir: --report - and --html - would both be written to standard output; name a file for one of them\n"


def test_an_empty_model_on_standard_input(folder):
    done = run("-", "--check", folder=folder)
    assert done.returncode == 1 and "the model cannot be read: it is empty" in done.stderr


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_ir(folder, content):
    (folder / "e.xml").write_text(content)
    for command in (["show"], ["lint"], ["legalize", "-o", "f.xml"]):
        done = run(*command, "e.xml", folder=folder)
        assert "'e.xml': the XML is empty" in done.stderr and "weights" not in done.stderr


def test_an_xml_that_is_no_ir(folder):
    (folder / "e.xml").write_text("<other/>")
    done = run("show", "e.xml", folder=folder)
    assert done.returncode == 1 and "the XML has no element <net>" in done.stderr and "weights" not in done.stderr


def test_the_memory_that_a_conversion_may_use(folder):
    """The same limit as in the library."""
    for models in (["m.onnx"], ["m.onnx", "n.onnx"]):
        done = run(*models, "--check", "--max-memory", "1", folder=folder)
        assert done.returncode == 1 and "[out-of-memory]" in done.stderr, done.stderr


def test_a_command_that_is_misspelt(folder):
    done = run("shwo", "m.onnx", "-o", "out/", folder=folder)
    assert (done.returncode, done.stderr) == (2, "onnx2ir: there is neither a file nor a command 'shwo'; did you mean 'show'?\n")
    assert not (folder / "out").exists()
    (folder / "m.onnx").rename(folder / "shwo")
    assert run("shwo", "--check", folder=folder).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "a", "-o", "b"], "-o is given twice: a and b"),
        (["-o", "a", "--output-model=b"], "--output-model is given twice: a and b"),
        (["--report", "a", "--report", "b"], "--report is given twice: a and b"),
        (["-o", "/dev/null"], "-o /dev/null is neither a file nor a folder; use --check to convert without writing"),
        (["--documentation", "pdf"], "--documentation: 'pdf' is not one of man, bash, zsh, fish, markdown"),
        (["--max-memory", "99999999999999999999"], "--max-memory: '99999999999999999999' is too large: sizes have 64 bits"),
        (["--max-memory", "99999999T"], "--max-memory: '99999999T' is too large: sizes have 64 bits"),
        (["--input", "data[99999999999999999999]"], "a size of 63 bits is expected"),
    ],
)
def test_options_of_outputs(folder, arguments, message):
    done = run("m.onnx", *arguments, folder=folder)
    assert (done.returncode, done.stdout) == (2, "") and message in done.stderr
    assert not Path("/dev/null.xml").exists()


def test_the_same_output_twice(folder):
    assert run("m.onnx", "-o", "a", "-o", "a", folder=folder).returncode == 0


def test_sizes_that_are_too_large(folder):
    done = run("stats", "m.onnx", "--dim", "n=99999999999999999999", folder=folder)
    assert done.returncode == 2 and "the size in 'n=99999999999999999999' is too large: sizes have 63 bits" in done.stderr
