"""Attention with caches over several steps: each step of one compiled model reads the caches of the previous step."""

import numpy as np
import onnxruntime
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import model_of, numbers

HEADS, KV, SIZE = 4, 2, 16
# The lengths of a prompt and of the steps after it.
STEPS = (5, 1, 1, 2, 1, 1)
CASES = {}


def add_steps(op, variant, inputs_of, caches, batch=2, outputs=3, constants=(), **attributes):
    """`inputs_of(batch, count, total)` gives the inputs of a step, `caches` the first caches by their input; those come back from output 1 on."""

    def make():
        total, now, runs, session = 0, dict(caches), [], None
        for count in (count for count in STEPS if batch == 1 or count in (1, STEPS[0])):
            total += count
            inputs = inputs_of(batch, count, total)
            for index, value in now.items():
                inputs[index] = value
            if session is None:
                model = model_of(op, 1, inputs, constants, outputs, attributes, "com.microsoft", True)
                session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
            fed = {f"x{i}": value for i, value in enumerate(inputs) if value is not None and i not in constants}
            results = session.run(None, fed)
            runs.append(Run(fed, {f"y{i}": value for i, value in enumerate(results)}))
            now = dict(zip(now, results[1:]))
        return Case(f"{op}-{variant}", model, runs, one_compiled=True, atol=1e-4)

    CASES[f"{op}-{variant}"] = make


def hidden(name, batch, count, total, heads):
    return numbers(f"{name}{total}", batch, count, heads * SIZE)


def multi_head(batch, count, total):
    return [*(hidden(name, batch, count, total, HEADS) for name in "qkv"), None, None, None, None, None]


def group_query(batch, count, total):
    query = [hidden(name, batch, count, total, heads) for name, heads in (("q", HEADS), ("k", KV), ("v", KV))]
    return [*query, None, None, np.full(batch, total - 1, np.int32), np.array(total, np.int32)]


def rotated(batch, count, total):
    angles = numbers("angles", 32, SIZE // 2)
    return [*group_query(batch, count, total), np.cos(angles), np.sin(angles)]


def quantised(batch, count, total):
    scales = [numbers(f"{name}_scale", KV * SIZE, low=0.3, high=0.5) for name in "kv"]
    return [*group_query(batch, count, total), None, None, None, None, None, *scales]


def packed(batch, count, total):
    weights, bias = numbers("weights", HEADS * SIZE, 3 * HEADS * SIZE, low=-0.5, high=0.5), numbers("bias", 3 * HEADS * SIZE)
    return [hidden("x", batch, count, total, HEADS), weights, bias, None, None]


def empty(batch, heads, size=SIZE, dtype=np.float32):
    return np.zeros((batch, heads, 0, size), dtype)


def add_all():
    shared = dict(num_heads=HEADS)
    groups = dict(num_heads=HEADS, kv_num_heads=KV)
    quantisation = dict(k_quant_type="PER_CHANNEL", v_quant_type="PER_CHANNEL", **groups)
    for batch in (1, 2):
        add_steps("MultiHeadAttention", f"causal_{batch}", multi_head, {6: empty(batch, HEADS), 7: empty(batch, HEADS)}, batch, unidirectional=1, **shared)
        past = {4: np.zeros((2, batch, HEADS, 0, SIZE), np.float32)}
        add_steps("Attention", f"causal_{batch}", packed, past, batch, outputs=2, constants=(1, 2), unidirectional=1, **shared)
        floats = {3: empty(batch, KV), 4: empty(batch, KV)}
        add_steps("GroupQueryAttention", f"plain_{batch}", group_query, floats, batch, **groups)
        add_steps("GroupQueryAttention", f"window_{batch}", group_query, floats, batch, local_window_size=3, **groups)
        add_steps("GroupQueryAttention", f"rotary_{batch}", rotated, floats, batch, constants=(7, 8), do_rotary=1, **groups)
        bytes_of_8 = {3: empty(batch, KV, dtype=np.int8), 4: empty(batch, KV, dtype=np.int8)}
        add_steps("GroupQueryAttention", f"8_bits_{batch}", quantised, bytes_of_8, batch, kv_cache_bit_width=8, **quantisation)
        pairs = {3: empty(batch, KV, SIZE // 2, np.uint8), 4: empty(batch, KV, SIZE // 2, np.uint8)}
        add_steps("GroupQueryAttention", f"4_bits_{batch}", quantised, pairs, batch, kv_cache_bit_width=4, **quantisation)


add_all()


@pytest.mark.parametrize("conformance", parameters(Entry(("cache_steps", name), make) for name, make in CASES.items()))
def test_cache_steps(conformance, result):
    assert_passed(result)
