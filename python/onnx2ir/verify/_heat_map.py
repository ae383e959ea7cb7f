"""An HTML page of the IR with the error of each layer."""

import contextlib
import json
import os
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, TextIO, Union

import onnx

from ._compare import ALL_NAN, Comparison, compare
from ._runs import Converted, Failure, Reference, Source, converted, path_of, read_model
from ._verify import Path, check_arguments, expected_values

_BEGIN = '<script type="application/json" id="model">'
_END = "</script>"


def heat_map(
    model: Source,
    page: Union[Path, TextIO],
    *,
    inputs: Optional[Mapping[str, Any]] = None,
    dimensions: Optional[Mapping[str, int]] = None,
    size: int = 2,
    seed: int = 0,
    rtol: float = 1e-3,
    atol: float = 1e-5,
) -> None:
    """Writes a page of the IR to the file or text stream `page`, with how much each layer of the main graph differs from onnxruntime's tensor
    of the same name. Layers without such a tensor, and those in bodies, have no error. The arguments are those of verify(); `model` is
    converted now.
    """
    check_arguments(dimensions or {}, [size], seed)
    proto, folder = read_model(model)
    if isinstance(page, (str, os.PathLike)):
        path = path_of(model)
        refuse_overwriting(page, [*([path] if path else []), *external_files(proto.graph, folder)])
    _, values, _ = expected_values(proto.graph, Reference(proto, folder), inputs or {}, dimensions or {}, size, seed)
    ours = converted(model, proto, folder)
    network = ours.to_openvino()
    has = {name for operation in network.get_ordered_ops() for port in operation.outputs() for name in port.get_names()}
    names = [name for node in proto.graph.node for name in node.output if name in has]
    is_output = {name for port in network.outputs for name in port.get_names()}
    network.add_outputs([name for name in names if name not in is_output])
    del proto.graph.output[:]
    proto.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    expected = Reference(proto, folder).run(values)
    actual = Converted(network).run(values, names)
    text = with_errors(ours.html(), {name: compare(actual[name], expected[name], rtol, atol) for name in names})
    with open(page, "w", encoding="utf-8") if isinstance(page, (str, os.PathLike)) else contextlib.nullcontext(page) as file:
        file.write(text)


def external_files(graph: onnx.GraphProto, folder: str) -> Iterator[str]:
    """The files with the external data of a graph and its bodies."""
    tensors = list(graph.initializer)
    for node in graph.node:
        for attribute in node.attribute:
            tensors += [attribute.t, *attribute.tensors]
            for body in (attribute.g, *attribute.graphs):
                if body.node:
                    yield from external_files(body, folder)
    for tensor in tensors:
        yield from (os.path.join(folder, entry.value) for entry in tensor.external_data if entry.key == "location")


def refuse_overwriting(page: Path, files: Sequence[str]) -> None:
    """Raises Failure if the page would overwrite one of the files that are read."""
    for file in files:
        if os.path.exists(page) and os.path.exists(file) and os.path.samefile(page, file):
            raise Failure(f"the page would overwrite '{file}', which is read")


def with_errors(page: str, errors: Dict[str, Comparison]) -> str:
    """The page with the errors of tensors at the layers of its main graph. The first layer that differs is marked."""
    start = page.index(_BEGIN) + len(_BEGIN)
    end = page.index(_END, start)
    data = json.loads(page[start:end])
    data["first_difference"] = None
    for index, row in enumerate(data["graphs"][0]):
        properties = row[4] if len(row) > 4 else {}
        found = [errors[name] for _, name in properties.get("tensors", []) if name in errors]
        if not found:
            continue
        worst = max(found, key=lambda one: (bool(one.problem), one.relative or 0, one.note == ALL_NAN))
        properties["error"] = [_number(worst.largest), _number(worst.relative), worst.problem, worst.note]
        if worst.problem and data["first_difference"] is None:
            data["first_difference"] = index
    # As backend_html/page.cpp writes it: without "<", which could end the element.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return page[:start] + text + page[end:]


def _number(value: Optional[float]) -> str:
    return "" if value is None else f"{value:.2g}"
