"""All rows of the table. A new file of models is imported here."""

from . import (  # noqa: F401 (each adds its rows)
    control_flow,
    convolutional,
    detection,
    geometry,
    language,
    low_precision,
    more_language,
    older_opsets,
    recurrent,
    segmentation,
    sequence_to_sequence,
    sound,
    speech,
    vision,
)
from .registry import MODELS  # noqa: F401
