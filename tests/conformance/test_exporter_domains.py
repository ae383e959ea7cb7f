"""Operators that exporters leave in a model: PyTorch's ATen and org.pytorch.aten, mmdeploy's rotated boxes."""

import math

import numpy as np
import onnx
import pytest
from onnx import helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers
from .test_openvino_operators import of_peer
from .tool import convert, tool_path

ATEN = "org.pytorch.aten"
CASES = {}


def model_of(op, inputs, domain, imports, is_dynamic=False, constants=(), outputs=1, **attributes):
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
    given, initializers = [], []
    for i, value in enumerate(inputs):
        if value is None:
            continue
        if i in constants:
            initializers.append(onnx.numpy_helper.from_array(value, names[i]))
        else:
            shape = [None] * value.ndim if is_dynamic else value.shape
            given.append(helper.make_tensor_value_info(names[i], helper.np_dtype_to_tensor_dtype(value.dtype), shape))
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], name="the_node", domain=domain, **attributes)
    opsets = [helper.make_opsetid("", 13), *(helper.make_opsetid(each, 1) for each in imports)]
    graph = helper.make_graph([node], op, given, [onnx.ValueInfoProto(name="y0")], initializers)
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def case(variant, op, inputs, expected, domain="", imports=(), constants=(), **options):
    for is_dynamic in (False, True):
        name = variant + ("-dynamic" if is_dynamic else "")
        assert name not in CASES, name

        def make(name=name, is_dynamic=is_dynamic):
            model = model_of(op, inputs, domain, imports, is_dynamic, constants, **options)
            values = {f"x{i}": value for i, value in enumerate(inputs) if value is not None and i not in constants}
            if expected is None:
                results = of_peer(model_of(op, inputs, domain, imports, False, constants, **options), values)
            else:
                results = {"y0": expected.astype(inputs[0].dtype)}
            return Case(name, model, [Run(values, results)], atol=1e-5)

        CASES[name] = make


def add_embedding_bags():
    table = numbers("table", 7, 3)
    packed = np.array([[0, 2], [6, 6], [3, 1], [5, 0]])
    factors = numbers("factors", 4, 2)
    reductions = {0: np.sum, 1: np.mean, 2: np.max}
    for mode, reduction in reductions.items():
        for index in ("int32", "int64"):
            case(f"packed-{mode}-{index}", "ATen", [table, packed.astype(index)], reduction(table[packed], axis=1), operator="embedding_bag", mode=mode)
    weighted = (table[packed] * factors[:, :, None]).sum(axis=1)
    shared = dict(operator="embedding_bag", mode=0, sparse=0, scale_grad_by_freq=0)
    case("packed-factors", "ATen", [table, packed, None, factors], weighted, **shared)
    case("domain", "ATen", [table, packed], table[packed].sum(axis=1), domain=ATEN, imports=(ATEN,), **shared)
    case("outputs", "ATen", [table, packed], table[packed].sum(axis=1), outputs=4, **shared)
    indices, offsets = np.array([0, 2, 6, 6, 3, 1]), np.array([0, 2, 2, 5])
    bags = [slice(0, 2), slice(2, 2), slice(2, 5), slice(5, 6)]
    sums = np.stack([table[indices[bag]].sum(axis=0) for bag in bags])
    means = np.stack([table[indices[bag]].sum(axis=0) / max(bag.stop - bag.start, 1) for bag in bags])
    case("offsets", "ATen", [table, indices, offsets], sums, **shared)
    case("offsets-mean", "ATen", [table, indices, offsets], means, operator="embedding_bag", mode=1)
    case("offsets-last", "ATen", [table, indices, np.append(offsets, 6)], sums, include_last_offset=1, **shared)
    each = numbers("each", 6)
    case("offsets-factors", "ATen", [table, indices, offsets, each], np.stack([(table[indices[bag]] * each[bag, None]).sum(axis=0) for bag in bags]), **shared)


def adaptive_pool(x, sizes):
    """The mean over parts from floor(i * size / count) to ceil((i + 1) * size / count)."""
    for axis, count in zip(range(x.ndim - len(sizes), x.ndim), sizes):
        size = x.shape[axis]
        parts = [range(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        x = np.stack([x.take(part, axis).mean(axis) for part in parts], axis)
    return x


def add_adaptive_pools():
    x = numbers("pooled", 2, 3, 7, 5)
    for sizes in ([2, 2], [1, 1], [7, 3]):
        wanted = adaptive_pool(x, sizes)
        given = [x, np.array(sizes)]
        case(f"pool-{sizes}", "adaptive_avg_pool2d", given, wanted, domain=ATEN, imports=(ATEN,), constants=(1,))
        case(f"pool-{sizes}-aten", "ATen", given, wanted, constants=(1,), operator="adaptive_avg_pool2d")
    case("pool-image", "adaptive_avg_pool2d", [x[0], np.array([2, 3])], adaptive_pool(x[0], [2, 3]), domain=ATEN, constants=(1,))


def sample(image, y, x):
    """Bilinear; 0 more than one pixel outside."""
    height, width = image.shape[1:]
    if y < -1 or y > height or x < -1 or x > width:
        return np.zeros(image.shape[0])
    y, x = max(y, 0), max(x, 0)
    top, left = min(int(y), height - 1), min(int(x), width - 1)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    y, x = (y if top < height - 1 else top) - top, (x if left < width - 1 else left) - left
    upper = image[:, top, left] * (1 - x) + image[:, top, right] * x
    lower = image[:, bottom, left] * (1 - x) + image[:, bottom, right] * x
    return upper * (1 - y) + lower * y


def roi_align_rotated(image, rois, height, width, scale, ratio, aligned, clockwise):
    result = np.zeros((len(rois), image.shape[1], height, width))
    for n, (batch, cx, cy, w, h, angle) in enumerate(rois):
        offset = 0.5 if aligned else 0
        cx, cy, w, h = cx * scale - offset, cy * scale - offset, w * scale, h * scale
        angle = -angle if clockwise else angle
        if not aligned:
            w, h = max(w, 1), max(h, 1)
        rows = ratio or math.ceil(h / height)
        columns = ratio or math.ceil(w / width)
        for i in range(height):
            for j in range(width):
                total = 0
                for a in range(rows):
                    for b in range(columns):
                        y = -h / 2 + (i + (a + 0.5) / rows) * h / height
                        x = -w / 2 + (j + (b + 0.5) / columns) * w / width
                        total = total + sample(image[int(batch)], y * math.cos(angle) - x * math.sin(angle) + cy, y * math.sin(angle) + x * math.cos(angle) + cx)
                result[n, :, i, j] = total / max(rows * columns, 1)
    return result


def add_rotated_boxes():
    image = numbers("image", 2, 3, 8, 9)
    rois = np.array([[0, 4, 4, 5, 3, 0.3], [1, 3, 5, 6, 4, -1.2], [0, 1, 1, 4, 4, 0.0], [1, 5, 4, 0.5, 0.4, 2.0]], np.float32)
    for aligned in (0, 1):
        for clockwise in (0, 1):
            for ratio in (0, 2):
                wanted = roi_align_rotated(image, rois, 2, 3, 0.75, ratio, aligned, clockwise)
                shared = dict(output_height=2, output_width=3, spatial_scale=0.75, sampling_ratio=ratio)
                variant = f"roi-aligned={aligned}-clockwise={clockwise}-ratio={ratio}"
                case(variant, "MMCVRoIAlignRotated", [image, rois], wanted, domain="mmdeploy", imports=("mmdeploy",), aligned=aligned, clockwise=clockwise, **shared)
    boxes = np.array([[[4, 4, 4, 2, 0.1], [4.2, 4, 4, 2, 0.1], [9, 9, 2, 2, 0.5], [4, 4, 2, 4, 0.1]]], np.float32)
    scores = np.array([[[0.6, 0.9, 0.5, 0.8], [0.1, 0.7, 0.6, 0.2]]], np.float32)
    case("nms", "NMSRotated", [boxes, scores], None, domain="mmdeploy", imports=("mmdeploy",), iou_threshold=0.5, score_threshold=0.3)


add_embedding_bags()
add_adaptive_pools()
add_rotated_boxes()


@pytest.mark.parametrize("conformance", parameters(Entry(("exporters", name), make) for name, make in CASES.items()))
def test_exporter_domains(conformance, result):
    assert_passed(result)


@pytest.mark.parametrize(
    ("inputs", "attributes", "message"),
    [
        (2, {"operator": "convolution"}, "PyTorch's operator 'convolution' is not supported"),
        (2, {}, "attribute 'operator' is missing"),
        (3, {"operator": "embedding_bag", "mode": 2}, "the maximum over bags of different sizes cannot be expressed"),
        (3, {"operator": "embedding_bag", "mode": 0, "padding_idx": 1}, "attribute 'padding_idx' cannot be expressed"),
    ],
)
def test_what_cannot_be_converted_is_an_error(tmp_path, inputs, attributes, message):
    given = [np.zeros((7, 3), np.float32), np.zeros(4, np.int64), np.zeros(2, np.int64)][:inputs]
    source = tmp_path / "m.onnx"
    source.write_bytes(model_of("ATen", given, "", (), **attributes))
    with pytest.raises(Exception, match=message):
        convert(tool_path(), source, tmp_path / "m.xml")
