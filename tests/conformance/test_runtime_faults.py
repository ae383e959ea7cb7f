"""Faults of the CPU runtime that have no row in target/faults.cpp, each shown with the runtime alone."""

import subprocess
import sys

import numpy as np
import openvino as ov
import pytest
from openvino import opset16

from .runtime import CONFIG


def number(value):
    return opset16.constant(np.int64(value))


def numbers(*values):
    return opset16.constant(np.array(values, np.int64))


def shapes(inputs, output, *runs):
    """The shapes that one compiled model gives."""
    compiled = ov.Core().compile_model(ov.Model([output], inputs, "main"), "CPU", CONFIG)
    return [compiled(list(run))[0].shape for run in runs]


def test_no_strings_in_one_step():
    """guard_empty_inputs: a constant without elements that is to become [0, 0] in the first run keeps no shape."""
    sizes = opset16.parameter([2], np.int64)
    none = opset16.constant(np.zeros(0, np.float32))
    target = np.zeros(2, np.int64)
    longer = opset16.concat([sizes, numbers(1)], 0)
    assert shapes([sizes], opset16.relu(opset16.reshape(opset16.reshape(none, longer, False), sizes, False)), (target,)) == [(0, 0)]
    with pytest.raises(RuntimeError):
        shapes([sizes], opset16.relu(opset16.reshape(none, sizes, False)), (target,))


def test_states_of_no_steps():
    """after_steps in recurrent.cpp: what was in the final state stays."""
    x, lengths = opset16.parameter([1, -1, 2], np.float32), opset16.parameter([1], np.int32)
    state = opset16.parameter([1, 1, 3], np.float32)
    weights = [opset16.constant(np.full(shape, 0.5, np.float32)) for shape in ((1, 9, 2), (1, 9, 3), (1, 9))]
    sequence = opset16.gru_sequence(x, state, lengths, *weights, 3, "forward")
    compiled = ov.Core().compile_model(ov.Model([sequence.output(1)], [x, state, lengths], "main"), "CPU", CONFIG)
    before, after = (
        np.array(compiled([np.ones((1, steps, 2), np.float32), np.zeros((1, 1, 3), np.float32), np.array([steps], np.int32)])[0]) for steps in (2, 0)
    )
    assert before.all() and np.array_equal(before, after)


def test_attention_without_keys():
    """docs/limits.md: its output stays what the run before made it."""
    query, keys, values = (opset16.parameter([1, 1, -1, 4], np.float32) for _ in range(3))
    attention = opset16.scaled_dot_product_attention(query, keys, values)
    compiled = ov.Core().compile_model(ov.Model([attention], [query, keys, values], "main"), "CPU", CONFIG)
    before, after = (np.array(compiled([np.ones((1, 1, size, 4), np.float32) for size in (2, keys, keys)])[0]) for keys in (3, 0))
    assert before.all() and np.array_equal(before, after)


ON_ONE_THREAD = """
import numpy as np, openvino as ov
from openvino import opset16
x, y = opset16.parameter([-1], np.float32), opset16.parameter([-1], np.float32)
compiled = ov.Core().compile_model(ov.Model([opset16.add(x, y)], [x, y]), "CPU", {"INFERENCE_NUM_THREADS": 1, **%s})
request = compiled.create_infer_request()
for sizes in ((3, 3), (2, 5)):
    request.infer([np.ones(size, np.float32) for size in sizes])
print(request.get_output_tensor(0).get_shape())
"""


def test_errors_on_one_thread():
    """One stream of one thread keeps an error to itself: the outputs of the run before stay. Why CONFIG asks for none.

    What failed stays in the queue as well and may end a later run: hence the processes."""
    silent, loud = (
        subprocess.run([sys.executable, "-c", ON_ONE_THREAD % options], capture_output=True, text=True) for options in ({}, {"NUM_STREAMS": "0"})
    )
    assert silent.stdout.strip() == "[3]"
    assert loud.stdout == "" and "RuntimeError" in loud.stderr
