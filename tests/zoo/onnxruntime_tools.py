"""Language models as onnxruntime's tools rewrite them: fused operators, weights of 4 and 8 bits, dynamic quantisation, half precision."""

from .language import gemma3_cache, llama_cache, phi_cache, qwen3_cache
from .language_inputs import SMALL, part_mask, tokens
from .low_precision import quantised
from .registry import DYNAMO, TORCHSCRIPT, Built, model
from .sequence_to_sequence import t5_decoder_next_step, t5_encoder, whisper_decoder_next_step, whisper_encoder

# Trained weights are larger than the initial ones of transformers; 160 is not a multiple of the larger blocks.
LARGE = dict(initializer_range=0.15, intermediate_size=160)
# For models whose activations onnxruntime rounds to 8 bits, and those with weights of 4 bits, where our IR has them rounded
# (docs/quantised-models.md, weights only).
ROUNDED = dict(rtol=5e-2, atol=0.15)


def optimised(built, model_type, *fused, half=False):
    """`fused`: operators that the optimiser must have emitted."""

    def transform(path, runs):
        from onnxruntime.transformers.optimizer import optimize_model

        optimizer = optimize_model(str(path), model_type=model_type, num_heads=4, hidden_size=32)
        if half:
            optimizer.convert_float_to_float16(keep_io_types=True)
        assert {node.op_type for node in optimizer.model.graph.node} >= set(fused)
        optimizer.save_model_to_file(str(path))

    return quantised(built, transform)


def in_bits(built, bits, block_size, *, symmetric=False, level=0, qdq=False, tables=False):
    """`level`: 4 lets onnxruntime round activations. `qdq`: weights by DequantizeLinear. `tables`: of embeddings as well."""

    def transform(path, runs):
        import onnx
        from onnxruntime.quantization import QuantFormat
        from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

        quantizer = MatMulNBitsQuantizer(
            onnx.load(path),
            bits=bits,
            block_size=block_size,
            is_symmetric=symmetric,
            accuracy_level=level,
            quant_format=QuantFormat.QDQ if qdq else QuantFormat.QOperator,
            op_types_to_quantize=("MatMul", "Gather") if tables else None,
        )
        _save(quantizer, path, ["DequantizeLinear"] if qdq else ["MatMulNBits", *["GatherBlockQuantized"] * tables])

    if qdq:
        built.opset = 21  # the first with 4-bit integers and blocks
    return quantised(built, transform)


def half_quadratic(path, runs):
    """4 bits with zero points that are not integers."""
    import onnx
    from onnxruntime.quantization.matmul_nbits_quantizer import HQQWeightOnlyQuantConfig, MatMulNBitsQuantizer

    config = HQQWeightOnlyQuantConfig(block_size=32, bits=4)
    _save(MatMulNBitsQuantizer(onnx.load(path), algo_config=config), path, ["MatMulNBits"])


def _save(quantizer, path, emitted):
    quantizer.process()
    assert {node.op_type for node in quantizer.model.model.graph.node} >= set(emitted)
    quantizer.model.save_model_to_file(str(path), False)


def quantise_channels(path, runs):
    """MatMulInteger with a scale for each column. Sums of full 8-bit products overflow in onnxruntime on CPUs with AVX2 only."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # Shape inference of onnx gives fused operators no types.
    options = {"DefaultTensorType": onnx.TensorProto.FLOAT}
    quantize_dynamic(path, path, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8, extra_options=options)


def convert_to_half(path, runs):
    """Weights, inputs and outputs in half precision."""
    import numpy as np
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(onnx.load(path)), path)
    for run in runs:
        run |= {name: value.astype(np.float16) for name, value in run.items() if value.dtype == np.float32}


def bert_with_segments():
    import torch
    from transformers import BertConfig, BertModel

    class Bert(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = BertModel(BertConfig(**SMALL, initializer_range=0.15, attn_implementation="eager"))

        def forward(self, ids, mask, segments):
            result = self.model(input_ids=ids, attention_mask=mask, token_type_ids=segments)
            return result.last_hidden_state, result.pooler_output

    def inputs(batch, length):
        segments = torch.randint(0, 2, (batch, length))
        return {"ids": tokens(batch, length), "mask": part_mask(batch, length), "segments": segments}

    dynamic = {name: {0: "batch", 1: "length"} for name in ("ids", "mask", "segments")}
    sizes = [dict(batch=2, length=8), dict(batch=1, length=3), dict(batch=3, length=17)]
    return Built(Bert().eval(), inputs, sizes, dynamic, ["states", "pooled"])


@model("bert_optimised", exporters=(TORCHSCRIPT,))
def bert_optimised():
    return optimised(bert_with_segments(), "bert", "EmbedLayerNormalization", "Attention", "SkipLayerNormalization", "BiasGelu")


@model("bert_optimised_quantised", exporters=(TORCHSCRIPT,), **ROUNDED)
def bert_optimised_quantised():
    built = optimised(bert_with_segments(), "bert", "Attention")
    optimise = built.transform

    def transform(path, runs):
        optimise(path, runs)
        quantise_channels(path, runs)

    return quantised(built, transform)


@model("qwen3_optimised", exporters=(TORCHSCRIPT,))
def qwen3_optimised():
    built = qwen3_cache(has_positions=True, **LARGE)
    return optimised(built, "qwen3", "RotaryEmbedding", "SkipSimplifiedLayerNormalization")


@model("phi_optimised", exporters=(TORCHSCRIPT,))
def phi_optimised():
    built = phi_cache(has_positions=True, **LARGE)
    return optimised(built, "gpt_neox", "RotaryEmbedding", "FastGelu", "SkipLayerNormalization")


@model("llama_optimised_half", exporters=(DYNAMO,), rtol=2e-2, atol=2e-2)
def llama_optimised_half():
    return optimised(llama_cache(**LARGE), "qwen3", "SkipSimplifiedLayerNormalization", half=True)


@model("whisper_encoder_optimised", exporters=(TORCHSCRIPT,))
def whisper_encoder_optimised():
    built = whisper_encoder(init_std=0.15)
    built.module.encoder.config._attn_implementation = "eager"
    return optimised(built, "bart", "Attention", "SkipLayerNormalization", "BiasGelu")


@model("t5_encoder_optimised", exporters=(TORCHSCRIPT,))
def t5_encoder_optimised():
    built = t5_encoder()
    built.compare_with_export = True  # onnxruntime has RelativePositionBias for GPUs only
    return optimised(built, "t5", "RelativePositionBias", "Attention", "SkipSimplifiedLayerNormalization")


@model("llama_4_bits", exporters=(DYNAMO,), **ROUNDED)
def llama_4_bits():
    return in_bits(llama_cache(**LARGE), 4, 32, symmetric=True)


@model("llama_4_bits_qdq", exporters=(DYNAMO,), **ROUNDED)
def llama_4_bits_qdq():
    return in_bits(llama_cache(**LARGE), 4, 128, qdq=True)


@model("llama_4_bits_hqq", exporters=(DYNAMO,), atol=1e-4)
def llama_4_bits_hqq():
    return quantised(llama_cache(**LARGE), half_quadratic)


@model("qwen3_4_bits", exporters=(DYNAMO,), **ROUNDED)
def qwen3_4_bits():
    return in_bits(qwen3_cache(**LARGE), 4, 32, tables=True)


@model("gemma3_8_bits", exporters=(DYNAMO,), atol=1e-4)
def gemma3_8_bits():
    return in_bits(gemma3_cache(**LARGE), 8, 128)


@model("phi_8_bits_rounded", exporters=(DYNAMO,), **ROUNDED)
def phi_8_bits_rounded():
    return in_bits(phi_cache(**LARGE), 8, 32, symmetric=True, level=4)


@model("t5_decoder_4_bits", exporters=(DYNAMO,), **ROUNDED)
def t5_decoder_4_bits():
    return in_bits(t5_decoder_next_step(), 4, 32, tables=True)


@model("whisper_decoder_4_bits_qdq", exporters=(DYNAMO,), **ROUNDED)
def whisper_decoder_4_bits_qdq():
    return in_bits(whisper_decoder_next_step(init_std=0.15), 4, 32, symmetric=True, qdq=True)


@model("qwen3_quantised_dynamically", exporters=(DYNAMO,), **ROUNDED)
def qwen3_quantised_dynamically():
    return quantised(qwen3_cache(**LARGE), quantise_channels)


@model("llama_half", exporters=(DYNAMO,), rtol=2e-2, atol=2e-2)
def llama_half():
    return quantised(llama_cache(**LARGE), convert_to_half)
