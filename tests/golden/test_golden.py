"""The exact IR of small models: every *.onnxtxt here, every trap model and every model in tests/models/found.

The expected text IR after the passes (.ir) is next to the inputs, or in traps/ or found/ here, with its large constants if there are
any (.bin.hex, 16 bytes per line; a hash if they are long). A few models also pin the format of the files that OpenVINO reads:
.xml and .xml.bin.hex. --update rewrites all of them.
"""

import hashlib
import subprocess
from pathlib import Path

import pytest

from ..expectations import check_text, convert
from ..passes.tool import opt_path

FOLDER = Path(__file__).parent
TRAPS = FOLDER.parent / "models/traps"
FOUND = FOLDER.parent / "models/found"
MODELS = sorted([*FOLDER.glob("*.onnxtxt"), *TRAPS.iterdir(), *FOUND.glob("*.onnxtxt")])
# The feature that each of them tests.
FORMAT = {
    "constants_without_elements": "a weights file of one byte",
    "if_of_equal_sizes": "an If and its port maps",
    "resize_of_run_time_size": "dynamic sizes, an interpolation",
    "condition_false": "a folded loop",
    "scan_ranks": "outputs concatenated along an axis",
    "captures_deep": "bodies in bodies, invariant inputs, the iteration number",
    "condition_only": "a Loop without outputs",
    "swapped_states": "back edges",
    "condition_matrix": "constants that share their bytes",
    "split_of_no_rows": "outputs of Split, sizes of 0",
}
LONGEST_HEX = 1024


def expected_stem(model):
    return FOLDER / ("" if model.parent == FOLDER else model.parent.name) / model.stem


def weights_text(data):
    if len(data) > LONGEST_HEX:
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}\n"
    return "".join(data[start : start + 16].hex(" ", 4) + "\n" for start in range(0, len(data), 16))


def check_weights(path, weights, update):
    """A text has a weights file only if it has large constants."""
    if weights.exists():
        check_text(path, weights_text(weights.read_bytes()), update)
    elif update:
        path.unlink(missing_ok=True)
    else:
        assert not path.exists(), f"{path} is expected, but there are no large constants"


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_golden(model, tmp_path, request):
    done = subprocess.run(
        [opt_path(), model.name, "--pipeline", "-o", str(tmp_path / "model.ir")],
        cwd=model.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    update = request.config.option.update
    check_weights(expected_stem(model).with_suffix(".bin.hex"), tmp_path / "model.bin", update)
    check_text(expected_stem(model).with_suffix(".ir"), (tmp_path / "model.ir").read_text(), update)


@pytest.mark.parametrize("model", [model for model in MODELS if model.stem in FORMAT], ids=lambda path: path.stem)
def test_format(model, tmp_path, request):
    done = convert(model, tmp_path / "model.xml")
    assert done.returncode == 0, done.stderr
    update = request.config.option.update
    check_weights(expected_stem(model).with_suffix(".xml.bin.hex"), tmp_path / "model.bin", update)
    check_text(expected_stem(model).with_suffix(".xml"), (tmp_path / "model.xml").read_text(), update)


def test_conversion_is_deterministic(tmp_path):
    model = TRAPS / "captures_deep.onnxtxt"
    for name in ("first", "second"):
        convert(model, tmp_path / f"{name}.xml")
    for suffix in ("xml", "bin"):
        assert (tmp_path / f"first.{suffix}").read_bytes() == (tmp_path / f"second.{suffix}").read_bytes()


def test_no_expectation_without_model():
    stems = {expected_stem(model) for model in MODELS}
    assert set(FORMAT) <= {model.stem for model in MODELS}
    texts = [path for path in FOLDER.rglob("*.ir") if path.with_suffix("") not in stems]
    formats = [path for path in FOLDER.rglob("*.xml") if path.with_suffix("") not in stems or path.stem not in FORMAT]
    assert texts + formats == []
