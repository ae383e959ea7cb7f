"""IR that OpenVINO writes: it is read, it equals itself, and writing it again changes neither results nor names."""

import re
import subprocess
from pathlib import Path

import numpy as np
import openvino as ov
import openvino.opset1 as opset1
import openvino.opset3 as opset3
import openvino.opset7 as opset7
import openvino.opset15 as opset15
import pytest
from openvino import op as operations

from ..conformance.tool import tool_path
from .command import run

F32 = np.float32


def parameter(shape, kind=F32):
    return opset1.parameter(shape, kind)


def integers(*values):
    return opset1.constant(np.array(values, np.int64))


def older_pool():
    x = parameter([1, 1, 4, 4])
    return opset1.max_pool(x, [1, 1], [0, 0], [0, 0], [2, 2], "floor", "explicit"), [x]


def older_shape():
    x = parameter([-1, 3])
    return opset1.shape_of(x), [x]


def older_scatter():
    x = parameter([2, 3])
    return opset3.scatter_elements_update(x, opset1.constant(np.int64([[2, 0]])), opset1.constant(F32([[8, 9]])), integers(1)), [x]


def older_gather():
    x = parameter([2, 3])
    return opset7.gather(x, integers(1), integers(1)), [x]


def older_top():
    x = parameter([2, 3])
    return opset3.topk(x, opset1.constant(np.int64(2)), 1, "max", "value"), [x]


def older_range():
    x = parameter([])
    return opset1.range(opset1.constant(F32(0)), x, opset1.constant(F32(1))), [x]


def unknown_operation():
    x = parameter([2, 3])
    return opset1.strided_slice(x, integers(0, 1), integers(0, 3), integers(1, 1), [1, 0], [1, 0]), [x]


def resized_without_axes():
    import openvino.opset11 as opset11

    x = parameter([1, 1, 2, 2])
    return opset11.interpolate(x, integers(1, 1, 4, 4), "nearest", "sizes"), [x]


def squeezed_axes():
    x, axes = parameter([1, 3, 1]), parameter([1], np.int64)
    return opset1.squeeze(x, axes), [x, axes]


def skipping_squeeze():
    x = parameter([4, 3])
    return opset15.squeeze(x, integers(0), True), [x]


def empty_constant():
    x = parameter([-1])
    return opset1.concat([x, operations.Constant(ov.Type.f32, ov.Shape([0]), [])], 0), [x]


def wide_ports():
    x = parameter([-1, 4])
    return opset1.unsqueeze(opset1.reduce_sum(x, integers(1), False), integers(0)), [x]


def iterator(slice_length=1, stride=1):
    """Sums rows from the first to the last, or in the other direction."""
    x, initial = parameter([-1, 2]), parameter([1, 2])
    row, state = parameter([slice_length, 2]), parameter([1, 2])
    total = opset1.add(state, opset1.reduce_sum(row, integers(0), True))
    body = ov.Model([total], [row, state], "body")
    node = operations.TensorIterator() if hasattr(operations, "TensorIterator") else opset1.tensor_iterator()
    node.set_function(body)
    start, end = (0, -1) if stride > 0 else (-1, 0)
    node.set_sliced_input(row, x.output(0), start, stride, slice_length, end, 0)
    node.set_merged_input(state, initial.output(0), total.output(0))
    last = node.get_iter_value(total.output(0), -1)
    rows = node.get_concatenated_slices(total.output(0), start, 1 if stride > 0 else -1, 1, end, 0)
    return opset1.concat([last, rows], 0), [x, initial]


def converted_like():
    x = parameter([2, 3])
    return opset1.multiply(opset1.convert_like(opset1.convert(x, "f16"), x), x), [x]


def padded_image(mode):
    import openvino.opset11 as opset11

    x = parameter([1, 2, 4, -1])
    sizes = opset1.constant(np.float32([1.5, 0.75])) if mode == "scales" else integers(6, 3)
    return opset11.interpolate(x, sizes, "nearest", mode, [0, 0, 1, 0], [0, 1], "asymmetric", "floor", axes=integers(2, 3)), [x]


def hard_sigmoid():
    import openvino.opset5 as opset5

    x = parameter([-1, 3])
    return opset5.hsigmoid(x), [x]


def squared_difference():
    x, y = parameter([2, 1]), parameter([1, 3])
    return opset1.squared_difference(x, y), [x, y]


def identity():
    import openvino.opset16 as opset16

    x = parameter([2, 3])
    return opset16.identity(x), [x]


def strided_slice(begin, end, strides, **masks):
    names = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")
    masks = {name: masks.get(name, [0] * len(begin)) for name in names}
    x = parameter([-1, 4, 4])
    return opset1.strided_slice(x, integers(*begin), integers(*end), integers(*strides), **masks), [x]


def strided_slice_from_input():
    x, begin = parameter([-1, 4]), parameter([2], np.int64)
    return opset1.strided_slice(x, begin, integers(3, 4), integers(1, 2), [], []), [x, begin]


CASES = {
    "strided_slice": lambda: strided_slice([1, 0], [3, -1], [1, 2]),
    "strided_slice_of_masks": lambda: strided_slice([1, -2, 2], [3, 1, 0], [1, -1, -1], begin_mask=[1, 0, 0], end_mask=[0, 1, 1]),
    "strided_slice_of_one": lambda: strided_slice([1, -1, 2], [7, 9, 0], [1, 1, 1], shrink_axis_mask=[0, 1, 1]),
    "strided_slice_with_new_axis": lambda: strided_slice([0, 1], [1, 3], [1, 1], new_axis_mask=[1, 0]),
    "strided_slice_with_ellipsis": lambda: strided_slice([0, 1], [1, 3], [1, 1], ellipsis_mask=[1, 0]),
    "strided_slice_from_input": strided_slice_from_input,
    "converted_like": converted_like,
    "hard_sigmoid": hard_sigmoid,
    "scaled_padded_image": lambda: padded_image("scales"),
    "padded_image_of_sizes": lambda: padded_image("sizes"),
    "squared_difference": squared_difference,
    "identity": identity,
    "older_pool": older_pool,
    "older_shape": older_shape,
    "older_scatter": older_scatter,
    "older_gather": older_gather,
    "older_top": older_top,
    "older_range": older_range,
    "unknown_operation": unknown_operation,
    "resized_without_axes": resized_without_axes,
    "squeezed_axes": squeezed_axes,
    "skipping_squeeze": skipping_squeeze,
    "empty_constant": empty_constant,
    "wide_ports": wide_ports,
    "iterator": iterator,
    "reversed_iterator": lambda: iterator(stride=-1),
    "iterator_over_pairs": lambda: iterator(2, 2),
}


def saved(make, path):
    output, inputs = make()
    for index, node in enumerate(inputs):
        node.output(0).set_names({f"in{index}", f"also_in{index}"})
    outputs = list(output.outputs())
    outputs[0].set_names({"out"})
    ov.save_model(ov.Model(outputs, inputs, "model"), path, compress_to_fp16=False)
    return path


def values_for(model):
    random = np.random.default_rng(5)

    def value(port):
        shape = [4 if size.is_dynamic else size.get_length() for size in port.get_partial_shape()]
        if port.get_element_type() == ov.Type.i64:
            return np.zeros(shape, np.int64)
        return F32(random.uniform(1, 9, shape)) if shape else F32(3)

    return [value(port) for port in model.inputs]


def answers(path, values):
    core = ov.Core()
    model = core.read_model(path)
    names = [sorted(port.get_names()) for port in (*model.inputs, *model.outputs)]
    results = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(values or values_for(model))
    return names, [np.array(results[index]) for index in range(len(model.outputs))]


@pytest.mark.parametrize("name", CASES)
def test_ir_of_openvino_is_read_and_written_again(name, tmp_path):
    try:
        path = saved(CASES[name], tmp_path / "model.xml")
    except (AttributeError, TypeError) as reason:
        pytest.skip(f"this release's Python cannot build it: {reason}")
    shown = run("show", path.name, folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    same = run("diff", path.name, path.name, folder=tmp_path)
    assert (same.returncode, same.stdout) == (0, "")
    done = run("legalize", path.name, "-o", "again.xml", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    values = values_for(ov.Core().read_model(path))
    (names, expected), (new_names, found) = answers(path, values), answers(tmp_path / "again.xml", values)
    assert new_names == names
    for before, after in zip(expected, found, strict=True):
        np.testing.assert_array_equal(after, before)


def test_values_without_names_match_in_their_order(tmp_path):
    x = parameter([2, 3])
    y = opset1.relu(x)
    results = [opset1.result(value) for value in (y, y, opset1.relu(y), opset1.relu(y))]
    ov.save_model(ov.Model(results, [x], "model"), tmp_path / "model.xml")
    same = run("diff", "model.xml", "model.xml", folder=tmp_path)
    assert (same.returncode, same.stdout) == (0, "")


def test_layouts_and_what_other_programs_know_of_a_model_are_kept(tmp_path):
    x, factor = parameter([1, 3, 8, 8]), parameter([])
    y = opset1.multiply(x, factor)
    x.set_layout(ov.Layout("NCHW"))
    factor.set_layout(ov.Layout.scalar())
    for port, name in ((x.output(0), "x"), (factor.output(0), "factor"), (y.output(0), "y")):
        port.set_names({name})
    result = opset1.result(y)
    result.set_layout(ov.Layout("N..."))
    model = ov.Model([result], [x, factor], "model")
    model.set_rt_info("YOLO & more", ["model_info", "model_type"])
    ov.save_model(model, tmp_path / "model.xml", compress_to_fp16=False)
    assert run("legalize", "model.xml", "-o", "again.xml", folder=tmp_path).returncode == 0
    again = ov.Core().read_model(tmp_path / "again.xml")
    assert [str(port.get_node().layout) for port in (*again.inputs, *again.outputs)] == ["[N,C,H,W]", "**SCALAR**", "[N,...]"]
    assert str(again.get_rt_info(["model_info", "model_type"]).value) == "YOLO & more"
    ov.set_batch(again, 4)
    assert list(again.outputs[0].get_shape()) == [4, 3, 8, 8]
    assert run("diff", "model.xml", "again.xml", folder=tmp_path).returncode == 0
    (tmp_path / "again.xml").write_text((tmp_path / "again.xml").read_text().replace("[N,C,H,W]", "[N,H,W,C]"))
    changed = run("diff", "model.xml", "again.xml", folder=tmp_path)
    assert changed.stdout == "model: layout of tensor x '[N,C,H,W]' -> '[N,H,W,C]'\n"


def test_layouts_of_inputs_and_outputs_without_names_are_kept(tmp_path):
    """OpenVINO's preprocessing gives an output no name if it changes its layout."""
    x = parameter([1, 3, 8, 8])
    x.set_layout(ov.Layout("NCHW"))
    result = opset1.result(opset1.relu(x))
    result.set_friendly_name("Result_1")
    result.set_layout(ov.Layout("NHWC"))
    ov.save_model(ov.Model([result], [x], "model"), tmp_path / "model.xml", compress_to_fp16=False)
    (tmp_path / "model.xml").write_text(re.sub(r' (output_)?names="[^"]*"', "", (tmp_path / "model.xml").read_text()))
    assert run("legalize", "model.xml", "-o", "again.xml", folder=tmp_path).returncode == 0
    assert subprocess.run([Path(tool_path()).with_name("onnx2ir-opt"), "model.xml", "-o", "text.ir"], cwd=tmp_path, check=False).returncode == 0
    assert subprocess.run([Path(tool_path()).with_name("onnx2ir-opt"), "text.ir", "-o", "read.xml"], cwd=tmp_path, check=False).returncode == 0
    for name in ("again.xml", "read.xml"):
        again = ov.Core().read_model(tmp_path / name)
        assert [str(port.get_node().layout) for port in (*again.inputs, *again.outputs)] == ["[N,C,H,W]", "[N,H,W,C]"]
        assert run("diff", "model.xml", name, folder=tmp_path).returncode == 0
    (tmp_path / "again.xml").write_text((tmp_path / "again.xml").read_text().replace("[N,H,W,C]", "[N,...]"))
    changed = run("diff", "model.xml", "again.xml", folder=tmp_path)
    assert changed.stdout == "model: layout of output Result_1 '[N,H,W,C]' -> '[N,...]'\n"
    assert 'layout "input ' in run("show", "model.xml", folder=tmp_path).stdout


CASES_OF_FILES = sorted(path for path in Path(__file__).parents[1].glob("models/openvino_ir/*") if path.suffix in (".xml", ".ir"))


@pytest.mark.parametrize("path", CASES_OF_FILES, ids=lambda path: path.stem)
def test_ir_that_was_refused_is_read(path, tmp_path):
    """Files that OpenVINO's front end wrote for models of other projects, and text IR of a fuzzer."""
    assert run("show", path, folder=tmp_path).returncode == 0
    same = run("diff", path, path, folder=tmp_path)
    assert (same.returncode, same.stdout) == (0, "")


def openvino_operations():
    """(type in the XML, opset) of all operations, from OpenVINO's headers."""
    include = Path(ov.__file__).parent / "include/openvino"
    written = {"Constant": "Const", "PRelu": "PReLU", "Relu": "ReLU", "Softmax": "SoftMax"}
    found = set()
    for header in (include / "op").glob("*.hpp"):
        for name, opset in re.findall(r'OPENVINO_OP\("(\w+)", "(opset\d+)"', header.read_text()):
            found.add((written.get(name, name), opset))
    return sorted(found)


LAYER = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/><output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="y" type="{}" version="{}"><input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="r" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def test_all_operations_of_openvino_are_known(tmp_path):
    known = openvino_operations()
    if not known:
        pytest.skip("this package has no headers")
    assert len(known) > 150
    unknown = []
    for name, opset in known:
        (tmp_path / "m.xml").write_text(LAYER.format(name, opset))
        if "there is no operation" in run("show", "m.xml", folder=tmp_path).stderr:
            unknown.append((name, opset))
    assert unknown == []


@pytest.mark.parametrize(("name", "opset"), [("Frobnicate", "opset1"), ("Multiply", "opset9"), ("StridedSlice", "opset2")])
def test_other_operations_are_refused(name, opset, tmp_path):
    (tmp_path / "m.xml").write_text(LAYER.format(name, opset))
    done = run("show", "m.xml", folder=tmp_path)
    assert done.returncode == 1 and f"there is no operation {name} of {opset}" in done.stderr
