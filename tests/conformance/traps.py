"""Inputs of the models in tests/models/traps, one or more for each row of the table of Loop's traps.

Expected values come from onnxruntime; if it is wrong or rejects the model, they are given here.
"""

import numpy as np

from .case import Run
from .feedings import fed
from .tool import REPOSITORY

FOLDER = REPOSITORY / "tests/models/traps"

# Rows without a model here: 4 is a limit of the runtime (a run-time M of 2^31 or more arrives as a negative number),
# 33 is about errors (tests/errors).


def f32(*values):
    return np.array(values, np.float32)


def i64(value):
    return np.array(value, np.int64)


def flag(value):
    return np.array(value, np.bool_)


X = f32(1.5, -2)
COUNTS = (3, 0, 1, 7, -1, -4, 2)


def counted(**others):
    """A run for each trip count, the other inputs as given."""
    return [Run({"M": i64(count), **others}) for count in COUNTS]


def for_each(name, values, **others):
    return [Run({name: value, **others}) for value in values]


def _doubled(count, **values):
    state, rows = X, []
    for _ in range(max(count, 0)):
        state = state + state
        rows.append(-state)
    return {"y": state, "rows": np.array(rows, np.float32).reshape(-1, 2), **values}


def _unnamed_outputs():
    return [Run(run.inputs, {"z": X + X * max(int(run.inputs["M"]), 0)}) for run in counted(x=X)]


def _scan_only_used():
    counts = [int(run.inputs["M"]) for run in counted()]
    rows = [np.array([-(X + X * i) for i in range(n)], np.float32).reshape(-1, 2) for n in counts]
    return [Run(run.inputs, {"rows": expected}) for run, expected in zip(counted(x=X), rows)]


def _outputs_without_node():
    outside = f32(4, 5)
    inside = f32(7, 8)
    runs = []
    for run in counted(x=X, outside=outside):
        count = max(int(run.inputs["M"]), 0)
        states = [X * 2**i for i in range(count + 1)]
        expected = {
            "y": states[count],
            "same": X,
            "from_outside": outside if count else X,
            "constant": inside if count else X,
            "states": _rows(states[:-1]),
            "outsides": _rows([outside] * count),
            "constants": _rows([inside] * count),
            "once": _rows(states[1:]),
            "twice": _rows(states[1:]),
        }
        runs.append(Run(run.inputs, expected))
    return runs


def _rows(rows):
    return np.array(rows, np.float32).reshape(-1, 2)


def _trip_int32():
    return [Run({"M": np.array(n, np.int32), "x": X}, _doubled(n)) for n in COUNTS]


def _untyped_body():
    runs = []
    for run in counted(x=X):
        rows = [-(X + i * (i + 1) / 2) for i in range(int(run.inputs["M"]))]
        runs.append(Run(run.inputs, {"y": -rows[-1] if rows else X, "rows": _rows(rows)}))
    return [Run(run.inputs, {name: np.asarray(v, np.float32) for name, v in run.expected.items()}) for run in runs]


def _condition_only():
    return [Run(run.inputs, {"y": X + X}) for run in counted(x=X)]


def _body_input_default():
    return [Run(run.inputs, {"y": X + f32(1, 2) * max(int(run.inputs["M"]), 0)}) for run in counted(x=X)]


def _input_shadows():
    state = f32(5, 6)
    runs = counted(x=X, state=state)
    return [Run(run.inputs, {"y": X * 2 ** max(int(run.inputs["M"]), 0), "sum": X + state}) for run in runs]


def _initializer_shadows():
    bias = f32(5, 6)
    runs = counted(x=X, bias=bias)
    steps = [max(int(run.inputs["M"]), 0) for run in runs]
    return [Run(run.inputs, {"y": X + f32(10, 20) * n, "sum": X + bias}) for run, n in zip(runs, steps)]


def _iteration_returned():
    runs = []
    for run in counted(start=i64(-9)):
        count = max(int(run.inputs["M"]), 0)
        numbers = np.arange(count, dtype=np.int64)
        runs.append(Run(run.inputs, {"last": i64(count - 1 if count else -9), "numbers": numbers}))
    return runs


def _condition_returned():
    runs = []
    for cond in (True, False):
        for start in (True, False):
            for run in counted(cond=flag(cond), start=flag(start)):
                count = max(int(run.inputs["M"]), 0) if cond else 0
                expected = {"last": flag(True if count else start), "flags": np.ones(count, np.bool_)}
                runs.append(Run(run.inputs, expected))
    return runs


def _computed_condition_returned():
    runs = []
    for limit in (2, 0, 10):
        for run in counted(limit=i64(limit), start=flag(True)):
            flags = []
            for i in range(max(int(run.inputs["M"]), 0)):
                flags.append(i < limit)
                if not flags[-1]:
                    break
            expected = {"last": flag(flags[-1] if flags else True), "flags": np.array(flags, np.bool_)}
            runs.append(Run(run.inputs, expected))
    return runs


def _condition_matrix():
    runs = []
    for cond in (True, False):
        for run in counted(cond=flag([[cond]]), x=f32(1.5).reshape(1, 1)):
            state, rows = np.float32(1.5), []
            for _ in range(int(run.inputs["M"]) if cond else 0):
                state = state + state
                rows.append(-state)
                if not state < 20:
                    break
            expected = {"y": f32(state).reshape(1, 1), "rows": np.array(rows, np.float32).reshape(-1, 1, 1)}
            runs.append(Run(run.inputs, expected))
    return runs


def _limits(**others):
    return for_each("limit", [np.array(limit, np.float32) for limit in (9, 2, -100, 5.5)], **others)


def _with_condition(**others):
    return [Run({"cond": flag(cond), **others}) for cond in (True, False, True)]


def _vector_condition(m, cond):
    runs = []
    for start in (True, False):
        for run in counted():
            state, rows = f32(1.5, 2), []
            for _ in range(int(run.inputs["M"]) if start else 0):
                state = state + state
                rows.append(-state)
                if not state.sum() < 20:
                    break
            inputs = {"M": m(run.inputs["M"]), "cond": cond(start), "x": f32(1.5, 2)}
            runs.append(Run(inputs, {"y": state, "rows": _rows(rows)}))
    return runs


def _walk_dynamic():
    generator = np.random.default_rng(3)
    lengths = (4, 1, 6, 0, 3)
    walks = [generator.standard_normal((2, n)).astype(np.float32) for n in lengths]
    return [Run({"X": walk, "h0": X, "b": f32(0.5, 1)}) for walk in walks]


def _walk():
    generator = np.random.default_rng(4)
    walks = [generator.standard_normal((5, 2)).astype(np.float32) for _ in range(3)]
    return [Run({"X": walk, "h0": X, "b": f32(0.5, 1)}) for walk in walks]


def _states(names):
    return {name: f32(10 * index + 1, 10 * index + 2) for index, name in enumerate(names)}


def _repeated(values, **others):
    return for_each("x", values, **others)


_PLAIN = [X, f32(0, 3), f32(-1, 1)]

def _dynamic_states():
    generator = np.random.default_rng(5)
    runs = []
    for count, n, a, b in ((0, 2, 1, 2), (3, 2, 2, 1), (0, 2, 2, 1), (0, 0, 0, 3), (2, 3, 1, 0), (1, 0, 2, 2), (0, 5, 3, 3), (2, 1, 1, 1), (0, 1, 1, 1)):
        numbers = [generator.standard_normal(shape).astype(np.float32) for shape in ((n,), (n, 2), (a, b, 3))]
        flags = [generator.standard_normal(size) > 0 for size in (2, n)]
        runs.append(Run(dict(zip("Mvpqfgc", (i64(count), *numbers, *flags, i64(7 + count))))))
    return runs


def _vector_trips():
    runs = []
    for count, cond, rows in ((2, True, 1), (0, True, 1), (5, True, 2), (5, False, 2), (1, True, 0), (0, False, 3), (-1, True, 1)):
        inputs = {"M": i64([count]), "cond": flag([cond]), "x": X, "s": np.arange(2 * rows, dtype=np.float32).reshape(rows, 2)}
        runs.append(Run(inputs))
    return runs


def _four_dimensions():
    def values(*shape):
        return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)

    sizes = ((0, 1, 2), (2, 1, 2), (0, 3, 2), (1, 2, 0), (0, 2, 0), (3, 1, 1), (0, 1, 8))
    return [Run({"M": i64(m), "k": values(1, 2, n, 3), "l": values(b, 2, n, 3)}) for m, b, n in sizes]


def _later_loops():
    sizes = ((0, 0, 2), (1, 3, 2), (0, 2, 3), (3, 1, 1), (2, 2, 0), (0, 1, 0), (1, 0, 1))
    return [Run({"M": i64(m), "N": i64(n), "x": np.arange(size, dtype=np.float32)}) for m, n, size in sizes]


def _declared_rows():
    runs = []
    for count, n in ((0, 3), (2, 3), (0, 1), (1, 4), (0, 2)):
        runs.append(Run({"M": i64(count), "x": np.arange(n, dtype=np.float32), "p": np.ones((2, n), np.float32)}))
    # Without rows, onnxruntime uses the declaration.
    return runs


# Runs by the model file's name, without its folder and suffix.
RUNS = {
    "trip_zero": _repeated(_PLAIN),
    "trip_minus_one": _repeated(_PLAIN),
    "trip_negative": _repeated(_PLAIN),
    "trip_run_time": counted(x=X),
    "trip_computed": [
        Run({"x": np.arange(n, dtype=np.float32), "less": i64(less)})
        for n, less in ((5, 2), (2, 4), (0, 0), (3, 0), (0, 1))
    ],
    "trip_int64_max": _limits(x=f32(1)),
    "trip_int32_max": _limits(x=f32(1)),
    "trip_beyond_int32": _limits(x=f32(1)),
    "condition_false": counted(x=X),
    "condition_false_no_trip": _repeated(_PLAIN),
    "condition_invariant": _with_condition(x=X),
    "condition_constant_in_body": _with_condition(x=X),
    "condition_captured": [
        Run({"cond": flag(c), "again": flag(a), "x": X}) for c, a in ((1, 1), (0, 1), (1, 0), (0, 0), (1, 1))
    ],
    "condition_passed_through": _repeated(_PLAIN),
    "condition_vector_out": _vector_condition(lambda m: m.reshape(1), lambda c: flag([c])),
    "condition_scalar_then_vector": _vector_condition(lambda m: m, flag),
    "iteration_vector": [
        Run({"x": x}, {"rows": -x}) for x in (f32(1, 2, 3, 4), f32(0, -1, 5, 2))
    ],
    "scan_ranks": counted(x=X),
    "no_rows": counted(x=np.arange(6, dtype=np.float32).reshape(2, 3)),
    "captures_deep": counted(x=X, w=f32(0.5, 2)),
    "state_and_capture": counted(x=X),
    "two_states_from_one_value": counted(x=X),
    "outputs_without_node": _outputs_without_node(),
    "names_reused": counted(x=X),
    "body_input_default": _body_input_default(),
    "growing_state": counted(x=X),
    "appended_rows": [
        run
        for start in (np.zeros((0, 3), np.float32), np.full((2, 3), 7, np.float32))
        for run in counted(x=np.arange(6, dtype=np.float32).reshape(2, 3), start=start)
    ],
    "initial_of_other_size": [
        run
        for rows in (0, 1, 5)
        for go in (True, False)
        for run in counted(x=f32(0, 1, 2, 3, 4, 5).reshape(2, 3), start=np.full((rows, 3), 7, np.float32), go=flag(go))
    ],
    "appended_in_branches": [
        run
        for first, size in ((2, 0), (0, 3), (9, 3))
        for run in counted(
            first=np.array(first), row=f32(1, 2).reshape(1, 2), start=np.arange(size, dtype=np.float32), rows=np.full((size, 2), 7, np.float32)
        )
    ],
    "growing_matrix": counted(x=f32(1, 2).reshape(2, 1)),
    "growing_state_unused": [
        run for x in (X, f32(0, 3)) for run in counted(x=x)
    ],
    "condition_as_value": counted(x=X, cond=flag(True)) + counted(x=X, cond=flag(False)),
    "outputs_unnamed": _unnamed_outputs(),
    "scan_only_used": _scan_only_used(),
    "untyped_body": _untyped_body(),
    "scan_only": counted(),
    "condition_only": _condition_only(),
    "trip_int32": _trip_int32(),
    "nested_loops": counted(x=f32(0.5, -1)),
    "if_in_loop": _limits(x=X),
    "loop_in_if": counted(x=X, up=flag(True)) + counted(x=X, up=flag(False)),
    "early_exit": _limits(x=f32(1, 1)),
    "ran_then_zero": counted(x=X, cond=flag(True)) + counted(x=X, cond=flag(False)) + counted(x=X, cond=flag(True)),
    "swapped_states": counted(**_states("ab")),
    "starts_empty": [
        Run({"M": i64(m), "x": np.ones((n, 2), np.float32)}) for m, n in ((3, 0), (0, 0), (1, 0), (2, 1), (0, 2), (4, 0))
    ],
    "shifted_states": counted(**_states("abc")),
    "rotated_states": counted(**_states("abcd")),
    "state_never_read": counted(x=X, start=f32(8, 9)),
    "huge_trip_with_rows": _limits(x=f32(1)),
    "trip_two_to_31": _limits(x=f32(1)),
    "condition_matrix": _condition_matrix(),
    "iteration_returned": _iteration_returned(),
    "condition_returned": _condition_returned(),
    "computed_condition_returned": _computed_condition_returned(),
    "body_input_shadows": _input_shadows(),
    "body_initializer_shadows": _initializer_shadows(),
    "initializer_without_elements": counted(x=f32(1, 2).reshape(1, 2)),
    "empty_vector": counted(),
    "constant_beyond_int32": counted(x=i64(12)),
    "walk_over_tensor": _walk(),
    "walk_dynamic": _walk_dynamic(),
    "dynamic_states": _dynamic_states(),
    "condition_and_vector_trip": _vector_trips(),
    "four_dimensions": _four_dimensions(),
    "state_read_by_later_loop": _later_loops(),
    "declared_row": _declared_rows(),
    "inner_trip_is_outer_iteration": [
        Run({**run.inputs, "v": np.arange(n, dtype=np.float32)}) for n in (2, 0, 3) for run in counted(x=X)
    ],
}


def model_path(name):
    return next(FOLDER.glob(f"{name}.onnx*"))


def trap_case(name, feeding):
    return fed(name, model_path(name).read_bytes(), RUNS[name], feeding)
