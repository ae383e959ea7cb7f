"""Detectors and segmentation."""

from .images import ANY_SIZE, THREE_SIZES, images, named
from .registry import DYNAMO, Built, model

# Torchvision tests whether any box remains.
DATA_DEPENDENT = "GuardOnDataDependentSymNode"


@model("detr")
def detr():
    from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig

    backbone = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic", out_features=["stage2"])
    config = DetrConfig(
        use_timm_backbone=False,
        backbone_config=backbone,
        use_pretrained_backbone=False,
        backbone=None,
        num_queries=7,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        num_labels=5,
    )
    module = named(DetrForObjectDetection(config), "logits", "pred_boxes")
    return Built(module, images(64), THREE_SIZES, ANY_SIZE, ["logits", "boxes"])


@model("deeplab_v3")
def deeplab_v3():
    from torchvision.models._utils import IntermediateLayerGetter
    from torchvision.models.resnet import BasicBlock, ResNet
    from torchvision.models.segmentation.deeplabv3 import DeepLabHead, DeepLabV3

    backbone = IntermediateLayerGetter(ResNet(BasicBlock, [1, 1, 1, 1]), {"layer3": "out"})
    module = DeepLabV3(backbone, DeepLabHead(256, 5))
    return Built(named(module, "out"), images(64), THREE_SIZES, ANY_SIZE)


def keep_variance(module):
    """Sets weights with which scores differ by more than rounding errors, so that their order is deterministic."""
    import torch

    for part in module.modules():
        if isinstance(part, torch.nn.Conv2d | torch.nn.Linear):
            torch.nn.init.kaiming_normal_(part.weight)
    return module


def detector(module):
    """Takes one image; returns the boxes, scores and labels that remain after suppression."""
    import torch

    class Detector(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = keep_variance(module)

        def forward(self, image):
            found = self.module([image])[0]
            return found["boxes"], found["scores"], found["labels"]

    return Detector().eval()


def one_image(height, width):
    import torch

    return {"image": torch.rand(3, height, width)}


DETECTIONS = ["boxes", "scores", "labels"]
FOUND = {"boxes": {0: "found"}, "scores": {0: "found"}, "labels": {0: "found"}}


@model("ssdlite", export_fails={DYNAMO: DATA_DEPENDENT})
def ssdlite():
    import torch
    from torchvision.models.detection.anchor_utils import DefaultBoxGenerator
    from torchvision.models.detection.ssd import SSD
    from torchvision.models.detection.ssdlite import SSDLiteHead
    from torchvision.models.mobilenetv3 import mobilenet_v3_small

    class Backbone(torch.nn.Module):
        def __init__(self):
            super().__init__()
            features = mobilenet_v3_small(width_mult=0.5).features
            self.first, self.second = features[:9], features[9:]

        def forward(self, image):
            first = self.first(image)
            return {"0": first, "1": self.second(first)}

    anchors = DefaultBoxGenerator([[2, 3], [2, 3]], min_ratio=0.2, max_ratio=0.9)
    head = SSDLiteHead([24, 288], anchors.num_anchors_per_location(), 4, torch.nn.BatchNorm2d)
    module = SSD(Backbone(), anchors, (96, 96), 4, head=head, score_thresh=0.2, nms_thresh=0.5, detections_per_img=20)
    sizes = [dict(height=80, width=100), dict(height=120, width=90)]
    return Built(detector(module), one_image, sizes, {"image": {1: "height", 2: "width"}, **FOUND}, DETECTIONS)


@model("faster_rcnn", export_fails={DYNAMO: DATA_DEPENDENT})
def faster_rcnn():
    import torch
    from torchvision.models.detection import FasterRCNN
    from torchvision.models.detection.anchor_utils import AnchorGenerator
    from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
    from torchvision.models.mobilenetv3 import mobilenet_v3_small
    from torchvision.ops import MultiScaleRoIAlign

    backbone = mobilenet_v3_small(width_mult=0.5).features[:9]
    backbone.out_channels = 24
    module = FasterRCNN(
        backbone,
        min_size=96,
        max_size=128,
        rpn_anchor_generator=AnchorGenerator(((16, 32, 64),), ((0.5, 1.0, 2.0),)),
        box_roi_pool=MultiScaleRoIAlign(["0"], output_size=5, sampling_ratio=2),
        box_head=TwoMLPHead(24 * 25, 32),
        box_predictor=FastRCNNPredictor(32, 4),
        rpn_pre_nms_top_n_test=60,
        rpn_post_nms_top_n_test=30,
        box_score_thresh=0.2,
        box_detections_per_img=10,
    )
    sizes = [dict(height=80, width=100), dict(height=120, width=90)]
    return Built(detector(module), one_image, sizes, {"image": {1: "height", 2: "width"}, **FOUND}, DETECTIONS)


@model("retinanet", export_fails={DYNAMO: DATA_DEPENDENT})
def retinanet():
    from torchvision.models.detection import RetinaNet
    from torchvision.models.detection.anchor_utils import AnchorGenerator
    from torchvision.models.mobilenetv3 import mobilenet_v3_small

    backbone = mobilenet_v3_small(width_mult=0.5).features[:9]
    backbone.out_channels = 24
    anchors = AnchorGenerator(((16, 32, 64),), ((0.5, 1.0, 2.0),))
    module = RetinaNet(
        backbone, 4, 96, 128, anchor_generator=anchors, score_thresh=0.005, topk_candidates=50, detections_per_img=20
    )
    sizes = [dict(height=80, width=100), dict(height=120, width=90)]
    return Built(detector(module), one_image, sizes, {"image": {1: "height", 2: "width"}, **FOUND}, DETECTIONS)


@model("one_stage_detector")
def one_stage_detector():
    """Boxes and scores of each cell, then torchvision.ops.nms: the part of a detector that torch.export supports."""
    import torch
    from torchvision.ops import box_convert, nms

    class OneStage(torch.nn.Module):
        def __init__(self):
            super().__init__()
            layers = [torch.nn.Conv2d(3, 16, 3, 4, 1), torch.nn.SiLU(), torch.nn.Conv2d(16, 16, 3, 4, 1), torch.nn.SiLU()]
            self.features = torch.nn.Sequential(*layers)
            self.head = torch.nn.Conv2d(16, 4 + 5, 1)

        def forward(self, image):
            cells = self.head(self.features(image)).flatten(2)[0].transpose(0, 1)
            height, width = image.size(2) // 16, image.size(3) // 16
            rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
            centres = torch.stack((columns, rows), -1).reshape(-1, 2) * 16.0 + 8.0
            boxes = torch.cat((centres + cells[:, :2] * 16, 32 * torch.exp(cells[:, 2:4])), 1)
            boxes = box_convert(boxes, "cxcywh", "xyxy")
            scores, labels = torch.softmax(cells[:, 4:], -1).max(-1)
            kept = nms(boxes, scores, 0.3)
            return boxes[kept], scores[kept], labels[kept]

    sizes = [dict(batch=1), dict(batch=1, height=96, width=80), dict(batch=1, height=32, width=128)]
    dynamic = {"image": {2: "height", 3: "width"}, **FOUND}
    return Built(OneStage().eval(), images(64), sizes, dynamic, DETECTIONS)
