"""Convolutions, Col2Im and sampled grids: attributes that the backend suite does not test, and filters of dynamic size."""

import functools
import itertools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES)


def add_convolutions():
    for spatial in ((9,), (7, 6), (4, 5, 6)):
        n = len(spatial)
        for groups, padding in itertools.product((1, 2), ({}, {"pads": [1, 2, 0][:n] + [0, 1, 2][:n]}, {"auto_pad": "SAME_UPPER"}, {"auto_pad": "SAME_LOWER"}, {"auto_pad": "VALID"})):
            image, filters = numbers("image", 2, 4, *spatial), numbers("filters", 6, 4 // groups, *[2, 3, 2][:n])
            case("Conv", 11, image, filters, numbers("bias", 6), group=groups, strides=[2, 1, 3][:n], **padding)
            if "SAME" not in padding.get("auto_pad", ""):  # onnxruntime does not dilate these
                case("Conv", 1, image, filters, group=groups, dilations=[1, 2, 1][:n], **padding)
            filters = numbers("filters", 4, 6 // groups, *[2, 3, 2][:n])
            case("ConvTranspose", 11, image, filters, numbers("bias", 6), group=groups, strides=[2, 3, 2][:n], **padding)
        case("ConvTranspose", 1, image, filters, strides=[3, 2, 2][:n], output_padding=[2, 1, 1][:n])
        case("ConvTranspose", 1, image, filters, dilations=[2, 1, 2][:n])
        case("ConvTranspose", 11, image, filters, strides=[2] * n, output_shape=[2 * size for size in spatial])
        case("ConvTranspose", 11, image, filters, strides=[2] * n, output_shape=[2 * size for size in spatial], auto_pad="SAME_UPPER")
        case("ConvTranspose", 11, image, filters, strides=[2] * n, output_shape=[2 * size for size in spatial], constants=(1,), variant="constant")
    case("Conv", 11, numbers("none", 0, 4, 5, 5), numbers("filters", 2, 4, 3, 3))
    case("Conv", 11, numbers("image", 2, 4, 9), numbers("filters", 4, 1, 3), group=4, variant="depthwise")
    pixels, filters = numbers("pixels", 1, 2, 5, 5, dtype="uint8", low=0, high=255), numbers("filters", 3, 2, 3, 3, dtype="uint8", low=0, high=255)
    case("ConvInteger", 10, pixels, filters, np.uint8(7), np.uint8(3), pads=[1, 1, 1, 1])
    case("QLinearConv", 10, pixels, np.float32(0.02), np.uint8(7), filters, np.float32(0.01), np.uint8(3), np.float32(0.5), np.uint8(20), strides=[2, 1])


def add_many_axes():
    """More spatial axes than the windows of OpenVINO's operations have. jax2onnx makes axes of the batch and of the channels spatial ones."""
    image, filters = numbers("image", 1, 1, 2, 6, 5, 3), numbers("filters", 1, 1, 1, 3, 2, 1)
    case("Conv", 11, image, filters, numbers("bias", 1), constants=(1, 2), variant="one_filter", strides=[1, 2, 1, 1], pads=[0, 1, 0, 0, 0, 1, 1, 0])
    case("Conv", 11, image, filters, variant="one_filter", auto_pad="SAME_UPPER", dynamic=(2,))
    case("ConvTranspose", 11, image, filters, strides=[1, 2, 1, 1], pads=[0, 1, 0, 0, 0, 1, 1, 0])
    for groups in (1, 2):
        image = numbers("image", 2, 4, 2, 6, 5, 3)
        case("Conv", 11, image, numbers("filters", 6, 4 // groups, 1, 3, 2, 1), numbers("bias", 6), group=groups, strides=[1, 2, 1, 1], dilations=[3, 1, 2, 1])
        case("Conv", 11, image, numbers("filters", 6, 4 // groups, 2, 3, 1, 2), numbers("bias", 6), group=groups, strides=[1, 2, 2, 1])
        case("Conv", 11, image, numbers("filters", 6, 4 // groups, 2, 3, 1, 2), group=groups, strides=[1, 2, 2, 1], pads=[1, 0, 2, 0, 0, 1, 0, 1])
        case("ConvTranspose", 11, image, numbers("filters", 4, 3, 2, 3, 1, 2), group=groups, strides=[1, 2, 2, 1])
    case("Conv", 11, image, numbers("filters", 3, 4, 1, 1, 1, 1), constants=(1,))
    case("Conv", 11, numbers("image", 1, 2, 2, 3, 2, 4, 3), numbers("filters", 3, 2, 1, 1, 2, 1, 2), constants=(1,))
    image = numbers("image", 2, 4, 2, 6, 5, 3)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 2), (3, 4))[:, :, :, ::2]
    case("MaxPool", 12, image, expected=[windows.max((-1, -2))], kernel_shape=[1, 3, 2, 1], strides=[1, 2, 1, 1])
    case("AveragePool", 19, image, expected=[windows.mean((-1, -2))], kernel_shape=[1, 3, 2, 1], strides=[1, 2, 1, 1])
    case("LpPool", 18, image, expected=[np.sqrt((windows**2).sum((-1, -2)))], kernel_shape=[1, 3, 2, 1], strides=[1, 2, 1, 1])


def add_one_channel_convolutions():
    """One input channel: the faults convolution_of_one_channel and convolution_to_one_column, and sizes beside them."""
    for channels, size, kernel, attributes in [
        (1, (6, 3), (1, 1), {"pads": [0, 2, 0, 2]}),
        (1, (6, 3), (1, 1), {"pads": [0, 1, 0, 1]}),
        (1, (3, 1), (3, 1), {"pads": [2, 2, 2, 0]}),
        (1, (5, 1), (4, 1), {"pads": [0, 0, 3, 2]}),
        (1, (4, 6), (2, 2), {"pads": [1, 0, 1, 5], "dilations": [1, 2]}),
        (2, (4, 6), (2, 2), {"pads": [1, 4, 1, 5]}),
        (1, (4, 6, 5), (2, 2, 2), {"dilations": [1, 2, 1]}),
        (1, (4, 6, 5), (2, 2, 2), {"dilations": [2, 1, 1], "pads": [1, 1, 1, 0, 1, 1]}),
        (1, (4, 6, 5), (2, 2, 2), {"dilations": [2, 2, 1], "pads": [1, 1, 1, 0, 1, 1]}),
        (1, (4, 4, 4), (2, 1, 1), {"pads": [1, 1, 2, 2, 0, 3], "dilations": [3, 1, 1]}),
        (1, (2, 3), (3, 4), {"strides": [1, 3], "pads": [1, 0, 1, 1]}),
        (3, (5, 5), (3, 5), {"strides": [1, 4], "pads": [1, 1, 1, 0]}),
        (16, (6, 4), (2, 4), {"strides": [1, 2], "pads": [0, 1, 0, 0]}),
        (2, (6, 4), (2, 4), {"strides": [1, 2], "auto_pad": "VALID"}),
        (2, (6, 2), (2, 4), {"strides": [1, 2], "auto_pad": "SAME_LOWER"}),
        (1, (3, 2, 3), (2, 2, 3), {"strides": [2, 1, 2], "pads": [1, 1, 0, 1, 1, 0]}),
        (1, (3, 3), (2, 3), {"strides": [1, 4], "pads": [1, 0, 0, 3]}),
    ]:
        image, filters = numbers("image", 1, 1, *size), numbers("filters", channels, 1, *kernel)
        case("Conv", 11, image, filters, constants=(1,), variant="channel", **attributes)
    twice = numbers("twice", 2, 1, 2, 3), numbers("filters", 1, 1, 3, 4), numbers("bias", 1)
    case("Conv", 11, *twice, constants=(1, 2), variant="channel", strides=[1, 3], pads=[1, 0, 1, 1])


def add_columns():
    case("Col2Im", 18, numbers("c", 2, 6, 5), np.array([6], np.int64), np.array([2], np.int64), expected=[col2im(numbers("c", 2, 6, 5), [6], [2])], dynamic=False)
    for image, block, attributes in [
        ((5, 6), (2, 3), {"dilations": [1, 2], "pads": [1, 0, 0, 1], "strides": [1, 2]}),
        ((3, 4, 5), (2, 1, 3), {"pads": [0, 1, 0, 1, 0, 0], "strides": [1, 2, 1]}),
        ((3, 4, 5), (2, 2, 2), {"dilations": [1, 3, 2]}),
    ]:
        n = len(image)
        pads, strides, dilations = attributes.get("pads", [0] * 2 * n), attributes.get("strides", [1] * n), attributes.get("dilations", [1] * n)
        places = [(s + pads[i] + pads[n + i] - (b - 1) * dilations[i] - 1) // strides[i] + 1 for i, (s, b) in enumerate(zip(image, block))]
        columns = numbers("columns", 2, 3 * int(np.prod(block)), int(np.prod(places)))
        result = col2im(columns, image, block, pads, strides, dilations)
        case("Col2Im", 18, columns, np.array(image), np.array(block), expected=[result], **attributes)
        case("Col2Im", 18, columns, np.array(image), np.array(block), expected=[result], constants=(1, 2), variant="constants", **attributes)


def col2im(columns, image, block, pads=None, strides=None, dilations=None):
    """Adds every value at the position of its window, one by one."""
    n = len(image)
    pads, strides, dilations = pads or [0] * 2 * n, strides or [1] * n, dilations or [1] * n
    places = [(s + pads[i] + pads[n + i] - (b - 1) * dilations[i] - 1) // strides[i] + 1 for i, (s, b) in enumerate(zip(image, block))]
    values = columns.reshape(columns.shape[0], -1, *block, *places)
    result = np.zeros((*values.shape[:2], *image), columns.dtype)
    for inside in np.ndindex(*block):
        for place in np.ndindex(*places):
            at = [p * s + k * d - b for p, s, k, d, b in zip(place, strides, inside, dilations, pads)]
            if all(0 <= a < s for a, s in zip(at, image)):
                result[(..., *at)] += values[(..., *inside, *place)]
    return result


def add_positions_without_number():
    """A NaN in a grid is the position -1, as in PyTorch. Exported linspaces with one step have NaNs."""
    for rank, modes in ((2, ("linear", "nearest", "cubic")), (3, ("linear", "nearest"))):
        image = numbers("image", 1, 2, *range(3, 3 + rank))
        grid = numbers("grid", 1, *range(2, 2 + rank), rank, low=-1.8, high=1.8)
        grid.reshape(-1, rank)[:rank, :][np.eye(rank, dtype=bool)] = np.nan
        grid.reshape(-1, rank)[rank] = np.nan
        for mode, padding, align in itertools.product(modes, ("zeros", "border", "reflection"), (0, 1)):
            case("GridSample", 20, image, grid, mode=mode, padding_mode=padding, align_corners=align, variant=f"nan-{rank}")
        case("GridSample", 20, image, grid, constants=(1,), mode="linear", padding_mode="zeros", variant=f"nan-constant-{rank}")


def add_grids():
    grid = numbers("grid", 2, 2, 3, 4, 3, low=-1.8, high=1.8)
    for mode, padding, align in itertools.product(("linear", "nearest"), ("zeros", "border", "reflection"), (0, 1)):
        case("GridSample", 20, numbers("volume", 2, 2, 3, 4, 5), grid, mode=mode, padding_mode=padding, align_corners=align)
    for mode, padding in itertools.product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")):
        case("GridSample", 16, numbers("image", 2, 2, 4, 5), numbers("grid", 2, 3, 4, 2, low=-1.8, high=1.8), mode=mode, padding_mode=padding)
    add_positions_without_number()
    for align in (0, 1):
        case("AffineGrid", 20, numbers("theta", 2, 2, 3), np.array([2, 1, 4, 5]), align_corners=align, dynamic=False)
        case("AffineGrid", 20, numbers("theta", 2, 3, 4), np.array([2, 1, 3, 4, 5]), align_corners=align, dynamic=False)
        case("AffineGrid", 20, numbers("theta", 2, 3, 4), np.array([2, 1, 3, 4, 5]), align_corners=align, constants=(1,), variant="constant")
    case("AffineGrid", 20, numbers("theta", 1, 2, 3), np.array([1, 1, 0, 3]), expected=[np.zeros((1, 0, 3, 2), np.float32)], variant="none", dynamic=False)


add_convolutions()
add_many_axes()
add_one_channel_convolutions()
add_columns()
add_grids()


@pytest.mark.parametrize("conformance", parameters(Entry(("convolutions", name), make) for name, make in CASES.items()))
def test_convolutions(conformance, result):
    assert_passed(result)
