"""Allowed differences of random models, and the proof for each differing model.

A Loop that does not run gives no rows, and the specification does not say which sizes these would have. onnxruntime takes
what the body declares for a row, 0 where that is nothing, and no rank at all where there is none (test_limits.py shows
it); we know some of these sizes nevertheless. Such a difference is no fault when onnxruntime gives what we give as soon as the bodies declare it.
"""

import re
from dataclasses import replace

from ..conformance.case import PASS, WRONG_SHAPE
from ..conformance.oracle import parse_model

UNDECLARED_ROWS = "sizes of rows that were never made"
MOST_ROUNDS = 4  # sizes that are declared one after the other

_NO_ROWS = re.compile(r"(\S+): shape \[0((?:, \d+)+)\] instead of \[0(?:, \d+)*\]")


def limit_of(case, result, check):
    """The name of the limit that explains the Result of a Case, or None. `check` returns the Result of another Case."""
    model = parse_model(case.model)
    for _ in range(MOST_ROUNDS):
        found = _NO_ROWS.search(result.message) if result.outcome == WRONG_SHAPE else None
        if not found:
            return None
        sizes = [int(size) for size in found[2].split(", ")[1:]]
        row = row_of(model.graph, found[1])
        if row is not None:
            declare_row(*row, sizes)
        else:
            declare_rows(model.graph, sizes)
        result = check(replace(case, oracle_model=model.SerializeToString()))
        if result.outcome == PASS:
            return UNDECLARED_ROWS
    return None


def row_of(graph, name):
    """The body and the row of the Loop whose scan output is `name`, unchanged or copied; None if it is computed from one."""
    for node in graph.node:
        if name in node.output:
            index = list(node.output).index(name)
            if node.op_type == "Identity":
                return row_of(graph, node.input[0])
            if node.op_type == "Loop" and index >= len(node.input) - 2:
                body = next(attribute.g for attribute in node.attribute if attribute.name == "body")
                return body, body.output[1 + index]
    return None


def declare_rows(graph, sizes):
    """Declares these sizes for all rows of this rank in Loops without other declarations."""
    for node in graph.node:
        bodies = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
        for body in bodies:
            declare_rows(body, sizes)
        if node.op_type == "Loop":
            states = len(node.input) - 2
            for row in bodies[0].output[1 + states :]:
                declare_row(bodies[0], row, sizes)


def declare_row(body, row, sizes):
    """Declares these sizes for one row without another declaration."""
    # A state that is returned unchanged is declared as an input.
    for value in (row, *[given for given in body.input if given.name == row.name]):
        _declare(value.type.tensor_type, sizes)


def _declare(tensor_type, sizes):
    shape = tensor_type.shape
    if tensor_type.HasField("shape") and len(shape.dim) != len(sizes):
        return
    for index, size in enumerate(sizes):
        dimension = shape.dim[index] if index < len(shape.dim) else shape.dim.add()
        if not dimension.HasField("dim_value"):
            dimension.dim_value = size
