"""Programs that mypy accepts in its strict mode, and mistakes that it finds; without the installation."""

import mypy.api
import pytest

from .test_package import REPOSITORY

PROGRAM = """
import io
import typing
import numpy
import onnx2ir

array = numpy.zeros(3, numpy.uint8)
for model in ("m.onnx", b"", bytearray(), memoryview(b""), io.BytesIO(), array):
    pass
onnx2ir.convert(array)
onnx2ir.convert(memoryview(b""), input={"x": numpy.ones(1, numpy.float32)}, progress=True)
onnx2ir.convert(io.BytesIO(), progress=lambda stage, fraction: print(stage.upper(), fraction + 1)).save("m.xml", progress=True)
typing.assert_type(onnx2ir.convert("m.onnx").inputs[0].shape, tuple[onnx2ir.Dimension, ...] | None)
for size in onnx2ir.convert("m.onnx").inputs[0].shape or ():
    typing.assert_type(size + 1, int)
    typing.assert_type(size.max, int | None)
onnx2ir.convert_model("m.onnx", ("x", [1, 3], "float32"), "y", extension=["a.so"], verbose=True)
"""


@pytest.mark.parametrize(
    ("mistake", "code"),
    [
        ("", ""),
        ("onnx2ir.convert(3)", "arg-type"),
        ("onnx2ir.convert('m.onnx', progress=3)", "arg-type"),
        ("onnx2ir.convert_model('m.onnx', inputs=3)", "call-arg"),
    ],
)
def test_types(tmp_path, monkeypatch, mistake, code):
    (tmp_path / "use.py").write_text(PROGRAM + mistake)
    monkeypatch.setenv("MYPYPATH", str(REPOSITORY / "python"))
    monkeypatch.chdir(tmp_path)
    options = ["--strict", "--follow-imports=silent", "--python-version", "3.11", "use.py"]
    text, errors, status = mypy.api.run(options)
    assert (status == 0) == (not mistake), text + errors
    assert not mistake or f"[{code}]" in text and "Found 1 error" in text, text
