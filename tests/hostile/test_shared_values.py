"""Values that many operations read, and sizes that are computed from equal parts: the time grows with the size of the model, not faster."""

import onnx
import pytest

from .limited import IS_SANITIZED, convert_limited
from .test_hostile import check

COUNT = 8_000
SECONDS = 4


def sizes_of_equal_parts():
    """Each of 15 numbers is the larger one of two sums of products with the number before it."""
    nodes, value = ["sizes = Shape (x)"] + [f"s{i} = Gather <axis = 0> (sizes, i{i})" for i in range(9)], "s0"
    for depth in range(15):
        for side, factors in (("a", range(1, 5)), ("b", range(5, 9))):
            products = [f"{side}{depth}_{i}" for i in factors]
            nodes += [f"{product} = Mul ({value}, s{i})" for product, i in zip(products, factors)]
            first, second, third, fourth = products
            nodes.append(f"{side}{depth}l = Add ({first}, {second}) {side}{depth}r = Add ({third}, {fourth}) {side}{depth} = Add ({side}{depth}l, {side}{depth}r)")
        value = f"c{depth}"
        nodes.append(f"{value} = Max (a{depth}, b{depth})")
    dimensions = ", ".join(f"d{i}" for i in range(9))
    return f"""(float[{dimensions}] x, float[2] y) => (float[a, b] z) <{", ".join(f"int64 i{i} = {{{i}}}" for i in range(9))}, int64 seven = {{7}}, int64[1] zero = {{0}}> {{
        {" ".join(nodes)} c = Equal ({value}, seven)
        z = If (c) <then_branch = t () => (float[a] r) {{ r = Relu (y) }}, else_branch = e () => (float[a, b] u) {{ u = Unsqueeze (y, zero) }}> }}"""


def comparisons_of_a_concat():
    half = COUNT // 2
    parts = " ".join(f"p{i} = Neg (x)" if i == 0 else f"p{i} = Mul (x, p{i - 1})" for i in range(half))
    comparisons = " ".join(f"n{i} = Mul (y, p{i}) o{i} = Less (all, n{i})" for i in range(half))
    outputs = ", ".join(f"bool[{half}] o{i}" for i in range(half))
    return f"""(float[1] x, float[1] y) => ({outputs}) {{ {parts} all = Concat <axis = 0> ({", ".join(f"p{i}" for i in range(half))}) {comparisons} }}"""


def readers_of_a_loop_output():
    readers = " ".join(f"o{i} = Add (y, k)" if i == 0 else f"k{i} = Neg (k) o{i} = Mul (y, k{i})" for i in range(16 * COUNT))
    outputs = ", ".join(f"float[n] o{i}" for i in range(16 * COUNT))
    return f"""(float[n] x, float[1] k, int64 m) => ({outputs}) {{
        y = Loop (m, , x) <body = body (int64 i, bool c, float[n] s) => (bool d, float[n] t) {{ d = Identity (c) t = Concat <axis = 0> (s, x) }}>
        {readers} }}"""


def outputs_of_an_if():
    names = [f"o{i}" for i in range(COUNT)]
    then_nodes = " ".join(f"t{i} = Mul (x, k)" for i in range(COUNT))
    else_nodes = " ".join(f"e{i} = Mul (k, k)" for i in range(COUNT))
    chain = "w0 = Mul (x, k) " + " ".join(f"w{i + 1} = Mul (w{i}, x)" for i in range(COUNT))
    return f"""(float[2] x, float k, bool c) => (float[2] z) {{
        {", ".join(names)} = If (c) <
            then_branch = t () => ({", ".join(f"float[2] t{i}" for i in range(COUNT))}) {{ {then_nodes} }},
            else_branch = e () => ({", ".join(f"float e{i}" for i in range(COUNT))}) {{ {else_nodes} }}>
        z = If (c) <then_branch = g () => (float[2] s) {{ s = Sum ({", ".join(names)}) }}, else_branch = h () => (float[2] w{COUNT}) {{ {chain} }}> }}"""


@pytest.mark.skipif(IS_SANITIZED, reason="measures time")
@pytest.mark.parametrize("make", [sizes_of_equal_parts, comparisons_of_a_concat, readers_of_a_loop_output, outputs_of_an_if], ids=lambda make: make.__name__)
def test_time_grows_with_the_size(make, tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> main {make()}'), path)
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == 0 or "differ in rank" in run.errors, run.errors[:1000]
    assert run.seconds < SECONDS
