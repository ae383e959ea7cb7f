"""The exact IR of small models: every *.onnxtxt here, every model of Loop's traps and every model found wrong once.

Beside the inputs, or in traps/ or found/ here, stand the expected .xml and .bin.hex (the weights, 16 bytes a line; a hash when they
are long). --update rewrites them.
"""

import hashlib
from pathlib import Path

import pytest

from ..expectations import check_text, convert

FOLDER = Path(__file__).parent
TRAPS = FOLDER.parent / "models/traps"
FOUND = FOLDER.parent / "models/found"
MODELS = sorted([*FOLDER.glob("*.onnxtxt"), *TRAPS.iterdir(), *FOUND.glob("*.onnxtxt")])
LONGEST_HEX = 1024


def expected_stem(model):
    return FOLDER / ("" if model.parent == FOLDER else model.parent.name) / model.stem


def weights_text(data):
    if len(data) > LONGEST_HEX:
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}\n"
    return "".join(data[start : start + 16].hex(" ", 4) + "\n" for start in range(0, len(data), 16))


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_golden(model, tmp_path, request):
    done = convert(model, tmp_path / "model.xml")
    assert done.returncode == 0, done.stderr
    update = request.config.option.update
    stem = expected_stem(model)
    check_text(stem.with_suffix(".bin.hex"), weights_text((tmp_path / "model.bin").read_bytes()), update)
    check_text(stem.with_suffix(".xml"), (tmp_path / "model.xml").read_text(), update)


def test_conversion_is_deterministic(tmp_path):
    model = TRAPS / "row_11_captures_deep.onnxtxt"
    for name in ("first", "second"):
        convert(model, tmp_path / f"{name}.xml")
    for suffix in ("xml", "bin"):
        assert (tmp_path / f"first.{suffix}").read_bytes() == (tmp_path / f"second.{suffix}").read_bytes()


def test_no_expectation_without_model():
    stems = {expected_stem(model) for model in MODELS}
    left = [path for path in FOLDER.rglob("*.xml") if path.with_suffix("") not in stems]
    assert left == []
