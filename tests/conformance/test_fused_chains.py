"""Convolutions and products that are followed by more elementwise operations than the CPU plugin can fuse into one kernel."""

import functools

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

WEIGHTS = {
    "MatMul": np.random.default_rng(1).standard_normal((8, 6)).astype(np.float32),
    "Conv": np.random.default_rng(2).standard_normal((6, 8, 1, 1)).astype(np.float32),
}
SHAPES = {"MatMul": (2, 5, 8), "Conv": (2, 8, 3, 4)}


def chain_case(source, operations, count, moves):
    """`count` operations in turns. `moves`: a Transpose in the middle, before which OpenVINO moves operations."""
    constants = {"weights": WEIGHTS[source], "half": np.float32(0.5), "low": np.float32(-3), "high": np.float32(3)}
    inputs = {"Add": ["half"], "Mul": ["half"], "Clip": ["low", "high"]}
    nodes, value = [helper.make_node(source, ["x", "weights"], ["v"])], "v"
    for place in range(count):
        if moves and place == count // 2:
            nodes.append(helper.make_node("Transpose", [value], [f"{value}_moved"]))
            value += "_moved"
        operator = operations[place % len(operations)]
        nodes.append(helper.make_node(operator, [value, *inputs.get(operator, [])], [f"v{place}"]))
        value = f"v{place}"
    shape = SHAPES[source]
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *shape[1:]])],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, [None] * len(shape))],
        [numpy_helper.from_array(np.asarray(constant), name) for name, constant in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    return Case("chain", model.SerializeToString(), [Run({"x": x})], atol=1e-5)


def cases():
    for source in WEIGHTS:
        for operations, count in ((("Add", "Clip"), 24), (("Add", "Clip"), 40), (("Tanh",), 33), (("Mul", "Sin", "Add"), 150)):
            for moves in (False, True):
                name = f"{source}, {count} of {'+'.join(operations)}" + (", moved" if moves else "")
                yield Entry(("fused_chain", name), functools.partial(chain_case, source, operations, count, moves))


@pytest.mark.parametrize("conformance", parameters(cases()))
def test_chain(conformance, result):
    assert_passed(result)
