"""T5 and Whisper, with encoder and decoder as separate models, as they are deployed."""

from .language_inputs import WORDS, exportable_masks, part_mask, tokens
from .registry import Built, model


def t5_model():
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(vocab_size=WORDS, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0)
    return T5ForConditionalGeneration(config).eval()


@model("t5_encoder")
def t5_encoder():
    import torch

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = t5_model().encoder

        def forward(self, ids, mask):
            return self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state

    def inputs(batch, length):
        return {"ids": tokens(batch, length), "mask": part_mask(batch, length)}

    axes = {0: "batch", 1: "length"}
    sizes = [dict(batch=2, length=8), dict(batch=1, length=2), dict(batch=3, length=31)]
    return Built(Encoder().eval(), inputs, sizes, {"ids": axes, "mask": axes}, ["states"])


@model("t5_decoder")
def t5_decoder():
    import torch

    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.t5 = t5_model()

        def forward(self, ids, mask, states):
            result = self.t5(encoder_outputs=(states,), attention_mask=mask, decoder_input_ids=ids, use_cache=False)
            return result.logits

    def inputs(batch, length, source):
        return {"ids": tokens(batch, length), "mask": part_mask(batch, source), "states": torch.randn(batch, source, 32)}

    sizes = [dict(batch=2, length=4, source=8), dict(batch=1, length=2, source=3), dict(batch=3, length=9, source=17)]
    dynamic = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "source"}, "states": {0: "batch", 1: "source"}}
    return Built(Decoder().eval(), inputs, sizes, dynamic, ["logits"])


def whisper_model():
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(
        vocab_size=WORDS,
        num_mel_bins=20,
        d_model=32,
        encoder_layers=2,
        encoder_attention_heads=4,
        decoder_layers=2,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_source_positions=30,
        max_target_positions=40,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    return exportable_masks(WhisperForConditionalGeneration(config)).eval()


@model("whisper_encoder")
def whisper_encoder():
    import torch

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = whisper_model().model.encoder

        def forward(self, features):
            return self.encoder(features).last_hidden_state

    def inputs(batch):
        return {"features": torch.randn(batch, 20, 60)}

    return Built(Encoder().eval(), inputs, [dict(batch=2), dict(batch=1)], {"features": {0: "batch"}}, ["states"])


@model("whisper_decoder")
def whisper_decoder():
    import torch

    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.whisper = whisper_model()

        def forward(self, ids, states):
            return self.whisper(encoder_outputs=(states,), decoder_input_ids=ids, use_cache=False).logits

    def inputs(batch, length):
        return {"ids": tokens(batch, length), "states": torch.randn(batch, 30, 32)}

    sizes = [dict(batch=2, length=4), dict(batch=1, length=2), dict(batch=3, length=20)]
    dynamic = {"ids": {0: "batch", 1: "length"}, "states": {0: "batch"}}
    return Built(Decoder().eval(), inputs, sizes, dynamic, ["logits"])
