"""Faults of the CPU runtime that passes work around, each shown with the runtime alone.

An experiment fails when a new runtime is right: then the pass that is named can go.
"""

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
    with pytest.raises(RuntimeError):
        shapes([x], opset16.transpose(x, order), (none,))
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


def texts(*values):
    return np.array(values, np.str_)


def test_unpacking_no_strings():
    """guard_empty_inputs: it is left out, and what the run before gave stays, or nothing at all."""
    x = opset16.parameter([-1], ov.Type.string)
    parts = [opset16.string_tensor_unpack(x).output(i) for i in range(3)]
    for part in parts:
        assert shapes([x], part, (texts("ab", "c"),), (texts(),)) == [(3 if part.get_index() == 2 else 2,)] * 2
    with pytest.raises(RuntimeError):
        shapes([x], opset16.relu(parts[0]), (texts(),))


def test_packing_no_strings():
    """guard_empty_inputs: the first run fails. A later one is right."""
    x = opset16.parameter([-1, -1], np.int32)
    places = opset16.add(x, opset16.constant(np.int32(1)))
    packed = opset16.string_tensor_pack(places, places, opset16.constant(np.zeros(1, np.uint8)))
    none, some = np.zeros((2, 0), np.int32), np.zeros((1, 2), np.int32)
    assert shapes([x], packed, (some,), (none,)) == [(1, 2), (2, 0)]
    with pytest.raises(RuntimeError):
        shapes([x], packed, (none,))


def test_no_strings_in_one_step():
    """guard_empty_inputs: a constant without elements that is to become [0, 0] in the first run keeps no shape."""
    sizes = opset16.parameter([2], np.int64)
    none = opset16.constant(np.zeros(0, np.float32))
    target = np.zeros(2, np.int64)
    longer = opset16.concat([sizes, numbers(1)], 0)
    assert shapes([sizes], opset16.relu(opset16.reshape(opset16.reshape(none, longer, False), sizes, False)), (target,)) == [(0, 0)]
    with pytest.raises(RuntimeError):
        shapes([sizes], opset16.relu(opset16.reshape(none, sizes, False)), (target,))


@pytest.mark.parametrize("output", range(4))
def test_unique_of_nothing(output):
    """guard_empty_inputs: as for strings that are unpacked."""
    x = opset16.parameter([-1], np.float32)
    found = opset16.unique(x).output(output)
    some, none = np.array([1, 0, 2], np.float32), np.zeros(0, np.float32)
    assert shapes([x], found, (some,), (none,)) == [(3,), (3,)]
    with pytest.raises(RuntimeError):
        shapes([x], found, (none,))


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


def test_a_loop_gives_no_strings():
    """run_branches_in_loops: an If that gives strings stays outside."""
    x, places = opset16.parameter([-1], np.int32), opset16.parameter([-1], np.int32)
    texts_inside = opset16.result(opset16.string_tensor_pack(places, places, opset16.constant(np.zeros(1, np.uint8))))
    loop = opset16.loop(number(1), opset16.constant(True))
    loop.set_function(ov.Model([opset16.result(opset16.constant(True)), texts_inside], [places], "body"))
    loop.set_special_body_ports([-1, 0])
    loop.set_invariant_input(places, x.output(0))
    with pytest.raises(RuntimeError):
        shapes([x], loop.get_iter_value(texts_inside.output(0), -1), (np.zeros(2, np.int32),))


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
