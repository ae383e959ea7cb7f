"""The types of what the library describes: diagnostics, ports, operators."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple


@dataclass(frozen=True)
class Place:
    """A place in a model; unknown fields are empty or -1."""

    graph: str = ""
    node_index: int = -1
    node_name: str = ""
    domain: str = ""
    op_type: str = ""
    opset: int = -1
    outputs: Tuple[str, ...] = ()
    function_stack: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagnostic:
    """An error, a warning or a remark about a model."""

    severity: str  # "remark", "warning" or "error"
    code: str
    message: str
    place: Place = field(default_factory=Place)
    notes: Tuple[str, ...] = ()
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.severity}: {self.message} [{self.code}]"


class Dimension(int):
    """A dimension of a shape: its size, or -1 if it is dynamic. A dynamic one has bounds, and the name that the ONNX model gives it.

    >>> Dimension(-1, max=8, name="batch")
    batch=0..8
    """

    min: int
    max: Optional[int]  # None: no upper bound
    name: str  # "" if it has none

    def __new__(cls, size: int, min: int = 0, max: Optional[int] = None, name: str = "") -> "Dimension":  # noqa: A002
        self = super().__new__(cls, size)
        self.min, self.max, self.name = (min, max, name) if size < 0 else (int(size), int(size), "")
        return self

    @property
    def is_dynamic(self) -> bool:
        return self < 0

    def __getnewargs__(self) -> Tuple[int, int, Optional[int], str]:  # type: ignore[override]
        return int(self), self.min, self.max, self.name

    def __repr__(self) -> str:
        if not self.is_dynamic:
            return int.__repr__(self)
        bounds = "" if self.min == 0 and self.max is None else f"{self.min}..{'' if self.max is None else self.max}"
        return "=".join(part for part in (self.name, bounds) if part) or "?"

    __str__ = __repr__


@dataclass(frozen=True)
class Port:
    """An input or output of a converted model."""

    name: str
    element_type: str
    shape: Optional[Tuple[Dimension, ...]]  # sizes, -1 for a dynamic dimension, which has bounds and a name; None for a dynamic rank


@dataclass(frozen=True)
class Operator:
    """An operator that is converted."""

    domain: str  # "" for ai.onnx
    name: str
    versions: Tuple[int, ...]
    limits: str  # what is not converted


@dataclass(frozen=True)
class AffectedLayer:
    """A layer of an IR that a fault of OpenVINO affects."""

    layer: str  # "loop/body/Add_3"; empty if the fault concerns the whole model
    operation: str
    fault: str
    summary: str  # what goes wrong
    first_release: str
    last_release: str  # empty: the newest release has the fault
    instruction_sets: str  # empty: all
    warning: str  # not empty: legalize() changes nothing, and this says what goes wrong


class ConversionError(ValueError):
    """A model that cannot be converted; `diagnostics` has all the reasons."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message, tuple(diagnostics))
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)

    def __str__(self) -> str:
        return str(self.args[0])


def diagnostics_of(rows: List[Dict[str, Any]]) -> Tuple[Diagnostic, ...]:
    """From the JSON of the library, as below."""
    return tuple(
        Diagnostic(
            **{
                **row,
                "notes": tuple(row["notes"]),
                "place": Place(
                    **{**row["place"], "outputs": tuple(row["place"]["outputs"]), "function_stack": tuple(row["place"]["function_stack"])}
                ),
            }
        )
        for row in rows
    )


def ports_of(rows: List[Dict[str, Any]]) -> Tuple[Port, ...]:
    def shape_of(row: Dict[str, Any]) -> Optional[Tuple[Dimension, ...]]:
        if row["shape"] is None:
            return None
        bounds = row["dimensions"]
        return tuple(
            Dimension(size, one["min"], None if one["max"] < 0 else one["max"], one["name"]) for size, one in zip(row["shape"], bounds)
        )

    return tuple(Port(row["name"], row["element_type"], shape_of(row)) for row in rows)
