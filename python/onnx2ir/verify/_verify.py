"""Runs a model in onnxruntime and its conversion in OpenVINO on the same inputs."""

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import onnx
import openvino

from .. import _api
from ._compare import Comparison, compare
from ._inputs import Sizes, check_names, choices, random_inputs
from ._runs import Converted, Failure, Reference, folder_of, read_model

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Row:
    """One output in one run."""

    run: int
    sizes: str  # of the dynamic dimensions in this run, "batch=2, length=3"
    output: str
    comparison: Comparison

    @property
    def is_equal(self) -> bool:
        return not self.comparison.problem


def verify(
    model: Path,
    ir: Optional[Path] = None,
    *,
    inputs: Optional[Mapping[str, Any]] = None,
    dimensions: Optional[Mapping[str, int]] = None,
    sizes: Sequence[int] = (2, 3),
    seed: int = 0,
    rtol: float = 1e-3,
    atol: float = 1e-5,
) -> List[Row]:
    """Compares all outputs, once for each of `sizes`, and returns a row for each comparison.

    `ir`: the converted model; by default `model` is converted now.
    `inputs`: values of inputs by name; the others are random. `dimensions`: sizes by the names of dynamic dimensions; others get `sizes`.
    Sizes of dimensions such as `past_sequence_length + sequence_length` follow from the names in them.
    `rtol`, `atol`: a floating-point element is equal if it differs by at most atol + rtol * |onnxruntime's element|; others must be equal.
    Raises Failure if onnxruntime or OpenVINO cannot run the model, ConversionError if it cannot be converted, and OSError.
    """
    proto = read_model(model)
    reference = Reference(proto, folder_of(model))
    converted = Converted(openvino_model(model, ir))
    rows = []
    for number, base in enumerate(sizes if is_dynamic(proto, inputs or {}) else sizes[:1], start=1):
        chosen, values, expected = expected_values(proto.graph, reference, inputs or {}, dimensions or {}, base, seed + number - 1)
        actual = converted.run(values, list(expected))
        rows += [Row(number, str(chosen), name, compare(actual[name], expected[name], rtol, atol)) for name in expected]
    return rows


def openvino_model(model: Path, ir: Optional[Path]) -> openvino.Model:
    if ir is None:
        return _api.convert(os.fspath(model)).to_openvino()
    os.stat(ir)  # raises the right error for a missing file
    try:
        return openvino.Core().read_model(os.fspath(ir))
    except RuntimeError as error:
        raise Failure(f"OpenVINO: {error}") from error


def is_dynamic(model: onnx.ModelProto, given: Mapping[str, Any]) -> bool:
    """Whether another run can have other sizes."""
    return any(
        not dimension.HasField("dim_value")
        for info in model.graph.input
        if info.name not in given
        for dimension in info.type.tensor_type.shape.dim
    )


def expected_values(
    graph: onnx.GraphProto, reference: Reference, given: Mapping[str, Any], dimensions: Mapping[str, int], base: int, seed: int
) -> Tuple[Sizes, Dict[str, Any], Dict[str, Any]]:
    """Sizes with which onnxruntime runs the model, the inputs, and the outputs."""
    failure = None
    check_names(graph, dimensions)
    for sizes, are_true in choices(base, dimensions):
        try:
            values = random_inputs(graph, given, sizes, seed, are_true)
            return sizes, values, reference.run(values)
        except Failure as error:
            failure = failure or error
    raise Failure(f"{failure}\nThe inputs were random, with {sizes or 'static sizes'}: give valid ones (--input NAME=VALUE, --dim NAME=SIZE)")
