"""Models of other files as exported by the TorchScript exporter for older opsets."""

from .convolutional import densenet, style_transfer, super_resolution, text_recognition, unet
from .recurrent import lstm_tagger
from .registry import TORCHSCRIPT, model
from .vision import mobilenet_v3

_FIRST_OPSETS = {  # the oldest that has what the model needs
    densenet: 9,
    mobilenet_v3: 9,
    lstm_tagger: 9,
    text_recognition: 9,
    style_transfer: 9,
    unet: 11,
    super_resolution: 11,
}


def _add(build, opset):
    def build_for_opset():
        built = build()
        built.opset = opset
        return built

    model(f"{build.__name__}_opset_{opset}", exporters=(TORCHSCRIPT,), atol=1e-4)(build_for_opset)


for _build, _first in _FIRST_OPSETS.items():
    for _opset in sorted({_first, 13}):
        _add(_build, _opset)
