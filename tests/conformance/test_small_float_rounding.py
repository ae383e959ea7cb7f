"""Conversions to float8 and float4 round to the nearest number, and to the even one of two that are equally near."""

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

FORMATS = {
    TensorProto.FLOAT8E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
    TensorProto.FLOAT8E5M2: np.dtype(ml_dtypes.float8_e5m2),
    TensorProto.FLOAT4E2M1: np.dtype(ml_dtypes.float4_e2m1fn),
}
OPSET = 23


def representable(dtype):
    """All finite non-negative numbers in order."""
    bits = np.arange(128 if dtype.itemsize == 1 and "float8" in dtype.name else 8, dtype=np.uint8)
    values = bits.view(dtype).astype(np.float32)
    return np.unique(values[np.isfinite(values)])


def inputs_of(dtype):
    values = representable(dtype)
    middles = (values[1:] + values[:-1]) / 2
    beside = [np.nextafter(middles, np.float32(side)) for side in (np.inf, 0)]
    # Near enough to a midpoint to be rounded to it in half precision.
    near = [middles * np.float32(1 + side * 2.0**-13) for side in (1, -1)]
    others = [numbers("between", 400, low=0, high=values[-1]), numbers("small", 200, low=0, high=values[8 % len(values)])]
    x = np.concatenate([values, middles, *beside, *near, *others, [values[-1] * 1.02, values[-1] * 2, 3e38, 1e-30]])
    return np.concatenate([x, -x]).astype(np.float32)


def saturated(x, dtype):
    """`x` converted as specified by ONNX, with saturation."""
    greatest = representable(dtype)[-1]
    return np.clip(x, -greatest, greatest).astype(dtype)


def model_of(node, element, x, constants=()):
    graph = helper.make_graph(
        [node],
        "rounding",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None])],
        [helper.make_tensor_value_info("y", element, [None])],
        [numpy_helper.from_array(value, name) for name, value in constants],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11).SerializeToString()


def cast(element):
    dtype = FORMATS[element]
    x = inputs_of(dtype)
    model = model_of(helper.make_node("Cast", ["x"], ["y"], to=element), element, x)
    return Case("", model, [Run({"x": x}, {"y": saturated(x, dtype)})])


def quantize(element):
    dtype = FORMATS[element]
    x = inputs_of(dtype)
    node = helper.make_node("QuantizeLinear", ["x", "scale"], ["y"], output_dtype=element)
    model = model_of(node, element, x, [("scale", np.array(0.5, np.float32))])
    x = np.where(np.abs(x) < 1e38, x, 1)
    return Case("", model, [Run({"x": x * np.float32(0.5)}, {"y": saturated(x, dtype)})])


LEAST, LARGEST = 2.0**-127, 2.0**127  # float8e8m0 has the powers of two between them, and NaN


def power_of_two(x, mode, saturate):
    """`x` converted to float8e8m0 as specified by ONNX: of two nearest powers, the larger one."""
    if np.isnan(x) or not (saturate or LEAST <= x <= LARGEST):
        return np.nan
    if x <= LEAST or x >= LARGEST:
        return LEAST if x <= LEAST else LARGEST
    lower = 2.0 ** (np.frexp(x)[1] - 1)
    is_up = {"up": x > lower, "down": False, "nearest": x >= 1.5 * lower}[mode]
    return min(2 * lower if is_up else lower, LARGEST)


def cast_to_powers(mode, saturate):
    # Without saturation, the CPU plugin cannot tell LEAST, a subnormal number, from 0.
    least = LEAST if saturate else 2 * LEAST
    x = np.array([3, 0.75, 6, 1.5, 1.4, 1, 5, 2.0**-126 * 1.5, 3e38, 1e-39, least, LARGEST, 0, -1, np.inf, -np.inf, np.nan], np.float32)
    nodes = [
        helper.make_node("Cast", ["x"], ["power"], to=TensorProto.FLOAT8E8M0, round_mode=mode, saturate=saturate),
        helper.make_node("Cast", ["power"], ["y"], to=TensorProto.FLOAT),
    ]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "powers", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=12)
    expected = np.array([power_of_two(float(value), mode, saturate) for value in x], np.float32)
    return Case("", model.SerializeToString(), [Run({"x": x}, {"y": expected})])


ENTRIES = [
    Entry(("rounding", "powers of two", mode, f"saturate={saturate}"), lambda mode=mode, saturate=saturate: cast_to_powers(mode, saturate))
    for mode in ("up", "down", "nearest")
    for saturate in (0, 1)
]
ENTRIES += [
    Entry(("rounding", make.__name__, dtype.name), lambda make=make, element=element: make(element))
    for make in (cast, quantize)
    for element, dtype in FORMATS.items()
]


@pytest.mark.parametrize("conformance", parameters(ENTRIES))
def test_rounding(conformance, result):
    assert_passed(result)
