"""Detectors: a YOLO with SiLU, Split, Concat, MaxPool and Resize, and SSD. The results are those before the suppression of boxes."""

from bench.quantised_networks import network
from bench.quantised_vision import photographs, with_statistics
from tests.zoo.images import named
from tests.zoo.registry import Built

DETECTOR_FORMS = ("f32", "qdq_u8_channel", "qdq_i8_channel", "qoperator_u8_channel")


@network("yolo", DETECTOR_FORMS)
def yolo():
    """The layers and the channels of a YOLOv8n at 320 x 320."""
    import torch
    from torch import nn

    def convolution(inputs, outputs, size=1, stride=1):
        layers = [nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs), nn.SiLU()]
        return nn.Sequential(*layers)

    class Block(nn.Module):
        def __init__(self, inputs, outputs, count, is_residual=True):
            super().__init__()
            half = outputs // 2
            self.first, self.last = convolution(inputs, outputs), convolution((2 + count) * half, outputs)
            self.parts = nn.ModuleList(nn.Sequential(convolution(half, half, 3), convolution(half, half, 3)) for _ in range(count))
            self.is_residual = is_residual

        def forward(self, x):
            found = list(self.first(x).chunk(2, 1))
            for part in self.parts:
                result = part(found[-1])
                found.append(found[-1] + result if self.is_residual else result)
            return self.last(torch.cat(found, 1))

    class Pools(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.first, self.last = convolution(channels, channels // 2), convolution(channels * 2, channels)
            self.pool = nn.MaxPool2d(5, 1, 2)

        def forward(self, x):
            found = [self.first(x)]
            for _ in range(3):
                found.append(self.pool(found[-1]))
            return self.last(torch.cat(found, 1))

    def head(channels, between, outputs):
        return nn.Sequential(convolution(channels, between, 3), convolution(between, between, 3), nn.Conv2d(between, outputs, 1))

    class Yolo(nn.Module):
        def __init__(self):
            super().__init__()
            self.to_third = nn.Sequential(
                convolution(3, 16, 3, 2), convolution(16, 32, 3, 2), Block(32, 32, 1), convolution(32, 64, 3, 2), Block(64, 64, 2)
            )
            self.to_fourth = nn.Sequential(convolution(64, 128, 3, 2), Block(128, 128, 2))
            self.to_fifth = nn.Sequential(convolution(128, 256, 3, 2), Block(256, 256, 1), Pools(256))
            self.up_fourth, self.up_third = Block(384, 128, 1, False), Block(192, 64, 1, False)
            self.down_fourth, self.down_fifth = convolution(64, 64, 3, 2), convolution(128, 128, 3, 2)
            self.join_fourth, self.join_fifth = Block(192, 128, 1, False), Block(384, 256, 1, False)
            self.boxes = nn.ModuleList(head(channels, 64, 64) for channels in (64, 128, 256))
            self.classes = nn.ModuleList(head(channels, 80, 80) for channels in (64, 128, 256))
            self.upsample = nn.Upsample(scale_factor=2, mode="nearest")

        def forward(self, image):
            third = self.to_third(image)
            fourth = self.to_fourth(third)
            fifth = self.to_fifth(fourth)
            fourth = self.up_fourth(torch.cat((self.upsample(fifth), fourth), 1))
            third = self.up_third(torch.cat((self.upsample(fourth), third), 1))
            fourth = self.join_fourth(torch.cat((self.down_fourth(third), fourth), 1))
            fifth = self.join_fifth(torch.cat((self.down_fifth(fourth), fifth), 1))
            levels = list(zip(self.boxes, self.classes, (third, fourth, fifth)))
            boxes = torch.cat([boxes(level).flatten(2) for boxes, _, level in levels], 2)
            bins = boxes.unflatten(1, (4, 16)).softmax(2)
            distances = (bins * torch.arange(16.0).view(1, 1, 16, 1)).sum(2)
            return distances, torch.cat([classes(level).flatten(2) for _, classes, level in levels], 2).sigmoid()

    inputs = photographs(320)
    return Built(with_statistics(Yolo(), inputs), inputs, [dict(batch=1)], outputs=["boxes", "scores"])


@network("ssd", DETECTOR_FORMS)
def ssd():
    """SSDLite on MobileNetV3, at 320 x 320."""
    import torch
    from torchvision.models.detection import ssdlite320_mobilenet_v3_large

    class Heads(torch.nn.Module):
        def __init__(self):
            super().__init__()
            detector = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None)
            self.backbone, self.head = detector.backbone, detector.head

        def forward(self, image):
            found = self.head(list(self.backbone(image).values()))
            return {"boxes": found["bbox_regression"], "scores": found["cls_logits"]}

    inputs = photographs(320)
    module = with_statistics(Heads(), inputs)
    return Built(named(module, "boxes", "scores"), inputs, [dict(batch=1)], outputs=["boxes", "scores"])
