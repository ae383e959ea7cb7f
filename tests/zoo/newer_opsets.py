"""Models of other files as exported by dynamo for opset 23, with Attention, RMSNormalization and similar operators."""

from .detection import detr
from .language import bert
from .registry import DYNAMO, model
from .sequence_to_sequence import t5_decoder, whisper_decoder, whisper_encoder
from .sound import wav2vec2
from .vision import swin_v2, vit, vit_transformers

_OPSET = 23


def _add(build):
    def build_for_opset():
        built = build()
        built.opset = _OPSET
        return built

    model(f"{build.__name__}_opset_{_OPSET}", exporters=(DYNAMO,), atol=1e-4)(build_for_opset)


for _build in (bert, detr, swin_v2, t5_decoder, vit, vit_transformers, wav2vec2, whisper_decoder, whisper_encoder):
    _add(_build)
