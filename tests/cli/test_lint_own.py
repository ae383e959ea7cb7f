"""onnx2ir lint lists no layer of an IR that onnx2ir has written for the same releases, and onnx2ir legalize changes nothing in it."""

import json
import re

import openvino as ov
import pytest

from ..conformance.traps import FOLDER
from .command import converted, onnx_file, run

MODELS = sorted(path for path in (*FOLDER.parent.glob("*.onnx*"), *FOLDER.iterdir()) if path.is_file())
# Its constant does not fit into 32 bits: the conversion warns about it, and so does lint.
WARNED = "constant_beyond_int32"
TARGETS = ("2024.6..2026.4", "2024.6", "2025.4", "2026.4")


def name_of(path):
    return path.stem


def listed(xml, *options):
    """The affected layers, without warnings about faults that have no workaround."""
    done = run("lint", xml, "--json", *options)
    assert done.returncode in (0, 1), done.stderr
    return [(layer["layer"], layer["fault"]) for layer in json.loads(done.stdout) if not layer["warning"]]


def layers_of(xml):
    """The IR without the lines about the file itself."""
    return [line for line in xml.read_text().splitlines() if not re.match("<(legalized_for|weights_digest) ", line)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_a_conversion_is_clean(model, target, tmp_path):
    options = ("--target-runtime", target)
    converted(model, "-o", tmp_path / "m.xml", *options)
    assert listed(tmp_path / "m.xml", *options) == []
    done = run("legalize", tmp_path / "m.xml", "-o", tmp_path / "again.xml", *options)
    assert done.returncode == 0, done.stderr
    assert layers_of(tmp_path / "again.xml") == layers_of(tmp_path / "m.xml")


def test_only_warnings_remain(tmp_path):
    converted(FOLDER / f"{WARNED}.onnxtxt", "-o", tmp_path / "m.xml")
    done = run("lint", "m.xml", folder=tmp_path)
    assert done.returncode == 1 and done.stdout.startswith("the model: wide_integers") and done.stdout.count("\n") == 1


@pytest.mark.parametrize("target", TARGETS[:2])
@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_a_legalised_ir_of_openvino_is_clean(model, target, tmp_path):
    options = ("--target-runtime", target)
    path = onnx_file(tmp_path / "m.onnx", model.read_text()) if model.suffix == ".onnxtxt" else model
    try:
        ov.save_model(ov.convert_model(path), tmp_path / "m.xml", compress_to_fp16=False)
    except Exception as error:
        pytest.skip(f"OpenVINO's front end rejects the model: {str(error)[:100]}")
    done = run("legalize", tmp_path / "m.xml", "-o", tmp_path / "fixed.xml", *options)
    if done.returncode != 0:
        pytest.skip(f"onnx2ir cannot read the IR: {done.stderr[:100]}")
    assert listed(tmp_path / "fixed.xml", *options) == []


def test_releases_that_a_conversion_was_not_made_for(tmp_path):
    """Only releases up to 2025.4 have the fault zero_trip_final_values: an IR for 2026.4 has no guards for it."""
    converted(FOLDER / "trip_run_time.onnxtxt", "-o", tmp_path / "m.xml", "--target-runtime", "2026.4")
    assert listed(tmp_path / "m.xml", "--target-runtime", "2026.4") == []
    assert [fault for _, fault in listed(tmp_path / "m.xml", "--target-runtime", "2025.4")] == ["zero_trip_final_values"]
    run("legalize", "m.xml", "-o", "fixed.xml", "--target-runtime", "2025.4", folder=tmp_path)
    assert listed(tmp_path / "fixed.xml", "--target-runtime", "2025.4") == []
