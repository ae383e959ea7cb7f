"""Faults of element types with less than 32 bits."""

import numpy as np
import openvino as ov

from .experiment import element_type, experiment, fails, opset, results


def four_bit_constant(values):
    """An i4 constant of values from 0 to 7."""
    packed = np.zeros((len(values) + 1) // 2, np.uint8)
    for index, value in enumerate(values):
        packed[index // 2] |= value << 4 * (index % 2)
    return opset.constant(ov.Tensor(packed, ov.Shape([len(values)]), element_type("i4")))


@experiment(may_crash=True)
def small_type_moves():
    """Split of a 4-bit constant gives its elements; GatherElements of 8-bit floats as well."""
    parts = opset.variadic_split(four_bit_constant(range(7)), opset.constant(0), opset.constant([1, 6]))
    if results([], opset.convert(parts.output(1), "i8"), ())[0].tolist() != [1, 2, 3, 4, 5, 6]:
        return True
    x = opset.parameter([3], np.float32)
    indices = opset.constant(np.array([2, 0]))
    small = opset.convert(x, element_type("f8e4m3"))
    gathered = opset.convert(opset.gather_elements(small, indices, 0), "f32")
    given = np.array([1, 2, 4], np.float32)
    return fails(results, [x], gathered, (given,)) or results([x], gathered, (given,))[0].tolist() != [4, 1]
