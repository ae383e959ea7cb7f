"""Models in half precision, and in 8 bits as onnxruntime quantises them."""

from .language import bert
from .registry import DYNAMO, model
from .vision import mobilenet_v3, resnet


def in_half(built):
    """Weights and real inputs in half precision."""
    given = built.inputs

    def inputs(**size):
        return {name: value.half() if value.is_floating_point() else value for name, value in given(**size).items()}

    built.module.half()
    built.inputs = inputs
    return built


def quantise_statically(path, runs):
    """QuantizeLinear and DequantizeLinear around each operator, with ranges from the runs."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    class Runs(CalibrationDataReader):
        def __init__(self):
            self.left = iter(runs)

        def get_next(self):
            return next(self.left, None)

    quantize_static(path, path, Runs(), quant_format=QuantFormat.QDQ, per_channel=True)


def quantise_dynamically(path, runs):
    """DynamicQuantizeLinear, MatMulInteger and ConvInteger."""
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(path, path)


def quantised(built, transform):
    built.transform = transform
    return built


@model("resnet_half", rtol=2e-2, atol=2e-2)
def resnet_half():
    return in_half(resnet())


@model("bert_half", rtol=2e-2, atol=2e-2)
def bert_half():
    return in_half(bert())


@model("mobilenet_v3_quantised", rtol=5e-2, atol=5e-2)
def mobilenet_v3_quantised():
    return quantised(mobilenet_v3(), quantise_statically)


@model("resnet_quantised_dynamically", export_fails={DYNAMO: "ShapeInferenceError"}, rtol=5e-2, atol=5e-2)
def resnet_quantised_dynamically():
    return quantised(resnet(), quantise_dynamically)


@model("bert_quantised", rtol=5e-2, atol=5e-2)
def bert_quantised():
    return quantised(bert(), quantise_statically)


@model("bert_quantised_dynamically", rtol=5e-2, atol=5e-2)
def bert_quantised_dynamically():
    return quantised(bert(), quantise_dynamically)
