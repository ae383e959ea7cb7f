"""Faults of arithmetic, comparisons and reductions."""

import numpy as np
import openvino as ov

from .experiment import experiment, fails, number, numbers, opset, parameter, results


def computed(operation, *values):
    """The result of an operation on Parameters for arrays."""
    inputs = [parameter(value.shape, TYPES[value.dtype.name]) for value in values]
    return results(inputs, operation(*inputs), values)[0]


TYPES = {"float32": "f32", "int32": "i32", "int64": "i64", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16"}


@experiment
def byte_arithmetic():
    """Arithmetic of 8-bit integers wraps around, and division rounds toward zero."""
    x, y = np.array([200, 100, 7], np.uint8), np.array([100, 3, 2], np.uint8)
    return any(
        computed(operation, a, b).tolist() != right.tolist()
        for operation, a, b, right in ((opset.add, x, y, x + y), (opset.subtract, y, x, y - x), (opset.multiply, x, y, x * y), (opset.divide, x, y, x // y))
    )


@experiment
def division_by_reciprocal():
    """x / x is 1."""
    x = np.arange(1, 201, dtype=np.float32)
    return bool((computed(opset.divide, x, x) != 1).any())


@experiment
def integer_power():
    """The square of an i32 is exact."""
    x = np.array([40001], np.int32)
    return computed(lambda value: opset.power(value, opset.constant(np.int32(2))), x).tolist() != [40001**2]


@experiment
def integer_relu():
    """ReLU of an i32 above 2^24 is exact."""
    x = np.array([(1 << 24) + 1, -3], np.int32)
    return computed(opset.relu, x).tolist() != [(1 << 24) + 1, 0]


@experiment
def integer_remainder():
    """The remainder of an i32 above 2^24 is exact."""
    x = np.array([123456789, -2000000011], np.int32)
    return computed(lambda value: opset.floor_mod(value, opset.constant(np.int32(5))), x).tolist() != [4, 4]


@experiment
def narrow_shifts():
    """A left shift of 8-bit or 16-bit integers drops the bits above the type."""
    return any(computed(opset.bitwise_left_shift, x, np.ones(1, x.dtype)).tolist() != [right]
               for x, right in ((np.array([200], np.uint8), 144), (np.array([100], np.int8), -56), (np.array([40000], np.uint16), 14464)))  # fmt: skip


@experiment
def saturating_conversions():
    """Convert of an i32 to i8 drops the upper bits."""
    x = parameter([-1], "i32")
    return results([x], opset.convert(x, "i8"), (np.array([300, -200], np.int32),))[0].tolist() != [44, 56]


@experiment
def neutral_constant_rank():
    """The sum of a scalar and zeros of shape [1] has the shape [1], and the double of a row, by a constant of shape [1, 1], has the shape [1, 2]."""
    x, values = parameter([-1, 2]), np.zeros((3, 2), np.float32)
    count = opset.gather(opset.shape_of(x), number(0), number(0))
    doubled = opset.multiply(opset.gather(x, number(0), number(0)), opset.constant(np.array([[2]], np.float32)))
    return results([x], opset.add(count, numbers(0)), (values,))[0].shape != (1,) or results([x], doubled, (values,))[0].shape != (1, 2)


@experiment
def abs_of_constants():
    """The difference of two constants, as a vector, without its sign."""
    x, constant = parameter([-1]), opset.constant(np.array([2, 3], np.float32))
    return results([x], opset.add(opset.abs(opset.subtract(constant, opset.constant(np.array([5, 7], np.float32)))), x), (np.zeros(2, np.float32),))[0].tolist() != [3, 4]


@experiment
def abs_of_sizes():
    """The difference of two sizes, as a vector, without its sign."""
    x = parameter([-1, -1])
    sizes = opset.shape_of(x)
    rows, columns = (opset.gather(sizes, numbers(axis), number(0)) for axis in (0, 1))
    return results([x], opset.abs(opset.subtract(columns, rows)), (np.zeros((5, 3), np.float32),))[0].tolist() != [2]


@experiment
def remainder_bounds():
    """A size of 3, which may be 2 to 5, is a multiple of 3: a slice that ends at the remainder is empty."""
    x = opset.parameter(ov.PartialShape([ov.Dimension(2, 5), 2]), np.float32)
    size = opset.gather(opset.shape_of(x), numbers(0), number(0))
    row = opset.constant(np.arange(8, dtype=np.float32))
    part = opset.slice(row, numbers(0), opset.floor_mod(size, numbers(3)), numbers(1), numbers(0))
    return fails(results, [x], part, (np.zeros((3, 2), np.float32),)) or results([x], part, (np.zeros((3, 2), np.float32),))[0].size != 0


@experiment
def mod_by_infinity():
    """The remainder of a finite number by infinity is the number."""
    return computed(opset.mod, np.array([5], np.float32), np.array([np.inf], np.float32)).tolist() != [5]


@experiment
def greater_than_nan():
    """NaN is not greater than a number, and no number is greater than NaN."""
    x, nan = np.array([1, -1], np.float32), np.full(2, np.nan, np.float32)
    return any(computed(operation, *values).any() for operation in (opset.greater, opset.greater_equal) for values in ((x, nan), (nan, x)))



@experiment
def infinity_check_broadcast():
    """The result of IsFinite or IsInf of one number is used for each element of a vector."""
    number, x = parameter([-1]), parameter([-1])
    zero = opset.constant(np.float32(0))
    values = np.arange(1, 5, dtype=np.float32)
    checks = (opset.is_finite, np.float32([1])), (opset.is_inf, np.float32([np.inf]))
    return any(
        not np.array_equal(results([number, x], opset.select(check(number), x, zero), (given, values))[0], values) for check, given in checks
    )


@experiment
def extremum_of_infinities():
    """ReduceMax of -infinity alone is -infinity."""
    return np.isfinite(computed(lambda x: opset.reduce_max(x, numbers(1), False), np.full((1, 4), -np.inf, np.float32))).all()


@experiment
def range_away_from_limit():
    """Range has no elements if its steps lead away from the limit."""
    start, limit, step = (parameter([], "i64") for _ in range(3))
    values = tuple(np.array(value) for value in (5, 2, 1))
    output = opset.range(start, limit, step, "i64")
    return fails(results, [start, limit, step], output, values) or results([start, limit, step], output, values)[0].shape != (0,)


@experiment
def rounded_sizes():
    """A size that is computed in floating point is exact, also if the model computes in bf16: 1001 rows are not 1000."""
    x = parameter([-1, 4])
    rows = opset.convert(opset.gather(opset.shape_of(x, "i64"), numbers(0), number(0)), "f32")
    whole = opset.convert(opset.floor(opset.add(rows, opset.constant(np.float32(0.25)))), "i64")
    ones = opset.broadcast(opset.constant(np.ones((1, 4), np.float32)), opset.concat([whole, numbers(4)], 0))
    product = opset.matmul(ones, opset.constant(np.eye(4, dtype=np.float32)), False, False)
    return results([x], product, (np.ones((1001, 4), np.float32),), precision="bf16")[0].shape != (1001, 4)


@experiment
def compared_constants():
    """Numbers minus a constant, times another one, compared with the same numbers, computed before."""
    values, offset, factor = np.linspace(-3, 3, 1000, dtype=np.float32), np.float32(0.1), np.float32(1.7)
    x, y = parameter([1000]), parameter([1000])
    product = opset.multiply(opset.subtract(x, opset.constant(offset)), opset.constant(factor))
    return not results([x, y], opset.less_equal(product, y), [values, (values - offset) * factor])[0].all()


@experiment
def rounded_quotients():
    """The quotients of exact multiples are integers, also when they are rounded."""
    x = (np.arange(1, 200) * 41).astype(np.float32)
    divided = lambda value: opset.divide(value, opset.constant(np.float32(41)))  # noqa: E731
    rounded = (lambda value: opset.floor(divided(value)), lambda value: opset.convert(divided(value), "i32"))
    return any((computed(operation, x) != np.arange(1, 200)).any() for operation in rounded)


@experiment
def zero_activation_parameters():
    """HardSigmoid and Selu compute with parameters of 0."""
    x = np.array([-1, -0.25, 0.25, 2], np.float32)
    limited = computed(lambda value: opset.hard_sigmoid(value, opset.constant(np.float32(1)), opset.constant(np.float32(0))), x)
    scaled = computed(lambda value: opset.selu(value, opset.constant(np.float32(0)), opset.constant(np.float32(1))), x)
    return not np.allclose(limited, [0, 0, 0.25, 1]) or not np.allclose(scaled, [0, 0, 0.25, 2])


@experiment
def truncated_quotients():
    """The quotients of negative integers are rounded down, which is the default of Divide. Front ends write a Floor after it if that is meant."""
    x, y = np.array([-10, -9, 7, 8], np.int32), np.array([3, 3, -3, -4], np.int32)
    return computed(lambda *numbers: opset.floor(opset.divide(*numbers)), x, y).tolist() != [-4, -3, -3, -2]


@experiment
def select_in_f32():
    """An integer above 2^24, selected by a comparison."""
    values = [np.array(numbers_, np.int32) for numbers_ in ([1, 5], [2, 4], [16777217, 1], [2, 2000000001])]
    inputs = [parameter([2], "i32") for _ in values]
    selected = opset.select(opset.less(inputs[0], inputs[1]), inputs[2], inputs[3])
    return results(inputs, selected, values)[0].tolist() != [16777217, 2000000001]
