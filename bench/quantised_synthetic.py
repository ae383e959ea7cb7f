"""Six 3x3 convolutions of 64 channels with residuals, and six products of 512x512, in all forms."""

from bench.quantised_networks import network
from tests.zoo.registry import Built

STATIC_FORMS = (
    "qdq_u8_channel",
    "qdq_i8_channel",
    "qdq_u8_tensor",
    "qdq_u8_u8",
    "qoperator_u8_channel",
    "qoperator_i8_channel",
    "qoperator_u8_tensor",
)
DYNAMIC_FORMS = ("dynamic_i8", "dynamic_u8", "dynamic_i8_channel")
WEIGHT_FORMS = ("8_bits", "8_bits_level_4", "4_bits", "4_bits_level_4", "4_bits_qdq")


def convolutions_on(axes):
    import torch
    from torch import nn

    class Convolutions(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Conv2d(64, 64, 3, padding=1) for _ in range(6))
            for layer in self.layers:
                nn.init.normal_(layer.weight, std=(2 / 576) ** 0.5)

        def forward(self, image):
            for first, second in zip(self.layers[::2], self.layers[1::2]):
                image = torch.relu(image + second(torch.relu(first(image))) * 0.7)
            return image

    def inputs(batch):
        return {"image": torch.randn(batch, 64, 56, 56)}

    return Built(Convolutions().eval(), inputs, [dict(batch=1)], {"image": axes} if axes else {})


@network("convolutions", ("f32", *STATIC_FORMS, "dynamic_u8"))
def convolutions():
    return convolutions_on({})


@network("convolutions_dynamic", ("qdq_u8_channel", "qdq_i8_channel", "qoperator_u8_channel"))
def convolutions_dynamic():
    return convolutions_on({0: "batch"})


def products_on(axes):
    import torch
    from torch import nn

    class Products(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(512, 512) for _ in range(6))
            for layer in self.layers:
                nn.init.normal_(layer.weight, std=(2 / 512) ** 0.5)

        def forward(self, states):
            for layer in self.layers:
                states = torch.relu(layer(states))
            return states

    def inputs(batch, length):
        return {"states": torch.randn(batch, length, 512)}

    return Built(Products().eval(), inputs, [dict(batch=4, length=64)], {"states": axes} if axes else {})


@network("products", ("f32", *STATIC_FORMS, "qdq_u8_as_exported", *DYNAMIC_FORMS, *WEIGHT_FORMS))
def products():
    return products_on({})


@network("products_dynamic", ("qdq_u8_channel", "qdq_u8_as_exported", "qoperator_u8_channel", "dynamic_i8", "4_bits_level_4"))
def products_dynamic():
    return products_on({0: "batch", 1: "length"})


@network("one_row", ("f32", "dynamic_i8", *WEIGHT_FORMS))
def one_row():
    """The products of a single token."""
    built = products_on({0: "batch", 1: "length"})
    built.sizes = [dict(batch=1, length=1)]
    return built
