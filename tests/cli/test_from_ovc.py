"""The recipe for preprocessing in docs/from-ovc.md."""

import re
from pathlib import Path

import numpy as np

from .command import converted, infer, interface, onnx_file

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/from-ovc.md"
MODEL = """
<ir_version: 10, opset_import: ["" : 17]>
net (float[1, 3, h, w] image) => (float[1, 3, h, w] result) { result = Relu (image) }
"""


def test_preprocessing_recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    converted(onnx_file(tmp_path / "model.onnx", MODEL), folder=tmp_path)
    [recipe] = (block for block in re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S) if "PrePostProcessor" in block)
    exec(compile(recipe, str(DOCUMENT), "exec"), {})  # noqa: S102
    assert interface(tmp_path / "preprocessed.xml")[0] == [("image", "u8", "[1,?,?,3]")]
    pixels = np.random.default_rng(0).integers(0, 256, (1, 5, 7, 3), np.uint8)
    rgb = pixels[..., ::-1].astype(np.float32).transpose(0, 3, 1, 2)
    mean, scale = (np.array(values, np.float32).reshape(1, 3, 1, 1) for values in ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375]))
    expected = np.maximum((rgb - mean) / scale, 0)
    np.testing.assert_allclose(infer(tmp_path / "preprocessed.xml", image=pixels)["result"], expected, rtol=1e-4, atol=1e-5)
