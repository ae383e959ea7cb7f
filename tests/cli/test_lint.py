"""onnx2ir lint and onnx2ir legalize: the list, exit codes, files; tests/package/test_python_ir.py has the functions. tests/faults/test_lint.py has the faults."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx.parser
import onnx.printer
import openvino as ov
import openvino.opset1 as opset1
import openvino.opset5 as opset5
import openvino.opset16 as opset16
import pytest

from .command import run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def faulty(tmp_path):
    """An IR of OpenVINO with a sum of bytes, which saturates."""
    x, y = (opset1.parameter([3], np.uint8, name=name) for name in ("x", "y"))
    total = opset1.add(x, y, name="total")
    for node, name in ((x, "x"), (y, "y"), (total, "sum")):
        node.output(0).set_names({name})
    ov.save_model(ov.Model([total], [x, y], "bytes"), tmp_path / "m.xml", compress_to_fp16=False)
    return tmp_path


@pytest.fixture
def right(tmp_path):
    x = opset1.parameter([3], np.float32)
    ov.save_model(ov.Model([opset1.relu(x)], [x], "right"), tmp_path / "r.xml", compress_to_fp16=False)
    return tmp_path


def test_a_line_for_each_layer(faulty):
    done = run("lint", "m.xml", folder=faulty)
    assert done.returncode == 1
    assert done.stdout == "'total' (Add): byte_arithmetic, 2024.6..: Arithmetic of 8-bit integers saturates instead of wrapping around\n"


def test_json(faulty):
    done = run("lint", "m.xml", "--json", folder=faulty)
    assert done.returncode == 1
    assert json.loads(done.stdout) == [
        {
            "layer": "total",
            "operation": "Add",
            "fault": "byte_arithmetic",
            "summary": "Arithmetic of 8-bit integers saturates instead of wrapping around",
            "first_release": "2024.6",
            "last_release": "",
            "instruction_sets": "",
            "warning": "",
        }
    ]


def test_an_ir_without_faults(right):
    done = run("lint", "r.xml", folder=right)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads(run("lint", "r.xml", "--json", folder=right).stdout) == []


def prelu(tmp_path, weights, compress_to_fp16):
    """An IR of OpenVINO that prelu_axis affects, with a matrix of `weights` rows before it."""
    x, slopes = opset1.parameter([4, 4, 4], np.float32), opset1.constant(np.array([1, 2, 3, 4], np.float32))
    rows = np.zeros([weights, 4], np.float32)
    rows[:4] = np.eye(4)
    data = opset1.matmul(opset1.matmul(x, opset1.constant(rows), False, True), opset1.constant(rows.copy()), False, False)
    negative = opset1.multiply(opset1.relu(opset1.multiply(data, opset1.constant(np.float32(-1)))), slopes)
    ov.save_model(ov.Model([opset1.subtract(opset1.relu(data), negative)], [x], "m"), tmp_path / "m.xml", compress_to_fp16=compress_to_fp16)


@pytest.mark.parametrize("compress_to_fp16", [False, True])
@pytest.mark.parametrize("weights", [4, 4096])
def test_constants_are_known_in_large_and_in_compressed_weights(tmp_path, weights, compress_to_fp16):
    prelu(tmp_path, weights, compress_to_fp16)
    done = run("lint", "m.xml", folder=tmp_path)
    assert (done.returncode, done.stdout.count("\n"), "prelu_axis" in done.stdout) == (1, 1, True), done.stdout
    assert run("legalize", "m.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    assert run("lint", "fixed.xml", folder=tmp_path).stdout == ""
    x = np.arange(64, dtype=np.float32).reshape(4, 4, 4) % 7 - 3
    fixed = ov.Core().compile_model(tmp_path / "fixed.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([x])[0]
    np.testing.assert_allclose(fixed, np.maximum(x, 0) - np.array([1, 2, 3, 4]) * np.maximum(-x, 0), atol=1e-3)


def test_layers_follow_their_inputs_when_constants_were_decompressed(tmp_path):
    x = opset1.parameter([2], np.float32)
    ov.save_model(ov.Model([opset1.add(x, opset1.constant(np.array([1, 2], np.float32)))], [x], "m"), tmp_path / "m.xml")
    assert run("legalize", "m.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    edges = ElementTree.parse(tmp_path / "fixed.xml").findall("./edges/edge")
    assert edges and all(int(edge.get("from-layer")) < int(edge.get("to-layer")) for edge in edges)


def test_a_constant_pad_of_compressed_weights_is_right(tmp_path):
    x, pads = opset1.parameter([-1, 4], np.float32), opset1.constant(np.array([1, 1], np.int64))
    padded = opset1.pad(x, pads, pads, "constant", opset1.constant(np.float32(0)))
    ov.save_model(ov.Model([padded], [x], "m"), tmp_path / "m.xml", compress_to_fp16=True)
    assert run("lint", "m.xml", folder=tmp_path).stdout == ""


def truncated(quotient):
    """tf.truncatediv."""
    zero = opset1.constant(np.int32(0))
    return opset1.select(opset1.less(quotient, zero), opset1.ceiling(quotient), opset1.floor(quotient))


@pytest.mark.parametrize(("form", "is_fault"), [(opset1.floor, True), (lambda quotient: quotient, False), (truncated, False)], ids=["floor", "bare", "truncated"])
def test_quotients_of_integers_are_rounded_down_if_the_program_does_so(tmp_path, form, is_fault):
    """Front ends write m_pythondiv for all of them."""
    x, y = opset1.parameter([-1], np.int32), opset1.parameter([-1], np.int32)
    ov.save_model(ov.Model([form(opset1.divide(x, y))], [x, y], "m"), tmp_path / "m.xml")
    assert ("truncated_quotients" in run("lint", "m.xml", folder=tmp_path).stdout) == is_fault
    assert run("legalize", "m.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    assert run("lint", "fixed.xml", folder=tmp_path).stdout == ""
    given = np.int32([-7, 7, -8, 5]), np.int32([2, -2, 3, 3])
    found = ov.Core().compile_model(tmp_path / "fixed.xml", "CPU")(given)[0].tolist()
    assert found == ([-4, -4, -3, 1] if is_fault else [-3, -3, -2, 1])


def test_a_reduced_sum_is_divided_as_the_program_does(tmp_path):
    x = opset1.parameter([2, 2], np.int32)
    total = opset1.reduce_sum(x, opset1.constant(np.int64([1])), False)
    ov.save_model(ov.Model([opset1.divide(total, opset1.constant(np.int32(2)))], [x], "m"), tmp_path / "m.xml")
    assert "integer_reduce_then_division" in run("lint", "m.xml", folder=tmp_path).stdout
    assert run("legalize", "m.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    found = ov.Core().compile_model(tmp_path / "fixed.xml", "CPU")([np.int32([[-5, -2], [3, 4]])])[0].tolist()
    assert found == [-3, 3]


def test_a_fault_of_other_releases(tmp_path):
    x, y = (opset1.parameter([3], np.uint8) for _ in range(2))
    import openvino.opset15 as opset15

    ov.save_model(ov.Model([opset15.bitwise_left_shift(x, y)], [x, y], "m"), tmp_path / "m.xml")
    assert "narrow_shifts" in run("lint", "m.xml", "--target-runtime", "2024.6", folder=tmp_path).stdout
    assert run("lint", "m.xml", "--target-runtime", "2026.4", folder=tmp_path).returncode == 0


def test_the_legalised_ir_computes_right_and_keeps_its_names(faulty):
    done = run("legalize", "m.xml", "-o", "fixed.xml", folder=faulty)
    assert done.returncode == 0 and "'total' (Add): byte_arithmetic" in done.stdout
    model = ov.Core().read_model(faulty / "fixed.xml")
    assert [port.any_name for port in (*model.inputs, *model.outputs)] == ["x", "y", "sum"]
    result = ov.Core().compile_model(model, "CPU")({"x": np.uint8([200, 1, 2]), "y": np.uint8([100, 1, 2])})
    assert result["sum"].tolist() == [44, 2, 4]
    assert run("lint", "fixed.xml", folder=faulty).returncode == 0


def loop_ir(path, shape):
    """Writes an IR of a Loop whose trip count is an input: its outputs are its state, doubled in each iteration, and all states."""
    trips, initial = opset5.parameter([], np.int64, name="trips"), opset5.parameter(shape, np.float32, name="initial")
    state = opset5.parameter(shape, np.float32)
    doubled = opset5.add(state, state)
    row = opset5.unsqueeze(doubled, opset5.constant(0))
    true = opset5.constant(np.array(True))
    loop = opset5.loop(trips, true)
    loop.set_function(ov.Model([doubled, true, row], [state], "body"))
    loop.set_special_body_ports([-1, 1])
    loop.set_merged_input(state, initial.output(0), doubled.output(0))
    outputs = [loop.get_iter_value(doubled.output(0), -1), loop.get_concatenated_slices(row.output(0), 0, 1, 1, -1, 0)]
    ov.save_model(ov.Model([opset5.result(output) for output in outputs], [trips, initial], "loop"), path, compress_to_fp16=False)


@pytest.mark.parametrize("releases", [("2026.4", "2024.6"), ("2024.6", "2026.4"), ("2026.4", "2024.6", "2026.4")])
def test_an_ir_is_legalised_for_one_release_after_another(tmp_path, releases):
    loop_ir(tmp_path / "0.xml", [-1, 2])
    for i, release in enumerate(releases):
        assert run("legalize", f"{i}.xml", "-o", f"{i + 1}.xml", "--target-runtime", release, folder=tmp_path).returncode == 0
    last = f"{len(releases)}.xml"
    for release in releases:
        done = run("lint", last, "--target-runtime", release, folder=tmp_path)
        assert (done.returncode, done.stdout) == (0, "")
    for trips in (2, 0, 1):
        given = [np.int64(trips), np.ones((3, 2), np.float32)]
        final, rows = ov.Core().compile_model(tmp_path / last, "CPU")(given).values()
        assert np.array_equal(final, given[1] * 2**trips) and rows.shape[0] == trips


def test_loops_of_unknown_rank_stay_as_they_are(tmp_path):
    """No release of the CPU plugin runs them."""
    loop_ir(tmp_path / "loop.xml", ov.PartialShape.dynamic())
    assert run("lint", "loop.xml", folder=tmp_path).returncode == 0
    assert run("legalize", "loop.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    assert 'type="Select"' not in (tmp_path / "fixed.xml").read_text()


def test_reversed_outputs_beside_an_unread_state(tmp_path):
    """A Loop cannot stack in reverse, as this TensorIterator does: its IR would not compile, because OpenVINO removes the state."""
    x, initial = opset1.parameter([4, 2], np.float32), opset1.parameter([1, 2], np.float32)
    row, state = opset1.parameter([1, 2], np.float32), opset1.parameter([1, 2], np.float32)
    doubled = opset1.add(row, row)
    iterator = opset1.tensor_iterator()
    iterator.set_function(ov.Model([doubled], [row, state], "body"))
    iterator.set_sliced_input(row, x.output(0), -1, -1, 1, 0, 0)
    iterator.set_merged_input(state, initial.output(0), doubled.output(0))
    outputs = [iterator.get_iter_value(doubled.output(0), -1), iterator.get_concatenated_slices(doubled.output(0), -1, -1, 1, 0, 0)]
    ov.save_model(ov.Model([opset1.result(output) for output in outputs], [x, initial], "iterator"), tmp_path / "m.xml", compress_to_fp16=False)
    assert run("legalize", "m.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    given = [np.arange(8, dtype=np.float32).reshape(4, 2), np.ones((1, 2), np.float32)]
    last, rows = ov.Core().compile_model(tmp_path / "fixed.xml", "CPU")(given).values()
    assert np.array_equal(rows, given[0] * 2) and np.array_equal(last, given[0][:1] * 2)


def test_weights_of_one_bit_stay_as_they_are(tmp_path):
    """An operation that the compiler does not know takes them as they are."""
    x, weights = opset1.parameter([1, 8, 4, 4], np.float32), opset1.constant(np.arange(64).reshape(8, 8, 1, 1) % 2, ov.Type.u1)
    y = opset1.binary_convolution(x, weights, [1, 1], [0, 0], [0, 0], [1, 1], "xnor-popcount", 0.0)
    ov.save_model(ov.Model([y], [x], "binary"), tmp_path / "m.xml", compress_to_fp16=False)
    assert run("legalize", "m.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    given = np.where(np.arange(128).reshape(1, 8, 4, 4) % 3 == 0, 1, -1).astype(np.float32)
    before, after = (ov.Core().compile_model(tmp_path / name, "CPU")(given)[0] for name in ("m.xml", "fixed.xml"))
    assert np.array_equal(before, after)


def test_a_strided_slice_has_the_faults_of_a_slice(tmp_path):
    x = opset1.parameter(ov.PartialShape([ov.Dimension(0, 4)]), np.float32)
    ends = [opset1.constant(np.array([value], np.int64)) for value in (0, -2, -1)]
    part = opset1.strided_slice(x, *ends, [0], [0], name="part")
    ov.save_model(ov.Model([part], [x], "m"), tmp_path / "m.xml", compress_to_fp16=False)
    found = run("lint", "m.xml", folder=tmp_path)
    assert "'part' (Slice): slice_from_both_ends, " in found.stdout
    assert run("legalize", "m.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    values = np.ones(1, np.float32)
    np.testing.assert_array_equal(ov.Core().compile_model(tmp_path / "fixed.xml", "CPU")([values])[0], values)


def test_an_identity_of_strings_is_legalised(tmp_path):
    x = opset1.parameter([4], ov.Type.string)
    ov.save_model(ov.Model([opset16.identity(x)], [x], "m"), tmp_path / "m.xml", compress_to_fp16=False)
    assert "(Identity): moved_strings, " in run("lint", "m.xml", folder=tmp_path).stdout
    assert run("legalize", "m.xml", "-o", "fixed.xml", folder=tmp_path).returncode == 0
    texts = ["a", "bb", "", "a long string that is not stored in place"]
    found = ov.Core().compile_model(tmp_path / "fixed.xml", "CPU")([np.array(texts)])[0]
    assert list(found) == texts


def test_nested_loops_are_legalised_once(tmp_path):
    """The copy of the output of the inner Loop keeps its size: the outer state neither grows nor shrinks."""

    def loop(value, trips, function):
        state = opset5.parameter([-1, -1], np.float32)
        true, result = opset5.constant(np.array(True)), function(state)
        node = opset5.loop(opset5.constant(np.int64(trips)), opset5.constant(np.array(True)))
        node.set_function(ov.Model([result, true], [state], "body"))
        node.set_special_body_ports([-1, 1])
        node.set_merged_input(state, value.output(0), result.output(0))
        return node.get_iter_value(result.output(0), -1)

    x = opset5.parameter([-1, -1], np.float32)
    one, half = opset5.constant(np.float32(1)), opset5.constant(np.float32(0.5))
    y = loop(x, 3, lambda a: opset5.multiply(loop(a, 2, lambda b: opset5.add(b, one)), half))
    ov.save_model(ov.Model([opset5.result(y)], [x], "nested"), tmp_path / "0.xml", compress_to_fp16=False)
    for i in range(2):
        assert run("legalize", f"{i}.xml", "-o", f"{i + 1}.xml", "--target-runtime", "2026.4", folder=tmp_path).returncode == 0
    assert run("lint", "1.xml", "--target-runtime", "2026.4", folder=tmp_path).stdout == ""
    assert len((tmp_path / "1.xml").read_text()) == len((tmp_path / "2.xml").read_text())


def test_loops_inside_of_loops_are_looked_at(tmp_path):
    """A fault of loops is found by its pass, run alone, which must leave no Loop without its body."""
    model = ROOT / "tests/models/found/static_states_beside_inner_loops.onnxtxt"
    assert run(str(model), "--stop-after", "legalize_imported_nodes", "-o", "m.xml", folder=tmp_path).returncode == 0
    rows = json.loads(run("lint", "m.xml", "--json", folder=tmp_path).stdout)
    faulty = {row["layer"] for row in rows if row["fault"] == "empty_loop_vectors"}
    assert faulty == {"final", "final/body/last1", "other", "other/body/Loop_1"}


def test_the_read_files_are_not_overwritten(faulty):
    shutil.copy(faulty / "m.xml", faulty / "copy.xml")
    (faulty / "link.xml").symlink_to("m.xml")
    before = (faulty / "m.xml").read_bytes()
    for output in ("m.xml", "./m.xml", "link.xml"):
        done = run("legalize", "m.xml", "-o", output, folder=faulty)
        assert done.returncode == 1 and "is read from" in done.stderr, output
    assert (faulty / "m.xml").read_bytes() == before


@pytest.mark.parametrize("name", ["a/model.onnx", "model.xml", "model.onnxtxt"])
def test_onnx_models(name, tmp_path):
    """The name or the first byte tells that the file is an ONNX model."""
    (tmp_path / "a").mkdir()
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 17]> m (float[4] x) => (float[4] y) { y = Relu (x) }')
    if name.endswith("txt"):
        (tmp_path / name).write_text(onnx.printer.to_text(model))
    else:
        onnx.save(model, tmp_path / name, format="protobuf")
    for command, code in ((["lint"], 2), (["legalize", "-o", "out.xml"], 1)):
        done = run(*command, name, folder=tmp_path)
        assert done.returncode == code and f"error: '{name}' is an ONNX model, not an IR [unreadable-ir]" in done.stderr
        assert "hint: convert the model: its IR has the workarounds already" in done.stderr
    assert not (tmp_path / "out.xml").exists()


def test_missing_onnx_model(tmp_path):
    assert "cannot read 'model.onnx'" in run("lint", "model.onnx", folder=tmp_path).stderr


@pytest.mark.parametrize(("output", "xml"), [("new/fixed.xml", "new/fixed.xml"), ("new/", "new/m.xml"), ("there", "there/m.xml"), ("fixed", "fixed.xml"), ("a/b/c", "a/b/c.xml")])
def test_output_as_in_conversions(faulty, output, xml):
    """FILE.xml, a name or a folder; folders are created."""
    (faulty / "there").mkdir()
    done = run("legalize", "m.xml", "-o", output, folder=faulty)
    assert done.returncode == 0, done.stderr
    assert (faulty / xml).is_file() and (faulty / xml).with_suffix(".bin").is_file()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["lint"], 2, "no model is given"),
        (["lint", "missing.xml"], 2, "cannot read"),
        (["lint", "m.xml", "--target-runtime", "1.0"], 2, "not a supported OpenVINO release"),
        (["lint", "m.xml", "-o", "x.xml"], 2, "-o is an option of conversions and legalize, not of lint"),
        (["legalize", "m.xml"], 2, "-o FIXED.xml"),
        (["legalize", "m.xml", "-o", "x.bin"], 2, "-o names the XML"),
        (["legalize", "missing.xml", "-o", "x.xml"], 1, "cannot read"),
        (["legalize", "m.xml", "-o", "x.xml", "--target-runtime", "1.0"], 2, "not a supported OpenVINO release"),
        (["legalize", "m.xml", "-o", "-"], 2, "cannot go to standard output"),
        (["legalize", "m.xml", "-o", "."], 1, "is read from"),
        (["legalize", "m.xml", "-o", "m.xml/folder/"], 1, "cannot be created: Not a directory"),
    ],
)
def test_exit_codes(faulty, arguments, code, message):
    done = run(*arguments, folder=faulty)
    assert done.returncode == code and message in done.stderr
    assert not (faulty / "x.xml").exists()
