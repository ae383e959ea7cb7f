"""The framework for experiments with the runtime.

An experiment is a function with the name of a fault in target/faults.txt and the decorator @experiment. It builds a
model with OpenVINO's Python API alone, runs it on the CPU, and returns whether the runtime is wrong. Its docstring states the right
result. It raises Unavailable if the release lacks the operation, type or API.
"""

import importlib
import importlib.util
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import openvino as ov


class _Operations:
    """The factories of all operations, each from the newest opset that has it.

    Releases before 2025.0 keep the newest opsets in openvino.runtime; the module of an opset can lack older operations."""

    def __init__(self):
        names = [f"{package}.opset{version}" for version in range(16, 0, -1) for package in ("openvino", "openvino.runtime")]
        self._modules = [importlib.import_module(name) for name in names if _exists(name)]

    def __getattr__(self, name):
        for module in self._modules:
            if hasattr(module, name):
                return getattr(module, name)
        raise Unavailable(f"no operation {name}")


def _exists(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the containing package
        return False


class Unavailable(Exception):
    """The release lacks what the experiment needs: the fault cannot occur there."""


opset = _Operations()

CONFIG = {
    "INFERENCE_PRECISION_HINT": "f32",
    "INFERENCE_NUM_THREADS": 1,
    # With one stream of one thread, infer() does not report errors: see errors_on_one_thread.
    "NUM_STREAMS": "0",
    "ENABLE_CPU_PINNING": False,
}


@dataclass(frozen=True)
class Experiment:
    run: Callable[[], bool]
    may_crash: bool  # the fault can end the process, or hang

    @property
    def name(self):
        return self.run.__name__


EXPERIMENTS = {}


def experiment(function=None, *, may_crash=False):
    """Registers an experiment; a function that returns whether the runtime is wrong."""
    if function is None:
        return lambda function: experiment(function, may_crash=may_crash)
    if not inspect.getdoc(function):
        raise ValueError(f"{function.__name__} does not say what is right")
    EXPERIMENTS[function.__name__] = Experiment(function, may_crash)
    return function


def load_all():
    """All experiments by name: imports the modules of this folder."""
    from . import SUBJECTS

    for subject in SUBJECTS:
        importlib.import_module(f"{__package__}.{subject}")
    return EXPERIMENTS


def element_type(name):
    """ov.Type by name; Unavailable if the release lacks it."""
    if not hasattr(ov.Type, name):
        raise Unavailable(f"no element type {name}")
    return getattr(ov.Type, name)


def parameter(shape, name="f32"):
    """A Parameter; -1 stands for a dynamic dimension."""
    return opset.parameter(shape, element_type(name))


def number(value):
    """An i64 constant of rank 0."""
    return opset.constant(np.int64(value))


def numbers(*values):
    """An i64 constant of rank 1."""
    return opset.constant(np.array(values, np.int64))


def unchanged(model):
    return model


# What happens to a model before it is compiled: tests/faults/run_legalized.py works around faults.
preparation = unchanged


def compiled(inputs, *outputs, precision="f32", **options):
    """A compiled model of Parameters and output nodes. CPUs that cannot compute in `precision` compute in f32. `options` are those of OpenVINO."""
    model = ov.Model(list(outputs), list(inputs), "main")
    return ov.Core().compile_model(preparation(model), "CPU", CONFIG | {"INFERENCE_PRECISION_HINT": precision} | options)


def results(inputs, output, *runs, **options):
    """Copies of one output for each run (a list of arrays), with one compiled model for all runs. Options as in `compiled`."""
    model = compiled(inputs, output, **options)
    return [np.array(model(list(run))[0]) for run in runs]


def shapes(inputs, output, *runs):
    """The shapes of one output for each run."""
    return [result.shape for result in results(inputs, output, *runs)]


def fails(action, *arguments):
    """Whether the runtime reports an error."""
    try:
        action(*arguments)
    except RuntimeError:
        return True
    return False
