"""The assumptions of the pass wrap_ifs_in_loops, tested with the runtime alone: outputs of an If with dynamic sizes are overwritten
before later operations read them (fault branch_output_memory), but not before the Results of their graph do, and a Loop
keeps its outputs in each place.
"""

import numpy as np
import openvino as ov
import pytest

from .runtime import CONFIG
from .runtime_ops import ops

SIZES = (2, 3, 1, 5, 40, 7, 200)


def number(value):
    return ops.constant(np.int64(value))


def growing(value):
    """Later nodes that need more memory than the first one."""
    axis = ops.constant(np.int32(0))
    for copies in (4, 5):
        value = ops.concat([ops.cum_sum(value, axis)] * copies, 0)
    return ops.cum_sum(value, axis)


def expected(values):
    for copies in (4, 5):
        values = np.concatenate([np.cumsum(values)] * copies)
    return np.cumsum(values)


def choice(condition, value):
    """An If that returns the value or its concatenation with itself."""
    node = ops.if_op(condition)
    once, twice = vector(), vector()
    node.set_then_body(ov.Model([ops.add(once, once)], [once], "then"))
    node.set_else_body(ov.Model([ops.concat([twice, twice], 0)], [twice], "else"))
    node.set_input(value.output(0), once, twice)
    return node.set_output(*[node.get_function(body).get_results()[0] for body in (0, 1)])


def copied_choice(condition, value):
    """The same, followed by a Loop that copies the result."""
    copy = vector()
    result = ops.result(ops.identity(copy))
    node = ops.loop(number(1), ops.constant(True))
    node.set_function(ov.Model([ops.result(ops.constant(True)), result], [copy], "body"))
    node.set_special_body_ports([-1, 0])
    node.set_invariant_input(copy, choice(condition, value))
    return node.get_iter_value(result.output(0), -1)


def doubling(condition, value):
    """A Loop that doubles the value's size once or twice."""
    state = vector()
    result = ops.result(ops.concat([state, state], 0))
    node = ops.loop(ops.select(condition, number(1), number(2)), ops.constant(True))
    node.set_function(ov.Model([ops.result(ops.constant(True)), result], [state], "body"))
    node.set_special_body_ports([-1, 0])
    node.set_merged_input(state, value.output(0), result.output(0))
    return node.get_iter_value(result.output(0), -1)


def vector():
    return ops.parameter([-1], ov.Type.f32)


def flag():
    return ops.parameter([], ov.Type.boolean)


def read_later(make, condition, value):
    return [growing(make(condition, value))]


def handed_out(make, condition, value):
    """The value, together with nodes that grow."""
    return [make(condition, value), growing(value)]


def in_main(make, read):
    inputs = flag(), vector()
    return ov.Model([ops.result(output) for output in read(make, *inputs)], list(inputs), "main")


def in_branch(make, read):
    """The same in both branches of an If."""
    inputs = flag(), vector()
    node = ops.if_op(inputs[0])
    then, otherwise = in_main(make, read), in_main(make, read)
    node.set_then_body(then)
    node.set_else_body(otherwise)
    for outer, *inner in zip(inputs, then.get_parameters(), otherwise.get_parameters()):
        node.set_input(outer.output(0), *inner)
    outputs = [node.set_output(*results) for results in zip(then.get_results(), otherwise.get_results())]
    return ov.Model([ops.result(output) for output in outputs], list(inputs), "main")


def in_loop(make, read):
    """The same in the body of a Loop of one iteration."""
    inputs, inner = (flag(), vector()), (flag(), vector())
    results = [ops.result(output) for output in read(make, *inner)]
    node = ops.loop(number(1), ops.constant(True))
    node.set_function(ov.Model([ops.result(ops.constant(True)), *results], list(inner), "body"))
    node.set_special_body_ports([-1, 0])
    for outer, parameter in zip(inputs, inner):
        node.set_invariant_input(parameter, outer.output(0))
    outputs = [node.get_iter_value(result.output(0), -1) for result in results]
    return ov.Model([ops.result(output) for output in outputs], list(inputs), "main")


def is_right(place, make, read):
    request = ov.Core().compile_model(place(make, read), "CPU", CONFIG).create_infer_request()
    for index, size in enumerate(SIZES):
        values = np.arange(1, size + 1, dtype=np.float32) % 3
        condition = index % 2 == 0
        if make is not doubling:
            given = values * 2 if condition else np.tile(values, 2)
        else:
            given = np.tile(values, 2 if condition else 4)
        wanted = expected(given) if read is read_later else given
        result = request.infer([np.array(condition), values])[0]
        if result.shape != wanted.shape or not np.allclose(result, wanted, rtol=1e-4):
            return False
    return True


PLACES = pytest.mark.parametrize("place", [in_main, in_branch, in_loop])


@PLACES
@pytest.mark.parametrize("make, read", [(choice, handed_out), (copied_choice, read_later), (copied_choice, handed_out), (doubling, read_later), (doubling, handed_out)])
def test_results_and_loop_outputs_are_not_overwritten(place, make, read):
    assert is_right(place, make, read)
