"""Changes a model so that values inside of branches and bodies can be outputs."""

from dataclasses import dataclass
from typing import List, Tuple

import onnx
from onnx.helper import make_node


@dataclass(frozen=True)
class BodyValue:
    """A value in the body of a loop, and the output of the model that collects it."""

    graphs: Tuple[str, ...]  # the loops inside of the body that contain it
    op_type: str
    node: str
    name: str
    output: str


def find_node(graph: onnx.GraphProto, output: str) -> onnx.NodeProto:
    node: onnx.NodeProto = next(node for node in graph.node if output in node.output)
    return node


def taken_branch(graph: onnx.GraphProto, node: onnx.NodeProto, condition: bool) -> None:
    """Replaces an If by the nodes of the branch that it takes."""
    branch = next(attribute.g for attribute in node.attribute if attribute.name == ("then_branch" if condition else "else_branch"))
    copy = onnx.GraphProto()
    copy.CopyFrom(branch)
    results = [make_node("Identity", [inner.name], [outer]) for inner, outer in zip(copy.output, node.output) if outer]
    at = list(graph.node).index(node)
    nodes = [*graph.node[:at], *copy.node, *results, *graph.node[at + 1 :]]
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(copy.initializer)
    graph.sparse_initializer.extend(copy.sparse_initializer)


def exposed_body(model: onnx.ModelProto, output: str, is_nested: bool) -> Tuple[onnx.ModelProto, List[BodyValue]]:
    """A copy of `model` in which the Loop or Scan with this output also collects the values of its body, and of loops in it if
    `is_nested`."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    return changed, _expose(find_node(changed.graph, output), is_nested)


def _expose(loop: onnx.NodeProto, is_nested: bool) -> List[BodyValue]:
    body = next(attribute.g for attribute in loop.attribute if attribute.name == "body")
    values = []
    for node in list(body.node):
        own = [BodyValue((), node.op_type, node.name or node.output[0], name, name) for name in node.output if name]
        if is_nested and node.op_type in ("Loop", "Scan"):
            place = f"{node.op_type} '{node.name or node.output[0]}'"
            inner = _expose(node, is_nested)
            # The values of the inner body come first: they are computed before its results.
            own = [BodyValue((place, *value.graphs), value.op_type, value.node, value.name, value.output) for value in inner] + own
        values += own
    is_scan = loop.op_type == "Scan"
    count = len(body.output) - (0 if is_scan else 1)  # without the condition of a Loop
    loop.output.extend([""] * (count - len(loop.output)))
    prefix = loop.name or next(name for name in loop.output if name)
    collected = []
    for index, value in enumerate(values):
        outer = f"{prefix}/{index}/{value.name}"
        copy = f"{outer}/collected"  # the value can be an output of the body already
        body.node.append(make_node("Identity", [value.output], [copy]))
        body.output.append(onnx.ValueInfoProto(name=copy))
        loop.output.append(outer)
        collected.append(BodyValue(value.graphs, value.op_type, value.node, value.name, outer))
    for attribute in loop.attribute:
        if is_scan and attribute.name in ("scan_output_axes", "scan_output_directions"):
            attribute.ints.extend([0] * len(values))
    return collected
