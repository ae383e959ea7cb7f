"""An ONNX graph under construction, with the type and the shape of each value."""

import zlib
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ..conformance.case import Case, Run

FLOATS = ("float32", "float16")
INTEGERS = ("int64", "int32")


@dataclass(frozen=True)
class Value:
    name: str
    dtype: str
    shape: tuple

    @property
    def rank(self):
        return len(self.shape)

    @property
    def is_float(self):
        return self.dtype in FLOATS


def spatial_size(size, kernel, stride, pads, dilation, ceil=False):
    room = size + sum(pads) - dilation * (kernel - 1) - 1
    return (-(-room // stride) if ceil else room // stride) + 1


class Graph:
    """`choices` decides everything that a template leaves open."""

    def __init__(self, choices):
        self.choices = choices
        self.opset = choices.pick([18, 17, 21])
        self.nodes = []
        self.constants = {}  # by name
        self.inputs = {}  # (Value, array) by name
        self.values = []  # computed ones
        self.outputs = []

    # Values

    def numbers(self, shape, dtype="float32", low=-3, high=3):
        """Reproducible numbers: floats are multiples of 1/4, so that most results are exact."""
        random = np.random.default_rng(zlib.crc32(f"{len(self.constants)}/{len(self.inputs)}/{shape}".encode()))
        if dtype == "bool":
            return random.integers(0, 2, shape).astype(bool)
        if dtype in FLOATS:
            return (random.integers(int(low * 4), int(high * 4) + 1, shape) / 4).astype(dtype)
        return random.integers(max(int(low), np.iinfo(dtype).min), min(int(high), np.iinfo(dtype).max) + 1, shape).astype(dtype)

    def input(self, shape, dtype="float32", low=-3, high=3):
        value = Value(f"x{len(self.inputs)}", dtype, tuple(shape))
        self.inputs[value.name] = (value, np.asarray(self.numbers(value.shape, dtype, low, high)))
        return value

    def constant(self, array, dtype=None):
        """A constant; equal ones are shared, most of the time."""
        array = np.asarray(array, dtype)
        for name, other in self.constants.items():
            if other.dtype == array.dtype and other.shape == array.shape and np.array_equal(other, array) and not self.choices.one_in(4):
                return Value(name, array.dtype.name, array.shape)
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return Value(name, array.dtype.name, array.shape)

    def weights(self, shape, dtype="float32", low=-3, high=3):
        return self.constant(self.numbers(tuple(shape), dtype, low, high))

    def factors(self, shape, dtype="float32"):
        """Constants other than 0: powers of 2 with signs."""
        array = 2.0 ** np.round(self.numbers(tuple(shape), "float32", -2, 2)) * np.where(self.numbers(tuple(shape), "bool"), 1, -1)
        return self.constant(array.astype(dtype) if dtype in FLOATS else np.where(array < 0, -2, 3).astype(dtype))

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def like(self, value, number):
        """A scalar constant of the type of `value`."""
        return self.constant(np.array(number, value.dtype))

    def op(self, kind, inputs, shapes, dtype=None, **attributes):
        """Appends a node. `shapes`: the shape of its output, or a list of shapes."""
        many = isinstance(shapes, list)
        shapes = [tuple(shape) for shape in (shapes if many else [shapes])]
        names = [f"v{len(self.values) + index}" for index in range(len(shapes))]
        self.nodes.append(helper.make_node(kind, [value.name if value else "" for value in inputs], names, **attributes))
        dtype = dtype or inputs[0].dtype
        outputs = [Value(name, dtype, shape) for name, shape in zip(names, shapes)]
        self.values += outputs
        return outputs if many else outputs[0]

    # Elementwise operations

    def unary(self, kind, x, **attributes):
        return self.op(kind, [x], x.shape, **attributes)

    def binary(self, kind, a, b, **attributes):
        dtype = "bool" if kind in ("Greater", "Less", "Equal", "GreaterOrEqual", "LessOrEqual") else None
        return self.op(kind, [a, b], np.broadcast_shapes(a.shape, b.shape), dtype, **attributes)

    def swapped(self, kind, a, b):
        """A commutative operation with its operands in either order."""
        return self.binary(kind, b, a) if self.choices.one_in(3) else self.binary(kind, a, b)

    def where(self, condition, a, b):
        return self.op("Where", [condition, a, b], np.broadcast_shapes(condition.shape, a.shape, b.shape), a.dtype)

    def cast(self, x, dtype):
        return self.op("Cast", [x], x.shape, dtype, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def clip(self, x, low, high):
        bounds = [None if bound is None else self.like(x, bound) for bound in (low, high)]
        return self.op("Clip", [x, *bounds], x.shape)

    # Data movement

    def reshape(self, x, shape, written=None):
        """`written`: the constant, with 0 and -1."""
        return self.op("Reshape", [x, self.integers(*(shape if written is None else written))], shape)

    def transpose(self, x, order):
        return self.op("Transpose", [x], tuple(x.shape[axis] for axis in order), perm=list(order))

    def unsqueeze(self, x, *axes):
        rank = x.rank + len(axes)
        places = {axis % rank for axis in axes}
        rest = iter(x.shape)
        return self.op("Unsqueeze", [x, self.integers(*axes)], tuple(1 if axis in places else next(rest) for axis in range(rank)))

    def squeeze(self, x, *axes):
        places = {axis % x.rank for axis in axes}
        return self.op("Squeeze", [x, self.integers(*axes)], tuple(size for axis, size in enumerate(x.shape) if axis not in places))

    def concat(self, parts, axis):
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        return self.op("Concat", parts, tuple(shape), axis=axis)

    def split(self, x, sizes, axis):
        shapes = [x.shape[: axis % x.rank] + (size,) + x.shape[axis % x.rank + 1 :] for size in sizes]
        return self.op("Split", [x, self.integers(*sizes)], shapes, axis=axis)

    def slice(self, x, starts, ends, axes, steps=None):
        shape = list(x.shape)
        for index, axis in enumerate(axes):
            shape[axis] = len(range(*slice(starts[index], ends[index], steps[index] if steps else 1).indices(x.shape[axis])))
        operands = [x, self.integers(*starts), self.integers(*ends), self.integers(*axes)]
        return self.op("Slice", operands + ([self.integers(*steps)] if steps else []), tuple(shape))

    def gather(self, x, indices, axis):
        indices = self.constant(np.array(indices, np.int64))
        place = axis % x.rank
        return self.op("Gather", [x, indices], x.shape[:place] + indices.shape + x.shape[place + 1 :], axis=axis)

    def pad(self, x, begins, ends, mode="constant", value=None):
        operands = [x, self.integers(*begins, *ends)] + ([] if value is None else [self.like(x, value)])
        return self.op("Pad", operands, tuple(sum(sizes) for sizes in zip(x.shape, begins, ends)), mode=mode)

    def expand(self, x, shape):
        return self.op("Expand", [x, self.integers(*shape)], np.broadcast_shapes(x.shape, tuple(shape)))

    def tile(self, x, repeats):
        return self.op("Tile", [x, self.integers(*repeats)], tuple(a * b for a, b in zip(x.shape, repeats)))

    def shape_of(self, x):
        return self.op("Shape", [x], (x.rank,), "int64")

    # Reductions, products, convolutions

    def reduce(self, kind, x, axes, keepdims=1):
        places = {axis % x.rank for axis in axes}
        shape = tuple(1 if axis in places else size for axis, size in enumerate(x.shape) if keepdims or axis not in places)
        if self.opset >= 18 or kind == "ReduceSum":
            return self.op(kind, [x, self.integers(*axes)], shape, keepdims=keepdims)
        return self.op(kind, [x], shape, axes=list(axes), keepdims=keepdims)

    def matmul(self, a, b):
        left = (1,) + a.shape if a.rank == 1 else a.shape
        right = b.shape + (1,) if b.rank == 1 else b.shape
        shape = np.broadcast_shapes(left[:-2], right[:-2]) + (left[-2],) * (a.rank > 1) + (right[-1],) * (b.rank > 1)
        return self.op("MatMul", [a, b], shape)

    def softmax(self, x, axis):
        return self.op("Softmax", [x], x.shape, axis=axis)

    def conv(self, x, weights, bias=None, strides=None, pads=None, dilations=None, group=1):
        spatial = x.rank - 2
        strides, dilations, pads = strides or [1] * spatial, dilations or [1] * spatial, pads or [0] * 2 * spatial
        sizes = [
            spatial_size(x.shape[2 + i], weights.shape[2 + i], strides[i], (pads[i], pads[i + spatial]), dilations[i]) for i in range(spatial)
        ]
        operands = [x, weights] + ([bias] if bias else [])
        return self.op("Conv", operands, (x.shape[0], weights.shape[0], *sizes), strides=strides, pads=pads, dilations=dilations, group=group)

    def pool(self, kind, x, kernel, strides=None, pads=None, **attributes):
        spatial = x.rank - 2
        strides, pads = strides or [1] * spatial, pads or [0] * 2 * spatial
        sizes = [spatial_size(x.shape[2 + i], kernel[i], strides[i], (pads[i], pads[i + spatial]), 1) for i in range(spatial)]
        return self.op(kind, [x], (*x.shape[:2], *sizes), kernel_shape=list(kernel), strides=strides, pads=pads, **attributes)

    # Quantisation

    def quantize(self, x, scale, zero, axis=1):
        return self.op("QuantizeLinear", [x, scale, zero], x.shape, zero.dtype, axis=axis)

    def dequantize(self, x, scale, zero, axis=1):
        return self.op("DequantizeLinear", [x, scale, zero], x.shape, scale.dtype, axis=axis)

    # The model

    def case(self, name):
        """The Case of this graph: a run, one with other numbers, and one with other dynamic sizes if onnxruntime accepts them."""
        infos, first, second, third = [], {}, {}, {}
        changes = self.choices.integer(1, 2)
        has_symbols = False
        for value, array in self.inputs.values():
            sizes = self._declared(value.shape)
            has_symbols = has_symbols or any(isinstance(size, str) for size in sizes)
            infos.append(helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(array.dtype), sizes))
            first[value.name] = array
            second[value.name] = np.flip(array).copy()
            shape = tuple(size + changes if isinstance(declared, str) else size for size, declared in zip(value.shape, sizes))
            third[value.name] = np.resize(array, shape)
        results = [helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(np.dtype(value.dtype)), None) for value in self.outputs]
        tensors = [numpy_helper.from_array(array, key) for key, array in self.constants.items()]
        graph = helper.make_graph(self.nodes, name, infos, results, tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8 if self.opset < 21 else 10)
        runs = [Run(first), Run(second)] + ([Run(third, is_optional=True)] if has_symbols else [])
        half = any(value.dtype == "float16" for value in [*self.values, *(value for value, _ in self.inputs.values())])
        tolerance = 2e-2 if half else 1e-3
        return Case(name, model.SerializeToString(), runs, one_compiled=True, rtol=tolerance, atol=1e-5, share_of_largest=tolerance / 5)

    def _declared(self, shape):
        """Sizes of an input as declared: numbers or symbols, which are equal for equal sizes."""
        way = self.choices.pick(["static", "static", "static", "static", "all", "first", "some", "last"])
        dynamic = {
            "static": (),
            "all": range(len(shape)),
            "first": (0,),
            "last": (len(shape) - 1,),
            "some": [axis for axis in range(len(shape)) if way == "some" and self.choices.one_in(2)],
        }[way]
        return [f"s{size}" if axis in dynamic else size for axis, size in enumerate(shape)]
