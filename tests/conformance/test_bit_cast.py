"""BitCast of dynamic values: every exponent, both ends of each, subnormals, -0 and infinities."""

import dataclasses
import functools

import numpy as np
import onnx
import pytest
from onnx import helper

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES, "BitCast", 26)


def patterns(integer, fraction_bits):
    """Bits of every exponent and sign with the least, the greatest and some fraction between. The only NaN is the quiet one."""
    width = np.dtype(integer).itemsize * 8
    exponents = np.arange(1 << (width - 1 - fraction_bits), dtype=np.int64) << fraction_bits
    fractions = np.append([0, 1, 1 << (fraction_bits - 1), (1 << fraction_bits) - 1], numbers("fraction", 5, dtype="int64", high=(1 << fraction_bits) - 1))
    finite = np.add.outer(exponents[:-1], fractions).ravel()
    infinity = exponents[-1]
    magnitudes = np.append(finite, infinity)
    signed = np.append(magnitudes, magnitudes | (1 << (width - 1)))
    return np.append(signed, infinity | (1 << (fraction_bits - 1))).astype(f"uint{width}").view(integer)


def add_casts():
    for real, integers, fraction_bits in (
        (np.float32, (np.int32, np.uint32), 23),
        (np.float16, (np.int16, np.uint16), 10),
    ):
        for integer in integers:
            bits = patterns(integer, fraction_bits)
            values = bits.view(real)
            as_type = lambda dtype: helper.np_dtype_to_tensor_dtype(np.dtype(dtype))  # noqa: E731
            case(values, expected=[bits], to=as_type(integer), variant=np.dtype(real).name)
            if integer in (np.int32, np.int16, np.uint16):
                case(bits, expected=[values], to=as_type(real), variant=np.dtype(real).name)
    case(np.float32(-0.0).reshape(()), expected=[np.array(-(1 << 31), np.int32)], to=onnx.TensorProto.INT32, variant="scalar")
    case(np.zeros((0, 3), np.float32), expected=[np.zeros((0, 3), np.int32)], to=onnx.TensorProto.INT32, variant="empty", dynamic=False)


add_casts()


def exactly(make):
    return lambda: dataclasses.replace(make(), rtol=0, atol=0)


@pytest.mark.parametrize("conformance", parameters(Entry(("bit_cast", name), exactly(make)) for name, make in CASES.items()))
def test_bit_cast(conformance, result):
    assert_passed(result)
