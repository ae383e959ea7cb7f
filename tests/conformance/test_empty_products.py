"""Products and Concats of empty operands, constant matrices that are broadcast, and small products: empty_product, empty_concat_part,
constant_batch_broadcast, small_product_constants, dynamic_column_constants."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers

CASES = {}


def add(name, nodes, runs, constants, declared, expected=None):
    """`runs`: the inputs of each run, by name. `declared`: the shapes of the inputs. `expected`: the output, if onnxruntime does not give it."""

    def make():
        first = runs[0]
        graph = helper.make_graph(
            [helper.make_node(*node[:3], **(node[3] if len(node) > 3 else {})) for node in nodes],
            "graph",
            [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), declared[key]) for key, value in first.items()],
            [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)],
            [numpy_helper.from_array(value, key) for key, value in constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        model = onnx.shape_inference.infer_shapes(model)
        return Case(name, model.SerializeToString(), [Run(run, None if expected is None else {"y": expected}) for run in runs], one_compiled=True, atol=1e-4)

    assert name not in CASES, name
    CASES[name] = make


PRODUCT = [("MatMul", ["a", "b"], ["y"])]
SHAPES = {
    "inner": ((2, 0), (0, 3)),
    "rows": ((0, 4), (4, 3)),
    "columns": ((2, 4), (4, 0)),
    "batch": ((0, 2, 4), (4, 3)),
    "inner of batch": ((3, 2, 0), (3, 0, 2)),
    "inner of broadcast": ((3, 1, 2, 0), (5, 0, 2)),
    "vector": ((0,), (0, 3)),
    "vectors": ((0,), (0,)),
}
for case, (left, right) in SHAPES.items():
    for dtype in ("float32", "float64", "float16", "int32", "int64", "uint32"):
        if dtype not in ("float32", "int64") and case not in ("inner", "rows"):
            continue
        a, b = numbers(case, *left, dtype=dtype), numbers(case + "b", *right, dtype=dtype)
        for form in ("static", "dynamic", "left dynamic"):
            shapes = {
                "a": list(left) if form == "static" else [None] * len(left),
                "b": [None] * len(right) if form == "dynamic" else list(right),
            }
            add(f"empty_product-{case}-{dtype}-{form}", PRODUCT, [{"a": a, "b": b}], {}, shapes, a @ b)
            add(f"empty_product-{case}-{dtype}-{form}-constant", PRODUCT, [{"a": a}], {"b": b}, shapes, a @ b)

for dtype in ("float32", "int32"):
    for transposed in (False, True):
        a, b, c = numbers("ga", 2, 0, dtype=dtype), numbers("gb", 0, 3, dtype=dtype), numbers("gc", 3, dtype=dtype)
        nodes = [("Gemm", ["a", "b", "c"], ["y"], {"transA": int(transposed), "transB": int(transposed)})]
        right = np.zeros((2, 3), dtype) + c
        if transposed:
            a, b = a.T.copy(), b.T.copy()
        for dynamic in (False, True):
            shapes = {"a": [None, None] if dynamic else list(a.shape), "b": list(b.shape)}
            name = f"empty_product-Gemm-{dtype}-{transposed}-{dynamic}"
            add(name, nodes, [{"a": a}], {"b": b, "c": c}, shapes, right)
            squared = [("Gemm", ["a", "b", "c"], ["g"], nodes[0][3]), ("Mul", ["g", "g"], ["y"])]
            add(f"{name}-used", squared, [{"a": a, "b": b}], {"c": c}, shapes, right * right)

JOINED = [("Concat", ["a", "b"], ["c"], {"axis": -2}), ("Relu", ["c"], ["y"])]
for count, (left, right) in enumerate((((1, 3, 1, 0), (1, 3, 3, 0)), ((1, 0), (3, 0)), ((0, 2), (3, 2)), ((2, 1, 0), (2, 0, 0)))):
    for dtype in ("float32", "int32", "int64"):
        a, b = numbers("ca", *left, dtype=dtype), numbers("cb", *right, dtype=dtype)
        for form, declared in (("dynamic", [None] * len(left)), ("last", [None] * (len(left) - 1) + [left[-1]]), ("static", list(left))):
            add(f"empty_concat-{count}-{dtype}-{form}", JOINED[:1] + [("Abs", ["c"], ["y"])], [{"a": a}], {"b": b}, {"a": declared})
        both = {"a": [None] * len(left), "b": list(right)}
        add(f"empty_concat-{count}-{dtype}-inputs", JOINED[:1] + [("Abs", ["c"], ["y"])], [{"a": a, "b": b}], {}, both)

for count, (lefts, right) in enumerate(
    (
        ([(1, 5, 5), (2, 5, 5), (1, 2, 5)], (2, 5, 7)),
        ([(5, 4), (1, 4)], (3, 4, 2)),
        ([(1, 4), (3, 4)], (3, 4, 1)),
        ([(1, 1, 4), (3, 2, 4)], (1, 4, 3)),
        ([(3, 5, 4), (1, 5, 4)], (3, 4, 4)),
        ([(1, 2, 5, 5), (3, 1, 5, 5)], (2, 5, 7)),
    )
):
    for dtype in ("float32", "int32", "float64"):
        runs = [{"a": numbers(f"{left}", *left, dtype=dtype)} for left in lefts]
        b = numbers(f"{right}", *right, dtype=dtype)
        for form, declared in (("dynamic", [None] * len(lefts[0])), ("inner", [None] * (len(lefts[0]) - 1) + [right[-2]])):
            add(f"constant_batch-{count}-{dtype}-{form}", [("MatMul", ["a", "b"], ["m"]), ("Neg", ["m"], ["y"])], runs, {"b": b}, {"a": declared})

SMALL = {
    "bias": [("MatMul", ["a", "b"], ["m"]), ("Add", ["m", "c"], ["y"])],
    "scale": [("MatMul", ["a", "b"], ["m"]), ("Mul", ["c", "m"], ["y"])],
    "relu": [("MatMul", ["a", "b"], ["m"]), ("Relu", ["m"], ["r"]), ("Sub", ["r", "c"], ["y"])],
    "slope": [("MatMul", ["a", "b"], ["m"]), ("PRelu", ["m", "c"], ["y"])],
    "computed": [("MatMul", ["a", "b"], ["m"]), ("Exp", ["c"], ["e"]), ("Add", ["m", "e"], ["y"])],
    "gemm": [("Gemm", ["a", "b", "c"], ["y"], {"alpha": 0.5, "transB": 1})],
    "transposed": [("Transpose", ["b"], ["t"], {"perm": [1, 0]}), ("MatMul", ["a", "t"], ["m"]), ("Add", ["m", "c"], ["y"])],
}
for form, nodes in SMALL.items():
    for batch in ((), (2,), (2, 1)):
        if batch and form in ("gemm", "transposed"):
            continue
        for columns in (1, 2, 3):
            sizes = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (2, 3))
            runs = [{"a": numbers(f"a{size}", *batch, *size), "b": numbers(f"b{size}", *batch, size[1], columns)} for size in sizes]
            if form in ("gemm", "transposed"):
                runs = [{"a": run["a"], "b": run["b"].T.copy()} for run in runs]
            c = {"c": numbers("c", columns, low=1)}
            rank = 2 + len(batch)
            add(f"small_product-{form}-{rank}-{columns}", nodes, runs, c, {"a": [None] * rank, "b": [None] * rank})


@pytest.mark.parametrize("conformance", parameters(Entry(("empty products", name), make) for name, make in CASES.items()))
def test_empty_product(conformance, result):
    assert_passed(result)
