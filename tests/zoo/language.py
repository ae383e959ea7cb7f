"""Language models."""

from .language_inputs import SMALL, WORDS, cached_model, exportable_masks, masked, tokens
from .registry import DYNAMO, TORCHSCRIPT, Built, model


@model("bert")
def bert():
    from transformers import BertConfig, BertModel

    return masked(BertModel(BertConfig(**SMALL)), "last_hidden_state", "pooler_output")


@model("gpt2_cache")
def gpt2_cache(**options):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=WORDS, n_embd=32, n_layer=2, n_head=4, n_positions=64, **options)
    return cached_model(GPT2LMHeadModel(config), 4, 8)


def _llama(keys, **config):
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(**(SMALL | config), num_key_value_heads=keys))


@model("llama_cache")
def llama_cache(**options):
    return cached_model(_llama(2, max_position_embeddings=128, **options), 2, 8)


@model("qwen3_cache")
def qwen3_cache(has_positions=False, **options):
    """Normalised queries and keys, whose size is not that of the hidden state divided by the heads."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(**(SMALL | options), num_key_value_heads=2, head_dim=16, max_position_embeddings=128)
    return cached_model(Qwen3ForCausalLM(config), 2, 16, has_positions)


@model("phi_cache")
def phi_cache(has_positions=False, **options):
    """Attention beside the feed-forward layer, and rotary embeddings of a part of each head."""
    from transformers import PhiConfig, PhiForCausalLM

    config = PhiConfig(**(SMALL | options), partial_rotary_factor=0.5, max_position_embeddings=128)
    return cached_model(PhiForCausalLM(config), 4, 8, has_positions)


@model("llama")
def llama():
    return masked(exportable_masks(_llama(1)), "logits")


@model("distilbert")
def distilbert():
    from transformers import DistilBertConfig, DistilBertForQuestionAnswering

    config = DistilBertConfig(vocab_size=WORDS, dim=32, n_layers=2, n_heads=4, hidden_dim=64)
    return masked(DistilBertForQuestionAnswering(config), "start_logits")


@model("deberta")
def deberta():
    """Relative positions: a Gather of scores, with scripted helper functions."""
    from transformers import DebertaV2Config, DebertaV2Model

    config = DebertaV2Config(
        **SMALL,
        relative_attention=True,
        position_buckets=16,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        conv_kernel_size=3,
        conv_act="gelu",
    )
    return masked(DebertaV2Model(config), "last_hidden_state")


@model("roformer")
def roformer():
    from transformers import RoFormerConfig, RoFormerModel

    return masked(RoFormerModel(RoFormerConfig(**SMALL)), "last_hidden_state")


@model("clip_text")
def clip_text():
    """The state of the last token, found by ArgMax."""
    from transformers import CLIPTextConfig, CLIPTextModel

    return masked(exportable_masks(CLIPTextModel(CLIPTextConfig(**SMALL))), "pooler_output")


@model("gemma2_cache")
def gemma2_cache():
    """Soft caps, normalisation before and after each block, sliding windows in every second layer."""
    from transformers import Gemma2Config, Gemma2ForCausalLM

    config = Gemma2Config(
        **SMALL,
        num_key_value_heads=2,
        head_dim=8,
        sliding_window=4,
        attn_implementation="eager",
    )
    return cached_model(Gemma2ForCausalLM(config), 2, 8)


@model("gemma3_cache")
def gemma3_cache(**options):
    """A sliding window in the first layer, with another base of the rotary embeddings than in the second."""
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    config = Gemma3TextConfig(
        **(SMALL | options),
        num_key_value_heads=1,
        head_dim=16,
        sliding_window=4,
        layer_types=["sliding_attention", "full_attention"],
        max_position_embeddings=128,
        query_pre_attn_scalar=16,
    )
    return cached_model(Gemma3ForCausalLM(config), 1, 16)


@model("phi3_cache")
def phi3_cache():
    from transformers import Phi3Config, Phi3ForCausalLM

    config = Phi3Config(
        **SMALL,
        num_key_value_heads=2,
        pad_token_id=0,
        sliding_window=6,
    )
    return cached_model(Phi3ForCausalLM(config), 2, 8)


@model("mixtral", export_fails={DYNAMO: "GuardOnDataDependentSymNode"})
def mixtral():
    """Two of four experts for each token. The tracer keeps only the experts that the example uses."""
    from transformers import MixtralConfig, MixtralForCausalLM

    config = MixtralConfig(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_local_experts=4,
    )
    built = masked(exportable_masks(MixtralForCausalLM(config)), "logits")
    del built.sizes[1:]
    return built


def _all_experts(block, states):
    """MixtralSparseMoeBlock.forward without control flow that depends on data: each token goes to each expert."""
    import torch

    logits = block.gate(states.flatten(0, 1))
    weights, chosen = torch.topk(torch.softmax(logits, dim=-1), block.top_k)
    weights = torch.zeros_like(logits).scatter(1, chosen, weights / weights.sum(-1, keepdim=True))
    weights = weights.reshape(*states.shape[:2], -1)
    return sum(expert(states) * weights[..., i : i + 1] for i, expert in enumerate(block.experts)), logits


@model("mixtral_cache")
def mixtral_cache(**options):
    """All experts for each token, as toolkits for export rewrite the model."""
    import functools

    from transformers import MixtralConfig, MixtralForCausalLM

    config = MixtralConfig(**(SMALL | options), num_key_value_heads=2, num_local_experts=4, max_position_embeddings=128)
    mixtral = MixtralForCausalLM(config)
    for layer in mixtral.model.layers:
        layer.block_sparse_moe.forward = functools.partial(_all_experts, layer.block_sparse_moe)
    return cached_model(mixtral, 2, 8)


@model("bloom")
def bloom():
    """ALiBi."""
    from transformers import BloomConfig, BloomModel

    config = BloomConfig(vocab_size=WORDS, hidden_size=32, n_layer=2, n_head=4)
    return masked(exportable_masks(BloomModel(config)), "last_hidden_state")


@model("mamba", exporters=(TORCHSCRIPT,))
def mamba():
    """A selective state space model. The tracer unrolls its scan, so the length is fixed."""
    from transformers import MambaConfig, MambaModel

    config = MambaConfig(vocab_size=WORDS, hidden_size=16, state_size=4, num_hidden_layers=2, use_cache=False)
    import torch

    class Mamba(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = MambaModel(config)

        def forward(self, ids):
            return self.model(input_ids=ids).last_hidden_state

    def inputs(batch):
        return {"ids": tokens(batch, 6)}

    return Built(Mamba().eval(), inputs, [dict(batch=2), dict(batch=1)], {"ids": {0: "batch"}})


@model("llama_attention", exporters=(DYNAMO,))
def llama_attention():
    """Opset 23: the exporter emits ONNX's Attention instead of decomposing it."""
    built = llama_cache()
    built.opset = 23
    # The exporter emits RotaryEmbedding with caches of batch size 1, which ONNX allows for batch size 1 only.
    built.sizes = [dict(size, batch=1) for size in built.sizes]
    for axes in built.dynamic.values():
        del axes[0]
    return built
