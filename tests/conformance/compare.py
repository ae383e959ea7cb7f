"""Comparison of a computed value with the expected one."""

import numpy as np

from .case import WRONG_SHAPE, WRONG_TYPE, WRONG_VALUES, Failure
from .element_types import is_string, type_name


def compare(name, actual, expected, rtol, atol, integer_steps=0):
    """Raises Failure unless `actual` is `expected`: a tensor, a list of tensors, or None for an empty optional."""
    if expected is None or actual is None:
        if expected is not actual:
            raise Failure(WRONG_VALUES, f"{name}: {_brief(actual)} instead of {_brief(expected)}")
    elif isinstance(expected, (list, tuple)):
        if not isinstance(actual, (list, tuple)):
            raise Failure(WRONG_TYPE, f"{name}: a tensor instead of a sequence")
        if len(actual) != len(expected):
            raise Failure(WRONG_SHAPE, f"{name}: {len(actual)} elements instead of {len(expected)}")
        for index, (left, right) in enumerate(zip(actual, expected)):
            compare(f"{name}[{index}]", left, right, rtol, atol, integer_steps)
    else:
        _compare_tensors(name, np.asarray(actual), np.asarray(expected), rtol, atol, integer_steps)


def _compare_tensors(name, actual, expected, rtol, atol, integer_steps):
    if type_name(actual) != type_name(expected):
        raise Failure(WRONG_TYPE, f"{name}: type {type_name(actual)} instead of {type_name(expected)}")
    if actual.shape != expected.shape:
        raise Failure(WRONG_SHAPE, f"{name}: shape {list(actual.shape)} instead of {list(expected.shape)}")
    wrong = _differences(actual, expected, rtol, atol, integer_steps)
    if np.any(wrong):
        index = tuple(int(i) for i in np.argwhere(np.atleast_1d(wrong))[0])
        left = np.atleast_1d(actual)[index]
        right = np.atleast_1d(expected)[index]
        raise Failure(
            WRONG_VALUES,
            f"{name}: {int(np.count_nonzero(wrong))} of {actual.size} differ, "
            f"first at {list(index)}: {left} instead of {right}",
        )


def _differences(actual, expected, rtol, atol, integer_steps):
    if is_string(expected):
        return np.asarray(_text(actual) != _text(expected))
    if expected.dtype.kind in "bui" or type_name(expected) in ("i4", "u4", "u2"):
        if integer_steps and expected.dtype.kind in "ui":
            return np.abs(actual.astype(np.int64) - expected.astype(np.int64)) > integer_steps
        if np.ndim(atol):  # a spread for each element
            return np.abs(actual.astype(np.float64) - expected.astype(np.float64)) > atol
        return np.asarray(actual != expected)
    if type_name(expected) == "bf16":
        rtol = max(rtol, 2.0**-6)  # the backend suite's own rule
    actual = actual.astype(np.float64)
    expected = expected.astype(np.float64)
    return ~np.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)


def _text(array):
    decoded = [item.decode() if isinstance(item, bytes) else str(item) for item in array.reshape(-1)]
    return np.array(decoded, dtype=object).reshape(array.shape)


def _brief(value):
    return "no value" if value is None else "a value"
