"""All rows of the table, in the order of docs/models.md. A new file of models is imported here."""

from . import (  # noqa: F401 (each adds its rows)
    convolutional,
    detection,
    geometry,
    language,
    low_precision,
    newer_opsets,
    older_opsets,
    onnxruntime_tools,
    recurrent,
    segmentation,
    sequence_to_sequence,
    sound,
    vision,
)

from . import control_flow  # isort: skip  # noqa: F401
from .registry import MODELS  # noqa: F401
