"""The forms of a model: a path, bytes, text, a file, and objects of onnx, onnx_ir and PyTorch, whose packages are loaded already."""

import contextlib
import inspect
import os
import sys
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ._onnx_ir import split_model
from ._option_texts import input_shapes

_KINDS = "a path, bytes, ONNX text, a file, an onnx.ModelProto, an onnx_ir.Model, a torch.onnx.ONNXProgram or an nn.Module"
# protobuf cannot serialise more.
_MAX_MESSAGE = 2**31 - 1


def model_parts(model: Any) -> Tuple[Optional[Any], Optional[Callable[[str], Any]]]:
    """The bytes of a model, or None for a path; and a function that supplies the weights that are not in the bytes."""
    if _is_from(model, "torch", "ONNXProgram"):
        model = getattr(model, "model", model)
    if _is_from(model, "onnx_ir", "Model"):
        parts = split_model(model)
        if parts is not None:
            return parts
    return model_bytes(model), None


def model_bytes(model: Any) -> Optional[Any]:
    """The bytes of a model, or None for a path."""
    if isinstance(model, str):
        # Every model in ONNX's text form contains this, and no path does.
        return model.encode() if "\n" in model or model.lstrip().startswith("<") else None
    if hasattr(model, "SerializeToString"):
        return _message_bytes(model)
    if _is_from(model, "onnx_ir", "Model"):
        import onnx_ir

        return _message_bytes(onnx_ir.to_proto(model))
    if _is_from(model, "torch", "ONNXProgram"):
        return _message_bytes(model.model_proto)
    if hasattr(model, "read"):
        content = model.read()
        return content.encode() if isinstance(content, str) else content
    if isinstance(model, os.PathLike):
        return None
    if is_torch_model(model):
        raise TypeError("a PyTorch model needs an example of its inputs: onnx2ir.convert_model(model, example_input=...)")
    try:
        return memoryview(model).cast("B")
    except TypeError:
        raise TypeError(f"a model must be {_KINDS}, not {type(model).__name__}") from None


def _is_from(model: Any, package: str, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.split(".")[0] in (package, "onnxscript") for kind in type(model).__mro__)


def _message_bytes(message: Any) -> bytes:
    if hasattr(message, "node") and not hasattr(message, "opset_import"):  # a GraphProto
        import onnx

        message = onnx.helper.make_model(message)
    if message.ByteSize() > _MAX_MESSAGE:
        raise ValueError("the model is larger than 2 GiB, which protobuf cannot serialise: save it with external data, and convert the file")
    content: bytes = message.SerializeToString()
    return content


def is_torch_model(model: Any) -> bool:
    """An nn.Module, a scripted module or function, or a torch.export.ExportedProgram."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    kinds = [torch.nn.Module, torch.jit.ScriptFunction]
    if hasattr(torch, "export"):
        kinds.append(torch.export.ExportedProgram)
    return isinstance(model, tuple(kinds))


@contextlib.contextmanager
def exported(model: Any, example: Any, inputs: Any, *, dynamo: bool) -> Iterator[str]:
    """A PyTorch model, exported to a file in a temporary folder, because weights can be larger than a protobuf message."""
    with tempfile.TemporaryDirectory(prefix="onnx2ir-") as folder:
        path = os.path.join(folder, "model.onnx")
        _export(model, example, inputs, path, dynamo=dynamo)
        yield path


def _export(model: Any, example: Any, inputs: Any, path: str, *, dynamo: bool) -> None:
    import torch

    if isinstance(model, torch.export.ExportedProgram):
        torch.onnx.export(model, f=path, dynamo=True, external_data=True, verbose=False)
        return
    if example is None:
        raise TypeError("a PyTorch model needs an example of its inputs: example_input=")
    positional, named = _arguments(example)
    names = _argument_names(model, positional, named)
    was_training = getattr(model, "training", False)
    try:
        if was_training:
            model.eval()
        found = _examples(positional, named, names)
        requested = _requested(inputs, list(found))
        if dynamo:
            shapes = _dynamic_shapes(found, requested, has_names=bool(named))
            torch.onnx.export(
                model, positional, path, kwargs=named or None, input_names=names, dynamic_shapes=shapes, dynamo=True, external_data=True, verbose=False
            )
        else:
            axes = _dynamic_axes(found, requested)
            arguments = (*positional, named) if named else positional
            torch.onnx.export(model, arguments, path, input_names=names, dynamic_axes=axes, **_with_tracer(torch))
    finally:
        if was_training:
            model.train()


def _with_tracer(torch: Any) -> Dict[str, Any]:
    """Releases before 2.5 have only the exporter that traces."""
    return {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}


def _arguments(example: Any) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """The positional and named arguments of an example, as in OpenVINO: a dictionary has named ones."""
    if isinstance(example, dict):
        return (), {name: _tensor(one) for name, one in example.items()}
    if isinstance(example, (list, tuple)):
        return tuple(map(_tensor, example)), {}
    return (_tensor(example),), {}


def _tensor(value: Any) -> Any:
    import torch

    return torch.from_numpy(value) if type(value).__module__ == "numpy" and hasattr(value, "shape") and value.shape else value


def _parameters(function: Any) -> List[str]:
    """The names of the parameters of a function or a scripted one, whose schema has them.

    The first one of a scripted method is its instance, whatever its name is.
    """
    schema = getattr(function, "schema", None)
    if schema is not None:
        is_method = type(function).__name__ == "ScriptMethod"
        return [one.name for one in schema.arguments[int(is_method) :]]
    return [name for name, one in inspect.signature(function).parameters.items() if one.kind == one.POSITIONAL_OR_KEYWORD]


def _argument_names(model: Any, positional: Sequence[Any], named: Dict[str, Any]) -> Optional[List[str]]:
    """The names of the arguments, in the order of the function; None if one of them is not a tensor, because it has no input or several."""
    import torch

    if not all(isinstance(one, torch.Tensor) for one in (*positional, *named.values())):
        return None
    known = _parameters(getattr(model, "forward", model))
    if len(positional) > len(known) or not set(named) <= set(known):
        return None
    return [*known[: len(positional)], *(name for name in known if name in named)]


def _examples(positional: Sequence[Any], named: Dict[str, Any], names: Optional[List[str]]) -> Dict[str, Any]:
    if names is None:
        return {}
    return {name: named[name] if name in named else one for name, one in zip(names, [*positional, *[None] * len(named)])}


def _requested(inputs: Any, names: Sequence[str]) -> Dict[str, Any]:
    """The requested shapes by the names of inputs."""
    rows = input_shapes(inputs)
    return {name or default: shape for (name, shape), default in zip(rows, [*names, *[""] * len(rows)]) if shape is not None}


def _is_static(dimension: Any, size: int) -> bool:
    return str(dimension) == str(size)


def _dynamic_axes(found: Dict[str, Any], requested: Dict[str, Any]) -> Dict[str, List[int]]:
    """Traced models have no sizes of the example, except those that the caller requests, as in OpenVINO."""
    axes = {}
    for name, one in found.items():
        shape = requested.get(name)
        fixed = [] if shape is None else [axis for axis, (wanted, size) in enumerate(zip(shape, one.shape)) if _is_static(wanted, size)]
        axes[name] = [axis for axis in range(one.dim()) if axis not in fixed]
    return axes


def _dynamic_shapes(found: Dict[str, Any], requested: Dict[str, Any], *, has_names: bool) -> Any:
    """Programs of torch.export have the sizes of the example, except those that the caller requests as dynamic, as in OpenVINO."""
    import torch

    if not requested:
        return None
    shapes = {}
    for name, one in found.items():
        shape = requested.get(name)
        sizes = [] if shape is None else list(zip(shape, one.shape))
        shapes[name] = {axis: torch.export.Dim.AUTO for axis, (wanted, size) in enumerate(sizes) if not _is_static(wanted, size)}
    return shapes if has_names else tuple(shapes[name] for name in found)
