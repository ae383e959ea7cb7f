"""Whether the types and shapes written in an IR equal OpenVINO's own inference, on every port of every body, and whether the inputs and
outputs of the model have their ONNX names. Inference is that of the newest release; an older one may know more sizes."""

import xml.etree.ElementTree as ElementTree

from .environment import NEWEST, release
from .interface import tensor_names

_PRECISIONS = {"BOOL": "boolean", "FP16": "f16", "FP32": "f32", "FP64": "f64", "UNSPECIFIED": "dynamic"}

# Where a layer keeps its bodies, and how the runtime's node gives them.
_BODIES = {
    "body": lambda node: node.get_function(),
    "then_body": lambda node: node.get_then_body(),
    "else_body": lambda node: node.get_else_body(),
}


def port_mismatches(xml_path, model):
    """One line for each port of the file that differs from `model`, the ov.Model that was read from it."""
    net = ElementTree.parse(xml_path).getroot()
    found = []
    _check_body(net, model, "", found)
    return found


def name_mismatches(model, proto):
    """One line for each input and output of an ov.Model or a compiled model whose name, as get_any_name() gives it, is not that of the
    ONNX model."""
    initialized = {tensor.name for tensor in proto.graph.initializer} | {tensor.values.name for tensor in proto.graph.sparse_initializer}
    inputs = [name for value in proto.graph.input if value.name not in initialized for name in tensor_names(value.name, value.type)]
    outputs = [name for value in proto.graph.output for name in tensor_names(value.name, value.type)]
    found = []
    for kind, ports, names in (("inputs", model.inputs, inputs), ("outputs", model.outputs, outputs)):
        given = [port.get_any_name() if port.get_names() else "" for port in ports]
        # An optional output has a further tensor that its declared type may not show.
        given = [name for name in given if name in names or not name.endswith("/has_value")]
        if given != names and not _share_names(ports, model.inputs):
            found.append(f"the {kind} are called {given} instead of {names}")
    return found


def _share_names(ports, inputs):
    """An output that is an input or another output has all names if OpenVINO has no operation that separates them: strings, and elements of
    less than 8 bits."""
    kept = [port for port in ports if port.get_element_type().get_type_name() == "string" or port.get_element_type().bitwidth < 8]
    read = {name for port in inputs for name in port.get_names()}
    return any(len(port.get_names()) > 1 or port.get_any_name() in read for port in kept)


def _check_body(element, model, path, found):
    nodes = {}
    for node in model.get_ops():
        nodes.setdefault(node.get_friendly_name(), []).append(node)
    for layer in element.find("layers"):
        name = layer.get("name")
        place = f"{path}{name} ({layer.get('type')})"
        same_name = nodes.get(name, [])
        if len(same_name) != 1:
            found.append(f"{place}: {len(same_name)} nodes of this name in the runtime's model")
            continue
        node = same_name[0]
        _check_ports(layer.find("input"), node.inputs(), f"{place} input", found)
        if layer.get("type") != "Result":  # has an output in the runtime, but not in the file
            _check_ports(layer.find("output"), node.outputs(), f"{place} output", found)
        for tag, body_of in _BODIES.items():
            body = layer.find(tag)
            if body is not None:
                _check_body(body, body_of(node), f"{path}{name}.{tag}/", found)


def _check_ports(ports, runtime_ports, place, found):
    ports = [] if ports is None else list(ports)
    if len(ports) != len(runtime_ports):
        found.append(f"{place}: {len(ports)} ports, the runtime has {len(runtime_ports)}")
        return
    for index, (port, runtime_port) in enumerate(zip(ports, runtime_ports)):
        written = f"{_precision(port)} {_shape(port)}"
        inferred = f"{runtime_port.get_element_type().get_type_name()} {_runtime_shape(runtime_port)}"
        if written != inferred and not (release() != NEWEST and _is_narrower(port, runtime_port)):
            found.append(f"{place} {index}: {written}, the runtime infers {inferred}")


def _is_narrower(port, runtime_port):
    """Whether the runtime has the written type and shape, but knows more sizes."""
    shape, inferred = _shape(port), _runtime_shape(runtime_port)
    same_rank = inferred != "..." and len(shape) == len(inferred)
    return _precision(port) == runtime_port.get_element_type().get_type_name() and same_rank and all(size in (-1, other) for size, other in zip(shape, inferred))


def _precision(port):
    precision = port.get("precision")
    return _PRECISIONS.get(precision, precision.lower())


def _shape(port):
    return [int(dimension.text) for dimension in port.findall("dim")]


def _runtime_shape(port):
    shape = port.get_partial_shape()
    if shape.rank.is_dynamic:
        return "..."
    return [dimension.get_length() if dimension.is_static else -1 for dimension in shape]
