"""onnx2ir.convert_model: every form of its arguments in OpenVINO's documentation, through both functions, and the forms that only ours has.

The forms are those of `help(openvino.convert_model)` and of the pages "Setting Input Shapes", "Conversion Parameters", "Convert from ONNX" and
"Transition from Legacy Conversion API". tests/zoo/test_convert_model.py has the models of PyTorch.
"""

import inspect
import io
import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import openvino as ov
import pytest
from openvino import Dimension, PartialShape, Shape, Type
from openvino.frontend.onnx import OpExtension

from ..cli.extension_library import converts, library

MODELS = {
    "image": """<ir_version: 8, opset_import: ["" : 17]>
        image (float[n, 3, h, w] x) => (float[n, 3, h, w] y) { y = Relu (x) }""",
    "ocr": """<ir_version: 8, opset_import: ["" : 17]>
        ocr (float[n, height, width, 1] data, int64[m] seq_len) => (float[n, height, width, 1] sum, int64[m] lengths) {
          two = Constant <value = float {2.0}> ()
          sum = Mul (data, two)
          lengths = Neg (seq_len)
        }""",
}


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, text in MODELS.items():
        onnx.save(onnx.parser.parse_model(text), folder / f"{name}.onnx")
    return {name: folder / f"{name}.onnx" for name in MODELS}


def ports(model):
    return [(port.get_any_name(), str(port.partial_shape), port.element_type.get_type_name()) for port in model.inputs]


IMAGE_FORMS = {
    "list": [2, 3, 30, 30],
    "tuple": (2, 3, 30, 30),
    "PartialShape": PartialShape([-1, 3, 100, 100]),
    "PartialShape of text": PartialShape("[1..4,3,?,?]"),
    "Shape": Shape([2, 3, 10, 10]),
    "-1": [-1, 3, 30, 30],
    "Dimension": [Dimension(1, 3), 3, -1, Dimension(2)],
    "Dimension of text": [Dimension("1..3"), 3, Dimension("?"), Dimension()],
    "unbounded Dimension": [Dimension(2, -1), 3, Dimension(-1), 30],
    "name": "x",
    "name and shape": ("x", [2, 3, 30, 30]),
    "name, shape and type": ("x", PartialShape([-1, 3, 100, 100]), Type.f32),
    "shape and name": ([2, 3, 30, 30], "x"),
    "shape and type": ([1, 3, 2, 2], Type.f16),
    "type and shape": (np.float16, [1, 3, 2, 2]),
    "Type": Type.f16,
    "numpy type": np.float16,
    "Python type": float,
    "list of a name": ["x"],
    "list of a shape": [[1, 3, 2, 2]],
    "list of a tuple": [("x", [1, 3, 2, 2], Type.f16)],
    "dict of a shape": {"x": [1, 3, 2, 2]},
    "dict of a tuple as shape": {"x": (1, 3, 2, 2)},
    "dict of a type": {"x": Type.f16},
    "dict of a tuple": {"x": ([1, 3, 2, 2], np.float16)},
    "dict of a tuple with the name": {"x": ("x", [1, 3, 2, 2])},
    "nothing": None,
    "empty list": [],
    "empty dict": {},
}

OCR_FORMS = {
    "list of tuples": [("data", [3, 150, 200, 1]), ("seq_len", [3])],
    "tuple of shapes": ([3, 150, 200, 1], [3]),
    "list of shapes": [[3, 150, 200, 1], [3]],
    "list of tuples as shapes": [(3, 150, 200, 1), (3,)],
    "list of PartialShapes": [PartialShape([3, 150, 200, 1]), PartialShape([3])],
    "-1": [("data", [-1, 150, 200, 1]), ("seq_len", [-1])],
    "bounds": [("data", [Dimension(1, 3), 150, 200, 1]), ("seq_len", [Dimension(1, 3)])],
    "open bounds": [("data", [Dimension(0, 3), 150, 200, 1]), ("seq_len", [Dimension(2, -1)])],
    "dict": {"data": [3, 150, 200, 1], "seq_len": [3]},
    "dict with types": {"data": ([3, 150, 200, 1], Type.f32), "seq_len": Type.i32},
    "tuples with types": [("data", [3, 150, 200, 1], Type.f32), ("seq_len", Type.i32)],
    "no names": [([3, 150, 200, 1], Type.f32), Type.i32],
    "names": ["data", "seq_len"],
    "tuple of names": ("data", "seq_len"),
    "one of two names": "data",
    "one of two shapes": [3, 150, 200, 1],
    "one of two in a dict": {"data": [3, 150, 200, 1]},
}


@pytest.mark.parametrize(
    ("model", "form"), [("image", form) for form in IMAGE_FORMS] + [("ocr", form) for form in OCR_FORMS], ids=lambda part: part.replace(" ", "_")
)
def test_documented_input(onnx2ir, paths, model, form):
    given = (IMAGE_FORMS if model == "image" else OCR_FORMS)[form]
    assert ports(onnx2ir.convert_model(paths[model], input=given)) == ports(ov.convert_model(paths[model], input=given))


def test_order_of_inputs_is_that_of_the_argument(onnx2ir, paths):
    """As the documentation says; OpenVINO 2026.4 keeps the order of ONNX models."""
    for given in (["seq_len", "data"], {"seq_len": [3]}, [("seq_len", [3]), ("data", [3, 150, 200, 1])]):
        model = onnx2ir.convert_model(paths["ocr"], input=given)
        assert [name for name, *_ in ports(model)] == ["seq_len", "data"]
        assert sorted(ports(model)) == sorted(ports(ov.convert_model(paths["ocr"], input=given)))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x[1..4,3,?,?]{f16}", [("x", "[1..4,3,?,?]", "f16")]),
        (("x", [1, 3, 2, 2], "float16"), [("x", "[1,3,2,2]", "f16")]),
        (("x", "f16"), [("x", "[?,3,?,?]", "f16")]),
        ({"x": "float16"}, [("x", "[?,3,?,?]", "f16")]),
        (np.dtype("uint8"), [("x", "[?,3,?,?]", "u8")]),
        (("x", None, Type.u8), [("x", "[?,3,?,?]", "u8")]),
        ([("x", [(1, 4), 3, None, "2..8"])], [("x", "[1..4,3,?,2..8]", "f32")]),
        ([np.int64(1), 3, np.int32(4), 4], [("x", "[1,3,4,4]", "f32")]),
        ({"x": [(1, 4), (3, 3), (0, None), (2, 2)]}, [("x", "[1..4,3,?,2]", "f32")]),
        (Type.i64, [("x", "[?,3,?,?]", "i64")]),
    ],
)
def test_more_forms_of_input(onnx2ir, paths, given, expected):
    assert ports(onnx2ir.convert_model(paths["image"], input=given)) == expected
    assert ports(onnx2ir.convert(paths["image"], input=given).to_openvino()) == expected


@pytest.mark.parametrize(
    "given",
    [
        {"seq_len": np.array([3, -1])},
        {"seq_len": [np.array([3, -1])]},
        {"seq_len": (np.array([3, -1]), np.int64)},
        [("seq_len", np.int32([3, -1]))],
        ("seq_len", np.array([3, -1])),
    ],
)
def test_arrays_are_constants(onnx2ir, paths, given):
    model = onnx2ir.convert_model(paths["ocr"], input=given)
    assert [name for name, *_ in ports(model)] == ["data"]
    assert ov.Core().compile_model(model, "CPU")({"data": np.zeros((1, 1, 1, 1), np.float32)})["lengths"].tolist() == [-3, 1]


@pytest.mark.parametrize(
    ("kind", "value"),
    [("float[2, 2]", np.float32([[0.1, np.inf], [-1e-30, np.nan]])), ("float", np.float32(2.5)), ("bool[n]", np.array([True, False])), ("float[n]", np.zeros(0, np.float32))],
)
def test_arrays_keep_values_and_shapes(onnx2ir, kind, value):
    text = f'<ir_version: 8, opset_import: ["" : 17]> g ({kind} c, float x) => ({kind} out, float y) {{ out = Identity (c) y = Neg (x) }}'
    model = onnx2ir.convert_model(text, input={"c": value})
    got = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})({"x": np.float32(1)})["out"]
    np.testing.assert_array_equal(got, value)


def test_wrong_inputs(onnx2ir, paths):
    for given in (3.5, [3.5], {"x": True}, {1: [1]}, {"x": ([1, 3, 2, 2], [1, 3, 2, 2])}, Dimension(3)):
        with pytest.raises(TypeError, match="input"):
            onnx2ir.convert_model(paths["image"], input=given)
    with pytest.raises(ValueError, match="dynamic rank"):
        onnx2ir.convert_model(paths["image"], input=PartialShape.dynamic())
    with pytest.raises(onnx2ir.ConversionError, match="did you mean 'seq_len'"):
        onnx2ir.convert_model(paths["ocr"], input={"seq_lem": [3]})


@pytest.mark.parametrize("output", [None, "sum", "lengths", ["sum"], ["sum", "lengths"], ("lengths",)])
def test_output(onnx2ir, paths, output):
    names = [port.get_any_name() for port in onnx2ir.convert_model(paths["ocr"], output=output).outputs]
    if isinstance(output, tuple):  # OpenVINO takes a tuple for one name
        output = list(output)
    assert names == [port.get_any_name() for port in ov.convert_model(paths["ocr"], output=output).outputs]


def test_outputs_with_commas(onnx2ir, paths):
    """As the documentation says; OpenVINO 2026.4 takes the text for one name."""
    assert [port.get_any_name() for port in onnx2ir.convert_model(paths["ocr"], output="lengths,sum").outputs] == ["lengths", "sum"]


MODEL_FORMS = {
    "path": lambda path: path,
    "text path": str,
    "BytesIO": lambda path: io.BytesIO(path.read_bytes()),
    "list of a path": lambda path: [path],
    "tuple of a path": lambda path: (str(path),),
}
OUR_MODEL_FORMS = {
    "bytes": Path.read_bytes,
    "file": lambda path: open(path, "rb"),
    "ModelProto": onnx.load,
    "text": lambda path: onnx.printer.to_text(onnx.load(path)),
    "array": lambda path: np.fromfile(path, np.uint8),
}


@pytest.mark.parametrize("form", [*MODEL_FORMS, *OUR_MODEL_FORMS], ids=lambda form: form.replace(" ", "_"))
def test_input_model(onnx2ir, paths, form):
    made = {**MODEL_FORMS, **OUR_MODEL_FORMS}[form](paths["ocr"])
    model = onnx2ir.convert_model(made)
    assert isinstance(model, ov.Model)
    theirs = ov.convert_model({**MODEL_FORMS}.get(form, MODEL_FORMS["path"])(paths["ocr"]))
    assert ports(model) == ports(theirs) and [port.get_any_name() for port in model.outputs] == [port.get_any_name() for port in theirs.outputs]


def test_wrong_models(onnx2ir, paths):
    with pytest.raises(TypeError, match="one model, not 2"):
        onnx2ir.convert_model([paths["ocr"], paths["image"]])
    with pytest.raises(TypeError, match="a model must be a path"):
        onnx2ir.convert_model(3)
    with pytest.raises(FileNotFoundError):
        onnx2ir.convert_model("none.onnx")


def test_arguments_are_those_of_openvino(onnx2ir, paths):
    ours, theirs = (inspect.signature(function).parameters.values() for function in (onnx2ir.convert_model, ov.convert_model))
    assert {(one.name, one.default, one.kind) for one in theirs} <= {(one.name, one.default, one.kind) for one in ours}
    example = {"data": np.zeros((1, 1, 1, 1), np.float32)}
    model = onnx2ir.convert_model(paths["ocr"], None, None, example, None, False, False)
    assert ports(model) == ports(ov.convert_model(paths["ocr"], None, None, example, None, False, False))


def test_the_model_needs_no_file_and_is_saved_by_openvino(onnx2ir, paths, tmp_path):
    path = tmp_path / "m.onnx"
    weights = onnx.numpy_helper.from_array(np.arange(1 << 16, dtype=np.float32), "w")
    x, y = (onnx.helper.make_tensor_value_info(name, 1, [1 << 16]) for name in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [weights])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path, save_as_external_data=True)
    model = onnx2ir.convert_model(path, share_weights=True)
    path.write_bytes(b"")
    ov.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    got = ov.Core().compile_model(tmp_path / "m.xml", "CPU")(np.zeros(1 << 16, np.float32))[0]
    np.testing.assert_array_equal(got, np.arange(1 << 16))


UNKNOWN = '<ir_version: 10, opset_import: ["" : 17, "com.example" : 1]> m (float[2] x) => (float[2] y) { y = com.example.Op (x) }'


def test_extension(onnx2ir, tmp_path):
    row = converts("Op", 'return {node.op("Abs", {node.input(0)})};')
    one, other = library(tmp_path / "a.so", row), library(tmp_path / "b.so", converts("Op2", 'return {node.op("Abs", {node.input(0)})};'))
    for extension in (str(one), one, [one, str(other)], f"{one},{other}"):
        assert onnx2ir.convert_model(UNKNOWN, extension=extension).get_ops()
    with pytest.raises(TypeError, match="works only in OpenVINO's front end"):
        onnx2ir.convert_model(UNKNOWN, extension=OpExtension("Abs", "Op"))


WARNS = '<ir_version: 10, opset_import: ["" : 17]> m (float x) => (float[3] y) { y = Neg (x) }'


def test_warnings_are_logged(onnx2ir, caplog, capsys):
    onnx2ir.convert_model(WARNS)
    assert [(record.name, record.levelname) for record in caplog.records] == [("onnx2ir", "WARNING")]
    assert "declared-output" in caplog.text and capsys.readouterr() == ("", "")


def test_verbose(onnx2ir, caplog):
    onnx2ir.convert_model(WARNS, verbose=True)
    assert "converted in" in caplog.text and logging.getLogger("onnx2ir").level == logging.NOTSET


def run_program(onnx2ir, text, *arguments):
    start = f"import sys; sys.path.insert(0, {str(Path(onnx2ir.__file__).parents[1])!r}); import onnx2ir\n"
    return subprocess.run([sys.executable, *arguments, "-c", start + text], capture_output=True, text=True, check=False)


def test_verbose_without_logging(onnx2ir):
    done = run_program(onnx2ir, f"onnx2ir.convert_model({WARNS!r}, verbose=True)")
    assert "converted in" in done.stderr and done.stdout == ""
    assert "declared-output" in run_program(onnx2ir, f"onnx2ir.convert_model({WARNS!r})").stderr


def test_without_openvino(onnx2ir, paths):
    """The error comes before the conversion and says what to install; convert() works."""
    done = run_program(onnx2ir, f"sys.modules['openvino'] = None\nonnx2ir.convert({str(paths['ocr'])!r})\nonnx2ir.convert_model('absent.onnx')")
    assert "ImportError: onnx2ir.convert_model returns an openvino.Model, and OpenVINO is not installed: python3 -m pip install openvino" in done.stderr
