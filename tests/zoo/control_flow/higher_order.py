"""torch.cond and scan with the exporter that uses torch.export. In PyTorch 2.9 it does not support while_loop and map."""

import torch
from torch import Tensor, nn
from torch._higher_order_ops.scan import scan

from .registry import exported, normal

X = normal(3, 4)


@exported(opset=18, runs=[(X,), (-X.abs(),), (X.abs(),)])
class BranchOnSum(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda x: torch.sin(x) * 2, lambda x: torch.cos(x) - 1, (x,))


@exported(opset=20, runs=[(X,), (-X.abs(),), (X.abs(),)])
class BranchWithLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.small = nn.Linear(4, 2)
        self.large = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.mean() > 0, lambda x: self.large(x), lambda x: self.small(x), (x,))


@exported(opset=21, runs=[(X,), (-X.abs(),), (X.abs() * 4,)])
class NestedBranches(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        def positive(x):
            return torch.cond(x.max() > 3, lambda x: x * 0.1, lambda x: x * 10, (x,))

        return torch.cond(x.sum() > 0, positive, lambda x: x - 1, (x,))


@exported(opset=20, runs=[(normal(5, 3),), (normal(5, 3, seed=1),)])
class ScannedSums(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        def step(carry, row):
            following = carry * 0.5 + row
            return following, following.clone()

        return scan(step, torch.zeros(3), x, dim=0)


@exported(opset=18, runs=[(normal(5, 3),), (normal(5, 3, seed=1),)])
class ScannedBackwards(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        def step(carry, row):
            following = torch.maximum(carry, row)
            return following, following * 2

        return scan(step, torch.zeros(3), x, dim=0, reverse=True)


@exported(opset=21, runs=[(normal(6, 2, 3),), (normal(6, 2, 3, seed=1),)])
class ScannedRecurrence(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 4)
        self.hidden = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        def step(h, row):
            following = torch.tanh(self.inner(row) + self.hidden(h))
            return following, following.clone()

        return scan(step, torch.zeros(2, 4), x, dim=0)


@exported(opset=19, runs=[(normal(4, 2, 3),), (normal(4, 2, 3, seed=1),), (-normal(4, 2, 3).abs(),)])
class BranchesAroundScan(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        def step(carry, row):
            following = torch.sigmoid(carry + row)
            return following, following * row

        last, rows = scan(step, torch.zeros(2, 3), x, dim=0)
        return torch.cond(last.sum() > 3, lambda a, b: a.sum(0) + b, lambda a, b: a.sum(0) - b, (rows, last))


@exported(opset=18, runs=[(normal(3, 2, 4), normal(2, 4, seed=2)), (normal(3, 2, 4, seed=1), normal(2, 4, seed=3))])
class ScannedTwoStates(nn.Module):
    def forward(self, x: Tensor, start: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        def step(carry, row):
            sums, tops = carry
            sums = sums + row
            return (sums, torch.maximum(tops, sums)), sums * 0.5

        (sums, tops), rows = scan(step, (start, start - 1), x, dim=0)
        return sums, tops, rows
