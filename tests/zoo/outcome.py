"""The results of one model from one exporter."""

from dataclasses import dataclass
from typing import Any

from ..conformance.case import Result


@dataclass
class Exported:
    """The exported model, or the reason of the failure."""

    model: bytes = b""
    runs: tuple[dict[str, Any], ...] = ()  # inputs by name
    failure: str = ""
    reference: bytes = b""  # the model that gives the expected values, if it is another one


@dataclass
class Outcome:
    """The result of the conversion and of the runs."""

    export_failure: str = ""
    nodes: int = 0  # of the ONNX model's main graph
    result: Result | None = None
    peer: Result | None = None
