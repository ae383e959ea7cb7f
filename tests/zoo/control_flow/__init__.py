"""Models with control flow as exporters emit it."""

from . import (  # noqa: F401 (each adds its models to the table)
    arithmetic,
    dynamic_programming,
    higher_order,
    lists,
    loops,
    optional_arguments,
    recurrent,
    sorting,
    tensorflow_loops,
    updates,
)
