"""Ifs whose branches differ in rank, where a later node requires one of the ranks: voice activity models for two sample rates, in which
the exporter translated each squeeze to an If."""

import numpy as np
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import numbers


def values(count, factor, period):
    return ", ".join(f"{0.1 * (factor * i % period - period // 2):.1f}" for i in range(count))


def branch(name, width, stride):
    """One rate: a convolution, a squeeze of its only column, and an LSTM."""
    return f"""{name} () => (float[B, 1] out_{name}, float[2, B, 4] state_{name}) <
        float[4, 1, {width}] filters_{name} = {{{values(4 * width, 7, 11)}}},
        float[1, 16, 4] w_{name} = {{{values(64, 5, 13)}}},
        float[1, 16, 4] r_{name} = {{{values(64, 3, 7)}}}>
    {{
        channel_{name} = Unsqueeze(x, one)
        columns_{name} = Conv <strides = [{stride}]> (channel_{name}, filters_{name})
        sizes_{name} = Shape(columns_{name})
        width_{name} = Gather(sizes_{name}, last)
        is_one_{name} = Equal(width_{name}, unit)
        row_{name} = If (is_one_{name}) <
            then_branch = squeezed_{name} () => (float[] a_{name}) {{ a_{name} = Squeeze(columns_{name}, minus_one) }},
            else_branch = as_it_is_{name} () => (float[] b_{name}) {{ b_{name} = Identity(columns_{name}) }}>
        dims_{name} = Shape(row_{name})
        rank_{name} = Size(dims_{name})
        is_batch_{name} = Equal(rank_{name}, two)
        batch_{name} = If (is_batch_{name}) <
            then_branch = batched_{name} () => (float[] c_{name}) {{ c_{name} = Identity(row_{name}) }},
            else_branch = alone_{name} () => (float[] d_{name}) {{ d_{name} = Unsqueeze(row_{name}, zero) }}>
        sequence_{name} = Unsqueeze(batch_{name}, zero)
        h_{name}, c0_{name} = Split <axis = 0> (state)
        y_{name}, hn_{name}, cn_{name} = LSTM <hidden_size = 4> (sequence_{name}, w_{name}, r_{name}, "", "", h_{name}, c0_{name})
        state_{name} = Concat <axis = 0> (hn_{name}, cn_{name})
        top_{name} = Squeeze(hn_{name}, zero)
        out_{name} = ReduceMean <axes = [1]> (top_{name})
    }}"""


def model(batch, length):
    return f"""<ir_version: 8, opset_import: ["" : 16]>
main (float[{batch}, {length}] x, float[2, {batch}, 4] state, int64 rate) => (float[B, 1] out, float[2, B, 4] next)
<int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] minus_one = {{-1}}, int64 last = {{-1}}, int64 unit = {{1}}, int64 two = {{2}}, int64 wide = {{16000}}>
{{
    is_wide = Equal(rate, wide)
    out, next = If (is_wide) <then_branch = {branch("wideband", 8, 4)}, else_branch = {branch("narrowband", 4, 2)}>
}}"""


def run(rate, batch, length):
    return Run(dict(x=numbers(f"x{length}", batch, length), state=numbers("state", 2, batch, 4), rate=np.array(rate, np.int64)))


WIDE, NARROW = 16000, 8000
CASES = {
    "dynamic": ("B", "T", [run(WIDE, 1, 8), run(NARROW, 1, 4), run(WIDE, 3, 11), run(NARROW, 2, 5)]),
    "dynamic_batch": ("B", 8, [run(WIDE, 1, 8), run(WIDE, 2, 8)]),  # the other rate fails with this length
    "static": (2, 4, [run(NARROW, 2, 4)]),
}


def if_ranks_case(name):
    batch, length, runs = CASES[name]
    # onnxruntime rejects static lengths, because they fit one rate only.
    return Case(f"if_ranks_{name}", model(batch, length).encode(), runs, one_compiled=True, atol=1e-5, oracle_model=model("B", "T").encode())


@pytest.mark.parametrize("conformance", parameters(Entry(("if_ranks", name), lambda name=name: if_ranks_case(name)) for name in CASES))
def test_if_of_different_ranks(conformance, result):
    assert_passed(result)
