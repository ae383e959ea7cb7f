"""`convert_model` with the signature of `openvino.convert_model`."""

import contextlib
import logging
import os
import time
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Sequence, Union

from ._api import convert
from ._model import Model
from ._option_texts import Path
from ._sources import exported, is_torch_model

if TYPE_CHECKING:
    import openvino

_log = logging.getLogger("onnx2ir")

_WITHOUT_OPENVINO = (
    "onnx2ir.convert_model returns an openvino.Model, and OpenVINO is not installed: python3 -m pip install openvino. "
    "onnx2ir.convert needs no OpenVINO; its result has save()"
)


def _extension_list(extension: Any) -> Optional[List[Path]]:
    """As in OpenVINO, a text is a list with commas, unless there is a file of this name."""
    if extension is None or isinstance(extension, str) and not extension:
        return None
    if isinstance(extension, str) and not os.path.exists(extension):
        return list(extension.split(","))
    found = list(extension) if isinstance(extension, (list, tuple)) else [extension]
    for one in found:
        if not isinstance(one, (str, os.PathLike)):
            raise TypeError(
                f"an extension of OpenVINO ({type(one).__name__}) works only in OpenVINO's front end: onnx2ir.convert() has keep_unknown=, "
                "operator_map= and extension= for operators of your own (docs/extensions.md)"
            )
    return found


def _output_list(output: Any) -> Union[None, str, List[str]]:
    if output is None or isinstance(output, str):
        return output
    if not isinstance(output, (list, tuple)) or not all(isinstance(name, str) for name in output):
        raise TypeError(f"output must be a name or a list of names, not {output!r}")
    return list(output)


@contextlib.contextmanager
def _verbose_log(is_verbose: bool) -> Iterator[None]:
    """Remarks and times in the log, and on standard error if the program has no handlers."""
    if not is_verbose:
        yield
        return
    level = _log.level
    handler = None if _log.hasHandlers() else logging.StreamHandler()
    if handler is not None:
        _log.addHandler(handler)
    if _log.getEffectiveLevel() > logging.INFO:
        _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.setLevel(level)
        if handler is not None:
            _log.removeHandler(handler)


def _converted(model: Any, inputs: Any, outputs: Any, extension: Any, is_verbose: bool) -> Model:
    start = time.perf_counter()

    def note(stage: str, fraction: float) -> None:
        _log.debug("%3.0f %% %s", 100 * fraction, stage)

    converted = convert(model, input=inputs, output=outputs, extension=extension, progress=note if is_verbose else None)
    for diagnostic in converted.diagnostics:
        _log.log(logging.WARNING if diagnostic.severity == "warning" else logging.INFO, "%s", diagnostic)
    _log.info("converted in %.2f s: %r", time.perf_counter() - start, converted)
    return converted


def convert_model(
    input_model: Any,
    input: Any = None,  # noqa: A002
    output: Union[None, str, Sequence[str]] = None,
    example_input: Any = None,
    extension: Any = None,
    verbose: bool = False,
    share_weights: bool = True,
    dynamo: bool = False,
) -> "openvino.Model":
    """Converts a model to an openvino.Model, with the arguments of `openvino.convert_model`; needs OpenVINO.

    Warnings are written to the logger "onnx2ir". A model that cannot be converted is a ConversionError. `convert` has more options.

    `input_model`: what `convert` accepts, or a model of PyTorch (nn.Module, scripted module, ExportedProgram), which is exported to ONNX.
    `input`: a name, a shape, a type, an array (a constant), a tuple of these for one input, or a list or dict of them for several.
    `output`: names of tensors, as text with commas or as a list.
    `example_input`: for models of PyTorch, a tensor, a tuple or a dict of tensors; other models need none.
    `extension`: libraries with translators for onnx2ir (docs/extensions.md), as text with commas or as a list.
    `verbose`: also logs remarks and times, on standard error if the program has not configured logging.
    `share_weights`: has no effect. OpenVINO always owns a copy of the weights, so the files and objects of the model may change.
    `dynamo`: exports a model of PyTorch with torch.export, and with the sizes of the example except for those that are dynamic in `input`.
    Otherwise the model is traced, and all sizes are dynamic except for those that `input` gives.
    """
    del share_weights
    try:
        import openvino  # noqa: F401
    except ImportError as error:
        raise ImportError(_WITHOUT_OPENVINO) from error
    if isinstance(input_model, (list, tuple)):
        if len(input_model) != 1:
            raise TypeError(f"onnx2ir converts one model, not {len(input_model)}")
        input_model = input_model[0]
    if is_torch_model(input_model):
        with exported(input_model, example_input, input, dynamo=dynamo) as path, _verbose_log(verbose):
            return _converted(path, input, _output_list(output), _extension_list(extension), verbose).to_openvino()
    with _verbose_log(verbose):
        return _converted(input_model, input, _output_list(output), _extension_list(extension), verbose).to_openvino()
