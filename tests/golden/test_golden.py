"""The exact IR of some small models: *.onnxtxt here, traps and found models (tests/models). tests/conformance compares the values of all of them.

NAME.ir is the text IR of the model NAME after the passes, next to the model, or in traps/ or found/ here, with its large constants if there
are any (.bin.hex, 16 bytes per line; a hash if they are long). A model has one if its IR shows what values do not: what is folded, fused or removed.
Other models pin the format of the files that OpenVINO reads: .xml and .xml.bin.hex. --update rewrites all of them; an empty file NAME.ir adds a model.
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
ALL_MODELS = [*FOLDER.glob("*.onnxtxt"), *TRAPS.iterdir(), *FOUND.glob("*.onnxtxt")]
# The feature that each of them tests.
FORMAT = {
    "condition_only": "a Loop without outputs",
    "constants_without_elements": "a weights file of one byte, sizes of 0",
    "if_of_equal_sizes": "an If and its port maps",
    "loop_in_loop_of_constants": "bodies in bodies, back edges, invariant inputs, the iteration number",
    "resize_of_run_time_size": "dynamic sizes, an interpolation",
    "scan_only": "outputs concatenated along an axis",
    "slices_along_one_axis": "several outputs, sizes with bounds, constants that share their bytes",
}
LONGEST_HEX = 1024


def expected_stem(model):
    return FOLDER / ("" if model.parent == FOLDER else model.parent.name) / model.stem


MODELS = sorted(model for model in ALL_MODELS if expected_stem(model).with_suffix(".ir").exists())
FORMAT_MODELS = sorted(model for model in ALL_MODELS if model.stem in FORMAT)


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


@pytest.mark.parametrize("model", FORMAT_MODELS, ids=lambda path: path.stem)
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
    assert {path.with_suffix("") for path in FOLDER.rglob("*.ir")} == {expected_stem(model) for model in MODELS}
    assert {path.with_suffix("") for path in FOLDER.rglob("*.xml")} == {expected_stem(model) for model in FORMAT_MODELS}
    assert {model.stem for model in FORMAT_MODELS} == FORMAT.keys()
