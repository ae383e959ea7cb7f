"""Resizes of one or several axes, for each rank; of long axes, whose weights would not fit into memory as a matrix; and of images with infinities."""

import functools
import itertools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES)


def resize(image, *scales, opset=19, variant="", **attributes):
    case("Resize", opset, image, None, np.array(scales, np.float32), constants=(2,), variant=f"{scales}{variant}", **attributes)


def resize_to(image, *sizes, variant="", **attributes):
    case("Resize", 19, image, None, None, np.array(sizes, np.int64), constants=(3,), variant=f"{sizes}{variant}", **attributes)


def add_ranks():
    for how in ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"):
        attributes = {"mode": "linear", "coordinate_transformation_mode": how}
        for scale in (2, 0.5, 2.5):
            resize(numbers("line", 2, 3, 8), 1, 1, scale, **attributes)
            resize(numbers("rows", 3, 8, 6), 1, scale, 2, **attributes)
            resize(numbers("matrix", 8, 6), scale, 2, **attributes)
            resize(numbers("image", 2, 3, 8, 6), 1, 1, scale, 1, **attributes)
            resize(numbers("image", 2, 3, 8, 6), 1, 1, 1, scale, **attributes)
        resize_to(numbers("line", 2, 3, 8), 2, 3, 5, **attributes)
        resize_to(numbers("image", 2, 3, 8, 6), 2, 3, 8, 9, **attributes)
        resize_to(numbers("image", 2, 3, 8, 6), 2, 3, 1, 9, **attributes)
        resize(numbers("volume", 1, 2, 3, 4, 6), 1, 1, 1, 2, 2, **attributes)
    for how in ("half_pixel", "align_corners", "asymmetric"):
        resize(numbers("matrix", 8, 6), 2, 2.5, mode="cubic", coordinate_transformation_mode=how)
        resize(numbers("image", 1, 8, 6, 2), 1, 2, 2.5, 1, mode="linear", coordinate_transformation_mode=how)


def add_borders():
    image = numbers("image", 2, 3, 8, 6)
    for scale in (2.5, 0.5, 0.3):
        resize(image, 1, 1, scale, scale, mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5)
        for mode in ("linear", "cubic"):
            resize(image, 1, 1, scale, scale, mode=mode, antialias=1)
    resize_to(image, 2, 3, 1, 1, mode="linear", antialias=1)
    resize_to(image, 2, 3, 17, 3, mode="cubic", antialias=1)
    infinite = numbers("infinite", 1, 1, 12)
    infinite[0, 0, 6] = np.inf
    resize(infinite, 1, 1, 1.5, mode="linear", coordinate_transformation_mode="half_pixel")
    region = np.array([0, 0, 0.1, 0.2, 1, 1, 0.9, 1.3], np.float32)
    scales = np.array([1, 1, 1.5, 2], np.float32)
    for mode in ("linear", "nearest"):
        case("Resize", 13, image, region, scales, constants=(1, 2), mode=mode, coordinate_transformation_mode="tf_crop_and_resize")


def add_empty_images():
    for mode in ("linear", "cubic"):
        image = np.zeros((0, 2, 8, 6), np.float32)
        resize(image, 1, 1, 0.5, 0.5, mode=mode, antialias=1)
        case("Resize", 19, image[:, :, :0], None, None, np.array([0, 2, 0, 3]), mode=mode, antialias=1, variant="run time", dynamic=False)
    for shape, scales in (((0, 3, 8), (1, 1, 2)), ((2, 3, 0), (1, 1, 2)), ((0, 8), (2, 2)), ((0, 4, 8), (1, 2, 2)), ((1, 0, 4, 8), (1, 1, 2, 1))):
        resize(np.zeros(shape, np.float32), *scales, mode="linear")


def add_long_axes():
    for mode, scale in itertools.product(("linear", "nearest"), (2, 0.4)):
        resize(numbers("sound", 1, 1, 60_000), 1, 1, scale, mode=mode, coordinate_transformation_mode="asymmetric", variant="-long")
    sizes = np.array([1, 60_000], np.int64)
    sound = numbers("sound", 1, 30_000)
    case("Resize", 19, sound, None, None, sizes, constants=(3,), mode="linear", axes=[0, 1], coordinate_transformation_mode="half_pixel_symmetric")
    resize(numbers("tall", 30_000, 2), 2, 1, mode="linear", coordinate_transformation_mode="half_pixel", variant="-tall")


for add in (add_ranks, add_borders, add_empty_images, add_long_axes):
    add()


@pytest.mark.parametrize("conformance", parameters(Entry(("resized axes", name), make) for name, make in CASES.items()))
def test_resized_axes(conformance, result):
    assert_passed(result)
