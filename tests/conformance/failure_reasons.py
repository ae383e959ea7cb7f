"""Why cases of the suite fail, as found by experiments with the runtime alone.

`--update-known` gives the first matching reason to an entry that is new in the list; the rest get their own message.
"""

import re

# (pattern of "CASE: OUTCOME: MESSAGE", reason)
_REASONS = [
    (r"test_(bernoulli|training_dropout).*wrong-values", "random: no generator but numpy's own gives the suite's numbers"),
    (
        r"(DOUBLE|float64).*wrong-values.*instead of -?inf",
        "the runtime computes f64 as f32 and saturates infinities where it converts between them, IsInf included",
    ),
    (
        r"test_dft.*wrong-values.*e-0[4-7] instead of",
        "rounding: the runtime transforms in f32, which leaves 1e-5 beside values of hundreds; the suite allows 1e-7",
    ),
    (
        r"test_dynamicquantizelinear.*wrong-values.* 1 of ",
        "rounding: the scale is computed in f32 in another order, and the quotient lies between two integers",
    ),
    (
        r"runtime-error.*Unsupported operation of type: (Group)?Convolution",
        "the runtime needs the channels of a convolution's weights (its own front end fails as well)",
    ),
    (r"test_roialign_mode_max.*wrong-values", "the runtime's maximum is of interpolated samples, ONNX's of their parts"),
    (r"test_image_decoder", "the runtime has no operation that decodes images"),
    (r"float8e[45]m[23]fnuz", "the runtime has no element type float8e4m3fnuz or float8e5m2fnuz"),
    (r"\bint2\b", "the runtime has no element type int2"),
    (
        r"test_(string_split|strnormalizer|regex_full_match).*(string|String|Regex)",
        "the CPU runtime only takes strings apart into bytes: no splitting, no case, no regular expressions",
    ),
    (
        r"test_loop1[36].*differ in rank|test_loop1[36].*elements of different rank",
        "the model declares a sequence of scalars and inserts vectors; a packed sequence has one rank",
    ),
    (
        r"holds tensors whose rank the model does not give",
        "a sequence at the model's boundary is packed, which needs its elements' rank",
    ),
]


def reason_for(result):
    """The known reason of a failed Result, else the first line of its message."""
    text = f"{result.name}: {result.outcome}: {result.message}"
    for pattern, reason in _REASONS:
        if re.search(pattern, text, re.DOTALL):
            return reason
    return re.sub(r"^error: ", "", result.first_line)[:200].replace("|", "/")
