"""Cases of a few operations in ONNX text, for the faults that OpenVINO shows in graphs and not in single operations."""

import functools

import numpy as np
import onnx.parser
from onnx import TensorProto, helper, numpy_helper

from .case import Case, Run
from .entry import Entry

# Numbers that are rounded, each channel with a scale of its own, and quantised weights w.
PER_CHANNEL = {"s": np.array([0.125, 0.25], np.float32), "z": np.array([0, 0], np.int8)}
CHANNELS = "q = QuantizeLinear <axis = 1> (x, s, z) d = DequantizeLinear <axis = 1> (q, s, z) "
WEIGHTS = "k = DequantizeLinear(w, s, z) "
# Scales of filters.
EACH = {"s": np.array([0.125, 0.25], np.float32), "n": np.array([0, 0], np.int8)}
# Numbers x that are rounded with one scale, and v, which are rounded again.
ONE_SCALE = {"s": np.float32(0.25), "z": np.int8(0), "t": np.float32(0.125)}
ROUND = "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) "
AGAIN = "u = QuantizeLinear(v, t, z) e = DequantizeLinear(u, t, z) "


def whole(*shape, shift=0):
    """Small integers as f32, which differ along every axis."""
    return ((np.arange(np.prod(shape)) * 7 + shift) % 11 - 5).reshape(shape).astype(np.float32)


def is_broadcast(form, shape):
    """Whether a constant of shape `form` can be added to a tensor of `shape`."""
    return all(size in (1, other) for size, other in zip(form[::-1], shape[::-1]))


def collection():
    """A dict of makers by the names of the cases, `add`, which adds one case to it, and `add_all`, which adds several of a kind."""
    cases = {}

    def add(name, nodes, inputs, constants, dynamic=(), outputs=("y",), runs=1, opset=18):
        """A case of `nodes`, a function body in ONNX text. `dynamic`: axes by the name of an input."""

        def make():
            body = onnx.parser.parse_function(f'<opset_import: ["" : {opset}], domain: "d"> f () => ({", ".join(outputs)}) {{ {nodes} }}')
            infos = []
            for key, value in inputs.items():
                axes = dict(dynamic).get(key, ())
                infos.append(helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), [None if i in axes else n for i, n in enumerate(value.shape)]))
            tensors = [numpy_helper.from_array(np.asarray(value), key) for key, value in constants.items()]
            results = [helper.make_tensor_value_info(key, TensorProto.UNDEFINED, None) for key in outputs]
            graph = helper.make_graph(body.node, "graph", infos, results, tensors)
            model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8))
            return Case(name, model.SerializeToString(), [Run(inputs)] * runs, one_compiled=True, atol=1e-4)

        assert name not in cases, name
        cases[name] = make

    def add_all(kind, variants):
        for name, arguments in variants.items():
            add(f"{kind}-{name}", *arguments[:3], **(arguments[3] if len(arguments) > 3 else {}))

    return cases, add, add_all


def entries(tests, cases):
    for name, make in cases.items():
        yield Entry((tests, name), functools.partial(make))
