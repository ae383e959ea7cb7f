"""The node cases of the ONNX backend suite, from the installed onnx package, in three modes.

default    the case as it is.
dynamic    the tensors in the model's inputs and outputs have dynamic dimensions of the same rank.
constants  every tensor input but the first becomes an initializer. Exporters write all parameters of an operator (axes,
           shapes, pads, scales, zero points, weights, states, trip counts) as constants, and after the first input
           ONNX keeps little else; a second operand of Add as a constant is just as common.
"""

import functools
import warnings

import numpy as np
import onnx
from onnx import numpy_helper

from .case import Case, Run
from .interface import TENSOR, kind_of

MODES = ("default", "dynamic", "constants")


@functools.cache
def _suite():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(0)  # the suite draws its data while it is built
        from onnx.backend.test.loader import load_node_model_tests

        return {case.name: case for case in load_node_model_tests()}


def case_names():
    return list(_suite())


@functools.cache
def operators():
    """The operator of each case, also of the cases that hold the operator's expanded function body."""
    names = {name: case.model.graph.node[0] for name, case in _suite().items() if "_expanded" not in name}
    found = {}
    for name in _suite():
        node = names.get(name.split("_expanded")[0])
        if node is None:
            node = _suite()[name].model.graph.node[0]
        found[name] = f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type
    return found


# The suite computes align_corners with the fractional output size that the scales give. PyTorch, whose exporters write such scales, and
# onnxruntime use the rounded size: docs/limits.md.
FOLLOWS_ONNXRUNTIME = {"test_resize_downsample_scales_linear_align_corners", "test_resize_downsample_scales_cubic_align_corners"}


def suite_case(name, mode="default"):
    """A case of the suite, ready to run."""
    source = _suite()[name]
    model = onnx.ModelProto()
    model.CopyFrom(source.model)
    graph = model.graph
    values, expected = source.data_sets[0]
    inputs = {value.name: _plain(data) for value, data in zip(graph.input, values)}
    outputs = {value.name: _plain(data) for value, data in zip(graph.output, expected)}
    if mode == "dynamic":
        _make_dynamic(graph)
    elif mode == "constants":
        _make_constants(graph, values, inputs)
    return Case(
        name,
        model.SerializeToString(),
        [Run(inputs, None if name in FOLLOWS_ONNXRUNTIME else outputs)],
        rtol=source.rtol,
        atol=source.atol,
        operator=operators()[name],
    )


def _plain(data):
    if isinstance(data, onnx.TensorProto):
        return numpy_helper.to_array(data)
    if isinstance(data, (list, tuple)):
        return [_plain(element) for element in data]
    return None if data is None else np.asarray(data)


def _make_dynamic(graph):
    for value in [*graph.input, *graph.output, *graph.value_info]:
        _clear_dimensions(value.type)


def _clear_dimensions(type_proto):
    which = type_proto.WhichOneof("value")
    if which == "tensor_type":
        for dimension in type_proto.tensor_type.shape.dim:
            dimension.Clear()
    elif which in ("sequence_type", "optional_type"):
        _clear_dimensions(getattr(type_proto, which).elem_type)


def _make_constants(graph, values, inputs):
    keep = [graph.input[0]] if graph.input else []
    for value, data in list(zip(graph.input, values))[1:]:
        if kind_of(value.type) != TENSOR:
            keep.append(value)
            continue
        graph.initializer.append(_initializer(value, data))
        del inputs[value.name]
    del graph.input[:]
    graph.input.extend(keep)


def _initializer(value, data):
    if isinstance(data, onnx.TensorProto):
        tensor = onnx.TensorProto()
        tensor.CopyFrom(data)
    else:
        tensor = numpy_helper.from_array(np.asarray(data))
    tensor.name = value.name
    return tensor
