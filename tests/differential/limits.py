"""Limits of the runtime that random models meet: name and what a failure of that kind looks like."""

import re

from ..conformance.case import CONVERT_ERROR

# (name, outcome, what the message holds)
LIMITS = [
    ("no value of dynamic rank", CONVERT_ERROR, r"differ in rank|elements of different rank"),
]


def limit_of(result):
    """The name of the limit that explains a Result, or None."""
    for name, outcome, pattern in LIMITS:
        if result.outcome == outcome and re.search(pattern, result.message):
            return name
    return None
