"""A converted model: writing it, and reading an IR."""

import ctypes
import errno
import io
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NoReturn, Optional, Protocol, Tuple, Union

from ._handles import _encoded, _Handle, _Options
from ._library import OK, Allocate, Visit, Write, library
from ._notebook import notebook_html
from ._option_texts import Path, path_text
from ._progress import ProgressFunction, Reporter
from ._types import ConversionError, Diagnostic, Layer, Port, diagnostics_of, layer_of, ports_of

if TYPE_CHECKING:
    import openvino


class _Writable(Protocol):
    def write(self, data: bytes) -> Any: ...


def _raise_os_error(message: str, path: Path, number: int) -> NoReturn:
    """With the system's error number, if there is one, which makes it a FileNotFoundError or a similar exception."""
    if number:
        raise OSError(number, message, os.fspath(path))
    raise OSError(message)


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


def _sizes_text(sizes: Mapping[str, int]) -> bytes:
    if not isinstance(sizes, Mapping):
        raise TypeError(f"sizes must be a dictionary such as {{'batch': 8}}, not {type(sizes).__name__}")
    return _encoded(",".join(f"{name}={size}" for name, size in sizes.items()))
