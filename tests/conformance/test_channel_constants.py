"""Reductions followed by arithmetic with constants, which the CPU plugin fuses: reduce_then_channel_constant, integer_reduce_then_constant."""

import itertools

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}
CHAINS = {
    "add": "y = Add(r, c)",
    "subtract_from": "y = Sub(c, r)",
    "divide": "y = Div(r, c)",
    "prelu": "y = PRelu(r, c)",
    "naive_bayes": "half = Constant<value_float = -0.5>() m = Mul(half, r) s = Sub(c, m) y = Add(s, c)",
    "relu_multiply": "p = Relu(r) y = Mul(p, c)",
    "unsqueeze_add": "last = Constant<value_ints = [-1]>() u = Unsqueeze(r, last) d = Unsqueeze(c, last) y = Add(u, d)",
}


def add_case(op, axis, keep, chain, is_dynamic):
    name = f"{op}-{axis}-{'keep-' if keep else ''}{chain}{'-dynamic' if is_dynamic else ''}"
    x = numbers("x", 5, 3, 6)
    # One value for each element of the axis of the channels, which is the second one of x.
    shape = [3, 1] if keep or axis == 0 else [1, 3]
    channels = numbers(name, *shape, low=1, high=4)

    def make():
        listed = ", ".join(f"{value:.8g}" for value in channels.reshape(-1))
        sizes = "N, C, K" if is_dynamic else "5, 3, 6"
        rank = 3 if keep else 2
        result = ", ".join("ABCD"[: rank + (chain == "unsqueeze_add")])
        model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
            main (float[{sizes}] x) => (float[{result}] y) <float[{', '.join(map(str, shape))}] c = {{{listed}}}>
            {{ axis = Constant<value_ints = [{axis}]>() r = {op}<keepdims = {int(keep)}>(x, axis) {CHAINS[chain]} }}""")
        return Case(name, model.SerializeToString(), [Run({"x": x}, None), Run({"x": x[::-1].copy()}, None)])

    CASES[name] = make


for op, axis, keep, chain, is_dynamic in itertools.product(("ReduceSum", "ReduceMax"), (0, 1, 2), (False, True), CHAINS, (False, True)):
    if axis == 1 and (not keep or chain == "prelu"):
        continue  # the axis of channels is reduced; ONNX's PRelu does not broadcast its first input
    if op == "ReduceSum" or chain == "add":
        add_case(op, axis, keep, chain, is_dynamic)


INTEGER_CHAINS = {
    "add": "y = Add(r, c)",
    "subtract_from": "y = Sub(c, r)",
    "negate": "y = Neg(r)",
    "divide": "y = Div(r, c)",
    "cast_multiply": "i = Cast<to = 7>(r) n = Cast<to = 7>(c) y = Mul(i, n)",
    "unsqueeze_add": "last = Constant<value_ints = [-1]>() u = Unsqueeze(r, last) y = Add(u, c)",
}


def add_integer_case(kind, axes, keep, chain, is_dynamic):
    """A reduction of integers, and one number as the constant."""
    name = f"{kind}-{axes}-{'keep-' if keep else ''}{chain}{'-dynamic' if is_dynamic else ''}"
    x = numbers("x", 5, 3, 6, dtype=kind, low=1, high=9)
    sizes = "N, C, K" if is_dynamic else "5, 3, 6"
    result = "int64" if chain == "cast_multiply" else kind

    def make():
        model = onnx.shape_inference.infer_shapes(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
            main ({kind}[{sizes}] x) => ({result}[?] y) <{kind} c = {{7}}>
            {{ axes = Constant<value_ints = {axes}>() r = ReduceMax<keepdims = {int(keep)}>(x, axes) {INTEGER_CHAINS[chain]} }}"""))
        return Case(name, model.SerializeToString(), [Run({"x": x}, None), Run({"x": x[::-1].copy()}, None)])

    CASES[name] = make


def add_matrix_case(axes, is_dynamic):
    """A reduction of integers with two axes, and a division of the result, which the plugin rounds: integer_reduce_then_division."""
    name = f"divided-{axes}{'-dynamic' if is_dynamic else ''}"
    x = numbers("x", 5, 6, dtype="int64", low=-9, high=9)

    def make():
        model = onnx.shape_inference.infer_shapes(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
            main (int64[{"N, C" if is_dynamic else "5, 6"}] x) => (int64[?] y, int64[?] z) <int64 two = {{2}}, int64 three = {{3}}>
            {{ axes = Constant<value_ints = {axes}>() r = ReduceSum<keepdims = 0>(x, axes) y = Div(r, three)
               s = ReduceMax<keepdims = 0>(x, axes) t = Add(s, three) z = Div(t, two) }}"""))
        return Case(name, model.SerializeToString(), [Run({"x": x}, None), Run({"x": x[::-1] + 1}, None)])

    CASES[name] = make


for keep, chain, is_dynamic in itertools.product((False, True), INTEGER_CHAINS, (False, True)):
    for axes in ([0], [1], [2], [1, 2], [-1, -2], [0, 2]):
        add_integer_case("int64", axes, keep, chain, is_dynamic)
    add_integer_case("int32", [2], keep, chain, is_dynamic)
for axes, is_dynamic in itertools.product(([0], [1], [0, 1]), (False, True)):
    add_matrix_case(axes, is_dynamic)


@pytest.mark.parametrize("conformance", parameters(Entry(("channel constants", name), make) for name, make in CASES.items()))
def test_channel_constants(conformance, result):
    assert_passed(result)
