"""Workarounds are active only if a release of the target has their fault."""

import numpy as np
import pytest

from ..conformance.environment import NEWEST
from ..conformance.one_node import model_of
from ..conformance.tool import convert, tool_path

BYTES, PLACES = np.ones(3, np.uint8), np.zeros((2, 3), np.int64)
CASES = {
    "narrow_shifts": (("BitShift", 11, [BYTES, BYTES], (1,), {"direction": "LEFT"}), "BitwiseAnd"),
    "negative_gather_elements": (("GatherElements", 13, [PLACES, PLACES], (), {}), "Select"),
    "negative_gather_nd": (("GatherND", 13, [PLACES, PLACES[:, :2]], (), {}), "Select"),
}


def has_operation(tmp_path, model, operation, target):
    op, opset, inputs, constants, attributes = model
    source, xml = tmp_path / "m.onnx", tmp_path / "m.xml"
    source.write_bytes(model_of(op, opset, inputs, constants, 1, attributes, "", False))
    convert(tool_path(), source, xml, ["--target-runtime", target])
    return f'type="{operation}"' in xml.read_text()


@pytest.mark.parametrize("name", CASES)
def test_workaround_is_left_out_for_releases_without_the_fault(tmp_path, name):
    model, operation = CASES[name]
    assert has_operation(tmp_path, model, operation, "")
    assert not has_operation(tmp_path, model, operation, NEWEST)
