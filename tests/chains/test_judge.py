"""Disagreements that are limits, each with a graph that shows it, and one that is a failure."""

import numpy as np
import onnx.parser
import pytest
from onnx import helper, numpy_helper

from ..conformance.case import PASS, PORT_MISMATCH, RUNTIME_ERROR, WRONG_VALUES, Case, Result, Run
from ..conformance.oracle import Oracle
from ..conformance.tool import LIBRARY
from ..conformance.oracle import parse_model
from ..differential.checker import Checker
from .judge import EMPTY, EXACT, INVALID, NARROW, ROUNDING, STEP, limit_of, seed_of, with_spread


@pytest.fixture(scope="module")
def checker():
    with Checker(LIBRARY) as checker:
        yield checker


def case_of(nodes, inputs, constants, dynamic=(), opset=18):
    body = onnx.parser.parse_function(f'<opset_import: ["" : {opset}], domain: "d"> f () => (y) {{ {nodes} }}')
    infos = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), [None if axis in dynamic else size for axis, size in enumerate(value.shape)]) for key, value in inputs.items()]
    tensors = [numpy_helper.from_array(np.asarray(value), key) for key, value in constants.items()]
    graph = helper.make_graph(body.node, "graph", infos, [helper.make_tensor_value_info("y", 0, None)], tensors)
    model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8))
    return Case("graph", model.SerializeToString(), [Run(inputs)])


def limit(case, checker):
    return limit_of(case, checker.result_of(case), checker.result_of)


def test_noise_of_two_nodes_is_unrelated():
    seeds = np.array([[seed_of(variation, place) for variation in range(256)] for place in (2, 6)])
    assert abs(np.corrcoef(seeds)[0, 1]) < 0.2


def test_small_exponentials_become_0(checker):
    """OpenVINO, or onnxruntime, returns 0: it depends on the instruction set which of them does."""
    case = case_of("s = Softmax(x) y = Greater(s, c)", {"x": np.array([[-87, 0]], np.float32)}, {"c": np.float32(0)})
    assert limit_of(case, Result("graph", WRONG_VALUES), checker.result_of) == ROUNDING


def test_small_results_of_erf_become_0(checker):
    assert limit(case_of("s = Erf(x) y = Greater(s, c)", {"x": np.array([[1.8e-7, 1]], np.float32)}, {"c": np.float32(0)}), checker) == ROUNDING


def test_one_number_rounded_in_two_ways_differs_by_a_step(checker):
    """A tie that an odd zero point rounds to the other side."""
    rounds = "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) r = QuantizeLinear(x, s, o) e = DequantizeLinear(r, s, o) m = Sub(d, e) y = Relu(m)"
    case = case_of(rounds, {"x": np.full([8], 0.75, np.float32)}, {"s": np.float32(0.5), "z": np.uint8(128), "o": np.uint8(3)})
    assert limit(case, checker) == STEP


def test_a_single_integer_has_a_spread(checker):
    """2.75 is between two steps of 0.5, of which a rounding error takes the other one: 2.5 is cut to 2."""
    nodes = "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) c = Cast <to = 6> (d) y = Gather(c, i)"
    constants = {"s": np.float32(0.5), "z": np.uint8(3), "i": np.int64(1)}
    assert limit(case_of(nodes, {"x": np.array([1.25, 2.75], np.float32)}, constants), checker) == ROUNDING


def test_the_bounds_of_a_clip_are_rounded_to_steps(checker):
    """The bound -1 is half a step of the numbers before the product."""
    steps = "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) m = Mul(d, f) "
    constants = {"s": np.float32(0.5), "z": np.uint8(128), "f": np.float32(4), "low": np.float32(-1), "high": np.float32(2)}
    for clip in ("y = Clip(m, low, high)", "h = Min(m, high) y = Max(low, h)"):
        assert limit(case_of(steps + clip, {"x": np.array([[1.75, -0.5], [0.25, -3]], np.float32)}, constants), checker) == STEP


def test_conversions_to_wide_integers_overflow(checker):
    assert limit(case_of("y = Cast <to = 7> (x)", {"x": np.array([3e9, 2.5, -7], np.float32)}, {}), checker) == NARROW


def test_conversions_of_infinities_of_f16(checker):
    for kind in (6, 7):
        assert limit(case_of(f"y = Cast <to = {kind}> (x)", {"x": np.array([np.inf, 2.5, -np.inf], np.float16)}, {}), checker) == NARROW


def test_products_of_f16_are_computed_in_f32(checker):
    """The product is an infinity in f16. Instructions for f16 compute it so, others in f32."""
    case = case_of("m = Mul(x, x) y = Cast <to = 6> (m)", {"x": np.array([-3e4, 2], np.float16)}, {})
    right = Run(case.runs[0].inputs, expected={"y": np.array([9e8, 4]).astype(np.int32)})
    assert limit_of(case, Result("graph", WRONG_VALUES), lambda other: Result("graph", PASS if same_runs(other, right) else WRONG_VALUES)) == EXACT


def same_runs(case, run):
    """Whether the case expects the results of `run`, apart from its spread."""
    expected, spread = case.runs[0].expected, case.runs[0].spread
    return expected is not None and spread is not None and all(np.all(np.abs(expected[name] - value) <= spread[name]) for name, value in run.expected.items())


def test_an_extremum_of_no_elements(checker):
    """The slice has no elements if x has two columns."""
    nodes = "s = Slice(x, o, e, a, b) q = QuantizeLinear(s, f, z) d = DequantizeLinear(q, f, z) y = ReduceMax <keepdims = 1> (d, a)"
    constants = {"o": np.array([0]), "e": np.array([-2]), "a": np.array([1]), "b": np.array([-1]), "f": np.float32(0.125), "z": np.uint8(128)}
    assert limit(case_of(nodes, {"x": np.ones([2, 2], np.float32)}, constants, dynamic=(1,)), checker) == EMPTY


def test_a_concat_of_different_rows_is_invalid(checker):
    case = case_of("s = Slice(x, o, o, a) y = Concat <axis = 0> (x, s)", {"x": np.ones([2, 2], np.float32)}, {"o": np.array([0]), "a": np.array([1])}, dynamic=(1,))
    assert limit_of(case, Result("graph", RUNTIME_ERROR), checker.result_of) == INVALID
    valid = case_of("y = Concat <axis = 0> (x, x)", {"x": np.ones([2, 2], np.float32)}, {})
    reason = limit_of(valid, Result("graph", RUNTIME_ERROR), checker.result_of)
    assert reason is None


def test_a_wrong_result_is_no_limit(checker):
    case = case_of("y = Relu(x)", {"x": np.array([-1, 2], np.float32)}, {})
    run = Run(case.runs[0].inputs, expected={"y": np.array([0, 3], np.float32)})
    assert limit_of(Case("wrong", case.model, [run]), Result("wrong", WRONG_VALUES), lambda other: checker.result_of(wrong_case(other))) is None
    assert limit_of(case, Result("graph", PORT_MISMATCH), checker.result_of) is None


def wrong_case(case):
    """The case, as if OpenVINO had computed another Relu."""
    model = parse_model(case.model)
    model.graph.node[0].op_type = "Neg"
    return Case(case.name, model.SerializeToString(), [Run(run.inputs, expected=Oracle(parse_model(case.model)).run(run.inputs), spread=run.spread) for run in case.runs])


def test_the_spread_of_a_sum_that_cancels(checker):
    case = case_of("s = Add(x, c) y = Sub(s, c)", {"x": np.array([1.5], np.float32)}, {"c": np.float32(1e6)})
    assert with_spread(case).runs[0].spread["y"][0] > 0.01


def test_the_spread_of_powers_of_negative_numbers(checker):
    """A changed exponent would give NaN."""
    case = case_of("y = Pow(x, c)", {"x": np.array([-1.5], np.float32)}, {"c": np.float32(2)})
    assert 0 < with_spread(case).runs[0].spread["y"][0] < 1e-5
