"""Loops and branches for experiments."""

import numpy as np
import openvino as ov

from .experiment import number, opset


def true():
    return opset.constant(True)


def add_loop(count, condition, states=(), invariants=(), next_condition=None, scans=()):
    """A Loop node. `states`: (initial value, Parameter, next value); `invariants`: (value, Parameter).

    Returns the final values of the states, then the scan outputs."""
    go_on = opset.result(next_condition or true())
    next_values = [opset.result(value) for _, _, value in states]
    rows = [opset.result(value) for value in scans]
    parameters = [parameter for _, parameter, _ in states] + [parameter for _, parameter in invariants]
    loop = opset.loop(count, condition)
    loop.set_function(ov.Model([go_on, *next_values, *rows], parameters, "body"))
    loop.set_special_body_ports([-1, 0])
    for (initial, parameter, _), result in zip(states, next_values):
        loop.set_merged_input(parameter, initial.output(0), result.output(0))
    for value, parameter in invariants:
        loop.set_invariant_input(parameter, value.output(0))
    finals = [loop.get_iter_value(result.output(0), -1) for result in next_values]
    return finals + [loop.get_concatenated_slices(result.output(0), 0, 1, 1, -1, 0) for result in rows]


def add_if(condition, value, then_branch, else_branch):
    """An If over one value; each branch is a function from its Parameter to its output."""
    node = opset.if_op(condition)
    parameters = [opset.parameter(value.get_output_partial_shape(0), value.get_element_type()) for _ in range(2)]
    bodies = [ov.Model([make(parameter)], [parameter], "branch") for make, parameter in zip((then_branch, else_branch), parameters)]
    node.set_then_body(bodies[0])
    node.set_else_body(bodies[1])
    node.set_input(value.output(0), *parameters)
    return node.set_output(*[body.get_results()[0] for body in bodies])


def as_array(value, dtype=np.int64):
    return np.array(value, dtype)


def constant_loop(count, condition):
    """A Loop that doubles 3, with constant inputs only."""
    state = opset.parameter([], np.int64)
    return add_loop(count, condition, [(number(3), state, opset.add(state, state))])[0]


def add_single_iteration(value, outer, inner):
    """A Loop of one iteration: the value that its body computes from the Parameter `inner`, which is `outer`."""
    go_on, result = opset.result(true()), opset.result(value)
    loop = opset.loop(number(1), true())
    loop.set_function(ov.Model([go_on, result], [inner], "body"))
    loop.set_special_body_ports([-1, 0])
    loop.set_invariant_input(inner, outer.output(0))
    return loop.get_iter_value(result.output(0), -1)
