"""Graphs of a few operations that OpenVINO's transformations change wrongly: stride_before_pad, rounded_constant_sum, scaled_group_filters."""

import numpy as np
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}


def add(name, nodes, inputs, constants, outputs=("y",), dynamic=(), atol=1e-4):
    """A case of `nodes`, a function body in ONNX text. `dynamic`: the axes of the first input without a declared size."""

    def make():
        body = onnx.parser.parse_function(f'<opset_import: ["" : 18], domain: "d"> f () => ({", ".join(outputs)}) {{ {nodes} }}')
        graph_inputs = []
        for key, value in inputs.items():
            shape = [None if not graph_inputs and axis in dynamic else size for axis, size in enumerate(value.shape)]
            graph_inputs.append(helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), shape))
        graph = helper.make_graph(
            body.node,
            "graph",
            graph_inputs,
            [helper.make_tensor_value_info(key, TensorProto.UNDEFINED, None) for key in outputs],
            [numpy_helper.from_array(np.asarray(value), key) for key, value in constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        model = onnx.shape_inference.infer_shapes(model)
        half = any(value.dtype == np.float16 for value in inputs.values())
        return Case(name, model.SerializeToString(), [Run(inputs)], atol=2e-2 if half else atol, rtol=1e-2 if half else 1e-3)

    assert name not in CASES, name
    CASES[name] = make


def listed(*values):
    return "[" + ", ".join(map(str, values)) + "]"


# What precedes a convolution: OpenVINO moves strides through all of them but Identity and Conv.
BEFORE = {
    "relu": "v = Relu(x)",
    "tanh": "v = Tanh(x)",
    "add": "v = Add(x, shift)",
    "norm": "v = BatchNormalization(x, gain, gain, gain, gain)",
    "conv": "v = Conv(x, square)",
    "input": "v = Identity(x)",
    "clip": "v = Clip(x, low)",
    "clip of two bounds": "v = Clip(x, low, high)",
    "elu": "v = Elu(x)",
    # The global response normalisation of ConvNeXt V2.
    "grn": "l = ReduceL2 <keepdims = 1> (x, places) t = ReduceMean <keepdims = 1> (l, channels) u = Add(t, half) q = Div(l, u) r = Mul(x, q) o = Mul(r, factor) p = Add(o, shift) v = Add(x, p)",
}


def add_padded_convolution(before, spatial, strides, pads, dynamic=(), dtype="float32", suffix="", after="y = Conv(v, w)"):
    name = f"stride_before_pad-{before}-{spatial}-{strides}-{pads}-{dtype}{suffix}".replace(" ", "")
    rank = len(spatial)
    ones = [1] * rank
    constants = {
        "w": numbers(name + "w", 3, 2, *ones, dtype=dtype),
        "shift": numbers(name + "s", 1, 2, *ones, dtype=dtype),
        "gain": np.array([0.5, 2], dtype),
        "square": numbers(name + "q", 2, 2, *ones, dtype=dtype),
        "wide": numbers(name + "i", 2, 2, *[3] * rank, dtype=dtype),
        "low": np.array(-1, dtype),
        "high": np.array(6, dtype),
        "half": np.array(0.5, dtype),
        "factor": numbers(name + "f", 1, 2, *ones, dtype=dtype),
        "places": np.arange(2, rank + 2),
        "channels": np.array([1]),
    }
    after = after.replace("Conv(v, w)", f"Conv<strides = {listed(*strides)}, pads = {listed(*pads)}>(v, w)")
    add(name, f"{BEFORE[before]} {after}", {"x": numbers(name, 2, 2, *spatial, dtype=dtype)}, constants, ("y", "z")[: 1 + ("z =" in after)], dynamic)


for before in BEFORE:
    for spatial, strides, pads in (
        ((6,), (2,), (1, 1)),
        ((7,), (3,), (2, 1)),
        ((5, 6), (2, 2), (1, 1, 1, 1)),
        ((5, 5), (2, 2), (0, 0, 1, 1)),
        ((4, 6), (2, 1), (1, 1, 1, 1)),
        ((1, 1), (2, 2), (1, 1, 1, 1)),
        ((4, 3, 4), (2, 2, 2), (1, 1, 1, 1, 1, 1)),
    ):
        add_padded_convolution(before, spatial, strides, pads)
for before in ("relu", "conv"):
    add_padded_convolution(before, (5, 6), (2, 2), (1, 1, 1, 1), dynamic=(0,), suffix="-batch")
    add_padded_convolution(before, (5, 6), (2, 2), (1, 1, 1, 1), dynamic=(0, 2, 3), suffix="-sizes")
    add_padded_convolution(before, (5, 6), (2, 2), (1, 1, 1, 1), dtype="float16")
    # The convolution with pads has no stride of its own, or is one of two that read the same value.
    later = "a = Conv(v, w) b = Relu(a) w2 = Transpose<perm = [1, 0, 2, 3]>(w) y = Conv<strides = [2, 2]>(b, w2)"
    add_padded_convolution(before, (5, 6), (1, 1), (1, 1, 1, 1), suffix="-later", after=later)
    add_padded_convolution(before, (5, 6), (2, 2), (1, 1, 1, 1), suffix="-both", after="a = Conv(v, w) b = Conv<strides = [2, 2]>(v, w) y = Relu(a) z = Relu(b)")
    add_padded_convolution(before, (5, 6), (2, 2), (1, 1, 1, 1), suffix="-shared", after="a = Conv(v, w) y = Relu(a) z = Abs(v)")
    wide = "u = Conv<pads = [1, 1, 1, 1]>(v, wide) s = Relu(u) y = Conv<strides = [2, 2], pads = [1, 1, 1, 1]>(s, w)"
    add_padded_convolution(before, (5, 6), (2, 2), (1, 1, 1, 1), suffix="-wide", after=wide)


def add_one_column(name, spatial, kernel, strides, pads, later, between="v = Mul(u, half)"):
    """A convolution of one channel, which would have one column with the stride of a later one."""
    ones = [1] * len(spatial)
    constants = {"f": numbers(name + "f", 2, 1, *kernel), "w": numbers(name + "w", 3, 2, *ones), "half": np.float32(0.5)}
    nodes = f"u = Conv<strides = {listed(*strides)}, pads = {listed(*pads)}>(x, f) {between} y = Conv<strides = {listed(*later)}>(v, w)"
    add(f"convolution_to_one_column-{name}", nodes, {"x": numbers(name, 2, 1, *spatial)}, constants)


add_one_column("plane", (4, 4), (3, 3), (1, 2), (1, 1, 0, 1), (1, 2))
add_one_column("activation", (4, 4), (3, 3), (1, 1), (1, 1, 0, 1), (1, 4), "t = Mul(u, half) v = Elu(t)")
add_one_column("space", (4, 4, 4), (3, 3, 3), (2, 1, 2), (2, 0, 1, 1, 1, 1), (2, 1, 2))
add_one_column("two columns", (4, 8), (3, 3), (1, 2), (1, 1, 1, 1), (1, 2))


def add_quantized_convolutions():
    x = numbers("quantized", 1, 2, 5, 6, dtype="uint8", low=0, high=255)
    filters = numbers("quantized filters", 3, 2, 1, 1, dtype="int8", low=-63, high=63)  # of seven bits: no CPU saturates
    one = {"scale": np.float32(0.02), "zero": np.uint8(120), "fine": np.float32(0.01), "none": np.int8(0), "f": filters}
    place = "strides = [2, 2], pads = [1, 1, 1, 1]"
    add("stride_before_pad-ConvInteger", f"y = ConvInteger<{place}>(x, f, zero, none)", {"x": x}, one)
    add("stride_before_pad-QLinearConv", f"q = QLinearConv<{place}>(x, scale, zero, f, fine, none, scale, zero) y = DequantizeLinear(q, scale, zero)", {"x": x}, one, atol=0.03)
    add(
        "stride_before_pad-QDQ",
        "q = QuantizeLinear(x, scale, zero) r = DequantizeLinear(q, scale, zero) w = DequantizeLinear(f, fine, none) "
        f"c = Conv<{place}>(r, w) p = QuantizeLinear(c, scale, zero) y = DequantizeLinear(p, scale, zero)",
        {"x": numbers("floats", 1, 2, 5, 6)},
        one,
        atol=0.03,
    )


add_quantized_convolutions()

MASKED = {
    "one_minus": ("s = Sub(one, m) t = Mul(s, c) y = Add(t, b)", -1.0),
    "minus_one": ("s = Sub(m, one) t = Mul(s, c) y = Add(b, t)", 1.0),
    "bias_minus": ("s = Sub(one, m) t = Mul(s, c) y = Sub(b, t)", 1.0),
    "minus_bias": ("s = Sub(one, m) t = Mul(c, s) y = Sub(t, b)", -1.0),
    "divided": ("s = Sub(one, m) d = Reciprocal(c) t = Div(s, d) y = Add(t, b)", -1.0),
    "negated": ("s = Sub(one, m) n = Neg(s) t = Mul(n, c) y = Add(t, b)", 1.0),
    "subtracted_later": ("p = Mul(m, c) s = Sub(p, c) y = Add(s, b)", 1.0),
    "two_factors": ("s = Sub(one, m) p = Mul(s, c) t = Mul(p, half) y = Add(t, b)", -1.0),
    "two_summands": ("s = Sub(one, m) t = Mul(s, c) u = Add(t, b) y = Add(u, b)", -1.0),
    "zero_summand": ("s = Sub(one, m) t = Mul(s, c) u = Add(t, zero) y = Add(u, b)", -1.0),
    "summand_between_factors": ("s = Sub(one, m) t = Mul(s, c) u = Add(t, b) v = Mul(u, half) y = Add(v, b)", -1.0),
    "computed_bias": ("s = Sub(one, m) t = Mul(s, c) e = Exp(b) y = Add(t, e)", -1.0),
    "shared_mask": ("s = Sub(one, m) t = Mul(s, c) y = Add(t, b) z = Sub(t, b)", -1.0),
    "integer_mask": ("k = Cast<to = 1>(i) s = Sub(one, k) t = Mul(s, c) y = Add(t, b)", -1.0),
    "scaled_only": ("t = Mul(m, c) y = Add(t, b)", 1.0),
}


def add_masked(form, far, dynamic):
    nodes, sign = MASKED[form]
    name = f"rounded_constant_sum-{form}-{far:g}" + ("-dynamic" if dynamic else "")
    mask = np.array([1, 1, 0, 1, 1, 0], np.float32).reshape(1, 1, 1, 6)
    inputs = {"i": mask.astype(np.int64)} if form == "integer_mask" else {"m": mask}
    constants = {"one": np.float32(1), "c": np.float32(sign * far), "half": np.float32(0.5), "zero": np.zeros(6, np.float32), "b": numbers(name, 1, 3, 4, 6)}
    add(name, nodes, inputs, constants, dynamic=(0, 2) if dynamic else (), atol=1e-6)


for form in MASKED:
    for far in (1e4, 1e9, 3e38):
        add_masked(form, far, False)
    add_masked(form, 1e9, True)

add(
    "rounded_constant_sum-f16",
    "u = Add(far, x) v = Add(u, c) y = Softmax <axis = 0> (v)",
    {"x": (np.arange(16) % 5 / 2).reshape(4, 4).astype(np.float16)},
    {"far": np.float16(1e4), "c": (np.arange(16) % 7 - 3).reshape(4, 4).astype(np.float16)},
)

SHARED = {
    "scaled": "p = Conv<group = G>(a, f) y = Mul(p, two) z = Conv<group = G>(b, f)",
    "scaled_first": "z = Conv<group = G>(b, f) p = Conv<group = G>(a, f) y = Mul(p, two)",
    "per_channel": "p = Conv<group = G>(a, f) y = Mul(p, each) z = Conv<group = G>(b, f)",
    "divided": "p = Conv<group = G>(a, f) y = Div(p, two) z = Conv<group = G>(b, f)",
    "subtracted": "p = Conv<group = G>(a, f) q = Conv<group = G>(b, f) y = Sub(q, p) z = Relu(q)",
    "negated": "p = Conv<group = G>(a, f) y = Neg(p) z = Conv<group = G>(b, f)",
    "both_scaled": "p = Conv<group = G>(a, f) y = Mul(p, two) q = Conv<group = G>(b, f) z = Mul(q, each)",
    "with_bias": "p = Conv<group = G>(a, f, v) y = Mul(p, two) z = Conv<group = G>(b, f, v)",
    "normalised": "p = Conv<group = G>(a, f) y = BatchNormalization(p, v, v, v, w) z = Conv<group = G>(b, f)",
    "many": "p = Conv<group = G>(a, f) y = Mul(p, two) q = Conv<group = G>(b, f) r = Conv<group = G>(y, f) s = Mul(r, two) "
    "t = Conv<group = G>(s, f) u = Mul(t, each) o = Conv<group = G>(u, f) h = Neg(o) k = Conv<group = G>(q, f) z = Add(h, k)",
    "transposed": "p = ConvTranspose<group = G>(a, f) y = Mul(p, two) z = ConvTranspose<group = G>(b, f)",
    "computed": "g = Tanh(f) p = Conv<group = G>(a, g) y = Mul(p, two) z = Conv<group = G>(b, g)",
}


def add_shared(form, groups, kernel, dynamic=False):
    name = f"scaled_group_filters-{form}-{groups}-{len(kernel)}" + ("-dynamic" if dynamic else "")
    spatial = [max(4, 2 * size) for size in kernel] if form != "many" else [4] * len(kernel)
    shape = [1 if form == "many" else 3 for _ in kernel] if form == "many" else list(kernel)
    inputs = {"a": numbers(name, 2, 4, *spatial), "b": numbers(name + "b", 2, 4, *spatial), "f": numbers(name + "f", 4, 4 // groups, *shape)}
    constants = {"two": np.float32(2), "each": numbers(name + "e", 1, 4, *[1] * len(kernel), low=1), "v": numbers(name + "v", 4), "w": np.array([1, 2, 3, 4], np.float32)}
    add(name, SHARED[form].replace("G", str(groups)), inputs, constants, ("y", "z"), dynamic=(0,) if dynamic else ())


for form in SHARED:
    for groups, kernel in ((2, (1, 1)), (4, (3, 3)), (2, (3,)), (4, (1, 1, 1)), (2, (3, 2, 2))):
        add_shared(form, groups, kernel)
    add_shared(form, 2, (3, 3), dynamic=True)


@pytest.mark.parametrize("conformance", parameters(Entry(("transformations", name), make) for name, make in CASES.items()))
def test_transformation(conformance, result):
    assert_passed(result)
