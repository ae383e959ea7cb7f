"""Compares output with the expected text next to the input, and runs the converter on one file."""

import difflib
import subprocess

import pytest

from .conformance.tool import tool_path


def check_text(path, actual, update):
    """Fails unless the file at `path` contains `actual`; with `update`, writes it instead."""
    if update:
        path.write_text(actual)
        return
    if not path.exists():
        pytest.fail(f"{path} does not exist; --update writes it", pytrace=False)
    expected = path.read_text()
    if expected != actual:
        lines = difflib.unified_diff(
            expected.splitlines(), actual.splitlines(), f"{path.name} (expected)", "now", lineterm="", n=2
        )
        pytest.fail("\n".join(list(lines)[:200]), pytrace=False)


def convert(model_path, xml_path):
    """Runs the converter in the model's folder, so that messages do not contain paths of this machine."""
    return subprocess.run(
        [tool_path(), model_path.name, "-o", str(xml_path)],
        cwd=model_path.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
