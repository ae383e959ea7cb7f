"""What a pytest item is parametrised with: a key and how to make its case."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from .case import PASS, Case


@dataclass(frozen=True)
class Entry:
    key: tuple[str, ...]  # unique over all test files
    make: Callable[[], Case]


def parameters(entries):
    """The argument of pytest.mark.parametrize("conformance", ...). These tests belong to the test matrix."""
    return [pytest.param(entry, id="-".join(entry.key[1:]), marks=pytest.mark.matrix) for entry in entries]


def assert_passed(result):
    if result.outcome != PASS:
        pytest.fail(f"{result.outcome}: {result.message}", pytrace=False)
