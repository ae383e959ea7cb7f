"""Runs models in onnxruntime and in OpenVINO."""

import os
from typing import Any, Dict, List, Tuple

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import openvino

from .. import _api
from .._model import Model
from .._sources import model_bytes

# What verify() accepts as a model.
Source = _api.ModelSource

# Types that OpenVINO's Python package views as numpy arrays. Tensors of other types pass as bytes.
_NUMPY_TYPES = {"boolean", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}

# The numbers are compared in f32, also on a CPU that computes in bf16 or f16 by default.
_CONFIG = {"INFERENCE_PRECISION_HINT": "f32"}


class Failure(Exception):
    """A model that onnxruntime or OpenVINO cannot run."""


class WrongInput(Failure):
    """A given value or size that does not fit the model."""


class Reference:
    """A model in onnxruntime, without its optimisations."""

    def __init__(self, model: onnx.ModelProto, folder: str) -> None:
        """`folder`: the folder of external data."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
        try:
            self._session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise Failure(f"onnxruntime: {error}") from error

    def run(self, inputs: Dict[str, Any]) -> Dict[str, Any]:
        """All outputs by their names."""
        names = [output.name for output in self._session.get_outputs()]
        try:
            return dict(zip(names, self._session.run(names, inputs)))
        except Exception as error:
            raise Failure(f"onnxruntime: {error}") from error


class Converted:
    """A converted model on OpenVINO's CPU plugin."""

    def __init__(self, model: openvino.Model) -> None:
        try:
            self._compiled = openvino.Core().compile_model(model, "CPU", _CONFIG)
        except Exception as error:
            raise Failure(f"OpenVINO: {error}") from error
        self._inputs = {name: port for port in self._compiled.inputs for name in port.get_names()}
        self._outputs = {name: port for port in self._compiled.outputs for name in port.get_names()}

    def run(self, inputs: Dict[str, Any], outputs: List[str]) -> Dict[str, Any]:
        """The values of the outputs of the ONNX model, as onnxruntime gives them."""
        request = self._compiled.create_infer_request()
        try:
            for name, value in inputs.items():
                for part, array in self._parts(name, value).items():
                    if part not in self._inputs:
                        raise Failure(f"the IR has no input {part}, only {', '.join(sorted(self._inputs))}")
                    request.set_tensor(self._inputs[part], _tensor(array))
            request.infer()
        except RuntimeError as error:
            raise Failure(f"OpenVINO: {error}") from error
        return {name: self._value(request, name) for name in outputs}

    def _parts(self, name: str, value: Any) -> Dict[str, Any]:
        """The IR's tensors for an input: docs/embedding.md describes those of sequences and optionals."""
        parts: Dict[str, Any] = {}
        if f"{name}/has_value" in self._inputs:
            parts[f"{name}/has_value"] = np.array(value is not None)
        if f"{name}/values" not in self._inputs:
            parts[name] = self._empty(name) if value is None else np.asarray(value)
            return parts
        elements = [np.asarray(element) for element in value or []]
        values = self._empty(f"{name}/values")
        rank = elements[0].ndim if elements else max(0, self._sizes(f"{name}/shapes")[1])
        parts[f"{name}/values"] = np.concatenate([element.reshape(-1) for element in elements]) if elements else values
        parts[f"{name}/shapes"] = np.array([element.shape for element in elements], np.int64).reshape(len(elements), rank)
        return parts

    def _sizes(self, part: str) -> List[int]:
        return [size.get_length() if size.is_static else 0 for size in self._inputs[part].get_partial_shape()]

    def _empty(self, part: str) -> Any:
        return openvino.Tensor(self._inputs[part].get_element_type(), openvino.Shape(self._sizes(part))).data

    def _value(self, request: Any, name: str) -> Any:
        def part(suffix: str) -> Any:
            return _array(request.get_tensor(self._outputs[name + suffix]))

        if f"{name}/has_value" in self._outputs and not bool(part("/has_value").reshape(())):
            return None
        if f"{name}/values" not in self._outputs:
            if name not in self._outputs:
                raise Failure(f"the IR has no output {name}, only {', '.join(sorted(self._outputs))}")
            return part("")
        values, elements, start = part("/values"), [], 0
        for row in part("/shapes").tolist():
            shape = [size for size in row if size != -1]
            count = int(np.prod(shape, dtype=np.int64))
            elements.append(values[start : start + count].reshape(shape))
            start += count
        return elements


def _tensor(array: Any) -> openvino.Tensor:
    if isinstance(array, np.ndarray) and array.dtype.kind in "OUS":
        text = [item.decode() if isinstance(item, bytes) else str(item) for item in array.reshape(-1)]
        return openvino.Tensor(np.array(text, dtype=np.str_).reshape(array.shape))
    if str(array.dtype) == "bfloat16":
        tensor = openvino.Tensor(openvino.Type.bf16, openvino.Shape(array.shape))
        if array.size:
            tensor.data.reshape(-1).view(np.uint8)[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return tensor
    return openvino.Tensor(np.array(array, order="C"))


def _array(tensor: openvino.Tensor) -> Any:
    name, shape = tensor.get_element_type().get_type_name(), tuple(tensor.get_shape())
    if name == "string":
        return np.array(tensor.str_data, dtype=object).reshape(shape)
    if name in _NUMPY_TYPES:
        return np.array(tensor.data).reshape(shape)
    if name != "bf16":
        raise Failure(f"tensors of type {name} cannot be compared")
    import ml_dtypes

    return np.array(tensor.data).reshape(-1).view(ml_dtypes.bfloat16).reshape(shape)


def read_model(model: Source) -> Tuple[onnx.ModelProto, str]:
    """A copy of the model, without its external data, and the folder of that data."""
    path = path_of(model)
    if path:
        with open(path, "rb") as file:
            content = file.read()
    else:
        content = bytes(model_bytes(model) or b"")
    try:
        return _parsed(content), os.path.dirname(os.path.abspath(path)) if path else os.getcwd()
    except Exception as error:
        raise Failure(f"{path or 'the model'} is not an ONNX model: {error}") from error


def path_of(model: Source) -> str:
    """The path of the file of a model; empty for a model in memory."""
    if not isinstance(model, (str, os.PathLike)) or hasattr(model, "read"):
        return ""
    is_text = model_bytes(model) is not None
    return "" if is_text else os.fsdecode(model)


def _parsed(content: bytes) -> onnx.ModelProto:
    """A model in protobuf or in ONNX's text form, which begins with "<" or a comment: that is no message of protobuf with the version first."""
    if content.lstrip()[:1] in (b"<", b"/", b"#"):
        return onnx.parser.parse_model(content.decode())
    if not content:
        raise ValueError("it is empty")
    return onnx.load_model_from_string(content)


def converted(model: Source, proto: onnx.ModelProto, folder: str) -> Model:
    """The model converted from its file, or from `proto`."""
    path = path_of(model)
    return _api.convert(path) if path else _api.convert(proto, external_data_folder=folder)
