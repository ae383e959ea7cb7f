"""Models with a product of quantised weights, by name: every element type, layout of scales, and operator that exporters write.

Expected values are computed in double precision. The sizes are those at which the CPU plugin chooses different kernels.
"""

import dataclasses
import itertools
import zlib

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .case import Case, Run

TYPES = {
    "uint4": (TensorProto.UINT4, ml_dtypes.uint4, 0, 15),
    "int4": (TensorProto.INT4, ml_dtypes.int4, -8, 7),
    "uint8": (TensorProto.UINT8, np.uint8, 0, 255),
    "int8": (TensorProto.INT8, np.int8, -128, 127),
}
SIZES = ((16, 32), (48, 64), (64, 48), (128, 96))  # inputs and outputs of the product
ROWS = 3
TOLERANCE = {"rtol": 1e-3, "atol": 1e-3}


def generator_of(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


class Weights:
    """Weights of `shape`, quantised in one piece, along an axis, or in blocks along it."""

    def __init__(self, name, type_name, shape, axis, block, has_zero_points):
        generator = generator_of(name)
        self.element, self.dtype, low, high = TYPES[type_name]
        self.axis, self.block = axis, block
        if axis is None:
            parameters = ()
        elif block:
            parameters = tuple(-(-size // block) if i == axis else size for i, size in enumerate(shape))
        else:
            parameters = (shape[axis],)
        self.data = generator.integers(low, high + 1, shape)
        self.scales = generator.uniform(0.01, 0.03, parameters).astype(np.float32)
        self.zero_points = generator.integers(low, high + 1, parameters) if has_zero_points else None

    def numbers(self):
        zero_points = 0 if self.zero_points is None else self._spread(self.zero_points)
        return (self.data - zero_points) * self._spread(self.scales).astype(np.float64)

    def _spread(self, parameters):
        if self.axis is None:
            return parameters
        if self.block:
            return np.repeat(parameters, self.block, self.axis).take(range(self.data.shape[self.axis]), self.axis)
        return parameters.reshape([-1 if i == self.axis else 1 for i in range(self.data.ndim)])

    def initializers(self):
        constants = [self._tensor("data", self.data), numpy_helper.from_array(self.scales, "scales")]
        if self.zero_points is not None:
            constants.append(self._tensor("zero_points", self.zero_points))
        return constants

    def _tensor(self, name, values):
        return helper.make_tensor(name, self.element, values.shape, np.atleast_1d(values).ravel().tolist())

    def node(self):
        names = ["data", "scales"] if self.zero_points is None else ["data", "scales", "zero_points"]
        attributes = {} if self.axis is None else {"axis": self.axis}
        if self.block:
            attributes["block_size"] = self.block
        return helper.make_node("DequantizeLinear", names, ["weights"], **attributes)


def case_of(name, nodes, initializers, x, expected):
    graph = helper.make_graph(
        nodes,
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, *x.shape[1:]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, *expected.shape[1:]])],
        initializers,
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return Case(name, model.SerializeToString(), [Run({"x": x}, {"y": expected.astype(np.float32)})], **TOLERANCE)


def dequantized(type_name, inputs, outputs, axis, block, has_zero_points, is_transposed=False, may_round=False):
    """MatMul with [inputs, outputs], or Gemm with [outputs, inputs]. The runtime may round x to 8 bits if and only if onnxruntime does."""
    layout = "tensor" if axis is None else f"axis{axis}" + (f"_block{block}" if block else "")
    name = f"{type_name}-{inputs}x{outputs}-{layout}"
    name += ("-zero_points" if has_zero_points else "") + ("-transposed" if is_transposed else "") + ("-rounded" if may_round else "")

    def make():
        shape = (outputs, inputs) if is_transposed else (inputs, outputs)
        weights = Weights(name, type_name, shape, axis, block, has_zero_points)
        x = generator_of(f"{name} x").standard_normal((ROWS, inputs)).astype(np.float32)
        matrix = weights.numbers()
        if is_transposed:
            product = helper.make_node("Gemm", ["x", "weights"], ["y"], transB=1)
        else:
            product = helper.make_node("MatMul", ["x", "weights"], ["y"])
        expected = x.astype(np.float64) @ (matrix.T if is_transposed else matrix)
        case = case_of(name, [weights.node(), product], weights.initializers(), x, expected)
        if may_round:
            return dataclasses.replace(case, atol=rounding_error(x, matrix.T))
        return dataclasses.replace(case, options=("--dynamic-quantization", "never"))

    return name, make


def packed(values, bits):
    """Numbers of `bits` bits, the first in the lowest bits of a byte; each row begins a byte."""
    per_byte = 8 // bits
    padding = [(0, 0)] * (values.ndim - 1) + [(0, -values.shape[-1] % per_byte)]
    parts = np.pad(values, padding).reshape(*values.shape[:-1], -1, per_byte)
    return (parts << (bits * np.arange(per_byte))).sum(-1).astype(np.uint8)


def mat_mul_n_bits(bits, inputs, outputs, block, zero_points, accuracy_level=0):
    """`zero_points`: None, "packed", or "float". At accuracy level 4 the runtime may round x to 8 bits."""
    name = f"MatMulNBits-{bits}bits-{inputs}x{outputs}-block{block}" + (f"-{zero_points}_zero_points" if zero_points else "")
    if accuracy_level:
        name += f"-level{accuracy_level}"

    def make():
        generator = generator_of(name)
        blocks = -(-inputs // block)
        data = generator.integers(0, 1 << bits, (outputs, blocks, block))
        scales = generator.uniform(0.01, 0.03, (outputs, blocks)).astype(np.float32)
        centre = generator.integers(0, 1 << bits, (outputs, blocks)) if zero_points else np.full((outputs, blocks), 1 << (bits - 1))
        matrix = ((data - centre[..., None]) * scales[..., None].astype(np.float64)).reshape(outputs, -1)[:, :inputs]
        constants = [numpy_helper.from_array(packed(data, bits), "data"), numpy_helper.from_array(scales, "scales")]
        names = ["x", "data", "scales"]
        if zero_points:
            values = packed(centre, bits) if zero_points == "packed" else centre.astype(np.float32)
            constants.append(numpy_helper.from_array(values, "zero_points"))
            names.append("zero_points")
        attributes = {"K": inputs, "N": outputs, "bits": bits, "block_size": block, "accuracy_level": accuracy_level}
        node = helper.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", **attributes)
        x = generator.standard_normal((ROWS, inputs)).astype(np.float32)
        case = case_of(name, [node], constants, x, x.astype(np.float64) @ matrix.T)
        if accuracy_level == 4:
            return dataclasses.replace(case, atol=rounding_error(x, matrix))
        return dataclasses.replace(case, options=("--quantization", "exact"))

    return name, make


def rounding_error(x, matrix):
    """A bound, seldom reached, of the errors of x times the matrix if x is rounded to 255 steps: six standard deviations."""
    step = np.abs(x).max() / 127
    return 6 * step / np.sqrt(12) * np.linalg.norm(matrix, axis=1).max()


def quantized_activations(inputs, outputs, zero_point):
    """QuantizeLinear and DequantizeLinear before the product and after it, as exporters for integer hardware write them."""
    name = f"qdq-{inputs}x{outputs}-zero_point{zero_point}"

    def make():
        weights = Weights(name, "int8", (inputs, outputs), 1, 0, False)
        weights.data = weights.data // 2  # seven bits: sums of products saturate on no CPU
        scales = np.float32(0.02), np.float32(0.5)
        constants = weights.initializers()
        constants += [numpy_helper.from_array(scale, f"scale{i}") for i, scale in enumerate(scales)]
        constants.append(numpy_helper.from_array(np.array(zero_point, np.uint8), "zero"))
        chain = [
            helper.make_node("QuantizeLinear", ["x", "scale0", "zero"], ["x_integers"]),
            helper.make_node("DequantizeLinear", ["x_integers", "scale0", "zero"], ["x_numbers"]),
            weights.node(),
            helper.make_node("MatMul", ["x_numbers", "weights"], ["product"]),
            helper.make_node("QuantizeLinear", ["product", "scale1", "zero"], ["y_integers"]),
            helper.make_node("DequantizeLinear", ["y_integers", "scale1", "zero"], ["y"]),
        ]
        # Multiples of the scale, which do not depend on rounding.
        steps = generator_of(name).integers(-60, 60, (ROWS, inputs))
        x = (steps * scales[0]).astype(np.float32)
        product = (np.clip(steps + zero_point, 0, 255) - zero_point) * np.float64(scales[0]) @ weights.numbers()
        y = (np.clip(np.rint(product / scales[1]) + zero_point, 0, 255) - zero_point) * scales[1]
        case = case_of(name, chain, constants, x, y)
        case.atol = 0.51  # a product at the midpoint of two steps can be rounded either way
        return case

    return name, make


def blocks_of(size):
    return [block for block in (16, 32, 64, 128) if size % block == 0][:2]


def all_cases():
    for (type_name, has_zero_points), (inputs, outputs) in itertools.product(itertools.product(TYPES, (False, True)), SIZES):
        yield dequantized(type_name, inputs, outputs, None, 0, has_zero_points)
        for axis, size in enumerate((inputs, outputs)):
            yield dequantized(type_name, inputs, outputs, axis, 0, has_zero_points)
            for block in blocks_of(size):
                yield dequantized(type_name, inputs, outputs, axis, block, has_zero_points)
        yield dequantized(type_name, inputs, outputs, 1, 16, has_zero_points, is_transposed=True)
        yield dequantized(type_name, inputs, outputs, None, 0, has_zero_points, may_round=True)
        yield dequantized(type_name, inputs, outputs, 1, 0, has_zero_points, may_round=True)
        for block in blocks_of(inputs):
            yield dequantized(type_name, inputs, outputs, 0, block, has_zero_points, may_round=True)
    for type_name in ("uint4", "int8"):
        # One output, one block for all inputs, and blocks of one: dimensions of size 1.
        yield dequantized(type_name, 64, 1, 0, 16, True)
        yield dequantized(type_name, 64, 48, 0, 64, True)
        yield dequantized(type_name, 64, 48, 1, 48, True)
        yield dequantized(type_name, 48, 64, 0, 1, True)
        yield dequantized(type_name, 96, 32, 0, 0, True, is_transposed=True)
        yield dequantized(type_name, 96, 32, 0, 16, True, is_transposed=True)
        # Blocks that do not fill the axis.
        for has_zero_points in (False, True):
            yield dequantized(type_name, 64, 48, 0, 128, has_zero_points)
            yield dequantized(type_name, 80, 48, 0, 32, has_zero_points)
            yield dequantized(type_name, 64, 48, 1, 32, has_zero_points)
            yield dequantized(type_name, 80, 48, 1, 64, has_zero_points, is_transposed=True)
            yield dequantized(type_name, 80, 48, 0, 64, has_zero_points, may_round=True)
    for bits, zero_points, (inputs, outputs) in itertools.product((4, 8), (None, "packed", "float"), SIZES):
        yield mat_mul_n_bits(bits, inputs, outputs, 16, zero_points)
        yield mat_mul_n_bits(bits, inputs, outputs, 32, zero_points)
        yield mat_mul_n_bits(bits, inputs, outputs, 32, zero_points, accuracy_level=4)
    for zero_point in (0, 128, 190):
        yield quantized_activations(64, 48, zero_point)


CASES = dict(all_cases())
