"""QuantizeLinear and DequantizeLinear between other operators. Exact: numbers at midpoints are exact, and others need no exact quotient."""

import functools
import xml.etree.ElementTree

import numpy as np
import onnx.parser
import pytest

from . import tool
from .case import Case, Run
from .entry import Entry, assert_passed, parameters

EXACT = ("--quantization", "exact")
STEP = 0.0173
MULTIPLES = np.arange(-160, 160, dtype=np.float32).reshape(1, 5, 8, 8) * np.float32(STEP)
RANDOM = np.random.default_rng(5).uniform(-2, 2, (1, 5, 8, 8)).astype(np.float32)


def chain(middle, step, *, zero="int8 {-3}", constants=""):
    """ONNX text: numbers with STEP, the nodes `middle` from d to m, and numbers with `step`."""
    kind = zero.split()[0]
    return f"""<ir_version: 9, opset_import: ["": 17]>
    chain (float[N, 5, 8, 8] x) => (float[N, ?, ?, ?] y)
    <float s = {{{STEP}}}, float t = {{{step}}}, {kind} z = {zero.split()[1]}, {kind} w = {zero.split()[1]}{constants}>
    {{
        q = QuantizeLinear(x, s, z)
        d = DequantizeLinear(q, s, z)
        {middle}
        p = QuantizeLinear(m, t, w)
        y = DequantizeLinear(p, t, w)
    }}"""


FILTER = ", float[2, 5, 1, 1] f = {" + ", ".join(f"{value:.4f}" for value in np.random.default_rng(7).normal(0, 1, 10)) + "}"

# The second quotient is exact if it may be a midpoint.
CHAINS = {
    "pooled, twice the step": (chain("m = MaxPool<kernel_shape = [2, 2]>(d)", 2 * STEP), True),
    "pooled, three times the step": (chain("m = MaxPool<kernel_shape = [2, 2]>(d)", 3 * STEP), False),
    "pooled, the same step": (chain("m = MaxPool<kernel_shape = [2, 2]>(d)", STEP), False),
    "positive, two thirds": (chain("m = Relu(d)", STEP * 2 / 3, zero="uint8 {101}"), True),
    "sum, twice the step": (chain("m = Add(d, d)", 4 * STEP), True),
    "mean": (chain("m = GlobalAveragePool(d)", 0.0211), False),
    "transposed, another step": (chain("m = Transpose<perm = [0, 2, 3, 1]>(d)", 0.0211), False),
    "HardSwish, half the step": (chain("m = HardSwish(d)", STEP / 2), False),
    "HardSwish, twice the step": (chain("m = HardSwish(d)", 2 * STEP), True),
    "Softmax": (chain("m = Softmax(d)", 1 / 255, zero="uint8 {0}"), True),
    "Conv": (chain("m = Conv(d, f)", 0.05, constants=FILTER), False),
    "Conv and Relu, uint8": (chain("c = Conv(d, f)\n m = Relu(c)", 0.05, zero="uint8 {113}", constants=FILTER), False),
    "Conv, 0 to 6": (chain("c = Conv(d, f)\n m = Clip(c, a, b)", 6 / 255, constants=FILTER + ", float a = {0}, float b = {6}"), False),
    "Conv, limited to a midpoint": (
        chain("c = Conv(d, f)\n m = Clip(c, a, b)", 12 / 255, constants=FILTER + ", float a = {0}, float b = {6}"),
        True,
    ),
}

STORED = """<ir_version: 9, opset_import: ["": 17]>
stored (float[N] x) => (float[N] y, uint8[N] q)
<float s = {0.0173}, uint8 z = {100}, float half = {0.5}, float low = {0}, float high = {255}>
{
    r = Round(x)
    h = Add(r, half)
    c = Clip(h, low, high)
    q = Cast<to = 2>(c)
    y = DequantizeLinear(q, s, z)
}"""


def entries():
    for name, (text, _) in CHAINS.items():
        model = onnx.parser.parse_model(text)
        step = max(onnx.numpy_helper.to_array(value) for value in model.graph.initializer if value.name == "t")
        make = functools.partial(Case, name, model.SerializeToString(), [Run({"x": MULTIPLES}), Run({"x": RANDOM})])
        yield Entry(("quantized_chain", name, "exact"), functools.partial(make, options=EXACT))
        # An integer kernel may round a midpoint to the other side.
        yield Entry(("quantized_chain", name, "fast"), functools.partial(make, atol=float(step) * 1.01))
    x = np.linspace(-300, 300, 50, dtype=np.float32)
    yield Entry(("quantized_chain", "fractions are stored"), lambda: Case("stored", onnx.parser.parse_model(STORED).SerializeToString(), [Run({"x": x})]))


@pytest.mark.parametrize("conformance", parameters(entries()))
def test_chain(conformance, result):
    assert_passed(result)


@pytest.mark.parametrize("text, is_exact", CHAINS.values(), ids=CHAINS)
def test_exact_quotients_only_where_midpoints_are_possible(text, is_exact, tmp_path):
    (tmp_path / "model.onnxtxt").write_text(text)
    tool.convert(tool.tool_path(), tmp_path / "model.onnxtxt", tmp_path / "model.xml", EXACT)
    layers = list(xml.etree.ElementTree.parse(tmp_path / "model.xml").getroot().iter("layer"))
    exact = sum(layer.get("type") == "Floor" for layer in layers)
    assert exact == (2 if is_exact else 1)  # the model's input may be at any midpoint
    types = {layer.find("data").get("destination_type") for layer in layers if layer.get("type") == "Convert"}
    assert not types & {"i8", "u8"}, "numbers are stored between QuantizeLinear and DequantizeLinear"
