"""Conversions by the Python module of the installed package, with its results run by OpenVINO."""

import copy
import errno
import gc
import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import openvino
import pytest

from ..cli.extension_library import compiled, converts, library
from .python_models import IMAGE, addition, save_with_external_data
from .test_package import MODEL, REPOSITORY


def run_documented_example(model):
    """The first Loop example of the ONNX specification, with its documented results."""
    y, scan = openvino.Core().compile_model(model, "CPU")({"trip_count": np.int64(5), "cond": np.array(True), "y": np.array([-2], np.float32)}).values()
    return y.tolist() == [13] and scan.ravel().tolist() == [-1, 1, 4, 8, 13]


FORMS = {
    "path": lambda: MODEL,
    "text path": lambda: str(MODEL),
    "bytes": MODEL.read_bytes,
    "bytearray": lambda: bytearray(MODEL.read_bytes()),
    "memoryview": lambda: memoryview(MODEL.read_bytes()),
    "array": lambda: np.frombuffer(MODEL.read_bytes(), np.uint8),
    "file": lambda: open(MODEL, "rb"),
    "text file": lambda: io.StringIO(onnx.printer.to_text(onnx.load(MODEL))),
    "text": lambda: onnx.printer.to_text(onnx.load(MODEL)),
    "ModelProto": lambda: onnx.load(MODEL),
}


@pytest.mark.parametrize("form", FORMS)
def test_convert(onnx2ir, form):
    model = onnx2ir.convert(FORMS[form]())
    assert [port.name for port in model.inputs] == ["trip_count", "cond", "y"]
    assert [(port.name, port.element_type, port.shape) for port in model.outputs] == [("res_y", "f32", (-1,)), ("res_scan", "f32", (-1, -1))]
    assert run_documented_example(openvino.Core().read_model(model.xml(), model.weights()))


def test_save(onnx2ir, tmp_path):
    onnx2ir.convert(str(MODEL)).save(tmp_path / "loop.xml")
    assert run_documented_example(tmp_path / "loop.xml")
    with pytest.raises(OSError, match="no/such/folder"):
        onnx2ir.convert(MODEL).save("no/such/folder/loop.xml")


def test_save_keeps_other_files(onnx2ir, tmp_path):
    source = tmp_path / "source.xml"
    source.write_bytes(MODEL.read_bytes())
    model = onnx2ir.convert(source)
    with pytest.raises(OSError, match="cannot both be written"):
        model.save(tmp_path / "x.bin")
    with pytest.raises(OSError, match="cannot both be written"):
        model.save(tmp_path / "p.xml", tmp_path / "p.xml")
    with pytest.raises(OSError, match="which the model is read from"):
        model.save(source)
    with pytest.raises(OSError, match="which the model is read from"):
        model.save(tmp_path / "p.xml", source)
    with pytest.raises(ValueError, match="'sometimes' is not one of replaced, always, never"):
        model.save(tmp_path / "p.xml", sync="sometimes")
    assert [path.name for path in tmp_path.iterdir()] == ["source.xml"]
    # A removed file is not an input any more, even if another file reuses its inode number.
    source.unlink()
    for _ in range(3):
        model.save(source, sync="never")


def test_changed_input(onnx2ir, tmp_path):
    """Weights are read when the model is saved: a changed file is an error."""
    path = tmp_path / "large.onnx"
    tensor = onnx.numpy_helper.from_array(np.ones(1 << 16, np.float32), "w")
    real = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", [real("x", 1, [1 << 16])], [real("y", 1, [1 << 16])], [tensor])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path)
    model = onnx2ir.convert(path)
    with open(path, "r+b") as file:
        file.truncate(1000)
    with pytest.raises(OSError, match="became shorter"):
        model.save(tmp_path / "p.xml")
    with pytest.raises(RuntimeError, match="became shorter"):
        model.weights()
    assert not (tmp_path / "p.xml").exists()


def test_errors(onnx2ir):
    with pytest.raises(onnx2ir.ConversionError, match="example.Second is not supported") as raised:
        onnx2ir.convert(REPOSITORY / "tests/errors/bad_unsupported_operators.onnxtxt")
    assert {diagnostic.severity for diagnostic in raised.value.diagnostics} == {"error"}
    assert len(raised.value.diagnostics) > 1 and raised.value.diagnostics[0].place.op_type
    with pytest.raises(onnx2ir.ConversionError):
        onnx2ir.convert(b"no model")
    with pytest.raises(TypeError):
        onnx2ir.convert(3)


def test_missing_files_are_os_errors(onnx2ir, tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        onnx2ir.convert(tmp_path / "none.onnx")
    assert raised.value.errno == errno.ENOENT and raised.value.filename == str(tmp_path / "none.onnx")
    with pytest.raises(FileNotFoundError) as raised:
        onnx2ir.convert(MODEL).save(tmp_path / "no/folder/m.xml")
    assert raised.value.errno == errno.ENOENT
    with pytest.raises(FileNotFoundError):
        onnx2ir.check_files(tmp_path / "none.xml")


def test_errors_can_be_pickled(onnx2ir):
    with pytest.raises(onnx2ir.ConversionError) as raised:
        onnx2ir.convert(REPOSITORY / "tests/errors/bad_unsupported_operators.onnxtxt")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert str(copy) == str(raised.value) and copy.diagnostics == raised.value.diagnostics


@pytest.mark.parametrize(
    ("given", "ports"),
    [
        ("image[1,3,8,8]", [("image", "f32", (1, 3, 8, 8)), ("rate", "i64", ())]),
        ({"image": [1, 3, 8, 8]}, [("image", "f32", (1, 3, 8, 8)), ("rate", "i64", ())]),
        ({"rate": "i32", "image": ([2, 3, -1, None], np.float16)}, [("rate", "i32", ()), ("image", "f16", (2, 3, -1, -1))]),
        ([("image", [1, 3, 8, 8], openvino.Type.u8)], [("image", "u8", (1, 3, 8, 8)), ("rate", "i64", ())]),
        ([[1, 3, 8, (1, 9)], []], [("image", "f32", (1, 3, 8, -1)), ("rate", "i64", ())]),
        ([openvino.PartialShape("1,3,8,1..9")], [("image", "f32", (1, 3, 8, -1)), ("rate", "i64", ())]),
        (["rate->16000", "image[1,3,8,8]"], [("image", "f32", (1, 3, 8, 8))]),
    ],
)
def test_inputs(onnx2ir, given, ports):
    model = onnx2ir.convert(IMAGE, input=given)
    assert [(port.name, port.element_type, port.shape) for port in model.inputs] == ports


def test_bounds_of_dimensions(onnx2ir):
    model = onnx2ir.convert(IMAGE, input=[openvino.PartialShape("1,3,8,1..9"), []], output=["y"])
    assert str(model.to_openvino().input("image").partial_shape) == "[1,3,8,1..9]"
    assert [port.name for port in model.outputs] == ["y"]


def test_dimensions(onnx2ir):
    """They are sizes, with the bounds that were requested and the names of the ONNX model."""
    model = onnx2ir.convert(IMAGE, input={"image": [(1, 8), 3, 224, None]})
    for port in (model.inputs[0], pickle.loads(pickle.dumps(model.inputs[0])), copy.deepcopy(model).outputs[0]):
        assert port.shape == (-1, 3, 224, -1) and sum(port.shape) == 225 and repr(port.shape) == "(n=1..8, 3, 224, w)"
        batch, channels, _, width = port.shape
        assert (batch.name, batch.min, batch.max, batch.is_dynamic) == ("n", 1, 8, True)
        assert (channels.name, channels.min, channels.max, channels.is_dynamic) == ("", 3, 3, False)
        assert (width.name, width.min, width.max) == ("w", 0, None)
    assert [str(onnx2ir.Dimension(*row)) for row in ((-1, 2), (-1, 0, 5), (-1,), (7, 1, 9, "n"))] == ["2..", "0..5", "?", "7"]


def test_names_of_dimensions_of_other_ranks(onnx2ir, tmp_path):
    model = onnx2ir.convert(IMAGE, input={"image": [None, 3]}, output=["y"])
    assert repr(model.inputs[0].shape) == "(?, 3)"
    model.save(tmp_path / "m.xml")
    assert repr(onnx2ir.read_ir(tmp_path / "m.xml").inputs[0].shape) == "(?, 3)"


def test_notebook(onnx2ir, tmp_path):
    page = onnx2ir.convert(IMAGE)._repr_html_()
    assert page.count("<iframe") == 1 and 'sandbox="allow-scripts"' in page and "[n, 3, h, w]" in page
    assert "<!DOCTYPE html>" not in page and "&lt;!DOCTYPE html&gt;" in page
    save_with_external_data(tmp_path / "m.onnx", "w")
    model = onnx2ir.convert(tmp_path / "m.onnx")
    onnx2ir._notebook._MAX_PAGE, before = 10, onnx2ir._notebook._MAX_PAGE
    try:
        assert "too large for a notebook" in model._repr_html_()
    finally:
        onnx2ir._notebook._MAX_PAGE = before


def test_wrong_options(onnx2ir):
    with pytest.raises(ValueError, match="input: a size, [?] or -1 is expected"):
        onnx2ir.convert(IMAGE, input="image[x]")
    with pytest.raises(ValueError, match="threads: '-1' is not a number"):
        onnx2ir.convert(IMAGE, threads=-1)
    with pytest.raises(TypeError, match="an input must be"):
        onnx2ir.convert(IMAGE, input=[3.5])
    with pytest.raises(onnx2ir.ConversionError, match="did you mean 'image'"):
        onnx2ir.convert(IMAGE, input="imgae[1,3,8,8]")


@pytest.mark.parametrize("count", [1, 200_000])
def test_a_compiled_model_needs_no_other_object(onnx2ir, tmp_path, count):
    """OpenVINO's compiled model uses the memory of the weights after all Python objects of the model are gone."""
    path = addition(tmp_path, count)
    compiled = [openvino.Core().compile_model(onnx2ir.convert(path).to_openvino(), "CPU") for _ in range(8)]
    gc.collect()
    others = [np.full(count, 7, np.float32) for _ in range(100)]  # in the memory that is free now
    for model in compiled:
        np.testing.assert_array_equal(model({"x": np.zeros(count, np.float32)})[0], np.arange(count, dtype=np.float32))
    assert len(others) == 100


def test_to_openvino_makes_one_copy_of_the_weights(onnx2ir, tmp_path):
    size = 128 << 20
    program = f"""
import re, sys, openvino
sys.path.insert(0, {str(Path(onnx2ir.__file__).parents[1])!r})
import onnx2ir
most = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10
onnx2ir.convert({str(MODEL)!r}).to_openvino()
converted = onnx2ir.convert({str(addition(tmp_path, size // 4))!r})
before = most()
model = converted.to_openvino()
print(most() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0.9 * size < int(done.stdout) < 1.25 * size


def test_to_openvino_without_weights(onnx2ir):
    x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in "xy")
    model = onnx.helper.make_model(onnx.helper.make_graph([onnx.helper.make_node("Abs", ["x"], ["y"])], "g", [x], [y]))
    compiled = openvino.Core().compile_model(onnx2ir.convert(model).to_openvino(), "CPU")
    assert compiled({"x": np.array([-1, 2], np.float32)})[0].tolist() == [1, 2]


def test_to_openvino_after_the_weights_have_changed(onnx2ir, tmp_path):
    model = onnx2ir.convert(addition(tmp_path, 1 << 20))
    (tmp_path / "numbers.bin").write_bytes(b"")
    with pytest.raises(RuntimeError, match="numbers.bin"):
        model.to_openvino()


def test_all_options_are_keywords(onnx2ir):
    """With a line of documentation; flags are off by default. Options for debugging the compiler are only on the command line."""
    import inspect

    from onnx2ir._library import library

    rows = {row["name"]: row for row in json.loads(library.onnx2ir_list_options())}
    keywords = set(inspect.signature(onnx2ir.convert).parameters) | set(inspect.signature(onnx2ir.Model.save).parameters)
    assert {name for name, row in rows.items() if row["group"] != "Compiler"} <= keywords
    for name, parameter in inspect.signature(onnx2ir.convert).parameters.items():
        assert name == "model" or f"\n    `{name}`: " in onnx2ir.convert.__doc__, name
        if name in rows and rows[name]["kind"] == "flag":
            assert parameter.default is False, name


UNKNOWN = """
<ir_version: 10, opset_import: ["" : 17, "com.example" : 1]>
m (float[2] x) => (float[2] y) { y = com.example.Op (x) }
"""


def test_unknown_operators(onnx2ir, tmp_path):
    (tmp_path / "map.json").write_text('{"operators": [{"domain": "com.example", "operator": "Op", "operation": "Abs"}]}')
    model = onnx2ir.convert(UNKNOWN, operator_map=tmp_path / "map.json")
    assert openvino.Core().compile_model(model.to_openvino(), "CPU")(np.float32([-1, 2]))[0].tolist() == [1, 2]
    assert b'type="Op" version="extension"' in onnx2ir.convert(UNKNOWN, keep_unknown=True).xml()
    (tmp_path / "map.json").write_text("[]")
    with pytest.raises(onnx2ir.ConversionError, match="map.json: the file must be an object"):
        onnx2ir.convert(UNKNOWN, operator_map=tmp_path / "map.json")


def test_extensions(onnx2ir, tmp_path):
    """One library or several; an exception that leaves a library is an error here, where both sides use the same C++ runtime library."""
    row = converts("Op", 'return {node.op("Abs", {node.input(0)})};')
    one = library(tmp_path / "a,b.so", row)
    for extension in (str(one), one, [one]):
        model = onnx2ir.convert(UNKNOWN, extension=extension)
        assert openvino.Core().compile_model(model.to_openvino(), "CPU")(np.float32([-1, 2]))[0].tolist() == [1, 2]
    other = compiled(
        tmp_path / "raw.so",
        """
        #include <onnx2ir/extension.h>
        #include <stdexcept>
        int onnx2ir_extension_version() { return ONNX2IR_EXTENSION_VERSION; }
        void onnx2ir_extension_register(const onnx2ir_registry* registry) {
          registry->add(registry->table, {"com.example", 11}, {"Raw", 3}, 1,
                        [](onnx2ir_node*, const onnx2ir_node_functions*, void*) { throw std::runtime_error("lost"); }, nullptr);
        }""",
    )
    with pytest.raises(onnx2ir.ConversionError, match="raw.so' cannot convert the node: its translator has thrown an exception: lost"):
        onnx2ir.convert(UNKNOWN.replace("example.Op", "example.Raw"), extension=[one, other])
    with pytest.raises(onnx2ir.ConversionError, match="the extension 'absent.so' cannot be used: No such file or directory") as caught:
        onnx2ir.convert(UNKNOWN, extension="absent.so")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["bad-extension"]


def test_headers(onnx2ir, installed):
    """In the installed tree; tests/package/test_extension.py has the wheel."""
    assert onnx2ir.get_include() == str(installed / "include")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda onnx2ir: onnx2ir.convert(MODEL, operator_map={}), "operator_map must be a path, not dict"),
        (lambda onnx2ir: onnx2ir.convert(MODEL, external_data=3), "external_data must be a function of a location, not int"),
        (lambda onnx2ir: onnx2ir.convert(MODEL, external_data_folder=3), "external_data_folder must be a path, not int"),
        (lambda onnx2ir: onnx2ir.convert(MODEL, extension=3), "extension must be a path or a list of paths, not int"),
        (lambda onnx2ir: onnx2ir.convert(MODEL, output=3), "output must be a name or a list of names, not 3"),
        (lambda onnx2ir: onnx2ir.convert(MODEL, output=[3]), "output must be a name or a list of names"),
        (lambda onnx2ir: onnx2ir.lint(3), "an IR must be an onnx2ir.Model or the path of its XML, not int"),
        (lambda onnx2ir: onnx2ir.legalize(b""), "an IR must be an onnx2ir.Model or the path of its XML, not bytes"),
        (lambda onnx2ir: onnx2ir.diff("a.xml", "b.xml"), "only an onnx2ir.Model can be compared, not str"),
        (lambda onnx2ir: onnx2ir.read_ir(3), "xml must be a path, not int"),
        (lambda onnx2ir: onnx2ir.stats(onnx2ir.convert(MODEL), 3), "sizes must be a dictionary such as {'batch': 8}, not int"),
    ],
)
def test_arguments_of_wrong_types(onnx2ir, call, message):
    with pytest.raises(TypeError) as found:
        call(onnx2ir)
    assert message in str(found.value)


@pytest.mark.parametrize("content", [b"", bytearray(), io.BytesIO(), io.StringIO()], ids=["bytes", "bytearray", "file", "text file"])
def test_an_empty_model_in_memory(onnx2ir, content):
    with pytest.raises(onnx2ir.ConversionError, match="the model cannot be read: it is empty"):
        onnx2ir.convert(content)


def test_a_constant_with_a_wrong_number_of_elements(onnx2ir):
    text = '<ir_version: 10, opset_import: ["": 18]> m (float[2] x, float[n] z) => (float[k] y) { y = Add (x, z) }'
    assert [port.name for port in onnx2ir.convert(text, input={"x": np.zeros(2, np.float32), "z": None}).inputs] == ["z"]
    with pytest.raises(onnx2ir.ConversionError, match=r"the shape \[2\] does not have 3 elements"):
        onnx2ir.convert(text, input={"x": np.zeros(3, np.float32)})


def test_external_data_in_another_folder(onnx2ir, tmp_path):
    weights = onnx.numpy_helper.from_array(np.arange(4, dtype=np.float32), "w")
    x, y = (onnx.helper.make_tensor_value_info(name, 1, [4]) for name in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [weights])
    (tmp_path / "data").mkdir()
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="w.data", size_threshold=0)
    (tmp_path / "w.data").rename(tmp_path / "data/w.data")
    assert onnx2ir.convert(tmp_path / "m.onnx", external_data_folder=tmp_path / "data").weights()[:16] == np.arange(4, dtype=np.float32).tobytes()
    with pytest.raises(onnx2ir.ConversionError, match="the folder of its external data"):
        onnx2ir.convert(tmp_path / "m.onnx", external_data_folder=tmp_path / "none")
