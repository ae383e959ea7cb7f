"""The ways to run a model on several inputs."""

from .case import Case

# A fresh compiled model for each run; one for all, in both orders; one whose loops are unrolled.
FEEDINGS = ("fresh", "one_compiled", "one_compiled_reversed", "unrolled")


def fed(name, model, runs, feeding):
    """The Case of a model, given as bytes, and its runs."""
    if feeding == "one_compiled_reversed":
        runs = runs[::-1]
    options = ("--unroll-loops",) if feeding == "unrolled" else ()
    return Case(f"{name}-{feeding}", model, runs, one_compiled=feeding != "fresh", options=options, time_limit=60)  # some compile for each of 30 inputs
