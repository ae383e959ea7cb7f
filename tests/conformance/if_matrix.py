"""If: all versions and kinds of branches, each with a dynamic and with a constant condition."""

import numpy as np
import onnx.parser

from .case import Case, Run

VERSIONS = (1, 11, 13, 16, 19, 21, 23, 24, 25)
# Opsets in which onnxruntime runs If: it does not support newer ones, and requires equal shapes of both branches before 11.
ORACLE_OPSETS = range(11, 25)
CONDITIONS = ("run-time", "vector", "true", "false")
FEEDINGS = ("fresh", "one_compiled")

# Kind of branches: the outputs of the graph, initializers, and the nodes. CONDITION stands for the condition's name.
KINDS = {
    "simple": (
        "float[2] y",
        "",
        """y = If (CONDITION) <then_branch = a () => (float[2] t) { t = Add(x, x) },
                              else_branch = b () => (float[2] e) { e = Neg(x) }>""",
    ),
    "captured directly": (
        "float[2] y, float[2] z",
        "",
        """w = Neg(x)
           y, z = If (CONDITION) <then_branch = a () => (float[2] t, float[2] u) { t = Identity(x) u = Identity(w) },
                                 else_branch = b () => (float[2] e, float[2] f) { e = Identity(w) f = Identity(w) }>""",
    ),
    "constants": (
        "float[2] y, int64[n] z",
        "<float[2] k = {3, 4}>",
        """y, z = If (CONDITION) <then_branch = a () => (float[2] t, int64[3] u) {
                                    t = Identity(k)
                                    u = Constant<value = int64[3] {1, 2, 3}>()
                                 },
                                 else_branch = b () => (float[2] e, int64[1] f) <float[2] own = {5, 6}> {
                                    e = Identity(own)
                                    f = Constant<value = int64[1] {9}>()
                                 }>""",
    ),
    "shapes": (
        "float[n] y, float[m, 2] z",
        "<int64[2] big = {3, 2}>",
        """y, z = If (CONDITION) <then_branch = a () => (float[4] t, float[3, 2] u) {
                                    t = Concat<axis = 0>(x, x)
                                    u = Expand(x, big)
                                 },
                                 else_branch = b () => (float[2] e, float[1, 2] f) {
                                    e = Neg(x)
                                    shape = Constant<value = int64[2] {1, 2}>()
                                    f = Reshape(x, shape)
                                 }>""",
    ),
    "dynamic shapes": (
        "float[n] y",
        "",
        """y = If (CONDITION) <then_branch = a () => (float[t_rows] t) {
                                 length = Cast<to = 7>(first)
                                 value = Cast<to = 1>(length)
                                 t = Expand(value, length)
                              },
                              else_branch = b () => (float[2] e) { e = Exp(x) }>
           start = Constant<value = int64[1] {0}>()
           first = Gather<axis = 0>(positive, start)
           positive = Abs(x)""",
    ),
    "nested": (
        "float[2] y",
        "",
        """zero = Constant<value = float {0}>()
           total = ReduceSum<keepdims = 0>(x)
           positive = Greater(total, zero)
           twice = Add(x, x)
           y = If (CONDITION) <then_branch = a () => (float[2] t) {
                                 t = If (positive) <then_branch = aa () => (float[2] tt) { tt = Add(twice, x) },
                                                    else_branch = ab () => (float[2] te) { te = Mul(twice, x) }>
                              },
                              else_branch = b () => (float[2] e) {
                                 local = Neg(twice)
                                 e = If (positive) <then_branch = ba () => (float[2] et) { et = Sub(local, x) },
                                                    else_branch = bb () => (float[2] ee) { ee = Identity(local) }>
                              }>""",
    ),
    "loop inside": (
        "float[2] y, float[n, 2] rows",
        "<int64 three = {3}>",
        """y, rows = If (CONDITION) <then_branch = a () => (float[2] t, float[t_n, 2] t_rows) {
                                 t, t_rows = Loop (three, "", x) <body = step (int64 i, bool go_on, float[2] s)
                                       => (bool go_on_out, float[2] next, float[2] row) {
                                    go_on_out = Identity(go_on)
                                    next = Add(s, x)
                                    row = Mul(s, x)
                                 }>
                              },
                              else_branch = b () => (float[2] e, float[e_n, 2] e_rows) {
                                 e = Neg(x)
                                 shape = Constant<value = int64[2] {1, 2}>()
                                 e_rows = Reshape(x, shape)
                              }>""",
    ),
    "condition used": (
        "bool y",
        "",
        """y = If (CONDITION) <then_branch = a () => (bool t) { t = Not(flag) },
                              else_branch = b () => (bool e) { e = Or(flag, flag) }>
           zero = Constant<value = float {0}>()
           total = ReduceSum<keepdims = 0>(x)
           flag = Greater(total, zero)""",
    ),
    "unused output": (
        "float[2] y",
        "",
        """unread, y = If (CONDITION) <then_branch = a () => (float[2] t, float[2] u) { t = Add(x, x) u = Abs(x) },
                              else_branch = b () => (float[2] e, float[2] f) { e = Neg(x) f = Exp(x) }>""",
    ),
}


def names():
    for version in VERSIONS:
        for kind in KINDS:
            for condition in CONDITIONS:
                yield version, kind, condition


def _model(opset, kind, condition):
    outputs, initializers, nodes = KINDS[kind]
    inputs = {"run-time": "bool cond, ", "vector": "bool[1] cond, "}.get(condition, "")
    if condition in ("true", "false"):
        constant = f"bool cond = {{{int(condition == 'true')}}}"
        initializers = f"<{constant}>" if not initializers else f"<{constant}, {initializers[1:]}"
    text = f"""<ir_version: 10, opset_import: ["" : {opset}]>
        main ({inputs}float[2] x) => ({outputs}) {initializers} {{ {nodes.replace("CONDITION", "cond")} }}"""
    model = onnx.parser.parse_model(text)
    _sort(model.graph)
    return model


def _sort(graph):
    """onnxruntime requires nodes in order; in the texts above, inputs of an If may follow it for readability."""
    available = {value.name for value in [*graph.input, *graph.initializer]}
    produced = {name for node in graph.node for name in node.output}
    waiting, done = list(graph.node), []
    while waiting:
        ready = next(node for node in waiting if _needs(node) & produced <= available)
        waiting.remove(ready)
        done.append(ready)
        available |= set(ready.output)
    del graph.node[:]
    graph.node.extend(done)


def _needs(node):
    names = set(node.input)
    for attribute in node.attribute:
        for inner in attribute.g.node:
            names |= _needs(inner)
    return names


def _runs(condition):
    runs = []
    for x in ([1, 2], [-1, -3], [2, -1]):
        values = {"x": np.array(x, np.float32)}
        if condition in ("true", "false"):
            runs.append(Run(values))
            continue
        for flag in (True, False):
            runs.append(Run({**values, "cond": np.array([flag] if condition == "vector" else flag)}))
    return runs


def if_case(version, kind, condition, feeding):
    opset = max(version, 10)
    oracle_opset = min(max(opset, ORACLE_OPSETS[0]), ORACLE_OPSETS[-1])
    return Case(
        f"{version}-{kind}-{condition}-{feeding}".replace(" ", "_"),
        _model(opset, kind, condition).SerializeToString(),
        _runs(condition),
        one_compiled=feeding == "one_compiled",
        oracle_model=_model(oracle_opset, kind, condition).SerializeToString(),
    )
