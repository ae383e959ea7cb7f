"""Faults of LSTMSequence, GRUSequence and RNNSequence."""

import numpy as np

from .experiment import experiment, opset, parameter, results

WEIGHTS = [np.full(shape, 0.5, np.float32) for shape in ((1, 9, 2), (1, 9, 3), (1, 9))]


def sequence_of(x, state, lengths):
    return opset.gru_sequence(x, state, lengths, *(opset.constant(weights) for weights in WEIGHTS), 3, "forward")


def inputs_of(batch, steps, *lengths):
    return np.ones((batch, steps, 2), np.float32), np.zeros((batch, 1, 3), np.float32), np.array(lengths, np.int32)


@experiment
def zero_step_states():
    """The final state after zero steps is the initial state."""
    x, state, lengths = parameter([1, -1, 2]), parameter([1, 1, 3]), parameter([1], "i32")
    runs = inputs_of(1, 2, 2), inputs_of(1, 0, 0)
    return bool(results([x, state, lengths], sequence_of(x, state, lengths).output(1), *runs)[1].any())


@experiment
def dynamic_sequence_lengths():
    """A sequence of dynamic shape gives zeros after its end."""
    x, state, lengths = parameter([-1, -1, 2]), parameter([-1, 1, 3]), parameter([-1], "i32")
    given = results([x, state, lengths], sequence_of(x, state, lengths).output(0), inputs_of(2, 4, 4, 2))[0]
    return bool(given[1, 0, 2:].any())
