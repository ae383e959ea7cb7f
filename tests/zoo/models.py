"""All rows of the table. A new file of models is imported here."""

from . import detection, language, recurrent, sequence_to_sequence, speech, vision  # noqa: F401
from .registry import MODELS  # noqa: F401
