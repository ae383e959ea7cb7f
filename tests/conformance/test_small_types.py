"""4-bit numbers, two per byte, and 8-bit floats: odd counts, whose last byte is half full, empty tensors, and axes that
split bytes.

Each operator comes in three ways: the numbers are inputs and outputs of the model, constants in it, or lie between two Casts.
Expected values come from ONNX's reference. onnxruntime has few of these operators for such types: test_oracles_agree lets it
compute the same with int8 and f32.
"""

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import model_of, numbers
from .oracle import Oracle

OPSET = 23  # the first with float4e2m1
INTEGERS = {TensorProto.INT4: np.dtype(ml_dtypes.int4), TensorProto.UINT4: np.dtype(ml_dtypes.uint4)}
FLOATS = {
    TensorProto.FLOAT4E2M1: np.dtype(ml_dtypes.float4_e2m1fn),
    TensorProto.FLOAT8E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
    TensorProto.FLOAT8E5M2: np.dtype(ml_dtypes.float8_e5m2),
}
TYPES = {**INTEGERS, **FLOATS}
SHAPES = ((), (0,), (1,), (3,), (8,), (3, 5), (2, 3), (5, 1, 3), (3, 0), (33, 35))

MODELS = {}  # by the name of the case: the bytes of a model, its inputs, and its results unless the reference gives them


def small(dtype, *shape):
    """Reproducible numbers of both signs."""
    count = int(np.prod(shape))
    if dtype in FLOATS.values():
        values = np.array([0.5, -1, 1.5, -2, 3, -4, 6, -6, 0, 1], np.float32)[np.arange(count) % 10]
    else:
        lowest = ml_dtypes.iinfo(dtype).min
        values = numbers(f"{shape}", count, dtype="int8", low=lowest, high=lowest + 15)
    return values.astype(dtype).reshape(shape)


def i64(*values):
    return np.array(values, np.int64)


def is_small(value):
    return value is not None and value.dtype in TYPES.values()


def case(op, *inputs, constants=(), outputs=1, dynamic=True, **attributes):
    """Adds the three ways of one node. `constants`: the inputs that are initializers in each of them."""
    inputs = [None if value is None else np.asarray(value) for value in inputs]
    name = "-".join(
        [op]
        + [f"{key}={value}" for key, value in attributes.items()]
        + ["x".join([value.dtype.name, *map(str, value.shape)]) for value in inputs]
        + ["_".join(map(str, value)) for value in inputs if value.dtype == np.int64 and value.ndim == 1]
    )

    def model(constants, is_dynamic=False):
        return model_of(op, OPSET, inputs, constants, outputs, attributes, "", is_dynamic)

    values = {f"x{i}": value for i, value in enumerate(inputs) if i not in constants}
    add(f"{name}-inputs", model(constants, dynamic), values)
    add(f"{name}-casts", between_casts(model(constants)), values)
    of_small_types = tuple(i for i, value in enumerate(inputs) if is_small(value))
    if of_small_types:
        values = {name: value for name, value in values.items() if not is_small(value)}
        add(f"{name}-constants", model((*constants, *of_small_types)), values)


def add(name, model, inputs, results=None):
    assert name not in MODELS, name
    MODELS[name] = model, inputs, results


def between_casts(model):
    """The model with f32 inputs and outputs in place of those of small types, and Casts between."""
    model = onnx.load_from_string(model)
    graph = model.graph
    nodes = list(graph.node)
    for value in (value for value in graph.input if value.type.tensor_type.elem_type in TYPES):
        rename(nodes, value.name, f"{value.name}_small")
        nodes.insert(0, helper.make_node("Cast", [value.name], [f"{value.name}_small"], to=value.type.tensor_type.elem_type))
        value.type.tensor_type.elem_type = TensorProto.FLOAT
    for value in (value for value in graph.output if value.type.tensor_type.elem_type in TYPES):
        rename(nodes, value.name, f"{value.name}_small")
        nodes.append(helper.make_node("Cast", [f"{value.name}_small"], [value.name], to=TensorProto.FLOAT))
        value.type.tensor_type.elem_type = TensorProto.FLOAT
    del graph.node[:]
    graph.node.extend(nodes)
    return model.SerializeToString()


def rename(nodes, old, new):
    """Renames a value that bodies do not capture."""
    for node in nodes:
        for names in (node.input, node.output):
            names[:] = [new if name == old else name for name in names]


def add_moves():
    for dtype in TYPES.values():
        for shape in SHAPES if dtype in INTEGERS.values() else SHAPES[3:]:
            case("Transpose", small(dtype, *shape))
        for shape in ((0,), (5, 3)):
            x = small(dtype, *shape)
            for op in ("Identity", "Shape", "Size"):
                case(op, x)
            case("Reshape", x, i64(*shape[::-1]), constants=(1,), allowzero=1)
            case("Unsqueeze", x, i64(0, -1), constants=(1,))
            case("Flatten", x, axis=0)
        x = small(dtype, 3, 1, 5)
        case("Transpose", x, perm=[2, 0, 1])
        case("Transpose", small(dtype, 3, 5, 7), perm=[0, 2, 1])
        case("Squeeze", x, i64(1), constants=(1,))
        case("Reshape", x, i64(5, -1), dynamic=False)
        case("Flatten", x, axis=-1)
        case("Pad", x, i64(0, 1, 0, 1, 0, 2), constants=(1,))
        case("Pad", small(dtype, 3, 5), i64(0, 1, 1, 2), constants=(1,), mode="edge")
        case("Pad", small(dtype, 3, 0), i64(0, 1, 0, 0), constants=(1,))
        if dtype.name.startswith("float8"):
            continue  # the reference does not support this Pad
        case("Pad", x, i64(1, 0, 1, 0, 0, 1), small(dtype, 1).reshape(()), constants=(1,))
        case("Pad", small(dtype, 3, 5), i64(0, 1, 1, 2), constants=(1,), mode="reflect")


def add_moves_beyond_onnx():
    """Types that ONNX does not give these operators, but some exporters do."""
    for dtype in INTEGERS.values():
        x = small(dtype, 3, 5)
        case("Concat", x, small(dtype, 3, 3), axis=1)
        case("Concat", small(dtype, 3), small(dtype, 1), small(dtype, 0), small(dtype, 5), axis=0)
        case("Slice", x, i64(1), i64(4), i64(1), constants=(1, 2, 3))
        case("Slice", x, i64(-1), i64(-9), i64(1), i64(-1), constants=(1, 2, 3, 4))
        case("Slice", small(dtype, 7), i64(1), i64(4), dynamic=False)
        for axis in (0, 1):
            case("Gather", x, i64(2, 0, 1), axis=axis)
        case("Gather", small(dtype, 7), np.array(3), axis=0)
        case("Split", small(dtype, 3, 6), axis=1, num_outputs=2, outputs=2)
        case("Split", small(dtype, 7), i64(1, 6), constants=(1,), axis=0, outputs=2)
        case("Expand", small(dtype, 3, 1), i64(3, 5), constants=(1,))
        case("Tile", x, i64(2, 3), constants=(1,))
        case("Where", np.arange(15).reshape(3, 5) % 2 == 0, x, small(dtype, 1, 5))
        case("GatherElements", x, np.ones((3, 2), np.int64), axis=1)


def add_conversions():
    wide_types = [TensorProto.DataType.Value(name) for name in "FLOAT FLOAT16 INT8 UINT8 INT32 INT64 BOOL".split()]
    for target, dtype in INTEGERS.items():
        for wide in wide_types:
            case("Cast", small(dtype, 7), to=wide)
        case("Cast", small(dtype, 0), to=TensorProto.FLOAT)
        other = TensorProto.UINT4 if target == TensorProto.INT4 else TensorProto.INT4
        x = small(dtype, 5)
        bits = {"y0": x.view(np.uint8).astype(INTEGERS[other])}  # the reference does not support this Cast
        add(f"Cast-to={other}-{dtype}", model_of("Cast", OPSET, [x], (), 1, {"to": other}, "", False), {"x0": x}, bits)
        case("Cast", np.array([-8, -1, 0, 7, 8, 15, 16, -9, 100], np.int32), to=target)
        case("Cast", np.array([-8, -1, 0, 7, 8, 15, 16, -9, 100], np.int8), to=target)
        case("Cast", np.array([0, 7, 8, 15, 16, 200], np.uint8), to=target)
        case("Cast", np.array([0.0, 7.0, 3.2], np.float32), to=target)
        case("CastLike", small(dtype, 7), np.float32(1), constants=(1,))
    for dtype in FLOATS.values():
        case("Cast", small(dtype, 7), to=TensorProto.FLOAT)


def add_quantization():
    scale = np.float32(0.25)
    for target, dtype in INTEGERS.items():
        zero_point = small(dtype, 1).reshape(())
        for shape in ((), (0,), (5,), (3, 5)):
            case("DequantizeLinear", small(dtype, *shape), scale, zero_point)
            wide = numbers(f"wide{shape}", *shape, low=-3, high=6)
            case("QuantizeLinear", wide, scale, output_dtype=target)
            case("QuantizeLinear", wide, scale, zero_point)
        scales = numbers("scales", 3, low=0.1, high=0.5)
        case("DequantizeLinear", small(dtype, 3, 5), scales, small(dtype, 3), axis=0)
        case("DequantizeLinear", small(dtype, 5, 3), scales, small(dtype, 3), axis=-1)
        case("QuantizeLinear", numbers("q", 3, 5), scales, small(dtype, 3), axis=0)
        # Blocks of 3: every second one begins in the middle of a byte.
        for axis, shape, blocks in ((0, (6, 5), (2, 5)), (1, (5, 9), (5, 3)), (1, (3, 15, 1), (3, 5, 1))):
            scales = numbers("scales", *blocks, low=0.1, high=0.5)
            case("DequantizeLinear", small(dtype, *shape), scales, small(dtype, *blocks), axis=axis, block_size=3)
            case("DequantizeLinear", small(dtype, *shape), scales, axis=axis, block_size=3)
            case("QuantizeLinear", numbers("q", *shape), scales, small(dtype, *blocks), axis=axis, block_size=3)


CONTROL_FLOW = {
    "if": """(bool c, {type}[3, 5] x) => ({type}[r, s] y) {{
        y = If (c) <
            then_branch = same () => ({type}[p, q] a) {{ a = Identity(x) }},
            else_branch = turned () => ({type}[p, q] b) {{ b = Transpose(x) }}
        >
    }}""",
    "loop": """(int64 n, {type}[3, 5] x) => ({type}[r, s] last, {type}[k, m] rows) {{
        yes = Constant <value = bool {{1}}> ()
        last, rows = Loop (n, yes, x) <body = step (int64 i, bool c, {type}[r, s] state)
            => (bool c_out, {type}[p, q] next, {type}[m] flat) {{
            c_out = Identity(c)
            turned = Transpose(state)
            sizes = Constant <value = int64[2] {{3, 5}}> ()
            next = Reshape(turned, sizes)
            all = Constant <value = int64[1] {{-1}}> ()
            flat = Reshape(next, all)
        }}>
    }}""",
    "scan": """({type}[3] start, {type}[2, 3] x) => ({type}[3] last, {type}[2, 3] rows) {{
        last, rows = Scan <num_scan_inputs = 1, body = step ({type}[3] state, {type}[3] row) => ({type}[3] next, {type}[3] out) {{
            next = Identity(row)
            out = Identity(state)
        }}> (start, x)
    }}""",
}


def add_control_flow():
    for element, dtype in TYPES.items():
        x = small(dtype, 3, 5)
        add_control_flow_of(element, "if", {"c": np.array(True), "x": x})
        add_control_flow_of(element, "if", {"c": np.array(False), "x": x})
        for count in (1, 3):
            add_control_flow_of(element, "loop", {"n": np.array(count), "x": x})
        add_control_flow_of(element, "loop", {"n": np.array(0), "x": x}, {"last": x, "rows": np.zeros((0, 15), dtype)})
        add_control_flow_of(element, "scan", {"start": small(dtype, 3), "x": small(dtype, 2, 3)})


def add_control_flow_of(element, kind, inputs, results=None):
    """`results`: expected values if the reference has none."""
    type_name = TensorProto.DataType.Name(element).lower()
    model = onnx.parser.parse_model(f'<ir_version: 11, opset_import: ["": {OPSET}]> {kind} {CONTROL_FLOW[kind].format(type=type_name)}')
    numbers_fed = [str(value) for value in inputs.values() if value.ndim == 0]
    add("-".join([kind, type_name, *numbers_fed]), model.SerializeToString(), inputs, results)


add_moves()
add_moves_beyond_onnx()
add_conversions()
add_quantization()
add_control_flow()


def fed(model, inputs):
    """Inputs as f32 if between_casts() requires it."""
    wide = {value.name for value in model.graph.input if value.type.tensor_type.elem_type == TensorProto.FLOAT}
    return {name: value.astype(np.float32) if name in wide else value for name, value in inputs.items()}


def by_reference(model, inputs):
    values = ReferenceEvaluator(model).run(None, inputs)
    return {output.name: np.asarray(value) for output, value in zip(model.graph.output, values)}


def make_case(name):
    data, inputs, results = MODELS[name]
    model = onnx.load_from_string(data)
    inputs = fed(model, inputs)
    return Case(name, data, [Run(inputs, results or by_reference(model, inputs))])


@pytest.mark.parametrize("conformance", parameters(Entry(("small", name), lambda name=name: make_case(name)) for name in MODELS))
def test_small_types(conformance, result):
    assert_passed(result)


def with_wide_types(model):
    """The same of int8, uint8 and f32: equivalent for operators that only move elements."""
    wide = {TensorProto.INT4: TensorProto.INT8, TensorProto.UINT4: TensorProto.UINT8} | dict.fromkeys(FLOATS, TensorProto.FLOAT)

    def widen(graph):
        for value in (*graph.input, *graph.output):
            tensor = value.type.tensor_type
            tensor.elem_type = wide.get(tensor.elem_type, tensor.elem_type)
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    widen(attribute.g)

    widen(model.graph)
    return model


def as_wide(value):
    if not is_small(value):
        return value
    return value.astype({"int4": np.int8, "uint4": np.uint8}.get(value.dtype.name, np.float32))


def by_onnxruntime(name):
    """The inputs and results of onnxruntime; None if it does not support them."""
    data, inputs, _ = MODELS[name]
    model = onnx.load_from_string(data)
    if name.startswith("Cast") and "float4" in name:
        return None
    if name.startswith(("Cast", "Quantize", "Dequantize")):
        if any(value.type.tensor_type.elem_type in TYPES for value in (*model.graph.input, *model.graph.output)):
            return None
        return Oracle(model).run(fed(model, inputs))
    if not any(value.type.tensor_type.elem_type in TYPES for value in model.graph.input):
        return None
    return Oracle(with_wide_types(model)).run({key: as_wide(value) for key, value in inputs.items()})


def test_oracles_agree():
    """The reference and onnxruntime agree wherever onnxruntime supports the case."""
    asked = 0
    for name in MODELS:
        actual = by_onnxruntime(name)
        if actual is None:
            continue
        asked += 1
        for output, value in make_case(name).runs[0].expected.items():
            assert np.array_equal(as_wide(value), actual[output]), (name, output, value, actual[output])
    assert asked > len(MODELS) // 3
