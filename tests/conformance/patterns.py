"""Inputs of the models in tests/models/patterns: control flow as exporters write it, cut down to what once went wrong."""

import numpy as np

from .case import Case, Run
from .tool import REPOSITORY

FOLDER = REPOSITORY / "tests/models/patterns"


def ramp(*shape):
    return np.linspace(-1, 2, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def counts(*numbers, **others):
    return [Run({"n": np.array(n, np.int64), **others}) for n in numbers]


# Runs by the model file's name, without its folder and suffix.
RUNS = {
    "break_in_while": [
        run
        for n, limit in ((3, 9), (9, 3), (0, 0), (4, -1), (2, 5))
        for run in counts(n, x=ramp(3), limit=np.array(limit, np.int64))
    ],
    "last_of_a_list": counts(4, 0, 1, 7, 2, x=ramp(3, 4)),
    "none_at_first": counts(4, 0, 1, 3, x=ramp(3, 4)),
    "squeeze": [Run({"x": ramp(3, 1, 4), "w": ramp(3, 4)}), Run({"x": -ramp(3, 1, 4), "w": ramp(3, 4)})],
    "stack_of_any_size": [
        Run({"x": ramp(size, 2), "n": np.array(n, np.int64), "second": np.array(second)})
        for size, n, second in ((3, 4, True), (1, 1, False), (5, 2, True), (3, 6, False))
    ],
    "unbind": [Run({"x": ramp(n, 2), "fixed": ramp(3, 2)}) for n in (4, 1, 6)],
}


def pattern_case(name, feeding):
    runs = RUNS[name]
    if feeding == "one_compiled_reversed":
        runs = runs[::-1]
    model = (FOLDER / f"{name}.onnxtxt").read_bytes()
    return Case(f"{name}-{feeding}", model, runs, one_compiled=feeding != "fresh", atol=1e-6)

