"""Language models, with and without past keys and values."""

from bench.quantised_networks import network
from tests.zoo.language_inputs import exportable_masks, tensors_of
from tests.zoo.registry import Built

WORDS = 4000
LAYERS = 4
DECODER_FORMS = ("f32", "qdq_u8_channel", "dynamic_i8", "8_bits_level_4", "4_bits", "4_bits_level_4")


def tokens(batch, length):
    import torch

    return torch.randint(3, WORDS, (batch, length))


@network("bert", ("f32", "qdq_u8_channel", "qdq_i8_channel", "qoperator_u8_channel", "dynamic_i8", "8_bits_level_4", "4_bits_level_4"))
def bert():
    """Four of the twelve layers of the base model."""
    import torch
    from transformers import BertConfig, BertModel

    class Bert(torch.nn.Module):
        def __init__(self):
            super().__init__()
            config = BertConfig(vocab_size=WORDS, num_hidden_layers=LAYERS, initializer_range=0.04)
            self.model = exportable_masks(BertModel(config))

        def forward(self, ids, mask):
            return self.model(input_ids=ids, attention_mask=mask).last_hidden_state

    def inputs(batch, length):
        return {"ids": tokens(batch, length), "mask": torch.ones(batch, length, dtype=torch.int64)}

    axes = {0: "batch", 1: "length"}
    return Built(Bert().eval(), inputs, [dict(batch=1, length=128)], {"ids": axes, "mask": axes}, ["states"])


def with_past(language_model, heads, size):
    """A step of a decoder with the keys and values of the tokens before."""
    import torch
    from transformers import DynamicCache

    names = [f"past.{layer}.{kind}" for layer in range(LAYERS) for kind in ("key", "value")]

    class WithPast(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = exportable_masks(language_model)

        def forward(self, ids, mask, *past):
            cache = DynamicCache.from_legacy_cache(tuple(zip(past[::2], past[1::2])))
            result = self.model(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True)
            return (result.logits, *tensors_of(result.past_key_values))

    def inputs(batch, length, past):
        given = {"ids": tokens(batch, length), "mask": torch.ones(batch, past + length, dtype=torch.int64)}
        return given | {name: torch.randn(batch, heads, past, size) for name in names}

    dynamic = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "total"}} | {name: {0: "batch", 2: "past"} for name in names}
    outputs = ["logits", *(name.replace("past", "present") for name in names)]
    return Built(WithPast().eval(), inputs, [dict(batch=1, length=1, past=64)], dynamic, outputs)


@network("gpt_2", DECODER_FORMS)
def gpt_2():
    """One token after 64, four of twelve layers."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=WORDS, n_layer=LAYERS, initializer_range=0.04)
    return with_past(GPT2LMHeadModel(config), 12, 64)


@network("llama", DECODER_FORMS)
def llama():
    """One token after 64."""
    return llama_with_past()


@network("llama_prompt", ("f32", "dynamic_i8", "4_bits_level_4"))
def llama_prompt():
    """64 tokens."""
    built = llama_with_past()
    built.sizes = [dict(batch=1, length=64, past=0)]
    return built


def llama_with_past():
    return with_past(llama_model(), 4, 64)


def llama_model():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=768,
        intermediate_size=2048,
        num_hidden_layers=LAYERS,
        num_attention_heads=12,
        num_key_value_heads=4,
        initializer_range=0.04,
    )
    model = LlamaForCausalLM(config)
    # As in trained models, a layer changes its input little: otherwise layers amplify the error of the first ones.
    model.model.embed_tokens.weight.data.normal_()
    return model


@network("lstm", ("f32", "dynamic_i8", "dynamic_i8_channel"))
def lstm():
    """onnxruntime's tool makes DynamicQuantizeLSTM."""
    import torch

    class Tagger(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(WORDS, 256)
            self.lstm = torch.nn.LSTM(256, 512, num_layers=2, bidirectional=True, batch_first=True)
            self.tags = torch.nn.Linear(1024, 64)

        def forward(self, ids):
            return self.tags(self.lstm(self.embed(ids))[0])

    def inputs(batch, length):
        return {"ids": tokens(batch, length)}

    return Built(Tagger().eval(), inputs, [dict(batch=1, length=32)], {"ids": {0: "batch", 1: "length"}}, ["tags"])
