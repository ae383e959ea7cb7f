"""Language models of many architectures with random weights, as Optimum and the builder of onnxruntime-genai export them."""

import contextlib
import importlib
import io
import os
import sys

import onnx
import torch
import transformers

os.environ["USE_TF"] = "0"
VOCABULARY = 64
TOKENS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
COMMON = {"vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
          "num_key_value_heads": 2, "max_position_embeddings": 128, "tie_word_embeddings": False, **TOKENS}
GEMMA = {"head_dim": 16, "sliding_window": 4, "query_pre_attn_scalar": 16}
LAYERS = {"layer_types": ["sliding_attention", "full_attention"]}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
BART = {"vocab_size": VOCABULARY, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "decoder_start_token_id": 3, "forced_eos_token_id": None, "forced_bos_token_id": None, **TOKENS}
T5 = {"vocab_size": VOCABULARY, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4, "pad_token_id": 0,
      "eos_token_id": 2, "decoder_start_token_id": 3, "relative_attention_num_buckets": 8, "relative_attention_max_distance": 16}
WHISPER = {"num_mel_bins": 8, "max_source_positions": 1500, "max_target_positions": 64, "suppress_tokens": [], "begin_suppress_tokens": []}
MOONSHINE = {"vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 64, "encoder_num_hidden_layers": 2, "decoder_num_hidden_layers": 2,
             **{f"{part}_num_{kind}_heads": 4 for part in ("encoder", "decoder") for kind in ("attention", "key_value")},
             "max_position_embeddings": 64, "decoder_start_token_id": 1, **TOKENS}
SPEECH = {"num_conv_layers": 2, "conv_channels": 16, "input_feat_per_channel": 8, "input_channels": 1, "max_source_positions": 200, "max_target_positions": 64}
SWIN = {"image_size": [32, 32], "patch_size": 4, "num_channels": 3, "embed_dim": 16, "depths": [1, 1], "num_heads": [2, 4], "window_size": 4}


def donut():
    decoder = transformers.MBartConfig(**BART, is_decoder=True, add_cross_attention=True, scale_embedding=True, add_final_layer_norm=True)
    return transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(transformers.DonutSwinConfig(**SWIN), decoder)


DECODERS = {
    "llama": lambda: transformers.LlamaConfig(**COMMON),
    "qwen2": lambda: transformers.Qwen2Config(**COMMON),
    "qwen3": lambda: transformers.Qwen3Config(**COMMON, head_dim=16),
    "gemma2": lambda: transformers.Gemma2Config(**COMMON, **GEMMA),
    "gemma3": lambda: transformers.Gemma3TextConfig(**COMMON, **GEMMA, **LAYERS),
    "phi3": lambda: transformers.Phi3Config(**COMMON, original_max_position_embeddings=128),
    "mistral": lambda: transformers.MistralConfig(**COMMON, sliding_window=4),
    "gpt2": lambda: transformers.GPT2Config(vocab_size=VOCABULARY, n_positions=128, n_embd=32, n_layer=2, n_head=4, **TOKENS),
    "gpt_oss": lambda: transformers.GptOssConfig(**COMMON, **EXPERTS, **LAYERS, head_dim=16, sliding_window=4),
    "lfm2": lambda: transformers.Lfm2Config(**COMMON, layer_types=["conv", "full_attention"], conv_L_cache=3),
}
ENCODER_DECODERS = {
    "t5": lambda: transformers.T5Config(**T5),
    "bart": lambda: transformers.BartConfig(**BART, max_position_embeddings=128),
    "marian": lambda: transformers.MarianConfig(**BART, max_position_embeddings=128, decoder_vocab_size=VOCABULARY),
    "mbart": lambda: transformers.MBartConfig(**BART, max_position_embeddings=128),
    "pegasus": lambda: transformers.PegasusConfig(**BART, max_position_embeddings=128),
    "m2m_100": lambda: transformers.M2M100Config(**BART, max_position_embeddings=128),
    "whisper": lambda: transformers.WhisperConfig(**BART, **WHISPER),
    "moonshine": lambda: transformers.MoonshineConfig(**MOONSHINE),
    "speech_to_text": lambda: transformers.Speech2TextConfig(**BART, **SPEECH),
    "donut": donut,
}
CLASSES = {
    "whisper": ("WhisperForConditionalGeneration", "automatic-speech-recognition-with-past"),
    "moonshine": ("MoonshineForConditionalGeneration", "automatic-speech-recognition-with-past"),
    "speech_to_text": ("Speech2TextForConditionalGeneration", "automatic-speech-recognition-with-past"),
    "donut": ("VisionEncoderDecoderModel", "image-to-text-with-past"),
}
# Neither Optimum nor the builder of onnxruntime-genai exports it.
NOT_EXPORTED = {"mixtral": lambda: transformers.MixtralConfig(**COMMON, **EXPERTS)}
OF_OPTIMUM = [name for name in DECODERS if name != "lfm2"]
OF_BUILDER = {name: ["fp32", "int4", "fp16"] for name in DECODERS if name != "gpt2"}
# onnxruntime's CPU provider does not normalise queries and keys in GroupQueryAttention; the f16 models of Gemma are invalid.
for architecture in ("qwen3", "lfm2", "gemma2", "gemma3"):
    OF_BUILDER[architecture].remove("fp16")


def save_model(name, folder):
    """Weights are larger than transformers initialises them, so that the results depend on all inputs. Constants, such as Marian's positions,
    are not weights: they are not saved."""
    torch.manual_seed(1)
    config = {**DECODERS, **ENCODER_DECODERS, **NOT_EXPORTED}[name]()
    if name == "lfm2":  # as newer releases of transformers write it
        config.rope_parameters = {"rope_theta": 1e6, "rope_type": "default"}
    default = "AutoModelForSeq2SeqLM" if name in ENCODER_DECODERS else "AutoModelForCausalLM"
    made = getattr(transformers, CLASSES.get(name, (default,))[0])
    model = made.from_config(config) if made.__name__.startswith("Auto") else made(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1 and parameter.requires_grad:
                parameter.mul_(4)
    model.eval()
    model.save_pretrained(folder)
    return model


def export_by_optimum(name, folder):
    """`model.onnx`; or `encoder_model.onnx`, `decoder_model.onnx`, `decoder_with_past_model.onnx` and
    `decoder_model_merged.onnx`."""
    from optimum.exporters.onnx import onnx_export_from_model

    default = "text2text-generation-with-past" if name in ENCODER_DECODERS else "text-generation-with-past"
    task = CLASSES.get(name, (None, default))[1]
    model = save_model(name, folder)
    onnx_export_from_model(model, folder, task=task, do_validation=False, device="cpu")
    return folder


def without_rounding(path):
    """A copy of an int4 export for onnxruntime, which rounds the inputs of products with accuracy_level 4 to 8 bits."""
    model = onnx.load(path, load_external_data=False)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "accuracy_level":
                attribute.i = 0
    exact = path.with_name("exact.onnx")
    onnx.save(model, exact)
    return exact


def export_by_builder(name, precision, folder):
    """`model.onnx`, for the provider that takes this precision."""
    builder = importlib.import_module("onnxruntime_genai.models.builder")
    # They need a tokenizer, and this class is imported under two names.
    for module in [module for key, module in sys.modules.items() if key.startswith("builders.")]:
        for made in vars(module).values():
            if isinstance(made, type) and hasattr(made, "make_genai_config"):
                made.make_genai_config = made.save_processing = lambda *_, **__: None
    save_model(name, folder / "source")
    (folder / "cache").mkdir(parents=True)
    (folder / "cache" / "kept").touch()
    provider = "cuda" if precision == "fp16" else "cpu"
    given = None, str(folder / "source"), str(folder), precision, provider, str(folder / "cache")
    with contextlib.redirect_stdout(io.StringIO()):
        builder.create_model(*given, **builder.parse_extra_options(*given, []))
    return folder
