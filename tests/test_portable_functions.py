"""Functions of the C library whose last bit depends on the system or the processor: base/portable_math.hpp replaces them."""

import re

from .test_layers import PRODUCT, REPOSITORY

FUNCTIONS = "acosh? asinh? atan[2h]? cbrt cosh? erfc? exp[2m]? expm1 hypot lgamma log log10 log1p log2 pow sinh? tanh? tgamma".split()
CALL = re.compile(rf"\bstd::(?:{'|'.join(FUNCTIONS)})[fl]?\(")
ALLOWED = "base/portable_math.cpp"  # for special cases, whose results the C standard defines


def test_functions_with_different_last_bits_are_not_called():
    found = {}
    for folder in PRODUCT:
        for source in (REPOSITORY / folder).rglob("*.[hc]pp"):
            calls = CALL.findall(source.read_text())
            if calls and str(source.relative_to(REPOSITORY)) != ALLOWED:
                found[str(source.relative_to(REPOSITORY))] = calls
    assert found == {}


def test_calls_are_recognised():
    text = "std::pow(a, b) + std::exp(1) + std::log10(x) + std::logf(x)"
    assert len(CALL.findall(text)) == 4
    assert not CALL.search("std::ilogb(x), std::expected(x), std::isinf(x), std::floor(x), node.op(ops::Exp, {x})")
