"""torch.squeeze(x, dim) of a dynamic axis: an If whose branches differ in rank. Later operators or declared ranks decide which branch the
IR has, or the size 1 does not matter. torch.squeeze(x): a Squeeze without axes, of which they decide whether dynamic axes remain."""

import itertools

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

HEAD = '<ir_version: 8, opset_import: ["" : {opset}]>\n'


def squeeze(axes, source="x", result="s", opset=17, swapped=False, guard="Equal"):
    """The If that PyTorch exports: Squeeze if the size is 1, otherwise Identity."""
    axes_input, axes_attribute = (f", axes_{result}", "") if opset >= 13 else ("", f"<axes = {axes}>")
    squeezed = f"{{ a_{result} = Squeeze{axes_attribute} ({source}{axes_input}) }}"
    same = f"{{ b_{result} = Identity ({source}) }}"
    first, second = (same, squeezed) if swapped else (squeezed, same)
    names = ("b", "a") if swapped else ("a", "b")
    test = f"is_one_{result} = Equal (size_{result}, one)" if not swapped else f"e_{result} = Equal (size_{result}, one) is_one_{result} = Not (e_{result})"
    return f"""
    axes_{result} = Constant <value_ints = {axes}> () shape_{result} = Shape ({source})
    first_{result} = Constant <value_int = {axes[0]}> () one = Constant <value_int = 1> ()
    size_{result} = Gather <axis = 0> (shape_{result}, first_{result}) {test}
    {result} = If (is_one_{result}) <then_branch = t_{result} () => (float[] {names[0]}_{result}) {first},
        else_branch = e_{result} () => (float[] {names[1]}_{result}) {second}>
"""


def text(axes, rest, x, y, opset=17, **options):
    body = squeeze(axes, opset=opset, **options) + rest
    # Several squeezes define the same constant.
    body = body.replace("one = Constant <value_int = 1> ()", "") if "one = Constant" in body else body
    return HEAD.format(opset=opset) + f"main (float[{x}] x) => (float[{y}] y)\n{{ one = Constant <value_int = 1> () {body} }}"


def weights(name, *shape):
    values = ", ".join(f"{v:.3f}" for v in numbers(name, *shape).reshape(-1))
    return f"{name} = Constant <value = float[{', '.join(map(str, shape))}] {{{values}}}> ()"


# name: axes, the nodes after the If, shapes of x (symbolic) and of y, shapes of the runs
CASES = {
    # The readers require the rank of one branch.
    "gemm": ([1], weights("w", 4, 3) + " y = Gemm (s, w)", "N, M, 4", "P, Q", [(2, 1, 4), (3, 1, 4)]),
    "gemm_unary": ([1], weights("w", 4, 3) + " r = Relu (s) y = Gemm (r, w)", "N, M, 4", "P, Q", [(2, 1, 4)]),
    "transpose": ([1], "y = Transpose <perm = [1, 0]> (s)", "N, M, 4", "P, Q", [(2, 1, 4)]),
    "transpose_unsqueezed": ([1], "y = Transpose <perm = [2, 0, 1]> (s)", "N, M, 4", "P, Q, R", [(2, 3, 4), (1, 2, 4)]),
    "conv": ([1], weights("w", 2, 3, 3) + " y = Conv (s, w)", "N, M, 3, 8", "P, Q, R", [(2, 1, 3, 8)]),
    "concat": ([1], "i = Constant <value_ints = [1]> () r = ReduceMax <axes = [1], keepdims = 0> (x) y = Concat <axis = 1> (s, r)", "N, M, 4", "P, Q",
               [(2, 1, 4)]),
    # Only the declared ranks tell.
    "output": ([1], "y = Identity (s)", "N, M, 4", "P, 4", [(2, 1, 4), (5, 1, 4)]),
    "output_unsqueezed": ([1], "y = Neg (s)", "N, M, 4", "N, M, 4", [(2, 3, 4), (5, 2, 4)]),
    "output_last": ([-1], "y = Neg (s)", "N, M, K", "N, M", [(2, 3, 1)]),
    "output_two_axes": ([0, 1], "y = Exp (s)", "N, M, 4", "4", [(1, 1, 4)]),
    "two_squeezes": ([1], squeeze([1], "s", "t") + "y = Neg (t)", "N, M, K, 4", "P, 4", [(2, 1, 1, 4)]),
    "softmax": ([1], "e = Softmax <axis = -1> (s) y = Mul (e, s)", "N, M, 4", "P, 4", [(2, 1, 4)]),
    # The leading size 1 does not matter.
    "added": ([0], "y = Add (s, x)", "N, M, 4", "", [(1, 3, 4), (2, 3, 4)]),
    "multiplied": ([0], "e = Exp (s) t = Transpose <perm = [0, 2, 1]> (x) y = MatMul (e, t)", "N, M, 4", "", [(1, 3, 4), (2, 3, 4)]),
    "reshaped": ([0], "i = Constant <value_ints = [-1, 2]> () e = Mul (s, s) y = Reshape (e, i)", "N, M, 4", "", [(1, 3, 4), (2, 3, 4)]),
    "product_then_sum": ([0], weights("w", 4, 5) + weights("b", 5) + weights("k", 1, 1, 5) + " p = MatMul (s, w) q = Add (p, b) y = Add (q, k)", "N, M, 4", "",
                         [(1, 3, 4), (2, 3, 4)]),
}


def squeezed_case(name, opset, swapped):
    axes, rest, x, y, shapes = CASES[name]
    model = text(axes, rest, x, y, opset, swapped=swapped)
    proto = onnx.parser.parse_model(model)
    if not y:
        proto.graph.output[0].type.tensor_type.ClearField("shape")
    data = proto.SerializeToString()
    runs = [Run({"x": numbers(f"x{shape}", *shape)}) for shape in shapes]
    return Case(f"squeezed_{name}", data, runs, one_compiled=True)


@pytest.mark.parametrize(
    "conformance",
    parameters(
        Entry(("squeezed_ranks", name, str(opset), "swapped" if swapped else "as_exported"), lambda n=name, o=opset, s=swapped: squeezed_case(n, o, s))
        for name, opset, swapped in itertools.product(CASES, (13, 17), (False, True))
    ),
)
def test_squeezed_rank(conformance, result):
    assert_passed(result)


# name: the nodes after a Squeeze without axes, shapes of x and of y, shapes of the runs
WITHOUT_AXES = {
    "transposed": ("y = Transpose <perm = [1, 0]> (s)", "3, 1, N", "P, Q", [(3, 1, 4), (3, 1, 2)]),
    "gemm": (weights("w", 4, 3) + " e = Exp (s) y = Gemm (e, w)", "N, 1, 4", "P, Q", [(2, 1, 4), (3, 1, 4)]),
    "gemm_removed": (weights("w", 4, 3) + " y = Gemm (s, w)", "N, 2, M, 4", "P, Q", [(1, 2, 1, 4)]),
    "declared": ("y = Neg (s)", "N, 1", "P", [(3, 1), (5, 1)]),
    "declared_removed": ("y = Neg (s)", "N, M, 4", "4", [(1, 1, 4)]),
    "declared_after_other": ("t = Squeeze (s) y = Mul (t, t)", "N, 1, 4", "P, Q", [(3, 1, 4), (5, 1, 4)]),
}


@pytest.mark.parametrize("conformance", parameters(Entry(("squeezed_ranks", "without_axes", name), lambda n=name: without_axes_case(n)) for name in WITHOUT_AXES))
def test_squeeze_without_axes(conformance, result):
    assert_passed(result)


def without_axes_case(name):
    rest, x, y, shapes = WITHOUT_AXES[name]
    model = HEAD.format(opset=17) + f"main (float[{x}] x) => (float[{y}] y) {{ s = Squeeze (x) {rest} }}"
    runs = [Run({"x": numbers(f"x{shape}", *shape)}) for shape in shapes]
    return Case(f"without_axes_{name}", onnx.parser.parse_model(model).SerializeToString(), runs, one_compiled=True)


def many_case(count):
    """Independent Ifs, each with its own declared output: the number of attempts must not be exponential."""
    body, outputs = "one = Constant <value_int = 1> ()", []
    for i in range(count):
        body += squeeze([1], "x", f"s{i}").replace("one = Constant <value_int = 1> ()", "") + f" y{i} = Mul (s{i}, s{i})"
        outputs.append(f"float[{'N, 4' if i % 3 else 'N, M, 4'}] y{i}")
    model = HEAD.format(opset=17) + f"main (float[N, M, 4] x) => ({', '.join(outputs)})\n{{ {body} }}"
    x = numbers("many", 2, 1, 4)
    expected = {f"y{i}": np.square(x[:, 0] if i % 3 else x) for i in range(count)}
    return Case(f"many_{count}", onnx.parser.parse_model(model).SerializeToString(), [Run({"x": x}, expected)])


@pytest.mark.parametrize("conformance", parameters(Entry(("squeezed_ranks", f"many_{n}"), lambda n=n: many_case(n)) for n in (2, 12)))
def test_many_squeezed_ranks(conformance, result):
    assert_passed(result)
