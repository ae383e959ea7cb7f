"""Sliced inputs of Loop-5, which the front end does not emit: the runtime reads the XML that the writer emits for
them. tests/unit/xml_reader_test.cpp checks that the same file is read and written."""

from pathlib import Path

import numpy as np
import openvino as ov

MODEL = Path(__file__).parents[1] / "models/sliced_inputs.xml"


def test_sliced_inputs():
    compiled = ov.Core().compile_model(MODEL, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    columns = np.arange(6, 12, dtype=np.float32).reshape(2, 3)
    results = compiled({"rows": rows, "columns": columns})
    np.testing.assert_array_equal(results["sum"], 10 * rows.sum(axis=0, keepdims=True))
    np.testing.assert_array_equal(results["reversed"], columns[:, ::-1])
