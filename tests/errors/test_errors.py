"""Models that cannot be converted: the exact message, exit code 1 and no output.

Each bad_*.onnxtxt (or .onnx) has its message in a .stderr file, each warned_*.onnxtxt the warnings of a successful
conversion. --update rewrites the messages.
"""

from pathlib import Path

import pytest

from ..expectations import check_text, convert

FOLDER = Path(__file__).parent


def models(prefix):
    return sorted(path for path in FOLDER.glob(f"{prefix}_*") if path.suffix in (".onnx", ".onnxtxt"))


@pytest.mark.parametrize("model", models("bad"), ids=lambda path: path.stem)
def test_error(model, tmp_path, request):
    done = convert(model, tmp_path / "model.xml")
    assert done.returncode == 1, f"exit code {done.returncode}: {done.stderr}"
    assert list(tmp_path.iterdir()) == []
    assert done.stdout == ""
    check_text(model.with_suffix(".stderr"), done.stderr, request.config.option.update)


@pytest.mark.parametrize("model", models("warned"), ids=lambda path: path.stem)
def test_warning(model, tmp_path, request):
    done = convert(model, tmp_path / "model.xml")
    assert done.returncode == 0, done.stderr
    assert "warning: " in done.stderr
    check_text(model.with_suffix(".stderr"), done.stderr, request.config.option.update)
