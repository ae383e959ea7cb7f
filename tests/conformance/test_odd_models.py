"""Valid but unusual names and graphs."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

X = np.array([1, -2], np.float32)
NAMES = ["a\"<>&'b", "a\nb\tc\r", "ä€😀", "a,b", " a ", "a/b:0", "a\\b", "x" * 3000, "../a", "%s%n", "{}", "]]>", "Result_1"]


def vector(name, shape=(2,)):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def make_case(name, nodes, inputs, outputs, initializers=()):
    constants = [numpy_helper.from_array(X * (i + 1), initializer) for i, initializer in enumerate(initializers)]
    graph = helper.make_graph(nodes, "odd", [vector(i) for i in inputs], [vector(o) for o in outputs], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    return Case(name, model.SerializeToString(), [Run({i: X for i in inputs if i not in initializers})])


def node(op, inputs, outputs, name=""):
    return helper.make_node(op, inputs.split(), outputs.split(), name)


def named(name):
    nodes = [helper.make_node("Relu", [name], ["t"], "first"), helper.make_node("Neg", ["t"], ["y" + name], name)]
    return make_case(repr(name[:9]), nodes, [name], ["y" + name])


GRAPHS = {
    "no nodes": ([], ["x"], ["x"]),
    "identity": ([node("Identity", "x", "y")], ["x"], ["y"]),
    "input as an output": ([node("Relu", "x", "y")], ["x"], ["x", "y"]),
    "one value, two outputs": ([node("Relu", "x", "y"), node("Identity", "y", "z")], ["x"], ["y", "z"]),
    "constant as an output": ([node("Relu", "x", "y")], ["x"], ["y", "c"], ["c"]),
    "unused input": ([node("Relu", "x", "y")], ["x", "u"], ["y"]),
    "no inputs": ([node("Relu", "c", "y")], [], ["y"], ["c"]),
    "input with a default": ([node("Add", "x c", "y")], ["x", "c"], ["y"], ["c"]),
    "unused constant": ([node("Relu", "x", "y")], ["x"], ["y"], ["c"]),
    "two constants of one name": ([node("Add", "x c", "y")], ["x"], ["y"], ["c", "c"]),
    "names like those of the IR": ([node("Relu", "x", "Result_1", "Const_1"), node("Neg", "Result_1", "x_1", "Result_2")], ["x"], ["Result_1", "x_1"]),
    "unused value": ([node("Relu", "x", "y"), node("Exp", "x", "z")], ["x"], ["y"]),
}


def entries():
    for name in NAMES:
        yield Entry(("odd_models", "name " + repr(name[:9])), lambda name=name: named(name))
    for name, parts in GRAPHS.items():
        yield Entry(("odd_models", name), lambda name=name, parts=parts: make_case(name, *parts))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_odd_models(conformance, result):
    assert_passed(result)
