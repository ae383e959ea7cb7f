"""Faults of the CPU runtime that passes work around, each shown with the runtime alone.

An experiment fails when a new runtime is right: then the pass that is named can go.
"""

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


@pytest.mark.parametrize("make", [opset16.add, opset16.subtract, opset16.multiply, opset16.maximum, opset16.power])
@pytest.mark.parametrize("broadcast, right", [(opset16.broadcast, False), (opset16.tile, True)])
def test_arithmetic_on_a_broadcast_to_nothing(make, broadcast, right):
    """tile_empty_broadcasts: arithmetic comes first, and is broadcast to the larger of two sizes."""
    x, y, size = opset16.parameter([1], np.float32), opset16.parameter([1], np.float32), opset16.parameter([1], np.int64)
    one = np.ones(1, np.float32)
    given = shapes([x, y, size], make(y, broadcast(x, size)), *[(one, one, np.array([count])) for count in (3, 0)])
    assert given == [(3,), (0,) if right else (1,)]


@pytest.mark.parametrize("make", [opset16.equal, opset16.less])
def test_comparisons_with_a_broadcast_to_nothing(make):
    x, y, size = opset16.parameter([1], np.float32), opset16.parameter([1], np.float32), opset16.parameter([1], np.int64)
    one = np.ones(1, np.float32)
    assert shapes([x, y, size], make(y, opset16.broadcast(x, size)), (one, one, np.array([0]))) == [(0,)]


def nothing_of(x):
    """x without columns, of a number of rows that only a run tells."""
    return opset16.relu(opset16.slice(x, numbers(0), numbers(0), numbers(1), numbers(1)))


def test_unsqueeze_of_no_elements():
    """spell_out_empty_reshapes: sizes that only a run tells become 0 beside one that is known to be 0."""
    x = opset16.parameter([-1, 2], np.float32)
    rows = np.ones((5, 2), np.float32)
    assert shapes([x], nothing_of(x), (rows,)) == [(5, 0)]
    assert shapes([x], opset16.unsqueeze(nothing_of(x), numbers(0)), (rows,)) == [(1, 0, 0)]
    sizes = opset16.concat([numbers(1), opset16.shape_of(nothing_of(x))], 0)
    assert shapes([x], opset16.broadcast(opset16.constant(np.float32(0)), sizes), (rows,)) == [(1, 5, 0)]


def test_transpose_of_no_elements():
    """reshape_unit_transposes: it becomes a Reshape that takes a size of 0 for the input's at that place."""
    x, order, axis = opset16.parameter([1, -1, -1], np.float32), numbers(1, 2, 0), number(0)
    some, none = np.ones((1, 2, 3), np.float32), np.ones((1, 4, 0), np.float32)
    assert shapes([x], opset16.transpose(x, order), (some,)) == [(2, 3, 1)]
    assert shapes([x], opset16.transpose(x, order), (none,)) == [(0, 0, 1)]
    sizes = opset16.gather(opset16.shape_of(x), order, axis)
    assert shapes([x], opset16.reshape(x, sizes, False), (some,), (none,)) == [(2, 3, 1), (4, 0, 1)]


def doubled(count, condition):
    """A Loop that doubles a number, whose inputs are all constant."""
    state = opset16.parameter([], np.int64)
    result = opset16.result(opset16.add(state, state))
    loop = opset16.loop(count, condition)
    loop.set_function(ov.Model([opset16.result(opset16.constant(True)), result], [state], "body"))
    loop.set_special_body_ports([-1, 0])
    loop.set_merged_input(state, number(3).output(0), result.output(0))
    return loop.get_iter_value(result.output(0), -1)


def test_loops_of_constants_that_do_not_run():
    """hide_constant_counts: they are evaluated while the model is compiled, which fails."""
    x = opset16.parameter([], np.int64)
    assert shapes([x], opset16.add(x, doubled(number(2), opset16.constant(True))), (np.array(1),)) == [()]
    for count, condition in (
        (opset16.subtract(number(2), number(2)), opset16.constant(True)),
        (number(2), opset16.less(number(2), number(2))),
    ):
        with pytest.raises(RuntimeError):
            shapes([x], opset16.add(x, doubled(count, condition)), (np.array(1),))
