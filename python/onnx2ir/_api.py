"""The Python interface, which uses the C interface. Other Python threads run while a model is converted or written."""

import contextlib
import ctypes
import errno
import io
import json
import os
import pathlib
import signal
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Protocol, Sequence, Tuple, Union

from ._external_data import ExternalData, ExternalSource, first_of
from ._library import OK, Allocate, Progress, Visit, Write, library
from ._notebook import notebook_html
from ._option_texts import Path, extensions_text, inputs_text, outputs_text, path_text
from ._progress import ProgressFunction, Reporter
from ._sources import model_parts
from ._types import (
    AffectedLayer,
    ConversionError,
    Diagnostic,
    Difference,
    Layer,
    Operator,
    Port,
    Stats,
    diagnostics_of,
    differences_of,
    layer_of,
    ports_of,
    stats_of,
)

if TYPE_CHECKING:
    import openvino
    from typing_extensions import Buffer
else:
    Buffer = bytes


class _Message(Protocol):
    def SerializeToString(self) -> bytes: ...


class _Readable(Protocol):
    def read(self) -> Any: ...


class _Writable(Protocol):
    def write(self, data: bytes) -> Any: ...


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


class _Owner:
    """Owns memory of the library. A copy would free it a second time."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} cannot be copied or pickled")


class _Options(_Owner):
    """Options of the library, freed together with this object."""

    def __init__(self, **values: Any) -> None:
        self.handle = _checked(library.onnx2ir_options_new())
        self._progress: Any = None
        self.error: Optional[BaseException] = None  # an exception that ended the work
        self.external_source: Optional[ExternalSource] = None
        for name, value in values.items():
            if value is not None:
                self._set(name, value)

    def __del__(self) -> None:
        library.onnx2ir_options_delete(getattr(self, "handle", None))

    def _set(self, name: str, value: Any) -> None:
        text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
        if library.onnx2ir_options_set(self.handle, name.encode(), _encoded(text)) != OK:
            raise ValueError(f"{name}: {library.onnx2ir_options_problem(self.handle).decode()}")

    def set_progress(self, report: Optional[ProgressFunction]) -> None:
        def call(stage: Optional[bytes], fraction: float, _: Any) -> int:
            try:
                if stage is not None and report is not None:
                    report(stage.decode(), fraction)
            except BaseException as error:  # raised again by running()
                self.error = error
            return int(self.error is not None)

        self._progress = Progress(call)
        library.onnx2ir_options_set_progress(self.handle, self._progress, None)

    def set_external_data(self, supply: ExternalData) -> None:
        """`supply` comes before functions that were set earlier."""
        if self.external_source is not None:
            supply = first_of(supply, self.external_source.supply)
        self.external_source = ExternalSource(supply)
        self.external_source.set_up(self.handle)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Around a call of the library, which ends early at Ctrl-C. Raises the exception that ended it.

        Python handles signals at the start of the progress function, where ctypes would lose an exception of the handler.
        """
        handler = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None

        def handle(number: int, frame: Any) -> None:
            try:
                handler(number, frame)  # type: ignore[operator, misc]
            except BaseException as error:
                self.error = error

        if callable(handler):
            signal.signal(signal.SIGINT, handle)
        try:
            yield
        finally:
            if callable(handler):
                signal.signal(signal.SIGINT, handler)
        source = self.external_source
        if self.error is None and source is not None:
            self.error = source.error
        if self.error is not None:
            raise self.error


class _Handle(_Owner):
    """A conversion of the library."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = _checked(pointer)

    def __del__(self) -> None:
        library.onnx2ir_conversion_delete(getattr(self, "pointer", None))

    def description(self) -> Dict[str, Any]:
        text: bytes = library.onnx2ir_conversion_json(self.pointer)
        description: Dict[str, Any] = json.loads(text.decode(errors="surrogateescape"))
        return description


def _checked(pointer: Any) -> Any:
    if not pointer:
        raise MemoryError("onnx2ir has no memory")
    return pointer


def _encoded(text: str) -> bytes:
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError("embedded null character")
    return encoded


def _raise_os_error(message: str, path: Path, number: int) -> NoReturn:
    """With the system's error number, if there is one, which makes it a FileNotFoundError or a similar exception."""
    if number:
        raise OSError(number, message, os.fspath(path))
    raise OSError(message)


def _system_error_of_reading(files: Iterable[Path]) -> int:
    """The error number that opening the first of the files gives that cannot be read; 0 if all can."""
    for path in files:
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            return error.errno or 0
    return 0


def _write_all(target: _Writable, data: bytes) -> None:
    """A raw stream may take less than it is given. It returns how much, or None if it would block; other objects may return nothing."""
    while data:
        count = target.write(data)
        if not isinstance(count, int) and not isinstance(target, io.RawIOBase):
            return
        if not count or count < 0:
            raise OSError(errno.EIO, f"the stream did not take {len(data)} bytes of the model: its method write returned {count}")
        data = data[count:]


class Model:
    """A converted model. Do not change the files that it was read from until it is written.

    Copies share the model. A pickled model has the IR in memory, and needs no file any more.

    `inputs`, `outputs`: a Port for each of them, in the order of the IR. `diagnostics`: the warnings and remarks of the conversion.
    """

    inputs: Tuple[Port, ...]
    outputs: Tuple[Port, ...]
    diagnostics: Tuple[Diagnostic, ...]

    def __init__(self, handle: _Handle) -> None:
        self._handle = handle
        description = handle.description()
        self.inputs = ports_of(description["inputs"])
        self.outputs = ports_of(description["outputs"])
        self.diagnostics = diagnostics_of(description["diagnostics"])

    def __copy__(self) -> "Model":
        return _with_fields(Model.__new__(Model), self.__dict__)

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Model":
        return self.__copy__()  # a model does not change

    def __reduce__(self) -> Any:
        fields = {name: value for name, value in self.__dict__.items() if name != "_handle"}
        return _unpickled, (self.xml(), self.weights(), fields)

    def save(
        self,
        xml: Path,
        bin: Optional[Path] = None,  # noqa: A002
        *,
        sync: str = "replaced",
        max_xml_size: int = 1 << 32,
        progress: Union[None, bool, ProgressFunction] = None,
    ) -> None:
        """Writes the XML, and the weights to `bin` (by default next to the XML); both or neither. Raises OSError.

        `sync`: when to wait until the files are on the disk: "replaced" (if a file is replaced), "always" or "never".
        `max_xml_size`: the largest XML that is written, in bytes.
        `progress`: as in convert(). An exception in the function, or Ctrl-C, ends the writing; the previous files are then unchanged.
        """
        options = _Options(sync=sync, max_xml_size=max_xml_size)
        files = [None if path is None else _encoded(os.fspath(path)) for path in (xml, bin)]
        with Reporter(progress, f"saving {os.path.basename(os.fspath(xml))}") as reporter:
            options.set_progress(reporter.report)
            with options.running():
                status = library.onnx2ir_conversion_save(self._handle.pointer, *files, options.handle)
        if status != OK:
            last = self._handle.description()["diagnostics"][-1]
            _raise_os_error(last["message"], xml, last.get("system_error", 0))

    def write(
        self,
        xml: _Writable,
        weights: _Writable,
        *,
        max_xml_size: int = 1 << 32,
        progress: Union[None, bool, ProgressFunction] = None,
    ) -> None:
        """Writes the XML and the weights to open binary files, or to objects with a method `write`: first all weights, then all of the XML.

        An exception of `write`, or in `progress`, ends the writing and is raised. The other arguments are those of save().
        """
        options = _Options(max_xml_size=max_xml_size)

        def writer(target: _Writable) -> Any:
            def call(address: int, size: int, _: Any) -> int:
                try:
                    _write_all(target, ctypes.string_at(address, size))
                    return 1
                except BaseException as error:  # raised again by running()
                    options.error = options.error or error
                    return 0

            return Write(call)

        writers = [writer(xml), writer(weights)]
        with Reporter(progress, "writing") as reporter:
            options.set_progress(reporter.report)
            with options.running():
                status = library.onnx2ir_conversion_write(self._handle.pointer, writers[0], None, writers[1], None, options.handle)
        if status != OK:
            raise RuntimeError(self._last_error())

    def layers(self, *, values: bool = False) -> List[Layer]:
        """The layers as they are written, those of bodies too, each one after those that it reads. `values`: with the bytes of constants."""
        found: List[Layer] = []
        errors: List[BaseException] = []

        def visit(layer: Any, _: Any) -> int:
            try:
                description: bytes = library.onnx2ir_layer_json(layer)
                size: int = library.onnx2ir_layer_constant_size(layer) if values else 0
                data = ctypes.create_string_buffer(size)
                if size and library.onnx2ir_layer_constant_read(layer, 0, data, size) != OK:
                    raise RuntimeError("a file of the model cannot be read any more")
                row = json.loads(description)
                found.append(layer_of(row, data.raw if values and row["type"] == "Const" else None))
                return 1
            except BaseException as error:
                errors.append(error)
                return 0

        status = library.onnx2ir_conversion_visit_layers(self._handle.pointer, Visit(visit), None)
        if errors:
            raise errors[0]
        if status != OK:
            raise RuntimeError(self._last_error())
        return found

    def xml(self) -> bytes:
        """The XML, in memory. Raises RuntimeError if a file of the model has changed."""
        return ctypes.string_at(*self._memory(library.onnx2ir_conversion_xml))

    def weights(self) -> bytes:
        """A copy of the weights that the XML refers to."""
        return ctypes.string_at(*self._memory(library.onnx2ir_conversion_weights))

    def weights_view(self) -> memoryview:
        """The weights in the library's memory, which lives as long as the view."""
        address, size = self._memory(library.onnx2ir_conversion_weights)
        kind: Any = type("Weights", (ctypes.c_char * size,), {})
        weights = kind.from_address(address)
        weights.owner = self._handle
        return memoryview(weights).cast("B").toreadonly()

    def to_openvino(self) -> "openvino.Model":
        """The model in OpenVINO, which needs neither this object nor, from now on, the files of the model.

        On some CPUs, OpenVINO computes in bf16 or f16. For comparisons, compile it with {"INFERENCE_PRECISION_HINT": "f32"}.
        """
        import openvino

        tensors = []

        def allocate(size: int, _: Any) -> Optional[int]:
            # OpenVINO owns the memory, because a compiled model uses constants for as long as it lives.
            tensors.append(openvino.Tensor(openvino.Type.u8, openvino.Shape([size])))
            address: int = tensors[0].data.ctypes.data
            return address

        if library.onnx2ir_conversion_copy_weights(self._handle.pointer, Allocate(allocate), None) != OK:
            raise RuntimeError(self._last_error())
        return openvino.Core().read_model(self.xml(), tensors[0])

    def text(self) -> str:
        """The graph as it is written, as text, with a hash for each large constant."""
        return self._text(library.onnx2ir_conversion_graph(self._handle.pointer))

    def html(self, sizes: Optional[Mapping[str, int]] = None) -> str:
        """The graph as it is written, as an HTML page for a web browser, without references to other files.

        `sizes`: those of dynamic dimensions, as in stats(), for the chart of the page; ValueError if they do not fit the model.
        """
        if not sizes:
            return self._text(library.onnx2ir_conversion_html(self._handle.pointer))
        text = library.onnx2ir_conversion_html_with_sizes(self._handle.pointer, _sizes_text(sizes))
        if text is None:
            raise ValueError(self._last_error())
        return self._text(text)

    def _repr_html_(self) -> str:
        """What a notebook shows: inputs and outputs, and the page of html() if it is not too large."""
        try:
            page = self.html()
        except RuntimeError:  # a file of the model has changed
            page = ""
        return notebook_html(self.inputs, self.outputs, page)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        def shown(ports: Tuple[Port, ...]) -> str:
            return ", ".join(f"{port.name}: {port.element_type}{'[...]' if port.shape is None else list(port.shape)}" for port in ports)

        return f"<onnx2ir.Model ({shown(self.inputs)}) -> ({shown(self.outputs)})>"

    def _memory(self, read: Any) -> Tuple[int, int]:
        size = ctypes.c_size_t()
        address = read(self._handle.pointer, ctypes.byref(size))
        if not address:
            raise RuntimeError(self._last_error())
        return address, size.value

    def _text(self, text: Optional[bytes]) -> str:
        if text is None:
            raise RuntimeError(self._last_error())
        return text.decode(errors="replace")

    def _last_error(self) -> str:
        message: str = self._handle.description()["diagnostics"][-1]["message"]
        return message


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


def _model(handle: _Handle) -> Model:
    if library.onnx2ir_conversion_status(handle.pointer) != OK:
        text: bytes = library.onnx2ir_conversion_text(handle.pointer)
        raise ConversionError(text.decode(errors="replace"), diagnostics_of(handle.description()["diagnostics"]))
    return Model(handle)


def _with_fields(model: Model, fields: Dict[str, Any]) -> Model:
    model.__dict__.update(fields)
    return model


def _unpickled(xml: bytes, weights: bytes, fields: Dict[str, Any]) -> Model:
    return _with_fields(_model(_Handle(library.onnx2ir_read_ir_bytes(xml, len(xml), weights, len(weights)))), fields)


def read_ir(xml: Path, bin: Optional[Path] = None) -> Model:  # noqa: A002
    """Reads an IR of onnx2ir or OpenVINO, with the weights in `bin` (by default next to the XML). Raises ConversionError or OSError."""
    path_text("xml", xml)
    os.stat(xml)  # raises the right error for a missing file
    files = [None if path is None else _encoded(os.fspath(path)) for path in (xml, bin)]
    return _model(_Handle(library.onnx2ir_read_ir(*files)))


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


def _sizes_text(sizes: Mapping[str, int]) -> bytes:
    if not isinstance(sizes, Mapping):
        raise TypeError(f"sizes must be a dictionary such as {{'batch': 8}}, not {type(sizes).__name__}")
    return _encoded(",".join(f"{name}={size}" for name, size in sizes.items()))


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
