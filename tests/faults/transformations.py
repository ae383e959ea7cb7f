"""Faults of the transformations that OpenVINO applies to a graph of several operations when it compiles a model."""

import numpy as np

from .experiment import experiment, fails, numbers, opset, parameter, results, shapes
from .kernels import integers


def point_convolution(data, strides, pads):
    """The Convolution of one channel with a kernel of one element, 1."""
    spatial = len(strides)
    return opset.convolution(data, opset.constant(np.ones([1] * (spatial + 2), np.float32)), strides, pads, pads, [1] * spatial)


@experiment
def stride_to_part():
    """A convolution with a kernel of size 1 and a stride after a ReLU of the second half of the rows."""
    x = parameter([2, 1, 6, 6])
    half = opset.variadic_split(x, numbers(0), numbers(1, 1)).output(1)
    return fails(results, [x], point_convolution(opset.relu(half), [2, 2], [0, 0]), [integers(2, 1, 6, 6)])


@experiment
def stride_before_pad():
    """A convolution with a kernel of size 1, a stride and pads after a ReLU, in one and in two dimensions, and two convolutions of
    which the first one has the pads and the second one the stride."""
    x, values = parameter([1, 1, 6, 6]), integers(1, 1, 6, 6)
    line, row = parameter([1, 1, 6]), values[:, :, 0]
    right = np.pad(values, [(0, 0), (0, 0), (1, 1), (1, 1)])[:, :, ::2, ::2]
    return any(
        not np.array_equal(results([data], output, [given])[0], wanted)
        for data, output, given, wanted in (
            (x, point_convolution(opset.relu(x), [2, 2], [1, 1]), values, right),
            (line, point_convolution(opset.relu(line), [2], [1]), row, np.pad(row, [(0, 0), (0, 0), (1, 1)])[:, :, ::2]),
            (x, point_convolution(point_convolution(opset.relu(x), [1, 1], [1, 1]), [2, 2], [0, 0]), values, right),
        )
    )


@experiment
def rounded_constant_sum():
    """(1 - mask) * -1e9 + b is b where the mask is 1; mask * 1e9 - 1e9 + b as well."""
    mask, values = parameter([4]), np.array([1, 1, 0, 1], np.float32)
    bias = np.array([0.25, -3, 5, 7], np.float32)
    one, far = opset.constant(np.float32(1)), opset.constant(np.float32(1e9))
    masked = opset.multiply(opset.subtract(one, mask), opset.constant(np.float32(-1e9)))
    shifted = opset.subtract(opset.multiply(mask, far), far)
    return any(
        not np.array_equal(results([mask], opset.add(product, opset.constant(bias)), [values])[0][values == 1], bias[values == 1])
        for product in (masked, shifted)
    )


@experiment
def overflowing_constants():
    """(x - 30000) * 4 where x is 30000, (x + 45000) + 45000 where x is -45000, and x * 30000 * 30000 where x is 1 / 30000, in f16."""
    x = parameter([2], "f16")
    forms = (
        (opset.subtract, 30000, opset.multiply, 4, 30000),
        (opset.add, 45000, opset.add, 45000, -45000),
        (opset.multiply, 30000, opset.multiply, 30000, 1 / 30000),
    )
    for first, a, second, b, value in forms:
        y = second(first(x, opset.constant(np.float16(a))), opset.constant(np.float16(b)))
        if not np.isfinite(results([x], y, [np.full(2, value, np.float16)])[0]).all():
            return True
    return False


@experiment
def scaled_group_filters():
    """Two grouped convolutions with the same filters, an input of the model; the result of one of them is doubled."""
    x, filters = parameter([1, 4, 2, 2]), parameter([4, 2, 1, 1])
    grouped = opset.reshape(filters, numbers(2, 2, 2, 1, 1), False)
    once, twice = (opset.group_convolution(data, grouped, [1, 1], [0, 0], [0, 0], [1, 1]) for data in (x, opset.relu(x)))
    difference = opset.subtract(opset.multiply(twice, opset.constant(np.float32(2))), once)
    values, weights = integers(1, 4, 2, 2), integers(4, 2, 1, 1)
    right = np.concatenate([np.einsum("oi,nihw->nohw", weights[i : i + 2, :, 0, 0], values[:, i : i + 2]) for i in (0, 2)], axis=1)
    return not np.array_equal(results([x, filters], difference, [values, weights])[0], right)


@experiment
def constant_batch_broadcast():
    """A matrix of dynamic size times two constant matrices."""
    x, values, weights = parameter([-1, -1, -1]), integers(1, 2, 3), integers(2, 3, 4)
    try:
        given = results([x], opset.matmul(x, opset.constant(weights), False, False), [values])
    except RuntimeError:
        return True
    return not np.array_equal(given[0], values @ weights)


@experiment
def empty_concat_part():
    """A value of dynamic shape and a constant that are both empty along the last axis, joined along the first one."""
    x = parameter([-1, -1])
    joined = opset.concat([x, opset.constant(np.zeros([3, 0], np.float32))], 0)
    return shapes([x], joined, [np.zeros([1, 0], np.float32)]) != [(4, 0)]


@experiment
def negative_run_time_pads():
    """A Pad whose pads are a size minus 5, which is negative."""
    x, data = parameter([-1]), integers(9, 2)
    missing = opset.subtract(opset.shape_of(x), numbers(5))
    pads = opset.concat([missing, numbers(0)], 0)
    padded = opset.pad(opset.constant(data), pads, pads, "constant", opset.constant(np.float32(0)))
    try:
        given = results([x], padded, [np.zeros(2, np.float32)])
    except RuntimeError:
        return True
    return not np.array_equal(given[0], data[3:6])


@experiment
def constant_initial_state():
    """An RNNSequence of a dynamic batch with a constant initial state."""
    x = parameter([-1, -1, 1])
    one = opset.constant(np.ones([1, 1, 1], np.float32))
    lengths = opset.constant(np.array([2], np.int32))
    zeros = opset.constant(np.zeros([1, 1], np.float32))
    sequence = opset.rnn_sequence(x, one, lengths, one, one, zeros, 1, "forward")
    values = np.array([[[0.5], [-2]]], np.float32)
    try:
        given = results([x], sequence.output(0), [values])
    except RuntimeError:
        return True
    first = np.tanh(0.5 + 1)
    return not np.allclose(given[0].ravel(), [first, np.tanh(-2 + first)], atol=1e-5)


@experiment
def gathered_unsqueeze():
    """A tensor of dynamic size with a further axis, along which its only element is taken twice."""
    x, values = parameter([-1, -1]), integers(3, 2)
    twice = opset.gather(opset.unsqueeze(x, numbers(1)), numbers(0, 0), opset.constant(np.int64(1)))
    return shapes([x], twice, [values]) != [(3, 2, 2)]
