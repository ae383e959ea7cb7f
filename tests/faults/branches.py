"""Faults of If."""

import numpy as np

from .control_flow import add_if, add_loop, true
from .experiment import compiled, experiment, fails, number, opset, parameter


def growing(value):
    """Operations that need more memory than the value they read."""
    axis = opset.constant(np.int32(0))
    for copies in (4, 5):
        value = opset.concat([opset.cum_sum(value, axis)] * copies, 0)
    return opset.cum_sum(value, axis)


def grown(values):
    """The expected result of growing()."""
    for copies in (4, 5):
        values = np.concatenate([np.cumsum(values)] * copies)
    return np.cumsum(values)


@experiment
def branch_output_memory():
    """Readers of an If's output of dynamic size get its elements."""
    condition, x = parameter([], "boolean"), parameter([-1])
    chosen = add_if(condition, x, lambda value: opset.add(value, value), lambda value: opset.concat([value, value], 0))
    request = compiled([condition, x], growing(chosen)).create_infer_request()
    for index, size in enumerate((2, 3, 1, 5, 40, 7, 200)):
        values = np.arange(1, size + 1, dtype=np.float32) % 3
        doubles = index % 2 == 0
        right = grown(values * 2 if doubles else np.tile(values, 2))
        given = request.infer([np.array(doubles), values])[0]
        if given.shape != right.shape or not np.allclose(given, right, rtol=1e-4):
            return True
    return False


@experiment
def branch_output_size():
    """An If gives all elements of its result if the other branch gave a result of the same shape before."""
    condition, x = parameter([], "boolean"), parameter([-1])
    ten = opset.constant(np.float32(10))
    chosen = add_if(condition, x, lambda value: opset.add(value, ten), lambda value: opset.multiply(value, ten))
    model = compiled([condition, x], chosen)
    for size, adds in ((3, True), (3, False), (2, True), (3, False), (3, True)):
        values = np.arange(1, size + 1, dtype=np.float32)
        if not np.array_equal(model([np.array(adds), values])[0], values + 10 if adds else values * 10):
            return True
    return False


@experiment
def group_normalization_in_body():
    """A GroupNormalization of static shape in a branch, and in the body of a Loop."""
    shape, ones = [2, 4, 3], opset.constant(np.ones(4, np.float32))

    def normalized(value):
        return opset.group_normalization(value, ones, ones, 2, 1e-5)

    condition, x, state = parameter([], "boolean"), parameter(shape), opset.parameter(shape)
    chosen = add_if(condition, x, normalized, opset.relu)
    last = add_loop(number(2), true(), [(x, state, normalized(state))])[0]
    return fails(compiled, [condition, x], chosen) or fails(compiled, [x], last)
