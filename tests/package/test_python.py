"""The Python module of the installed package, with its results run by OpenVINO."""

import copy
import errno
import gc
import io
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import openvino
import openvino.opset1
import pytest

from ..cli.extension_library import compiled, converts, library
from ..conformance.environment import RELEASES
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


def test_check_files(onnx2ir, tmp_path):
    onnx2ir.convert(MODEL).save(tmp_path / "p.xml", tmp_path / "w.bin", sync="always")
    onnx2ir.check_files(tmp_path / "p.xml", tmp_path / "w.bin")
    with pytest.raises(OSError, match="No such file"):
        onnx2ir.check_files(tmp_path / "p.xml")
    weights = (tmp_path / "w.bin").read_bytes()
    (tmp_path / "w.bin").write_bytes(bytes([weights[0] ^ 1]) + weights[1:])
    with pytest.raises(OSError, match="do not belong together"):
        onnx2ir.check_files(tmp_path / "p.xml", tmp_path / "w.bin")


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


IMAGE = """<ir_version: 10, opset_import: ["" : 17]>
net (float[n, 3, h, w] image, int64 rate) => (float[n, 3, h, w] y, float z) { a = Relu (image)  y = Neg (a)  z = Cast <to = 1> (rate) }"""


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


def test_graph(onnx2ir):
    """A GraphProto has no opset: the newest one is used."""
    model = onnx2ir.convert(onnx.parser.parse_model(IMAGE).graph)
    assert [port.name for port in model.outputs] == ["y", "z"]


def test_wrong_options(onnx2ir):
    with pytest.raises(ValueError, match="input: a size, [?] or -1 is expected"):
        onnx2ir.convert(IMAGE, input="image[x]")
    with pytest.raises(ValueError, match="threads: '-1' is not a number"):
        onnx2ir.convert(IMAGE, threads=-1)
    with pytest.raises(TypeError, match="an input must be"):
        onnx2ir.convert(IMAGE, input=[3.5])
    with pytest.raises(onnx2ir.ConversionError, match="did you mean 'image'"):
        onnx2ir.convert(IMAGE, input="imgae[1,3,8,8]")


def addition(folder, count):
    """The path of a model that adds 0, 1, 2, ..., which are external data, to `count` numbers."""
    np.arange(count, dtype=np.float32).tofile(folder / "numbers.bin")
    numbers = onnx.TensorProto(name="numbers", data_type=onnx.TensorProto.FLOAT, dims=[count], data_location=onnx.TensorProto.EXTERNAL)
    numbers.external_data.add(key="location", value="numbers.bin")
    x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [count]) for name in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "numbers"], ["y"])], "addition", [x], [y], [numbers])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
    path = folder / "addition.onnx"
    path.write_bytes(model.SerializeToString())
    return path


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


def test_progress(onnx2ir):
    seen = []
    onnx2ir.convert(MODEL, progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert seen[0] == ("reading", 0.0) and all(0 <= fraction <= 1 for _, fraction in seen)

    class Stop(Exception):
        pass

    def stop(stage, fraction):
        raise Stop(stage)

    with pytest.raises(Stop, match="reading"):
        onnx2ir.convert(MODEL, progress=stop)
    with pytest.raises(TypeError, match="progress must be True, False or a function"):
        onnx2ir.convert(MODEL, progress="yes")


def files_of(folder):
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


def test_progress_of_saving(onnx2ir, tmp_path):
    """The previous files stay if it is cancelled, and no other files are left."""
    model = onnx2ir.convert(addition(tmp_path, 20_000_000))
    seen = []
    model.save(tmp_path / "m.xml", progress=lambda stage, fraction: seen.append((stage, fraction)))
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions) and fractions[0] == 0 and seen[-1] == ("done", 1)
    stages = list(dict.fromkeys(stage for stage, _ in seen))
    assert stages == ["weights", "xml", "disk", "done"]

    before = files_of(tmp_path)
    for last in stages[:-1]:

        def stop(stage, fraction, last=last):
            if stage == last:
                raise ZeroDivisionError(stage)

        with pytest.raises(ZeroDivisionError, match=last):
            model.save(tmp_path / "m.xml", progress=stop)
        assert files_of(tmp_path) == before
    onnx2ir.check_files(tmp_path / "m.xml")


def test_interrupt(onnx2ir, tmp_path):
    """Ctrl-C ends conversion and writing, and the handler of the program stays. In a process of its own: with the alternate signal stack of
    pytest's faulthandler, the kernel cannot deliver a signal after OpenVINO has enabled AMX, because the stack is too small for its registers."""
    path = addition(tmp_path, 1000)
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(onnx2ir.__file__).parents[1])!r})
import onnx2ir
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets its background processes ignore the signal
model = onnx2ir.convert({str(path)!r})
handler = signal.getsignal(signal.SIGINT)
interrupt = lambda *_: os.kill(os.getpid(), signal.SIGINT)
for work in (lambda: onnx2ir.convert({str(path)!r}, progress=interrupt), lambda: model.save({str(tmp_path / "m.xml")!r}, progress=interrupt)):
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted", signal.getsignal(signal.SIGINT) is handler)
"""
    before = files_of(tmp_path)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted True\n" * 2 and done.stderr == "" and files_of(tmp_path) == before


def test_progress_bar(onnx2ir, tmp_path):
    """Of tqdm if there is one; otherwise nothing is printed unless standard error is a terminal."""
    program = f"""
import sys
sys.path.insert(0, {str(Path(onnx2ir.__file__).parents[1])!r})
import onnx2ir
onnx2ir.convert({str(MODEL)!r}, progress=True).save({str(tmp_path / "m.xml")!r}, progress=True)
"""
    for has_tqdm in (False, True):
        (tmp_path / "tqdm").mkdir(exist_ok=True)
        (tmp_path / "tqdm/__init__.py").write_text("" if has_tqdm else "raise ImportError")
        (tmp_path / "tqdm/auto.py").write_text(
            "class tqdm:\n    n = 0\n    def __init__(self, desc, **_): print(desc)\n    def set_postfix_str(self, *_, **__): pass\n"
            "    def update(self, by): self.n += by\n    def close(self): print(self.n)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True)
        assert done.stderr == "" and done.stdout.split("\n") == (["converting", "100", "saving m.xml", "100", ""] if has_tqdm else [""])


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


TINY = '<ir_version: 9, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) <float[4] w = {1, 2, 3, 4}> { y = Add (x, w) }'


def save_with_external_data(path, location):
    model = onnx.parser.parse_model(TINY)
    for tensor in model.graph.initializer:
        tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor), tensor.name))
    onnx.save(model, path, save_as_external_data=True, location=location, size_threshold=0)


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
