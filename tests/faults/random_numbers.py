"""Faults of operations that draw random numbers."""

import numpy as np

from .experiment import compiled, experiment, number, numbers, opset, ov, parameter, results


def uniform(*sizes):
    """Numbers from 5 to 6, without seeds."""
    sizes = opset.constant(np.array(sizes, np.int64))
    return opset.random_uniform(sizes, opset.constant(np.float32(5)), opset.constant(np.float32(6)), "f32")


def are_equal(arrays):
    return all(np.array_equal(array, arrays[0]) for array in arrays)


@experiment
def scalar_random_numbers():
    """RandomUniform from 5 to 6 of a scalar."""
    x = parameter([])
    given = results([x], opset.multiply(x, uniform()), [np.float32(1)], [np.float32(1)])
    return any(not 5 <= result <= 6 for result in given)


@experiment
def repeated_multinomial():
    """Multinomial without seeds draws other numbers in each inference."""
    x, values = parameter([1, 10]), np.full((1, 10), 0.1, np.float32)
    return are_equal(results([x], opset.multinomial(x, numbers(50), "i32", True, False), [values], [values], [values]))


@experiment
def equal_random_numbers():
    """Two RandomUniforms without seeds give different numbers."""

    def are_two_equal():
        x = parameter([20])
        model = compiled([x], opset.multiply(x, uniform(20)), opset.multiply(x, uniform(20)))
        return are_equal(list(model([np.ones(20, np.float32)]).values()))

    return any(are_two_equal() for _ in range(3))  # a second can end between the two


@experiment
def folded_random_numbers():
    """Each inference draws other numbers, also if they are subtracted, or if a Loop without inputs draws them."""
    x, values = parameter([1, 20]), np.ones((1, 20), np.float32)
    differences = opset.subtract(x, uniform(1, 20))
    row = uniform(1, 20)
    body = ov.Model([opset.constant(np.array(True)), row], [], "body")
    loop = opset.loop(number(3), opset.constant(np.array(True)))
    loop.set_function(body)
    loop.set_special_body_ports([-1, 0])
    rows = opset.multiply(x, loop.get_concatenated_slices(row.output(0), 0, 1, 1, -1, 0))
    return any(are_equal(results([x], drawn, [values], [values])) for drawn in (differences, rows))
