"""Faults of operations on images and regions."""

import numpy as np

from .experiment import compiled, experiment, fails, numbers, opset, parameter, results


def normalized(x, size, alpha, beta, bias):
    """LRN across channels, as ONNX and OpenVINO define it."""
    squares = np.zeros_like(x)
    for channel in range(x.shape[1]):
        first, last = max(0, channel - (size - 1) // 2), min(x.shape[1], channel + size // 2 + 1)
        squares[:, channel] = (x[:, first:last] ** 2).sum(1)
    return x / (bias + alpha / size * squares) ** beta


def lrn_is_wrong(size, bias):
    x = np.arange(1, 13, dtype=np.float32).reshape(1, 6, 1, 2) / 4
    inputs = parameter(x.shape)
    given = results([inputs], opset.lrn(inputs, numbers(1), 0.5, 0.75, bias, size), (x,))[0]
    return not np.allclose(given, normalized(x, size, 0.5, 0.75, bias), rtol=1e-4)


@experiment
def lrn_fractional_bias():
    """LRN adds a fractional bias."""
    return lrn_is_wrong(3, 1.5)


@experiment
def lrn_even_size():
    """The window of LRN has as many channels as the attribute size says if that is even."""
    return lrn_is_wrong(4, 1.0)


@experiment
def pad_value_dynamic():
    """Pad of a tensor of static shape fills with a value that is known only at run time."""
    x, fill = parameter([2]), parameter([])
    padded = opset.pad(x, numbers(1), numbers(1), "constant", fill)
    return results([x, fill], padded, (np.ones(2, np.float32), np.array(7, np.float32)))[0].tolist() != [7, 1, 1, 7]


@experiment
def pads_of_open_count():
    """A row with one 0 on each side; the lengths of the lists of pads are dynamic."""
    x, begins, ends = parameter([-1]), parameter([-1], "i64"), parameter([-1], "i64")
    one = np.array([1])

    def padded():
        wider = opset.pad(x, begins, ends, "constant", opset.constant(np.float32(0)))
        return results([x, begins, ends], wider, (np.ones(2, np.float32), one, one))[0]

    return fails(padded) or padded().tolist() != [0, 1, 1, 0]


@experiment
def indexed_pool_auto_pads():
    """The largest of each number and its neighbours, and their indices, for a line of dynamic length."""
    x, values = parameter([1, 1, -1]), np.array([[[5, 1, 2, 4]]], np.float32)
    pool = opset.max_pool(x, [1], [1], [0], [0], [3], "floor", "same_upper", "i64", 0)
    largest, indices = compiled([x], pool.output(0), pool.output(1))([values]).values()
    return largest.tolist() != [[[5, 5, 4, 4]]] or indices.tolist() != [[[0, 0, 3, 3]]]


@experiment
def roi_align_no_samples():
    """The mean over an empty region, which has no samples, is 0."""
    x, rois = parameter([1, 1, 4, 4]), parameter([1, 4])
    aligned = opset.roi_align(x, rois, opset.constant(np.zeros(1, np.int64)), 1, 1, 0, 1.0, "avg", "half_pixel_for_nn")
    given = results([x, rois], aligned, (np.ones((1, 1, 4, 4), np.float32), np.array([[1, 1, 1, 1]], np.float32)))[0]
    return given.tolist() != [[[[0]]]]


@experiment
def nms_equal_overlap():
    """NonMaxSuppression keeps a box whose overlap equals the threshold."""
    boxes = opset.constant(np.array([[[0, 0, 1, 1], [0, 0.5, 1, 1]]], np.float32))
    scores = parameter([1, 1, 2])
    kept = opset.non_max_suppression(
        boxes, scores, opset.constant(np.int64(2)), opset.constant(np.float32(0.5)), opset.constant(np.float32(0)), opset.constant(np.float32(0)), "corner", False, "i64"
    )
    return results([scores], kept.output(0), (np.array([[[0.9, 0.8]]], np.float32),))[0].shape[0] != 2


@experiment
def tile_dynamic_rank4():
    """Tile of a tensor of rank 4 or more with repeats that are known only at run time."""
    for rank in (4, 5, 6):
        x, repeats = parameter([-1] * rank), parameter([rank], "i64")
        tiled = opset.tile(x, repeats)
        shapes = [(2, 3, 1, 2, 1, 2), (1, 2, 2, 3, 2, 1)]
        counts = [(1, 2, 2, 1, 3, 1), (2, 1, 1, 2, 1, 2), (1, 1, 3, 1, 1, 2)]
        runs = [(np.arange(np.prod(shape[:rank]), dtype=np.float32).reshape(shape[:rank]), np.array(count[:rank])) for shape in shapes for count in counts]
        for given, run in zip(results([x, repeats], tiled, *runs), runs):
            if not np.array_equal(given, np.tile(*run)):
                return True
    return False


@experiment
def tile_of_one_channel():
    """Tile of the second axis and others, in one step or two, if the second axis has the size 1."""
    x = np.arange(24, dtype=np.float32).reshape(2, 1, 1, 12)
    data = parameter([-1, 1, 1, -1])
    once = opset.tile(data, numbers(1, 2, 6, 1))
    twice = opset.tile(opset.tile(data, numbers(1, 1, 6, 1)), numbers(1, 2, 1, 1))
    return any(not np.array_equal(results([data], tiled, (x,))[0], np.tile(x, (1, 2, 6, 1))) for tiled in (once, twice))


@experiment
def convolution_dynamic_filter():
    """Convolution takes a filter whose sizes are known only at run time."""
    x, weights = parameter([1, 1, 4, 4]), parameter([-1, -1, -1, -1])
    convolved = opset.convolution(x, weights, [1, 1], [0, 0], [0, 0], [1, 1])
    given = np.ones((1, 1, 4, 4), np.float32), np.ones((1, 1, 2, 2), np.float32)
    return fails(results, [x, weights], convolved, given) or results([x, weights], convolved, given)[0].tolist() != [[[[4.0] * 3] * 3]]
