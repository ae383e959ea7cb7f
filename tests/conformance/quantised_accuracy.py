"""How accurate quantised models are: the error of the IR against the model before quantisation, beside that of onnxruntime.

Quantisation loses much more than the rounding of any runtime, so the results are not compared bit by bit."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import openvino as ov

from . import runtime, tool

MOST_RELATIVE_ERROR = 1.05  # the error of the IR, divided by onnxruntime's
MOST_DIFFERENCE = 6.0  # from onnxruntime's results, in root mean square errors of onnxruntime


@dataclass(frozen=True)
class Accuracy:
    """Of one output over all runs. Errors are root mean squares, divided by that of the output of the original model."""

    output: str
    error: float
    onnxruntime_error: float
    difference: float  # the largest one between the IR and onnxruntime, in errors of onnxruntime

    @property
    def relative_error(self):
        return self.error / self.onnxruntime_error if self.onnxruntime_error else float(self.error > 1e-6)

    def is_good(self, most_difference=MOST_DIFFERENCE):
        return self.relative_error <= MOST_RELATIVE_ERROR and self.difference <= most_difference


def assert_accurate(original, quantised, runs, options=(), most_difference=MOST_DIFFERENCE):
    """`original`, `quantised`: serialized ModelProtos. `runs`: inputs by name."""
    found = accuracies(original, quantised, runs, options)
    assert found
    for accuracy in found:
        assert accuracy.is_good(most_difference), accuracy


def accuracies(original, quantised, runs, options=(), settings=None):
    """The Accuracy of each output of floating-point numbers. `settings` override those of the IR and of the tests."""
    wanted = results_of_onnxruntime(original, runs)
    expected = results_of_onnxruntime(quantised, runs)
    actual = results_of_ir(quantised, runs, options, settings)
    return [_accuracy(name, actual[name], expected[name], wanted[name]) for name in wanted if wanted[name].dtype.kind == "f"]


def assert_same_integers(actual, expected):
    """Integers at outputs differ by at most one step, in at most 1 % of the elements."""
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    differences = np.abs(actual.astype(np.int64) - expected.astype(np.int64))
    assert differences.max(initial=0) <= 1, differences.max()
    assert np.count_nonzero(differences) <= 0.01 * differences.size, f"{np.count_nonzero(differences)} of {differences.size} differ"


def _root_mean_square(values):
    return float(np.sqrt(np.mean(np.square(values, dtype=np.float64)))) if values.size else 0.0


def _accuracy(name, actual, expected, wanted):
    assert actual.shape == expected.shape == wanted.shape, (name, actual.shape, expected.shape, wanted.shape)
    size = _root_mean_square(wanted) or 1.0
    error = _root_mean_square(expected - wanted)
    difference = float(np.abs(actual.astype(np.float64) - expected).max(initial=0.0))
    return Accuracy(name, _root_mean_square(actual - wanted) / size, error / size, difference / error if error else difference)


def _flat(results):
    """The outputs by name; the elements of all runs in one array."""
    return {name: np.concatenate([result[name].reshape(-1) for result in results]) for name in results[0]}


def results_of_onnxruntime(model, runs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return _flat([dict(zip(names, session.run(names, inputs))) for inputs in runs])


def results_of_ir(model, runs, options=(), settings=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(model)
        tool.convert(tool.tool_path(), path, path.with_suffix(".xml"), options)
        core = ov.Core()
        compiled = core.compile_model(core.read_model(path.with_suffix(".xml")), "CPU", {**runtime.CONFIG, **(settings or {})})
        request = compiled.create_infer_request()
        results = []
        for inputs in runs:
            request.infer(inputs)
            results.append({output.get_any_name(): request.get_tensor(output).data.copy() for output in compiled.outputs})
        return _flat(results)
