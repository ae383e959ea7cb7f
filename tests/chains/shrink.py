"""Makes a failing graph smaller: by simpler choices of its template, then by removing parts of the model."""

from dataclasses import replace

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ..conformance.case import Failure, Run
from ..conformance.oracle import Oracle
from ..conformance.oracle import parse_model
from .choices import Replay
from .generator import random_case

MOST_TRIES = 150  # per kind of change


def shrunk(template, made, case, fails):
    """The smallest failing Case that was found. `fails(case)`: whether it fails in the same way."""
    case = with_simpler_choices(template, made, case, fails)
    case = with_one_run(case, fails)
    return smaller_model(case, fails)


def with_simpler_choices(template, made, case, fails):
    tries = MOST_TRIES
    made = list(made)
    step = max(1, len(made) // 4)
    while step >= 1 and tries > 0:
        index = 0
        while index < len(made) and tries > 0:
            candidates = [made[:index] + made[index + step :], made[:index] + [0] * min(step, len(made) - index) + made[index + step :]]
            if step == 1 and made[index] > 1:
                candidates.append(made[:index] + [made[index] - 1] + made[index + 1 :])
            for candidate in candidates:
                if candidate == made:
                    continue
                found = replayed(template, candidate)
                if found is None or not is_smaller(found[0], case):
                    continue
                tries -= 1
                if fails(found[0]):
                    case, made = found
                    break
            else:
                index += step
        step //= 2
    return case


def replayed(template, made):
    choices = Replay(made)
    try:
        return random_case(template, choices, "shrunk"), choices.made
    except (ValueError, IndexError, ZeroDivisionError):  # the template needs other choices
        return None


def weight(case):
    graph = parse_model(case.model).graph
    declared = sum(dim.HasField("dim_param") for value in graph.input for dim in value.type.tensor_type.shape.dim)
    elements = sum(np.size(value) for run in case.runs[:1] for value in run.inputs.values())
    return len(graph.node) * 100 + len(graph.output) * 20 + declared * 5 + elements + sum(int(np.prod(tensor.dims)) for tensor in graph.initializer)


def is_smaller(candidate, case):
    return weight(candidate) < weight(case)


def with_one_run(case, fails):
    for run in case.runs:
        candidate = replace(case, runs=[replace(run, is_optional=False)])
        if len(case.runs) > 1 and fails(candidate):
            return candidate
    return case


def smaller_model(case, fails):
    tries = MOST_TRIES
    improved = True
    while improved and tries > 0:
        improved = False
        for candidate in smaller_cases(case):
            tries -= 1
            if fails(candidate):
                case, improved = candidate, True
                break
            if tries <= 0:
                break
    return case


def smaller_cases(case):
    """Cases with a part of the model removed, the largest parts first."""
    model = parse_model(case.model)
    values = inner_values(case)
    graph = model.graph
    if values is None:
        return
    outputs = [output.name for output in graph.output]
    if len(outputs) > 1:
        for name in outputs:
            yield changed(case, model, values, outputs=[name])
    for node in graph.node:  # another, earlier output
        for name in node.output:
            if name and name not in outputs:
                yield changed(case, model, values, outputs=[name])
    for node in reversed(graph.node):  # a value becomes an input
        cut = [name for name in node.output if name]
        if all(np.asarray(values[0][name]).dtype.kind != "O" for name in cut):
            yield changed(case, model, values, outputs=outputs, cut=cut)
    for node in graph.node:  # a node is left out
        for source in node.input:
            result = node.output[0]
            if source in values[0] and values[0][source].shape == values[0][result].shape and values[0][source].dtype == values[0][result].dtype:
                yield changed(case, model, values, outputs=outputs, renamed={result: source})
                break
    if any(dim.HasField("dim_param") for value in graph.input for dim in value.type.tensor_type.shape.dim) and len(case.runs) == 1:
        yield changed(case, model, values, outputs=outputs, static=True)
    for tensor in graph.initializer:  # simpler constants
        array = numpy_helper.to_array(tensor)
        if array.dtype.kind == "f" and array.size > 1 and np.unique(array).size > 1:
            yield changed(case, model, values, outputs=outputs, constants={tensor.name: np.full_like(array, array.flat[0])})


def inner_values(case):
    """The values of all tensors of each run; None if onnxruntime fails."""
    model = parse_model(case.model)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    given = {output.name for output in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for node in model.graph.node for name in node.output if name and name not in given)
    try:
        oracle = Oracle(model)
        return [constants | dict(run.inputs) | oracle.run(run.inputs) for run in case.runs]
    except Failure:
        return None


def changed(case, model, values, outputs, cut=(), renamed=None, static=False, constants=None):
    """The case with these outputs, with the tensors `cut` as inputs, and without nodes that become unused."""
    renamed = renamed or {}
    names = {name: renamed.get(name, name) for name in outputs}
    nodes, needed = [], {names[name] for name in outputs}
    for node in reversed(model.graph.node):
        kept = onnx.NodeProto()
        kept.CopyFrom(node)
        for index, name in enumerate(kept.input):
            kept.input[index] = renamed.get(name, name)
        if needed & set(node.output) and not any(name in cut or name in renamed for name in node.output):
            nodes.insert(0, kept)
            needed |= set(kept.input)
    made = {name for node in nodes for name in node.output}
    results = [name for name in dict.fromkeys(names.values()) if name in made]
    if not results:
        results = [nodes[-1].output[0]] if nodes else []
    declared = {value.name: value for value in model.graph.input}
    inputs = [value for name, value in declared.items() if name in needed]
    for name in cut:
        if name in needed:
            array = np.asarray(values[0][name])
            several = len(values) > 1 and any(np.shape(run[name]) != array.shape for run in values)
            inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), [None] * array.ndim if several else array.shape))
    tensors = []
    for tensor in model.graph.initializer:
        if tensor.name in needed:
            tensors.append(numpy_helper.from_array(constants[tensor.name], tensor.name) if constants and tensor.name in constants else tensor)
    if static:
        inputs = [helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, np.shape(values[0][value.name])) for value in inputs]
    infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.asarray(values[0][name]).dtype), None) for name in results]
    graph = helper.make_graph(nodes, "shrunk", inputs, infos, tensors)
    smaller = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    runs = [Run({value.name: run[value.name] for value in inputs}) for run in values]
    return replace(case, model=smaller.SerializeToString(), runs=runs)
