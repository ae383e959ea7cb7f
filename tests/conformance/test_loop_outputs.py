"""The assumptions of the workaround for stale_loop_outputs, tested with the runtime alone: readers of a Loop's output of dynamic size have its
elements in each inference if they read it through a VariadicSplit with the mark `precise`, in f32 and in bf16, whatever layout
the plugin chooses for them. Without it, several of them read released memory (fault stale_loop_outputs).
"""

import subprocess

import numpy as np
import onnxruntime
import openvino as ov
import pytest

from .found import FOLDER, found_case
from .oracle import parse_model
from .runtime_ops import ops
from .tool import tool_path

pytestmark = pytest.mark.matrix

ROW = np.random.default_rng(0).random((1, 3, 6, 6), np.float32)
SIZES = ((1, 1), (1, 2), (40, 40), (1, 1), (80, 90))


def weights(*shape):
    return ops.constant(np.random.default_rng(1).random(shape, np.float32))


def numbers(*values):
    return ops.constant(np.array(values, np.int64))


def convolution(value, channels=3, filters=3):
    return ops.convolution(value, weights(filters, channels, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])


def other_images(x, channels):
    """A convolution of other values of dynamic size, in the layout that the plugin prefers."""
    element = ops.reshape(ops.slice(x, numbers(0, 0), numbers(1, 1), numbers(1, 1)), numbers(1, 1, 1, 1), False)
    return ops.relu(convolution(ops.broadcast(element, numbers(1, channels, 6, 6)), channels))


READERS = {
    "convolution": lambda value, x: convolution(value),
    "sum_with_convolution": lambda value, x: ops.add(value, other_images(x, 3)),
    "sum_with_convolutions": lambda value, x: ops.add(ops.add(ops.add(value, other_images(x, 3)), other_images(x, 4)), other_images(x, 5)),
    "concat_of_convolutions": lambda value, x: convolution(ops.concat([value, other_images(x, 3), other_images(x, 4)], 1), 9),
    "slices_of_convolution": lambda value, x: convolution(
        ops.concat([ops.slice(value, numbers(1), numbers(3), numbers(1), numbers(1)), ops.slice(value, numbers(0), numbers(1), numbers(1), numbers(1))], 1)
    ),
    "softmax": lambda value, x: ops.softmax(value, 1),
    "product": lambda value, x: ops.matmul(value, value, False, True),
    "pool": lambda value, x: ops.max_pool(value, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2]).output(0),
    "two_reshapes": lambda value, x: ops.add(
        ops.tile(ops.unsqueeze(value, numbers(0)), numbers(2, 1, 1, 1, 1)),
        ops.tile(ops.reshape(value, numbers(1, -1, 3, 6, 6), False), numbers(2, 1, 1, 1, 1)),
    ),
}


def rows(x):
    """A scan output of one row of a Loop that ends after one iteration, which only the runtime finds out."""
    state = ops.parameter([-1, -1], np.float32)
    size = ops.gather(ops.shape_of(state, "i64"), ops.constant(np.int64(0)), ops.constant(np.int64(0)))
    body = ov.Model([ops.result(ops.equal(size, ops.constant(np.int64(0)))), ops.result(ops.abs(state)), ops.result(ops.constant(ROW))], [state])
    loop = ops.loop(ops.constant(np.int64(-1)), ops.constant(True))
    loop.set_function(body)
    loop.set_special_body_ports([-1, 0])
    initial = ops.tile(ops.exp(ops.abs(x)), numbers(3, 1))
    loop.set_merged_input(state, initial.output(0), body.results[1].output(0))
    return loop.get_concatenated_slices(body.results[2].output(0), 0, 1, 1, -1, 0)


def copied(value):
    split = ops.variadic_split(value, ops.constant(np.int64(0)), numbers(-1, 0))
    split.set_friendly_name("copy")
    return split.output(0)


def with_mark(model, folder):
    """The model, with the mark `precise` at the layer "copy": Python cannot set it."""
    path = folder / "model.xml"
    ov.save_model(model, path, compress_to_fp16=False)
    text = path.read_text()
    layer = '<layer id="{}" name="copy" type="VariadicSplit" version="opset1">'
    begin = next(layer.format(i) for i in range(99) if layer.format(i) in text)
    path.write_text(text.replace(begin, begin + '<rt_info><attribute name="precise" version="0" /></rt_info>'))
    return ov.Core().read_model(path)


@pytest.mark.parametrize("precision", ["f32", "bf16"])
@pytest.mark.parametrize("reader", READERS)
def test_copied_outputs_are_read_in_each_run(reader, precision, tmp_path):
    x = ops.parameter([-1, -1], np.float32)
    model = ov.Model([ops.result(READERS[reader](copied(rows(x)), x))], [x])
    compiled = ov.Core().compile_model(with_mark(model, tmp_path), "CPU", {"INFERENCE_PRECISION_HINT": precision})
    first, *later = [np.array(compiled([np.ones(size, np.float32)])[0]) for size in SIZES]
    assert first.any()
    for result in later:
        assert np.allclose(result, first, rtol=0.02)


@pytest.mark.parametrize("name", ["outputs_of_loops_and_ifs", "rows_of_images"])
def test_converted_models_in_bf16(name, tmp_path):
    case = found_case(name, "one_compiled")
    subprocess.run([tool_path(), FOLDER / f"{name}.onnxtxt", "-o", tmp_path / "model.xml", "--quiet"], check=True)
    compiled = ov.Core().compile_model(tmp_path / "model.xml", "CPU", {"INFERENCE_PRECISION_HINT": "bf16"})
    session = onnxruntime.InferenceSession(parse_model(case.model).SerializeToString())
    for run in case.runs:
        results = [np.array(result) for result in compiled(run.inputs).values()]
        for result, expected in zip(results, session.run(None, run.inputs), strict=True):
            assert result.shape == expected.shape
            assert np.allclose(result, expected, rtol=0.03, atol=0.01)
