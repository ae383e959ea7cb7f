"""Each pass alone: tests/passes/PASS/*.ir (cases.py describes the files). --update rewrites the expected text."""

import difflib
import re
import subprocess

import pytest

from ..expectations import check_text
from .cases import FOLDER, UNCHANGED, cases_of, outcome, write_cases
from .tool import opt_path

FILES = sorted(FOLDER.glob("*/*.ir"))
CASES = [case for path in FILES for case in cases_of(path)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_pass(case, request):
    assert f"--pass {case.pass_name}" in case.options
    assert case.input.startswith("// "), "a case begins with a comment that says what it shows"
    now = outcome(case)
    if request.config.option.update:
        cases = cases_of(case.path)
        cases[case.number - 1].expected = now
        write_cases(case.path, cases)
    elif now != case.expected:
        lines = difflib.unified_diff(
            case.expected.splitlines(), now.splitlines(), f"{case} (expected)", "now", lineterm="", n=4
        )
        pytest.fail("\n".join(list(lines)[:200]), pytrace=False)


def test_each_pass_has_a_positive_and_a_negative_case():
    done = subprocess.run([opt_path(), "--list-passes"], capture_output=True, text=True, timeout=60, check=True)
    passes = {line.split()[0] for line in done.stdout.splitlines()}
    cases = [case for path in FILES for case in cases_of(path)]  # again: --update has written new ones
    positive = {case.pass_name for case in cases if case.expected != UNCHANGED}
    negative = {case.pass_name for case in cases if case.expected == UNCHANGED}
    names = [str(case) for case in cases]
    assert len(names) == len(set(names)), "two cases of a pass have models of one name"
    assert {case.pass_name for case in cases} <= passes, "folders without a pass or workaround"
    assert passes - positive == set(), "passes without a case that changes the model or warns"
    assert passes - negative == set(), "passes without a case that leaves the model unchanged"


MODELS = sorted((FOLDER.parent / "models").rglob("*.onnx*"))


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_no_pass_of_the_pipeline_changes_a_model_twice(model):
    command = [opt_path(), model, "--pipeline", "--check-idempotence", "--unroll-loops"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_the_order_of_rows_has_no_effect(model):
    def text(*options):
        command = [opt_path(), model, "--pipeline", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return sorted(done.stdout.splitlines())  # nodes that do not depend on each other may be in another order

    expected = text()
    for seed in ("1", "2"):
        assert text("--row-order", seed) == expected


def test_document(request):
    """The rows of the tables in docs/passes.md are generated from the passes."""
    document = FOLDER.parent.parent / "docs/passes.md"
    done = subprocess.run([opt_path(), "--describe-passes"], capture_output=True, text=True, timeout=60, check=True)
    *texts, end = re.split(r"(?<=-\|\n)(?:\|.*\n)*", document.read_text())
    tables = done.stdout.split("\n\n")
    assert len(tables) == len(texts)
    check_text(document, "".join(text + rows.strip() + "\n" for text, rows in zip(texts, tables)) + end, request.config.option.update)
