"""Cases of one node each, with inputs of static and of dynamic shape.

Expected values come from onnxruntime, or from the case if onnxruntime does not have the version.
"""

import dataclasses
import zlib

import numpy as np
import onnx
from onnx import helper

from .case import Case, Run


# By default, the runtime rounds the inputs, in another way than onnxruntime: test_quantised_accuracy.py.
OPTIONS = {"DynamicQuantizeMatMul": ("--quantization", "exact")}


def numbers(name, *shape, dtype="float32", low=-3.0, high=3.0):
    """Reproducible random numbers for a name."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return generator.integers(max(int(low), 0) if dtype.kind == "u" else int(low), int(high) + 1, shape).astype(dtype)
    return generator.uniform(low, high, shape).astype(dtype)


def model_of(op, opset, inputs, constants, outputs, attributes, domain, dynamic):
    """`outputs`: their number, or their names, which are empty if they are absent. `dynamic`: whether the sizes of all axes are, or which."""
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
    graph_inputs, initializers = [], []
    for name, value, index in zip(names, inputs, range(len(inputs))):
        if value is None:
            continue
        if index in constants:
            initializers.append(onnx.numpy_helper.from_array(value, name))
        else:
            axes = dynamic if isinstance(dynamic, tuple) else range(value.ndim) if dynamic else ()
            shape = [None if axis in axes else size for axis, size in enumerate(value.shape)]
            element_type = helper.np_dtype_to_tensor_dtype(value.dtype)
            graph_inputs.append(helper.make_tensor_value_info(name, element_type, shape))
    given = [f"y{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
    node = helper.make_node(op, names, given, domain=domain, **attributes)
    graph_outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    graph = helper.make_graph([node], op, graph_inputs, graph_outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, opset)], ir_version=10 if opset > 8 else 4)
    return onnx.shape_inference.infer_shapes(model).SerializeToString()


def add_case(cases, op, opset, /, *inputs, constants=(), outputs=1, expected=None, domain="", variant="", dynamic=True, **attributes):
    """Adds cases to `cases`, by name, with inputs of static and of dynamic shape. `constants`: the inputs that are initializers. `dynamic`: whether
    there is a case with dynamic sizes, or the axes that have them."""
    inputs = [None if value is None else np.asarray(value) for value in inputs]
    for sizes in (False, dynamic) if dynamic else (False,):
        name = f"{op}_{opset}"
        if variant:
            name += f"-{variant}"
        for key, value in attributes.items():
            name += f"-{key}={value}"
        name += "-" + "_".join("none" if value is None else "x".join([value.dtype.name, *map(str, value.shape)]) for value in inputs)
        if sizes:
            name += "-dynamic"
        assert name not in cases, name

        def make(name=name, sizes=sizes):
            model = model_of(op, opset, inputs, constants, outputs, attributes, domain, sizes)
            values = {f"x{i}": value for i, value in enumerate(inputs) if value is not None and i not in constants}
            results = None if expected is None else {f"y{i}": value for i, value in enumerate(expected)}
            half = any(value is not None and value.dtype == np.float16 for value in inputs)
            return Case(name, model, [Run(values, results)], rtol=1e-2 if half else 1e-3, atol=1e-2 if half else 1e-5, options=OPTIONS.get(op, ()))

        cases[name] = make


def with_both_quantizations(cases, names):
    """Replaces cases by two each: exact, and with integer kernels, which may round midpoints to the other side."""
    for name in names:
        make = cases.pop(name)
        cases[f"{name}-exact"] = lambda make=make: dataclasses.replace(make(), options=("--quantization", "exact"))
        cases[f"{name}-fast"] = lambda make=make: dataclasses.replace(make(), integer_steps=1)


def add_series(cases, op, opset, *runs, constants=(), outputs=1, expected=None, domain="", variant="", **attributes):
    """Adds a case of one compiled model with inputs of dynamic shape, run with each tuple of inputs in turn. `expected`: a tuple of
    outputs for each run, None where onnxruntime gives them."""
    runs = [tuple(None if value is None else np.asarray(value) for value in inputs) for inputs in runs]
    name = "-".join([f"{op}_{opset}", *([variant] if variant else []), *(f"{key}={value}" for key, value in attributes.items()), "series"])
    assert name not in cases, name

    def make():
        model = model_of(op, opset, runs[0], constants, outputs, attributes, domain, True)
        wanted = expected or [None] * len(runs)
        fed = [{f"x{i}": value for i, value in enumerate(inputs) if value is not None and i not in constants} for inputs in runs]
        results = [None if values is None else {f"y{i}": value for i, value in enumerate(values)} for values in wanted]
        return Case(name, model, [Run(*run) for run in zip(fed, results)], one_compiled=True, atol=1e-5)

    cases[name] = make
