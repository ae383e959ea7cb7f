"""Faults of Loop."""

import itertools

import numpy as np
import openvino as ov

from .control_flow import add_loop, add_single_iteration, as_array, constant_loop, true
from .experiment import compiled, element_type, experiment, fails, number, numbers, opset, parameter, results, shapes


def doubling_loop(count, initial, condition=None):
    """The final value of a state that each iteration adds to itself."""
    state = opset.parameter(initial.get_output_partial_shape(0), initial.get_element_type())
    return add_loop(count, condition or true(), [(initial, state, opset.add(state, state))])[0]


@experiment
def zero_trip_final_values():
    """The final values of a Loop that runs zero times are its initial values."""
    count, x = parameter([], "i64"), parameter([4])
    values = np.arange(1, 5, dtype=np.float32)
    runs = [(as_array(0), values), (as_array(2), values), (as_array(0), values * 3)]
    first, _, later = results([count, x], doubling_loop(count, x), *runs)
    return not (np.array_equal(first, values) and np.array_equal(later, values * 3))


def ones_like(value):
    """Ones with the shape of `value`: OpenVINO chooses the value whose shape it reads."""
    return opset.broadcast(opset.constant(np.ones(1, np.float32)), opset.shape_of(value))


@experiment
def zero_trip_sizes():
    """The final value of a Loop that runs zero times has the size of its initial value, and not that of a captured value."""
    count, x, y = parameter([], "i64"), parameter([-1]), parameter([-1])
    state, captured = parameter([-1]), parameter([-1])
    next_value = opset.add(captured, opset.reduce_sum(state, numbers(0), True))
    final = add_loop(count, true(), [(x, state, next_value)], [(y, captured)])[0]
    sizes = opset.concat([opset.reduce_sum(ones_like(value), numbers(0), True) for value in (final, y)], 0)
    given = (as_array(0), np.ones(3, np.float32), np.ones(5, np.float32))
    return results([count, x, y], sizes, given)[0].tolist() != [3, 5]


@experiment
def zero_trip_scan_outputs():
    """The scan outputs of a Loop that runs zero times have no rows."""
    count, x, state = parameter([], "i64"), parameter([1, 2]), parameter([1, 2])
    next_value = opset.add(state, state)
    rows = add_loop(count, true(), [(x, state, next_value)], scans=[next_value])[1]
    one = np.ones((1, 2), np.float32)
    return shapes([count, x], rows, (as_array(3), one), (as_array(0), one)) != [(3, 2), (0, 2)]


@experiment
def zero_trip_unread_states():
    """The final value of a state that the body writes and never reads is the initial value after zero iterations."""
    count, x, y = parameter([], "i64"), parameter([2]), parameter([2])
    unread, captured = parameter([2]), parameter([2])
    final = add_loop(count, true(), [(x, unread, opset.add(captured, captured))], [(y, captured)])[0]
    given = (np.array([8, 9], np.float32), np.ones(2, np.float32))
    runs = results([count, x, y], final, (as_array(0), *given), (as_array(1), *given), (as_array(0), *given))
    return not all(np.array_equal(run, given[0]) for run in (runs[0], runs[2]))


@experiment
def static_scan_rows():
    """A Loop with a constant trip count whose initial condition is false gives no rows."""
    condition, x, state = parameter([], "boolean"), parameter([1, 2]), parameter([1, 2])
    next_value = opset.add(state, state)
    rows = add_loop(number(3), condition, [(x, state, next_value)], scans=[next_value])[1]
    return shapes([condition, x], rows, (np.array(False), np.ones((1, 2), np.float32))) != [(0, 2)]


@experiment
def loop_shapes_from_body():
    """A Loop that runs zero times gives an initial value whose shape the body's result cannot have."""
    count, x, state = parameter([], "i64"), parameter([1, 2]), parameter([-1, 2])
    three_rows = opset.broadcast(opset.reduce_sum(state, numbers(0), True), numbers(3, 2))
    final = add_loop(count, true(), [(x, state, three_rows)])[0]
    one = np.ones((1, 2), np.float32)
    try:
        return shapes([count, x], final, (as_array(2), one), (as_array(0), one)) != [(3, 2), (1, 2)]
    except RuntimeError:
        return True


@experiment
def captured_next_state():
    """A captured value as the next value of a state."""
    count, x, y = parameter([], "i64"), parameter([1, 2]), parameter([1, 2])
    state, captured = parameter([1, 2]), parameter([1, 2])
    row = opset.add(state, captured)
    rows = add_loop(count, true(), [(x, state, captured)], [(y, captured)], scans=[row])[1]
    return fails(results, [count, x, y], rows, (as_array(2), np.zeros([1, 2], np.float32), np.ones([1, 2], np.float32)))


@experiment
def sequential_back_edges():
    """States that exchange their values have the values of the previous iteration."""
    count, given = parameter([], "i64"), [np.full(2, value, np.float32) for value in range(3)]
    for order in ((1, 0, 2), (1, 2, 0), (2, 0, 1)):
        initial, states = [parameter([2]) for _ in order], [parameter([2]) for _ in order]
        finals = add_loop(count, true(), [(initial[i], states[i], states[order[i]]) for i in range(3)])
        for iterations in (1, 2):
            right = given
            for _ in range(iterations):
                right = [right[place] for place in order]
            model = compiled([count, *initial], *finals)
            found = model([as_array(iterations), *given])
            if any(not np.array_equal(found[i], right[i]) for i in range(3)):
                return True
    # What is computed in place of a state is in its memory, too.
    return any(
        loses_next_value(*computations)
        for computations in (
            (opset.tanh, lambda x: opset.softmax(x, 0)),
            (opset.tanh, lambda x: opset.reshape(x, numbers(4), False)),
            (opset.tanh, lambda x: opset.scatter_update(x, numbers(0), opset.constant(np.array([9], np.float32)), number(0))),
        )
    )


def loses_next_value(first, second):
    """Whether states that exchange their values, computed by these functions, differ from those of the computations outside of the Loop."""
    count, x, y, a, b = parameter([], "i64"), *[parameter([4]) for _ in range(4)]
    finals = add_loop(count, true(), [(x, a, first(b)), (y, b, second(a))])
    given = np.arange(4, dtype=np.float32) / 4, np.arange(4, dtype=np.float32) - 1
    found = compiled([count, x, y], *finals)([as_array(2), *given])
    step_of, other = compiled([c := parameter([4]), d := parameter([4])], first(d), second(c)), given
    for _ in range(2):
        outcome = step_of(list(other))
        other = [np.array(outcome[place]) for place in range(2)]
    return any(not np.allclose(found[place], other[place]) for place in range(2))


@experiment
def updated_invariants():
    """Captured values, and states that never change, are the same in all iterations. Computations of the body do not change them."""
    nine = opset.constant(np.array([9], np.float32))
    computations = (
        lambda x, i: opset.scatter_update(x, vector(i), nine, number(0)),
        lambda x, i: opset.scatter_elements_update(x, vector(i), nine, number(0)),
        lambda x, i: opset.scatter_nd_update(x, opset.unsqueeze(vector(i), number(1)), nine),
        lambda x, i: opset.add(matrix(x), opset.convert(i, "f32")),
        lambda x, i: opset.multiply(opset.exp(matrix(x)), opset.add(matrix(x), opset.convert(i, "f32"))),
        lambda x, i: opset.softmax(x, 0),
        lambda x, i: opset.swish(opset.unsqueeze(x, number(0))),
        lambda x, i: opset.relu(opset.mvn(x, numbers(0), True, 1e-5, "inside_sqrt")),
    )
    values = np.arange(1, 5, dtype=np.float32)
    rows = opset.constant(values)
    cases = [(*case, values) for case in itertools.product(computations, (False, True))]
    # OpenVINO computes the sum of a scalar and a Reshape to a scalar before the Reshape, and that of a Gather of a scalar.
    cases.append((lambda x, i: opset.add(x, opset.gather(rows, i, number(0))), False, np.array(7, np.float32)))
    return any(changes_between_iterations(*case) for case in cases)


def vector(index):
    return opset.reshape(index, numbers(1), False)


def matrix(value):
    return opset.reshape(value, numbers(2, 2), False)


def changes_between_iterations(compute, is_state, given):
    """Whether a Loop computes other rows from a value that never changes than the same computation outside of the Loop."""
    count, x, value, index = parameter([], "i64"), parameter(given.shape), parameter(given.shape), parameter([], "i64")
    states = [(number(0), index, opset.add(index, number(1)))] + [(x, value, value)] * is_state
    row = opset.unsqueeze(compute(value, index), number(0))
    rows = add_loop(count, true(), states, [] if is_state else [(x, value)], scans=[row])[-1]
    found = results([count, x], rows, (as_array(3), given))[0]
    outside, step = parameter(given.shape), parameter([], "i64")
    right = results([outside, step], compute(outside, step), *[(given, as_array(i)) for i in range(3)])
    return not np.allclose(found, np.stack(right))


@experiment(may_crash=True)
def constant_loop_evaluation():
    """Loops with constant inputs compile, also if they run zero times or end by their own condition."""
    x = parameter([], "i64")

    def cannot_compile(count, condition):
        return fails(shapes, [x], opset.add(x, constant_loop(count, condition)), (as_array(1),))

    return any(
        cannot_compile(count, condition)
        for count, condition in (
            (opset.subtract(number(2), number(2)), true()),
            (number(2), opset.less(number(2), number(2))),
        )
    )


@experiment
def constant_loop_operations():
    """Loops of constants compile, also if OpenVINO cannot evaluate an operation in a body: IsNaN."""

    def loop_over(make):
        state = parameter([2])
        initial = opset.constant(np.array([1, 2], np.float32))
        return add_loop(number(3), true(), [(initial, state, make(state))])[0]

    def zeros(value):
        return opset.add(value, opset.convert(opset.is_nan(value), "f32"))

    def inner_loop(value):
        state = parameter([2])
        return add_loop(number(2), true(), [(value, state, zeros(state))])[0]

    def is_wrong(make):
        x = parameter([])
        output = opset.add(loop_over(make), x)
        one = (as_array(1, np.float32),)
        return fails(results, [x], output, one) or results([x], output, one)[0].tolist() != [2, 3]

    return is_wrong(zeros) or is_wrong(inner_loop)


@experiment(may_crash=True)
def kept_initial_size():
    """A state that starts without elements, and becomes longer by a dynamic number of them, keeps them all."""
    count, state, outer, row = parameter([], "i64"), parameter([-1]), parameter([-1]), parameter([-1])
    longer = opset.concat([state, row], 0)
    none = opset.constant(np.zeros(0, np.float32))
    final = add_loop(count, true(), [(none, state, longer)], [(outer, row)])[0]
    return results([count, outer], final, (as_array(3), np.ones(2, np.float32)))[0].tolist() != [1] * 6


@experiment
def empty_state_shape():
    """A state [0, 0] to which each of three iterations appends a row without elements ends as [3, 0]."""
    x, state, inner = parameter([-1, 2]), parameter([-1, -1]), parameter([1, 0])
    none = opset.slice(x, numbers(0, 0), numbers(0, 0), numbers(1, 1), numbers(0, 1))
    row = opset.constant(np.zeros((1, 0), np.float32))
    final = add_loop(number(3), true(), [(none, state, opset.concat([state, inner], 0))], [(row, inner)])[0]
    return shapes([x], final, (np.ones((5, 2), np.float32),)) != [(3, 0)]


@experiment(may_crash=True)
def stale_initial_memory():
    """A Loop starts from its initial value, also if the state was larger in the previous inference."""
    count, x, ends = parameter([], "i64"), parameter([-1]), parameter([-1], "i64")
    state, iteration, inner_ends = parameter([-1]), parameter([1], "i64"), parameter([-1], "i64")
    end = opset.gather(inner_ends, iteration, number(0))
    part = opset.slice(opset.concat([state, state], 0), numbers(0), end, numbers(1), numbers(0))
    states = [(x, state, part), (numbers(0), iteration, opset.add(iteration, numbers(1)))]
    final = add_loop(count, true(), states, [(ends, inner_ends)])[0]
    sizes = np.array([800, 400, 400])
    values = [np.full(400, value, np.float32) for value in (1, 2)]
    runs = results([count, x, ends], final, *((as_array(3), value, sizes) for value in values))
    return not all(map(np.array_equal, runs, values))


@experiment(may_crash=True)
def stale_loop_outputs():
    """Readers of a Loop's output have its elements in each inference, also if other values are larger than before."""
    x, state, number_of_run = parameter([-1, -1]), parameter([-1, -1]), parameter([])
    row = opset.multiply(opset.constant(np.ones((1, 3, 6, 6), np.float32)), number_of_run)
    initial = opset.tile(opset.exp(x), numbers(3, 1))
    is_empty = opset.equal(opset.gather(opset.shape_of(state, "i64"), number(0), number(0)), number(0))
    captured = parameter([])
    rows = add_loop(number(-1), true(), [(initial, state, opset.abs(state))], [(captured, number_of_run)], is_empty, [row])[1]
    filters = opset.constant(np.ones((8, 3, 3, 3), np.float32))
    sums = opset.convolution(rows, filters, [1, 1], [0, 0], [0, 0], [1, 1])
    # The elements differ in each inference: those of an earlier one may still be in the released memory.
    given = [(np.ones(shape, np.float32), np.float32(i)) for i, shape in enumerate(((1, 1), (2, 1), (40, 40), (1, 1), (80, 90)))]
    return not all(np.allclose(run, 27 * i) for i, run in enumerate(results([x, captured], sums, *given)))


@experiment
def unnoticed_state_shape():
    """A state that grows has its new elements in the next iteration, also if its final value is unused."""
    count, x, state = parameter([], "i64"), parameter([2]), parameter([-1])
    longer = opset.concat([state, opset.constant(np.ones(1, np.float32))], 0)
    total = opset.unsqueeze(opset.reduce_sum(state, numbers(0), False), number(0))
    _, rows = add_loop(count, true(), [(x, state, longer)], scans=[total])
    sums = results([count, x], rows, (as_array(3), np.ones(2, np.float32)))[0]
    return sums.tolist() != [2, 3, 4]


@experiment
def equal_initial_sizes():
    """A state that grows has its own size in each iteration, also if its initial value is captured, too."""
    count, x, y = parameter([], "i64"), parameter([-1]), parameter([-1])
    state, captured, added = parameter([-1]), parameter([-1]), parameter([-1])
    longer = opset.concat([state, added], 0)
    sizes = [opset.reduce_sum(ones_like(value), numbers(0), True) for value in (state, captured)]
    row = opset.unsqueeze(opset.concat(sizes, 0), number(0))
    _, rows = add_loop(count, true(), [(x, state, longer)], [(x, captured), (y, added)], scans=[row])
    given = (as_array(2), np.ones(3, np.float32), np.ones(1, np.float32))
    return results([count, x, y], rows, given)[0].tolist() != [[3, 3], [4, 3]]


@experiment(may_crash=True)
def empty_loop_vectors():
    """A Loop runs with a state of rank 1 that has no elements."""
    count, x, state = parameter([], "i64"), parameter([-1]), parameter([-1])
    final = add_loop(count, true(), [(x, state, opset.add(state, state))])[0]
    return shapes([count, x], final, (as_array(2), np.zeros(0, np.float32))) != [(0,)]


@experiment
def loops_take_no_strings():
    """A Loop can have string outputs."""
    places, inside = parameter([-1], "i32"), parameter([-1], "i32")
    element_type("string")
    packed = opset.string_tensor_pack(inside, inside, opset.constant(np.zeros(1, np.uint8)))
    texts = add_single_iteration(packed, places, inside)
    return fails(shapes, [places], texts, (np.zeros(2, np.int32),))


@experiment(may_crash=True)
def empty_stacked_rows():
    """Rows of two iterations, stacked along their second axis; the first one is empty in the second run."""
    count, x, captured = parameter([], "i64"), parameter([-1, 1, 3]), parameter([-1, 1, 3])
    loop = opset.loop(count, true())
    go_on, row = opset.result(true()), opset.result(opset.add(captured, captured))
    loop.set_function(ov.Model([go_on, row], [captured], "body"))
    loop.set_special_body_ports([-1, 0])
    loop.set_invariant_input(captured, x.output(0))
    stacked = loop.get_concatenated_slices(row.output(0), 0, 1, 1, -1, 1)
    runs = [(as_array(2), np.ones((rows, 1, 3), np.float32)) for rows in (2, 0)]
    return shapes([count, x], stacked, *runs) != [(2, 2, 3), (0, 2, 3)]
