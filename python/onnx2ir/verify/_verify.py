"""Runs a model in onnxruntime and its conversion in OpenVINO on the same inputs."""

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import onnx
import openvino

from ._compare import Comparison, compare
from ._inputs import MAX_SIZE, Sizes, check_names, choices, input_infos, random_inputs
from ._runs import Converted, Failure, Reference, Source, WrongInput, converted, read_model

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
    model: Source,
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

    `model`: what convert() accepts. `ir`: the converted model; by default `model` is converted now.
    `inputs`: values of inputs by name; the others are random. `dimensions`: sizes by the names of dynamic dimensions; others get `sizes`.
    Sizes of dimensions such as `past_sequence_length + sequence_length` follow from the names in them.
    `rtol`, `atol`: a floating-point element is equal if it differs by at most atol + rtol * |onnxruntime's element|; others must be equal.
    Raises Failure if onnxruntime or OpenVINO cannot run the model, ConversionError if it cannot be converted, and OSError; ValueError for
    arguments that no model fits.
    """
    check_arguments(dimensions or {}, sizes, seed)
    proto, folder = read_model(model)
    reference = Reference(proto, folder)
    ours = Converted(converted(model, proto, folder).to_openvino() if ir is None else read_ir(ir))
    rows = []
    for number, base in enumerate(sizes if is_dynamic(proto, inputs or {}) else sizes[:1], start=1):
        chosen, values, expected = expected_values(proto.graph, reference, inputs or {}, dimensions or {}, base, seed + number - 1)
        actual = ours.run(values, list(expected))
        rows += [Row(number, str(chosen), name, compare(actual[name], expected[name], rtol, atol)) for name in expected]
    return rows


def check_arguments(dimensions: Mapping[str, int], sizes: Sequence[int], seed: int) -> None:
    """Raises ValueError."""
    if len(sizes) == 0:
        raise ValueError("sizes: at least one size is needed")
    for name, size in [("sizes", size) for size in sizes] + list(dimensions.items()):
        if not 0 <= size <= MAX_SIZE:
            raise ValueError(f"{name}: {size} is not a size from 0 to {MAX_SIZE}")
    if seed < 0:
        raise ValueError(f"seed: {seed} is negative")


def read_ir(ir: Path) -> openvino.Model:
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
        except WrongInput:
            raise
        except Failure as error:
            failure = failure or error
    if all(info.name in given for info in input_infos(graph)):
        raise failure or Failure("the model has no inputs")
    chosen = str(sizes)
    raise Failure(f"{failure}\nThe inputs were random{f', with {chosen}' if chosen else ''}: give valid ones (--input NAME=VALUE, --dim NAME=SIZE)")
