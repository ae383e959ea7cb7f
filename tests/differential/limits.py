"""What random models may differ in, and how it is shown for each that differs.

A Loop that does not run gives no rows, and the specification does not say which sizes these would have. onnxruntime takes
what the body declares for a row, 0 where that is nothing, and no rank at all where there is none (test_limits.py shows
it); we know some of these sizes nevertheless. Such a difference is no fault when onnxruntime gives what we give as soon as the bodies declare it.
"""

import re
from dataclasses import replace

from ..conformance.case import PASS, WRONG_SHAPE
from ..conformance.worker import parse_model

UNDECLARED_ROWS = "sizes of rows that were never made"
MOST_ROUNDS = 4  # sizes that are declared one after the other

_NO_ROWS = re.compile(r"shape \[0((?:, \d+)+)\] instead of \[0(?:, \d+)*\]")


def limit_of(case, result, check):
    """The name of the limit that explains the Result of a Case, or None. `check` gives the Result of another Case."""
    model = parse_model(case.model)
    for _ in range(MOST_ROUNDS):
        found = _NO_ROWS.search(result.message) if result.outcome == WRONG_SHAPE else None
        if not found:
            return None
        declare_rows(model.graph, [int(size) for size in found[1].split(", ")[1:]])
        result = check(replace(case, oracle_model=model.SerializeToString()))
        if result.outcome == PASS:
            return UNDECLARED_ROWS
    return None


def declare_rows(graph, sizes):
    """Lets all rows of this rank that Loops give have these sizes where no others are declared."""
    for node in graph.node:
        bodies = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
        for body in bodies:
            declare_rows(body, sizes)
        if node.op_type == "Loop":
            states = len(node.input) - 2
            for row in bodies[0].output[1 + states :]:
                # A state that is handed on as it is has its declaration among the inputs.
                for value in (row, *[given for given in bodies[0].input if given.name == row.name]):
                    _declare(value.type.tensor_type, sizes)


def _declare(tensor_type, sizes):
    shape = tensor_type.shape
    if tensor_type.HasField("shape") and len(shape.dim) != len(sizes):
        return
    for index, size in enumerate(sizes):
        dimension = shape.dim[index] if index < len(shape.dim) else shape.dim.add()
        if not dimension.HasField("dim_value"):
            dimension.dim_value = size
