"""The ways in which onnxruntime's tools quantise a model: static (QDQ and QOperator), dynamic, and weights alone."""

import functools
from dataclasses import dataclass

import onnx
import onnx.version_converter

STATIC, DYNAMIC, WEIGHTS, FLOAT = "static", "dynamic", "weights alone", "not quantised"


@dataclass(frozen=True)
class Form:
    group: str
    apply: object  # of the path of the f32 model, the path of the result, and the runs for the calibration


def _static(source, path, runs, *, qdq, activations, weights, per_channel, optimised=None, **options):
    """`optimised`: onnxruntime's optimiser fuses operators before, by default for QDQ only. It makes a Gemm of MatMul and Add between
    Reshapes, and then the tool forgets the range of a Relu behind them in the form QOperator: the model is wrong."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Runs(CalibrationDataReader):
        def __init__(self):
            self.left = iter(runs)

        def get_next(self):
            return next(self.left, None)

    prepared = path.with_suffix(".prepared.onnx")
    quant_pre_process(source, prepared, skip_symbolic_shape=True, skip_optimization=not (qdq if optimised is None else optimised))
    _replace_copies(prepared)
    quantize_static(
        prepared,
        path,
        Runs(),
        quant_format=QuantFormat.QDQ if qdq else QuantFormat.QOperator,
        activation_type=getattr(QuantType, activations),
        weight_type=getattr(QuantType, weights),
        per_channel=per_channel,
        extra_options=options,
    )
    prepared.unlink()


def _replace_copies(path):
    """Replaces copies (Identity) of initializers by further initializers. Torch makes copies of equal ones, such as biases of zeros; the tool fails
    on them, and on a tensor that is both the bias of a Conv and the input of an Add."""
    model = onnx.load(path)
    graph = model.graph
    values = {value.name: value for value in graph.initializer}
    kept = []
    for node in graph.node:
        if node.op_type == "Identity" and node.input[0] in values:
            value = graph.initializer.add()
            value.CopyFrom(values[node.input[0]])
            value.name = node.output[0]
            values[value.name] = value
        else:
            kept.append(node)
    del graph.node[:]
    graph.node.extend(kept)
    onnx.save(model, path)


def _dynamic(source, path, runs, *, weights, per_channel=False):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # Shape inference of onnx gives operators of onnxruntime no types.
    options = {"DefaultTensorType": onnx.TensorProto.FLOAT}
    quantize_dynamic(source, path, weight_type=getattr(QuantType, weights), per_channel=per_channel, extra_options=options)


def _in_bits(source, path, runs, *, bits, level=0, block=32, symmetric=False, qdq=False):
    from onnxruntime.quantization import QuantFormat
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    model = onnx.load(source)
    if qdq:
        model = onnx.version_converter.convert_version(model, 21)  # the first with 4-bit integers and blocks
    quantizer = MatMulNBitsQuantizer(
        model,
        bits=bits,
        block_size=block,
        is_symmetric=symmetric,
        accuracy_level=level,
        quant_format=QuantFormat.QDQ if qdq else QuantFormat.QOperator,
    )
    quantizer.process()
    onnx.save(quantizer.model.model, path)


def _unchanged(source, path, runs):
    onnx.save(onnx.load(source), path)


def _form(group, function, **options):
    return Form(group, functools.partial(function, **options))


U8, I8 = "QUInt8", "QInt8"
FORMS = {
    "f32": _form(FLOAT, _unchanged),
    "qdq_u8_channel": _form(STATIC, _static, qdq=True, activations=U8, weights=I8, per_channel=True),
    "qdq_u8_as_exported": _form(STATIC, _static, qdq=True, activations=U8, weights=I8, per_channel=True, optimised=False),
    "qdq_i8_channel": _form(STATIC, _static, qdq=True, activations=I8, weights=I8, per_channel=True),
    "qdq_u8_tensor": _form(STATIC, _static, qdq=True, activations=U8, weights=I8, per_channel=False),
    "qdq_u8_u8": _form(STATIC, _static, qdq=True, activations=U8, weights=U8, per_channel=False),
    "qoperator_u8_channel": _form(STATIC, _static, qdq=False, activations=U8, weights=I8, per_channel=True),
    "qoperator_i8_channel": _form(STATIC, _static, qdq=False, activations=I8, weights=I8, per_channel=True),
    "qoperator_u8_tensor": _form(STATIC, _static, qdq=False, activations=U8, weights=U8, per_channel=False),
    "dynamic_i8": _form(DYNAMIC, _dynamic, weights=I8),
    "dynamic_u8": _form(DYNAMIC, _dynamic, weights=U8),
    "dynamic_i8_channel": _form(DYNAMIC, _dynamic, weights=I8, per_channel=True),
    "8_bits": _form(WEIGHTS, _in_bits, bits=8),
    "8_bits_level_4": _form(WEIGHTS, _in_bits, bits=8, level=4, symmetric=True),
    "4_bits": _form(WEIGHTS, _in_bits, bits=4),
    "4_bits_level_4": _form(WEIGHTS, _in_bits, bits=4, level=4, symmetric=True),
    "4_bits_qdq": _form(WEIGHTS, _in_bits, bits=4, qdq=True, symmetric=True),
}
