"""Activations and normalisations as decomposed by torch's exporters: the operations in the IR, and their results.

Each pattern has a counterpart that differs in a number and must not be fused.
"""

import numpy as np
import onnx
import onnxruntime
import openvino as ov
import pytest

from .runtime import CONFIG
from .runtime_ops import ops
from .tool import convert, tool_path

HEADER = '<ir_version: 9, opset_import: ["" : 18]> m ({t}[B, 4, 16] x) => ({t}[B, 4, 16] y) <int64[1] last = {{-1}}>'
LAYER_NORM = """m = ReduceMean (x, last) d = Sub (x, m) c = Cast <to = {wide}> (d) two = Constant <value = {w} {{2.0}}> ()
    e = Constant <value = {w} {{1e-05}}> () p = Pow (c, two) v = ReduceMean (p, {axes}) s = Add (v, e) r = Sqrt (s)
    n = Div (c, r) y = Cast <to = {back}> (n)"""
RMS = """c = Cast <to = 1> (x) two = Constant <value_float = 2.0> () e = Constant <value_float = 1e-06> ()
    p = Pow (c, two) v = ReduceMean (p, last) s = Add (v, e) r = Sqrt (s) one = Constant <value_float = {one}> () i = Div (one, r)
    n = Mul (c, i) h = Cast <to = {back}> (n) g = Constant <value = {t}[16] {{{scales}}}> () y = Mul (g, h)"""


def constants(t, **values):
    return " ".join(f"{name} = Constant <value = {t} {{{value}}}> ()" for name, value in values.items())


def gelu(t, root=1.4142135381698608, half=0.5):
    return f"{constants(t, root=root, one=1.0, half=half)} a = Div (x, root) b = Erf (a) c = Add (b, one) d = Mul (x, c) y = Mul (d, half)"


def new_gelu(t, cubic=0.044715):
    numbers = constants(t, half=0.5, three=3.0, k=cubic, s=0.7978845608, one=1.0)
    return f"{numbers} h = Mul (half, x) p = Pow (x, three) c = Mul (k, p) a = Add (x, c) z = Mul (s, a) w = Tanh (z) g = Add (one, w) y = Mul (h, g)"


def fast_gelu(t, square=0.044715):
    numbers = constants(t, half=0.5, k=square, s=0.7978845608, one=1.0)
    return f"{numbers} h = Mul (x, half) z = Mul (x, s) q = Mul (x, k) r = Mul (q, x) c = Add (r, one) a = Mul (z, c) w = Tanh (a) g = Add (w, one) y = Mul (h, g)"


def hard_swish(t, top=6.0):
    numbers = constants(t, three=3.0, zero=0.0, top=top, six=6.0)
    return f"{numbers} a = Add (x, three) b = Clip (a, zero, top) c = Mul (x, b) y = Div (c, six)"


def soft_plus(t, threshold=20.0):
    return f"{constants(t, limit=threshold)} a = Softplus (x) b = Greater (x, limit) y = Where (b, x, a)"


def layer_norm(t, axes="last"):
    wide, w = ("11", "double") if t == "float16" else ("1", "float")
    body = LAYER_NORM.format(wide=wide, w=w, axes=axes, back=10 if t == "float16" else 1)
    return f"middle = Constant <value_ints = [1]> () {body}"


def rms_norm(t, one=1.0):
    return RMS.format(t=t, one=one, back=10 if t == "float16" else 1, scales=", ".join(["1.5"] * 16))


FUSED = [
    (gelu, {}, "Gelu"),
    (gelu, {"root": 1.5}, None),
    (gelu, {"half": 0.25}, None),
    (new_gelu, {}, "Gelu"),
    (new_gelu, {"cubic": 0.05}, None),
    (fast_gelu, {}, "Gelu"),
    (fast_gelu, {"square": 0.05}, None),
    (hard_swish, {}, "HSwish"),
    (hard_swish, {"top": 5.0}, None),
    (soft_plus, {}, "SoftPlus"),
    (soft_plus, {"threshold": 2.0}, None),
    (layer_norm, {}, "MVN"),
    (layer_norm, {"axes": "middle"}, None),
]
MINOR = {"Parameter", "Constant", "Result", "Convert"}


def with_half_constants(text, t):
    """The text form writes float16 as the bits of the number."""
    if t == "float":
        return text
    parts = text.split("value = float16")
    for i, part in enumerate(parts[1:], 1):
        shape, rest = part.split("{", 1)
        values, rest = rest.split("}", 1)
        bits = ", ".join(str(np.float16(v).view(np.uint16)) for v in values.split(","))
        parts[i] = f"{shape}{{{bits}}}{rest}"
    return "value = float16".join(parts)


def converted(tmp_path, pattern, t, **parameters):
    """The IR as an ov.Model, and its and onnxruntime's result."""
    text = HEADER.format(t=t) + "{ " + with_half_constants(pattern(t, **parameters), t) + " }"
    model = onnx.parser.parse_model(text)
    source, target = tmp_path / "m.onnx", tmp_path / "m.xml"
    source.write_bytes(model.SerializeToString())
    convert(tool_path(), source, target)
    core = ov.Core()
    read = core.read_model(target)
    compiled = core.compile_model(read, "CPU", CONFIG)
    x = (np.random.default_rng(0).normal(size=(2, 4, 16)) * 12).astype(np.float16 if t == "float16" else np.float32)
    expected = onnxruntime.InferenceSession(source).run(None, {"x": x})[0]
    tolerance = 2e-2 if t == "float16" else 1e-5
    np.testing.assert_allclose(compiled([x])[0], expected, rtol=tolerance, atol=tolerance)
    return read, compiled


@pytest.mark.parametrize("t", ["float", "float16"])
@pytest.mark.parametrize("pattern, parameters, operation", FUSED)
def test_fusion(tmp_path, pattern, parameters, operation, t):
    model, _ = converted(tmp_path, pattern, t, **parameters)
    operations = {node.get_type_name() for node in model.get_ops()} - MINOR
    if operation:
        assert operations == {operation}
    else:
        assert len(operations) > 1


def layers(compiled):
    return {str(node.get_rt_info()["layerType"].astype(str)) for node in compiled.get_runtime_model().get_ops()}


@pytest.mark.parametrize("t", ["float", "float16"])
def test_the_runtime_fuses_rms_normalization(tmp_path, t):
    """No opset has an operation for it, so the IR has the decomposition that the CPU plugin recognises."""
    assert not [name for name in dir(ops) if name.lower() in ("rms", "rms_norm", "rms_normalization")]
    _, compiled = converted(tmp_path, rms_norm, t)
    assert "RMS" in layers(compiled)
    _, other = converted(tmp_path, rms_norm, t, one=2.0)
    assert "RMS" not in layers(other)


ROTATION = """<ir_version: 9, opset_import: ["" : 18]>
m (float[B, 2, S, 8] x, float[1, 1, S, 8] cosine, float[1, 1, S, 8] sine) => (float[B, 2, S, 8] y) <int64[1] zero = {0}, int64[1] half = {4}, int64[1] end = {8}, int64[1] axis = {3}>
{
    first = Slice (x, zero, half, axis)
    second = Slice (x, half, end, axis)
    negative = Neg (second)
    turned = Concat <axis = AXIS> (negative, first)
    a = Mul (x, cosine)
    b = Mul (turned, sine)
    y = Add (a, b)
}"""


ROTARY_EMBEDDING = """<ir_version: 11, opset_import: ["" : 23]>
m (float[B, 2, S, 8] x, float[1, S, 4] cosine, float[1, S, 4] sine) => (float[B, 2, S, 8] y) { y = RotaryEmbedding (x, cosine, sine) }"""


def with_axis(axis):
    return ROTATION.replace("AXIS", axis)


@pytest.mark.parametrize(("text", "angles"), [(with_axis("3"), (1, 1, 5, 8)), (with_axis("-1"), (1, 1, 5, 8)), (ROTARY_EMBEDDING, (1, 5, 4))])
def test_the_runtime_fuses_rotary_embeddings(tmp_path, text, angles):
    model = onnx.parser.parse_model(text).SerializeToString()
    (tmp_path / "m.onnx").write_bytes(model)
    convert(tool_path(), tmp_path / "m.onnx", tmp_path / "m.xml")
    compiled = ov.Core().compile_model(str(tmp_path / "m.xml"), "CPU", CONFIG)
    kinds = [node.get_rt_info()["layerType"].astype(str) for node in compiled.get_runtime_model().get_ops()]
    assert "RoPE" in kinds
    generator = np.random.default_rng(5)
    batch = 1 if len(angles) == 3 else 3  # RotaryEmbedding does not broadcast
    shapes = {"x": (batch, 2, 5, 8), "cosine": angles, "sine": angles}
    given = {name: generator.standard_normal(shape, np.float32) for name, shape in shapes.items()}
    expected = onnxruntime.InferenceSession(model).run(None, given)[0]
    np.testing.assert_allclose(compiled(given)[0], expected, 1e-5, 1e-6)


SELF_ATTENTION = """<ir_version: 11, opset_import: ["" : 23]>
m (float[B, S, 16] x, float[16, 16] q, float[16, 16] k, float[16, 16] v) => (float[B, N, S, 4] y) <int64[2] rest = {-1, 4}>
{
    batch_and_length = Shape <end = 2> (x)
    sizes = Concat <axis = 0> (batch_and_length, rest)
    xq = MatMul (x, q) xk = MatMul (x, k) xv = MatMul (x, v)
    rq = Reshape (xq, sizes) rk = Reshape (xk, sizes) rv = Reshape (xv, sizes)
    hq = Transpose <perm = [0, 2, 1, 3]> (rq) hk = Transpose <perm = [0, 2, 1, 3]> (rk) hv = Transpose <perm = [0, 2, 1, 3]> (rv)
    y = Attention (hq, hk, hv)
}"""


def test_heads_of_the_same_number_are_not_grouped(tmp_path):
    """torch.export leaves the number of heads to a -1; the heads of queries and of keys are equally many."""
    (tmp_path / "m.onnx").write_bytes(onnx.parser.parse_model(SELF_ATTENTION).SerializeToString())
    convert(tool_path(), tmp_path / "m.onnx", tmp_path / "m.xml")
    model = ov.Core().read_model(tmp_path / "m.xml")
    ranks = [len(op.get_output_partial_shape(0)) for op in model.get_ops() if op.get_type_name() == "ScaledDotProductAttention"]
    assert ranks == [4]
