"""Attention beyond the backend suite: groups of heads with all masks, fully masked queries, no queries
and no keys; and when it becomes ScaledDotProductAttention."""

import ml_dtypes
import numpy as np
import onnx
import openvino as ov
import pytest
from onnx.reference import ReferenceEvaluator

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, model_of, numbers
from .tool import convert, tool_path

CASES = {}
BOOLEAN_MASK = np.array([[1, 0, 1, 0, 1, 1], [0] * 6, [1] * 6, [0, 0, 0, 0, 0, 1]], bool)  # the second query sees no key
ADDITIVE_MASK = np.where(BOOLEAN_MASK, numbers("bias", 4, 6), -np.inf).astype(np.float32)


def heads(queries=4, keys=2, rows=4, columns=6, batch=2, size=8, value_size=6):
    """Query, key and value in heads."""
    return [
        numbers("q", batch, queries, rows, size),
        numbers("k", batch, keys, columns, size),
        numbers("v", batch, keys, columns, value_size),
    ]


def packed(values):
    """Heads as Attention takes them with three dimensions."""
    return [value.transpose(0, 2, 1, 3).reshape(value.shape[0], value.shape[2], -1) for value in values]


def case(opset, *inputs, outputs=1, constants=(), variant="", **attributes):
    """Expected values are those of ONNX's reference: onnxruntime has no version 25, and no zeros for fully masked rows.
    The reference does not broadcast masks."""
    asked = list(inputs)
    if len(inputs) > 3 and inputs[3] is not None:
        mask = inputs[3]
        asked[3] = np.broadcast_to(mask, [*mask.shape[:-2], 4, mask.shape[-1] if opset >= 24 else 6])
    feeds = {f"x{i}": value for i, value in enumerate(asked) if value is not None}
    model = model_of("Attention", opset, asked, (), outputs, attributes, "", False)
    expected = ReferenceEvaluator(onnx.load_from_string(model)).run(None, feeds)
    shared = {"constants": constants, "outputs": outputs, "expected": expected, "variant": variant}
    add_case(CASES, "Attention", opset, *inputs, **shared, **attributes)


def add_masks():
    given = heads()
    masks = [
        BOOLEAN_MASK,
        ADDITIVE_MASK,
        BOOLEAN_MASK[:, :1],
        np.repeat(ADDITIVE_MASK[None], 4, 0) + numbers("heads", 4, 1, 1),
        np.repeat(BOOLEAN_MASK[None, None], 2, 0),
        np.repeat(ADDITIVE_MASK[None, None], 4, 1),
        numbers("bias", 2, 4, 1, 6),
    ]
    for mask in masks:
        case(23, *given, mask, variant=f"groups-{mask.dtype}")
        case(23, *packed(given), mask, q_num_heads=4, kv_num_heads=2, variant=f"{mask.dtype}")
        case(23, *heads(keys=4), mask, is_causal=1, variant=f"{mask.dtype}")
        case(23, *given, mask, softcap=1.5, outputs=4, qk_matmul_output_mode=3, variant=f"{mask.dtype}")
    for length in (1, 4):
        case(24, *given, BOOLEAN_MASK[:, :length], variant="short")
        case(24, *given, ADDITIVE_MASK[:, :length], variant="short")


def add_constants():
    """Small positive numbers: bf16 has eight bits."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        for keys in (2, 4):
            given = [np.abs(value / 3).astype(dtype) for value in heads(keys=keys)]
            case(23, *given, constants=(1, 2), softcap=2.0, variant="constants")
            case(23, *given, constants=(1, 2), variant="constants")


def add_caches():
    past = [numbers("pk", 2, 2, 3, 8), numbers("pv", 2, 2, 3, 6)]
    for attributes in ({}, {"is_causal": 1}, {"is_causal": 1, "scale": 0.2}, {"qk_matmul_output_mode": 2}):
        outputs = 4 if "qk_matmul_output_mode" in attributes else 3
        case(23, *heads(), None, *past, outputs=outputs, **attributes)
        case(23, *packed(heads()), None, *past, outputs=outputs, q_num_heads=4, kv_num_heads=2, **attributes)
    lengths = np.array([2, 6])
    for attributes in ({}, {"is_causal": 1}, {"left_window_size": 1}, {"right_window_size": 0, "left_window_size": 2}):
        opset = 25 if "left_window_size" in attributes else 24
        case(opset, *heads(), None, None, None, lengths, **attributes)
        case(opset, *heads(), ADDITIVE_MASK, None, None, lengths, **attributes)


def add_sizes():
    for name, sizes in {"no rows": {"rows": 0}, "no batch": {"batch": 0}, "one row": {"rows": 1}}.items():
        for keys in (2, 4):
            case(23, *heads(keys=keys, **sizes), is_causal=1, variant=name)
    case(25, *heads(keys=4, rows=6, columns=4), left_window_size=1)  # windows after the last key
    case(25, *heads(), left_window_size=1, right_window_size=1)


add_masks()
add_constants()
add_caches()
add_sizes()


@pytest.mark.parametrize("conformance", parameters(Entry(("attention", name), make) for name, make in CASES.items()))
def test_attention(conformance, result):
    assert_passed(result)


# Besides ScaledDotProductAttention, there are only the zeros for fully masked queries.
FORMS = [
    ([], {}, 1, True, False),
    ([], {"is_causal": 1, "scale": 0.3}, 1, True, False),
    ([BOOLEAN_MASK], {}, 1, True, True),
    ([ADDITIVE_MASK], {}, 1, True, True),
    ([], {"softcap": 2.0}, 1, False, False),
    ([], {"qk_matmul_output_mode": 1}, 4, False, False),
    ([], {"softmax_precision": 11}, 1, False, False),
    ([], {"softmax_precision": 1}, 1, True, False),
]


@pytest.mark.parametrize("mask, attributes, outputs, is_one, has_zeros", FORMS)
@pytest.mark.parametrize("keys", [2, 4])
def test_fusion_and_zeros(tmp_path, mask, attributes, outputs, is_one, has_zeros, keys):
    assert counts(tmp_path, [*heads(keys=keys), *mask], (), outputs, attributes) == (is_one, not is_one, has_zeros)


@pytest.mark.parametrize("mask, has_zeros", [(BOOLEAN_MASK, True), (ADDITIVE_MASK, True), (BOOLEAN_MASK[2:3], False), (ADDITIVE_MASK[2:3], False)])
def test_static_masks_add_zeros_only_for_fully_masked_rows(tmp_path, mask, has_zeros):
    assert counts(tmp_path, [*heads(), mask], (3,), 1, {}) == (True, False, has_zeros)


def test_masks_of_dynamic_size_are_not_fused(tmp_path):
    """A mask with a dynamic number of rows may have one row for all queries."""
    assert counts(tmp_path, [*heads(), ADDITIVE_MASK], (), 1, {}, True) == (False, True, True)
    assert counts(tmp_path, [*heads(), ADDITIVE_MASK], (3,), 1, {}, True) == (True, False, True)
    assert counts(tmp_path, heads(), (), 1, {}, True) == (True, False, False)


def counts(tmp_path, inputs, constants, outputs, attributes, is_dynamic=False):
    """Whether the IR has ScaledDotProductAttention, a Softmax, and a selection of zeros."""
    source, target = tmp_path / "m.onnx", tmp_path / "m.xml"
    source.write_bytes(model_of("Attention", 23, inputs, constants, outputs, attributes, "", is_dynamic))
    # Older releases need another Select: legalize_attentions.
    convert(tool_path(), source, target, ("--target-runtime", "2026.4"))
    names = [node.get_type_name() for node in ov.Core().read_model(target).get_ops()]
    return tuple(bool(names.count(name)) for name in ("ScaledDotProductAttention", "Softmax", "Select"))
