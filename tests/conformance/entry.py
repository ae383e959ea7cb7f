"""The parameter of a pytest item: a key, and a function that creates its case."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from . import known_failures
from .case import PASS, Case


@dataclass(frozen=True)
class Entry:
    key: tuple[str, ...]  # unique over all test files
    make: Callable[[], Case]


def parameters(entries):
    """The argument of pytest.mark.parametrize("conformance", ...). These tests belong to the test matrix."""
    return [pytest.param(entry, id="-".join(entry.key[1:]), marks=pytest.mark.matrix) for entry in entries]


@functools.cache
def _known():
    return known_failures.in_environment(known_failures.load(), known_failures.current())


def assert_passed(result):
    """Fails unless the case passes, or fails in one of two expected ways: it is in known_failures.txt for this release and instruction set,
    where each line names the experiment that shows the limit; or the converter refuses the model with --target-runtime for this release.
    The error then names the fault, whose experiment in tests/faults shows that the release cannot run it."""
    known = _known().get(known_failures.place_of(result.key))
    if known is None and result.outcome != PASS and not result.is_refused:
        pytest.fail(f"{result.outcome}: {result.message}", pytrace=False)
    # Random numbers may equal the expected ones once in a thousand runs.
    if known is not None and result.outcome != known.outcome and known.reason != "random_numbers":
        pytest.fail(f"listed as {known.outcome}, now {result.outcome}: {result.message}", pytrace=False)
