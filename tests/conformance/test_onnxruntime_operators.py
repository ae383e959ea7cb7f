"""Operators of onnxruntime's own domain that its optimizer and its quantizer emit."""

import dataclasses
import functools
import itertools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers, with_both_quantizations

CASES = {}
case = functools.partial(add_case, CASES, domain="com.microsoft")


def q(name, *shape, dtype="uint8"):
    return numbers(name, *shape, dtype=dtype, low=0 if dtype == "uint8" else -128, high=255 if dtype == "uint8" else 127)


def relative_bias(table, length, longest, is_bidirectional):
    """The bias of each pair of positions. onnxruntime has this operator for GPUs only; its table is stored by columns."""
    count = len(table) // 2 if is_bidirectional else len(table)
    offsets = np.arange(length) - np.arange(length)[:, None]
    far = np.maximum(np.abs(offsets), 1) / (count // 2)
    steps = count // 2 + (np.log(far) / np.log(longest / (count // 2)) * (count - count // 2) + 1e-9).astype(int)
    bucket = np.where(np.abs(offsets) < count // 2, np.abs(offsets), np.minimum(steps, count - 1))
    if is_bidirectional:
        bucket += np.where(offsets > 0, count, 0)
    return table.reshape(table.shape[::-1])[:, bucket][None]


def add_relative_positions():
    table = numbers("table", 12, 3)
    for length, longest, is_bidirectional in itertools.product((1, 7, 40), (20, 128), (0, 1)):
        options = dict(max_distance=longest, is_bidirectional=is_bidirectional)
        expected = relative_bias(table, length, longest, is_bidirectional)
        size = np.int64(length)
        case("RelativePositionBias", 1, table, size, size, constants=(0,), dynamic=False, variant=f"{length} tokens", expected=[expected], **options)


def add_activations_and_norms():
    x, bias = numbers("x", 2, 5, 8), numbers("bias", 8)
    case("Gelu", 1, x)
    case("BiasGelu", 1, x, bias)
    case("FastGelu", 1, x, bias)
    case("FastGelu", 1, x)
    case("QuickGelu", 1, x)
    case("QuickGelu", 1, x, alpha=1.0)
    skip, gamma, beta = numbers("skip", 2, 5, 8), numbers("gamma", 8), numbers("beta", 8)
    for extra in ((), (beta,), (beta, bias), (None, bias)):
        case("SkipLayerNormalization", 1, x, skip, gamma, *extra, epsilon=1e-5, outputs=4 if len(extra) == 2 else 1, expected=skip_norm(x + skip, gamma, *extra) if len(extra) == 2 else None)
    case("SkipLayerNormalization", 1, x, numbers("skip", 5, 8), gamma, beta, variant="broadcast")
    case("SkipSimplifiedLayerNormalization", 1, x, skip, gamma)
    case("SkipSimplifiedLayerNormalization", 1, x, skip, gamma, bias, epsilon=1e-6)
    case("SimplifiedLayerNormalization", 17, x, gamma, domain="", epsilon=1e-6)
    case("SimplifiedLayerNormalization", 17, x, gamma, domain="", axis=-1, outputs=2)
    case("SimplifiedLayerNormalization", 1, x, gamma, expected=[rms_norm(x, gamma)])
    case("SkipSimplifiedLayerNormalization", 1, x, skip, gamma, bias, outputs=4, epsilon=1e-5, expected=skip_rms_norm(x + skip + bias, gamma))
    for opset in (9, 13, 16):
        case("LayerNormalization", opset, x, gamma, beta, domain="", epsilon=1e-3)
        case("SimplifiedLayerNormalization", opset, x, gamma, domain="", epsilon=1e-3)
    case("LayerNormalization", 13, x, gamma, domain="", outputs=3)
    case("LayerNormalization", 13, x, numbers("gamma", 5, 8), numbers("beta", 5, 8), domain="", axis=1)
    case("LayerNormalization", 13, x, gamma, beta, domain="", epsion=1e-3)
    half = x.astype(np.float16)
    for wide in (gamma, gamma.astype(np.float16)):
        y = layer_norm(half.astype(np.float32), wide.astype(np.float32)).astype(wide.dtype)
        case("LayerNormalization", 13, half, wide, domain="", expected=[y])
        case("SimplifiedLayerNormalization", 13, half, wide, domain="", expected=[rms_norm(half.astype(np.float32), wide.astype(np.float32)).astype(wide.dtype)])
    ids, segments = numbers("ids", 2, 5, dtype="int32", low=0, high=9), numbers("segments", 2, 5, dtype="int32", low=0, high=1)
    tables = numbers("words", 10, 8), numbers("positions", 6, 8), numbers("kinds", 2, 8)
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    case("EmbedLayerNormalization", 1, ids, segments, *tables, gamma, beta, outputs=2, dynamic=False)
    case("EmbedLayerNormalization", 1, ids, segments, *tables, gamma, beta, mask, outputs=2, epsilon=1e-5, dynamic=False)
    case("EmbedLayerNormalization", 1, ids, None, *tables[:2], None, gamma, beta, mask, numbers("p", 2, 5, dtype="int32", low=0, high=5), outputs=3, dynamic=False)


def layer_norm(x, gamma):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gamma


def rms_norm(x, gamma):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gamma


def skip_rms_norm(total, gamma):
    """onnxruntime does not return the statistics on the CPU."""
    factor = 1 / np.sqrt((total * total).mean(-1, keepdims=True) + np.float32(1e-5))
    return [total * factor * gamma, total.mean(-1, keepdims=True), factor, total]


def skip_norm(total, gamma, beta, bias):
    """onnxruntime does not return the statistics on the CPU."""
    total = total + bias
    mean, deviation = total.mean(-1, keepdims=True), np.sqrt(total.var(-1, keepdims=True) + 1e-5)
    y = (total - mean) / deviation * gamma
    return [(y if beta is None else y + beta).astype(np.float32), mean, (1 / deviation).astype(np.float32), total]


def add_attention():
    x, weights, bias = numbers("x", 2, 5, 8), numbers("w", 8, 24, low=-1, high=1), numbers("b", 24)
    shared = dict(constants=(1, 2), num_heads=2, dynamic=False)
    row = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    for unidirectional in (0, 1):
        case("Attention", 1, x, weights, bias, unidirectional=unidirectional, **shared)
        for name, mask in (("row", row), ("ends", np.array([3, 5], np.int32)), ("bounds", np.array([3, 5, 1, 0], np.int32)), ("matrix", numbers("m", 2, 5, 5, dtype="int32", low=0, high=1) | np.eye(5, dtype=np.int32))):
            case("Attention", 1, x, weights, bias, mask, unidirectional=unidirectional, variant=name, **shared)
        past = numbers("past", 2, 2, 2, 3, 4)
        case("Attention", 1, x, weights, bias, None, past, unidirectional=unidirectional, outputs=2, **shared)
        case("Attention", 1, x, weights, bias, np.pad(row, ((0, 0), (3, 0)), constant_values=1), past, unidirectional=unidirectional, outputs=2, **shared)
    case("Attention", 1, x, numbers("w", 8, 28), numbers("b", 28), qkv_hidden_sizes=[8, 8, 12], **shared)
    case("Attention", 1, x, weights, bias, None, None, numbers("a", 2, 2, 5, 5), scale=0.3, **shared)


def add_products():
    a, b = numbers("a", 2, 3, 4), numbers("b", 2, 4, 5)
    case("FusedMatMul", 1, a, b, alpha=0.5)
    case("FusedMatMul", 1, a.transpose(0, 2, 1).copy(), b.transpose(0, 2, 1).copy(), transA=1, transB=1, alpha=2.0)
    image, filters, bias = numbers("image", 1, 4, 6, 6), numbers("filters", 4, 2, 3, 3), numbers("bias", 4)
    for activation, values in (("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.2]), ("Clip", [-1.0, 2.0]), ("HardSigmoid", [0.3, 0.4]), ("HardSwish", [])):
        attributes = {"activation_params": values} if values else {}
        case("FusedConv", 1, image, filters, bias, activation=activation, group=2, pads=[1, 1, 1, 1], **attributes)
    case("FusedConv", 1, image, filters, bias, numbers("sum", 1, 4, 4, 4), activation="Relu", group=2)
    for bits, inner, block, kind in itertools.product((4, 8), (32, 80), (16, 32), ("none", "packed", "float")):
        rows, blocks = 6, -(-inner // block)
        packed = q("packed", rows, blocks, block * bits // 8)
        scales = numbers("scales", rows, blocks, low=0.01, high=0.1)
        zero = {"none": None, "packed": q("zeros", rows, -(-blocks * bits // 8)), "float": numbers("zeros", rows, blocks, low=0, high=15)}[kind]
        if bits == 8 and kind == "float":
            continue
        zeros = () if zero is None else (zero,)
        expected = np.einsum("bsk,nk->bsn", numbers("activations", 2, 3, inner), unpacked(packed, scales, zero, bits, block)[:, :inner])
        shape = dict(K=inner, N=rows, bits=bits, block_size=block, constants=(1, 2, 3), variant=kind)
        case("MatMulNBits", 1, numbers("activations", 2, 3, inner), packed, scales, *zeros, expected=[expected.astype(np.float32)], **shape)


def unpacked(packed, scales, zero, bits, block):
    def numbers_of(values):
        if bits == 8:
            return values.astype(np.float32)
        return np.stack([values & 15, values >> 4], -1).reshape(*values.shape[:-1], -1).astype(np.float32)

    rows, blocks = scales.shape
    weights = numbers_of(packed).reshape(rows, blocks, block)
    if zero is None:
        zero = np.full((rows, blocks), 1 << (bits - 1), np.float32)
    elif zero.dtype == np.uint8:
        zero = numbers_of(zero)[:, :blocks]
    return ((weights - zero[..., None]) * scales[..., None]).reshape(rows, -1)


def add_ties():
    """Scales whose quotient is 2: half of the results are midpoints between two integers. onnxruntime rounds some before it adds the odd
    zero point, others after."""
    fine, coarse = np.float32(0.05), np.float32(0.1)
    for dtype in ("uint8", "int8"):
        own, zero = np.array(7, dtype), np.array(11, dtype)
        a, b = q("a", 2, 4, 6, 6, dtype=dtype), q("b", 2, 4, 6, 6, dtype=dtype)
        pair = [a, fine, own, b, fine, own]
        for constants in (range(1, 9), ()):
            given = dict(constants=[i for i in constants if i not in (0, 3)], variant=f"ties_{len(constants)}", dynamic=False)
            case("QLinearAdd", 1, *pair, coarse, zero, **given)
            case("QLinearMul", 1, a, np.float32(0.5), own, b, np.float32(0.25), own, np.float32(16), zero, **given)
            case("QLinearLeakyRelu", 1, a, fine, own, coarse, zero, **given | dict(constants=[1, 2, 3, 4] if constants else []))
            case("QLinearAveragePool", 1, a, fine, own, coarse, zero, kernel_shape=[2, 2], **given | dict(constants=[1, 2, 3, 4] if constants else []))
            case("QLinearConcat", 1, coarse, zero, *pair, axis=1, **given | dict(constants=[0, 1, 3, 4, 6, 7] if constants else []))
            case("QLinearWhere", 1, numbers("c", 2, 4, 6, 6, dtype="bool"), *pair, coarse, zero, **given | dict(constants=[2, 3, 5, 6, 7, 8] if constants else []))


def add_quantized():
    scale = [np.float32(s) for s in (0.021, 0.013, 0.037)]
    for dtype in ("uint8", "int8"):
        zero = [np.array(z, dtype) for z in (3, 7, 11)]
        a, b = q("a", 2, 3, 4, dtype=dtype), q("b", 3, 1, dtype=dtype)
        for op in ("QLinearAdd", "QLinearMul"):
            case(op, 1, a, scale[0], zero[0], b, scale[1], zero[1], scale[2], zero[2])
        case("QLinearConcat", 1, scale[2], zero[2], a, scale[0], zero[0], q("c", 2, 2, 4, dtype=dtype), scale[1], zero[1], axis=1)
        joined = np.concatenate([a * scale[0], q("c", 2, 2, 4, dtype=dtype) * scale[1]], 1)
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        case("QLinearConcat", 1, scale[2], None, a, scale[0], None, q("c", 2, 2, 4, dtype=dtype), scale[1], None, axis=1, expected=[np.rint(joined / scale[2]).clip(low, high).astype(dtype)])
        image = q("image", 1, 3, 5, 6, dtype=dtype)
        for last in (0, 1):
            pixels = image.transpose(0, 2, 3, 1).copy() if last else image
            case("QLinearGlobalAveragePool", 1, pixels, scale[0], zero[0], scale[1], zero[1], channels_last=last)
            case("QLinearAveragePool", 1, pixels, scale[0], zero[0], scale[1], zero[1], channels_last=last, kernel_shape=[2, 3], strides=[1, 2], pads=[0, 1, 1, 0])
    a, b = q("a", 3, 4), q("b", 4, 5, dtype="int8")
    zero = np.uint8(3), np.int8(-5)
    bias = numbers("bias", 5, dtype="int32", low=-900, high=900)
    # Exact sums: onnxruntime's saturate on CPUs with AVX2 only.
    sums = (a.astype(np.int32) - zero[0]) @ (b.astype(np.int32) - zero[1]) + bias
    real = sums * (scale[0] * scale[1])
    rounded = np.clip(np.rint(real / np.float32(0.3)) + 90, 0, 255).astype(np.uint8)
    case("QGemm", 1, a, scale[0], zero[0], b, scale[1], zero[1], bias, expected=[real.astype(np.float32)])
    case("QGemm", 1, a, scale[0], zero[0], b, scale[1], zero[1], bias, np.float32(0.3), np.uint8(90), expected=[rounded])
    case("QGemm", 1, a, scale[0], zero[0], b, scale[1], zero[1], bias, np.float32(0.3), None, expected=[(real / 0.3).astype(np.float32)])
    case("QGemm", 1, a.T.copy(), scale[0], zero[0], b.T.copy(), numbers("s", 5, low=0.01, high=0.1), numbers("z", 5, dtype="int8"), None, np.float32(0.3), np.uint8(90), transA=1, transB=1, alpha=2.0)
    add_lstm()


def add_lstm():
    x = numbers("x", 4, 2, 3, low=-1, high=1)
    for direction in ("forward", "bidirectional"):
        n = 2 if direction == "bidirectional" else 1
        w, r = q("w", n, 3, 20, dtype="int8"), q("r", n, 5, 20, dtype="int8")
        parameters = [numbers("ws", n, low=0.004, high=0.006), numbers("wz", n, dtype="int8"), numbers("rs", n, low=0.004, high=0.006), numbers("rz", n, dtype="int8")]
        by_hand = [((v.astype(np.float32) - z[:, None, None]) * s[:, None, None]).transpose(0, 2, 1).copy() for v, s, z in ((w, *parameters[:2]), (r, *parameters[2:]))]
        case("DynamicQuantizeLSTM", 1, x, w, r, numbers("b", n, 40), None, None, None, None, *parameters, constants=(1, 2), hidden_size=5, direction=direction, outputs=3, expected=lstm(x, *by_hand, numbers("b", n, 40), direction))


def lstm(x, w, r, b, direction):
    import onnx
    import onnxruntime
    from onnx import helper

    node = helper.make_node("LSTM", ["x", "w", "r", "b"], ["y", "h", "c"], hidden_size=5, direction=direction)
    inputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in "xwrb"]
    outputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in "yhc"]
    model = helper.make_model(helper.make_graph([node], "lstm", inputs, outputs), opset_imports=[helper.make_opsetid("", 14)], ir_version=10)
    return onnxruntime.InferenceSession(model.SerializeToString()).run(None, dict(x=x, w=w, r=r, b=b))


add_activations_and_norms()
add_relative_positions()
add_attention()
add_products()
add_quantized()
add_ties()
with_both_quantizations(CASES, [name for name in CASES if "-ties_" in name])
# By default, the inputs of products with weights of 4 bits are rounded: test_quantised_accuracy.py.
for name in [name for name in CASES if name.startswith("MatMulNBits") and "bits=4" in name]:
    CASES[name] = functools.partial(lambda make: dataclasses.replace(make(), options=("--quantization", "exact")), CASES[name])


@pytest.mark.parametrize("conformance", parameters(Entry(("onnxruntime", name), make) for name, make in CASES.items()))
def test_onnxruntime_operators(conformance, result):
    assert_passed(result)
