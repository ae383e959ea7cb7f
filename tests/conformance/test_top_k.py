"""TopK of many elements with many equal ones, in the forms that pass sort_ties_by_index changes. Expected: a stable sort of numpy."""

import zlib

import numpy as np
import onnx.parser
import openvino as ov
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .runtime import CONFIG
from .tool import convert, tool_path

MODEL = """<ir_version: 9, opset_import: ["" : 17]> m ({type}[{shape}] x{k_input}) => ({outputs}) {{
    {count} v, i = TopK <axis = {axis}, largest = {largest}> (x, k)
}}"""
# Static and known: keys hold positions. An upper bound of k alone: keys hold ranks. k is the size or computed from it: the whole axis
# is sorted, if it is dynamic by two digits. Size and k dynamic, and not related: one stable TopK.
CONSTANT = "k = Constant <value = int64[1] {{{0}}}> ()"
BOUNDED = """limit = Constant <value = int64[1] {{{0}}}> () axis = Constant <value = int64[1] {{-1}}> () shape = Shape (x)
    size = Gather (shape, axis) k = Min (size, limit)"""
SIZE = "axis = Constant <value = int64[1] {{{0}}}> () shape = Shape (x) size = Gather (shape, axis)"
ALL = SIZE + " k = Identity (size)"
HALF = SIZE + " two = Constant <value = int64[1] {{2}}> () half = Div (size, two) one = Constant <value = int64[1] {{1}}> () k = Add (half, one)"
HALF_ROUNDED_DOWN = SIZE + " two = Constant <value = int64[1] {{2}}> () k = Div (size, two)"
OUTPUTS = {"vi": "v, i", "v": "v", "i": "i"}
TYPES = {"float": np.float32, "float16": np.float16, "double": np.float64, "int32": np.int32, "int64": np.int64}
CASES = {}


def model_text(shape, count, type="float", axis=-1, largest=1, outputs="vi"):
    k_input = "" if count else ", int64[1] k"
    return MODEL.format(type=type, shape=shape, k_input=k_input, outputs=OUTPUTS[outputs], count=count, axis=axis, largest=largest)


def elements(name, shape, kind, dtype):
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    if kind == "large":
        return (generator.integers(0, 50, shape) + 2**30).astype(dtype)
    x = generator.integers(0, kind, shape) - kind // 2
    return x.astype(dtype)


def with_infinities(x):
    return np.where(x == 0, -np.inf, np.where(x == 1, np.inf, x)).astype(x.dtype)


def expected(x, k, axis, largest, outputs):
    order = np.argsort(-x if largest else x, axis=axis, kind="stable").take(range(k), axis)
    results = {"v": np.take_along_axis(x, order, axis), "i": order}
    return {name: results[name] for name in outputs}


def add(variant, shape, count, *runs, type="float", axis=-1, outputs="vi"):
    """Cases for the largest and the smallest elements. `runs`: pairs of x and k."""
    for largest in (1, 0):
        model = model_text(shape, count, type, axis, largest, outputs)
        name = f"{variant}-{type}-{outputs}-{'largest' if largest else 'smallest'}"
        assert name not in CASES, name

        def make(name=name, model=model, largest=largest):
            fed = [{"x": x} if count else {"x": x, "k": np.array([k])} for x, k in runs]
            results = [expected(x, k, axis, largest, outputs) for x, k in runs]
            return Case(name, model.encode(), [Run(*run) for run in zip(fed, results)], one_compiled=True, rtol=0, atol=0)

        CASES[name] = make


def add_cases():
    def numbers(*shape, kind=5, dtype=np.float32):
        return elements(f"{shape}{kind}", shape, kind, dtype)

    for type, dtype in TYPES.items():
        add("static", "300", CONSTANT.format(64), *((numbers(300, kind=kind, dtype=dtype), 64) for kind in (2, 20, 2000)), type=type)
        add("all", "200", CONSTANT.format(200), *((numbers(200, kind=kind, dtype=dtype), 200) for kind in (1, 20, 2000)), type=type)
    for outputs in ("v", "i"):
        add("static", "300", CONSTANT.format(64), (numbers(300), 64), outputs=outputs)
    for type in ("int32", "int64"):
        add("large", "300", CONSTANT.format(64), (numbers(300, kind="large", dtype=TYPES[type]), 64), type=type)
        add("large, all", "n", ALL.format(0), *((numbers(n, kind="large", dtype=TYPES[type]), n) for n in (300, 0, 40)), type=type)
        add("large, dynamic size", "n", BOUNDED.format(100), *((numbers(n, kind="large", dtype=TYPES[type]), min(n, 100)) for n in (300, 0, 40)), type=type)
        extremes = np.tile(np.array([-(2**31), 2**31 - 1, 0, -1, 2**31 - 2], TYPES[type]), 40)
        CASES.update(extreme_cases(extremes, type))
    add("infinities", "300", CONSTANT.format(200), *((with_infinities(numbers(300, kind=kind)), 200) for kind in (3, 4, 20)))
    add("one", "16, 1000", CONSTANT.format(1), (numbers(16, 1000), 1), outputs="i")
    add("matrix", "7, 300", CONSTANT.format(40), (numbers(7, 300), 40), (numbers(7, 300, kind=40), 40))
    add("tensor", "2, 3, 300", CONSTANT.format(40), (numbers(2, 3, 300), 40))
    add("first axis", "300, 2", CONSTANT.format(40), (numbers(300, 2), 40), axis=0)
    add("large keys", "60000", CONSTANT.format(30000), *((numbers(60000, kind=kind), 30000) for kind in (50, 30000)))
    add("keys too large", "70000", CONSTANT.format(50), (numbers(70000), 50))
    add("dynamic k", "600", "", *((numbers(600, kind=90), k) for k in (1, 600, 0, 77, 599)))
    sizes = (500, 3, 100, 0, 1, 101, 0, 2000, 64)
    for kind in (3, 200):
        add(f"dynamic size-{kind}", "n", BOUNDED.format(100), *((numbers(n, kind=kind), min(n, 100)) for n in sizes))
    shapes = ((3, 500), (2, 3), (0, 40), (5, 0), (1, 1), (2, 101), (0, 0), (7, 120))
    add("dynamic matrix", "b, n", BOUNDED.format(100), *((numbers(*shape), min(shape[1], 100)) for shape in shapes))
    shapes = ((2, 3, 130), (1, 2, 0), (0, 3, 9), (2, 2, 60), (4, 1, 800))
    add("dynamic tensor", "a, b, n", BOUNDED.format(60), *((numbers(*shape), min(shape[2], 60)) for shape in shapes))
    add("dynamic size, constant k", "n", CONSTANT.format(50), *((numbers(n), 50) for n in (50, 300, 51, 1000)))
    add("dynamic batch", "b, 320", CONSTANT.format(100), *((numbers(b, 320), 100) for b in (3, 0, 1, 5)))


    for type, dtype in TYPES.items():
        sizes = (500, 3, 0, 1, 2100, 0, 2)
        add("sorted", "n", ALL.format(0), *((numbers(n, kind=kind, dtype=dtype), n) for kind in (3, 700) for n in sizes), type=type)
    for outputs in ("v", "i"):
        add("sorted", "n", ALL.format(0), *((numbers(n, kind=200), n) for n in (1000, 0, 7)), outputs=outputs)
    add("sorted infinities", "n", ALL.format(0), *((with_infinities(numbers(300, kind=kind)), 300) for kind in (3, 4, 20)))
    add("sorted, many", "n", ALL.format(0), *((numbers(n, kind=kind), n) for n in (70000, 10) for kind in (1, 50, 30000)))
    add("sorted, many, static", "70000", CONSTANT.format(70000), *((numbers(70000, kind=kind), 70000) for kind in (50, 30000)))
    shapes = ((3, 500), (2, 3), (0, 40), (5, 0), (1, 1), (2, 101), (0, 0), (7, 120))
    add("sorted matrix", "b, n", ALL.format(1), *((numbers(*shape, kind=50), shape[1]) for shape in shapes))
    add("sorted columns", "n, b", ALL.format(0), *((numbers(*shape, kind=50), shape[0]) for shape in shapes), axis=0)
    add("sorted columns, static", "300, 3", CONSTANT.format(300), *((numbers(300, 3, kind=kind), 300) for kind in (1, 40, 3000)), axis=0)
    shapes = ((2, 130, 3), (1, 0, 2), (0, 9, 3), (2, 60, 2), (4, 800, 1))
    add("sorted tensor", "a, n, c", ALL.format(1), *((numbers(*shape), shape[1]) for shape in shapes), axis=1)
    add("dynamic middle axis", "a, n, c", BOUNDED.format(60).replace("{-1}", "{1}"), *((numbers(*shape), min(shape[1], 60)) for shape in shapes), axis=1)
    add("half", "n", HALF.format(0), *((numbers(n, kind=20), n // 2 + 1) for n in (500, 1, 2, 3, 101)))
    add("half, rounded down", "b, n", HALF_ROUNDED_DOWN.format(1), *((numbers(2, n, kind=20), n // 2) for n in (500, 1, 2, 0, 101)))


def extreme_cases(x, type):
    """The smallest and the largest integers, whose difference overflows."""
    cases = {}
    for variant, shape, count in (("sorted", "n", ALL.format(0)), ("static", str(len(x)), CONSTANT.format(90))):
        k = len(x) if variant == "sorted" else 90
        order = np.argsort(x.astype(np.int64), kind="stable")[:k]
        model = model_text(shape, count, type, largest=0)
        cases[f"extremes, {variant}-{type}"] = lambda name=f"extremes, {variant}-{type}", model=model, order=order: Case(
            name, model.encode(), [Run({"x": x}, {"v": x[order], "i": order})], one_compiled=True, rtol=0, atol=0
        )
    return cases


EXPERTS = """<ir_version: 9, opset_import: ["" : 17]> m (float[n,8] x) => (int64[{shape}] v, int64[{shape}] i) {{
    two = Constant <value = int64[1] {{2}}> () rest = Constant <value = int64[1] {{-1}}> () axis = Constant <value = int64[1] {{0}}> ()
    best, chosen = TopK (x, two) experts = {experts} shape = Shape (experts) size = Gather (shape, axis)
    v, i = TopK <axis = 0, largest = {largest}> (experts, size)
}}"""


def add_experts():
    """Indices of few values: those of the two experts of each token, as a list or a column for each."""
    for form, shape, experts in (("list", "m", "Reshape <allowzero = 1> (chosen, rest)"), ("columns", "n,2", "Identity (chosen)")):
        for largest in (1, 0):
            name = f"experts-{form}-{'largest' if largest else 'smallest'}"

            def make(name=name, model=EXPERTS.format(shape=shape, experts=experts, largest=largest), form=form, largest=largest):
                runs = []
                for tokens in (64, 1, 0, 3, 700):
                    x = np.random.default_rng(tokens).standard_normal((tokens, 8), dtype=np.float32)
                    chosen = expected(x, 2, 1, True, "i")["i"]
                    chosen = chosen.ravel() if form == "list" else chosen
                    runs.append(Run({"x": x}, expected(chosen, len(chosen), 0, largest, "vi")))
                return Case(name, model.encode(), runs, one_compiled=True, rtol=0, atol=0)

            CASES[name] = make


add_cases()
add_experts()


@pytest.mark.parametrize("conformance", parameters(Entry(("top_k", name), make) for name, make in CASES.items()))
def test_top_k(conformance, result):
    assert_passed(result)


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize(("shape", "count", "size"), [("300", CONSTANT.format(100), 300), ("n", BOUNDED.format(100), 700), ("6000", CONSTANT.format(1), 6000), ("n", ALL.format(0), 900)])
def test_indices_are_distinct_and_belong_to_the_values_if_elements_are_nan(shape, count, size, largest, tmp_path):
    onnx.save(onnx.parser.parse_model(model_text(shape, count, largest=largest)), tmp_path / "m.onnx")
    convert(tool_path(), tmp_path / "m.onnx", tmp_path / "m.xml")
    compiled = ov.Core().compile_model(str(tmp_path / "m.xml"), "CPU", CONFIG)
    generator = np.random.default_rng(1)
    for share in (0.01, 0.5, 0.9, 1):
        x = generator.integers(0, 20, size).astype(np.float32)
        x[generator.random(size) < share] = np.nan
        values, indices = compiled([x]).values()
        assert len(set(indices)) == len(indices) and 0 <= min(indices) and max(indices) < size
        np.testing.assert_array_equal(x[indices], values)
