"""Classifiers of images."""

from bench.quantised_networks import network
from tests.zoo.images import named
from tests.zoo.registry import Built


def photographs(size):
    """Inputs for images of random shapes of all sizes: of white noise all means are equal."""

    def inputs(batch):
        import torch

        image = torch.zeros(batch, 3, size, size)
        for cells in (2, 4, 8, 16, 32, 64):
            noise = torch.randn(batch, 3, cells, cells) * torch.rand(batch, 3, 1, 1) * 4 / cells**0.5
            image += torch.nn.functional.interpolate(noise, (size, size), mode="bilinear")
        return {"image": image}

    return inputs


def with_statistics(module, inputs, batches=6):
    """Sets the mean and the variance of each BatchNorm to those of random images, as training does.

    Random layers amplify a small error from layer to layer until the results have nothing in common, and trained ones do not. So residuals
    change their input little, most values pass the nonlinear part of the activations, and depthwise filters do not cancel the smooth images.
    """
    import torch

    norms = [part for part in module.modules() if isinstance(part, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # the mean of all batches
        torch.nn.init.normal_(norm.weight, 1, 0.1)
        torch.nn.init.normal_(norm.bias, 1, 0.2)
    for part in module.modules():
        if hasattr(part, "bn3") or getattr(part, "use_res_connect", False):
            last = part.bn3 if hasattr(part, "bn3") else [inner for inner in part.modules() if isinstance(inner, torch.nn.BatchNorm2d)][-1]
            torch.nn.init.normal_(last.weight, 0.3, 0.03)
        if isinstance(part, torch.nn.Conv2d) and part.groups > 1:
            part.weight.data.abs_()
    module.train()
    with torch.no_grad():
        for _ in range(batches):
            module(inputs(4)["image"])
    return module.eval()


def classifier(module, size):
    inputs = photographs(size)
    return Built(named(with_statistics(module, inputs)), inputs, [dict(batch=1)])


@network("resnet_50", ("f32", "qdq_u8_channel", "qdq_i8_channel", "qdq_u8_tensor", "qoperator_u8_channel"))
def resnet_50():
    from torchvision.models import resnet50

    return classifier(resnet50(weights=None), 224)


CLASSIFIER_FORMS = ("f32", "qdq_u8_channel", "qdq_i8_channel", "qoperator_u8_channel")


@network("mobilenet_v3", CLASSIFIER_FORMS)
def mobilenet_v3():
    from torchvision.models import mobilenet_v3_large

    return classifier(mobilenet_v3_large(weights=None), 224)


@network("efficientnet", CLASSIFIER_FORMS)
def efficientnet():
    from torchvision.models import efficientnet_b0

    return classifier(efficientnet_b0(weights=None), 224)


@network("vit", ("f32", "qdq_u8_channel", "qoperator_u8_channel", "dynamic_i8", "4_bits_level_4"))
def vit():
    """Four of the twelve layers of the small model, with 197 tokens."""
    from torchvision.models import VisionTransformer

    module = VisionTransformer(224, 16, num_layers=4, num_heads=6, hidden_dim=384, mlp_dim=1536).eval()
    for name, weight in module.named_parameters():
        if weight.dim() == 2:
            weight.data.normal_(std=0.05)
        elif "heads" in name:
            weight.data.normal_(std=0.1)
    # Zeros with small numbers, as torchvision has them, would be lost beside the tokens of the image.
    module.class_token.data.normal_()
    module.encoder.pos_embedding.data.normal_(std=0.3)
    return Built(named(module), photographs(224), [dict(batch=1)])
