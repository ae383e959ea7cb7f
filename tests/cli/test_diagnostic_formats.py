"""--diagnostics-format: what services for code read."""

import json

import pytest

from .command import IMAGE_AND_LENGTH, onnx_file, run

BAD = """<ir_version: 10, opset_import: ["" : 17]>
bad (float x) => (float y) { a = Relu (tow)  b = Neg (x)  y = Add (a, b) }"""
WARNS = """<ir_version: 10, opset_import: ["" : 17]>
warns (float x) => (float[3] y) { y = Neg (x) }"""


@pytest.fixture
def models(tmp_path):
    onnx_file(tmp_path / "good.onnx", IMAGE_AND_LENGTH)
    onnx_file(tmp_path / "warns.onnx", WARNS)
    (tmp_path / "bad,1:2.onnxtxt").write_text(BAD)
    return tmp_path


def test_github(models):
    """One line for each diagnostic, with escaped line breaks, colons and commas."""
    done = run("warns.onnx", "bad,1:2.onnxtxt", "good.onnx", "-o", "out/", "--diagnostics-format", "github", folder=models)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and len(lines) == 3
    assert lines[0].startswith("::warning file=warns.onnx,title=declared-output::warning: model output 'y' is declared as ")
    assert lines[1].startswith("::error file=bad%2C1%3A2.onnxtxt,title=undefined-name::error: ") and "%0A  at main, node 0" in lines[1]
    assert lines[2] == "onnx2ir: 'bad,1:2.onnxtxt' was not converted: 1 error"
    assert run("warns.onnx", "--quiet", "--diagnostics-format=github", folder=models).stderr == ""


def test_sarif(models):
    done = run("bad,1:2.onnxtxt", "--diagnostics-format", "sarif", folder=models)
    log = json.loads(done.stderr)
    assert done.returncode == 1 and log["version"] == "2.1.0"
    [one] = log["runs"]
    [result] = one["results"]
    assert (result["ruleId"], result["level"]) == ("undefined-name", "error") and "'tow'" in result["message"]["text"]
    [location] = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "bad%2C1%3A2.onnxtxt"
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "main, node 0"
    assert [rule["id"] for rule in one["tool"]["driver"]["rules"]] == ["undefined-name"]


def test_sarif_of_warnings_and_of_nothing(models):
    for command in ([], ["show"]):
        log = json.loads(run(*command, "warns.onnx", "--diagnostics-format=sarif", folder=models).stderr)
        assert [result["level"] for result in log["runs"][0]["results"]] == ["warning"]
    assert json.loads(run("good.onnx", "--diagnostics-format=sarif", folder=models).stderr)["runs"][0]["results"] == []


@pytest.mark.parametrize("form", ["json", "sarif"])
@pytest.mark.parametrize("command", [[], ["diff"]], ids=["convert", "diff"])
def test_documents_of_several_models(models, form, command):
    """The results would be several documents without the name of the model."""
    done = run(*command, "good.onnx", "warns.onnx", f"--diagnostics-format={form}", folder=models)
    assert done.returncode == 2 and f"--diagnostics-format {form} takes one model; run onnx2ir for each" in done.stderr
    assert ("--report FILE.json" in done.stderr) == (not command)


@pytest.mark.parametrize("command", [["stats"], ["lint"], ["lint", "--target-runtime=1.0"], ["legalize", "-o", "out/"], ["legalize", "-o", "file/x.xml"]], ids=" ".join)
@pytest.mark.parametrize("form", ["json", "sarif"])
def test_one_document_of_other_commands(models, form, command):
    """Reading, the work and writing give one document together."""
    run("good.onnx", folder=models)
    (models / "file").write_text("")
    model = "warns.onnx" if command == ["stats"] else "good.xml"
    json.loads(run(*command, model, f"--diagnostics-format={form}", folder=models).stderr)


def test_unknown_format(models):
    done = run("good.onnx", "--diagnostics-format=srif", folder=models)
    assert done.returncode == 2 and "'srif' is not one of text, json, github, sarif; did you mean 'sarif'?" in done.stderr
