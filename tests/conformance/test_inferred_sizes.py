"""Sizes that OpenVINO's inference knows for a part of the axes. The port check compares them with ours."""

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}


def add_case(name, inputs, output, nodes, runs):
    def make():
        text = f'<ir_version: 10, opset_import: ["" : 18]> main ({inputs}) => ({output} y) {{ {nodes} }}'
        return Case(name, onnx.parser.parse_model(text).SerializeToString(), [Run(run) for run in runs], one_compiled=True)

    CASES[name] = make


def tensor(*sizes):
    return numbers(f"x{sizes}", *sizes)


# The exporter of PyTorch writes torch.Tensor.expand like this; -1 keeps a size.
EXPAND = """one = Constant <value_ints = [1]> () ones = Constant <value_ints = [1, 1, 1, 1]> () minus = Constant <value_ints = [-1]> ()
    i0 = Constant <value_ints = [0]> () i1 = Constant <value_ints = [1]> () shape = Shape (x) n = Gather (shape, i0) m = Gather (shape, i1)
    {size} sizes = Concat <axis = 0> (n, one, m, size) keeps = Equal (sizes, minus) target = Where (keeps, ones, sizes)
    axes = Constant <value_ints = [0, 1]> () flat = ReduceSum (x, axes) data = Unsqueeze (flat, i0) y = Expand (data, target)"""
SIZES = {
    "difference": "size = Sub (m, n)",
    "difference-of-equal": "none = Sub (m, m) size = Add (m, none)",
    "half-of-difference": "more = Sub (m, n) two = Constant <value_ints = [2]> () sum = Add (more, m) size = Div (sum, two)",
    "negative": "less = Neg (n) size = Sub (m, less)",
}
for name, shapes in {
    "difference": [(1, 2), (3, 4)],
    "difference-of-equal": [(1, 1), (3, 2)],
    "half-of-difference": [(1, 1), (3, 3)],
    "negative": [(1, 1)],
}.items():
    runs = [{"x": tensor(n, m)} for n, m in shapes]
    add_case(f"expand-{name}", "float[N, M] x", "float[A, B, C, D]", EXPAND.format(size=SIZES[name]), runs)

# A window has at least one place.
FIRST = "i0 = Constant <value_ints = [0]> () i1 = Constant <value_ints = [1]> () i2 = Constant <value_ints = [2]> ()"
for name, window in {
    "Conv": "p = Conv (x, w)",
    "MaxPool": "p = MaxPool <kernel_shape = [2], strides = [2]> (x)",
    "AveragePool": "p = AveragePool <kernel_shape = [2], strides = [2], ceil_mode = 1> (x)",
    "ConvTranspose": "p = ConvTranspose (x, w)",
}.items():
    weights = "w = Constant <value = float[2, 2, 2] {1, 2, 3, 4, 5, 6, 7, 8}> ()"
    runs = [{"x": tensor(n, 2, size)} for n, size in ((2, 5), (1, 2), (3, 8))]
    add_case(f"first-of-{name}", "float[N, 2, S] x", "float[A, B, C]", f"{FIRST} {weights} {window} y = Slice (p, i0, i1, i2)", runs)

# The exporter of PyTorch repeats along an axis by the counts of a OneHot.
REPEAT = """axis = Constant <value_ints = [{axis}]> () depth = Constant <value_int = 3> () values = Constant <value_ints = [1, 4]> ()
    row = OneHot (axis, depth, values) last = Constant <value_ints = [-1]> ()
    counts = Reshape (row, last) y = Tile (x, counts)"""
for axis in (0, 2, -1, 5):
    runs = [{"x": tensor(*sizes)} for sizes in ((2, 1, 3), (1, 1, 1), (0, 1, 2))]
    add_case(f"repeat-{axis}", "float[N, 1, M] x", "float[A, B, C]", REPEAT.format(axis=axis), runs)
# OpenVINO does not evaluate a OneHot of a dynamic size.
body = """axis = Constant <value_ints = [2]> () depth = Constant <value_int = 3> () one = Constant <value_ints = [1]> ()
    shape = Shape (z) values = Concat <axis = 0> (one, shape) row = OneHot (axis, depth, values) last = Constant <value_ints = [-1]> ()
    counts = Reshape (row, last) y = Tile (x, counts)"""
runs = [{"x": tensor(2, 1, 3), "z": tensor(size)} for size in (2, 1, 3)]
add_case("repeat-by-size", "float[N, 1, M] x, float[S] z", "float[A, B, C]", body, runs)
ROWS = """depth = Constant <value_int = 2> () values = Constant <value_ints = [1, 4]> () axes = Constant <value_ints = [1, 0]> ()
    table = OneHot <axis = {axis}> (axes, depth, values) i0 = Constant <value_ints = [0]> () row = Gather (table, i0)
    last = Constant <value_ints = [-1]> () counts = Reshape (row, last) y = Tile (x, counts)"""
for axis in (0, 1):
    add_case(f"repeat-by-row-{axis}", "float[N, 1] x", "float[A, B]", ROWS.format(axis=axis), [{"x": tensor(2, 1)}, {"x": tensor(1, 1)}])

# The exporter of PyTorch writes an iteration over the rows of a constant as a Split.
SPLIT = """i0 = Constant <value_ints = [0]> () i1 = Constant <value_ints = [1]> () {table}
    ones = Constant <value_ints = [1, 1]> () a, b = Split <axis = {axis}> (table, ones) list = Squeeze (b, {squeezed}) y = Tile (x, list)"""
for axis in (0, 1):
    table = "table = Constant <value = int64[2, 2] {2, 3, 4, 5}> ()"
    runs = [{"x": tensor(*sizes)} for sizes in ((1, 3), (1, 2))]
    body = SPLIT.format(table=table, axis=axis, squeezed=f"i{axis}")
    add_case(f"row-of-constant-{axis}", "float[1, M] x", "float[A, B]", body, runs)
    table = """shape = Shape (x) two = Constant <value_ints = [2, 2]> () list_ = Concat <axis = 0> (shape, two)
        square = Constant <value_ints = [2, 2]> () table = Reshape (list_, square)"""
    body = SPLIT.format(table=table, axis=axis, squeezed=f"i{axis}")
    add_case(f"row-of-sizes-{axis}", "float[1, M] x", "float[A, B]", body, runs)

# OpenVINO does not know that a dynamic size plus six is at least six.
for name, more, size in (("sum", 6, "Add (m, more)"), ("product", 2, "Mul (m, more)"), ("larger", 2, "Max (m, more)")):
    body = f"""i0 = Constant <value_ints = [0]> () i1 = Constant <value_ints = [1]> () shape = Shape (x) n = Gather (shape, i0)
        m = Gather (shape, i1) more = Constant <value_ints = [{more}]> () size = {size} list = Concat <axis = 0> (n, size)
        wide = Expand (z, list) back = Reshape (wide, list) two = Constant <value_ints = [2]> () y = Slice (back, i1, two, i1)"""
    runs = [{"x": tensor(*sizes), "z": tensor(sizes[0], 1)} for sizes in ((2, 3), (1, 2), (3, 4))]
    add_case(f"slice-of-{name}", "float[N, M] x, float[N, 1] z", "float[A, B]", body, runs)

# OpenVINO does not know that a list has a seven if another element is rounded.
for op, sizes in {"Ceil": (1, 4), "Floor": (1, 4), "Round": (1, 4), "Sqrt": (1, 2), "Relu": (1, 4), "Abs": (1, 4), "Sign": (1, 1)}.items():
    body = f"""i0 = Constant <value_ints = [0]> () seven = Constant <value_ints = [7]> () shape = Shape (x) n = Gather (shape, i0)
        real = Cast <to = 1> (n) two = Constant <value_float = 2.0> () half = Div (real, two) some = {op} (half) size = Cast <to = 7> (some)
        list = Concat <axis = 0> (size, seven) y = Reshape (z, list)"""
    runs = [{"x": tensor(n), "z": tensor(7 * size)} for n, size in zip((2, 8), sizes)]
    add_case(f"function-{op}", "float[N] x, float[M] z", "float[A, B]", body, runs)

# tf2onnx writes the shape of a dense form of ragged rows like this: OpenVINO knows no element of a list of several parts with more than one element.
body = """rest = Constant <value_ints = [2, 3]> ()
    rows = ReduceMax <keepdims = 1> (x) list = Concat <axis = 0> (rows, rest) one = Constant <value = float {1}> () y = Expand (one, list)"""
add_case("expand-to-pair", "int64[N] x", "float[A, B, C]", body, [{"x": np.array(values)} for values in ([1, 2], [4])])

# The lengths give the number of sequences.
body = """keep = Constant <value_ints = [3, -1]> () data = Reshape (x, keep) y = ReverseSequence <batch_axis = 1, time_axis = 0> (data, z)"""
add_case("sequences-of-lengths", "float[N] x, int64[4] z", "float[A, B]", body, [{"x": tensor(12), "z": np.array([1, 3, 2, 3])}])


@pytest.mark.parametrize("conformance", parameters(Entry(("inferred sizes", name), make) for name, make in CASES.items()))
def test_inferred_sizes(conformance, result):
    assert_passed(result)
