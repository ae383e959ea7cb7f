"""Language models that differ from BERT, GPT-2 and Llama in how they attend, where they stand or which experts they ask."""

from .language import WORDS, cached_model, exportable_masks, part_mask, tokens
from .registry import DYNAMO, TORCHSCRIPT, Built, model

TWO_INPUTS = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "length"}}
SIZES = [dict(batch=2, length=8), dict(batch=1, length=3), dict(batch=3, length=17)]


def _inputs(batch, length):
    return {"ids": tokens(batch, length), "mask": part_mask(batch, length)}


def _masked(language_model, output="last_hidden_state"):
    """A model of tokens and their mask."""
    import torch

    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = language_model

        def forward(self, ids, mask):
            return self.model(input_ids=ids, attention_mask=mask)[output]

    return Built(Masked().eval(), _inputs, SIZES, TWO_INPUTS)


@model("distilbert")
def distilbert():
    from transformers import DistilBertConfig, DistilBertForQuestionAnswering

    config = DistilBertConfig(vocab_size=WORDS, dim=32, n_layers=2, n_heads=4, hidden_dim=64)
    return _masked(DistilBertForQuestionAnswering(config), "start_logits")


@model("deberta")
def deberta():
    """Relative positions by Gather of scores, with scripted helpers."""
    from transformers import DebertaV2Config, DebertaV2Model

    config = DebertaV2Config(
        vocab_size=WORDS,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        relative_attention=True,
        position_buckets=16,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        conv_kernel_size=3,
        conv_act="gelu",
    )
    return _masked(DebertaV2Model(config))


@model("roformer")
def roformer():
    from transformers import RoFormerConfig, RoFormerModel

    config = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
    return _masked(RoFormerModel(RoFormerConfig(vocab_size=WORDS, **config)))


@model("clip_text")
def clip_text():
    """The state of the last token, found by ArgMax."""
    from transformers import CLIPTextConfig, CLIPTextModel

    config = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
    return _masked(exportable_masks(CLIPTextModel(CLIPTextConfig(vocab_size=WORDS, **config))), "pooler_output")


@model("gemma2_cache")
def gemma2_cache():
    """Soft caps, a norm on both sides, sliding windows in each second layer."""
    from transformers import Gemma2Config, Gemma2ForCausalLM

    config = Gemma2Config(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        sliding_window=4,
        attn_implementation="eager",
    )
    return cached_model(Gemma2ForCausalLM(config), 2, 8)


@model("phi3_cache")
def phi3_cache():
    from transformers import Phi3Config, Phi3ForCausalLM

    config = Phi3Config(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        pad_token_id=0,
        sliding_window=6,
    )
    return cached_model(Phi3ForCausalLM(config), 2, 8)


@model("mixtral", export_fails={DYNAMO: "GuardOnDataDependentSymNode"})
def mixtral():
    """Two of four experts for each token. The tracer keeps those that the example asks."""
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
    built = _masked(exportable_masks(MixtralForCausalLM(config)), "logits")
    del built.sizes[1:]
    return built


@model("bloom")
def bloom():
    """ALiBi."""
    from transformers import BloomConfig, BloomModel

    return _masked(exportable_masks(BloomModel(BloomConfig(vocab_size=WORDS, hidden_size=32, n_layer=2, n_head=4))))


@model("mamba", exporters=(TORCHSCRIPT,))
def mamba():
    """A selective state space; the tracer unrolls its scan, so that the length is fixed."""
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
    """Opset 23: the exporter writes ONNX's Attention instead of its parts."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
    )
    built = cached_model(LlamaForCausalLM(config), 2, 8)
    built.opset = 23
    # The exporter writes RotaryEmbedding with caches for one sequence, which ONNX allows for one sequence alone.
    built.sizes = [dict(size, batch=1) for size in built.sizes]
    for axes in built.dynamic.values():
        del axes[0]
    return built
