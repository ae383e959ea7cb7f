"""Classifiers of images."""

from .images import ANY_SIZE, THREE_SIZES, images, named
from .registry import Built, model

BATCHES = [dict(batch=2), dict(batch=1), dict(batch=5)]
ANY_BATCH = {"image": {0: "batch"}}


@model("resnet")
def resnet():
    from torchvision.models.resnet import Bottleneck, ResNet

    return Built(named(ResNet(Bottleneck, [1, 1, 1, 1], num_classes=10)), images(64), THREE_SIZES, ANY_SIZE)


@model("mobilenet_v3")
def mobilenet_v3():
    from torchvision.models import mobilenet_v3_small

    return Built(named(mobilenet_v3_small(num_classes=10, width_mult=0.5)), images(64), THREE_SIZES, ANY_SIZE)


@model("efficientnet")
def efficientnet():
    from torchvision.models.efficientnet import EfficientNet, MBConvConfig

    settings = [
        MBConvConfig(1, 3, 1, 16, 8, 1),
        MBConvConfig(6, 3, 2, 8, 16, 1),
        MBConvConfig(6, 5, 2, 16, 24, 2),
    ]
    module = EfficientNet(settings, dropout=0.2, num_classes=10, last_channel=64)
    return Built(named(module), images(64), THREE_SIZES, ANY_SIZE)


@model("swin")
def swin():
    from torchvision.models.swin_transformer import SwinTransformer

    module = SwinTransformer([4, 4], 32, depths=[2, 2], num_heads=[2, 4], window_size=[4, 4], num_classes=10)
    return Built(named(module), images(64), BATCHES, ANY_BATCH)


@model("swin_v2")
def swin_v2():
    from torchvision.models.swin_transformer import PatchMergingV2, SwinTransformer, SwinTransformerBlockV2

    module = SwinTransformer(
        [4, 4], 32, [2, 2], [2, 4], [4, 4], num_classes=10, block=SwinTransformerBlockV2, downsample_layer=PatchMergingV2
    )
    return Built(named(module), images(64), BATCHES, ANY_BATCH)


@model("vit")
def vit():
    from torchvision.models import VisionTransformer

    module = VisionTransformer(32, 8, num_layers=2, num_heads=4, hidden_dim=32, mlp_dim=64, num_classes=10)
    return Built(named(module), images(32), BATCHES, ANY_BATCH)


@model("vit_transformers")
def vit_transformers():
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8
    )
    return Built(named(ViTForImageClassification(config), "logits"), images(32), BATCHES, ANY_BATCH)
