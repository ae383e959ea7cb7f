"""Limits of the runtime that random models meet: name and what a failure of that kind looks like."""

import re

from ..conformance.case import CONVERT_ERROR, PORT_MISMATCH, WRONG_SHAPE

# (name, outcome, what the message holds)
LIMITS = [
    # Values are right, a size of 0 in the XML is what the runtime calls unknown, or the reverse: it knows more.
    ("sizes of 0 in states are called unknown", PORT_MISMATCH, r"\[(-?\d+, )*0\b[^\]]*\], the runtime infers \S+ \[.*-1"),
    ("the runtime computes more at conversion time", PORT_MISMATCH, r"\[[^\]]*-1[^\]]*\], the runtime infers"),
    # The dimensions of rows that were never made: onnxruntime's are 0 where it does not know them, we may know more.
    ("no rows, of other sizes", WRONG_SHAPE, r"shape \[0\b[^\]]*\] instead of \[0\b"),
    ("no value of dynamic rank", CONVERT_ERROR, r"differ in rank|elements of different rank"),
]


def limit_of(result):
    """The name of the limit that explains a Result, or None."""
    for name, outcome, pattern in LIMITS:
        if result.outcome == outcome and re.search(pattern, result.message):
            return name
    return None
