"""Whisper's encoder, and a step of its decoder with past keys and values."""

from bench.quantised_language import LAYERS, WORDS, tokens
from bench.quantised_networks import network
from tests.zoo.language_inputs import exportable_masks, tensors_of
from tests.zoo.registry import Built

FRAMES, HIDDEN, HEADS = 500, 384, 6  # the tiny model has 1500 frames


def whisper_model():
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(
        vocab_size=WORDS,
        d_model=HIDDEN,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=4 * HIDDEN,
        decoder_ffn_dim=4 * HIDDEN,
        max_source_positions=FRAMES,
        init_std=0.05,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    return exportable_masks(WhisperForConditionalGeneration(config)).eval()


@network("whisper_encoder", ("f32", "qdq_u8_channel", "qoperator_u8_channel", "dynamic_i8", "4_bits_level_4"))
def whisper_encoder():
    import torch

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = whisper_model().model.encoder

        def forward(self, features):
            return self.encoder(features).last_hidden_state

    def inputs(batch):
        noise = torch.randn(batch, 80, 2 * FRAMES // 10)  # changes slowly, as sound does
        return {"features": torch.nn.functional.interpolate(noise, 2 * FRAMES, mode="linear")}

    return Built(Encoder().eval(), inputs, [dict(batch=1)], {"features": {0: "batch"}}, ["states"])


@network("whisper_decoder", ("f32", "qdq_u8_channel", "dynamic_i8", "8_bits_level_4", "4_bits_level_4"))
def whisper_decoder():
    """One token after 16; the keys and values of the encoder's states are inputs."""
    import torch
    from transformers import DynamicCache, EncoderDecoderCache

    kinds = ("key", "value")
    own = [f"past.{layer}.{kind}" for layer in range(LAYERS) for kind in kinds]
    cross = [f"cross.{layer}.{kind}" for layer in range(LAYERS) for kind in kinds]

    def cache_of(tensors):
        return DynamicCache.from_legacy_cache(tuple(zip(tensors[::2], tensors[1::2])))

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = whisper_model()

        def forward(self, ids, *pasts):
            caches = EncoderDecoderCache(cache_of(pasts[: len(own)]), cache_of(pasts[len(own) :]))
            unused = torch.zeros(1, FRAMES, HIDDEN)
            result = self.model(encoder_outputs=(unused,), decoder_input_ids=ids, past_key_values=caches, use_cache=True)
            return (result.logits, *tensors_of(result.past_key_values.self_attention_cache))

    def inputs(batch, length, past):
        given = {"ids": tokens(batch, length)} | {name: torch.randn(batch, HEADS, past, 64) for name in own}
        return given | {name: torch.randn(batch, HEADS, FRAMES, 64) for name in cross}

    dynamic = {"ids": {1: "length"}} | {name: {2: "past"} for name in own}
    outputs = ["logits", *(name.replace("past", "present") for name in own)]
    return Built(Step().eval(), inputs, [dict(batch=1, length=1, past=16)], dynamic, outputs)
