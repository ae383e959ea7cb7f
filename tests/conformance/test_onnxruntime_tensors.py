"""Operators of onnxruntime's own domain on tensors and images, gates of recent models, and operators that ONNX removed."""

import functools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES, domain="com.microsoft")
old = functools.partial(add_case, CASES, domain="")


def add_tensors():
    for name in ("MemcpyFromHost", "MemcpyToHost"):
        old(name, 17, numbers("x", 2, 3))
    x = numbers("x", 2, 3, 4)
    case("GatherND", 1, x, np.array([[0, 1], [1, 2]], np.int64), constants=(1,))
    case("GridSample", 1, numbers("image", 1, 2, 5, 6), numbers("grid", 1, 3, 4, 2, low=-1.2, high=1.2))
    case("Trilu", 1, x, np.array(1, np.int64), upper=0, constants=(1,))
    case("Trilu", 1, x)
    case("Range", 1, np.array(3, np.int64), np.array(9, np.int64))
    case("Range", 1, np.array(3.0, np.float32), np.array(9.0, np.float32), np.array(2.0, np.float32))
    case("Pad", 1, x, np.array([0, 1, 0, 1, 0, 2], np.int64), np.array(7, np.float32), constants=(1,))
    case("Pad", 1, x, np.array([[0, 1, 0, 1, 0, 2]], np.int64), mode="reflect", constants=(1,))
    case("ExpandDims", 1, x, np.array(-2, np.int32), constants=(1,))
    for axis in (0, 1, x.ndim, -1):
        case("ExpandDims", 1, x, np.array(axis, np.int32), variant=f"computed_{axis}")
    square = numbers("square", 2, 4, 4) + 5 * np.eye(4, dtype=np.float32)
    case("Inverse", 1, square)
    case("SampleOp", 1, x)
    for dim, size, step in ((-1, 2, 1), (1, 2, 1), (0, 1, 1), (2, 3, 2)):
        case("UnfoldTensor", 1, x, dim=dim, size=size, step=step)
    for metric in ("sqeuclidean", "euclidean"):
        case("CDist", 1, numbers("a", 3, 4), numbers("b", 5, 4), metric=metric)
    case("Unique", 1, np.array([3, 1, 3, 2, 1], np.float32), outputs=3)
    tokens = np.array([[1, 2, 3, 1, 2], [4, 4, 4, 4, 4]], np.int64)
    for size in (1, 2, 3):
        case("NGramRepeatBlock", 1, tokens, numbers("scores", 2, 7), ngram_size=size)
    boxes = np.array([[0.1, 0.2, 0.8, 0.9], [-0.2, 0.0, 1.0, 1.3], [0.5, 0.5, 0.5, 0.5]], np.float32)
    for mode in ("bilinear", "nearest"):
        case("CropAndResize", 1, numbers("image", 2, 3, 6, 7), boxes, np.array([0, 1, 1], np.int32), np.array([4, 5], np.int32), mode=mode, extrapolation_value=-2.0, constants=(3,))
    case("CropAndResize", 1, numbers("image", 2, 3, 6, 7), boxes, np.array([0, 1, 1], np.int32), np.array([1, 2], np.int32), constants=(3,))
    # 7 / 3 * 3 must not be more than 7.
    case("CropAndResize", 1, numbers("image", 1, 3, 7, 8), np.array([[0, 0, 1, 1]], np.float32), np.array([0], np.int32), np.array([3, 4], np.int32), constants=(3,))
    case("CropAndResize", 1, numbers("image", 2, 3, 6, 7, dtype="float16"), boxes.astype(np.float16), np.array([0, 1, 1], np.int32), np.array([1, 2], np.int32), constants=(3,))
    image, filters = numbers("image", 1, 3, 5, 5), numbers("filters", 3, 4, 3, 3)
    for options in (dict(), dict(auto_pad="SAME_UPPER"), dict(auto_pad="SAME_LOWER")):
        case("ConvTransposeWithDynamicPads", 1, image, filters, np.array([1, 0, 1, 1], np.int64), strides=[2, 2], constants=(1, 2), **options)
    case("ConvTransposeWithDynamicPads", 1, image, filters, np.array([1, 0, 1, 1], np.int64), numbers("bias", 4), output_padding=[1, 1], strides=[2, 2], constants=(1, 3))


def add_words():
    words = np.array([[3, 1, 4, 1, 5, 0, 0], [2, 6, 0, 0, 0, 0, 0], [5, 3, 5, 8, 9, 7, 9]], np.int32)
    case("WordConvEmbedding", 1, words, numbers("filters", 4, 1, 3, 5), numbers("bias", 4), numbers("characters", 10, 5), constants=(1, 2, 3))
    case("WordConvEmbedding", 1, words, numbers("filters", 4, 1, 2, 5), numbers("bias", 4), numbers("characters", 10, 5), constants=(1, 2, 3))
    mask = np.array([1, 1, 1, 1, 0, 0], np.int32).reshape(1, 1, 6)
    case("MaxpoolWithMask", 1, numbers("wave", 2, 3, 6), mask, kernel_shape=[2], strides=[2])
    tables = [numbers(name, rows, 8, dtype="uint8", low=0, high=255) for name, rows in (("word_table", 10), ("position_table", 6), ("segment_table", 2))]
    gamma, beta = numbers("gamma", 8, dtype="uint8", low=0, high=255), numbers("beta", 8, dtype="uint8", low=0, high=255)
    scales = [np.float32(value) for value in (0.01, 0.02, 0.03, 0.04, 0.05)]
    zeros = [np.uint8(value) for value in (100, 110, 120, 130, 140)]
    ids, segments = numbers("ids", 2, 5, dtype="int32", low=0, high=9), numbers("segments", 2, 5, dtype="int32", low=0, high=1)
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    case("QEmbedLayerNormalization", 1, ids, segments, *tables, gamma, beta, mask, *scales, *zeros, outputs=2, constants=tuple(range(2, 7)) + tuple(range(8, 18)))


def add_tokenizer():
    texts = np.array(["Hello World", "I love  computer science !", "", "\u00e9,b ab"], object)
    rules = [dict(separators=[" "]), dict(separators=[" ", "[,;]"]), dict(separators=[""]), dict(tokenexp="."), dict(tokenexp="[a-z]+")]
    for mark in (0, 1):
        for rule in rules:
            case("Tokenizer", 1, texts, mincharnum=1, pad_value="##", mark=mark, **rule)
        for rule in (rules[0], rules[4]):
            case("Tokenizer", 1, texts, mincharnum=3, pad_value="", mark=mark, **rule)
    case("Tokenizer", 1, texts.reshape(2, 2), mincharnum=1, pad_value="#", mark=1, separators=[" "])
    case("Tokenizer", 1, np.array(["a\nb", "\r\n"], object), mincharnum=1, pad_value="#", mark=1, tokenexp=".", variant="lines")
    case("Tokenizer", 1, texts, mincharnum=1, pad_value="#", mark=1, tokenexp=r"\b\w+\b", variant="words")
    case("Tokenizer", 1, texts, mincharnum=1, pad_value="#", mark=1, separators=[" "], tokenexp="[a-z]+", variant="both")
    texts = np.array(["one, two,  three", "a=>b=> c", "\u0410\u0431\u0441\u0443\u0441\u0443\u4e2d\u6587", "=>", "", "xyxyz"], object)
    for rule in (
        dict(separators=[", ", "=>"]),
        dict(separators=["e|,", " "]),
        dict(separators=["\u0431\u0441\u0443", "\u0441\u0443"]),
        dict(separators=["\u0441\u0443", "\u4e2d"]),
        dict(separators=["xy", "yx", "(=>)+"]),
        dict(tokenexp="[^ ,]+"),
    ):
        case("Tokenizer", 1, texts, mincharnum=1, pad_value="#", mark=0, **rule)
        case("Tokenizer", 1, texts, mincharnum=2, pad_value="#", mark=1, **rule)
    case("Tokenizer", 1, np.array(["", ""], object), mincharnum=1, pad_value="#", mark=1, separators=[" "])


def group_norm(x, gamma, beta, activated):
    groups = x.reshape(*x.shape[:3], 2, -1).astype(np.float64)
    y = (groups - groups.mean((1, 2, 4), keepdims=True)) / np.sqrt(groups.var((1, 2, 4), keepdims=True) + 1e-5)
    y = y.reshape(x.shape) * gamma + beta
    return (y / (1 + np.exp(-y)) if activated else y).astype(np.float32)


def gelu(x):
    import math

    return (0.5 * x * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))).astype(np.float32)


def add_images():
    """onnxruntime has no CPU kernels of most of these."""
    x, skip = numbers("image", 2, 4, 5, 6), numbers("skip", 2, 4, 5, 6)
    gamma, beta, bias = numbers("gamma", 6), numbers("beta", 6), numbers("bias", 6)
    for activation in (0, 1):
        y = group_norm(x, gamma, beta, activation)
        case("GroupNorm", 1, x, gamma, beta, groups=2, activation=activation, expected=[y], constants=(1, 2))
        case("GroupNorm", 1, x.transpose(0, 3, 1, 2).copy(), gamma, beta, groups=2, activation=activation, channels_last=0, expected=[y.transpose(0, 3, 1, 2).copy()], constants=(1, 2))
    total = x + skip + bias
    case("SkipGroupNorm", 1, x, gamma, beta, skip, bias, groups=2, activation=1, outputs=2, expected=[group_norm(total, gamma, beta, 1), total], constants=(1, 2))
    total = x + skip[:, :1, :1]
    case("SkipGroupNorm", 1, x, gamma, beta, skip[:, 0, 0].copy(), groups=2, activation=0, outputs=2, expected=[group_norm(total, gamma, beta, 0), total], constants=(1, 2))
    rows, more = numbers("rows", 2, 3, 6), numbers("more", 2, 3, 6)
    case("BiasAdd", 1, rows, bias, more, expected=[rows + bias + more])
    left, right = np.split(rows + bias, 2, -1)
    case("BiasSplitGelu", 1, rows, bias, expected=[left * gelu(right)])
    bytes_ = numbers("bytes", 1, 6, 7, 3, dtype="uint8", low=0, high=255)
    case("NhwcMaxPool", 1, bytes_, kernel_shape=[2, 3], strides=[2, 1], pads=[0, 1, 0, 1])


def add_gates():
    x, y, gate = numbers("x", 2, 3, 8), numbers("y", 2, 3, 8), numbers("gate", 2, 3, 1)
    case("ScaledSiLU", 1, x, alpha=0.7)
    case("ScaledSiLU", 1, x, np.array(1.3, np.float32))
    case("GatedAdd", 1, x, y, gate)
    state, weight = numbers("state", 2, 3, 5), numbers("weight", 5, 1)
    case("GatedAdd", 1, x, y, state, weight, expected=[x + y / (1 + np.exp(-state @ weight))])
    for activation in ("silu", "sigmoid"):
        case("GatedRMSNorm", 1, x, numbers("scale", 4), y, activation=activation, epsilon=1e-3)
    case("BranchwiseRMSNorm", 1, numbers("branches", 2, 3, 4, 8), numbers("scale", 4, 8), constants=(1,))
    case("BranchwiseRMSNorm", 1, numbers("branches", 2, 3, 4, 8), numbers("scale", 8), constants=(1,), dynamic=False)
    case("BranchwiseRMSNorm", 1, numbers("flat", 2, 3, 32), numbers("scale", 32), num_branches=4, constants=(1,), dynamic=False)
    streams, block = numbers("streams", 2, 3, 4, 8), numbers("block", 2, 3, 8)
    for gates in ((2, 3, 4), (2, 3, 4, 1), (2, 3, 4, 8)):
        case("HyperConnectionPreMix", 1, streams, numbers("gates", *gates), reduction_scale=0.5, dynamic=False)
        case("HyperConnectionPostMix", 1, streams, block, numbers("gates", *gates), numbers("mix", 2, 3, 4, 4), dynamic=False)
    case("HyperConnectionPreMix", 1, streams.reshape(2, 3, 32), numbers("gates", 2, 3, 32), num_branches=4)
    case("HyperConnectionPreMix", 1, streams.reshape(2, 3, 32), numbers("gates", 2, 3, 4), num_branches=4)
    case("HyperConnectionPostMix", 1, streams.reshape(2, 3, 32), block, numbers("gates", 2, 3, 4), numbers("mix", 2, 3, 4, 4), num_branches=4)
    key, query, value = numbers("key", 2, 3, 4, 8), numbers("query", 2, 3, 4, 8), numbers("value", 2, 3, 8)
    scales = [numbers(name, 4, 8) for name in ("ks", "qs", "cs")]
    case("EngramGate", 1, key, query, value, *scales[:2])
    case("EngramGate", 1, key, query, value, *scales, outputs=2)
    case("EngramGate", 1, key, query, value, *scales, variant="one_output")
    a, b = numbers("a", 2, 3, 4), numbers("b", 2, 3, 4)
    case("LinearAttentionGate", 1, a, numbers("dt", 4), numbers("ds", 4), b, outputs=2)
    wave, kernel, state = numbers("wave", 2, 4, 6), numbers("kernel", 4, 1, 3), numbers("state", 2, 4, 2)
    case("CausalConvWithState", 1, wave, kernel, numbers("bias", 4), state, outputs=2, activation="silu", constants=(1, 2))
    case("CausalConvWithState", 1, wave, kernel, outputs=2, constants=(1,))
    distant = numbers("distant", 2, 4, 6)
    case("CausalConvWithState", 1, wave, kernel, None, distant, outputs=2, dilation=3, constants=(1,))
    case("CausalConvWithState", 1, wave, kernel, numbers("bias", 4), distant, outputs=2, dilation=3, variant="given_kernel")
    planes = numbers("planes", 2, 6, 2, 2)
    case("CausalConvWithState", 1, planes, kernel, None, numbers("state", 2, 2, 2, 2), outputs=2, channels_last=1, constants=(1,))
    case("CausalConvWithState", 1, wave.transpose(0, 2, 1).copy(), kernel, None, state.transpose(0, 2, 1).copy(), outputs=2, channels_last=1, constants=(1,))


def add_packed_tokens():
    """Sequences of several lengths in one list of tokens."""
    bounds = np.array([0, 2, 3, 8], np.int32)
    tokens, kernel, bias = numbers("tokens", 8, 4), numbers("kernel", 4, 1, 3), numbers("bias", 4)
    state = numbers("state", 3, 4, 2)
    for activation in ("none", "silu"):
        case("VarlenCausalConvWithState", 1, tokens, kernel, bounds, bias, state, outputs=2, activation=activation)
    case("VarlenCausalConvWithState", 1, tokens, kernel, bounds, None, numbers("distant", 3, 4, 4), outputs=2, dilation=2, constants=(1,))
    counts = np.array([9, 1, 3], np.int32)
    case("VarlenCausalConvWithState", 1, tokens, kernel, bounds, None, state, counts, outputs=3, state_update_capacity=4)
    query, key, value = numbers("query", 8, 2, 4), numbers("key", 8, 2, 4), numbers("value", 8, 4, 3)
    decay, beta, state = numbers("decay", 8, 4, low=-2, high=0), numbers("beta", 8, 4, low=0, high=1), numbers("state", 3, 4, 3, 4)
    rest = (decay, beta, state)

    def delta(*inputs, variant="", **attributes):
        case("GatedDeltaNet", 1, *inputs, outputs=2, dynamic=(0,), variant=variant, qk_l2_norm=1, **attributes)

    delta(query, key, value, bounds, *rest)
    delta(query, key, value, bounds, decay, beta, variant="new")
    delta(query, key, value, None, decay, beta, state[:2])
    delta(*(x.reshape(2, 4, *x.shape[1:]) for x in (query, key, value)), None, decay.reshape(2, 4, 4), beta.reshape(2, 4, 4), variant="rows")
    packed = np.concatenate([x.reshape(8, -1) for x in (query, key, value)], 1)
    delta(packed, None, None, bounds, *rest)
    delta(packed.reshape(2, 4, -1), None, None, None, decay.reshape(2, 4, 4), beta.reshape(2, 4, 4), state[:2], variant="packed rows")
    for rule, gates in (("linear", (None, None)), ("gated", (decay, None)), ("delta", (None, beta))):
        delta(query, key, value, bounds, *gates, state, update_rule=rule, scale=0.3)
    keyed = numbers("keyed", 8, 4, 4, low=-2, high=0)
    delta(query, key, value, bounds, keyed, beta, state)
    for kind in ("softplus", "sigmoid"):
        gates = numbers("a_log", 4), numbers("dt_bias", 4)
        delta(query, key, value, bounds, *rest, *gates, gate_activation=kind, beta_activation="sigmoid")
        for shape in ((4, 4), (16,)):
            delta(query, key, value, bounds, keyed, beta, state, gates[0], numbers("dt_bias", *shape), gate_activation=kind)


def add_removed_operators():
    x = numbers("x", 1, 3, 5, 6)
    for opset in (1, 6, 9):
        old("Affine", opset, x, alpha=0.5, beta=2.0)
        old("Scale", opset, x, scale=0.5)
        old("ScaledTanh", opset, x, alpha=0.5, beta=2.0)
        old("ParametricSoftplus", opset, x, alpha=0.5, beta=2.0)
        old("ImageScaler", opset, x, scale=0.5, bias=[1.0, -2.0, 3.0])
        old("Crop", opset, x, border=[1, 0, 2, 1])
        old("Crop", opset, x, border=[1, 2, 0, 0], scale=[2, 3])
        old("ThresholdedRelu", opset, x, alpha=0.5, expected=[np.where(x > 0.5, x, 0).astype(np.float32)])
    old("DynamicSlice", 7, x, np.array([1, 2], np.int64), np.array([3, 9], np.int64), np.array([1, 3], np.int64), constants=(1, 2, 3))
    old("ConstantFill", 5, np.array([2, 3], np.int64), input_as_shape=1, value=1.5, dtype=1, expected=[np.full((2, 3), 1.5, np.float32)], dynamic=False)
    old("ConstantFill", 5, x, value=2.0, dtype=6, expected=[np.full(x.shape, 2, np.int32)])
    old("GivenTensorFill", 5, shape=[2, 2], values=[1.0, 2.0, 3.0, 4.0], expected=[np.array([[1, 2], [3, 4]], np.float32)], dynamic=False)
    for across in (0, 1):
        old("MeanVarianceNormalization", 7, x, across_channels=across)
        old("MeanVarianceNormalization", 7, numbers("batch", 2, 3, 4, 5), across_channels=across, normalize_variance=across)


def add_hashes():
    """All bits of the words matter: numbers of both signs, zeros, the limits of the types."""
    ends = np.iinfo(np.int32)
    whole = np.concatenate([numbers("whole", 30, dtype="int32", low=ends.min, high=ends.max - 1), [0, 1, -1, ends.min, ends.max]]).astype(np.int32)
    fractions = np.concatenate([numbers("fractions", 30, low=-1e6, high=1e6), [0, -0.0, 1, -1, 1e-40, 1e38, np.inf, -np.inf]]).astype(np.float32)
    for values in (whole, whole.view(np.uint32), fractions, whole.astype(np.int64)):
        for positive in (0, 1):
            case("MurmurHash3", 1, values.reshape(-1, 1), positive=positive)
    case("MurmurHash3", 1, whole, seed=42)
    for texts in (["", "a", "ab", "abc", "abcd", "abcde", "abcdefgh", "h\u00e9llo w\u00f6rld \U0001f600", "x" * 101], ["abcd"], ["", ""], []):
        for attributes in ({}, {"positive": 0}, {"seed": 7}):
            case("MurmurHash3", 1, np.array(texts, object).reshape(-1, 1), variant=f"{len(texts)}", **attributes)


def add_speculative_decoding():
    """The prediction differs from the source at any place or nowhere; n-grams occur never, once, twice, at the end of the source."""
    source, start = np.array([7, 8, 9, 7, 8, 6, 5], np.int64), np.array(0, np.int64)
    for wrong in (0, 2, 6, 7):
        prediction = np.append(source, 3)
        prediction[wrong] = 4
        case("BifurcationDetector", 1, source, np.array([2], np.int64), start, prediction, outputs=2, variant=f"{wrong}")
        case("BifurcationDetector", 1, source, np.array([2], np.int64), np.array([3], np.int64), prediction[3:], outputs=2, variant=f"{wrong}")
    for tokens in ([2, 7, 8], [9, 7, 8], [5], [4], [6, 5], [7], []):
        for smallest, largest in ((1, 1), (1, 4), (2, 3)):
            case("BifurcationDetector", 1, source, np.array(tokens, np.int64), start, outputs=2, min_ngram_size=smallest, max_ngram_size=largest, variant="".join(map(str, tokens)))
    case("BifurcationDetector", 1, source[:0], np.array([2], np.int64), start, np.array([5], np.int64), outputs=2)


add_tensors()
add_speculative_decoding()
add_hashes()
add_words()
add_tokenizer()
add_images()
add_gates()
add_packed_tokens()
add_removed_operators()


@pytest.mark.parametrize("conformance", parameters(Entry(("onnxruntime_tensors", name), make) for name, make in CASES.items()))
def test_onnxruntime_tensors(conformance, result):
    assert_passed(result)
