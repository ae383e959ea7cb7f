"""What the Python module does with a converted model or an IR: files, copies, pickles, differences, `lint` and `legalize`."""

import copy
import gc
import pickle
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import openvino
import openvino.opset1
import pytest

from ..conformance.environment import RELEASES
from .python_models import IMAGE, TINY, save_with_external_data
from .test_package import MODEL


def test_check_files(onnx2ir, tmp_path):
    onnx2ir.convert(MODEL).save(tmp_path / "p.xml", tmp_path / "w.bin", sync="always")
    onnx2ir.check_files(tmp_path / "p.xml", tmp_path / "w.bin")
    with pytest.raises(OSError, match="No such file"):
        onnx2ir.check_files(tmp_path / "p.xml")
    weights = (tmp_path / "w.bin").read_bytes()
    (tmp_path / "w.bin").write_bytes(bytes([weights[0] ^ 1]) + weights[1:])
    with pytest.raises(OSError, match="do not belong together"):
        onnx2ir.check_files(tmp_path / "p.xml", tmp_path / "w.bin")


def test_graph(onnx2ir):
    """A GraphProto has no opset: the newest one is used."""
    model = onnx2ir.convert(onnx.parser.parse_model(IMAGE).graph)
    assert [port.name for port in model.outputs] == ["y", "z"]


def test_views(onnx2ir):
    model = onnx2ir.convert(IMAGE)
    assert repr(model) == "<onnx2ir.Model (image: f32[n, 3, h, w], rate: i64[]) -> (y: f32[n, 3, h, w], z: f32[])>"
    assert model.text() == str(model) and "ReLU" in model.text()
    assert model.html().startswith("<!DOCTYPE html>") and '"ReLU"' in model.html()
    assert bytes(model.weights_view()) == model.weights()
    loop = [row for row in onnx2ir.supported_operators() if (row.domain, row.name) == ("", "Loop")]
    assert loop and 11 in loop[0].versions


def test_ir_files_and_differences(onnx2ir, tmp_path):
    model = onnx2ir.convert(IMAGE)
    model.save(tmp_path / "m.xml")
    again = onnx2ir.read_ir(tmp_path / "m.xml")
    assert again.text() == model.text() and again.inputs == model.inputs
    assert onnx2ir.diff(again, model) == []
    assert onnx2ir.diff(model, onnx2ir.convert(IMAGE, input="image[1,3,8,8]"))[0].startswith("main/image (Parameter): type of output 0 f32[?,3,?,?] -> ")
    with pytest.raises(FileNotFoundError):
        onnx2ir.read_ir(tmp_path / "missing.xml")
    (tmp_path / "m.xml").write_text("<net")
    with pytest.raises(onnx2ir.ConversionError) as error:
        onnx2ir.read_ir(tmp_path / "m.xml")
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["unreadable-ir"]


def doubled(model):
    return openvino.Core().compile_model(model.to_openvino(), "CPU")(np.ones(4, np.float32))[0].tolist()


def test_copies_of_a_model(onnx2ir, tmp_path):
    """A shallow copy of the handle would be freed twice, which ended the process."""
    model = onnx2ir.convert(TINY)
    copies = [copy.copy(model), copy.deepcopy(model), copy.deepcopy([model])[0], *(pickle.loads(pickle.dumps(model, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1))]
    xml, text = model.xml(), model.text()
    del model
    gc.collect()
    for one in copies:
        assert (one.xml(), one.text()) == (xml, text)
        assert repr(one) == "<onnx2ir.Model (x: f32[4]) -> (y: f32[4])>" and one.diagnostics == ()
        assert doubled(one) == [2, 3, 4, 5]
        one.save(tmp_path / "copy.xml")
        onnx2ir.check_files(tmp_path / "copy.xml")


def test_a_pickled_model_needs_no_file(onnx2ir, tmp_path):
    save_with_external_data(tmp_path / "m.onnx", "w")
    stored = pickle.dumps(onnx2ir.convert(tmp_path / "m.onnx"))
    (tmp_path / "w").unlink()
    assert doubled(pickle.loads(stored)) == [2, 3, 4, 5]


def test_owners_of_memory_are_not_copied(onnx2ir):
    model = onnx2ir.convert(TINY)
    options = onnx2ir._handles._Options(threads=1)
    for owner in (model._handle, options):
        for make in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                make(owner)
    with pytest.raises(TypeError):
        pickle.dumps(model.weights_view())


def test_files_that_are_read_are_not_overwritten(onnx2ir, tmp_path):
    model = onnx2ir.convert(TINY)
    model.save(tmp_path / "ir.xml")
    (tmp_path / "map.bin").write_text('{"operators": []}')
    save_with_external_data(tmp_path / "m.onnx", "w.bin")
    (tmp_path / "link.bin").symlink_to("w.bin")
    external = onnx2ir.convert(tmp_path / "m.onnx", operator_map=tmp_path / "map.bin")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    ways = [
        (external, "m.onnx", "n.bin"),
        (external, "n.xml", "m.onnx"),
        (external, "w.xml", None),
        (external, "link.xml", None),
        (external, "map.xml", None),
        (onnx2ir.read_ir(tmp_path / "ir.xml"), "ir.xml", "n.bin"),
        (onnx2ir.read_ir(tmp_path / "ir.xml"), "n.xml", "ir.bin"),
        (onnx2ir.read_ir(tmp_path / "ir.xml", tmp_path / "ir.bin"), "ir.xml", None),
    ]
    for model, xml, weights in ways:
        with pytest.raises(OSError, match="would be written over"):
            model.save(tmp_path / xml, None if weights is None else tmp_path / weights)
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_lint_and_legalize(onnx2ir, tmp_path):
    x, y = (openvino.opset1.parameter([3], np.uint8) for _ in range(2))
    openvino.save_model(openvino.Model([openvino.opset1.add(x, y, name="total")], [x, y], "bytes"), tmp_path / "m.xml")
    model = onnx2ir.read_ir(tmp_path / "m.xml")
    (layer,) = onnx2ir.lint(model)
    assert (layer.layer, layer.operation, layer.fault) == ("total", "Add", "byte_arithmetic")
    fixed = onnx2ir.legalize(model, target_runtime="2026.4")
    fixed.save(tmp_path / "fixed.xml")
    assert onnx2ir.lint(onnx2ir.read_ir(tmp_path / "fixed.xml"), target_runtime="2026.4") == []
    with pytest.raises(OSError, match="read from"):
        fixed.save(tmp_path / "m.xml")
    for function in (onnx2ir.lint, onnx2ir.legalize):
        with pytest.raises(onnx2ir.ConversionError, match="not a supported"):
            function(model, target_runtime="1.0")
        with pytest.raises(FileNotFoundError):
            function(tmp_path / "missing.xml")
    assert onnx2ir.lint(tmp_path / "m.xml") == [layer] == onnx2ir.lint(str(tmp_path / "m.xml"))
    assert onnx2ir.lint(onnx2ir.legalize(tmp_path / "m.xml")) == []


def test_dynamic_quantization_of_a_legalised_ir(onnx2ir, tmp_path):
    """The option of the model that forbids to round inputs to 8 bits."""
    x = openvino.opset1.parameter([4, 64], np.float32)
    weights = openvino.opset1.convert(openvino.opset1.constant(np.arange(64 * 32).reshape(64, 32).astype(np.int8)), np.float32)
    product = openvino.opset1.matmul(x, openvino.opset1.multiply(weights, openvino.opset1.constant(np.full((1, 32), 0.1, np.float32))), False, False)
    openvino.save_model(openvino.Model([product], [x], "m"), tmp_path / "m.xml", compress_to_fp16=False)
    for choice, is_forbidden in (("never", True), ("always", False)):
        assert bool(onnx2ir.lint(tmp_path / "m.xml", dynamic_quantization=choice)) == is_forbidden
        assert (b"DYNAMIC_QUANTIZATION_GROUP_SIZE" in onnx2ir.legalize(tmp_path / "m.xml", dynamic_quantization=choice).xml()) == is_forbidden
    with pytest.raises(ValueError, match="dynamic_quantization"):
        onnx2ir.legalize(tmp_path / "m.xml", dynamic_quantization="sometimes")


def test_legalised_ir_reads_back_as_it_was_written(onnx2ir, tmp_path):
    paths = sorted(Path(__file__).parents[1].glob("models/openvino_ir/*.xml"))
    assert paths
    for path in paths:
        weights = tmp_path / "read.bin"
        weights.write_bytes(path.with_suffix(".bin").read_bytes() if path.with_suffix(".bin").exists() else bytes(1024))
        model = onnx2ir.read_ir(path, weights)
        for release in RELEASES:
            onnx2ir.legalize(model, target_runtime=release).save(tmp_path / "written.xml")
            onnx2ir.read_ir(tmp_path / "written.xml").save(tmp_path / "again.xml")
            assert (tmp_path / "again.xml").read_bytes() == (tmp_path / "written.xml").read_bytes(), f"{path.name} for {release}"
