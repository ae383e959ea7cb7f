"""Comparison of a computed value with that of onnxruntime."""

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

ALL_NAN = "all elements are NaN"


@dataclass(frozen=True)
class Comparison:
    """How a value differs from onnxruntime's."""

    type: str  # of onnxruntime's value
    shape: str
    largest: Optional[float] = None  # absolute difference; None if it cannot be computed
    relative: Optional[float] = None  # at the element with the largest absolute difference
    problem: str = ""  # empty if the values are equal within the tolerances
    note: str = ""  # what the comparison cannot show: ALL_NAN, or how many elements are NaN


def compare(actual: Any, expected: Any, rtol: float, atol: float) -> Comparison:
    """`actual` beside `expected`: tensors, lists of tensors, or None for an empty optional."""
    if expected is None or actual is None:
        given = "no value" if actual is None else "a value"
        return Comparison("optional", "", problem="" if expected is actual else f"{given} instead of {'no value' if expected is None else 'a value'}")
    if isinstance(expected, (list, tuple)):
        return _compare_lists(actual, expected, rtol, atol)
    return _compare_tensors(np.asarray(actual), np.asarray(expected), rtol, atol)


def _compare_lists(actual: Any, expected: Any, rtol: float, atol: float) -> Comparison:
    shape = f"{len(expected)} elements"
    if not isinstance(actual, (list, tuple)) or len(actual) != len(expected):
        return Comparison("sequence", shape, problem=f"{len(actual)} elements instead of {len(expected)}")
    elements = [compare(left, right, rtol, atol) for left, right in zip(actual, expected)]
    largest = max((element.largest for element in elements if element.largest is not None), default=None)
    problems = [f"element {index}: {element.problem}" for index, element in enumerate(elements) if element.problem]
    notes = [f"element {index}: {element.note}" for index, element in enumerate(elements) if element.note]
    return Comparison("sequence", shape, largest, problem=problems[0] if problems else "", note=notes[0] if notes else "")


def _compare_tensors(actual: Any, expected: Any, rtol: float, atol: float) -> Comparison:
    kind, shape = _type_name(expected), str(list(expected.shape))
    if _type_name(actual) != kind:
        return Comparison(kind, shape, problem=f"the type is {_type_name(actual)}")
    if actual.shape != expected.shape:
        return Comparison(kind, shape, problem=f"the shape is {list(actual.shape)}")
    if kind == "string":
        wrong = _text(actual) != _text(expected)
        return Comparison(kind, shape, problem=_first(np.asarray(wrong), actual, expected))
    left, right = actual.astype(np.float64), expected.astype(np.float64)
    if kind.startswith(("float", "bfloat")):
        wrong = ~np.isclose(left, right, rtol=rtol, atol=atol, equal_nan=True)
    else:
        wrong = actual != expected
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        difference = np.where((left == right) | (np.isnan(left) & np.isnan(right)), 0.0, np.abs(left - right))
        if not difference.size:
            return Comparison(kind, shape, 0.0, 0.0)
        place = int(np.argmax(np.where(np.isnan(difference), np.inf, difference)))
        largest, size = float(difference.reshape(-1)[place]), abs(float(right.reshape(-1)[place]))
    relative = 0.0 if largest == 0 else (largest / size if size else float("inf"))
    return Comparison(kind, shape, largest, relative, _first(np.asarray(wrong), actual, expected), _note(right))


def _note(expected: Any) -> str:
    count = int(np.isnan(expected).sum())
    if count == 0:
        return ""
    return ALL_NAN if count == expected.size else f"{count} of {expected.size} elements are NaN"


def _first(wrong: Any, actual: Any, expected: Any) -> str:
    if not wrong.any():
        return ""
    at = tuple(int(index) for index in np.argwhere(wrong)[0]) if wrong.ndim else ()
    return f"{int(wrong.sum())} of {wrong.size} differ, first at {list(at)}: {actual[at]} instead of {expected[at]}"


def _type_name(array: Any) -> str:
    return "string" if array.dtype.kind in "OUS" else str(array.dtype)


def _text(array: Any) -> Any:
    decoded = [item.decode() if isinstance(item, bytes) else str(item) for item in array.reshape(-1)]
    return np.array(decoded, dtype=object).reshape(array.shape)
