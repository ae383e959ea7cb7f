"""Random graphs: a template with variations, and operations before, after and beside it."""

from . import convolutions, elementwise, movement, products, quantized  # noqa: F401: they register their templates
from .choices import Choices
from .graph import Graph
from .steps import follow
from .template import TEMPLATES

NAMES = sorted(TEMPLATES)
MOST_NODES = 16


def choices_of(seed, index):
    """The choices for graph `index` of a seed."""
    return Choices(f"{seed}/{index}")


def template_of(index):
    """The templates take turns."""
    return NAMES[index % len(NAMES)]


def random_case(template, choices, name):
    """The Case of a graph of the template."""
    g = Graph(choices)
    values = TEMPLATES[template].build(g)
    for value in values:
        for _ in range(choices.pick([0, 0, 1, 2])):
            if len(g.nodes) < MOST_NODES:
                value = follow(g, value)
        g.outputs.append(value)
    if choices.one_in(4):  # another reader of an inner value
        g.outputs.append(follow(g, choices.pick(g.values)))
    if choices.one_in(6):
        g.outputs.append(choices.pick(g.values))
    computed = {value.name for value in g.values}
    g.outputs = list({value.name: value for value in g.outputs if value.name in computed}.values()) or [g.values[-1]]
    return g.case(name)
