"""Models of onnx_ir: their bytes without weights, and the weights one by one, as the library asks for them. They may be in files, computed
lazily, or too many for a protobuf message."""

from typing import Any, Callable, Dict, Optional, Tuple

# Smaller tensors are in the message.
_MIN_BYTES = 1024


def split_model(model: Any) -> Optional[Tuple[bytes, Callable[[str], Any]]]:
    """The bytes, and a function that returns the data at a location; None if this release of onnx_ir cannot copy a model."""
    import onnx_ir

    if not hasattr(model, "clone"):
        return None
    copy = model.clone()  # shares the tensors
    tensors: Dict[str, Any] = {}
    for graph in copy.graphs():
        for value in graph.initializers.values():
            tensor = value.const_value
            if tensor is None or tensor.dtype == onnx_ir.DataType.STRING:
                continue
            if tensor.nbytes < _MIN_BYTES and not isinstance(tensor, onnx_ir.ExternalTensor):
                continue
            location = f"onnx2ir-initializers/{len(tensors)}"
            tensors[location] = tensor
            value.const_value = onnx_ir.ExternalTensor(location, 0, tensor.nbytes, tensor.dtype, shape=tensor.shape, name=value.name)

    def supply(location: str) -> Any:
        tensor = tensors.get(location)
        return None if tensor is None else tensor.tobytes()

    content: bytes = onnx_ir.to_proto(copy).SerializeToString()
    return content, supply
