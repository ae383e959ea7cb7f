"""Faults of element types with less than 32 bits."""

import numpy as np
import openvino as ov

from .experiment import Unavailable, compiled, element_type, experiment, fails, opset, results


def four_bit_constant(values, shape=None, type_="i4"):
    """A constant of values from -8 to 7, or of u4 from 0 to 15."""
    packed = np.zeros((len(values) + 1) // 2, np.uint8)
    for index, value in enumerate(values):
        packed[index // 2] |= (value & 15) << 4 * (index % 2)
    tensor = ov.Tensor(element_type(type_), ov.Shape(shape or [len(values)]))
    tensor.data.reshape(-1).view(np.uint8)[:] = packed  # a tensor on `packed` would not keep it alive
    return opset.constant(tensor)


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


@experiment
def small_constant_results():
    """The bytes of an output that is a constant of two numbers of 4 bits: 1 is in the lower half."""
    request = compiled([], four_bit_constant([1, 2])).create_infer_request()
    request.infer({})
    return np.array(request.get_output_tensor(0).data).view(np.uint8).reshape(-1)[0] != 0x21


def converted(name, *numbers):
    """f32 numbers after a conversion to the element type `name` and back."""
    x = opset.parameter([-1], np.float32)
    there_and_back = opset.convert(opset.convert(x, element_type(name)), "f32")
    return results([x], there_and_back, (np.array(numbers, np.float32),))[0].tolist()


@experiment
def float4_rounding():
    """Midpoints are rounded to the number with an even mantissa."""
    return converted("f4e2m1", 0.25, 1.25, 2.5, 5) != [0, 1, 2, 4]


@experiment
def float8_rounding():
    """Numbers are rounded to nearest: just above a midpoint to the greater one."""
    above = 2.0**-20
    if converted("f8e4m3", 1.0625 + above, 0.0078125 * 0.999) != [1.125, 0.0078125]:
        return True
    return converted("f8e5m2", 1.125 + above) != [1.25]


@experiment
def two_bit_types():
    """Numbers can be converted to u2 and back."""
    x = opset.parameter([4], np.float32)
    there_and_back = opset.convert(opset.convert(x, "u2"), "f32")
    numbers = (np.array([3, 0, 1, 2], np.float32),)
    return fails(results, [x], there_and_back, numbers) or results([x], there_and_back, numbers)[0].tolist() != [3, 0, 1, 2]


@experiment
def bf16_constant_infinity():
    """The maximum of bf16 numbers and a constant of minus infinity."""
    x = opset.parameter([2], np.float32)
    low = opset.convert(opset.constant(np.array([-np.inf], np.float32)), "bf16")
    highest = opset.convert(opset.maximum(opset.convert(x, "bf16"), low), "f32")
    given = np.array([-np.inf, 1], np.float32)
    return results([x], highest, (given,))[0].tolist() != given.tolist()


def packed(values):
    """Elements of 4 bits, two in a byte."""
    values = np.append(values.reshape(-1), np.zeros(values.size % 2, np.uint8)).astype(np.uint8)
    return values[::2] | values[1::2] << 4


@experiment
def float4_transpose():
    """A Convert to f4e2m1 after a Transpose of f32 gives the right elements."""
    x = np.arange(15, dtype=np.uint8).reshape(3, 5)
    given = opset.parameter([3, 5], element_type("f4e2m1"))
    turned = opset.convert(opset.transpose(opset.convert(given, "f32"), opset.constant([1, 0])), "f4e2m1")
    try:
        request = compiled([given], turned).create_infer_request()
    except RuntimeError as error:
        raise Unavailable("no inputs of type f4e2m1") from error
    tensor = ov.Tensor(element_type("f4e2m1"), ov.Shape([3, 5]))
    tensor.data.reshape(-1).view(np.uint8)[:] = packed(x)
    request.set_input_tensor(tensor)
    request.infer()
    output = request.get_output_tensor().data.reshape(-1).view(np.uint8)
    # The last byte has one element.
    return output[:7].tolist() != packed(x.T)[:7].tolist() or output[7] & 15 != x.T.reshape(-1)[14]
