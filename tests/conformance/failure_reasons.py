"""The reasons of failing cases of the suite: the experiment of test_runtime_limits.py that shows the limit.

`--update` gives the first matching reason to an entry that is new in the list. What matches none gets its own
message, which is the name of no experiment: a test fails until there is one.
"""

import re

# (pattern of "CASE: OUTCOME: MESSAGE", experiment)
_REASONS = [
    (r"test_(bernoulli|training_dropout).*wrong-values", "random_numbers"),
    (r"(DOUBLE|float64).*wrong-values.*instead of -?inf", "f64_is_f32"),
    (r"test_dft.*wrong-values.*e-0[4-7] instead of", "f32_transforms"),
    (r"test_image_decoder", "no_image_decoder"),
    (r"float8e[45]m[23]fnuz", "no_float8_fnuz"),
    (r"\bint2\b", "no_int2"),
    (r"Input image format f8e8m0 is not supported", "no_scale_inputs"),
    (r"Input image format f8e(4m3|5m2) is not supported", "no_float8_inputs"),
    (r"Input image format f4e2m1 is not supported", "no_float4_inputs"),
    (r"(precision to: u2|Input image format u2 is not supported|package has no type u2)", "no_uint2"),
    (r"test_bitcast.*does not keep the bits of [fi]64", "no_64_bits"),
    (r"convert-error.*(differ in rank|of different rank|the rank of the result is not known)", "no_dynamic_rank"),
    (r"convert-error.*no axes are given and dimension \d+ of the input is not known", "no_dynamic_rank"),
]


def reason_for(result):
    """The known reason of a failed Result, otherwise the first line of its message."""
    text = f"{result.name}: {result.outcome}: {result.message}"
    for pattern, reason in _REASONS:
        if re.search(pattern, text, re.DOTALL):
            return reason
    return re.sub(r"^error: ", "", result.first_line)[:200].replace("|", "/")
