"""Attributes of vision operators that the backend suite leaves out."""

import functools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES)


def add_regions():
    image = numbers("image", 2, 3, 6, 5)
    # Inside, over the edges, outside, without size, turned round.
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


add_regions()


@pytest.mark.parametrize("conformance", parameters(Entry(("vision", name), make) for name, make in CASES.items()))
def test_vision(conformance, result):
    assert_passed(result)
