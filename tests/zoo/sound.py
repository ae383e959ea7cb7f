"""Models of sound: speech, spectra, vocoders and codecs."""

from .registry import DYNAMO, Built, model


@model("spectrogram_classifier")
def spectrogram_classifier():
    """A short-time Fourier transform before a convolution."""
    import torch

    class Spectrogram(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("window", torch.hann_window(64))
            self.layers = torch.nn.Sequential(
                torch.nn.Conv1d(33, 16, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(1), torch.nn.Flatten(), torch.nn.Linear(16, 4)
            )

        def forward(self, samples):
            parts = torch.stft(samples, 64, 16, window=self.window, center=False, return_complex=False)
            return self.layers(torch.log(parts.square().sum(-1) + 1e-3))

    def inputs(batch):
        return {"samples": torch.randn(batch, 400)}

    return Built(Spectrogram().eval(), inputs, [dict(batch=2), dict(batch=1)], {"samples": {0: "batch"}}, opset=18)


@model("vocoder", atol=1e-4)
def vocoder():
    """HiFi-GAN: transposed and dilated convolutions with weight normalisation."""
    import torch
    from transformers import SpeechT5HifiGan, SpeechT5HifiGanConfig

    config = SpeechT5HifiGanConfig(
        model_in_dim=20,
        upsample_initial_channel=32,
        upsample_rates=[4, 4],
        upsample_kernel_sizes=[8, 8],
        resblock_kernel_sizes=[3, 5],
        resblock_dilation_sizes=[[1, 3], [1, 3]],
    )

    class Vocoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.vocoder = SpeechT5HifiGan(config)

        def forward(self, spectrogram):
            return self.vocoder(spectrogram)

    def inputs(batch, frames):
        return {"spectrogram": torch.randn(batch, frames, 20)}

    sizes = [dict(batch=2, frames=9), dict(batch=1, frames=4)]
    return Built(Vocoder().eval(), inputs, sizes, {"spectrogram": {0: "batch", 1: "frames"}})


def _of_samples(speech_model, config, **more):
    """A model of raw sound, after three convolutions."""
    import torch

    common = dict(vocab_size=30, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
    convolutions = dict(conv_dim=(16, 16, 16), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 2), num_feat_extract_layers=3)

    class OfSamples(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = speech_model(config(**common, **convolutions, **more))

        def forward(self, samples):
            return self.model(samples).logits

    def inputs(batch, samples):
        return {"samples": torch.randn(batch, samples)}

    sizes = [dict(batch=2, samples=1000), dict(batch=1, samples=640), dict(batch=3, samples=1777)]
    return Built(OfSamples().eval(), inputs, sizes, {"samples": {0: "batch", 1: "samples"}}, ["logits"])


@model("wav2vec2", atol=1e-4)
def wav2vec2():
    from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

    return _of_samples(Wav2Vec2ForCTC, Wav2Vec2Config, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)


@model("conformer", atol=1e-4)
def conformer():
    from transformers import Wav2Vec2ConformerConfig, Wav2Vec2ConformerForCTC

    positions = dict(position_embeddings_type="relative", conv_depthwise_kernel_size=7)
    return _of_samples(Wav2Vec2ConformerForCTC, Wav2Vec2ConformerConfig, **positions)


@model("codec", export_fails={DYNAMO: "GuardOnDataDependentSymNode"})
def codec():
    """EnCodec: an LSTM between convolutions, then residual vector quantisation."""
    import torch
    from transformers import EncodecConfig, EncodecModel

    config = EncodecConfig(
        hidden_size=16, num_filters=4, upsampling_ratios=[4, 2], codebook_size=32, codebook_dim=16, target_bandwidths=[24.0], num_lstm_layers=1
    )

    class Codec(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = EncodecModel(config)

        def forward(self, samples):
            return self.model.decoder(self.model.encoder(samples))

    def inputs(batch):
        return {"samples": torch.randn(batch, 1, 320)}

    return Built(Codec().eval(), inputs, [dict(batch=2), dict(batch=1)], {"samples": {0: "batch"}})
