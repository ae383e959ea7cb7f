"""Sizes, integers, conditions and angles are exact where the model computes in bf16, the default of CPUs with AMX (fault rounded_sizes).
CPUs that cannot compute in bf16 compute in f32. Releases before 2026.4 lose the mark of arithmetic with a constant number, so these models do
not belong to the matrix of releases.
"""

import subprocess

import numpy as np
import onnx
import onnxruntime
import openvino as ov
import pytest

from .tool import tool_path

IMAGE = np.ones((1, 2, 1001, 777), np.float32)
NUMBERS = np.random.default_rng(0)

# Each model has an operation after the exact numbers that OpenVINO computes in bf16: Conv or MatMul.
MODELS = {
    "sizes_of_resize": (
        """(float[N,2,H,W] x) => (float[A,B,C,D] y) <float[4] k = {1, 1, 1.5, 1.25}, float[2,2,1,1] w = {1, 0, 0, 1}> {
        shape = Shape(x) numbers = Cast<to=1>(shape) products = Mul(numbers, k) floors = Floor(products) sizes = Cast<to=7>(floors)
        resized = Resize<mode="nearest">(x, , , sizes) y = Conv(resized, w) }""",
        [IMAGE],
    ),
    "scales_of_resize": (
        """(float[N,2,H,W] x, float[4] scales) => (float[A,B,C,D] y) <float[2,2,1,1] w = {1, 0, 0, 1}> {
        resized = Resize<mode="nearest">(x, , scales) y = Conv(resized, w) }""",
        [IMAGE[:, :, :5, :5], np.array([1, 1, 1.4, 0.6], np.float32)],
    ),
    "sizes_one_by_one": (
        """(float[N,2,H,W] x) => (float[A,B,C,D] y) <int64 second = {2}, int64 third = {3}, int64[1] axis = {0}, float scale = {1.3}, int64[2] first = {1, 2},
        float[2,2,1,1] w = {1, 0, 0, 1}> {
        shape = Shape(x) h = Gather<axis=0>(shape, second) v = Gather<axis=0>(shape, third) a = Cast<to=1>(h) b = Cast<to=1>(v)
        c = Mul(a, scale) d = Mul(b, scale) e = Floor(c) f = Floor(d) g = Cast<to=7>(e) i = Cast<to=7>(f)
        j = Unsqueeze(g, axis) k = Unsqueeze(i, axis) sizes = Concat<axis=0>(first, j, k) resized = Resize<mode="nearest">(x, , , sizes) y = Conv(resized, w) }""",
        [IMAGE],
    ),
    "size_of_convolution": (
        """(float[N,2,H,W] x) => (float[A,B,C,D] y) <int64 second = {2}, int64[1] axis = {0}, float two = {2}, float three = {3}, float one = {1}, int64[2] first = {1, 2},
        int64[1] last = {4}, float[2,2,1,1] w = {1, 0, 0, 1}> {
        shape = Shape(x) h = Gather<axis=0>(shape, second) a = Cast<to=1>(h) b = Sub(a, three) c = Div(b, two) d = Floor(c) e = Add(d, one)
        f = Cast<to=7>(e) g = Unsqueeze(f, axis) sizes = Concat<axis=0>(first, g, last) filled = Expand(two, sizes) y = Conv(filled, w) }""",
        [IMAGE],
    ),
    "places_of_rows": (
        """(float[1,2,H,W] x) => (float[A,B,C,D] y) <int64 zero = {0}, int64 two = {2}, int64 one = {1}, float half = {0.5}, float scale = {1.7},
        float[2,2,1,1] w = {1, 0, 0, 1}> {
        shape = Shape(x) n = Gather<axis=0>(shape, two) places = Range(zero, n, one) a = Cast<to=1>(places) b = Add(a, half) c = Mul(b, scale)
        d = Sub(c, half) e = Floor(d) f = Cast<to=7>(e) indices = Mod(f, n) rows = Gather<axis=2>(x, indices) y = Conv(rows, w) }""",
        [NUMBERS.random((1, 2, 1001, 5), np.float32)],
    ),
    "shape_of_expand": (
        """(float[N,M] x) => (float[A,B] y) <float k = {7}, int64[1] one = {1}, float number = {2}, float[1,2] w = {1, 2}> {
        count = Size(x) n = Cast<to=1>(count) quotient = Div(n, k) floor = Floor(quotient) rows = Cast<to=7>(floor)
        row = Reshape(rows, one) shape = Concat<axis=0>(row, one) filled = Expand(number, shape) y = MatMul(filled, w) }""",
        [np.ones((7, 1003), np.float32)],
    ),
    "range_of_numbers": (
        """(float[N,4] x) => (float[A,B] y) <float zero = {0}, float one = {1}, int64 first = {0}, float[4,4] w = {1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}> {
        shape = Shape(x) count = Gather<axis=0>(shape, first) n = Cast<to=1>(count) places = Range(zero, n, one)
        last = Sub(n, one) backwards = Sub(last, places) indices = Cast<to=7>(backwards) rows = Gather<axis=0>(x, indices) y = MatMul(rows, w) }""",
        [NUMBERS.random((1001, 4), np.float32)],
    ),
    "product_of_integers": (
        "(uint8[N,M] a, int8[M,K] b) => (int32[N,K] y) { y = MatMulInteger(a, b) }",
        # Of 7 bits: onnxruntime saturates sums of two products on CPUs without VNNI.
        [NUMBERS.integers(0, 256, (3, 40)).astype(np.uint8), (NUMBERS.integers(-128, 128, (40, 5)) // 2).astype(np.int8)],
    ),
    "product_with_constant_integers": (
        "(uint8[N,16] a) => (int32[N,17] y) <int8[16,17] b = {" + ", ".join(str(i * 37 % 255 - 127) for i in range(272)) + "}> { y = MatMulInteger(a, b) }",
        [NUMBERS.integers(0, 256, (3, 16)).astype(np.uint8)],
    ),
    "convolution_of_integers": (
        """(uint8[1,2,H,W] x) => (int32[1,2,H,W] y) <uint8[2,2,3,3] w = {1,2,3,4,5,6,7,8,9,11,22,33,44,55,66,77,88,99,1,2,3,4,5,6,7,8,9,255,254,253,252,251,250,1,2,3},
        uint8 zero = {3}> { y = ConvInteger<pads=[1,1,1,1]>(x, w, zero) }""",
        [NUMBERS.integers(0, 256, (1, 2, 5, 7)).astype(np.uint8)],
    ),
    "angles_of_positions": (
        """(float[1,N,4] x, float[1] time) => (float[A,B,C] y) <int64 first = {0}, int64 second = {1}, float[4] k = {1, 0.3, 0.1, 0.01}, int64[1] last = {-1},
        float[4,4] w = {1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}> {
        shape = Shape(x) count = Gather<axis=0>(shape, second) places = Range(first, count, second) numbers = Cast<to=1>(places)
        column = Unsqueeze(numbers, last) angles = Mul(column, k) cosines = Cos(angles) phase = Mul(time, k) sines = Sin(phase)
        a = Mul(x, cosines) b = Add(a, sines) y = MatMul(b, w) }""",
        [np.ones((1, 1000, 4), np.float32), np.array([981], np.float32)],
    ),
    "angles_of_counts": (
        """(float[1,N,4] x, bool[1,N] mask) => (float[A,B,C] y) <int64 one = {1}, int64[1] last = {-1}, float[4] periods = {1, 10, 100, 1000},
        float[4,4] w = {1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}> {
        numbers = Cast<to=1>(mask) counts = CumSum(numbers, one) column = Unsqueeze(counts, last) angles = Div(column, periods) sines = Sin(angles)
        sum = Add(x, sines) y = MatMul(sum, w) }""",
        [np.ones((1, 1000, 4), np.float32), np.ones((1, 1000), bool)],
    ),
    "condition_of_if": (
        """(float[N] x, float[M,2] z) => (float[A,B] y) <float limit = {1000.5}, float[2,2] w = {1, 0, 0, 1}> {
        sum = ReduceSum<keepdims=0>(x) is_large = Greater(sum, limit)
        chosen = If(is_large) <then_branch = a () => (float[M,2] p) { p = Identity(z) }, else_branch = b () => (float[M,2] q) { q = Neg(z) }>
        y = MatMul(chosen, w) }""",
        [np.ones(1001, np.float32), np.ones((3, 2), np.float32)],
    ),
    "count_of_loop": (
        """(float[N] x, float[1,2] z) => (float[A,B] y) <float half = {0.5}, float[2,2] w = {1, 0, 0, 1}, float[1,2] step = {0.0625, 0.125}> {
        count = Size(x) n = Cast<to=1>(count) m = Mul(n, half) rest = Ceil(m) trips = Cast<to=7>(rest)
        sum = Loop(trips, , z) <body = b (int64 i, bool c, float[1,2] s) => (bool d, float[1,2] t) { d = Identity(c) t = Add(s, step) }>
        y = MatMul(sum, w) }""",
        [np.ones(1021, np.float32), np.zeros((1, 2), np.float32)],
    ),
    "distances": (
        """(float[N,4] a, float[M,4] b) => (float[N,M] y) { y = com.microsoft.CDist<metric="euclidean">(a, b) }""",
        [100 + NUMBERS.random((5, 4), np.float32), 100 + NUMBERS.random((7, 4), np.float32)],
    ),
    "size_from_a_branch": (
        """(float[N] x, float[1] g, bool c) => (float[A,B] y) <int64[1] one = {1}, float two = {2}, float[1,2] w = {1, 2}> {
        shape = Shape(x) f = Cast<to=1>(shape)
        chosen = If(c) <then_branch = a () => (float[1] p) { p = Mul(f, g) }, else_branch = b () => (float[1] q) { q = Sub(f, g) }>
        rows = Cast<to=7>(chosen) size = Concat<axis=0>(rows, one) filled = Expand(two, size) y = MatMul(filled, w) }""",
        [np.ones(333, np.float32), np.array([3], np.float32), np.array(True)],
    ),
    "size_from_a_loop": (
        """(float[N] x, float[1] g, int64 n) => (float[A,B] y) <int64[1] one = {1}, float two = {2}, float[1] zero = {0}, float[1,2] w = {1, 2}> {
        shape = Shape(x) f = Cast<to=1>(shape)
        sum = Loop(n, , zero) <body = b (int64 i, bool c, float[1] s) => (bool d, float[1] t) { d = Identity(c) p = Mul(f, g) t = Add(s, p) }>
        rows = Cast<to=7>(sum) size = Concat<axis=0>(rows, one) filled = Expand(two, size) y = MatMul(filled, w) }""",
        [np.ones(333, np.float32), np.array([1], np.float32), np.array(3)],
    ),
    "weights_of_antialiasing": (
        """(float[1,1,H,W] x) => (float[A,B,C,D] y) <int64[1] rows = {300}, float[1,1,1,1] w = {1}> {
        resized = Resize<mode="linear", antialias=1, axes=[2]>(x, , , rows) y = Conv(resized, w) }""",
        [NUMBERS.random((1, 1, 2000, 3), np.float32)],
    ),
    "frames_of_sound": (
        """(float[1,N] x) => (float[A,B,C] y) <int64 step = {16}, int64 size = {40}, float[2,1] w = {1, 0}> {
        frequencies = STFT(x, step, , size) z = MatMul(frequencies, w) last = Constant<value=int64[1]{3}>() y = Squeeze(z, last) }""",
        [NUMBERS.random((1, 400), np.float32)],
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_integers_and_angles_are_exact(name, tmp_path):
    text, inputs = MODELS[name]
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18, "com.microsoft" : 1]> {name} {text}')
    onnx.save(model, tmp_path / "model.onnx")
    subprocess.run([tool_path(), tmp_path / "model.onnx", "-o", tmp_path / "model.xml", "--quiet"], check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    expected = session.run(None, dict(zip([value.name for value in model.graph.input], inputs, strict=True)))[0]
    compiled = ov.Core().compile_model(tmp_path / "model.xml", "CPU", {"INFERENCE_PRECISION_HINT": "bf16"})
    result = np.array(compiled(inputs)[0])
    assert result.shape == expected.shape
    if expected.dtype.kind == "i":
        assert (result == expected).all()
    else:
        assert np.allclose(result, expected, rtol=0.01, atol=0.01)


@pytest.mark.parametrize("zero_point", [0, 6])
@pytest.mark.parametrize("precision", ["f32", "bf16"])
def test_signed_bytes_with_a_zero_point_compile(precision, zero_point, tmp_path):
    """A Convolution whose input is bytes with a sign and a zero point, before a rounding and another Convolution.
    The weights have 7 bits, because those of 8 saturate on CPUs without VNNI."""
    weights = ", ".join(str((i * 37 % 255 - 127) // 2) for i in range(64))
    text = f"""(int8[1,8,4,4] x) => (float[1,8,4,4] y) <int8[8,8,1,1] w = {{{weights}}}, float s = {{0.03}}, float t = {{0.01}}, int8 z = {{{zero_point}}},
        int8 none = {{0}}> {{ d = DequantizeLinear(x, s, z) v = DequantizeLinear(w, t, none) c = Conv(d, v) q = QuantizeLinear(c, s, none)
        e = DequantizeLinear(q, s, none) y = Conv(e, v) }}"""
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> bytes {text}')
    onnx.save(model, tmp_path / "model.onnx")
    subprocess.run([tool_path(), tmp_path / "model.onnx", "-o", tmp_path / "model.xml", "--quiet"], check=True)
    x = NUMBERS.integers(-128, 128, (1, 8, 4, 4)).astype(np.int8)
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    result = ov.Core().compile_model(tmp_path / "model.xml", "CPU", {"INFERENCE_PRECISION_HINT": precision})(x)[0]
    assert np.abs(result - expected).max() < 0.05 * np.abs(expected).max()


QUOTIENT = """(float[N] x, float[M] z) => (float[A,B] y) <int64[1] one = {1}, float two = {2}, float[1,2] w = {1, 2}> {
    n = Size(x) m = Size(z) a = Cast<to=1>(n) b = Cast<to=1>(m) quotient = Div(a, b) whole = FUNCTION(quotient) rows = Cast<to=7>(whole)
    row = Reshape(rows, one) shape = Concat<axis=0>(row, one) filled = Expand(two, shape) y = MatMul(filled, w) }"""


@pytest.mark.parametrize("precision", ["f32", "bf16"])
@pytest.mark.parametrize("function", ["Floor", "Ceil"])
def test_sizes_are_divided(function, precision, tmp_path):
    """Not multiplied by the reciprocal: 41 times 1/41 is less than 1 in f32."""
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> quotient {QUOTIENT.replace("FUNCTION", function)}')
    onnx.save(model, tmp_path / "model.onnx")
    subprocess.run([tool_path(), tmp_path / "model.onnx", "-o", tmp_path / "model.xml", "--quiet"], check=True)
    compiled = ov.Core().compile_model(tmp_path / "model.xml", "CPU", {"INFERENCE_PRECISION_HINT": precision})
    for divisor in (41, 47, 55, 61, 82, 83):
        for factor in (1, 2, 3, 7, 29, 101):
            given = [np.ones(divisor * factor, np.float32), np.ones(divisor, np.float32)]
            assert np.array(compiled(given)[0]).shape == (factor, 2)
