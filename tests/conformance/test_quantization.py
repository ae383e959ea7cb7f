"""QuantizeLinear of quotients at the midpoint of two integers, or one last bit off, which shows the rounding."""

import functools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers, with_both_quantizations

CASES = {}
case = functools.partial(add_case, CASES, "QuantizeLinear", 13)


def add_borders():
    for scale in (0.0173, 5 / 255, 1 / 3, 3e-5, 123.4):
        scale = np.array(scale, np.float32)
        borders = (np.arange(-300, 300, dtype=np.float32) + np.float32(0.5)) * scale
        beside = [np.nextafter(borders, np.float32(side)) for side in (np.inf, -np.inf)]
        extremes = np.array([np.inf, -np.inf, 3e38, -3e38, 0, -0.0], np.float32)
        x = np.concatenate([borders, *beside, extremes, numbers("between", 500, low=-300, high=300) * scale])
        for zero_point in (np.uint8(114), np.int8(-3)):
            case(x, scale, np.array(zero_point), variant=f"{scale:.3g}")
            case(x, scale, np.array(zero_point), variant=f"constant {scale:.3g}", constants=(1, 2), dynamic=False)


add_borders()
with_both_quantizations(CASES, list(CASES))
# Weights: integers that are computed at conversion.
WEIGHTS = np.array([[0.5, 1.5, 2.5, -0.5, -1.5], [126.5, 127.5, 200.0, -128.5, -300.0], [3.75, 0.125, -7.0, 0.0, 12.25]], np.float32)
for kind in (np.int8, np.uint8):
    case(WEIGHTS, np.float32(0.3), kind(3), constants=(0, 1, 2), variant="weights")
    for axis in (0, 1):
        scales = np.linspace(0.25, 1.75, WEIGHTS.shape[axis], dtype=np.float32)
        case(WEIGHTS, scales, np.arange(WEIGHTS.shape[axis]).astype(kind), constants=(0, 1, 2), axis=axis, variant="weights")


@pytest.mark.parametrize("conformance", parameters(Entry(("quantization", name), make) for name, make in CASES.items()))
def test_quantization(conformance, result):
    assert_passed(result)
