"""Models that were once converted wrongly, in tests/models/found, and the files with their runs."""

import json

import numpy as np

from .case import Run
from .feedings import fed
from .interface import element_dtype
from .tool import REPOSITORY
from .oracle import parse_model

FOLDER = REPOSITORY / "tests/models/found"


def _to_json(value):
    if value is None or isinstance(value, list):
        return value and [_to_json(element) for element in value]
    array = np.asarray(value)
    return {"shape": list(array.shape), "data": array.reshape(-1).tolist()}


def _from_json(data, dtype):
    if data is None or isinstance(data, list):
        return data and [_from_json(element, dtype) for element in data]
    return np.array(data["data"], dtype).reshape(data["shape"])


def _values(data, infos):
    types = {info.name: info.type for info in infos}
    return {name: _from_json(value, element_dtype(types[name])) for name, value in data.items()}


def runs_to_json(runs):
    """The text of the runs of a model."""
    lines = []
    for run in runs:
        parts = {"inputs": run.inputs} | ({"expected": run.expected} if run.expected is not None else {})
        lines.append(json.dumps({key: {n: _to_json(v) for n, v in values.items()} for key, values in parts.items()}))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def runs_from_json(text, graph):
    """The runs of a model with this GraphProto."""
    runs = []
    for run in json.loads(text):
        expected = _values(run["expected"], graph.output) if "expected" in run else None
        runs.append(Run(_values(run["inputs"], graph.input), expected))
    return runs


def names():
    return sorted(path.stem for path in FOLDER.glob("*.onnxtxt"))


def found_case(name, feeding):
    model = (FOLDER / f"{name}.onnxtxt").read_bytes()
    runs = runs_from_json((FOLDER / f"{name}.json").read_text(), parse_model(model).graph)
    return fed(name, model, runs, feeding)
