"""Attention operators of onnxruntime's own domain: masks in every form, caches that are fed back, rotary embeddings."""

import functools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, add_series, numbers

CASES = {}
case = functools.partial(add_case, CASES, domain="com.microsoft")
series = functools.partial(add_series, CASES, domain="com.microsoft")

BATCH, HEADS, SIZE, LENGTH, PAST = 2, 2, 4, 5, 3
HIDDEN = HEADS * SIZE


def ones_and_zeros(name, *shape):
    """A mask that lets each query see its own key."""
    mask = numbers(name, *shape, dtype="int32", low=0, high=1)
    mask[..., 0] = 1
    return mask


def masks(total):
    """(name, mask) of each form that onnxruntime's CPU provider supports."""
    return [
        ("lengths", np.array([3, total], np.int32)),
        ("bounds", np.array([4, total, 1, 0], np.int32)),
        ("offsets", np.array([3, total, 0, LENGTH, 2 * LENGTH, 0, total, 2 * total], np.int32)),
        ("rows", ones_and_zeros("rows", BATCH, total)),
        ("matrices", ones_and_zeros("matrices", BATCH, LENGTH, total)),
    ]


def add_attention():
    x, weights, bias = numbers("x", BATCH, LENGTH, 8), numbers("w", 8, 24, low=-1, high=1), numbers("b", 24)
    shared = dict(constants=(1, 2), num_heads=HEADS)
    past = numbers("past", 2, BATCH, HEADS, PAST, SIZE)
    added = numbers("added", 1, HEADS, LENGTH, LENGTH)
    for unidirectional in (0, 1):
        for name, mask in masks(LENGTH):
            case("Attention", 1, x, weights, bias, mask, variant=name, unidirectional=unidirectional, **shared)
        for name, mask in masks(LENGTH + PAST):
            if name != "offsets":
                case("Attention", 1, x, weights, bias, mask, past, outputs=2, variant=f"past_{name}", unidirectional=unidirectional, **shared)
        case("Attention", 1, x, weights, bias, None, past, outputs=2, unidirectional=unidirectional, **shared)
        case("Attention", 1, x, weights, bias, None, None, added, unidirectional=unidirectional, **shared)
    case("Attention", 1, x, numbers("w", 8, 28), numbers("b", 28), qkv_hidden_sizes=[8, 8, 12], **shared)
    case("Attention", 1, x, weights, bias, None, None, added, scale=0.3, mask_filter_value=-5.0, **shared)
    case("Attention", 1, x, weights, bias, ones_and_zeros("m", BATCH, LENGTH), None, added, scale=0.3, mask_filter_value=-5.0, **shared)
    for name, mask in masks(LENGTH + PAST)[:2]:
        case("Attention", 1, x, weights, bias, mask, past, outputs=2, variant=f"given_weights_{name}", num_heads=HEADS)
    case("Attention", 1, x, numbers("w", 8, 28), numbers("b", 28), qkv_hidden_sizes=[8, 8, 12], variant="given_weights", num_heads=HEADS)
    buffer, step = numbers("buffer", 2, BATCH, HEADS, 7, SIZE), numbers("x", BATCH, 1, 8)
    query, *now = (in_heads(part) for part in np.split(step @ weights + bias, 3, 2))
    present = buffer.copy()
    present[:, :, :, PAST : PAST + 1] = now
    mixed, _ = attention_by_hand(query, *present[:, :, :, : PAST + 1])
    expected = [mixed.astype(np.float32), present]
    case("Attention", 1, step, weights, bias, None, buffer, None, np.array([PAST], np.int32), past_present_share_buffer=1, unidirectional=1, outputs=2, expected=expected, **shared)
    runs = [(numbers(f"x{n}", BATCH, n, 8), weights, bias, mask[:1] if n == 1 else mask) for n, mask in ((5, np.array([5, 2], np.int32)), (4, np.array([4, 3, 0, 1], np.int32)))]
    series("Attention", 1, *runs, variant="mask_of_any_length", **shared)


def add_multi_head_attention():
    query, key, value = (numbers(name, BATCH, length, HIDDEN) for name, length in (("query", LENGTH), ("key", 6), ("value", 6)))
    own = [numbers(name, BATCH, LENGTH, HIDDEN) for name in ("k", "v")]
    bias = numbers("bias", 3 * HIDDEN)
    past = [numbers(name, BATCH, HEADS, PAST, SIZE) for name in ("past_key", "past_value")]
    for given in (None, bias):
        case("MultiHeadAttention", 1, query, key, value, given, num_heads=HEADS)
        case("MultiHeadAttention", 1, query, key, numbers("wide", BATCH, 6, 12), given if given is None else numbers("bias", 2 * HIDDEN + 12), num_heads=HEADS)
        for unidirectional in (0, 1):
            case("MultiHeadAttention", 1, query, *own, given, num_heads=HEADS, unidirectional=unidirectional, outputs=3)
            case("MultiHeadAttention", 1, query, *own, given, None, None, *past, num_heads=HEADS, unidirectional=unidirectional, outputs=3)
        # Without a past, query i sees the keys up to i, also if there are more keys than queries; the last query sees all keys.
        case("MultiHeadAttention", 1, query, key, value, given, num_heads=HEADS, unidirectional=1)
        case("MultiHeadAttention", 1, query[:, :1], key, value, given, ones_and_zeros("m", BATCH, 6), num_heads=HEADS, unidirectional=1)
    for name, mask in masks(6):
        if name == "bounds":
            continue  # only Attention has them
        case("MultiHeadAttention", 1, query, key, value, bias, mask, num_heads=HEADS, variant=name)
    for name, mask in masks(LENGTH + PAST):
        if mask.ndim > 1:
            case("MultiHeadAttention", 1, query, *own, bias, mask, None, *past, num_heads=HEADS, outputs=3, variant=f"past_{name}")
    for shape in ((1, 1), (1, HEADS), (BATCH, 1), (BATCH, HEADS)):
        added = numbers("added", *shape, LENGTH, 6)
        case("MultiHeadAttention", 1, query, key, value, None, None, added, num_heads=HEADS, scale=0.7)
        case("MultiHeadAttention", 1, query, key, value, bias, ones_and_zeros("m", BATCH, 6), added, num_heads=HEADS)
    heads = [numbers(name, BATCH, HEADS, 6, SIZE) for name in ("key_heads", "value_heads")]
    case("MultiHeadAttention", 1, query, *heads, num_heads=HEADS)
    case("MultiHeadAttention", 1, query, *heads, None, ones_and_zeros("m", BATCH, 6), num_heads=HEADS)
    buffers = [numbers(name, BATCH, HEADS, 7, SIZE) for name in ("past_key", "past_value")]
    step = [numbers(name, BATCH, 1, HIDDEN) for name in ("query", "key", "value")]
    for width in (1, BATCH):
        beams = numbers("beams", BATCH // width, width, 7, dtype="int32", low=0, high=width - 1)
        beams[:, :, PAST] = np.arange(width)
        case("MultiHeadAttention", 1, *step, None, None, None, *buffers, np.array([PAST], np.int32), beams, num_heads=HEADS, outputs=3)
    packed = [part.reshape(BATCH, -1, HEADS, SIZE) for part in (query, own[0], own[1])]
    added = bias.reshape(3, HEADS, SIZE)
    shifted = [(part + by).transpose(0, 2, 1, 3) for part, by in zip(packed, added)]
    expected = [attention_by_hand(*shifted)[0]]
    case("MultiHeadAttention", 1, np.stack(packed, 3), None, None, bias, num_heads=HEADS, expected=expected)
    case("MultiHeadAttention", 1, query, np.stack(packed[1:], 3), None, bias, num_heads=HEADS, expected=expected)


def in_heads(value):
    return value.reshape(*value.shape[:2], HEADS, -1).transpose(0, 2, 1, 3)


def attention_by_hand(query, key, value, bias=0.0, scale=SIZE**-0.5):
    """Of heads. The result [B, S, N * h] and the scores."""
    scores = query @ key.swapaxes(2, 3) * np.float32(scale) + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = weights / weights.sum(-1, keepdims=True) @ value
    return mixed.transpose(0, 2, 1, 3).reshape(*query.shape[::2], -1), scores


def add_decoder_masked_attention():
    """onnxruntime's own kernel only works on buffers that the caller binds to past and present."""
    query, key, value = (numbers(name, BATCH, 1, HIDDEN) for name in ("query", "key", "value"))
    buffers = [numbers(name, BATCH, HEADS, 7, SIZE) for name in ("past_key", "past_value")]
    heads = [numbers(name, BATCH, HEADS, 6, SIZE) for name in ("key_heads", "value_heads")]
    shared = dict(num_heads=HEADS, past_present_share_buffer=1)
    bias = numbers("bias", 3 * HIDDEN)
    added = numbers("added", 1, HEADS, 1, PAST + 1)
    mask = ones_and_zeros("m", BATCH, PAST + 1)
    beams = numbers("beams", 1, BATCH, 7, dtype="int32", low=0, high=BATCH - 1)
    for variant, given in (("plain", {}), ("mask", {3: mask}), ("bias", {4: added, 10: bias}), ("beams", {8: np.array([BATCH], np.int32), 9: beams})):
        present = [buffer.copy() for buffer in buffers]
        parts = np.split(given.get(10, 0 * bias), 3)
        for buffer, now, part in zip(present, (key, value), parts[1:]):
            buffer[:, :, PAST : PAST + 1] = in_heads(now + part)
        used = [buffer[:, :, : PAST + 1] for buffer in present]
        if 9 in given:
            origins = np.concatenate([beams[0, :, :PAST], np.arange(BATCH)[:, None]], 1)
            used = [np.stack([[[cache[origins[b, t], n, t] for t in range(PAST + 1)] for n in range(HEADS)] for b in range(BATCH)]) for cache in used]
            given[9] = np.concatenate([given[9][:, :, :PAST], np.arange(BATCH, dtype=np.int32)[None, :, None], given[9][:, :, PAST + 1 :]], 2)
        hidden = np.where(given.get(3, 1 + 0 * mask) > 0, 0, -10000).astype(np.float32)[:, None, None, :]
        mixed, scores = attention_by_hand(in_heads(query + parts[0]), *used, hidden + given.get(4, 0 * added))
        inputs = [query, key, value, None, None, *buffers, np.array([PAST], np.int32), None, None, None]
        for index, extra in given.items():
            inputs[index] = extra
        case("DecoderMaskedMultiHeadAttention", 1, *inputs, expected=[mixed, *present, scores], outputs=4, variant=variant, **shared)
    mixed, _ = attention_by_hand(in_heads(query), *heads)
    case("DecoderMaskedMultiHeadAttention", 1, query, *heads, expected=[mixed], **shared)
    past = [buffer[:, :, :PAST] for buffer in buffers]
    present = [np.concatenate([buffer, in_heads(now)], 2) for buffer, now in zip(past, (key, value))]
    mixed, scores = attention_by_hand(in_heads(query), *present)
    case("MultiHeadAttention", 1, query, key, value, None, None, None, *past, num_heads=HEADS, outputs=4, expected=[mixed, *present, scores])


def add_rotary_embedding():
    caches = [np.cos(numbers("angles", 9, 4)), np.sin(numbers("angles", 9, 4))]
    x, heads = numbers("x", BATCH, LENGTH, 16), numbers("heads", BATCH, 2, LENGTH, 8)
    positions = numbers("positions", BATCH, LENGTH, dtype="int64", low=0, high=8)
    start = np.array([3], np.int64)
    for interleaved in (0, 1):
        for where in (positions, start):
            case("RotaryEmbedding", 1, x, where, *caches, interleaved=interleaved, constants=(2, 3))
            case("RotaryEmbedding", 1, heads, where, *caches, interleaved=interleaved, constants=(2, 3))
        case("RotaryEmbedding", 1, numbers("x", BATCH, LENGTH, 24), positions, *caches, interleaved=interleaved, num_heads=2, rotary_embedding_dim=8, constants=(2, 3))
        for given in (x, heads):
            case("RotaryEmbedding", 1, given, positions, *caches, interleaved=interleaved, variant="given_caches")


def add_multimodal_rotary_embedding():
    caches = [np.cos(numbers("angles", 9, 6)), np.sin(numbers("angles", 9, 6))]
    positions = numbers("positions", 3, BATCH, LENGTH, dtype="int64", low=0, high=8)
    for layout in (0, 1):
        for interleaved in (0, 1):
            for x in (numbers("x", BATCH, LENGTH, 24), numbers("heads", BATCH, 2, LENGTH, 12)):
                case("MRotaryEmbedding", 1, x, positions, *caches, mrope_section=[2, 2, 2], mrope_layout=layout, interleaved=interleaved, num_heads=2, constants=(2, 3))
    caches = [cache[:, :4] for cache in caches]
    case("MRotaryEmbedding", 1, x, positions, *caches, mrope_section=[1, 1, 2], num_heads=2, rotary_embedding_dim=8, scale=0.5, constants=(2, 3))


def add_linear_attention():
    query, key, value = (numbers(name, BATCH, LENGTH, 2 * width) for name, width in (("query", 4), ("key", 4), ("value", 6)))
    decay, beta = numbers("decay", BATCH, LENGTH, 2, low=-1, high=0), numbers("beta", BATCH, LENGTH, 2, low=0, high=1)
    state = numbers("state", BATCH, 2, 4, 6)
    for rule, extra in (("linear", (None, None)), ("gated", (decay, None)), ("delta", (None, beta)), ("gated_delta", (decay, beta))):
        case("LinearAttention", 1, query, key, value, state, *extra, q_num_heads=2, kv_num_heads=2, update_rule=rule, outputs=2)


def group_query(lengths, count, total, name, kv=1, past=PAST, packed=False, rotary=False):
    """The inputs of one run: `count` queries of each row, whose rows have `lengths` keys."""
    size, queries = 16, 4
    hidden = [numbers(f"{name}{which}", BATCH, count, n * size) for which, n in (("query", queries), ("key", kv), ("value", kv))]
    inputs = [np.concatenate(hidden, -1), None, None] if packed else hidden
    inputs += [numbers(f"{name}{which}", BATCH, kv, past, size) if past is not None else None for which in ("past_key", "past_value")]
    inputs += [np.array(lengths, np.int32) - 1, np.array(total, np.int32)]
    caches = [np.cos(numbers("angles", 20, 8)), np.sin(numbers("angles", 20, 8))]
    return inputs + (caches if rotary else [None, None])


def add_group_query_attention():
    empty = dict(past=0)
    shared = dict(outputs=3, num_heads=4)
    situations = [
        ("prompt", group_query([LENGTH, LENGTH], LENGTH, LENGTH, "p", **empty)),
        ("step", group_query([PAST + 1, PAST + 1], 1, PAST + 1, "s")),
        ("uneven_step", group_query([2, PAST + 1], 1, PAST + 1, "s")),
        ("long_cache", group_query([2, 4], 1, 4, "s", past=9)),
    ]
    for name, inputs in situations:
        case("GroupQueryAttention", 1, *inputs, variant=name, kv_num_heads=1, **shared)
    for options in (dict(local_window_size=2), dict(softcap=2.0), dict(scale=0.2), dict(smooth_softmax=1), dict(causal=0)):
        for name, inputs in situations[:2]:
            case("GroupQueryAttention", 1, *inputs, variant=name, kv_num_heads=1, **options, **shared)
    for packed in (False, True):
        for interleaved in (0, 1):
            for name, inputs in (
                ("prompt", group_query([LENGTH, LENGTH], LENGTH, LENGTH, "p", kv=2, packed=packed, rotary=True, **empty)),
                ("step", group_query([PAST + 1, 2], 1, PAST + 1, "s", kv=2, packed=packed, rotary=True)),
            ):
                case("GroupQueryAttention", 1, *inputs, variant=name, kv_num_heads=2, do_rotary=1, rotary_interleaved=interleaved, constants=(7, 8), **shared)
    for name, inputs in situations[:2]:
        total = int(inputs[6])
        added = numbers("added", 1, 4, inputs[0].shape[1], total)
        case("GroupQueryAttention", 1, *inputs, None, added, variant=f"bias_{name}", kv_num_heads=1, **shared)
        case("GroupQueryAttention", 1, *inputs, None, added, variant=f"bias_{name}", kv_num_heads=1, softcap=3.0, **shared)
        case("GroupQueryAttention", 1, *inputs, None, None, numbers("sinks", 4), variant=f"sinks_{name}", kv_num_heads=1, **shared)
        for output in (1, 2):
            case("GroupQueryAttention", 1, *inputs, variant=name, kv_num_heads=1, qk_output=output, softcap=3.0, outputs=4, num_heads=4)


def add_positions_and_padding():
    """Prompts whose rows have different lengths, positions that the caller gives, caches of rotations that are inputs of the graph."""
    shared = dict(outputs=3, num_heads=4)
    for options in (dict(), dict(local_window_size=3), dict(softcap=2.0)):
        for past in (0, None, 9):
            padded = group_query([LENGTH - 1, LENGTH], LENGTH, LENGTH, "p", past=past)
            case("GroupQueryAttention", 1, *padded, variant=f"padded_{past}", kv_num_heads=1, **options, **shared)
    for name, inputs in (
        ("prompt", group_query([LENGTH, LENGTH], LENGTH, LENGTH, "p", past=0, rotary=True)),
        ("step", group_query([PAST + 1, 2], 1, PAST + 1, "s", rotary=True)),
    ):
        positions = numbers("positions", *inputs[0].shape[:2], dtype="int64", low=0, high=12)
        for interleaved in (0, 1):
            case("GroupQueryAttention", 1, *inputs, positions, variant=name, kv_num_heads=1, do_rotary=1, rotary_interleaved=interleaved, **shared)


def add_caches_of_other_layers():
    """The past has the keys of the queries already."""
    shared = dict(outputs=3, num_heads=4, kv_num_heads=1)
    for name, inputs in (("prompt", group_query([4, 4], 4, 4, "p", past=4)), ("step", group_query([4, 4], 1, 4, "s", past=4))):
        inputs[1:3] = [value[:, :0] for value in inputs[1:3]]
        case("GroupQueryAttention", 1, *inputs, variant=f"no_new_keys_{name}", **shared)
        inputs[7:9] = group_query([4, 4], 4, 4, "p", rotary=True)[7:9]
        case("GroupQueryAttention", 1, *inputs, variant=f"no_new_keys_{name}", do_rotary=1, constants=(7, 8), dynamic=False, **shared)


def add_window_caches():
    """Caches that hold only the keys of the window, and some more if they have room. Here they are full: other elements are unspecified."""
    for window, capacity, full in ((2, 2, 9), (3, 5, 8)):
        shared = dict(outputs=3, num_heads=4, kv_num_heads=1, local_window_size=window, sliding_window_cache=1)
        for name, lengths, count in (
            ("prompt", [capacity, capacity], capacity),
            ("long_prompt", [full, full], full),
            ("first_step", [capacity, capacity], 1),
            ("late_step", [capacity, full], 1),
        ):
            inputs = group_query(lengths, count, max(lengths), name, past=capacity)
            case("GroupQueryAttention", 1, *inputs, variant=f"{name}_{capacity}", **shared)
            added = numbers("added", 1, 4, count, max(lengths))
            case("GroupQueryAttention", 1, *inputs, None, added, variant=f"{name}_{capacity}", **shared)
    shared = dict(outputs=3, num_heads=4, kv_num_heads=1, local_window_size=3, sliding_window_cache=1)
    chunk = [value if index == 6 or value is None else value[:1] for index, value in enumerate(group_query([8, 8], 4, 8, "c", past=5))]
    case("GroupQueryAttention", 1, *chunk, variant="chunk", **shared)
    steps = [tuple(group_query([length, length], 1, length, f"s{length}", past=3, rotary=True)) for length in range(3, 8)]
    series("GroupQueryAttention", 1, *steps, variant="window", do_rotary=1, **shared)


def add_normalized_heads():
    """Queries and keys that are normalised, with one epsilon, or one of each. onnxruntime's CPU kernel does not normalise."""
    query, key, value = (numbers(name, BATCH, 1, HIDDEN) for name in ("query", "key", "value"))
    past = [numbers(name, BATCH, HEADS, PAST, SIZE) for name in ("past_key", "past_value")]
    weights = [1 + numbers(f"{which}_norm", SIZE) / 4 for which in "qk"]
    lengths = [np.full(BATCH, PAST, np.int32), np.array(PAST + 1, np.int32)]
    for options in (dict(), dict(qk_norm_epsilon=0.5), dict(q_norm_epsilon=0.9), dict(qk_norm_epsilon=0.5, k_norm_epsilon=0.1)):
        both = options.get("qk_norm_epsilon", 1e-6)
        epsilons = [options.get("q_norm_epsilon", both), options.get("k_norm_epsilon", both)]
        heads = [
            x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(epsilon)) * weight
            for x, epsilon, weight in zip((in_heads(query), in_heads(key)), epsilons, weights)
        ]
        present = [np.concatenate([buffer, now], 2) for buffer, now in zip(past, (heads[1], in_heads(value)))]
        expected = [attention_by_hand(heads[0], *present)[0], *present]
        inputs = [query, key, value, *past, *lengths, *[None] * 7, *weights]
        case("GroupQueryAttention", 1, *inputs, num_heads=HEADS, kv_num_heads=HEADS, outputs=3, expected=expected, **options)


def add_chunks():
    """Several queries after pasts whose lengths query_seqlens gives. The rows are full: other elements are unspecified."""
    more = [None] * 7 + [np.array([LENGTH, LENGTH], np.int32)]
    for past in (PAST, PAST + LENGTH):
        total = past + LENGTH
        inputs = group_query([total, total], LENGTH, total, "c", past=total, rotary=True)
        for options in (dict(), dict(local_window_size=3), dict(do_rotary=1)):
            case("GroupQueryAttention", 1, *inputs, *more, variant=f"chunk_{past}", num_heads=4, kv_num_heads=1, outputs=3, **options)


def add_quantized_caches():
    """Caches of 8 bits, and of 4 bits with two numbers in each byte, for one scale and for one of each channel."""
    size, kv = 16, 2
    for bits, dtype in ((8, "int8"), (4, "uint8")):
        width = size * bits // 8
        low, high = (-100, 100) if bits == 8 else (0, 255)
        for kind, shape in (("PER_TENSOR", (1,)), ("PER_CHANNEL", (kv * size,))):
            scales = [numbers(f"{which}_scale", *shape, low=0.02, high=0.03) * (127 // (2**bits - 1) + 1) for which in "kv"]
            options = dict(num_heads=4, kv_num_heads=kv, k_quant_type=kind, v_quant_type=kind, kv_cache_bit_width=bits, outputs=3)
            for name, lengths, count, total, past in (("prompt", [LENGTH, LENGTH], LENGTH, LENGTH, 0), ("step", [PAST + 1, 2], 1, PAST + 1, PAST)):
                inputs = group_query(lengths, count, total, name, kv=kv, past=past)
                caches = [numbers(f"{name}_{which}", BATCH, kv, past, width, dtype=dtype, low=low, high=high) for which in ("keys", "values")]
                inputs[3:5] = caches
                case("GroupQueryAttention", 1, *inputs, None, None, None, *scales, variant=name, **options)


add_attention()
add_multi_head_attention()
add_decoder_masked_attention()
add_rotary_embedding()
add_multimodal_rotary_embedding()
add_linear_attention()
add_group_query_attention()
add_positions_and_padding()
add_caches_of_other_layers()
add_window_caches()
add_normalized_heads()
add_chunks()
add_quantized_caches()


@pytest.mark.parametrize("conformance", parameters(Entry(("onnxruntime_attention", name), make) for name, make in CASES.items()))
def test_onnxruntime_attention(conformance, result):
    assert_passed(result)
