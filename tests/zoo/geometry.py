"""Models that gather and scatter at computed positions: deformable attention, optical flow, graphs, points."""

from .images import images, named
from .registry import Built, model


@model("deformable_detr", atol=1e-4)
def deformable_detr():
    from transformers import DeformableDetrConfig, DeformableDetrForObjectDetection, ResNetConfig

    backbone = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic", out_features=["stage1", "stage2"])
    config = DeformableDetrConfig(
        use_timm_backbone=False,
        backbone_config=backbone,
        use_pretrained_backbone=False,
        backbone=None,
        num_queries=7,
        num_feature_levels=2,
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        num_labels=5,
        disable_custom_kernels=True,
    )
    module = named(DeformableDetrForObjectDetection(config), "logits", "pred_boxes")
    sizes = [dict(batch=2), dict(batch=1)]
    return Built(module, images(64), sizes, {"image": {0: "batch"}}, ["logits", "boxes"])


@model("optical_flow", atol=1e-3)
def optical_flow():
    """RAFT: samples a pyramid of correlations at the current estimate of the flow."""
    import torch
    from torchvision.models.optical_flow import raft_small

    class Flow(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.raft = raft_small()

        def forward(self, first, second):
            return self.raft(first, second, num_flow_updates=2)[-1]

    def inputs(batch):
        return {"first": torch.rand(batch, 3, 128, 128) * 2 - 1, "second": torch.rand(batch, 3, 128, 128) * 2 - 1}

    return Built(Flow().eval(), inputs, [dict(batch=1)])


@model("graph_attention")
def graph_attention():
    """Messages along edges, summed and normalised by scatters."""
    import torch

    class GraphAttention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.project = torch.nn.Linear(8, 12)
            self.score = torch.nn.Linear(24, 1)

        def forward(self, nodes, edges):
            features = self.project(nodes)
            source, target = edges[0], edges[1]
            scores = torch.nn.functional.leaky_relu(self.score(torch.cat((features[source], features[target]), -1)))
            none = torch.full((nodes.size(0), 1), -1e9)
            greatest = none.scatter_reduce(0, target.unsqueeze(1), scores, "amax")
            weights = torch.exp(scores - greatest[target])
            sums = torch.zeros(nodes.size(0), 1).index_add(0, target, weights)
            messages = torch.zeros_like(features).index_add(0, target, weights * features[source])
            return messages / (sums + 1e-6)

    def inputs(nodes, edges):
        return {"nodes": torch.randn(nodes, 8), "edges": torch.randint(0, nodes, (2, edges))}

    sizes = [dict(nodes=5, edges=11), dict(nodes=2, edges=3), dict(nodes=30, edges=64)]
    return Built(GraphAttention().eval(), inputs, sizes, {"nodes": {0: "nodes"}, "edges": {1: "edges"}})


@model("point_cloud")
def point_cloud():
    """The nearest neighbours of each point by TopK of distances."""
    import torch

    class Points(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.edges = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16))
            self.head = torch.nn.Linear(16, 4)

        def forward(self, points):
            distances = (points.unsqueeze(1) - points.unsqueeze(2)).square().sum(-1)
            near = distances.topk(4, -1, largest=False).indices
            batch, count, width = points.shape
            others = torch.gather(points.unsqueeze(1).expand(batch, count, count, width), 2, near.unsqueeze(-1).expand(-1, -1, -1, width))
            own = points.unsqueeze(2).expand_as(others)
            return self.head(self.edges(torch.cat((own, others - own), -1)).amax((1, 2)))

    def inputs(batch, count):
        return {"points": torch.randn(batch, count, 3)}

    sizes = [dict(batch=2, count=9), dict(batch=1, count=6), dict(batch=3, count=20)]
    return Built(Points().eval(), inputs, sizes, {"points": {0: "batch", 1: "count"}})


@model("spatial_transformer")
def spatial_transformer():
    import torch

    class SpatialTransformer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.place = torch.nn.Sequential(
                torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, 6), torch.nn.Tanh()
            )

        def forward(self, image):
            theta = self.place(image).view(-1, 2, 3)
            grid = torch.nn.functional.affine_grid(theta, [image.size(0), 3, 20, 24], align_corners=False)
            return torch.nn.functional.grid_sample(image, grid, align_corners=False)

    return Built(SpatialTransformer().eval(), images(32), [dict(batch=2), dict(batch=1)], {"image": {0: "batch"}}, opset=20)


@model("depth")
def depth():
    """DPT on a ViT: for images of other sizes the position embeddings are resampled."""
    from transformers import DPTConfig, DPTForDepthEstimation

    config = DPTConfig(
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=64,
        image_size=32,
        patch_size=8,
        backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[16, 16, 32, 32],
        fusion_hidden_size=16,
        is_hybrid=False,
    )
    module = named(DPTForDepthEstimation(config), "predicted_depth")
    return Built(module, images(32), [dict(batch=2), dict(batch=1)], {"image": {0: "batch"}})
