"""GroupNormalization in the branches of an If and in the body of a Loop, of static and of dynamic shape (group_normalization_in_body)."""

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

HEAD = '<ir_version: 10, opset_import: ["" : 21]> main '
GROUPS = "GroupNormalization <num_groups = 2>"
BODIES = {
    "branch": "y = If (c) <then_branch = t () => (VALUE u) { u = GROUPS (x, s, b) }, else_branch = e () => (VALUE v) { v = Neg (x) }>",
    "loop": "y = Loop (n, c, x) <body = l (int64 i, bool d, VALUE z) => (bool g, VALUE u) { g = Identity (d) u = GROUPS (z, s, b) }>",
}
SHAPES = {"columns": (2, 12), "line": (2, 4, 5), "image": (1, 6, 2, 5)}


def normalized(body, shape, is_dynamic):
    channels = shape[1]
    value = f"float[{', '.join(['N' if is_dynamic else str(shape[0]), *map(str, shape[1:])])}]"
    text = f"(VALUE x, float[{channels}] s, float[{channels}] b, bool c, int64 n) => (VALUE y) {{ {BODIES[body]} }}"
    text = text.replace("VALUE", value).replace("GROUPS", GROUPS)
    given = {"s": numbers("s", channels), "b": numbers("b", channels), "n": np.array(2)}
    runs = []
    for batch in (shape[0], shape[0] + 2) if is_dynamic else (shape[0],):
        x = numbers(f"x{batch}", batch, *shape[1:])
        runs += [Run({"x": x, "c": np.array(taken), **given}) for taken in (True, False)]
    return Case(f"{body}_{len(shape)}_{is_dynamic}", onnx.parser.parse_model(HEAD + text).SerializeToString(), runs, one_compiled=True)


ENTRIES = [
    Entry(("normalized_groups", f"{body}-{name}-{'dynamic' if is_dynamic else 'static'}"), lambda b=body, s=shape, d=is_dynamic: normalized(b, s, d))
    for body in BODIES
    for name, shape in SHAPES.items()
    for is_dynamic in (False, True)
]


@pytest.mark.parametrize("conformance", parameters(ENTRIES))
def test_normalized_groups(conformance, result):
    assert_passed(result)
