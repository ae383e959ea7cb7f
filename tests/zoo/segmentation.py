"""Segmentation: a class for each pixel, or masks and keypoints of detected objects."""

from .detection import DATA_DEPENDENT, keep_variance, one_image
from .images import ANY_SIZE, THREE_SIZES, images, named
from .registry import DYNAMO, Built, model


@model("lraspp")
def lraspp():
    from torchvision.models.mobilenetv3 import mobilenet_v3_small
    from torchvision.models._utils import IntermediateLayerGetter
    from torchvision.models.segmentation import LRASPP

    features = mobilenet_v3_small(width_mult=0.5).features
    backbone = IntermediateLayerGetter(features, {"3": "low", "8": "high"})
    return Built(named(LRASPP(backbone, 16, 24, 5, 16), "out"), images(64), THREE_SIZES, ANY_SIZE)


@model("segformer")
def segformer():
    from transformers import SegformerConfig, SegformerForSemanticSegmentation

    config = SegformerConfig(
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[4, 2],
        hidden_sizes=[16, 32],
        patch_sizes=[7, 3],
        strides=[4, 2],
        num_attention_heads=[1, 2],
        mlp_ratios=[2, 2],
        decoder_hidden_size=32,
        num_labels=5,
    )
    return Built(named(SegformerForSemanticSegmentation(config), "logits"), images(64), THREE_SIZES, ANY_SIZE)


@model("mask_rcnn", export_fails={DYNAMO: DATA_DEPENDENT})
def mask_rcnn():
    """Masks are pasted into the image by a Loop over the boxes."""
    return _with_heads("mask_rcnn", "MaskRCNN", "mask", "masks")


@model("keypoint_rcnn", export_fails={DYNAMO: DATA_DEPENDENT})
def keypoint_rcnn():
    return _with_heads("keypoint_rcnn", "KeypointRCNN", "keypoint", "keypoints")


def _with_heads(module_name, class_name, head, result):
    import importlib

    import torch
    from torchvision.models.detection.anchor_utils import AnchorGenerator
    from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
    from torchvision.models.detection.keypoint_rcnn import KeypointRCNNHeads, KeypointRCNNPredictor
    from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
    from torchvision.models.mobilenetv3 import mobilenet_v3_small
    from torchvision.ops import MultiScaleRoIAlign

    backbone = mobilenet_v3_small(width_mult=0.5).features[:9]
    backbone.out_channels = 24
    if head == "mask":
        heads = {"mask_head": MaskRCNNHeads(24, (16,), 1), "mask_predictor": MaskRCNNPredictor(16, 16, 4)}
    else:
        heads = {"keypoint_head": KeypointRCNNHeads(24, (16,)), "keypoint_predictor": KeypointRCNNPredictor(16, 3)}
    detector = getattr(importlib.import_module(f"torchvision.models.detection.{module_name}"), class_name)(
        backbone,
        min_size=96,
        max_size=128,
        rpn_anchor_generator=AnchorGenerator(((16, 32, 64),), ((0.5, 1.0, 2.0),)),
        box_roi_pool=MultiScaleRoIAlign(["0"], output_size=5, sampling_ratio=2),
        box_head=TwoMLPHead(24 * 25, 32),
        box_predictor=FastRCNNPredictor(32, 4),
        rpn_pre_nms_top_n_test=40,
        rpn_post_nms_top_n_test=20,
        box_score_thresh=0.2,
        box_detections_per_img=5,
        **{f"{head}_roi_pool": MultiScaleRoIAlign(["0"], output_size=6, sampling_ratio=2), **heads},
    )

    class WithHeads(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = keep_variance(detector)

        def forward(self, image):
            found = self.module([image])[0]
            return found["boxes"], found["labels"], found["scores"], found[result]

    names = ["boxes", "labels", "scores", result]
    dynamic = {"image": {1: "height", 2: "width"}, **{name: {0: "found"} for name in names}}
    sizes = [dict(height=80, width=100), dict(height=120, width=90)]
    return Built(WithHeads().eval(), one_image, sizes, dynamic, names)
