"""The table of models that ./dev bench --quantised makes, with the forms in which each is measured."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from tests.zoo.registry import TORCHSCRIPT, Built

CALIBRATION, TESTS = 6, 4  # runs: the first ones give the ranges of static quantisation, the others the errors


@dataclass(frozen=True)
class Network:
    name: str
    build: Callable[[], Built]
    forms: tuple[str, ...]
    exporter: str


NETWORKS: dict[str, Network] = {}


def network(name, forms, exporter=TORCHSCRIPT):
    """Adds a row with the decorated function, which returns a Built whose first size is that of all runs."""

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
    from bench import quantised_detection, quantised_language, quantised_sound, quantised_synthetic, quantised_vision  # noqa: F401

    return NETWORKS
