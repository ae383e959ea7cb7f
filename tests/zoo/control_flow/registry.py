"""Decorators that add models with control flow to the zoo's table, and functions that create their inputs."""

import inspect

import torch

from ..registry import DYNAMO, TF2ONNX, TORCHSCRIPT, Built, model


def scripted(**options):
    """The function or module is compiled by torch.jit.script and exported with its control flow."""
    return lambda subject: _add(subject, TORCHSCRIPT, **options)


def exported(**options):
    """The module is exported with torch.export; its control flow consists of higher-order operators."""
    return lambda subject: _add(subject, DYNAMO, **options)


def traced(**options):
    """The function is compiled by tf.function. Its first parameter is the package, so that exports of other models
    do not import it."""
    return lambda subject: _add(subject, TF2ONNX, **options)


def number(value):
    """An i64 scalar."""
    return torch.tensor(value, dtype=torch.int64)


def normal(*shape, seed=0, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator) * scale


def integers(low, high, *shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(low, high, shape, generator=generator)


def _add(subject, exporter, opset, runs, dynamic=None, **row):
    """`subject` is a function, or a module class that needs no arguments; `runs` are inputs, the first is the example of
    the export; `dynamic` has the dynamic axes of each input."""
    is_class = isinstance(subject, type)
    names = list(inspect.signature(subject.forward if is_class else subject).parameters)
    names = [name for name in names if name not in ("self", "tf")]

    def build():
        made = subject().eval() if is_class else subject
        return Built(
            torch.jit.script(made) if exporter == TORCHSCRIPT else made,
            inputs=None,
            sizes=[],
            dynamic={name: {axis: f"{name}_{axis}" for axis in axes} for name, axes in (dynamic or {}).items()},
            outputs=None,
            opset=opset,
            fixed_inputs=[dict(zip(names, run, strict=True)) for run in runs],
        )

    build.__wrapped__ = subject  # the source that the export depends on
    model(_in_small_letters(subject.__name__), exporters=(exporter,), **row)(build)
    return subject


def _in_small_letters(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
