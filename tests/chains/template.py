"""The table of templates. A template is a function that adds nodes to a Graph and returns the values that follow."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Template:
    name: str
    aims: tuple[str, ...]  # transformations and fusions of OpenVINO
    build: Callable


TEMPLATES = {}


def template(*aims):
    """Registers a template with the transformations whose patterns it varies."""

    def register(function):
        assert function.__name__ not in TEMPLATES, function.__name__
        TEMPLATES[function.__name__] = Template(function.__name__, aims, function)
        return function

    return register
