"""The Loop matrix: versions x modes x body conditions x what the body does, each model with many inputs.

A model has the inputs that its mode needs: `M` and `cond` if they are dynamic, `limit` if the body
computes its condition, `w` if the body captures a value, and `x`, the initial value of its state.
"""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .case import Case, Run

# The versions of Loop; 1 is what opset 10 has.
VERSIONS = (1, 11, 13, 16, 19, 21, 23, 24, 25)
FULL_VERSIONS = (1, 21)  # with every body; other versions with the body that has all features
NEWEST_ORACLE_OPSET = 24  # of onnxruntime; later models are the same in this opset

TRIPS = ("absent", "constant 0", "constant 1", "constant 4", "run-time")
CONDITIONS = ("absent", "true", "false", "run-time")
BODY_CONDITIONS = ("kept", "computed")
BODIES = ("states", "scans", "scans-only", "captures", "nested", "branches", "everything")
FEEDINGS = ("fresh", "one_compiled")

_RUN_TIME_TRIPS = (3, 0, 1, 6, -2)
_LIMITS = (2, 0, 100, 4)


def names():
    """(version, trip, condition, body condition, body) of every model of the matrix."""
    for version, trip, condition, body_condition, body in itertools.product(
        VERSIONS, TRIPS, CONDITIONS, BODY_CONDITIONS, BODIES
    ):
        if version not in FULL_VERSIONS and body != "everything":
            continue
        if version == 1 and body == "scans-only":
            continue  # Loop-1 has at least one state
        if trip == "absent" and body_condition == "kept" and condition != "false":
            continue  # endless, or endless for one of its inputs
        yield version, trip, condition, body_condition, body


def loop_case(version, trip, condition, body_condition, body, feeding):
    opset = max(version, 10)
    model = _model(opset, trip, condition, body_condition, body)
    oracle_model = None
    if opset > NEWEST_ORACLE_OPSET:
        oracle_model = _model(NEWEST_ORACLE_OPSET, trip, condition, body_condition, body).SerializeToString()
    return Case(
        f"{version}-{trip}-{condition}-{body_condition}-{body}-{feeding}".replace(" ", "_"),
        model.SerializeToString(),
        _runs({value.name for value in model.graph.input}),
        one_compiled=feeding == "one_compiled",
        oracle_model=oracle_model,
    )


def _runs(inputs):
    choices = {
        "M": [np.array(value, np.int64) for value in _RUN_TIME_TRIPS],
        "cond": [np.array(value) for value in (True, False)],
        "limit": [np.array(value, np.int64) for value in _LIMITS],
        "w": [np.array([0.5, -1.5], np.float32)],
        "x": [np.array([1, 2], np.float32)],
    }
    present = [name for name in choices if name in inputs]
    sets = [dict(zip(present, values)) for values in itertools.product(*(choices[name] for name in present))]
    # It is sufficient to combine all M and cond with one limit, and all limits with one M and cond.
    first = {name: choices[name][0] for name in present}
    near = [
        values
        for values in sets
        if sum(values[name] is not first[name] for name in present) <= 1 or values.get("limit") is first.get("limit")
    ]
    return [Run(values) for values in near]


def _info(name, element, shape):
    return helper.make_tensor_value_info(name, element, shape)


class _Body:
    """Collects the nodes of a body, its states and scan outputs."""

    def __init__(self):
        self.nodes = []
        self.inputs = [_info("i", TensorProto.INT64, []), _info("go_on", TensorProto.BOOL, [])]
        self.states = []
        self.scans = []

    def add(self, operator, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output


def _body_graph(body_condition, kind, captures):
    body = _Body()
    if kind != "scans-only":
        body.inputs += [_info("state", TensorProto.FLOAT, [2]), _info("count", TensorProto.INT64, [])]
    body.add("Cast", ["i"], "number", to=TensorProto.FLOAT)
    body.add("Add", ["i", "one"], "after")
    value = "number" if kind == "scans-only" else body.add("Add", ["state", "number"], "added")
    if captures:
        value = body.add("Mul", [value, "squared"], "scaled")
        value = body.add("Add", [value, "w"], "shifted")
    if kind in ("nested", "everything"):
        value = _nested_loop(body, value)
    if kind in ("branches", "everything"):
        value = _branches(body, value)
    if kind != "scans-only":
        body.add("Identity", [value], "next")
        body.add("Add", ["count", "after"], "counted")
        body.states = [_info("next", TensorProto.FLOAT, [2]), _info("counted", TensorProto.INT64, [])]
    if kind in ("scans", "scans-only", "nested", "everything"):
        shape = [] if kind == "scans-only" else [2]
        body.add("Neg", [value], "row")
        body.add("Mul", ["i", "after"], "product")
        body.scans = [_info("row", TensorProto.FLOAT, shape), _info("product", TensorProto.INT64, [])]
    if body_condition == "computed":
        body.add("Less", ["after", "limit"], "go_on_out")
    else:
        body.add("Identity", ["go_on"], "go_on_out")
    outputs = [_info("go_on_out", TensorProto.BOOL, []), *body.states, *body.scans]
    return helper.make_graph(body.nodes, "body", body.inputs, outputs), body


def _nested_loop(body, value):
    """An inner loop whose trip count is the iteration number, which begins at 0."""
    inner = helper.make_graph(
        [
            helper.make_node("Identity", ["inner_go_on"], ["inner_go_on_out"]),
            helper.make_node("Mul", ["inner_state", "half"], ["halved"]),
            helper.make_node("Add", ["halved", "number"], ["inner_next"]),
            helper.make_node("Neg", ["halved"], ["inner_row"]),
        ],
        "inner",
        [
            _info("j", TensorProto.INT64, []),
            _info("inner_go_on", TensorProto.BOOL, []),
            _info("inner_state", TensorProto.FLOAT, [2]),
        ],
        [
            _info("inner_go_on_out", TensorProto.BOOL, []),
            _info("inner_next", TensorProto.FLOAT, [2]),
            _info("inner_row", TensorProto.FLOAT, [2]),
        ],
    )
    node = helper.make_node("Loop", ["i", "", value], ["inner_result", "inner_rows"], body=inner)
    body.nodes.append(node)
    body.add("ReduceSum", ["inner_rows"], "inner_sum", keepdims=0)
    return body.add("Add", ["inner_result", "inner_sum"], "with_inner")


def _branches(body, value):
    """An If that adds an outer value in even iterations and an inner one in odd ones."""
    body.add("Mod", ["i", "two"], "remainder")
    body.add("Equal", ["remainder", "zero"], "even")
    then_branch = helper.make_graph(
        [helper.make_node("Add", [value, "half"], ["then_value"])],
        "even_turn",
        [],
        [_info("then_value", TensorProto.FLOAT, [2])],
    )
    else_branch = helper.make_graph(
        [helper.make_node("Sub", [value, "number"], ["else_value"])],
        "odd_turn",
        [],
        [_info("else_value", TensorProto.FLOAT, [2])],
    )
    node = helper.make_node("If", ["even"], ["chosen"], then_branch=then_branch, else_branch=else_branch)
    body.nodes.append(node)
    return "chosen"


def _model(opset, trip, condition, body_condition, kind):
    captures = kind in ("captures", "everything")
    graph, body = _body_graph(body_condition, kind, captures)
    inputs, nodes = [], []
    constants = {"one": np.int64(1), "two": np.int64(2), "zero": np.int64(0), "half": np.float32(0.5)}
    trip_name, condition_name = "", ""
    if trip == "run-time":
        trip_name = "M"
        inputs.append(_info("M", TensorProto.INT64, []))
    elif trip != "absent":
        trip_name = "trip"
        constants["trip"] = np.int64(trip.split()[1])
    if condition == "run-time":
        condition_name = "cond"
        inputs.append(_info("cond", TensorProto.BOOL, []))
    elif condition != "absent":
        condition_name = "start"
        constants["start"] = np.bool_(condition == "true")
    if body_condition == "computed":
        inputs.append(_info("limit", TensorProto.INT64, []))
    if captures:
        inputs.append(_info("w", TensorProto.FLOAT, [2]))
        nodes.append(helper.make_node("Mul", ["w", "w"], ["squared"]))
    starts, outputs = [], []
    if body.states:
        inputs.append(_info("x", TensorProto.FLOAT, [2]))
        starts = ["x", "zero"]
        outputs += [_info("y", TensorProto.FLOAT, [2]), _info("counts", TensorProto.INT64, [])]
    for scan in body.scans:
        inner = [dim.dim_value for dim in scan.type.tensor_type.shape.dim]
        outputs.append(_info(f"{scan.name}s", scan.type.tensor_type.elem_type, ["n", *inner]))
    names_out = [output.name for output in outputs]
    nodes.append(helper.make_node("Loop", [trip_name, condition_name, *starts], names_out, body=graph))
    used = {name for node in _all_nodes(nodes) for name in node.input} | {trip_name, condition_name, *starts}
    initializers = [
        numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items() if name in used
    ]
    main = helper.make_graph(nodes, "main", inputs, outputs, initializers)
    return helper.make_model(main, opset_imports=[helper.make_operatorsetid("", opset)], ir_version=10)


def _all_nodes(nodes):
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _all_nodes(attribute.g.node)
