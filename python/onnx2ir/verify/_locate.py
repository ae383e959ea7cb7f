"""Finds the first node whose result differs from onnxruntime's."""

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

import onnx
import onnx.numpy_helper

from .. import _api
from .._types import ConversionError
from ._compare import Comparison, compare
from ._expose import exposed_body, find_node, taken_branch
from ._runs import Converted, Failure, Reference, Source, read_model
from ._verify import check_arguments, expected_values


@dataclass(frozen=True)
class Location:
    """The first node that differs."""

    graphs: Tuple[str, ...]  # from the main graph inwards: "then_branch of If 'choice'", "iteration 2 of Loop 'steps'"
    op_type: str
    node: str
    output: str
    comparison: Comparison
    note: str = ""

    def __str__(self) -> str:
        place = ", ".join(self.graphs) or "the main graph"
        text = f"{self.op_type} '{self.node}' in {place}: {self.output}: {self.comparison.problem}"
        return f"{text}\n{self.note}" if self.note else text


@dataclass(frozen=True)
class _Runs:
    """How to run a changed model."""

    folder: str
    inputs: Dict[str, Any]
    rtol: float
    atol: float

    def differences(self, model: onnx.ModelProto, names: List[str]) -> Tuple[Dict[str, Any], Dict[str, Any], Dict[str, Comparison]]:
        """onnxruntime's values, ours, and how they differ, of the tensors `names`."""
        changed = onnx.ModelProto()
        changed.CopyFrom(model)
        del changed.graph.output[:]
        changed.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        expected = Reference(changed, self.folder).run(self.inputs)
        converted = _api.convert(changed, external_data_folder=self.folder).to_openvino()
        actual = Converted(converted).run(self.inputs, names)
        compared = {name: compare(actual[name], expected[name], self.rtol, self.atol) for name in names}
        return expected, actual, {name: found for name, found in compared.items() if found.problem}


def locate(
    model: Source,
    *,
    inputs: Optional[Mapping[str, Any]] = None,
    dimensions: Optional[Mapping[str, int]] = None,
    size: int = 2,
    seed: int = 0,
    rtol: float = 1e-3,
    atol: float = 1e-5,
) -> Optional[Location]:
    """The first node, also inside of bodies, whose result differs from onnxruntime's; None if no result differs.

    The arguments are those of verify(). The model is converted again with more outputs, so that passes may have other effects.
    """
    check_arguments(dimensions or {}, [size], seed)
    proto, folder = read_model(model)
    if proto.functions:
        import onnx.inliner

        proto = onnx.inliner.inline_local_functions(proto)
    reference = Reference(proto, folder)
    _, values, _ = expected_values(proto.graph, reference, inputs or {}, dimensions or {}, size, seed)
    runs = _Runs(folder, values, rtol, atol)
    graphs: List[str] = []
    while True:
        found, expected = _first_in_main_graph(proto, runs, graphs)
        if found is None:
            return None
        node = find_node(proto.graph, found.output)
        if node.op_type == "If":
            which = bool(_value(proto.graph, node.input[0], values, expected))
            graphs.append(f"{'then' if which else 'else'}_branch of If '{found.node}'")
            taken_branch(proto.graph, node, which)
        elif node.op_type in ("Loop", "Scan"):
            return _first_in_body(proto, runs, found)
        else:
            return found


def _first_in_main_graph(proto: onnx.ModelProto, runs: _Runs, graphs: List[str]) -> Tuple[Optional[Location], Dict[str, Any]]:
    names = [name for node in proto.graph.node for name in node.output if name]
    expected, _, wrong = runs.differences(proto, names)
    note = ""
    if not wrong:
        outputs = [output.name for output in proto.graph.output]
        wrong = runs.differences(proto, outputs)[2]
        if not wrong:
            return None, expected
        note = "The results are equal if all tensors are outputs: a pass of the conversion or of OpenVINO combines this node with others."
        name, comparison = _first_alone(proto, runs, names, next(iter(wrong)), next(iter(wrong.values())))
        wrong = {name: comparison}
    name = next(name for name in names if name in wrong)
    node = find_node(proto.graph, name)
    return Location(tuple(graphs), node.op_type, node.name or name, name, wrong[name], note), expected


def _first_alone(proto: onnx.ModelProto, runs: _Runs, names: List[str], last: str, comparison: Comparison) -> Tuple[str, Comparison]:
    """Bisects the nodes before the output `last`, each as the only output: what follows a wrong value is assumed to be wrong."""
    candidates = names[: names.index(last) + 1]
    low, high, found = 0, len(candidates) - 1, comparison
    while low < high:
        middle = (low + high) // 2
        wrong = runs.differences(proto, [candidates[middle]])[2]
        if wrong:
            high, found = middle, wrong[candidates[middle]]
        else:
            low = middle + 1
    return candidates[high], found


def _first_in_body(proto: onnx.ModelProto, runs: _Runs, loop: Location) -> Location:
    problem = ""
    for is_nested in (True, False):
        changed, values = exposed_body(proto, loop.output, is_nested)
        try:
            expected, actual, wrong = runs.differences(changed, [value.output for value in values])
        except (Failure, ConversionError) as error:
            problem = str(error).splitlines()[0]
            continue
        found = []
        for order, value in enumerate(values):
            if value.output in wrong:
                iteration = _first_iteration(actual[value.output], expected[value.output], runs)
                found.append((iteration, order, value))
        if not found:
            problem = "they are equal if they are outputs of the loop"
            break
        iteration, _, value = min(found, key=lambda one: one[:2])
        graphs = (*loop.graphs, f"iteration {iteration} of {loop.op_type} '{loop.node}'", *value.graphs)
        return Location(graphs, value.op_type, value.node, value.name, wrong[value.output])
    note = f"The values in its body cannot be compared: {problem}."
    return Location(loop.graphs, loop.op_type, loop.node, loop.output, loop.comparison, note)


def _first_iteration(actual: Any, expected: Any, runs: _Runs) -> int:
    for index in range(min(len(actual), len(expected))):
        if compare(actual[index], expected[index], runs.rtol, runs.atol).problem:
            return index
    return min(len(actual), len(expected))


def _value(graph: onnx.GraphProto, name: str, inputs: Dict[str, Any], computed: Dict[str, Any]) -> Any:
    if name in computed:
        return computed[name]
    if name in inputs:
        return inputs[name]
    return next(onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer if tensor.name == name)
