"""What became of one model from one exporter."""

from dataclasses import dataclass
from typing import Any

from ..conformance.case import Result


@dataclass
class Exported:
    """What an exporter wrote, or why it did not."""

    model: bytes = b""
    runs: tuple[dict[str, Any], ...] = ()  # inputs by name
    failure: str = ""


@dataclass
class Outcome:
    """How the converted model did."""

    export_failure: str = ""
    nodes: int = 0  # of the ONNX model's main graph
    result: Result | None = None
    peer: Result | None = None
