"""Inputs of language models (tokens, masks and caches), and wrappers whose inputs and outputs are tensors."""

from .registry import Built

WORDS = 100
SIZES = [dict(batch=2, length=8), dict(batch=1, length=3), dict(batch=3, length=17)]
# The configuration of most models: two layers of four heads.
SMALL = dict(vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)


def tokens(batch, length):
    import torch

    return torch.randint(3, WORDS, (batch, length))


def part_mask(batch, length):
    """Ones, except for the second half of the first sequence."""
    import torch

    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[0, (length + 1) // 2 :] = 0
    return mask


def exportable_masks(model):
    """Makes a model of transformers build its causal masks without vmap, which exporters cannot trace."""
    from transformers.integrations.executorch import sdpa_mask_without_vmap
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    ALL_MASK_ATTENTION_FUNCTIONS.register("sdpa_without_vmap", sdpa_mask_without_vmap)
    ALL_ATTENTION_FUNCTIONS.register("sdpa_without_vmap", ALL_ATTENTION_FUNCTIONS["sdpa"])
    model.config._attn_implementation = "sdpa_without_vmap"
    return model


def masked(language_model, *results):
    """A model of tokens and their mask. `results`: the outputs to return."""
    import torch

    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = language_model

        def forward(self, ids, mask):
            outputs = self.model(input_ids=ids, attention_mask=mask)
            return tuple(outputs[name] for name in results)

    def inputs(batch, length):
        return {"ids": tokens(batch, length), "mask": part_mask(batch, length)}

    axes = {0: "batch", 1: "length"}
    return Built(Masked().eval(), inputs, list(SIZES), {"ids": axes, "mask": dict(axes)}, list(results))


def with_cache(language_model):
    """A model of two layers with a cache. Inputs and outputs are tensors."""
    import torch
    from transformers import DynamicCache

    class WithCache(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = exportable_masks(language_model)

        def forward(self, ids, mask, key_0, value_0, key_1, value_1, positions=None):
            cache = DynamicCache.from_legacy_cache(((key_0, value_0), (key_1, value_1)))
            result = self.model(
                input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True
            )
            return (result.logits, *tensors_of(result.past_key_values))

    return WithCache().eval()


def tensors_of(cache):
    """Keys and values of each layer."""
    return [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]


def cached_model(language_model, heads, head_size, has_positions=False):
    """Prefill and decoding steps with one exported model. `has_positions`: the positions of the tokens are an input."""
    import torch

    names = ["key_0", "value_0", "key_1", "value_1"]

    def inputs(batch, length, past):
        caches = {name: torch.randn(batch, heads, past, head_size) for name in names}
        given = {"ids": tokens(batch, length), "mask": torch.ones(batch, past + length, dtype=torch.int64), **caches}
        if has_positions:
            given["positions"] = torch.arange(past, past + length).expand(batch, length).contiguous()
        return given

    dynamic = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "total"}}
    dynamic |= {name: {0: "batch", 2: "past"} for name in names}
    if has_positions:
        dynamic["positions"] = {0: "batch", 1: "length"}
    sizes = [
        dict(batch=2, length=3, past=5),
        dict(batch=1, length=1, past=9),
        dict(batch=2, length=7, past=0),
        dict(batch=3, length=2, past=2),
    ]
    outputs = ["logits", *(f"new_{name}" for name in names)]
    return Built(with_cache(language_model), inputs, sizes, dynamic, outputs)
