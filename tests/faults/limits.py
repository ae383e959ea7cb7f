"""Operations that the runtime computes with less precision or range than the element type."""

import numpy as np

from .experiment import experiment, opset, parameter, results


@experiment
def wide_integers():
    """The sum of 64-bit integers has 64 bits."""
    x = parameter([1], "i64")
    given = np.array([1 << 40])
    return results([x], opset.add(x, opset.constant(np.array([1]))), (given,))[0].tolist() != [(1 << 40) + 1]
