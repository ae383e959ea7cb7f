"""The OpenVINO CPU runtime: reading, compiling and running an IR."""

import numpy as np
import openvino as ov

from . import interface
from .case import INTERFACE, RUNTIME_ERROR, Failure
from .element_types import BY_DTYPE, BY_NAME, NUMPY_NAMES, is_string, pack_bits, unpack_bits

CONFIG = {
    "INFERENCE_PRECISION_HINT": "f32",
    "INFERENCE_NUM_THREADS": 1,
    # With one stream of one thread, errors are not reported: test_errors_on_one_thread.
    "NUM_STREAMS": "0",
    "ENABLE_CPU_PINNING": False,  # two workers must not share one core
}


def read(core, path):
    """The ov.Model of an IR file."""
    with _runtime_errors("read_model"):
        return core.read_model(path)


def read_bytes(core, xml, weights):
    """The ov.Model of an IR in memory."""
    tensor = ov.Tensor(ov.Type.u8, ov.Shape([len(weights)]))
    tensor.data[:] = np.frombuffer(weights, np.uint8)
    with _runtime_errors("read_model"):
        return core.read_model(xml, tensor)


def reshaped(model, values):
    """A copy of the model whose inputs have the shapes of `values`, arrays by name."""
    copy = model.clone()
    with _runtime_errors("reshape"):
        copy.reshape({name: ov.PartialShape(list(array.shape)) for name, array in values.items()})
    return copy


def compile(core, model):
    with _runtime_errors("compile_model"):
        return core.compile_model(model, "CPU", CONFIG)


class CompiledModel:
    """A compiled model with inputs and outputs by the names and types of the ONNX model."""

    def __init__(self, compiled, inputs, outputs):
        """`inputs` and `outputs`: onnx.TypeProto by name."""
        self._request = compiled.create_infer_request()
        self._inputs = {name: port for port in compiled.inputs for name in port.get_names()}
        self._outputs = {name: port for port in compiled.outputs for name in port.get_names()}
        self._input_types = inputs
        self._output_types = outputs

    def run(self, values):
        """All outputs of the ONNX model for its inputs."""
        for name, type_proto in self._input_types.items():
            if name not in values:
                continue  # an input with a default value
            for tensor_name, array in interface.pack(name, values[name], type_proto, self._sizes_of).items():
                if tensor_name not in self._inputs:
                    raise Failure(INTERFACE, f"the IR has no input {tensor_name}, only {sorted(self._inputs)}")
                with _runtime_errors(f"set input {tensor_name}"):
                    self._request.set_tensor(self._inputs[tensor_name], to_tensor(array))
        with _runtime_errors("infer"):
            self._request.infer()
        return {name: interface.unpack(name, proto, self._output) for name, proto in self._output_types.items()}

    def _sizes_of(self, tensor_name):
        port = self._inputs.get(tensor_name)
        if port is None:
            raise Failure(INTERFACE, f"the IR has no input {tensor_name}, only {sorted(self._inputs)}")
        shape = port.get_partial_shape()
        return [size.get_length() if size.is_static else 0 for size in shape]

    def _output(self, tensor_name):
        if tensor_name not in self._outputs:
            raise Failure(INTERFACE, f"the IR has no output {tensor_name}, only {sorted(self._outputs)}")
        return to_array(self._request.get_tensor(self._outputs[tensor_name]))


def to_tensor(array):
    """An ov.Tensor with an array's values."""
    array = np.asarray(array)
    if is_string(array):
        text = [item.decode() if isinstance(item, bytes) else str(item) for item in array.reshape(-1)]
        return ov.Tensor(np.array(text, dtype=np.str_).reshape(array.shape))
    entry = BY_DTYPE.get(array.dtype)
    if entry is None:
        raise Failure(RUNTIME_ERROR, f"the runtime has no type for {array.dtype}")
    if entry.name in NUMPY_NAMES:
        return ov.Tensor(np.array(array, order="C"))
    if not hasattr(ov.Type, entry.name):
        raise Failure(RUNTIME_ERROR, f"OpenVINO's Python package has no type {entry.name}")
    tensor = ov.Tensor(getattr(ov.Type, entry.name), ov.Shape(array.shape))
    if array.size:
        if entry.bits:
            _raw_bytes(tensor)[:] = pack_bits(array, entry.bits)
        else:
            tensor.data.reshape(-1).view(np.uint8)[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return tensor


def to_array(tensor):
    """A copy of an ov.Tensor's values in the type for computations in tests."""
    name = tensor.get_element_type().get_type_name()
    shape = tuple(tensor.get_shape())
    if name == "string":
        return np.array(tensor.str_data, dtype=object).reshape(shape)
    entry = BY_NAME[name]
    if name in NUMPY_NAMES:
        return np.array(tensor.data).reshape(shape)
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0:
        return np.zeros(shape, entry.dtype)
    if entry.bits:
        return unpack_bits(_raw_bytes(tensor).copy(), count, entry).reshape(shape)
    return np.array(tensor.data).reshape(-1).view(entry.dtype).reshape(shape)


def _raw_bytes(tensor):
    return tensor.data.reshape(-1).view(np.uint8)


class _runtime_errors:
    """Turns OpenVINO's exceptions into the outcome runtime-error."""

    def __init__(self, action):
        self._action = action

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, Exception) and not issubclass(kind, Failure):
            raise Failure(RUNTIME_ERROR, f"{self._action}: {tidy(str(error))}") from error


def tidy(message):
    """An OpenVINO message without its chain of source lines: the last informative line, then the rest."""
    lines = [line.strip() for line in message.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exception from", "While validating node"))]
    return " ".join(lines)[:600] if lines else message.strip()[:600]
