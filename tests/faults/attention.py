"""Faults of ScaledDotProductAttention."""

import importlib
import importlib.util

import numpy as np
import openvino as ov

from .experiment import CONFIG, compiled, element_type, experiment, fails, number, numbers, opset, parameter, results


def sizes(value, *axes):
    shape = opset.shape_of(value)
    return opset.concat([opset.gather(shape, numbers(axis), number(0)) for axis in axes], 0)


@experiment
def attention_mask_sizes():
    """The result of ScaledDotProductAttention has as many rows as the query, for any number of rows in the mask."""
    query, key, value, mask = (parameter([-1, -1, -1]) for _ in range(4))
    same_mask = opset.reshape(mask, sizes(mask, 0, 1, 2), False)
    mixed = opset.scaled_dot_product_attention(query, key, value, same_mask)
    swapped = opset.reshape(mixed, sizes(mixed, 1, 0, 2), False)
    given = tuple(np.ones(shape, np.float32) for shape in ((2, 4, 8), (2, 6, 8), (2, 6, 8), (2, 1, 6)))
    return fails(results, [query, key, value, mask], swapped, given)


def variable(name, rows, rows_of_past, beams):
    """`rows` appended to a variable, in the form that the CPU plugin fuses with an attention; the Concat and the Assign."""
    util = importlib.import_module("openvino.op.util" if importlib.util.find_spec("openvino.op") else "openvino.runtime.op.util")
    info = util.VariableInfo()
    info.data_shape, info.data_type, info.variable_id = rows.get_output_partial_shape(0), ov.Type.f32, name
    kept = util.Variable(info)
    empty = opset.broadcast(opset.constant(np.float32(0)), opset.concat([sizes(rows_of_past, 0, 1), numbers(0), sizes(rows_of_past, 3)], 0))
    joined = opset.concat([opset.gather(opset.read_value(empty, kept), beams, number(0)), rows], 2)
    return joined, opset.assign(joined, kept)


def appended_sums(element_type, initial):
    """A model that appends its input [B, 2, 2, 4] to a variable and returns the sums of the columns. `initial(rows)`: the length at first."""
    util = importlib.import_module("openvino.op.util" if importlib.util.find_spec("openvino.op") else "openvino.runtime.op.util")
    info = util.VariableInfo()
    rows = parameter([-1, 2, -1, 4], element_type)
    info.data_shape, info.data_type, info.variable_id = rows.get_output_partial_shape(0), rows.get_element_type(), "kept"
    kept = util.Variable(info)
    target = opset.concat([sizes(rows, 0), numbers(2), initial(rows), numbers(4)], 0)
    empty = opset.broadcast(opset.convert(opset.constant(np.float32(0)), element_type), target)
    joined = opset.concat([opset.read_value(empty, kept), rows], 2)
    result = opset.result(opset.reduce_sum(opset.convert(joined, "f32"), numbers(2), False))
    return ov.Model([result], [opset.assign(joined, kept)], [rows], "model")


def appends_wrongly(element_type, initial):
    try:
        request = ov.Core().compile_model(appended_sums(element_type, initial), "CPU", CONFIG).create_infer_request()
        dtype = {"f32": np.float32, "f64": np.float64, "i64": np.int64}[element_type]
        found = []
        for _ in range(2):
            found += [next(iter(request.infer([np.full((1, 2, 2, 4), value, dtype)]).values())).copy() for value in (1, 2, 3)]
            request.reset_state()
    except RuntimeError:
        return True
    return not all(np.all(array == expected) for array, expected in zip(found, (2, 6, 12) * 2))


@experiment
def initial_variable_size():
    """Rows are appended to a variable that is empty at first and after reset_state(), and whose length is dynamic."""
    return appends_wrongly("f32", lambda _: numbers(0))


@experiment
def wide_variables():
    """Variables of i64 and f64 keep their values."""
    dynamic_zero = lambda rows: opset.subtract(sizes(rows, 0), sizes(rows, 0))  # noqa: E731
    return appends_wrongly("i64", dynamic_zero) or appends_wrongly("f64", dynamic_zero)


@experiment
def cached_attention_mask():
    """A mask with one column is added to the scores of all keys."""
    query, key, value = (parameter([-1, 2, -1, 64]) for _ in range(3))
    mask, beams = parameter([-1, 1, -1, -1]), parameter([-1], "i32")
    (keys, keep_keys), (values, keep_values) = (variable(name, rows, query, beams) for name, rows in (("keys", key), ("values", value)))
    attention = opset.scaled_dot_product_attention(query, keys, values, mask, opset.constant(np.float32(0.125)))
    parameters = [query, key, value, mask, beams]
    model = ov.Model([opset.result(attention)], [keep_keys, keep_values], parameters, "model")
    compiled_model = ov.Core().compile_model(model, "CPU", {**CONFIG, "KV_CACHE_PRECISION": "f32"})
    generator = np.random.default_rng(1)
    given = [generator.normal(size=(1, 2, 4, 64)).astype(np.float32) for _ in range(3)]
    scores = given[0] @ given[1].swapaxes(2, 3) * 0.125
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    column = 10 * np.arange(4, dtype=np.float32).reshape(1, 1, 4, 1)
    found = compiled_model.create_infer_request().infer([*given, column, np.zeros(1, np.int32)])
    return not np.allclose(next(iter(found.values())), weights @ given[2], atol=1e-4)


def attention_is_wrong(is_fused, constants):
    """Whether an attention of f32 with these constants, "key" or "value", is wrong."""
    generator = np.random.default_rng(1)
    given = {name: generator.normal(size=(1, 2, rows, 8)).astype(np.float32) for name, rows in (("query", 4), ("key", 6), ("value", 6))}
    inputs = {name: opset.constant(array) if name in constants else parameter(array.shape) for name, array in given.items()}
    if is_fused:
        scores = opset.multiply(opset.matmul(inputs["query"], inputs["key"], False, True), opset.constant(np.float32(8**-0.5)))
        attention = opset.matmul(opset.softmax(scores, 3), inputs["value"], False, False)
    else:
        attention = opset.scaled_dot_product_attention(*inputs.values())
    exponentials = np.exp(given["query"] @ given["key"].swapaxes(2, 3) / 8**0.5)
    right = exponentials / exponentials.sum(-1, keepdims=True) @ given["value"]
    free = [name for name in given if name not in constants]
    found = results([inputs[name] for name in free], attention, tuple(given[name] for name in free))[0]
    return not np.allclose(found, right, atol=1e-4)


@experiment
def attention_constants():
    """Constant keys and values give the same attention as others."""
    return any(attention_is_wrong(is_fused, constants) for is_fused in (False, True) for constants in (("key",), ("value",)))


def constant(values, name):
    """A constant of f16 or bf16."""
    if name == "f16":
        return opset.constant(values.astype(np.float16))
    tensor = ov.Tensor(element_type(name), ov.Shape(list(values.shape)))
    tensor.data.reshape(-1).view(np.uint16)[:] = (values.reshape(-1).view(np.uint32) >> 16).astype(np.uint16)
    return opset.constant(tensor)


def rounded(values, name):
    """f32 numbers that the narrow type holds."""
    if name == "f16":
        return values.astype(np.float16).astype(np.float32)
    return (values.view(np.uint32) & 0xFFFF0000).view(np.float32)


SCALE = 0.3


def attention_error(name, is_scaled_before):
    """The largest error of an attention with constant keys and values of a narrow type."""
    generator = np.random.default_rng(1)
    query, key, value = (rounded(generator.normal(size=(2, 3, size, 8)).astype(np.float32), name) for size in (4, 6, 6))
    scale, one, zero = (constant(np.array(factor, np.float32).reshape([]), name) for factor in (SCALE, 1, 0))
    x = parameter(query.shape)
    narrow = opset.convert(x, name)
    scaled = opset.multiply(narrow, scale) if is_scaled_before else narrow
    attention = opset.scaled_dot_product_attention(scaled, constant(key, name), constant(value, name), zero, one if is_scaled_before else scale)
    scores = query @ key.swapaxes(2, 3) * rounded(np.array([SCALE], np.float32), name)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    right = weights / weights.sum(-1, keepdims=True) @ value
    return np.abs(results([x], opset.convert(attention, "f32"), (query,))[0] - right).max()


@experiment
def attention_scale_rounding():
    """The scale of ScaledDotProductAttention with a constant key of 16 bits costs no more precision than a scaled query."""
    return any(attention_error(name, False) > 1.5 * attention_error(name, True) for name in ("f16", "bf16"))


@experiment
def bf16_attention_fusion():
    """MatMul with a constant key of bf16, Softmax and MatMul give an attention."""
    generator = np.random.default_rng(1)
    query, key, value = (rounded(generator.normal(size=(2, 3, size, 8)).astype(np.float32), "bf16") for size in (4, 6, 6))
    x = parameter(query.shape, "bf16")
    scores = opset.matmul(opset.multiply(x, constant(np.array(0.25, np.float32), "bf16")), constant(key, "bf16"), False, True)
    mixed = opset.matmul(opset.softmax(scores, 3), constant(value, "bf16"), False, False)
    request = compiled([x], opset.convert(mixed, "f32")).create_infer_request()
    given = ov.Tensor(element_type("bf16"), ov.Shape(list(query.shape)))
    given.data.reshape(-1).view(np.uint16)[:] = (query.reshape(-1).view(np.uint32) >> 16).astype(np.uint16)
    request.set_input_tensor(given)
    request.infer()
    exponentials = np.exp(query @ key.swapaxes(2, 3) / 4)
    right = exponentials / exponentials.sum(-1, keepdims=True) @ value
    return not np.allclose(request.get_output_tensor().data, right, atol=0.1)
