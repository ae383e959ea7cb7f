"""Operators of the domain org.openvinotoolkit, with and without its import, and without a domain.

Expected values come from OpenVINO's own front end, for FakeQuantize from a formula.
"""

import io
import itertools

import numpy as np
import onnx
import openvino as ov
import pytest
from onnx import helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers
from .runtime import CONFIG
from .tool import convert, tool_path

DOMAIN = "org.openvinotoolkit"
CASES = {}


def of_peer(model, values):
    """The outputs that OpenVINO gives for the ONNX file."""
    core = ov.Core()
    request = core.compile_model(core.read_model(io.BytesIO(model)), "CPU", CONFIG).create_infer_request()
    request.infer(values)
    return {port.get_any_name(): np.array(request.get_tensor(port).data) for port in request.model_outputs}


def model_of(op, inputs, constants=(), outputs=1, is_dynamic=False, domain=DOMAIN, imports=(DOMAIN,), **attributes):
    names = [f"x{i}" for i in range(len(inputs))]
    given = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim if is_dynamic else value.shape)
        for i, (name, value) in enumerate(zip(names, inputs))
        if i not in constants
    ]
    initializers = [onnx.numpy_helper.from_array(inputs[i], names[i]) for i in constants]
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], name="the_node", domain=domain, **attributes)
    results = [onnx.ValueInfoProto(name=name) for name in node.output]
    opsets = [helper.make_opsetid("", 13), *(helper.make_opsetid(each, 1) for each in imports)]
    graph = helper.make_graph([node], op, given, results, initializers)
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def case(op, *inputs, variant="", constants=(), outputs=1, expected=None, dynamic=(False, True), **options):
    inputs = [np.asarray(value) for value in inputs]
    for is_dynamic in dynamic:
        name = "-".join(filter(None, [op, variant, "dynamic" if is_dynamic else ""]))
        assert name not in CASES, name

        def make(name=name, is_dynamic=is_dynamic):
            model = model_of(op, inputs, constants, outputs, is_dynamic, **options)
            values = {f"x{i}": value for i, value in enumerate(inputs) if i not in constants}
            results = of_peer(model_of(op, inputs, constants, outputs, **options), values) if expected is None else {"y0": expected}
            half = inputs[0].dtype == np.float16
            return Case(name, model, [Run(values, results)], rtol=1e-2 if half else 1e-3, atol=1e-2 if half else 1e-5)

        CASES[name] = make


def fake_quantized(x, low, high, out_low, out_high, levels):
    x = x.astype(np.float32)
    low, high = np.minimum(low, high), np.maximum(low, high)
    steps = np.float32(levels - 1)
    inner = np.round((x - low) / (high - low) * steps) / steps * (out_high - out_low) + out_low
    return np.where(x <= low, out_low, np.where(x > high, out_high, inner)).astype(np.float32)


def add_fake_quantize():
    x = numbers("x", 2, 3, 4, 5, low=-2.5, high=2.5)
    bounds = {
        "scalar": [np.array(value, np.float32) for value in (-1.0, 1.5, -1.0, 1.5)],
        "vector": [np.array([value], np.float32) for value in (0.0, 2.55, 0.0, 255.0)],
        "channels": [np.array(value, np.float32).reshape(1, 3, 1, 1) for value in ([-1, -2, -0.5], [1, 2, 0.5], [-1, -2, -0.5], [1, 2, 0.5])],
        "rank_3": [np.array(value, np.float32).reshape(3, 1, 1) for value in ([-1, -2, -0.5], [1, 2, 0.5], [0, 0, 0], [15, 7, 3])],
        "mixed": [np.float32(-1), np.array([1, 2, 0.5], np.float32).reshape(3, 1, 1), np.array([-1], np.float32), np.ones((1, 1, 1, 1), np.float32)],
        "last_axis": [np.full(5, value, np.float32) for value in (-1.25, 1.25, -2, 2)],
    }
    for (shape, values), levels in itertools.product(bounds.items(), (2, 5, 16, 255, 256)):
        expected = fake_quantized(x, *values, levels)
        for constants in ((1, 2, 3, 4), ()):
            variant = f"{levels}-{shape}-{'constants' if constants else 'inputs'}"
            # docs/limits.md: the CPU plugin computes such a one of dynamic shape with 256 levels, also from OpenVINO's own front end.
            is_misread = shape == "rank_3" and levels == 255 and constants
            shapes = (False,) if is_misread else (False, True)
            case("FakeQuantize", x, *values, variant=variant, constants=constants, expected=expected, dynamic=shapes, levels=levels)
    scalar = bounds["scalar"]
    case("FakeQuantize", x.astype(np.float16), *(value.astype(np.float16) for value in scalar), variant="half", constants=(1, 2, 3, 4), levels=16)
    for variant, options in {"no_import": dict(imports=()), "no_domain": dict(domain="", imports=())}.items():
        case("FakeQuantize", x, *scalar, variant=variant, expected=fake_quantized(x, *scalar, 8), levels=8, **options)
    case("FakeQuantize", x[:0], *scalar, variant="empty", expected=x[:0], levels=8)


def add_layers():
    x = numbers("image", 2, 8, 3, 5)
    scale, bias = numbers("scale", 8), numbers("bias", 8)
    for op in ("GroupNorm", "ExperimentalDetectronGroupNorm"):
        case(op, x, scale, bias, constants=(1, 2), num_groups=4)
        case(op, x, scale, bias, variant="inputs", num_groups=2, eps=1e-3)
        case(op, x, scale.reshape(1, 8, 1, 1), bias.reshape(1, 8, 1, 1), variant="rank_4", constants=(1, 2), num_groups=8, eps=1e-5)
        case(op, x.reshape(2, 8, 15), scale, bias, variant="rank_3", constants=(1, 2), num_groups=4)
    case("Normalize", x, scale, constants=(1,), eps=1e-10, across_spatial=0, channel_shared=0)
    case("Normalize", x, scale, variant="input", eps=0.5)
    case("Normalize", x, scale, variant="image", constants=(1,), eps=1e-3, across_spatial=1)
    case("Normalize", x, scale[:1], variant="shared", constants=(1,), eps=1e-3, channel_shared=1)
    case("Normalize", x.reshape(2, 8, 15), scale, variant="rank_3", constants=(1,), eps=1e-3)
    case("Swish", x)
    case("Swish", x, np.array([0.75], np.float32), variant="beta", constants=(1,))
    case("Swish", x, np.array(1.5, np.float32), variant="scalar_beta")
    filters, offsets = numbers("filters", 4, 8, 2, 2), numbers("offsets", 2, 8, 2, 4, low=-1.0, high=1.0)
    case("DeformableConv2D", x, offsets, filters, constants=(2,))
    case("DeformableConv2D", x, offsets, filters, numbers("mask", 2, 4, 2, 4, low=0.0, high=1.0), variant="mask", constants=(2,))
    case("DeformableConv2D", x, offsets, filters, variant="no_domain", constants=(2,), domain="", imports=())
    more = numbers("more", 2, 16, 2, 3, low=-1.0, high=1.0)
    case("DeformableConv2D", x, more, filters, variant="groups", constants=(2,), strides=[1, 2], pads=[0, 1, 0, 1], dilations=[1, 1], deformable_groups=2)


def add_prior_boxes():
    features, image = np.zeros((1, 2, 3, 4), np.float32), np.zeros((1, 3, 24, 32), np.float32)
    shared = dict(variance=[0.1, 0.1, 0.2, 0.2], offset=0.5, step=8.0)
    variants = {
        "sizes": dict(min_size=[10.0, 16.0], max_size=[20.0, 30.0], aspect_ratio=[2.0]),
        "flip": dict(min_size=[10.0], aspect_ratio=[2.0, 3.0, 0.5], flip=1, clip=1),
        "not_all": dict(min_size=[10.0, 20.0], aspect_ratio=[2.0], scale_all_sizes=0),
        "fixed": dict(fixed_size=[8.0, 16.0], fixed_ratio=[1.0, 2.0], density=[2.0, 1.0]),
        "order": dict(min_size=[10.0], max_size=[20.0], aspect_ratio=[2.0], min_max_aspect_ratios_order=0),
    }
    for variant, attributes in variants.items():
        # The CPU plugin does not compile PriorBox-0 of dynamic shape, also from OpenVINO's own front end.
        case("PriorBox", features, image, variant=variant, dynamic=(False,) if variant == "order" else (False, True), **{**shared, **attributes})
    clustered = dict(width=[4.0, 8.0, 12.5], height=[4.0, 6.0, 3.5], step_w=8.0, step_h=8.0, offset=0.5, variance=[0.1, 0.1, 0.2, 0.2])
    case("PriorBoxClustered", features, image, **clustered)
    case("PriorBoxClustered", features, image, variant="clip", clip=1, **clustered)
    case("PriorBoxClustered", features, image, variant="defaults", width=[1.0], height=[1.0])


def add_detection_output():
    priors = np.sort(numbers("priors", 6, 2, 2, low=0.0, high=1.0), axis=1).reshape(1, 1, 24)
    proposals = np.concatenate([priors, np.full((1, 1, 24), 0.1, np.float32)], axis=1)
    boxes, scores = numbers("boxes", 2, 24, low=-0.3, high=0.3), numbers("scores", 2, 18, low=0.0, high=1.0)
    shared = dict(nms_threshold=0.45, confidence_threshold=0.01, top_k=6)
    case("DetectionOutput", boxes, scores, proposals, keep_top_k=4, code_type="CENTER_SIZE", **shared)
    case("DetectionOutput", boxes, scores, proposals, variant="corners", keep_top_k=3, num_classes=3, code_type="caffe.PriorBoxParameter.CORNER", **shared)
    case("DetectionOutput", boxes, scores, proposals, variant="all", keep_top_k=-1, code_type="CENTER_SIZE", clip_before_nms=1, **shared)
    case("DetectionOutput", boxes, scores, priors, variant="encoded", keep_top_k=5, variance_encoded_in_target=1, **shared)
    more = numbers("more boxes", 2, 72, low=-0.3, high=0.3)
    case("DetectionOutput", more, scores, proposals, variant="boxes_of_classes", keep_top_k=5, share_location=0, background_label_id=-1, **shared)


def add_proposals():
    anchors = np.array([[-8, -8, 8, 8], [-4, -8, 4, 8], [-8, -4, 8, 4]], np.float32)
    scores, deltas = numbers("scores", 2, 3, 4, 5, low=0.0, high=1.0), numbers("deltas", 2, 12, 4, 5, low=-0.5, high=0.5)
    sizes = np.array([[60, 80, 1], [60, 80, 1]], np.float32)
    limits = dict(pre_nms_topN=30, post_nms_topN=7)
    for plus_one in (0, 1):
        case("GenerateProposals", scores, deltas, sizes, anchors, variant=f"plus_one={plus_one}", outputs=3, legacy_plus_one=plus_one, min_size=1.0, **limits)
    case("GenerateProposals", scores, deltas, sizes, anchors, variant="constant", constants=(3,), outputs=3, nms_thresh=0.3, **limits)
    grid = (anchors[None] + np.arange(20, dtype=np.float32)[:, None, None]).reshape(60, 4)
    single = "ExperimentalDetectronGenerateProposalsSingleImage"
    case(single, np.array([60, 80, 1], np.float32), grid, deltas[0], scores[0], outputs=2, post_nms_count=6, pre_nms_count=30)


def add_detectron():
    rois = np.concatenate([numbers("from", 16, 2, low=0.0, high=5.0), numbers("to", 16, 2, low=6.0, high=14.0)], axis=1)
    deltas, scores = numbers("offsets", 16, 8, low=-0.5, high=0.5), numbers("of rois", 16, 2, low=0.0, high=1.0)
    op = "ExperimentalDetectronDetectionOutput"
    for agnostic in (0, 1):
        shared = dict(num_classes=2, max_detections_per_image=5, class_agnostic_box_regression=agnostic, max_delta_log_wh=2.0)
        case(op, rois, deltas, scores, np.array([[14, 14, 1]], np.float32), variant=f"agnostic={agnostic}", outputs=3, score_threshold=0.01, **shared)
    priors = np.array([[-8, -8, 8, 8], [-4, -8, 4, 8], [-8, -4, 8, 4]], np.float32)
    features, image = np.zeros((1, 2, 3, 4), np.float32), np.zeros((1, 3, 24, 32), np.float32)
    for flatten in (0, 1):
        case("ExperimentalDetectronPriorGridGenerator", priors, features, image, variant=f"flatten={flatten}", flatten=flatten, stride_x=8.0, stride_y=8.0)
    case("ExperimentalDetectronPriorGridGenerator", priors, features, image, variant="defaults")
    pyramid = [numbers(f"level {size}", 1, 2, size, size) for size in (8, 4)]
    for aligned in (0, 1):
        shared = dict(output_size=3, sampling_ratio=2, pyramid_scales=[4, 8], aligned=aligned)
        case("ExperimentalDetectronROIFeatureExtractor", rois * 2, *pyramid, variant=f"aligned={aligned}", outputs=2, **shared)
    case("ExperimentalDetectronTopKROIs", rois, scores[:, 0], max_rois=5)


add_fake_quantize()
add_layers()
add_prior_boxes()
add_detection_output()
add_proposals()
add_detectron()


@pytest.mark.parametrize("conformance", parameters(Entry(("openvino", name), make) for name, make in CASES.items()))
def test_openvino_operators(conformance, result):
    assert_passed(result)


LOOP = b"""<ir_version: 8, opset_import: ["" : 13]>
agraph (int64 trips, float[2, 3] start) => (float[2, 3] last, float[n, 2, 3] all)
<bool yes = {1}, float low = {-1}, float high = {2}> {
  last, all = Loop (trips, yes, start) <body = body (int64 i, bool before, float[2, 3] state) => (bool after, float[2, 3] next, float[2, 3] row) {
    after = Identity (before)
    half = Constant <value_float = 0.5> ()
    smaller = Mul (state, half)
    next = Add (smaller, half)
    row = org.openvinotoolkit.FakeQuantize <levels = 7> (next, low, high, low, high)
  }>
}"""


def loop_case():
    state = start = numbers("start", 2, 3)
    rows = []
    for _ in range(3):
        state = state * np.float32(0.5) + np.float32(0.5)
        rows.append(fake_quantized(state, np.float32(-1), np.float32(2), np.float32(-1), np.float32(2), 7))
    return Case("in a loop", LOOP, [Run({"trips": np.array(3), "start": start}, {"last": state, "all": np.stack(rows)})])


@pytest.mark.parametrize("conformance", parameters([Entry(("openvino", "loop"), loop_case)]))
def test_fake_quantize_in_a_loop(conformance, result):
    assert_passed(result)


def quantized_convolutions():
    """Two convolutions as NNCF quantises them: weights to 255 levels for each channel, activations to 256 levels."""
    constants, nodes = {}, []

    def quantize(source, name, low, high, levels):
        for part, value in {"il": low, "ih": high, "ol": low, "oh": high}.items():
            constants[f"{name}_{part}"] = np.asarray(value, np.float32)
        bounds = [f"{name}_{part}" for part in ("il", "ih", "ol", "oh")]
        nodes.append(helper.make_node("FakeQuantize", [source, *bounds], [name], domain=DOMAIN, levels=levels))
        return name

    x = "x"
    for index in range(2):
        weights = constants[f"w{index}"] = numbers(f"w{index}", 16, 16, 3, 3, low=-0.2, high=0.2)
        high = np.abs(weights).max(axis=(1, 2, 3), keepdims=True)
        filters = quantize(f"w{index}", f"qw{index}", -high, high, 255)
        activations = quantize(x, f"q{index}", 0.0, 4.0, 256)
        nodes.append(helper.make_node("Conv", [activations, filters], [f"conv{index}"], name=f"conv{index}", pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"conv{index}"], [f"relu{index}"]))
        x = f"relu{index}"
    given = helper.make_tensor_value_info("x", 1, [1, 16, 20, 20])
    result = helper.make_tensor_value_info(x, 1, [1, 16, 20, 20])
    initializers = [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "convolutions", [given], [result], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()


def precisions(compiled):
    """The types in which the convolutions run."""
    nodes = [node.get_rt_info() for node in compiled.get_runtime_model().get_ops()]
    return [str(info["runtimePrecision"].value) for info in nodes if "Convolution" in str(info["layerType"].value)]


@pytest.mark.matrix
def test_convolutions_between_fake_quantize_run_in_integers(tmp_path):
    source, xml = tmp_path / "m.onnx", tmp_path / "m.xml"
    source.write_bytes(quantized_convolutions())
    convert(tool_path(), source, xml)
    core = ov.Core()
    ours, peer = (core.compile_model(str(path), "CPU") for path in (xml, source))
    assert precisions(ours) == precisions(peer)
    assert all(precision in ("u8", "i8") for precision in precisions(ours))
    x = numbers("x", 1, 16, 20, 20, low=0.0, high=4.0)
    first, second = (next(iter(compiled([x]).values())) for compiled in (ours, peer))
    assert np.abs(first - second).max() <= 0.02 * np.abs(second).max()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [({}, "attribute 'levels' is missing"), ({"levels": 1}, "'levels' must be at least 2"), ({"levels": "many"}, "attribute 'levels' must be an integer")],
)
def test_invalid_levels_are_an_error(tmp_path, attributes, message):
    bounds = [np.array(value, np.float32) for value in (0, 1, 0, 1)]
    source = tmp_path / "m.onnx"
    source.write_bytes(model_of("FakeQuantize", [np.zeros((2, 3), np.float32), *bounds], **attributes))
    with pytest.raises(Exception, match=message):
        convert(tool_path(), source, tmp_path / "m.xml")
