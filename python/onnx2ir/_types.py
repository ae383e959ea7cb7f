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


@dataclass(frozen=True)
class ChangedElements:
    """How the elements of two numeric constants of the same type and shape differ."""

    count: int
    changed: int
    largest: Optional[float]  # the largest change; None if it is not finite
    relative: Optional[float]  # relative to the largest element


@dataclass(frozen=True)
class Difference:
    """A difference between two models."""

    place: str  # "main/last.body/doubled (Add)", or "model"
    what: str  # "operation", "value", "added"
    before: str  # empty if `what` says all
    after: str
    text: str  # the line of diff()
    elements: Optional[ChangedElements] = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class OperatorCount:
    """The operators, or the layers, of one type. An ONNX model has no arithmetic: its layers in the IR have it."""

    type: str  # "Conv", "com.microsoft.Attention"; of layers "Convolution"
    count: int  # with those in bodies, and in functions as often as they are called
    in_bodies: int
    multiply_adds: int = 0  # in one inference
    flops: int = 0  # a multiply-add counts as two
    without_sizes: int = 0  # layers that are not counted, because their sizes are dynamic


@dataclass(frozen=True)
class WeightCount:
    """The constants of one element type. Constants that share their bytes count once."""

    element_type: str
    constants: int
    elements: int
    bytes: int


@dataclass(frozen=True)
class GraphCounts:
    """The counts of the ONNX model, or of the IR."""

    operator_count: int
    parameters: int  # without integers of more than 8 bits
    weight_bytes: int
    operators: Tuple[OperatorCount, ...]
    weights: Tuple[WeightCount, ...]


@dataclass(frozen=True)
class Costs:
    """The arithmetic and the memory of one inference, in the IR."""

    multiply_adds: int
    flops: int
    without_sizes: int  # layers that are not counted, because their sizes are dynamic
    open_loops: int  # loops of which one iteration is counted
    peak_bytes: Optional[int]  # the most bytes of activations at the same time; None if a size is dynamic
    peak_layer: Optional[str]


@dataclass(frozen=True)
class Stats:
    """The counts of a model: see docs/stats.md."""

    onnx: Optional[GraphCounts]  # None for a model that was read from IR
    ir: GraphCounts
    costs: Costs
    missing_sizes: Tuple[str, ...]  # dynamic dimensions of the inputs without a size


@dataclass(frozen=True)
class LayerOutput:
    """An output of a layer."""

    element_type: str
    shape: Optional[Tuple[Dimension, ...]]  # as in Port
    names: Tuple[str, ...]  # of the tensor in the ONNX model


@dataclass(frozen=True)
class BodyPort:
    """How a value gets into or out of the body of a Loop or an If."""

    kind: str  # "captured", "state", "slice", "scan", "result", "iteration", "condition"
    input: Optional[int] = None  # index of an input of the layer
    parameter: Optional[int] = None  # id of a Parameter of the body
    result: Optional[int] = None  # id of a Result of the body
    output: Optional[int] = None  # index of an output of the layer
    axis: int = 0  # of slices and scans, with the next four, as in the XML
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1


@dataclass(frozen=True)
class LayerBody:
    name: str  # "body", "then_branch" or "else_branch"
    ports: Tuple[BodyPort, ...]


@dataclass(frozen=True)
class Layer:
    """A layer of a converted model."""

    id: int  # the position in the order of Model.layers()
    name: str
    type: str  # "MatMul"
    opset: str
    graph: str  # the path of the body that it is in: "loop/body"; empty for the main graph
    attributes: Dict[str, str]  # as in the XML
    inputs: Tuple[Tuple[int, int], ...]  # the id of the layer that is read, and the index of its output
    outputs: Tuple[LayerOutput, ...]
    value: Optional[bytes] = field(default=None, repr=False)  # of a constant, if it was asked for
    constant_size: int = 0  # bytes of a constant
    bodies: Tuple[LayerBody, ...] = ()  # of a Loop or an If


class ConversionError(ValueError):
    """A model that cannot be converted; `diagnostics` has all the reasons."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message, tuple(diagnostics))
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)

    def __str__(self) -> str:
        return str(self.args[0])


def diagnostics_of(rows: List[Dict[str, Any]]) -> Tuple[Diagnostic, ...]:
    """From the JSON of the library, as below."""
    return tuple(Diagnostic(**{**row, "notes": tuple(row["notes"]), "place": _place_of(row["place"])}) for row in rows)


def _place_of(row: Dict[str, Any]) -> Place:
    return Place(**{**row, "outputs": tuple(row["outputs"]), "function_stack": tuple(row["function_stack"])})


def _shape_of(rows: Optional[List[Dict[str, Any]]]) -> Optional[Tuple[Dimension, ...]]:
    if rows is None:
        return None
    bounds = ((one["min"], None if one["max"] < 0 else one["max"], one.get("name", "")) for one in rows)
    return tuple(Dimension(low if low == high else -1, low, high, name) for low, high, name in bounds)


def ports_of(rows: List[Dict[str, Any]]) -> Tuple[Port, ...]:
    return tuple(Port(row["name"], row["element_type"], _shape_of(row["dimensions"])) for row in rows)


def differences_of(rows: List[Dict[str, Any]]) -> List[Difference]:
    return [Difference(**{**row, "elements": ChangedElements(**row["elements"]) if "elements" in row else None}) for row in rows]


def stats_of(row: Dict[str, Any]) -> Stats:
    def graph_of(counts: Dict[str, Any]) -> GraphCounts:
        operators = tuple(OperatorCount(**one) for one in counts["operators"])
        return GraphCounts(**{**counts, "operators": operators, "weights": tuple(WeightCount(**one) for one in counts["weights"])})

    onnx = None if row["onnx"] is None else graph_of(row["onnx"])
    return Stats(onnx, graph_of(row["ir"]), Costs(**row["costs"]), tuple(row["missing_sizes"]))


def layer_of(row: Dict[str, Any], value: Optional[bytes]) -> Layer:
    bodies = tuple(LayerBody(one["name"], tuple(BodyPort(**port) for port in one["ports"])) for one in row.get("bodies", ()))
    inputs = tuple((layer, output) for layer, output in row["inputs"])
    outputs = tuple(LayerOutput(one["element_type"], _shape_of(one["shape"]), tuple(one["names"])) for one in row["outputs"])
    return Layer(**{**row, "inputs": inputs, "outputs": outputs, "bodies": bodies, "value": value})
