"""Dilated MaxPools, which pass decompose_dilated_pools replaces, beside convolutions and of infinite elements. Expected: onnxruntime."""

import zlib

import numpy as np
import onnx.parser
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

CASES = {}


def add(name, attributes, shape, *sizes, share=0.0, convolutions=False):
    """Runs with data of these sizes, in which minus infinity has this share."""
    pool = f"MaxPool <{attributes}>"
    text = f"c = Conv <pads = [1, 1, 1, 1]> (x, f) r = Relu (c) p = {pool} (r) y = Conv (p, f)" if convolutions else f"y = {pool} (x)"
    result = ", ".join("uvwxyz"[: len(sizes[0])])
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 17]> g (float[{shape}] x) => (float[{result}] y) {{ {text} }}')
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    if convolutions:
        model.graph.initializer.append(onnx.numpy_helper.from_array(generator.integers(-2, 3, (4, 4, 3, 3)).astype(np.float32), "f"))

    def make():
        data = [generator.integers(-50, 50, size).astype(np.float32) for size in sizes]
        for x in data:
            x[generator.random(x.shape) < share] = -np.inf
        return Case(name, model.SerializeToString(), [Run({"x": x}) for x in data], one_compiled=True, rtol=0, atol=0)

    CASES[name] = make


SQUARE = "dilations = [2, 2], kernel_shape = [3, 3]"
SHAPES = ((1, 4, 20, 20), (2, 4, 9, 12), (0, 4, 9, 12), (1, 4, 5, 5))
add("static", SQUARE, "1, 4, 20, 20", SHAPES[0])
add("dynamic", SQUARE, "b, c, h, w", *SHAPES)
add("padded", SQUARE + ", pads = [2, 2, 1, 0]", "1, 4, 20, 20", SHAPES[0])
add("padded, dynamic", SQUARE + ", pads = [2, 2, 2, 2]", "b, 4, h, w", *SHAPES)
add("strides", SQUARE + ", strides = [2, 3], pads = [0, 2, 1, 2]", "1, 4, 20, 20", SHAPES[0])
add("strides, dynamic", SQUARE + ", strides = [2, 3], pads = [0, 2, 1, 2]", "b, 4, h, w", *SHAPES)
add("one axis", "dilations = [3, 1], kernel_shape = [2, 3]", "b, 4, h, w", *SHAPES)
add("dilated units", "dilations = [3, 1], kernel_shape = [1, 3]", "b, 4, h, w", *SHAPES[:2])
add("ceil", SQUARE + ", ceil_mode = 1, strides = [2, 2]", "b, 4, h, w", *SHAPES)
add("ceil, step 1", SQUARE + ", ceil_mode = 1", "1, 4, 20, 20", SHAPES[0])
add("line", "dilations = [4], kernel_shape = [5], pads = [3, 4]", "b, 4, n", (2, 4, 300), (1, 4, 17))
add("volume", "dilations = [2, 1, 3], kernel_shape = [2, 2, 2]", "1, 4, n, 10, 12", (1, 4, 9, 10, 12), (1, 4, 3, 10, 12))
add("infinite", SQUARE, "1, 4, 20, 20", SHAPES[0], share=0.8)
add("infinite, padded", SQUARE + ", pads = [2, 2, 2, 2]", "b, 4, h, w", *SHAPES, share=0.9)
for kind, shape in (("static", "1, 4, 20, 20"), ("dynamic", "b, 4, h, w")):
    add(f"convolutions, {kind}", SQUARE + ", pads = [2, 2, 2, 2]", shape, SHAPES[0], convolutions=True)


@pytest.mark.parametrize("conformance", parameters(Entry(("dilated_pools", name), make) for name, make in CASES.items()))
def test_dilated_pools(conformance, result):
    assert_passed(result)
