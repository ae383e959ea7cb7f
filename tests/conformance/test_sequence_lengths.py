"""LSTM, GRU and RNN whose sequences have lengths: padding, empty sequences, directions, layouts and activations."""

import functools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, add_series, numbers

CASES = {}
case = functools.partial(add_case, CASES)
series = functools.partial(add_series, CASES)

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
HIDDEN, COLUMNS = 5, 3
# Steps and lengths of the runs of one compiled model.
BATCHES = ((4, (4, 2, 1)), (3, (0, 3)), (1, (1,)), (6, (2, 1, 0, 3)), (5, (5, 5)), (2, (0, 0)), (40, (1, 40, 17, 0, 39)))


def inputs_of(op, directions, steps, lengths, batch_first=False, initial=True, filler=np.nan):
    """The inputs of a node. The elements after the end of a sequence are `filler`."""
    batch, gates = len(lengths), GATES[op]
    x = numbers(f"x{steps}", steps, batch, COLUMNS)
    for column, length in enumerate(lengths):
        x[length:, column] = filler
    states = [numbers(name, directions, batch, HIDDEN) for name in "hc"[: len(states_of(op))]]
    if batch_first:
        x, states = x.transpose(1, 0, 2), [state.transpose(1, 0, 2) for state in states]
    weights = [numbers("W", directions, gates * HIDDEN, COLUMNS), numbers("R", directions, gates * HIDDEN, HIDDEN), numbers("B", directions, 2 * gates * HIDDEN)]
    return (x, *weights, np.array(lengths, np.int32), *(states if initial else ()))


def states_of(op):
    return ("h", "c") if op == "LSTM" else ("h",)


def empty_results(op, directions, steps, batch):
    """The outputs without steps or sequences: zeros."""
    return [np.zeros((steps, directions, batch, HIDDEN), np.float32), *[np.zeros((directions, batch, HIDDEN), np.float32)] * len(states_of(op))]


def add(op, direction, variant="", outputs=None, batches=BATCHES, initial=True, **attributes):
    directions = 2 if direction == "bidirectional" else 1
    runs = [inputs_of(op, directions, *batch, attributes.get("layout", 0) == 1, initial) for batch in batches]
    outputs = outputs or 1 + len(states_of(op))
    variant = "-".join(filter(None, ["lengths", variant, "" if initial else "zeros"]))
    series(op, 14, *runs, constants=(1, 2, 3), outputs=outputs, variant=variant, hidden_size=HIDDEN, direction=direction, **attributes)


def add_directions():
    for op in GATES:
        for direction in ("forward", "reverse", "bidirectional"):
            add(op, direction)
            add(op, direction, initial=False)
            add(op, direction, variant="rows alone", outputs=1)


def add_attributes():
    add("GRU", "bidirectional", linear_before_reset=1)
    for op in GATES:
        add(op, "bidirectional", clip=0.7)
    add("RNN", "bidirectional", activations=["Relu", "Relu"])
    add("RNN", "bidirectional", activations=["Relu", "Tanh"])  # not one operation of the runtime
    add("GRU", "reverse", activations=["Sigmoid", "Relu"])
    add("LSTM", "forward", activations=["Sigmoid", "Tanh", "Relu"])
    # With gates below 0, rounding errors grow from step to step: not for 40 steps.
    add("LSTM", "reverse", batches=BATCHES[:-1], activations=["Tanh", "Sigmoid", "Tanh"])
    add("LSTM", "reverse", variant="no cell", outputs=2, batches=BATCHES[:-1], activations=["Tanh", "Sigmoid", "Tanh"])
    add("LSTM", "reverse", input_forget=1)


def add_empty_inputs():
    """No steps, or no sequences, also in the first run. onnxruntime crashes on GRU with zero steps."""
    for op in GATES:
        for direction in ("forward", "bidirectional"):
            directions = 2 if direction == "bidirectional" else 1
            batches = ((3, (3, 1)), (0, (0, 0)), (2, ()), (3, (1, 2, 3)), (0, ()))
            for start in (0, 1, 2):
                runs = [inputs_of(op, directions, *batch) for batch in batches[start:]]
                expected = [None if steps and lengths else empty_results(op, directions, steps, len(lengths)) for steps, lengths in batches[start:]]
                series(op, 14, *runs, constants=(1, 2, 3), outputs=len(expected[-1] or expected[-2]), expected=expected, variant=f"lengths-{direction} from {start}", hidden_size=HIDDEN, direction=direction)


def add_static_shapes():
    for op in GATES:
        for direction in ("forward", "reverse", "bidirectional"):
            directions = 2 if direction == "bidirectional" else 1
            for lengths in ((4, 2, 1), (0, 3, 4)):
                inputs = inputs_of(op, directions, 4, lengths, filler=9)
                case(op, 14, *inputs, constants=(1, 2, 3), outputs=1 + len(states_of(op)), variant=f"lengths {lengths}", hidden_size=HIDDEN, direction=direction)


def add_large_values():
    """Inputs far outside of the range of the activations, before and after the end of a sequence."""
    for op in GATES:
        runs = []
        for steps, lengths in BATCHES[:4]:
            x, *others = inputs_of(op, 2, steps, lengths)
            runs.append((x * np.float32(1e4), *others[:-len(states_of(op))], *(state * np.float32(50) for state in others[-len(states_of(op)):])))
        series(op, 14, *runs, constants=(1, 2, 3), outputs=1 + len(states_of(op)), variant="lengths-large", hidden_size=HIDDEN, direction="bidirectional")


add_directions()
add_attributes()
add_empty_inputs()
add_static_shapes()
add_large_values()


@pytest.mark.parametrize("conformance", parameters(Entry(("sequence_lengths", name), make) for name, make in CASES.items()))
def test_sequence_lengths(conformance, result):
    assert_passed(result)
