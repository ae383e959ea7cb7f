"""Convolutional networks with concatenations, shuffles, unusual pooling, transposed and 3-D convolutions."""

from .images import ANY_SIZE, THREE_SIZES, images, named
from .registry import Built, model


@model("densenet")
def densenet():
    from torchvision.models import DenseNet

    return Built(named(DenseNet(8, (2, 3), 16, num_classes=10)), images(64), THREE_SIZES, ANY_SIZE)


@model("squeezenet")
def squeezenet():
    """Max pooling that rounds up."""
    from torchvision.models import SqueezeNet

    return Built(named(SqueezeNet("1_1", num_classes=10)), images(64), THREE_SIZES, ANY_SIZE)


@model("shufflenet_v2")
def shufflenet_v2():
    from torchvision.models import ShuffleNetV2

    module = ShuffleNetV2([2, 2, 2], [24, 32, 48, 64, 96], num_classes=10)
    return Built(named(module), images(64), THREE_SIZES, ANY_SIZE)


@model("googlenet")
def googlenet():
    from torchvision.models import GoogLeNet

    module = GoogLeNet(num_classes=10, aux_logits=False, transform_input=True, init_weights=False)
    return Built(named(module), images(64), THREE_SIZES, ANY_SIZE)


@model("convnext")
def convnext():
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt

    settings = [CNBlockConfig(16, 32, 2), CNBlockConfig(32, None, 2)]
    return Built(named(ConvNeXt(settings, num_classes=10)), images(64), THREE_SIZES, ANY_SIZE)


@model("regnet")
def regnet():
    from torchvision.models.regnet import BlockParams, RegNet

    settings = BlockParams.from_init_params(depth=6, w_0=24, w_a=24.48, w_m=2.54, group_width=8, se_ratio=0.25)
    return Built(named(RegNet(settings, num_classes=10)), images(64), THREE_SIZES, ANY_SIZE)


@model("unet")
def unet():
    """Upsampling by transposed convolutions; the image sizes are not divisible by the downsampling factor."""
    import torch
    from torch import nn

    def block(channels, features):
        layers = [nn.Conv2d(channels, features, 3, 1, 1), nn.GroupNorm(2, features), nn.LeakyReLU(0.1)]
        return nn.Sequential(*layers)

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.ModuleList([block(3, 8), block(8, 16), block(16, 32)])
            self.up = nn.ModuleList([nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 3, 2, 1, 1)])
            self.joined = nn.ModuleList([block(32, 16), block(16, 8)])
            self.last = nn.Conv2d(8, 2, 1)

        def forward(self, image):
            first = self.down[0](image)
            second = self.down[1](nn.functional.max_pool2d(first, 2))
            result = self.down[2](nn.functional.avg_pool2d(second, 2))
            for up, joined, beside in zip(self.up, self.joined, (second, first)):
                result = up(result)
                missing = [beside.size(3) - result.size(3), beside.size(2) - result.size(2)]
                result = nn.functional.pad(result, (0, missing[0], 0, missing[1]))
                result = joined(torch.cat((beside, result), 1))
            return self.last(result)

    sizes = [dict(batch=2), dict(batch=1, height=50, width=71), dict(batch=1, height=49, width=36)]
    return Built(UNet().eval(), images(64), sizes, ANY_SIZE)


@model("super_resolution")
def super_resolution():
    """Sub-pixel convolution, added to a bicubic upsampling."""
    from torch import nn

    class SuperResolution(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(
                nn.Conv2d(3, 16, 5, 1, 2), nn.PReLU(16), nn.Conv2d(16, 27, 3, 1, 1), nn.PixelShuffle(3)
            )

        def forward(self, image):
            base = nn.functional.interpolate(image, scale_factor=3, mode="bicubic", align_corners=False)
            return base + self.layers(image)

    sizes = [dict(batch=2), dict(batch=1, height=9, width=21), dict(batch=3, height=16, width=5)]
    return Built(SuperResolution().eval(), images(12), sizes, ANY_SIZE)


@model("style_transfer", atol=1e-4)
def style_transfer():
    """Reflected edges, instance normalisation, nearest-neighbour upsampling."""
    from torch import nn

    def convolution(channels, features, size, stride=1):
        padding = nn.ReflectionPad2d(size // 2)
        return [padding, nn.Conv2d(channels, features, size, stride), nn.InstanceNorm2d(features, affine=True), nn.ReLU()]

    module = nn.Sequential(
        *convolution(3, 8, 9),
        *convolution(8, 16, 3, 2),
        *convolution(16, 16, 3),
        nn.Upsample(scale_factor=2, mode="nearest"),
        *convolution(16, 8, 3),
        nn.ReflectionPad2d(4),
        nn.Conv2d(8, 3, 9),
    )
    return Built(named(module), images(32), [dict(batch=2), dict(batch=1, height=33, width=40)], ANY_SIZE)


@model("video_resnet")
def video_resnet():
    import torch
    from torchvision.models.video.resnet import BasicBlock, BasicStem, Conv3DSimple, VideoResNet

    class Video(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = VideoResNet(BasicBlock, [Conv3DSimple] * 4, [1, 1, 1, 1], BasicStem, num_classes=5)

        def forward(self, clip):
            return self.module(clip)

    def inputs(batch, frames=4):
        return {"clip": torch.randn(batch, 3, frames, 32, 32)}

    return Built(Video().eval(), inputs, [dict(batch=2), dict(batch=1, frames=5)], {"clip": {0: "batch", 2: "frames"}})


@model("text_recognition")
def text_recognition():
    """CRNN: columns of an image become steps of a GRU."""
    from torch import nn

    class Crnn(nn.Module):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(
                nn.Conv2d(3, 16, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 24, 3, 1, 1), nn.BatchNorm2d(24), nn.ReLU()
            )
            self.states = nn.GRU(24 * 8, 16, num_layers=2, bidirectional=True)
            self.letters = nn.Linear(32, 12)

        def forward(self, image):
            columns = self.features(image).flatten(1, 2).permute(2, 0, 1)
            return self.letters(self.states(columns)[0]).log_softmax(-1)

    sizes = [dict(batch=2, height=16, width=40), dict(batch=1, height=16, width=40), dict(batch=3, height=16, width=66)]
    # torch.export fixes the length of a GRU.
    return Built(Crnn().eval(), images(16), sizes, {"image": {0: "batch", 3: "width"}}, dynamo_static={"width"})
