"""The table of models that ./dev bench --quantised makes, with the forms in which each is measured."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from tests.zoo.registry import TORCHSCRIPT, Built

CALIBRATION, TESTS = 6, 4  # runs: the first ones give the ranges of static quantisation, the others the errors


@dataclass(frozen=True)
class Files:
    """Models that a tool of its own has made, by their form, and the inputs of the runs."""

    models: dict[str, bytes]
    runs: list[dict]


@dataclass(frozen=True)
class Network:
    name: str
    build: Callable[[], Built | Files]
    forms: tuple[str, ...]
    exporter: str | None  # None: `build` returns Files


NETWORKS: dict[str, Network] = {}


def network(name, forms, exporter=TORCHSCRIPT):
    """Adds a row with the decorated function, which returns a Built whose first size is that of all runs, or Files."""

    def add(build):
        assert name not in NETWORKS, name
        NETWORKS[name] = Network(name, build, tuple(forms), exporter)
        return build

    return add


def sources(of):
    """The files whose change makes the network anew: that of its function, and those of functions and classes it imports."""
    named = [value for value in vars(inspect.getmodule(of.build)).values() if inspect.isfunction(value) or inspect.isclass(value)]
    return sorted({inspect.getsourcefile(value) for value in [of.build, *named] if value.__module__.startswith(("bench.", "tests.zoo."))})


def load():
    """All rows. Each imported file adds its rows."""
    from bench import (  # noqa: F401
        quantised_detection,
        quantised_genai,
        quantised_language,
        quantised_sound,
        quantised_synthetic,
        quantised_vision,
    )

    return NETWORKS
