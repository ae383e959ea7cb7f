"""Slices that pass split_slices replaces: ends before, at and after the end of the axis, in many inferences of one compiled model."""

import numpy as np
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

MODEL = """<ir_version: 9, opset_import: ["" : 17]> m ({inputs}) => ({outputs}) {{
    zero = Constant <value = int64[1] {{0}}> () one = Constant <value = int64[1] {{1}}> ()
    {nodes}
}}"""
SIZES = (3, 0, 5, 9, 3, 1, 5, 0)
TYPES = {"float": np.float32, "float16": np.float16, "int64": np.int64, "int32": np.int32, "uint8": np.uint8, "bool": np.bool_}
CASES = {}


def numbers(dtype, *shape):
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 100 + 1).astype(dtype)


def add(name, inputs, outputs, nodes, runs):
    model = MODEL.format(inputs=inputs, outputs=outputs, nodes=nodes).encode()
    CASES[name] = lambda: Case(name, model, [Run(*run) for run in runs], one_compiled=True, rtol=0, atol=0)


def add_all():
    for type_name, dtype in TYPES.items():
        x = numbers(dtype, 2, 5, 3)
        end = "shape = Shape (y) z = Slice (x, zero, shape, one)"
        inputs = f"{type_name}[A,B,C] x, float[N] y"
        runs = [({"x": x, "y": numbers(np.float32, n)}, {"z": x[:, :n]}) for n in SIZES]
        add(f"computed-{type_name}", inputs, f"{type_name}[A,D,C] z", end, runs)
        parts = (
            "five = Constant <value = int64[1] {5}> () three = Constant <value = int64[1] {-3}> () far = Constant <value = int64[1] {99}> ()"
            "a = Slice (x, zero, one, one) b = Slice (x, three, five, one) c = Slice (x, one, far, one)"
        )
        outputs = ", ".join(f"{type_name}[A,{size},C] {name}" for name, size in zip("abc", (1, 3, 4)))
        fed = [numbers(dtype, n, 5, 3) for n in (2, 0, 4, 1)]
        add(f"parts-{type_name}", f"{type_name}[A,5,C] x", outputs, parts, [({"x": x}, {"a": x[:, :1], "b": x[:, 2:], "c": x[:, 1:]}) for x in fed])
    table = "table = Constant <value = float[1,5] {1, 2, 3, 4, 5}> () shape = Shape (y) z = Slice (table, zero, shape, one)"
    rows = numbers(np.float32, 1, 5)
    add("table", "float[N] y", "float[1,M] z", table, [({"y": numbers(np.float32, n)}, {"z": rows[:, :n]}) for n in SIZES])


add_all()


@pytest.mark.parametrize("conformance", parameters(Entry(("split_slices", name), make) for name, make in CASES.items()))
def test_slices(conformance, result):
    assert_passed(result)
