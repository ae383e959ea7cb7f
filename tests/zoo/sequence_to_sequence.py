"""T5 and Whisper, with encoder and decoder as separate models, as they are deployed."""

from .language_inputs import WORDS, exportable_masks, part_mask, tensors_of, tokens
from .registry import DYNAMO, Built, model

HIDDEN = 32
FRAMES = 30  # of Whisper's encoder
OWN = ["key_0", "value_0", "key_1", "value_1"]
CROSS = ["cross_key_0", "cross_value_0", "cross_key_1", "cross_value_1"]


def first_step(seq2seq, has_mask):
    """The first step of a decoder: it also returns the caches of its own keys and of those of the encoder's states."""
    import torch
    from transformers import DynamicCache, EncoderDecoderCache

    class FirstStep(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = seq2seq

        def forward(self, ids, states, mask=None):
            cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
            result = self.model(
                encoder_outputs=(states,), attention_mask=mask, decoder_input_ids=ids, past_key_values=cache, use_cache=True
            )
            new = result.past_key_values
            return (result.logits, *tensors_of(new.self_attention_cache), *tensors_of(new.cross_attention_cache))

    def inputs(batch, length, source=FRAMES):
        given = {"ids": tokens(batch, length), "states": torch.randn(batch, source, HIDDEN)}
        return given | ({"mask": part_mask(batch, source)} if has_mask else {})

    sizes = [dict(batch=2, length=4), dict(batch=1, length=2), dict(batch=3, length=9)]
    dynamic = {"ids": {0: "batch", 1: "length"}, "states": {0: "batch"}}
    if has_mask:
        _add_source(sizes, dynamic, {"states": 1, "mask": 1})
    return Built(FirstStep().eval(), inputs, sizes, dynamic, ["logits", *(f"new_{name}" for name in OWN + CROSS)])


def next_step(seq2seq, heads, size, has_mask):
    """A further step of a decoder, with the caches of the steps before. The keys of the encoder's states are computed once."""
    import torch
    from transformers import DynamicCache, EncoderDecoderCache

    class NextStep(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = seq2seq

        def forward(self, ids, key_0, value_0, key_1, value_1, cross_key_0, cross_value_0, cross_key_1, cross_value_1, mask=None):
            own = DynamicCache.from_legacy_cache(((key_0, value_0), (key_1, value_1)))
            cross = DynamicCache.from_legacy_cache(((cross_key_0, cross_value_0), (cross_key_1, cross_value_1)))
            unused = torch.zeros(ids.shape[0], FRAMES if mask is None else mask.shape[1], HIDDEN)
            result = self.model(
                encoder_outputs=(unused,),
                attention_mask=mask,
                decoder_input_ids=ids,
                past_key_values=EncoderDecoderCache(own, cross),
                use_cache=True,
            )
            return (result.logits, *tensors_of(result.past_key_values.self_attention_cache))

    def inputs(batch, length, past, source=FRAMES):
        given = {"ids": tokens(batch, length)}
        given |= {name: torch.randn(batch, heads, past, size) for name in OWN}
        given |= {name: torch.randn(batch, heads, source, size) for name in CROSS}
        return given | ({"mask": part_mask(batch, source)} if has_mask else {})

    sizes = [dict(batch=2, length=2, past=4), dict(batch=1, length=1, past=2), dict(batch=3, length=1, past=9)]
    dynamic = {"ids": {0: "batch", 1: "length"}} | {name: {0: "batch", 2: "past"} for name in OWN}
    dynamic |= {name: {0: "batch"} for name in CROSS}
    if has_mask:
        _add_source(sizes, dynamic, {**dict.fromkeys(CROSS, 2), "mask": 1})
    return Built(NextStep().eval(), inputs, sizes, dynamic, ["logits", *(f"new_{name}" for name in OWN)])


def _add_source(sizes, dynamic, axes):
    """Makes the length of the source dynamic. `axes`: the axis of each input that has it."""
    for size, source in zip(sizes, (8, 3, 17), strict=True):
        size["source"] = source
    for name, axis in axes.items():
        dynamic.setdefault(name, {0: "batch"})[axis] = "source"


def t5_model():
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(
        vocab_size=WORDS, d_model=HIDDEN, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0
    )
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
        return {"ids": tokens(batch, length), "mask": part_mask(batch, source), "states": torch.randn(batch, source, HIDDEN)}

    sizes = [dict(batch=2, length=4, source=8), dict(batch=1, length=2, source=3), dict(batch=3, length=9, source=17)]
    dynamic = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "source"}, "states": {0: "batch", 1: "source"}}
    return Built(Decoder().eval(), inputs, sizes, dynamic, ["logits"])


@model("t5_decoder_first_step", exporters=(DYNAMO,))
def t5_decoder_first_step():
    return first_step(t5_model(), has_mask=True)


@model("t5_decoder_next_step")
def t5_decoder_next_step():
    return next_step(t5_model(), 4, 8, has_mask=True)


def whisper_model(**options):
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(
        vocab_size=WORDS,
        num_mel_bins=20,
        d_model=HIDDEN,
        encoder_layers=2,
        encoder_attention_heads=4,
        decoder_layers=2,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_source_positions=FRAMES,
        max_target_positions=40,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
        **options,
    )
    return exportable_masks(WhisperForConditionalGeneration(config)).eval()


@model("whisper_encoder")
def whisper_encoder(**options):
    import torch

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = whisper_model(**options).model.encoder

        def forward(self, features):
            return self.encoder(features).last_hidden_state

    def inputs(batch):
        return {"features": torch.randn(batch, 20, 2 * FRAMES)}

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
        return {"ids": tokens(batch, length), "states": torch.randn(batch, FRAMES, HIDDEN)}

    sizes = [dict(batch=2, length=4), dict(batch=1, length=2), dict(batch=3, length=20)]
    dynamic = {"ids": {0: "batch", 1: "length"}, "states": {0: "batch"}}
    return Built(Decoder().eval(), inputs, sizes, dynamic, ["logits"])


@model("whisper_decoder_first_step", exporters=(DYNAMO,))
def whisper_decoder_first_step():
    return first_step(whisper_model(), has_mask=False)


@model("whisper_decoder_next_step")
def whisper_decoder_next_step(**options):
    return next_step(whisper_model(**options), 4, 8, has_mask=False)
