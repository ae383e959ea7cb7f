"""Operators with unusual attributes and inputs that bug reports and random graphs found wrong, with variants."""

import functools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES)


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


def add_slices():
    for starts, ends, steps in (((-100,), (-100,), (-1,)), ((-100,), (5,), (-1,)), ((-4,), (-100,), (-2,)), ((-5,), (-7,), (-1,)), ((-100,), (2,), (1,)), ((2,), (-9,), (-1,))):
        for size in (3, 1):
            variant = f"{starts}-{ends}-{steps}"
            bounds = i64(*starts), i64(*ends), i64(-1), i64(*steps)
            case("Slice", 13, numbers("slice", 2, size), *bounds, constants=(1, 2, 3, 4), variant=variant)
            case("Slice", 13, numbers("slice", 2, size), *bounds, variant=f"{variant}-inputs")


def add_resizes():
    scales = {"nearest": [(0.6, 0.6), (0.5, 1.5), (1.5, 2.0), (0.3, 0.9)], "linear": [(1.5, 1.5), (0.6, 1.4)]}
    for mode, pairs in scales.items():
        for pair in pairs:
            image = numbers("image", 1, 2, 4, 5)
            case("Resize", 10, image, f32(1, 1, *pair), constants=(1,), mode=mode, variant=f"{pair}")
            case("Resize", 10, image, f32(1, 1, *pair), mode=mode, variant=f"{pair}-input", dynamic=False)
            for coordinates in ("align_corners", "half_pixel_symmetric"):
                # At 0.6 onnxruntime computes 1.9999999 for the coordinate 2, which floor makes 1.
                if coordinates == "half_pixel_symmetric" and (mode == "linear" or pair == (0.6, 0.6)):
                    continue
                attributes = {"mode": mode, "coordinate_transformation_mode": coordinates, "nearest_mode": "floor"}
                case("Resize", 19, image, None, f32(1, 1, *pair), constants=(2,), variant=f"{pair}", **attributes)
    for axis_scale in (1.5, 2.5, 0.75):
        attributes = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
        case("Resize", 13, numbers("line", 1, 1, 6), None, f32(1, 1, axis_scale), constants=(2,), variant=f"line-{axis_scale}", **attributes)
        case("Resize", 13, numbers("volume", 1, 1, 3, 4, 6), None, f32(1, 1, axis_scale, 1, axis_scale), constants=(2,), variant=f"volume-{axis_scale}", **attributes)
    for mode in ("pytorch_half_pixel", "align_corners", "half_pixel"):
        for sizes in ((2, 1), (1, 1), (1, 2), (3, 4)):
            case("Resize", 13, numbers("matrix", 2, 2), None, None, i64(*sizes), constants=(3,), variant=f"{sizes}", mode="nearest", coordinate_transformation_mode=mode)


def add_pads():
    for pads in ((0, -1, 1, 0, 1, -2), (-1, 2, -1, 0, -3, 3), (0, 0, -2, 0, 0, -3)):
        for mode in ("wrap", "constant", "edge"):
            case("Pad", 19, numbers("pad", 2, 5, 6), i64(*pads), constants=(1,), variant=f"{pads}", mode=mode)
            case("Pad", 19, numbers("pad", 2, 5, 6), i64(*pads), variant=f"{pads}-input", mode=mode)


def add_integers():
    for dtype in ("int8", "int16", "int32"):
        least = np.iinfo(dtype).min
        for op in ("Neg", "Abs"):
            x = np.array([least, least + 1, 5, 127], dtype)
            expected = [np.negative(x) if op == "Neg" else np.abs(x)]
            case(op, 13, x, expected=expected)


def add_recurrences():
    for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        for batch in (1, 2):
            x, state = numbers("x", 4, batch, 2), numbers("state", 1, batch, 3)
            weights = numbers("w", 1, gates * 3, 2), numbers("r", 1, gates * 3, 3), numbers("b", 1, gates * 6)
            more = (state,) if op == "LSTM" else ()
            constants = tuple(range(1, 6 + len(more) + 1))
            case(op, 14, x, *weights, None, state, *more, constants=constants, outputs=2, hidden_size=3)


def add_trees():
    """A tree of two leaves, with weights for some targets."""
    nodes = {
        "nodes_treeids": [0] * 3,
        "nodes_nodeids": [0, 1, 2],
        "nodes_featureids": [0] * 3,
        "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
        "nodes_values": [0.0] * 3,
    }
    x = np.array([[-1], [1], [0.5]], np.float32)

    def add(op, kind, targets, variant, outputs, **attributes):
        weights = {f"{kind}_treeids": [0, 0], f"{kind}_nodeids": [1, 2], f"{kind}_ids": targets, f"{kind}_weights": [0.2, 0.9]}
        made = {}
        add_case(made, op, 3, x, domain="ai.onnx.ml", variant=variant, outputs=outputs, **nodes, **weights, **attributes)
        for index, make in enumerate(made.values()):
            CASES[f"{op}-{variant}" + ("-dynamic" if index else "")] = make

    for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
        for targets in ([0, 0], [0, 1], [1, 1]):
            add("TreeEnsembleRegressor", "target", targets, f"{aggregate}-{targets}", 1, aggregate_function=aggregate, n_targets=2, base_values=[0.5, 0.125])
    for transform in ("PROBIT", "NONE", "LOGISTIC", "SOFTMAX"):
        for target in (0, 1):
            # Onnxruntime does not write the second column.
            uninitialised = transform == "PROBIT" and target == 0
            expected = [i64(4, 7, 7), np.array([[-0.8417561, 0], [1.2817129, 0], [1.2817129, 0]], np.float32)] if uninitialised else None
            add("TreeEnsembleClassifier", "class", [target] * 2, f"{transform}-{target}", 2, expected=expected, post_transform=transform, classlabels_int64s=[4, 7])


for add in (add_slices, add_resizes, add_pads, add_integers, add_recurrences, add_trees):
    add()


@pytest.mark.parametrize("conformance", parameters(Entry(("reported cases", name), make) for name, make in CASES.items()))
def test_reported_case(conformance, result):
    assert_passed(result)
