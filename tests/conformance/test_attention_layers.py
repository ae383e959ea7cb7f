"""Attention and linear layers as exporters write them, which passes rewrite: heads that share keys, transposed keys, flattened rows.
Many inferences of one compiled model, also with an empty batch, no tokens and no keys."""

import numpy as np
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

HEADS, GROUPS, SIZE = 4, 2, 8
HEADER = """<ir_version: 9, opset_import: ["" : 18]> m ({inputs}) => ({kind}[{shape}] y) <{constants}> {{
    zero = Constant <value = int64[1] {{0}}> () one = Constant <value = int64[1] {{1}}> () two = Constant <value = int64[1] {{2}}> ()
    {nodes}
}}"""
BATCH_ROWS_KEYS = ((1, 3, 5), (2, 1, 7), (0, 3, 5), (1, 0, 4), (1, 3, 0), (3, 2, 2), (1, 3, 5))
CASES = {}


def repeated(name, sized=None):
    """Nodes that repeat each of the groups of `name` for two heads, with the batch and the rows of `sized`, the cache of another layer."""
    return f"""
    {name}_shape = Shape ({sized or name}) {name}_batch = Slice ({name}_shape, zero, one) {name}_rows = Slice ({name}_shape, two, three)
    {name}_new = Unsqueeze ({name}, two) {name}_repeats = Concat <axis = 0> ({name}_batch, two, two, {name}_rows, eight)
    {name}_repeated = Expand ({name}_new, {name}_repeats) {name}_sizes = Concat <axis = 0> ({name}_batch, four, {name}_rows, eight)
    {name}_all = Reshape <allowzero = 1> ({name}_repeated, {name}_sizes)"""


SWAPPED = {
    "transposed": "key_columns = Transpose <perm = [0, 1, 3, 2]> (key_all)",
    "merged": """
    merged_sizes = Concat <axis = 0> (rest, key_rows, eight) merged = Reshape (key_all, merged_sizes)
    swapped = Transpose <perm = [0, 2, 1]> (merged)
    swapped_sizes = Concat <axis = 0> (key_batch, four, eight, key_rows) key_columns = Reshape (swapped, swapped_sizes)""",
}
NUMBERS = "int64[1] three = {3}, int64[1] four = {4}, int64[1] eight = {8}, int64[1] rest = {-1}, float root = {0.6}"


def attention(swap, kind):
    nodes = f"""
    {repeated("key")} {repeated("value")} {SWAPPED[swap]}
    scale = CastLike (root, query) scaled_query = Mul (query, scale) scaled_key = Mul (key_columns, scale)
    scores = MatMul (scaled_query, scaled_key) hidden = Add (scores, mask) weights = Softmax <axis = -1> (hidden)
    y = MatMul (weights, value_all)"""
    inputs = f"{kind}[B,4,L,8] query, {kind}[B,2,T,8] key, {kind}[B,2,T,8] value, {kind}[1,1,L,T] mask"
    return HEADER.format(inputs=inputs, kind=kind, shape="B,4,L,8", constants=NUMBERS, nodes=nodes)


def attention_inputs(batch, rows, keys, random, dtype):
    shapes = {
        "query": (batch, HEADS, rows, SIZE),
        "key": (batch, GROUPS, keys, SIZE),
        "value": (batch, GROUPS, keys, SIZE),
        "mask": (1, 1, rows, keys),
    }
    return {name: random.standard_normal(shape, dtype=np.float32).astype(dtype) for name, shape in shapes.items()}


def attention_of_another_layer(mask, query):
    """The sizes of keys and values are those of `other`."""
    hidden = {
        "no_mask": "hidden = Identity (scores)",
        "mask": "hidden = Add (scores, mask)",
        "expanded_mask": "expanded = Expand (mask, key_rows) all_columns = Abs (expanded) hidden = Add (scores, all_columns)",
    }
    heads = {
        "heads": """query_sizes = Concat <axis = 0> (key_batch, four, query_rows, eight)
    all_query = Reshape <allowzero = 1> (query, query_sizes)""",
        # The number of heads is not known.
        "rows": """query_sizes = Concat <axis = 0> (key_batch, query_rows, rest, eight)
    separated = Reshape <allowzero = 1> (query, query_sizes) all_query = Transpose <perm = [0, 2, 1, 3]> (separated)""",
    }
    rows = "one, two" if query == "rows" else "two, three"
    nodes = f"""
    query_shape = Shape (query) query_rows = Slice (query_shape, {rows}) {repeated("key", "other")} {repeated("value", "other")} {SWAPPED["transposed"]} {heads[query]}
    scaled_query = Mul (all_query, root) scores = MatMul (scaled_query, key_columns) {hidden[mask]} weights = Softmax <axis = -1> (hidden)
    y = MatMul (weights, value_all)"""
    queries = {"heads": "float[B,4,L,8]", "rows": "float[B,L,32]"}
    caches = "float[B,2,T,8] key, float[C,2,U,8] value, float[D,2,V,8] other"
    inputs = f"{queries[query]} query, {caches}" + ("" if mask == "no_mask" else ", float[1,1,L,W] mask")
    return HEADER.format(inputs=inputs, kind="float", shape="B,4,L,8", constants=NUMBERS, nodes=nodes)


# batch and rows of the query; batch and rows of keys, of values and of the other layer
ANOTHER_LAYER = (
    ((1, 3), (1, 5), (1, 5), (1, 5)),
    ((2, 1), (2, 7), (2, 7), (2, 7)),
    ((1, 1), (1, 1), (1, 1), (1, 6)),
    ((1, 3), (1, 1), (1, 6), (1, 6)),
    ((2, 2), (2, 6), (2, 1), (2, 6)),
    ((2, 2), (1, 6), (1, 6), (2, 6)),
    ((2, 3), (1, 1), (2, 4), (2, 4)),
    ((1, 1), (1, 1), (1, 1), (1, 1)),
    ((0, 3), (0, 5), (0, 5), (0, 5)),
    ((1, 0), (1, 4), (1, 4), (1, 4)),
    ((1, 3), (1, 0), (1, 0), (1, 0)),
    ((1, 0), (1, 0), (1, 0), (1, 0)),
    ((1, 3), (1, 5), (1, 5), (1, 5)),
)


def inputs_of_another_layer(queries, key, value, other, random, query):
    batch, rows = queries
    shapes = {"query": (batch, HEADS, rows, SIZE) if query == "heads" else (batch, rows, HEADS * SIZE), "mask": (1, 1, rows, other[1])}
    shapes |= {name: (sizes[0], GROUPS, sizes[1], SIZE) for name, sizes in {"key": key, "value": value, "other": other}.items()}
    return {name: random.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}


def linear_layers(sizes_of):
    """Two layers on rows; the sizes of the result come from `sizes_of`."""
    weights = ", ".join(str(i % 5 - 2) for i in range(8 * 4))
    constants = f"int64[2] flat = {{-1, 8}}, float[8,4] first = {{{weights}}}, float[4,8] second = {{{weights}}}, float[8] bias = {{1, 2, 3, 4, 5, 6, 7, 8}}"
    nodes = f"""
    rows = Reshape (x, flat) between = MatMul (rows, first) positive = Relu (between) product = MatMul (positive, second) sum = Add (product, bias)
    shape = Shape ({sizes_of}) leading = Slice (shape, zero, two) eight = Constant <value = int64[1] {{8}}> ()
    sizes = Concat <axis = 0> (leading, eight) y = Reshape <allowzero = 1> (sum, sizes)"""
    return HEADER.format(inputs="float[B,L,2,4] x, float[C,M] other", kind="float", shape="C,M,8", constants=constants, nodes=nodes)


def linear_inputs(batch, rows, random):
    shapes = {"x": (batch, rows, 2, 4), "other": (batch, rows)}
    return {name: random.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}


def add(name, model, inputs, tolerance=1e-5):
    CASES[name] = lambda: Case(name, model.encode(), [Run(fed) for fed in inputs], one_compiled=True, rtol=tolerance, atol=tolerance)


def add_all():
    random = np.random.default_rng(1)
    for swap in SWAPPED:
        # onnxruntime cannot merge axes of empty keys.
        sizes = [run for run in BATCH_ROWS_KEYS if swap == "transposed" or run[0] * run[2] > 0]
        for kind, dtype, tolerance in (("float", np.float32, 1e-5), ("float16", np.float16, 4e-3), ("double", np.float64, 1e-5)):
            inputs = [attention_inputs(*run, random, dtype) for run in sizes]
            add(f"attention-{swap}-{kind}", attention(swap, kind), inputs, tolerance)
    for mask in ("no_mask", "mask", "expanded_mask"):
        for query in ("heads", "rows"):
            # onnxruntime cannot find the heads of an empty query.
            runs = [run for run in ANOTHER_LAYER if query == "heads" or min(run[0]) > 0]
            inputs = [inputs_of_another_layer(*run, random, query) for run in runs]
            model = attention_of_another_layer(mask, query)
            add(f"another_layer-{query}-{mask}", model, [{n: x for n, x in fed.items() if mask != "no_mask" or n != "mask"} for fed in inputs])
    for sizes_of in ("x", "other"):
        sizes = [(batch, rows) for batch, rows, _ in BATCH_ROWS_KEYS]
        add(f"linear_layers-{sizes_of}", linear_layers(sizes_of), [linear_inputs(*run, random) for run in sizes])


add_all()


@pytest.mark.parametrize("conformance", parameters(Entry(("attention_layers", name), make) for name, make in CASES.items()))
def test_layers(conformance, result):
    assert_passed(result)
