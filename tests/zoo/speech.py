"""Models of sound."""

from .registry import Built, model


@model("wav2vec2", atol=1e-4)
def wav2vec2():
    import torch
    from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

    class Wav2Vec2(torch.nn.Module):
        def __init__(self):
            super().__init__()
            config = Wav2Vec2Config(
                vocab_size=30,
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=4,
                intermediate_size=64,
                conv_dim=(16, 16, 16),
                conv_stride=(5, 2, 2),
                conv_kernel=(10, 3, 2),
                num_feat_extract_layers=3,
                num_conv_pos_embeddings=16,
                num_conv_pos_embedding_groups=4,
            )
            self.wav2vec2 = Wav2Vec2ForCTC(config)

        def forward(self, samples):
            return self.wav2vec2(samples).logits

    def inputs(batch, samples):
        return {"samples": torch.randn(batch, samples)}

    sizes = [dict(batch=2, samples=1000), dict(batch=1, samples=640), dict(batch=3, samples=1777)]
    return Built(Wav2Vec2().eval(), inputs, sizes, {"samples": {0: "batch", 1: "samples"}}, ["logits"])
