"""Random values for the inputs of a model, with sizes for its dynamic dimensions."""

from typing import Any, Dict, Iterator, List, Mapping, Sequence

import numpy as np
import onnx
from onnx.helper import tensor_dtype_to_np_dtype

from ._runs import Failure


class Sizes:
    """Sizes of dynamic dimensions. Dimensions of the same name have the same size."""

    def __init__(self, base: int, are_distinct: bool, given: Mapping[str, int]) -> None:
        self._base = base
        self._are_distinct = are_distinct
        self._given = given
        self._count = 0
        self.chosen: Dict[str, int] = {}

    def of(self, name: str) -> int:
        if name in self._given:
            return self._given[name]
        if name not in self.chosen:
            self.chosen[name] = self._base + (self._count if self._are_distinct else 0)
            self._count += 1
        return self.chosen[name]

    def bind(self, info: onnx.ValueInfoProto, shape: Sequence[int]) -> None:
        """Gives the dimensions of a tensor the sizes of a given value."""
        for axis, (dimension, size) in enumerate(zip(info.type.tensor_type.shape.dim, shape)):
            if not dimension.HasField("dim_value"):
                self.chosen.setdefault(_name_of(info, axis), size)

    def __str__(self) -> str:
        return ", ".join(f"{name}={size}" for name, size in self.chosen.items())


def _name_of(info: onnx.ValueInfoProto, axis: int) -> str:
    return info.type.tensor_type.shape.dim[axis].dim_param or f"{info.name}[{axis}]"


def input_infos(graph: onnx.GraphProto) -> List[onnx.ValueInfoProto]:
    """The inputs without a default value."""
    defaults = {tensor.name for tensor in graph.initializer} | {tensor.values.name for tensor in graph.sparse_initializer}
    return [info for info in graph.input if info.name not in defaults]


def choices_of_sizes(base: int, given: Mapping[str, int]) -> Iterator[Sizes]:
    """Distinct sizes show exchanged dimensions. Some models require equal sizes without saying so."""
    yield Sizes(base, True, given)
    yield Sizes(base, False, given)


def random_inputs(graph: onnx.GraphProto, given: Mapping[str, Any], sizes: Sizes, seed: int) -> Dict[str, Any]:
    """The given values, and random ones for other inputs."""
    generator = np.random.default_rng(seed)
    infos = input_infos(graph)
    unknown = set(given) - {info.name for info in infos}
    if unknown:
        raise Failure(f"the model has no input {', '.join(sorted(unknown))}, only {', '.join(info.name for info in infos)}")
    values = dict(given)
    for info in infos:
        if info.name in given and info.type.HasField("tensor_type"):
            values[info.name] = np.asarray(given[info.name], _dtype(info))
            sizes.bind(info, values[info.name].shape)
    for info in infos:
        if info.name not in values:
            shape = _shape(info, sizes)
            values[info.name] = _random(generator, _dtype(info), shape)
    return values


def _dtype(info: onnx.ValueInfoProto) -> Any:
    return np.dtype(tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type))


def _shape(info: onnx.ValueInfoProto, sizes: Sizes) -> List[int]:
    if not info.type.HasField("tensor_type") or not info.type.tensor_type.HasField("shape"):
        raise Failure(f"the input {info.name} is not a tensor of known rank and needs a given value")
    dimensions = info.type.tensor_type.shape.dim
    return [
        dimension.dim_value if dimension.HasField("dim_value") else sizes.of(_name_of(info, axis)) for axis, dimension in enumerate(dimensions)
    ]


def _random(generator: np.random.Generator, dtype: Any, shape: List[int]) -> Any:
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":  # small numbers are valid indices more often
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "O":
        return generator.choice(np.array(["a", "bc", "def"], object), shape)
    return np.asarray(generator.standard_normal(shape)).astype(dtype)
