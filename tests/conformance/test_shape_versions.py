"""Operators that move elements: versions, attributes, negative axes and empty tensors that the backend suite does not test.

Expected values come from onnxruntime, or from the case if onnxruntime does not have the version.
"""

import functools
import itertools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES)
X = numbers("x", 2, 3, 4)
NONE = np.zeros((0, 3, 4), np.float32)


def i64(*values):
    return np.array(values, np.int64)


def add_reshapes():
    for shape in ([6, 4], [-1, 4], [0, -1], [24], [2, 0, 4, 1]):
        case("Reshape", 1, X, shape=shape, expected=[X.reshape([X.shape[i] if s == 0 else s for i, s in enumerate(shape)])])
        for opset in (5, 13, 14, 19, 21):
            case("Reshape", opset, X, i64(*shape), constants=(1,), variant=str(shape))
        case("Reshape", 14, X, i64(*shape), variant=f"run time {shape}", dynamic=False)
    case("Reshape", 14, NONE, i64(0, 12), constants=(1,), allowzero=1)
    case("Reshape", 14, NONE, i64(3, 0, 7), constants=(1,), allowzero=1)
    case("Reshape", 13, np.float32(3), i64(1, 1), constants=(1,), variant="number")
    case("Reshape", 13, numbers("one", 1, 1), np.zeros(0, np.int64), constants=(1,), variant="to number")
    for opset, axis in itertools.product((1, 9, 11, 13), (0, 1, 2, 3)):
        case("Flatten", opset, X, axis=axis)
    for axis in (-1, -3):
        case("Flatten", 13, X, axis=axis)
    case("Flatten", 13, NONE, axis=1)
    case("Flatten", 13, np.float32(2), axis=0)
    y = numbers("y", 1, 3, 1, 4)
    for axes in ([0], [2], [0, 2]):
        for opset in (1, 11):
            case("Squeeze", opset, y, axes=axes)
        case("Squeeze", 13, y, i64(*axes), constants=(1,), variant=str(axes))
        case("Squeeze", 13, y, i64(*axes), variant=f"run time {axes}", dynamic=False)
    case("Squeeze", 11, y, axes=[-2, -4])
    case("Squeeze", 13, y, i64(-2), constants=(1,), variant="negative")
    case("Squeeze", 13, y, dynamic=False)
    for axes in ([0], [1, 3], [3, 0]):
        for opset in (1, 11):
            case("Unsqueeze", opset, X, axes=axes)
        case("Unsqueeze", 13, X, i64(*axes), constants=(1,), variant=str(axes))
        case("Unsqueeze", 13, X, i64(*axes), variant=f"run time {axes}", dynamic=False)
    case("Unsqueeze", 11, X, axes=[-1, 0])
    case("Unsqueeze", 13, X, i64(-1, -3), constants=(1,), variant="negative")
    for order in ([0, 2, 1], [2, 0, 1]):
        for opset in (1, 13, 21):
            case("Transpose", opset, X, perm=order)
    case("Transpose", 13, X)
    case("Transpose", 13, NONE)
    for opset in (8, 13):
        case("Expand", opset, numbers("e", 3, 1), i64(2, 3, 4), constants=(1,))
        case("Expand", opset, numbers("e", 3, 4), i64(1, 1), constants=(1,))
    case("Expand", 13, numbers("e", 3, 1), i64(2, 1, 4), dynamic=False, variant="run time")
    case("Expand", 13, numbers("e", 3, 1), i64(0, 3, 4), constants=(1,), variant="nothing")


def add_slices():
    for starts, ends, axes in (([0, 1], [2, 3], [0, 2]), ([-3], [-1], [2]), ([1], [99], [1]), ([-99], [2], [1]), ([2], [1], [1])):
        window = [slice(None)] * 3
        for start, end, axis in zip(starts, ends, axes):
            window[axis] = slice(start, end)
        case("Slice", 1, X, starts=starts, ends=ends, axes=axes, expected=[X[tuple(window)]])
        for opset, constants in itertools.product((10, 11, 13), ((1, 2, 3), ())):
            case("Slice", opset, X, i64(*starts), i64(*ends), i64(*axes), constants=constants, variant=f"{len(constants)}{starts}{ends}{axes}", dynamic=bool(constants))
    case("Slice", 1, X, starts=[1, 0], ends=[2, 2], expected=[X[1:2, 0:2]])
    case("Slice", 13, X, i64(), i64(), i64(), variant="no_axes", dynamic=False)
    for start, end, axis, step in ((-1, -99, 2, -1), (3, 0, 2, -2), (0, 99, 1, 2), (np.iinfo(np.int64).max, np.iinfo(np.int64).min, -1, -1), (0, np.iinfo(np.int64).max, -2, 1)):
        # The runtime truncates inputs of 64 bits to 32.
        for constants in ((1, 2, 3, 4), ()) if abs(end) < 100 else ((1, 2, 3, 4),):
            case("Slice", 13, X, i64(start), i64(end), i64(axis), i64(step), constants=constants, variant=f"{len(constants)}{start},{end},{axis},{step}", dynamic=bool(constants))
    case("Slice", 13, X, np.array([1], np.int32), np.array([3], np.int32), np.array([2], np.int32), constants=(1, 2, 3), variant="i32")
    case("Slice", 13, NONE, i64(0), i64(2), i64(1), constants=(1, 2, 3), variant="empty")
    case("Split", 1, X, axis=2, split=[1, 3], outputs=2, expected=[X[..., :1], X[..., 1:]])
    for opset in (2, 11):
        case("Split", opset, X, axis=2, split=[1, 3], outputs=2)
        case("Split", opset, X, axis=2, outputs=2)
    case("Split", 11, X, axis=-2, outputs=3)
    for constants in ((1,), ()):
        case("Split", 13, X, i64(1, 0, 2), constants=constants, axis=1, outputs=3, variant=str(len(constants)), dynamic=bool(constants))
        case("Split", 13, X, i64(3, 1), constants=constants, axis=-1, outputs=2, variant=str(len(constants)), dynamic=bool(constants))
    case("Split", 13, X, axis=-1, outputs=2)
    case("Split", 18, numbers("five", 5, 2), axis=0, num_outputs=3, outputs=3)
    case("Split", 18, X, axis=1, num_outputs=2, outputs=2)
    case("Split", 18, numbers("long", 7), axis=0, num_outputs=3, outputs=3)


def add_joins():
    y = numbers("y", 2, 1, 4)
    case("Concat", 1, X, y, axis=1, expected=[np.concatenate([X, y], 1)])
    for opset in (4, 11, 13):
        case("Concat", opset, X, y, axis=1)
    case("Concat", 13, X, y, X, axis=-2)
    case("Concat", 13, X, axis=0)
    case("Concat", 13, NONE, X, axis=0)
    case("Concat", 13, NONE, NONE, axis=0, variant="empty")
    case("Concat", 13, numbers("a", 2, dtype="int64"), numbers("b", 0, dtype="int64"), axis=0)
    for opset in (6, 13):
        for constants in ((1,), ()):
            case("Tile", opset, X, i64(1, 2, 3), constants=constants, variant=str(len(constants)), dynamic=bool(constants))
    case("Tile", 1, X, np.float32(2), np.float32(1), constants=(1, 2), expected=[np.tile(X, (1, 2, 1))])
    case("Tile", 13, X, i64(0, 1, 1), constants=(1,), variant="nothing")
    image = numbers("image", 1, 2, 3, 4)
    for mode in ("constant", "reflect", "edge"):
        pads = [0, 0, 1, 2, 0, 0, 2, 1]
        case("Pad", 1, image, paddings=pads, mode=mode, expected=[np.pad(image, ((0, 0), (0, 0), (1, 2), (2, 1)), mode=mode)])
        case("Pad", 2, image, pads=pads, mode=mode)
        for opset, constants in itertools.product((11, 13, 18, 19, 21), ((1,), ())):
            case("Pad", opset, image, i64(*pads), constants=constants, mode=mode, variant=str(len(constants)), dynamic=bool(constants))
    case("Pad", 2, image, pads=[0, 0, 1, -1, 0, 0, 0, -1], value=2.5)
    case("Pad", 13, image, i64(0, 0, -1, 1, 0, 1, 0, -2), np.float32(1.5), constants=(1, 2), variant="negative")
    case("Pad", 18, image, i64(1, 2), np.float32(1.5), i64(-1), constants=(1, 2, 3))
    case("Pad", 18, image, i64(1, 2, 0, 1), None, i64(3, 1), constants=(1, 3), mode="edge")
    case("Pad", 19, image, i64(0, 0, 2, 1, 0, 0, 1, 3), constants=(1,), mode="wrap")
    case("Pad", 13, numbers("whole", 2, 3, dtype="int64"), i64(0, 1, 1, 0), np.int64(7), constants=(1, 2))
    case("Pad", 13, np.zeros((0, 3), np.float32), i64(2, 0, 0, 1), constants=(1,), variant="empty")


def add_gathers():
    indices = np.array([[0, -1], [1, 0]], np.int64)
    for opset, axis in itertools.product((1, 11, 13), (0, 1, 2)):
        case("Gather", opset, X, np.abs(indices) if opset == 1 else indices, axis=axis)
    for dtype in (np.int32, np.int64):
        case("Gather", 13, X, np.array(-1, dtype), axis=-1)
        case("Gather", 13, X, np.array([-3, 2], dtype), axis=1, constants=(1,))
    case("Gather", 13, X, np.zeros(0, np.int64), axis=1, variant="nothing")
    case("Gather", 13, numbers("b", 3, dtype="bool"), i64(2, 0))
    for opset, axis in itertools.product((11, 13), (0, 1, -1)):
        case("GatherElements", opset, numbers("m", 3, 3), np.array([[0, -1, 1], [2, 0, -3], [1, 1, 1]]), axis=axis)
    for opset in (11, 12, 13):
        case("GatherND", opset, X, np.array([[0, 1], [1, -1]]), dynamic=False)
        case("GatherND", opset, X, np.array([[[0, 1, 2]], [[1, -1, 0]]]), dynamic=False)
    for batch_dims in (1, 2):
        case("GatherND", 13, X, numbers("i", 2, 3, 1, dtype="int64", low=0, high=1), batch_dims=batch_dims, dynamic=False)
    case("GatherND", 13, X, np.zeros((0, 2), np.int64), variant="nothing", dynamic=False)
    updates = numbers("u", 2, 3)
    where = np.array([[1, 0, 2], [0, 2, 1]])
    m = numbers("m", 3, 3)
    case("Scatter", 9, m, where, updates, axis=0)
    for opset in (11, 13, 16, 18):
        case("ScatterElements", opset, m, where, updates, axis=0)
        case("ScatterElements", opset, m, where, updates, axis=-1)
    for reduction in ("add", "mul") + (("max", "min")):
        case("ScatterElements", 18, m, np.array([[1, 1, -1], [0, 0, 0]]), updates, axis=1, reduction=reduction)
        case("ScatterND", 18, m, np.array([[1], [-1], [1]]), numbers("u", 3, 3), reduction=reduction)
    case("ScatterElements", 18, m, np.zeros((0, 3), np.int64), np.zeros((0, 3), np.float32), variant="nothing")
    for opset in (11, 13, 16):
        case("ScatterND", opset, X, np.array([[0, 1], [1, 2]]), numbers("u", 2, 4))
        case("ScatterND", opset, X, np.array([[[0, 0, 1]], [[1, 2, -1]]]), numbers("u", 2, 1))
    case("ScatterND", 16, X, np.zeros((0, 2), np.int64), np.zeros((0, 4), np.float32), variant="nothing")
    for opset in (9, 11):
        case("Compress", opset, X, np.array([True, False, True]), axis=1)
        case("Compress", opset, X, np.array([False, True]), variant="flat")
    case("Compress", 11, X, np.array([False, True, True, True]), axis=-1)


def add_searches():
    for opset in (9, 13):
        case("NonZero", opset, np.array([[1, 0, 2], [0, 0, 3]], np.float32))
        case("NonZero", opset, np.array([[True, False], [False, True]]))
    case("NonZero", 13, np.zeros((2, 3), np.float32), variant="nothing")
    # The specification defines no coordinates for a scalar.
    case("NonZero", 13, np.float32(2), variant="number", expected=[np.zeros((0, 1), np.int64)])
    for opset in (1, 11, 12, 13):
        for op in ("ArgMax", "ArgMin"):
            case(op, opset, X, axis=1, keepdims=0)
            case(op, opset, X)
    for op, last in itertools.product(("ArgMax", "ArgMin"), (0, 1)):
        case(op, 13, np.array([[2, 1, 2], [1, 1, 0]], np.float32), axis=-1, select_last_index=last)
    for opset in (9, 11):
        for axis in (-1, 0, 1):
            case("OneHot", opset, i64(0, 2, 1), i64(3), np.array([0.5, 2], np.float32), axis=axis, constants=(1, 2))
    case("OneHot", 11, i64(-1, 5, -4), i64(3), np.array([0, 1], np.float32), constants=(1, 2), variant="outside")
    case("OneHot", 11, i64(0, 1), i64(3), np.array([0, 1], np.float32), variant="run time", dynamic=False)
    for exclusive, reverse in itertools.product((0, 1), repeat=2):
        case("CumSum", 14, X, np.array(-2, np.int32), exclusive=exclusive, reverse=reverse, constants=(1,))
    for upper, k in itertools.product((0, 1), (-1, 0, 2, 9)):
        case("Trilu", 14, numbers("t", 2, 3, 4), np.array(k), upper=upper, constants=(1,), variant=str(k))
    case("Trilu", 14, numbers("t", 3, 3, dtype="int64"), np.array(1), upper=0, variant="run time")
    for opset in (9, 22):
        case("EyeLike", opset, numbers("e", 3, 4), k=1)
        case("EyeLike", opset, numbers("e", 3, 4), k=-1, dtype=7)
    case("ReverseSequence", 10, numbers("r", 4, 3), i64(1, 4, 2), time_axis=0, batch_axis=1)
    case("ReverseSequence", 10, numbers("r", 3, 4), i64(1, 4, 2), time_axis=1, batch_axis=0)
    for opset in (1, 13, 15, 21):
        case("Shape", opset, X)
        case("Size", opset, X) if opset != 15 else None
    for start, end in ((1, None), (-1, None), (0, -1), (-9, 9), (2, 1)):
        case("Shape", 15, X, **({"start": start} if end is None else {"start": start, "end": end}))
    case("Size", 13, NONE)
    case("Shape", 13, np.float32(1))


def add_images():
    image = numbers("image", 2, 8, 4, 6)
    for opset in (1, 13):
        case("SpaceToDepth", opset, image, blocksize=2)
        case("DepthToSpace", opset, image, blocksize=2)
    for mode in ("DCR", "CRD"):
        case("DepthToSpace", 11, image, blocksize=2, mode=mode)
    for mode in ("nearest", "linear"):
        small = image[:, :2]
        case("Upsample", 7, small, scales=[1.0, 1.0, 2.0, 3.0], mode=mode)
        case("Upsample", 9, small, np.array([1, 1, 2, 3], np.float32), constants=(1,), mode=mode)
        case("Resize", 10, small, np.array([1, 1, 0.5, 2.5], np.float32), constants=(1,), mode=mode)
    case("Upsample", 1, small, height_scale=2.0, width_scale=3.0, mode="nearest", expected=[small.repeat(2, 2).repeat(3, 3)])
    roi = np.zeros(0, np.float32)
    for opset, mode, how in itertools.product((11, 13, 18, 19), ("nearest", "linear", "cubic"), ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")):
        # onnxruntime aligns corners by the rounded size.
        scales = np.array([1, 1, 1.5, 0.5 if how == "align_corners" else 0.6], np.float32)
        case("Resize", opset, small, roi, scales, constants=(1, 2), mode=mode, coordinate_transformation_mode=how)
        case("Resize", opset, small, roi, roi, i64(2, 2, 7, 3), constants=(1, 2, 3), mode=mode, coordinate_transformation_mode=how)
    for how, rounding in itertools.product(("asymmetric", "half_pixel"), ("floor", "round_prefer_floor", "ceil")):
        line = numbers("line", 1, 1, 3, 1)
        case("Resize", 13, line, None, None, i64(1, 1, 123, 1), constants=(3,), mode="nearest", coordinate_transformation_mode=how, nearest_mode=rounding)
    for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        case("Resize", 13, small, None, np.array([1, 1, 1.5, 0.6], np.float32), constants=(2,), mode="nearest", nearest_mode=rounding)
    case("Resize", 18, small, None, None, i64(9, 5), constants=(3,), axes=[3, 2], mode="linear")
    case("Resize", 18, small, None, None, i64(3, 3), constants=(3,), axes=[2, 3], mode="linear", antialias=1)
    case("Resize", 13, small, None, None, i64(2, 2, 7, 3), mode="linear", variant="run time", dynamic=False)
    for opset in (1, 8, 10, 11, 12, 22):
        case("MaxPool", opset, image, kernel_shape=[2, 3], strides=[2, 1], pads=[1, 0, 0, 2])
    for opset in (7, 10, 11, 19, 22):
        case("AveragePool", opset, image, kernel_shape=[2, 3], strides=[2, 1], pads=[1, 0, 0, 2])
    case("MaxPool", 10, image, kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1, dilations=[1, 2], outputs=2)
    for kernel, stride, pads in (([9, 9], [9, 9], [0] * 4), ([9, 2], [9, 2], [0] * 4), ([9, 9], [9, 9], [1, 0, 1, 2]), ([20, 9], [20, 9], [1, 2, 3, 4])):
        # In dynamic shapes, OpenVINO refuses a kernel larger than the input and its pads if a window may begin in the padding.
        large = dict(kernel_shape=kernel, strides=stride, pads=pads, ceil_mode=1, dynamic=not any(pads))
        case("MaxPool", 12, image, outputs=2, **large)
        for include in (0, 1):
            case("AveragePool", 19, image, count_include_pad=include, **large)
    case("MaxPool", 12, image, kernel_shape=[4, 4], dilations=[2, 2], strides=[4, 4], ceil_mode=1, dynamic=False)
    case("AveragePool", 19, image, kernel_shape=[4, 4], dilations=[2, 2], strides=[4, 4], ceil_mode=1, dynamic=False)
    for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
        case(op, 1 if op != "GlobalLpPool" else 2, image)
    for size in (1, 3, 5):
        case("LRN", 13, image, size=size, alpha=0.001, beta=0.6, bias=1.5)


add_reshapes()
add_slices()
add_joins()
add_gathers()
add_searches()
add_images()


@pytest.mark.parametrize("conformance", parameters(Entry(("shapes", name), make) for name, make in CASES.items()))
def test_shape_versions(conformance, result):
    assert_passed(result)
