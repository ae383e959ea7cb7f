"""Who is right if OpenVINO and onnxruntime disagree.

A disagreement is no failure if it has one of these reasons, each of which is proven for the model:
- "rounding": if inputs and constants change by a rounding error, the results of onnxruntime change as much. Steps such as Floor, and
  sums that cancel, make small errors large.
- "a quantisation step": with `--quantization exact` the results are right, and without it they differ by the effect of at most one step
  of each QuantizeLinear and of the bounds of each Clip, which docs/quantised-models.md allows.
- "integers of 32 bits": the results are those of a model whose conversions to wider integers overflow, and in which an infinity of f16
  becomes the largest number of f16 (docs/limits.md).
- "an extremum of no elements": the results are right if each ReduceMax and ReduceMin is bounded by a large number, and one of them has no
  elements (docs/limits.md).
- "the model is invalid": OpenVINO refuses to run a Concat of inputs whose sizes differ along another axis, which onnxruntime does if
  one of them has no elements.
- "onnxruntime is wrong": OpenVINO gives the results of ONNX's reference implementation.
- "closer to the exact result": OpenVINO gives the results of ONNX's reference implementation in f64, or, in place of f16, of onnxruntime in f32.
  onnxruntime rounds intermediate results that OpenVINO combines, such as (x + 10000) - 10000.
"""

import random
import warnings
import zlib
from dataclasses import replace

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from ..conformance.case import PASS, RUNTIME_ERROR, WRONG_SHAPE, WRONG_VALUES, Failure
from ..conformance.oracle import Oracle
from ..conformance.oracle import parse_model

ROUNDING = "rounding"
STEP = "a quantisation step"
EXACT = "closer to the exact result"
ORACLE_WRONG = "onnxruntime is wrong"
NARROW = "integers of 32 bits"
INVALID = "the model is invalid"
EMPTY = "an extremum of no elements"
VARIATIONS = 16
STEP_VARIATIONS = 32  # of quantisation steps
# Operators that do not round.
EXACT_OPERATORS = (
    ("Reshape", "Transpose", "Concat", "Split", "Slice", "Gather", "Squeeze", "Unsqueeze", "Pad", "Expand", "Tile", "Relu", "Neg", "Abs", "Max", "Min", "Clip")
    + ("Floor", "Round", "Sign", "Where", "QuantizeLinear", "Identity", "DepthToSpace", "SpaceToDepth", "MaxPool", "GatherElements", "ScatterElements")
)
# Absolute errors of operators (docs/limits.md): small results of exponentials and of Erf become 0.
OFFSETS = {"Softplus": 8e-6, "Erf": 4.8e-7, "Exp": 2.0**-125, "Softmax": 2.0**-125, "Sigmoid": 2.0**-125}
OFFSET_BOUNDS = ((-1, 1), (-1, -1), (1, 1), (-1, 1))  # of the variations, as parts of these errors
# Relative errors of the types in which OpenVINO computes: f32, also for f16.
ERRORS = {np.dtype(np.float32): 2.0**-21, np.dtype(np.float16): 2.0**-9}


def limit_of(case, result, check):
    """The name of the reason, or None. `check` returns the Result of another Case."""
    if result.outcome == RUNTIME_ERROR:
        return INVALID if is_invalid(case) else None
    if result.outcome not in (WRONG_VALUES, WRONG_SHAPE):
        return None
    if result.outcome == WRONG_VALUES and check(with_spread(case)).outcome == PASS:
        return ROUNDING
    if result.outcome == WRONG_VALUES and b"QuantizeLinear" in case.model:
        exact = replace(case, options=("--quantization", "exact"))
        if limit_of_exact(exact, check) and check(with_spread(case, steps=True)).outcome == PASS:
            return STEP
    narrow = with_narrow_integers(case)
    if narrow is not None and check(narrow).outcome == PASS:
        return NARROW
    bounded = with_bounded_extrema(case)
    if bounded is not None and check(bounded).outcome == PASS:
        return EMPTY
    single = with_singles(case)
    if single is not None and check(single).outcome == PASS:
        return EXACT
    for wide in (False, True):
        other = with_reference(case, wide)
        if other is not None and check(other).outcome == PASS:
            return EXACT if wide else ORACLE_WRONG
    return None


def seed_of(variation, place):
    """Unrelated seeds: the first numbers of onnxruntime's generator are multiples of the seed."""
    return float(random.Random(f"{variation}/{place}").randrange(2**24))


def element_types(model):
    """The element types of all tensors but constants."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    return {value.name: value.type.tensor_type.elem_type for values in (graph.value_info, graph.input, graph.output) for value in values}


def with_noise(model, seed):
    """Gives the result of each operation a rounding error for its readers. Integers stay: a product with a number near 1 needs floats."""
    types = element_types(model)
    errors = {TensorProto.FLOAT: 2.0**-22, TensorProto.FLOAT16: 2.0**-10}
    nodes, renamed = [], {}
    for node in model.graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        nodes.append(node)
        for name in node.output:
            error = errors.get(types.get(name))
            is_rounded = error is not None and node.op_type not in EXACT_OPERATORS
            if not is_rounded:
                continue
            noise, renamed[name] = f"{name}_noise", f"{name}_rounded"
            nodes.append(helper.make_node("RandomUniformLike", [name], [noise], low=1 - error, high=1 + error, seed=seed_of(seed, len(nodes))))
            nodes.append(helper.make_node("Mul", [name, noise], [renamed[name]]))
            if largest := OFFSETS.get(node.op_type):
                offset, total = f"{name}_offset", f"{name}_total"
                low, high = OFFSET_BOUNDS[seed // 2 % len(OFFSET_BOUNDS)]
                nodes.append(helper.make_node("RandomUniformLike", [name], [offset], low=low * largest, high=high * largest, seed=seed_of(seed, len(nodes))))
                nodes.append(helper.make_node("Add", [renamed[name], offset], [total]))
                renamed[name] = total
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(copies)


def limit_of_exact(case, check):
    return check(case).outcome == PASS or check(with_spread(case)).outcome == PASS


def with_steps(model, seed):
    """Adds up to one step to each number before a QuantizeLinear, and what becomes of it to the results of Clips, and of extrema with constants, whose
    bounds OpenVINO rounds to steps."""
    scales = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    nodes, originals = [], {}
    for node in model.graph.node:
        original = onnx.NodeProto.FromString(node.SerializeToString())
        original.input[:] = [originals.get(name, name) for name in node.input]
        original.output[:] = [name and f"{name}_original" for name in node.output]
        originals.update(zip(node.output, original.output))
        nodes.append(original)
        if node.op_type == "QuantizeLinear" and node.input[1] in scales:
            step = float(scales[node.input[1]].max())
            noise, total = f"{node.output[0]}_noise", f"{node.output[0]}_disturbed"
            nodes.append(helper.make_node("RandomUniformLike", [node.input[0]], [noise], low=-step, high=step, seed=seed_of(seed, len(nodes))))
            nodes.append(helper.make_node("Add", [node.input[0], noise], [total]))
            node.input[0] = total
        bounded = [name for name in node.input if name in originals] if node.op_type in ("Clip", "Max", "Min") else []
        if len(bounded) == 1:
            difference = f"{node.output[0]}_difference"
            nodes.append(helper.make_node("Sub", [bounded[0], originals[bounded[0]]], [difference]))
            nodes.append(helper.make_node("Add", [original.output[0], difference], list(node.output)))
        else:
            nodes.append(node)
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(copies)


def with_narrow_integers(case):
    """The case with the results of conversions to integers that overflow as OpenVINO's do: those of f32 as i32, those of f16 at the largest number of
    f16. None if the model has no such conversions."""
    model = parse_model(case.model)
    wide = (TensorProto.INT64, TensorProto.UINT64, TensorProto.UINT32)
    most = np.float16(65504)
    types = element_types(model)
    nodes, is_changed = [], False
    for node in model.graph.node:
        target = next((attribute.i for attribute in node.attribute if attribute.name == "to"), None)
        if node.op_type == "Cast" and target in wide and types.get(node.input[0]) == TensorProto.FLOAT:
            is_changed = True
            given, name = node.input[0], node.output[0]
            limit, least = f"{name}_limit", f"{name}_least"
            dtype = helper.tensor_dtype_to_np_dtype(target)
            model.graph.initializer.extend([numpy_helper.from_array(np.float32(2.0**31), limit), numpy_helper.from_array(np.int64(-(2**31)).astype(dtype), least)])
            node.output[0] = f"{name}_wide"
            nodes += [
                node,
                helper.make_node("Abs", [given], [f"{name}_size"]),
                helper.make_node("Less", [f"{name}_size", limit], [f"{name}_fits"]),
                helper.make_node("Where", [f"{name}_fits", f"{name}_wide", least], [name]),
            ]
        elif node.op_type == "Cast" and target in (*wide, TensorProto.INT32) and types.get(node.input[0]) == TensorProto.FLOAT16:
            is_changed = True
            given, name = node.input[0], node.output[0]
            model.graph.initializer.extend(numpy_helper.from_array(bound, f"{name}_{side}") for bound, side in ((-most, "low"), (most, "high")))
            node.input[0] = f"{name}_finite"
            nodes += [helper.make_node("Clip", [given, f"{name}_low", f"{name}_high"], [node.input[0]]), node]
        else:
            nodes.append(node)
    if not is_changed:
        return None
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(copies)
    oracle = Oracle(model)
    try:
        return replace(case, runs=[replace(run, expected=oracle.run(run.inputs)) for run in case.runs if not run.is_optional])
    except Failure:
        return None


def shapes_of(model, names, run):
    """The shapes of the tensors in a run; None if onnxruntime does not accept its inputs."""
    model = parse_model(model.SerializeToString())
    model.graph.node.extend(helper.make_node("Shape", [name], [f"{name}_shape"]) for name in names)
    del model.graph.output[:]
    model.graph.output.extend(helper.make_tensor_value_info(f"{name}_shape", TensorProto.INT64, [None]) for name in names)
    try:
        shapes = Oracle(model).run(run.inputs)
    except Failure:
        return None
    return {name: shapes[f"{name}_shape"] for name in names}


def is_invalid(case):
    """Whether a Concat of a run has inputs whose sizes differ along another axis."""
    model = parse_model(case.model)
    joins = [node for node in model.graph.node if node.op_type == "Concat"]
    names = {name for node in joins for name in node.input}
    for run in case.runs if names else ():
        shapes = shapes_of(model, names, run)
        for node in joins if shapes else ():
            axis = next(attribute.i for attribute in node.attribute if attribute.name == "axis")
            if len({tuple(np.delete(shapes[name], axis)) for name in node.input}) > 1:
                return True
    return False


def with_bounded_extrema(case):
    """The case with a bound for each ReduceMax and ReduceMin of f32; None if none of them has no elements."""
    model = parse_model(case.model)
    types = element_types(model)
    bounds = {"ReduceMax": ("Max", -1e30), "ReduceMin": ("Min", 1e30)}
    names = {node.input[0] for node in model.graph.node if node.op_type in bounds and types.get(node.output[0]) == TensorProto.FLOAT}
    found = [shapes_of(model, names, run) for run in case.runs] if names else []
    if not any(0 in shape for shapes in found if shapes for shape in shapes.values()):
        return None
    nodes = []
    for node in model.graph.node:
        nodes.append(node)
        if node.op_type in bounds and node.input[0] in names:
            kind, number = bounds[node.op_type]
            name = node.output[0]
            node.output[0] = f"{name}_unbounded"
            model.graph.initializer.append(numpy_helper.from_array(np.float32(number), f"{name}_bound"))
            nodes.append(helper.make_node(kind, [node.output[0], f"{name}_bound"], [name]))
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(copies)
    return replace(case, model=model.SerializeToString())


def disturbed(array, generator):
    error = ERRORS.get(array.dtype)
    if error is None:
        return array
    return (array * (1 + error * generator.uniform(-1, 1, array.shape))).astype(array.dtype)


def with_spread(case, steps=False):
    """The case with the spread of onnxruntime's results under small changes of inputs and constants."""
    results = [[] for _ in case.runs]
    for variation in range(STEP_VARIATIONS if steps else VARIATIONS):
        generator = np.random.default_rng(zlib.crc32(f"{case.name}/{variation}".encode()))
        model = parse_model(case.model)
        if variation:
            exponents = {node.input[1] for node in model.graph.node if node.op_type == "Pow"}  # negative numbers have powers of integers alone
            for tensor in model.graph.initializer:
                if tensor.data_type in (TensorProto.FLOAT, TensorProto.FLOAT16) and tensor.name not in exponents:
                    tensor.CopyFrom(numpy_helper.from_array(disturbed(numpy_helper.to_array(tensor), generator), tensor.name))
            if steps:
                with_steps(model, variation)
            elif variation % 2:
                with_noise(model, variation)
        oracle = Oracle(model)
        for run, values in zip(case.runs, results):
            inputs = {key: disturbed(value, generator) if variation else value for key, value in run.inputs.items()}
            try:
                values.append(oracle.run(inputs))
            except Failure:
                values.append(None)
    runs = []
    for run, (first, *others) in zip(case.runs, results):
        spread = None
        if first is not None:
            spread = {key: spread_of(value, [other[key] for other in others if other is not None]) for key, value in first.items()}
        runs.append(replace(run, spread=spread))
    return replace(case, runs=runs)


def spread_of(first, others):
    """Twice the largest difference, for each element."""
    wide = np.asarray(first).astype(np.float64)
    with np.errstate(invalid="ignore"):
        differences = [np.nan_to_num(np.abs(np.asarray(other).astype(np.float64) - wide), nan=0.0, posinf=0.0) for other in others if other.shape == wide.shape]
    return 2 * np.max(differences, axis=0) if differences else np.zeros(wide.shape)


def with_singles(case):
    """The case with the results, and their spread, of onnxruntime in f32 instead of f16; None if it has no f16."""
    model = parse_model(case.model)
    types = {output.name: output.type.tensor_type.elem_type for output in model.graph.output}
    if TensorProto.FLOAT16 not in element_types(model).values():
        return None
    widen(model, np.float32, (TensorProto.FLOAT16,))
    values = [value for part in (model.graph.input, model.graph.output) for value in part]
    for value in values:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT16:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    del model.graph.value_info[:]
    narrow_runs = [run for run in case.runs if not run.is_optional]
    runs = [replace(run, inputs={key: value.astype(np.float32) if value.dtype == np.float16 else value for key, value in run.inputs.items()}) for run in narrow_runs]
    try:
        spread = with_spread(replace(case, model=model.SerializeToString(), runs=runs))
        results = [Oracle(model).run(run.inputs) for run in runs]
    except Failure:
        return None
    with np.errstate(over="ignore"):
        expected = [{name: value.astype(helper.tensor_dtype_to_np_dtype(types[name])) for name, value in result.items()} for result in results]
    return replace(case, runs=[replace(run, expected=values, spread=wide.spread) for run, values, wide in zip(narrow_runs, expected, spread.runs)])


def with_reference(case, wide):
    """The case with the results of ONNX's reference implementation, in f64 if `wide`; None if it cannot run the model."""
    model = parse_model(case.model)
    if wide:
        widen(model, np.float64, (TensorProto.FLOAT, TensorProto.FLOAT16))
    runs = []
    for run in case.runs:
        try:
            runs.append(replace(run, expected=reference(model, run.inputs, wide)))
        except Exception:  # whatever the reference implementation raises
            if not run.is_optional:
                return None
    return replace(case, runs=runs)


def widen(model, dtype, narrow):
    """Computes in floats of `dtype` instead of the `narrow` types."""
    for tensor in model.graph.initializer:
        if tensor.data_type in narrow:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(dtype), tensor.name))
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i in narrow:
                attribute.i = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def reference(model, inputs, wide):
    types = {output.name: helper.tensor_dtype_to_np_dtype(output.type.tensor_type.elem_type) for output in model.graph.output}
    if wide:
        inputs = {key: value.astype(np.float64) if value.dtype in ERRORS else value for key, value in inputs.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        values = ReferenceEvaluator(model).run(list(types), inputs)
    return {name: np.asarray(value).astype(dtype) for (name, dtype), value in zip(types.items(), values)}
