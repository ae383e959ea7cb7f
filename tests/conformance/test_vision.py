"""Attributes of vision operators that the backend suite does not test."""

import functools
import itertools

import numpy as np
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import add_case, add_series, numbers

CASES = {}
case = functools.partial(add_case, CASES)


def add_regions():
    image = numbers("image", 2, 3, 6, 5)
    # Inside, across the edges, outside, empty, inverted.
    boxes = np.array([[0, 0, 4, 5], [-3, -3, 1, 2], [1.5, 0.2, 9, 7], [-20, 1, -15, 3], [2, 2, 2, 2], [3, 4, 1, 1]], np.float32)
    batches = np.array([0, 1, 1, 0, 1, 0], np.int64)
    for mode in ("avg", "max"):
        for ratio in (0, 1, 2, 3):
            shared = dict(mode=mode, sampling_ratio=ratio, output_height=2, output_width=3)
            case("RoiAlign", 10, image, boxes, batches, spatial_scale=0.7, **shared)
            for transformation in ("half_pixel", "output_half_pixel"):
                case("RoiAlign", 16, image, boxes, batches, coordinate_transformation_mode=transformation, **shared)
        case("RoiAlign", 16, image, boxes[:0], batches[:0], mode=mode, variant="none")
        case("RoiAlign", 16, image, boxes, batches, mode=mode, variant="defaults")


def add_pooled_regions():
    image = numbers("image", 2, 3, 12, 10)
    # Inside, across the edges, outside, inverted, of one pixel, with fractions.
    boxes = [[0, 0, 6, 6], [-3, -2, 6, 6], [20, 20, 25, 25], [6, 6, 2, 2], [4, 4, 4, 4], [2.4, 2.6, 9.4, 9.6]]
    regions = np.array([[index % 2, *box] for index, box in enumerate(boxes)], np.float32)
    for scale, shape in itertools.product((1.0, 0.37), ([2, 2], [7, 3])):
        case("MaxRoiPool", 1, image, regions, spatial_scale=scale, pooled_shape=shape)
    case("MaxRoiPool", 13, image, regions[:1], pooled_shape=[1, 1])
    case("MaxRoiPool", 1, image, regions[:0], pooled_shape=[2, 2], variant="none", expected=[np.zeros((0, 3, 2, 2), np.float32)])


def add_indexed_pools(auto_pad, order):
    """Pools with indices whose pads depend on the sizes, which differ between the runs."""
    batches = [(1, 2), (2, 1), (2, 2)]
    for kernel, strides, shapes in (
        ([3], [1], [(7,), (1,), (4,)]),
        ([4], [3], [(7,), (8,), (9,)]),
        ([2, 3], [2, 1], [(7, 8), (4, 5), (1, 3)]),
        ([3, 3], [1, 1], [(7, 8), (4, 5), (2, 1)]),
        ([5, 4], [2, 3], [(7, 8), (6, 9), (5, 7)]),
        ([1, 2], [3, 2], [(7, 8), (4, 9), (1, 7)]),
        ([2, 2, 3], [2, 1, 2], [(5, 4, 5), (4, 4, 3), (3, 2, 6)]),
    ):
        if order == 1 and len(kernel) != 2:
            continue
        window = dict(kernel_shape=kernel, strides=strides, auto_pad=auto_pad, storage_order=order)
        runs = [(numbers("same", *batch, *shape),) for batch, shape in zip(batches, shapes)]
        add_series(CASES, "MaxPool", 12, *runs, outputs=2, **window)
        # Equal numbers, of which the first one counts.
        runs = [(numbers("bits", *batch, *shape, dtype="uint8", low=1, high=2),) for batch, shape in zip(batches, shapes)]
        add_series(CASES, "MaxPool", 12, *runs, outputs=2, variant="bits", **window)


def add_pools():
    x = numbers("x", 2, 3, 7, 9)
    for ceil_mode, pads, strides in itertools.product((0, 1), ([0, 0, 0, 0], [1, 0, 1, 2]), ([1, 1], [2, 3])):
        case("LpPool", 18, x, kernel_shape=[2, 3], p=3, ceil_mode=ceil_mode, pads=pads, strides=strides)
        case("MaxPool", 12, x, kernel_shape=[2, 3], ceil_mode=ceil_mode, pads=pads, strides=strides, storage_order=1, outputs=2)
        case("AveragePool", 19, x, kernel_shape=[2, 3], ceil_mode=ceil_mode, pads=pads, strides=strides, count_include_pad=1)
    # The last window reaches beyond the padding at the end, which counts; what is beyond does not count.
    for shape, window in (
        ([5], dict(kernel_shape=[5], strides=[3], pads=[2, 2])),
        ([5, 6], dict(kernel_shape=[5, 3], strides=[3, 2], pads=[2, 1, 2, 1])),
        ([6, 5, 6], dict(kernel_shape=[4, 5, 6], strides=[2, 3, 2], pads=[2] * 6)),
        ([7, 8], dict(kernel_shape=[3, 2], strides=[4, 5], pads=[2, 1, 1, 1])),
        ([9, 8], dict(kernel_shape=[3, 2], strides=[2, 3], pads=[1, 1, 0, 1], dilations=[2, 3])),
    ):
        case("AveragePool", 19, numbers("beyond", 2, 2, *shape), ceil_mode=1, count_include_pad=1, **window)
    for auto_pad, order in itertools.product(("SAME_UPPER", "SAME_LOWER"), (0, 1)):
        add_indexed_pools(auto_pad, order)
    for auto_pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        case("LpPool", 11, x, kernel_shape=[2, 3], strides=[2, 2], auto_pad=auto_pad)
    # Windows that may begin in the padding at the end, and windows that cannot: the ceil modes of OpenVINO differ, or are equal.
    for kernel, stride, end, dilation in [(3, 2, 0, 1), (3, 2, 1, 1), (3, 2, 2, 1), (2, 2, 1, 1), (2, 3, 0, 1), (2, 3, 1, 3), (2, 4, 1, 3), (1, 1, 0, 1)]:
        for size in (6, 7, 8, 9):
            window = dict(kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[0, 0, end, end], dilations=[dilation] * 2)
            case("MaxPool", 12, numbers("p", 1, 2, size, size + 3), ceil_mode=1, variant=f"ceil {size}", **window)
    case("MaxPool", 12, numbers("line", 2, 3, 9), kernel_shape=[3], storage_order=1, outputs=2)


add_regions()
add_pooled_regions()
add_pools()

# As PyTorch's dynamo exporter writes torchvision.ops.nms and an index with its result.
SELECTED_BOXES = b"""<ir_version: 10, opset_import: ["" : 18]>
agraph (float[n, 4] boxes, float[n] scores) => (float[k, 4] kept) <
  int64 most = {100}, float overlap = {0.3}, int64[1] zero = {0}, int64[2] one_and_two = {0, 1}, int64[1] two = {2},
  int64[1] three = {3}, int64[1] one = {1}, int64[1] last = {-1}> {
  batch = Unsqueeze(boxes, zero)
  classes = Unsqueeze(scores, one_and_two)
  selected = NonMaxSuppression(batch, classes, most, overlap)
  column = Slice(selected, two, three, one)
  indices = Reshape(column, last)
  rows = Unsqueeze(indices, last)
  kept = GatherND(boxes, rows)
}"""


def selected_boxes():
    boxes = np.array([[0, 0, 4, 4], [1, 0, 5, 4], [8, 8, 9, 9], [0, 3, 4, 7]], np.float32)
    scores = np.array([0.5, 0.9, 0.1, 0.4], np.float32)
    return Case("selected boxes", SELECTED_BOXES, [Run({"boxes": boxes, "scores": scores})])


CASES["selected_boxes"] = selected_boxes


@pytest.mark.parametrize("conformance", parameters(Entry(("vision", name), make) for name, make in CASES.items()))
def test_vision(conformance, result):
    assert_passed(result)
