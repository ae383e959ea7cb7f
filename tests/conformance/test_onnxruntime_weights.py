"""Products of onnxruntime's own domain: quantised, with packed weights, with activations, and mixtures of experts."""

import functools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES, domain="com.microsoft")


def q(name, *shape, dtype="uint8"):
    limits = np.iinfo(dtype)
    return numbers(name, *shape, dtype=dtype, low=limits.min, high=limits.max)


def scale(name, *shape):
    return numbers(name, *shape, low=0.01, high=0.05)


def add_products():
    a, b, c = numbers("a", 3, 4), numbers("b", 4, 5), numbers("c", 5)
    for activation, values in (("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", dict(activation_alpha=0.2)), ("HardSigmoid", dict(activation_alpha=0.3, activation_beta=0.4)), ("Softplus", {}), ("Elu", dict(activation_alpha=0.7)), ("Selu", dict(activation_alpha=1.5, activation_gamma=1.1))):
        case("FusedGemm", 1, a, b, c, activation=activation, alpha=0.5, beta=2.0, **values)
    case("FusedGemm", 1, a.T.copy(), b.T.copy(), transA=1, transB=1, activation="Relu")
    case("GemmFastGelu", 1, numbers("x", 2, 3, 4), b, c, expected=[fast_gelu(numbers("x", 2, 3, 4) @ b + c)])
    wide, narrow = numbers("wide", 3, 2, 4), numbers("narrow", 2, 4, 5)
    case("FusedMatMul", 1, wide, narrow, transBatchA=1, alpha=0.5)
    case("FusedMatMul", 1, wide.transpose(1, 0, 2).copy(), narrow.transpose(1, 0, 2).copy(), transBatchB=1)
    case("FusedMatMul", 1, wide.transpose(2, 1, 0).copy(), narrow, transBatchA=1, transA=1)
    case("TransposeMatMul", 1, wide.transpose(1, 2, 0).copy(), narrow, transA=1)


def fast_gelu(x):
    return (0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))).astype(np.float32)


def add_packed_weights():
    x = numbers("activations", 2, 3, 48)
    for bits in (2, 4, 8):
        per_byte = 8 // bits
        packed = q("packed", 6, 3, 16 // per_byte)
        scales = scale("scales", 6, 3)
        groups = np.array([2, 0, 1], np.int32).repeat(16)
        for kind, zero in (("none", None), ("packed", q("zeros", 6, -(-3 // per_byte))), ("numbers", numbers("zeros", 6, 3, low=0, high=3))):
            for given in (None, groups):
                for bias in (None, numbers("bias", 6)):
                    weights = unpacked(packed, bits).reshape(6, 48)
                    zeros = np.full((6, 3), 1 << (bits - 1)) if zero is None else zero if zero.dtype == np.float32 else unpacked(zero, bits)[:, :3]
                    own = np.arange(48) // 16 if given is None else given
                    expected = x @ ((weights - zeros[:, own]) * scales[:, own]).T.astype(np.float32) + (0 if bias is None else bias)
                    case("MatMulNBits", 1, x, packed, scales, zero, given, bias, constants=(1, 2, 3, 4, 5), K=48, N=6, bits=bits, block_size=16, variant=kind, expected=[expected.astype(np.float32)])
        case("MatMulNBits", 1, x, packed, scales, q("zeros", 6, -(-3 // per_byte)), K=48, N=6, bits=bits, block_size=16)
    for kind in (0, 1):
        for block in (16, 64):
            case("MatMulBnb4", 1, x, q("codes", 48 * 6 // 2), numbers("largest", -(-48 * 6 // block)), constants=(1, 2), K=48, N=6, block_size=block, quant_type=kind)
    rows = np.array([[3, 0], [6, -1]], np.int64)
    for bits in (4, 8):
        table = q("table", 7, 32 * bits // 8)
        for zero in ((), (q("zeros", 7, 2 * bits // 8),)):
            case("GatherBlockQuantized", 1, table, rows, scale("scales", 7, 2), *zero, constants=(0, 2, 3), bits=bits, block_size=16)
        # Blocks that do not fill the axis, as onnxruntime's quantiser writes them for narrow tables.
        for width, block, blocks in ((6, 32, 1), (40, 16, 3)):
            table, zeros = q("narrow", 7, width * bits // 8), q("zeros", 7, -(-blocks * bits // 8))
            for zero in ((), (zeros,)):
                case("GatherBlockQuantized", 1, table, rows, scale("scales", 7, blocks), *zero, constants=(0, 2, 3), bits=bits, block_size=block)
        case("GatherBlockQuantized", 1, table, rows, scale("scales", 7, blocks), zeros, dynamic=False, variant="given", bits=bits, block_size=block)


def unpacked(values, bits):
    parts = [values >> shift & (1 << bits) - 1 for shift in range(0, 8, bits)]
    return np.stack(parts, -1).reshape(*values.shape[:-1], -1).astype(np.float32)


def add_quantized_products():
    x, bias = numbers("x", 2, 3, 8), numbers("bias", 5)
    for b_type in ("uint8", "int8"):
        b = q("b", 8, 5, dtype=b_type) // 4  # onnxruntime's sums of products saturate on CPUs with AVX2 only
        for shape in ((), (5,)):
            b_scale, b_zero = scale("bs", *shape), q("bz", *shape, dtype=b_type) // 8
            for extra in ((), (b_zero,), (b_zero, bias)):
                case("DynamicQuantizeMatMul", 1, x, b, b_scale, *extra, constants=(1, 2, 3, 4))
            for a_type in ("uint8", "int8") if b_type == "int8" else ("uint8",):
                a = q("a", 2, 3, 8, dtype=a_type)
                for extra in ((), (np.array(3, a_type), b_zero), (np.array(3, a_type), b_zero, bias)):
                    case("MatMulIntegerToFloat", 1, a, b, scale("as"), b_scale, *extra, constants=(1, 3, 5, 6))
            a_scale = scale("as").astype(np.float16)
            case("MatMulIntegerToFloat", 1, a, b, a_scale, b_scale.astype(np.float16), None, None, bias.astype(np.float16), constants=(1, 3, 6))
    wide = [numbers(name, *shape, dtype="int16", low=-9000, high=9000) for name, shape in (("a", (2, 3, 8)), ("b", (8, 5)))]
    case("MatMulInteger16", 1, *wide, dynamic=False)
    weights = q("weights", 8, 24, dtype="int8") // 4
    for per_column in (False, True):
        w_scale, w_zero = (scale("ws", 24), q("wz", 24, dtype="int8") // 8) if per_column else (scale("ws"), np.int8(5))
        attention = [q("tokens", 2, 5, 8), weights, numbers("bias", 24), scale("as"), w_scale]
        shared = dict(constants=(1, 2, 4, 7), num_heads=2)
        case("QAttention", 1, *attention, None, np.uint8(120), w_zero, **shared)
        case("QAttention", 1, *attention, np.array([3, 5], np.int32), np.uint8(120), w_zero, unidirectional=1, **shared)
        case("QAttention", 1, *attention, None, np.uint8(120), w_zero, numbers("past", 2, 2, 2, 3, 4), unidirectional=1, outputs=2, **shared)


def add_elementwise_quantized():
    s = [np.float32(value) for value in (0.021, 0.013, 0.037)]
    for dtype in ("uint8", "int8"):
        zero = [np.array(value, dtype) for value in (3, 7, 11)]
        a, b = q("a", 2, 3, 4, dtype=dtype), q("b", 2, 3, 4, dtype=dtype)
        case("QLinearSigmoid", 1, a, s[0], zero[0], np.float32(0.004), zero[1])
        case("QLinearLeakyRelu", 1, a, s[0], zero[0], s[1], zero[1], alpha=0.2)
        case("QLinearWhere", 1, numbers("c", 2, 3, 4, dtype="bool"), a, s[0], zero[0], b, s[1], zero[1], s[2], zero[2])
        case("QLinearSoftmax", 1, a, s[0], zero[0], np.float32(0.01), zero[0], opset=12, constants=(1, 2, 3, 4))
        for opset, axis in ((13, -1), (13, 1), (11, 1)):
            case("QLinearSoftmax", 1, a, s[0], zero[0], np.float32(0.01), zero[0], opset=opset, axis=axis, constants=(1, 2, 3, 4))
    pixels, filters = q("image", 1, 3, 6, 6), q("filters", 4, 3, 3, 3, dtype="int8") // 4
    quantities = [s[0], np.uint8(7), filters, s[1], np.int8(0), np.float32(0.9), np.uint8(100), numbers("bias", 4, dtype="int32", low=-900, high=900)]
    case("QLinearConv", 1, pixels, *quantities, constants=tuple(range(1, 9)), pads=[1, 1, 1, 1])
    case("QLinearConv", 1, pixels.transpose(0, 2, 3, 1).copy(), *quantities, constants=tuple(range(1, 9)), pads=[1, 1, 1, 1], channels_last=1)
    x = numbers("x", 2, 3, 4, low=-9, high=9)
    for dtype in ("uint8", "int8", "uint16", "int16"):
        case("QuantizeLinear", 1, x, np.float32(0.037), np.array(11, dtype))
        case("QuantizeLinear", 1, x, scale("s", 3), q("z", 3, dtype=dtype), axis=1)
        case("DequantizeLinear", 1, q("x", 2, 3, 4, dtype=dtype), np.float32(0.037), np.array(11, dtype))
        case("DequantizeLinear", 1, q("x", 2, 3, 4, dtype=dtype), scale("s", 3), q("z", 3, dtype=dtype), axis=1)
    case("DequantizeLinear", 1, q("x", 2, 3, 4, dtype="int16"), np.float32(0.037))


def blocks(packed, scales, bits):
    """The matrices of all experts; onnxruntime rounds the tokens to 8 bits for some of them."""
    rows = unpacked(packed, bits) - (1 << (bits - 1))
    by_block = scales.reshape(*scales.shape[:2], -1)
    return rows * by_block.repeat(rows.shape[2] // by_block.shape[2], 2)


def swiglu_experts(tokens, logits, first, second):
    result = np.zeros((logits.shape[0], second.shape[1]))
    for row, (token, scores) in enumerate(zip(tokens.reshape(-1, tokens.shape[-1]), logits)):
        best = np.argsort(-scores)[:2]
        weights = np.exp(scores[best]) / np.exp(scores[best]).sum()
        for expert, weight in zip(best, weights):
            y = first[expert] @ token
            gate, linear = y[::2], y[1::2]
            result[row] += weight * (second[expert] @ (gate / (1 + np.exp(-gate)) * linear))
    return result.reshape(*tokens.shape[:-1], -1).astype(np.float32)


def add_experts():
    tokens, logits = numbers("tokens", 2, 3, 16), numbers("logits", 6, 4)
    first, second, third = numbers("first", 4, 8, 16), numbers("second", 4, 16, 8), numbers("third", 4, 8, 16)
    wide = numbers("wide", 4, 16, 16)
    biases = numbers("b1", 4, 8), numbers("b2", 4, 16)
    for activation in ("relu", "gelu", "silu", "identity"):
        for normalize in (0, 1):
            case("MoE", 1, tokens, logits, first, biases[0], second, biases[1], activation_type=activation, k=2, normalize_routing_weights=normalize, constants=(2, 3, 4, 5))
    case("MoE", 1, tokens.reshape(6, 16), logits, first, None, second, activation_type="silu", k=1, constants=(2, 4))
    case("MoE", 1, tokens, logits, wide, numbers("b1", 4, 16), second, biases[1], activation_type="swiglu", swiglu_fusion=1, k=2, normalize_routing_weights=1, activation_alpha=1.7, activation_beta=1.0, swiglu_limit=3.0, constants=(2, 3, 4, 5))
    for bits in (4, 8):
        for block in (0, 16):
            layers = []
            for name, rows, columns in (("first", 64, 32), ("second", 32, 32)):
                layers += [q(name, 4, rows, columns * bits // 8), scale(name, 4, rows, columns // block) if block else scale(name, 4, rows), None]
            matrices = [blocks(packed, scales, bits) for packed, scales in (layers[:2], layers[3:5])]
            expected = swiglu_experts(numbers("tokens", 2, 3, 32), logits, *matrices)
            case("QMoE", 1, numbers("tokens", 2, 3, 32), logits, *layers, expected=[expected], activation_type="swiglu", swiglu_fusion=1, k=2, normalize_routing_weights=1, expert_weight_bits=bits, constants=tuple(range(2, 8)), **(dict(block_size=block) if block else {}))


def add_routing():
    """onnxruntime normalises the weights of the experts of a QMoE even without normalize_routing_weights, unless they are an input."""
    tokens, logits, mixing = numbers("tokens", 2, 3, 32), numbers("logits", 6, 4), numbers("mixing", 6, 4, low=0.1, high=1)
    layers = [q("first", 4, 32, 16), scale("first", 4, 32), None, q("second", 4, 32, 16), scale("second", 4, 32), None]
    for normalize in (0, 1):
        for given in ((), (*[None] * 6, mixing)):
            for constants in (tuple(range(2, 8)), ()):
                case("QMoE", 1, tokens, logits, *layers, *given, activation_type="relu", k=2, normalize_routing_weights=normalize, constants=constants, dynamic=bool(constants), variant=f"{len(constants)}")
    case("MoE", 1, tokens, logits, numbers("first", 4, 8, 32), None, numbers("second", 4, 32, 8), k=2, use_sparse_mixer=1)
    logits, bias = numbers("logits", 2, 3, 8), numbers("bias", 8)
    for groups in ({}, dict(n_group=4, topk_group=2), dict(n_group=2, group_topk=3), dict(n_group=4, topk_group=2, group_topk=1, router_sentinel=-7.0)):
        case("MoEGroupRouter", 1, logits, bias, top_k=2, **groups)
    case("MoEGroupRouter", 1, np.zeros((3, 8), np.float32), np.zeros(8, np.float32), top_k=3, n_group=4, topk_group=2, variant="ties")
    case("MoEGroupRouter", 1, np.full((1, 8), -100, np.float32), bias, top_k=2, variant="lowest")
    case("MoEGroupRouter", 1, logits.astype(np.float16), bias, top_k=2)
    case("MoEGroupRouter", 1, logits.reshape(6, 8), bias, top_k=2, outputs=("", "scores", "weights"))
    case("MoEGroupRouter", 1, numbers("rows", 3, 256), bias, numbers("projection", 8, 256), top_k=2, outputs=("", "scores", "weights"))


add_products()
add_packed_weights()
add_quantized_products()
add_elementwise_quantized()
add_experts()
add_routing()


@pytest.mark.parametrize("conformance", parameters(Entry(("onnxruntime_weights", name), make) for name, make in CASES.items()))
def test_onnxruntime_weights(conformance, result):
    assert_passed(result)
