"""ONNX models to OpenVINO IR."""

import os
from typing import Protocol

__version__: str

class Place:
    """Where in a model something is; what is not known is empty or -1."""

    graph: str
    node_index: int
    node_name: str
    domain: str
    op_type: str
    opset: int
    outputs: list[str]
    function_stack: list[str]

class Diagnostic:
    """What a conversion has to say about a model."""

    severity: str  # "remark", "warning" or "error"
    code: str
    message: str
    place: Place
    notes: list[str]
    hint: str

class ConversionError(ValueError):
    """A model that cannot be converted; `diagnostics` has all the reasons."""

    diagnostics: list[Diagnostic]

class Port:
    """An input or output of a converted model."""

    name: str
    element_type: str
    shape: list[int] | None  # -1 for a dimension not known; None without a known rank

class Model:
    """A converted model. Leave the files it was read from unchanged."""

    inputs: list[Port]
    outputs: list[Port]
    diagnostics: list[Diagnostic]  # warnings and remarks
    def save(
        self,
        xml: str | os.PathLike[str],
        bin: str | os.PathLike[str] | None = None,
        *,
        sync: str = "replaced",
        max_xml_size: int = 1 << 32,
    ) -> None:
        """Writes the XML and, beside it or at `bin`, the weights; both or neither. Raises OSError.

        `sync`: when to wait until the files are on the disk: "replaced" (if a file is replaced), "always" or "never".
        `max_xml_size`: the largest XML that is written, in bytes.
        """
    def xml(self) -> bytes:
        """The XML, in memory."""
    def weights(self) -> bytes:
        """The weights that the XML refers to, in memory."""

class _ModelProto(Protocol):
    def SerializeToString(self) -> bytes: ...

def check_files(xml: str | os.PathLike[str], bin: str | os.PathLike[str] | None = None) -> None:
    """Raises OSError unless the XML and, beside it or at `bin`, the weights were saved together."""

def convert(
    model: str | os.PathLike[str] | bytes | _ModelProto,
    *,
    target_runtime: str = "",
    compress_to_fp16: bool = False,
    unroll_loops: bool = False,
    stateful: bool = False,
    threads: int = 0,
    max_function_nodes: int = 1_000_000,
    max_memory: int = 0,
    external_data_folder: str | os.PathLike[str] | None = None,
) -> Model:
    """Converts the model at a path, in bytes, or in an onnx.ModelProto. Raises ConversionError.

    `target_runtime`: the OpenVINO releases that have to run the IR, "2025.4" or "2024.6..2026.4"; all supported ones by default.
    `max_function_nodes`: the most nodes that calls of the model's functions may add.
    `max_memory`: the most bytes that the conversion may take, by an estimate; 0: no limit.
    External data of bytes and of a ModelProto is looked up in `external_data_folder`.
    """
