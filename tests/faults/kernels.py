"""Faults of the CPU plugin's kernels for some sizes of tensors."""

import numpy as np
import openvino as ov

from .experiment import experiment, fails, numbers, opset, parameter, results


def integers(*shape):
    """Numbers from 1 to 9, of which all sums are exact."""
    return (np.arange(np.prod(shape)) * 7 % 9 + 1).reshape(shape).astype(np.float32)


@experiment
def reduce_then_channel_constant():
    """ReduceSum over the last of three axes, and a constant that is added to each channel."""
    x, values, channels = parameter([5, 3, 6]), integers(5, 3, 6), np.array([[100, 200, 300]], np.float32)
    given = results([x], opset.add(opset.reduce_sum(x, numbers(2), False), opset.constant(channels)), [values], [values])
    return any(not np.array_equal(result, values.sum(2) + channels) for result in given)


@experiment
def integer_reduce_then_constant():
    """ReduceSum of i32 over the last of three axes, and a number that is added."""
    x, values = parameter([5, 3, 6], "i32"), integers(5, 3, 6).astype(np.int32)
    given = results([x], opset.add(opset.reduce_sum(x, numbers(2), False), opset.constant(np.int32(100))), [values], [values])
    return any(not np.array_equal(result, values.sum(2) + 100) for result in given)


@experiment
def integer_reduce_then_division():
    """ReduceSum of i32, and a Divide of the sum by a number."""
    x, values = parameter([5, 6], "i32"), integers(5, 6).astype(np.int32)
    given = results([x], opset.divide(opset.reduce_sum(x, numbers(1), False), opset.constant(np.int32(8))), [values], [values])
    return any(not np.array_equal(result, values.sum(1) // 8) for result in given)


@experiment
def double_constant_sums():
    """Numbers of f64, and two constants that are added to them."""
    x, values = parameter([2, 3], "f64"), integers(2, 3).astype(np.float64)
    first, second = (opset.constant(np.array([row], np.float64)) for row in ([10, 20, 30], [100, 200, 300]))
    return fails(results, [x], opset.add(opset.add(x, first), second), [values])


@experiment
def dropped_double_constant():
    """A product of f64, and two constants that are added to it, the first one a part of a larger constant."""
    x, values, weights = parameter([5, 2], "f64"), integers(5, 2).astype(np.float64), integers(2, 3).astype(np.float64)
    first, second = np.array([[10, 20, 30], [40, 50, 60]], np.float64), np.array([[100, 200, 300]], np.float64)
    part = opset.gather(opset.constant(first), numbers(1), opset.constant(np.int64(0)))
    sums = opset.add(opset.matmul(x, opset.constant(weights), False, False), part)
    given = results([x], opset.add(sums, opset.constant(second)), [values], [values])
    return any(not np.allclose(result, values @ weights + first[1:] + second) for result in given)


@experiment(may_crash=True)
def scalar_reshape_of_product():
    """A Reshape of a product of one element to a scalar."""
    x, values, weights = parameter([1, 3]), integers(1, 3), integers(3, 1)
    product = opset.matmul(x, opset.constant(weights), False, False)
    given = results([x], opset.reshape(product, numbers(), False), [values])
    return float(given[0]) != float((values @ weights)[0, 0])


@experiment
def total_of_transpose():
    """ReduceSum of a Transpose along all axes, to a scalar."""
    x, values = parameter([2, 3]), integers(2, 3)
    total = opset.reduce_sum(opset.transpose(x, numbers(1, 0)), numbers(0, 1), False)
    try:
        return any(result != values.sum() for result in results([x], total, [values], [values]))
    except RuntimeError:
        return True


@experiment(may_crash=True)
def total_of_product():
    """The sum of the positive numbers of a product of two batches."""
    x, values, weights = parameter([2, 4, 3]), integers(2, 4, 3), integers(2, 3, 2)
    product = opset.matmul(x, opset.constant(weights), False, False)
    total = results([x], opset.reduce_sum(opset.relu(product), numbers(0, 1, 2), False), [values])[0]
    return total != np.maximum(values @ weights, 0).sum()


def convolution_of(values, kernel, strides, dilations, pads_begin, pads_end):
    """The convolution of one channel to one channel."""
    values = np.pad(values, [(0, 0), (0, 0), *zip(pads_begin, pads_end)])
    sizes = [(size - (k - 1) * d - 1) // s + 1 for size, k, s, d in zip(values.shape[2:], kernel.shape[2:], strides, dilations)]
    result = np.zeros((1, 1, *sizes), np.float32)
    for place in np.ndindex(*kernel.shape[2:]):
        window = tuple(slice(p * d, p * d + (n - 1) * s + 1, s) for p, d, n, s in zip(place, dilations, sizes, strides))
        result += values[(slice(None), slice(None), *window)] * kernel[(0, 0, *place)]
    return result


def is_wrong(size, kernel, strides, dilations, pads_begin, pads_end):
    """Whether the runtime computes a convolution of one channel to one channel wrongly."""
    x, values, filters = parameter([1, 1, *size]), integers(1, 1, *size), integers(1, 1, *kernel)
    output = opset.convolution(x, opset.constant(filters), strides, pads_begin, pads_end, dilations)
    given = results([x], output, [values], [values])
    right = convolution_of(values, filters, strides, dilations, pads_begin, pads_end)
    return any(not np.array_equal(result, right) for result in given)


@experiment
def convolution_of_one_channel():
    """Convolutions with a pad of the last axis larger than the kernel, and with different dilations of three axes."""
    return is_wrong([6, 3], [1, 1], [1, 1], [1, 1], [0, 2], [0, 2]) or is_wrong([5, 5, 5], [2, 2, 2], [1, 1, 1], [1, 2, 1], [0, 0, 0], [0, 0, 0])


@experiment
def convolution_to_one_column():
    """A convolution with strides 1 and 3 whose result has one column and two rows."""
    return is_wrong([2, 3], [3, 4], [1, 3], [1, 1], [1, 0], [1, 1])


@experiment
def long_fused_chains():
    """A product, of which 40 operations with constants are computed one after the other."""
    values = integers(2, 16)
    x, weights = parameter([2, 16]), np.eye(16, 8, dtype=np.float32)
    output = opset.matmul(x, opset.constant(weights), False, False)
    for place in range(20):
        output = opset.clamp(opset.add(output, opset.constant(np.float32(1))), -100.0 - place, 100.0 + place)
    try:
        given = results([x], output, [values])
    except RuntimeError:
        return True
    return not np.array_equal(given[0], values[:, :8] + 20)


@experiment
def empty_product():
    """A MatMul of i32 with the inner size 0, and one of f32 with a constant, after a run of another model has filled memory."""
    a, b = parameter([2, 0], "i32"), parameter([0, 3], "i32")
    try:
        given = results([a, b], opset.matmul(a, b, False, False), [np.zeros([2, 0], np.int32), np.zeros([0, 3], np.int32)])
    except RuntimeError:
        return True
    x, bias = parameter([64, 0]), np.ones([96], np.float32)
    product = opset.add(opset.matmul(x, opset.constant(np.zeros([0, 96], np.float32)), False, False), opset.constant(bias))
    runs = results([x], product, *[[np.zeros([64, 0], np.float32)]] * 3)
    return given[0].any() or any((result != 1).any() for result in runs)


@experiment
def small_product_constants():
    """A product of two matrices of two rows and columns, whose sizes are dynamic, plus a constant."""
    a, b, bias = parameter([-1, -1]), parameter([-1, -1]), np.array([10, 20], np.float32)
    left, right = integers(2, 2), integers(2, 2)[::-1].copy()
    output = opset.add(opset.matmul(a, b, False, False), opset.constant(bias))
    return not np.array_equal(results([a, b], output, [left, right])[0], left @ right + bias)


@experiment
def dynamic_column_constants():
    """A product with a transposed operand and a dynamic number of columns, plus a constant."""
    a, b, bias = parameter([-1, -1]), parameter([-1, -1]), np.array([10, 20, 30], np.float32)
    left, right = integers(4, 5), integers(3, 5)
    output = opset.add(opset.matmul(a, b, False, True), opset.constant(bias))
    try:
        given = results([a, b], output, [left, right])
    except RuntimeError:
        return True
    return not np.array_equal(given[0], left @ right.T + bias)


@experiment
def dynamic_reduce_channels():
    """The sum of two rows with one column, times three factors."""
    x, values, factors = parameter([2, -1]), integers(2, 1), np.array([1, 2, 3], np.float32)
    try:
        given = results([x], opset.multiply(opset.reduce_sum(x, numbers(0), False), opset.constant(factors)), [values])[0]
    except RuntimeError:
        return True
    return not np.array_equal(given, values.sum(0) * factors)


@experiment
def consecutive_double_products():
    """Two products of f64 on one thread."""
    x, values, first, second = parameter([3, 8], "f64"), integers(3, 8), integers(8, 2), integers(2, 4)
    weights = [opset.constant(matrix.astype(np.float64)) for matrix in (first, second)]
    output = opset.matmul(opset.matmul(x, weights[0], False, False), weights[1], False, False)
    model = ov.Model([output], [x], "main")
    try:
        compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": 1})
        given = compiled([values.astype(np.float64)])[0]
    except RuntimeError:
        return True
    return not np.allclose(given, values @ first @ second)


@experiment
def converted_bias():
    """A product plus a bias, converted to f64, plus another one."""
    x, values, weights, bias = parameter([4, 8]), integers(4, 8), integers(8, 3), np.array([10, 20, 30], np.float32)
    sums = opset.add(opset.matmul(x, opset.constant(weights), False, False), opset.constant(bias))
    try:
        given = results([x], opset.add(opset.convert(sums, "f64"), opset.constant(bias.astype(np.float64))), [values])[0]
    except RuntimeError:
        return True
    return not np.array_equal(given, values @ weights + 2 * bias)


@experiment
def conversion_after_products():
    """The integers below the numbers that two products give, times 2; and the same with i64."""
    x, values, weights = parameter([4, 8]), integers(4, 8), integers(8, 8) * np.float32(0.25)
    product = opset.matmul(opset.matmul(x, opset.constant(weights), False, False), opset.constant(weights), False, False)
    doubled = [opset.multiply(opset.convert(product, name), opset.constant(kind(2))) for name, kind in (("i32", np.int32), ("i64", np.int64))]
    try:
        return not all(np.array_equal(results([x], output, [values])[0], np.trunc(values @ weights @ weights) * 2) for output in doubled)
    except RuntimeError:
        return True
