"""convert(), and what the package says of itself. Other Python threads run while a model is converted or written."""

import ctypes
import errno
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Protocol, Sequence, Union

from ._external_data import ExternalData
from ._handles import _checked, _encoded, _Handle, _Options
from ._library import library
from ._model import Model, _model
from ._option_texts import Path, extensions_text, inputs_text, outputs_text, path_text
from ._progress import ProgressFunction, Reporter
from ._sources import model_parts
from ._types import Operator

if TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    Buffer = bytes


class _Message(Protocol):
    def SerializeToString(self) -> bytes: ...


class _Readable(Protocol):
    def read(self) -> Any: ...


class _Array(Protocol):
    @property
    def __array_interface__(self) -> Any: ...


class _OnnxIrModel(Protocol):
    """An onnx_ir.Model."""

    @property
    def graph(self) -> Any: ...
    @property
    def opset_imports(self) -> Any: ...


class _OnnxProgram(Protocol):
    """A torch.onnx.ONNXProgram."""

    @property
    def model_proto(self) -> Any: ...


# What convert() accepts as a model.
ModelSource = Union[Path, Buffer, _Message, _Readable, _Array, _OnnxIrModel, _OnnxProgram]


def _converted(model: Any, options: _Options) -> _Handle:
    content, supply = model_parts(model)
    if supply is not None:
        options.set_external_data(supply)
    if content is None:
        os.stat(model)  # raises the right error for a missing file
        return _Handle(library.onnx2ir_convert_file(_encoded(os.fspath(model)), options.handle))
    view = memoryview(content)
    source: Any = content if isinstance(content, bytes) else bytes(view) if view.readonly else (ctypes.c_char * view.nbytes).from_buffer(view)
    return _Handle(library.onnx2ir_convert_bytes(source, view.nbytes, options.handle))


def _option_values(arguments: Mapping[str, Any]) -> Dict[str, Any]:
    """The arguments of convert() that are options of the library; None: the default of the library."""
    rows = {row["name"]: row for row in json.loads(library.onnx2ir_list_options())}
    values: Dict[str, Any] = {name: bool(value) if rows[name]["kind"] == "flag" else value for name, value in arguments.items() if name in rows}
    values["input"] = inputs_text(values["input"])
    values["output"] = outputs_text(values["output"])
    values["extension"] = extensions_text(values["extension"])
    for name in ("external_data_folder", "operator_map"):
        values[name] = path_text(name, values[name])
    values["target_runtime"] = values["target_runtime"] or None
    return values


def convert(
    model: ModelSource,
    *,
    input: Any = None,  # noqa: A002
    output: Union[None, str, Sequence[str]] = None,
    external_data_folder: Optional[Path] = None,
    external_data: Optional[ExternalData] = None,
    operator_map: Optional[Path] = None,
    extension: Union[None, Path, Sequence[Path]] = None,
    keep_unknown: bool = False,
    compress_to_fp16: bool = False,
    target_runtime: str = "",
    unroll_loops: bool = False,
    stateful: bool = False,
    quantization: str = "fast",
    dynamic_quantization: str = "auto",
    threads: int = 0,
    max_function_nodes: int = 1_000_000,
    max_memory: Optional[int] = None,
    progress: Union[None, bool, ProgressFunction] = None,
) -> Model:
    """Converts a model: a path, bytes or any buffer, ONNX text, an open file, an onnx.ModelProto or GraphProto, an onnx_ir.Model, or a
    torch.onnx.ONNXProgram.

    Raises ConversionError with all reasons, and OSError (FileNotFoundError, ...) for a file that cannot be found.

    `input`: inputs of the converted model, as text ("x[1,3,224,224]{f16},rate->16000", the form of the command line), or as a name, a shape,
    a type, a constant array, a tuple of these for one input, or a list or dict of them for several (docs/embedding.md).
    `output`: tensors that become the outputs.
    `external_data_folder`: the folder of external data; by default that of the model's file.
    `external_data`: a function that gets the location of external data, and returns it as bytes or another buffer, or as an open binary file
    that can seek, for example if it is encrypted or on another machine; None: it is a file. The data is in memory as long as the model.
    `operator_map`: a JSON file with rules that convert operators to operations of the IR.
    `extension`: a library with translators of operators, or several of them.
    `keep_unknown`: keeps operators that cannot be converted as layers for an extension of OpenVINO, which the program that runs the IR loads.
    `compress_to_fp16`: stores floating-point constants in half precision if they fit.
    `target_runtime`: the OpenVINO releases that must be able to run the IR, "2025.4" or "2025.0..2026.0"; all supported ones by default.
    `unroll_loops`: unrolls loops with few, statically known iterations and a small body.
    `stateful`: keeps the caches of a language model in variables, as OpenVINO GenAI expects.
    `quantization`: how quantised models are computed: "fast" (integer kernels, with the error of onnxruntime against the model
    before quantisation) or "exact" (in f32, with the rounding of onnxruntime).
    `dynamic_quantization`: when the CPU plugin may round the inputs of products with quantised weights to 8 bits, up to twice as fast with an
    error of about 1 %: "auto" (if onnxruntime rounds, too), "never" or "always".
    `threads`: threads that process large constants; 0: as many as the machine has.
    `max_function_nodes`: the most nodes that calls of the model's functions may add.
    `max_memory`: the most bytes that the conversion may use, by an estimate; 0: no limit; by default 512 MiB and a multiple of the size of
    the model's files.
    `progress`: a function that is called with the name of the stage and the finished fraction of the work, and ends the conversion by an
    exception; or True for a bar, of tqdm if it is installed. Ctrl-C ends the conversion as well.
    """
    options = _Options(**_option_values(locals()))
    if external_data is not None:
        if not callable(external_data):
            raise TypeError(f"external_data must be a function of a location, not {type(external_data).__name__}")
        options.set_external_data(external_data)
    with Reporter(progress, "converting") as reporter:
        options.set_progress(reporter.report)
        with options.running():
            handle = _converted(model, options)
    return _model(handle)


def supported_operators() -> List[Operator]:
    """All operators that are converted, sorted by domain and name."""
    text: bytes = _checked(library.onnx2ir_supported_operators())
    return [Operator(row["domain"], row["name"], tuple(row["versions"]), row["limits"]) for row in json.loads(text)]


def get_include() -> str:
    """The folder of the headers for libraries with translators (`onnx2ir/extension.hpp`), for the compiler's option -I."""
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "include/onnx2ir/extension.hpp").exists():
            return str(folder / "include")
    raise FileNotFoundError(errno.ENOENT, "the headers of onnx2ir are not installed", "onnx2ir/extension.hpp")
