"""What the library tells of an IR: differences, statistics, layers that releases compute wrongly, and files that belong together."""

import ctypes
import json
import os
import pathlib
from typing import Iterable, List, Mapping, Optional, Union

from ._api import ModelSource, convert
from ._handles import _encoded, _Handle, _Options
from ._library import OK, library
from ._model import Model, _model, _raise_os_error, _sizes_text, read_ir
from ._option_texts import Path
from ._types import AffectedLayer, ConversionError, Difference, Stats, diagnostics_of, differences_of, stats_of


def _system_error_of_reading(files: Iterable[Path]) -> int:
    """The error number that opening the first of the files gives that cannot be read; 0 if all can."""
    for path in files:
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            return error.errno or 0
    return 0


def diff(before: Model, after: Model, *, ignore_names: bool = False) -> List[str]:
    """The differences between two models, one line each; empty if they are equal. The order and the ids of layers do not matter."""
    return [one.text for one in differences(before, after, ignore_names=ignore_names)]


def differences(before: Model, after: Model, *, ignore_names: bool = False) -> List[Difference]:
    """The same in parts: where, what, before, after, and for constants how many elements differ and by how much.

    `ignore_names`: compares no names of models, layers and tensors; inputs and outputs are matched by their order.
    """
    for model in (before, after):
        if not isinstance(model, Model):
            raise TypeError(f"only an onnx2ir.Model can be compared, not {type(model).__name__}: onnx2ir.convert() and onnx2ir.read_ir() return one")
    text = library.onnx2ir_conversion_differences(before._handle.pointer, after._handle.pointer, int(ignore_names))
    return differences_of(json.loads(before._text(text)))


def stats(model: Union[Model, ModelSource], sizes: Optional[Mapping[str, int]] = None) -> Stats:
    """Counts the operators, parameters, weights, arithmetic and memory of a model; what is not a Model is converted first.

    `sizes`: those of dynamic dimensions of inputs, {"batch": 8, "x[1]": 224}; ValueError if they do not fit the model.
    """
    converted = model if isinstance(model, Model) else convert(model)
    text = library.onnx2ir_conversion_stats(converted._handle.pointer, _sizes_text(sizes or {}))
    if text is None:
        raise ValueError(converted._last_error())
    return stats_of(json.loads(text.decode(errors="replace")))


def _ir(model: Union[Model, Path]) -> Model:
    """The model, or the IR that the path names."""
    if isinstance(model, Model):
        return model
    if isinstance(model, (str, os.PathLike)):
        return read_ir(model)
    raise TypeError(f"an IR must be an onnx2ir.Model or the path of its XML, not {type(model).__name__}: onnx2ir.read_ir() reads files")


def lint(model: Union[Model, Path], *, target_runtime: str = "", dynamic_quantization: str = "auto") -> List[AffectedLayer]:
    """The layers of an IR that releases of `target_runtime` (by default all supported ones) compute wrongly: see docs/lint.md.

    `model`: a Model, or the path of an XML. `dynamic_quantization`: as in legalize(). Raises ConversionError.
    """
    options = _Options(target_runtime=target_runtime or None, dynamic_quantization=dynamic_quantization)
    read = _ir(model)
    before = len(read._handle.description()["diagnostics"])
    text = library.onnx2ir_conversion_lint(read._handle.pointer, options.handle)
    if text is None:
        found = diagnostics_of(read._handle.description()["diagnostics"][before:])
        if not found:
            raise RuntimeError("a file of the model has changed")
        raise ConversionError("\n".join(map(str, found)), found)
    return [AffectedLayer(**row) for row in json.loads(read._text(text))]


def legalize(model: Union[Model, Path], *, target_runtime: str = "", dynamic_quantization: str = "auto") -> Model:
    """A copy of an IR, also one of OpenVINO, in which the faults of these releases are worked around. Raises ConversionError.

    `model`: a Model, or the path of an XML. `dynamic_quantization`: whether the CPU plugin may round the inputs of products with quantised
    weights to 8 bits: "auto" (not if the weights have 8 bits), "never" or "always".
    """
    options = _Options(target_runtime=target_runtime or None, dynamic_quantization=dynamic_quantization)
    read = _ir(model)  # must live as long as the call
    return _model(_Handle(library.onnx2ir_conversion_legalize(read._handle.pointer, options.handle)))


def check_files(xml: Path, bin: Optional[Path] = None) -> None:  # noqa: A002
    """Raises OSError unless the XML and the weights in `bin` (by default next to the XML) were saved together."""
    problem = ctypes.create_string_buffer(4096)
    files = [None if path is None else _encoded(os.fspath(path)) for path in (xml, bin)]
    if library.onnx2ir_check_files(*files, problem, len(problem)) != OK:
        message = problem.value.decode(errors="replace")
        _raise_os_error(message, xml, _system_error_of_reading([xml, bin or pathlib.Path(os.fspath(xml)).with_suffix(".bin")]))
