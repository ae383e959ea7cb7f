"""In-place updates of tensors: elements, slices, masks, growing tensors."""

import torch
from torch import Tensor

from .registry import integers, normal, number, scripted

ROWS = [(normal(n, 4),) for n in (3, 1, 5)]


@scripted(opset=11, runs=ROWS, dynamic={"x": [0]})
def rows_written(x: Tensor) -> Tensor:
    y = torch.zeros_like(x)
    for i in range(x.size(0)):
        y[i] = x[i] * i
    return y


@scripted(opset=16, runs=ROWS, dynamic={"x": [0]})
def rows_added_to(x: Tensor) -> Tensor:
    y = torch.ones_like(x)
    for i in range(1, x.size(0)):
        y[i] += y[i - 1] + x[i]
    return y


@scripted(opset=13, runs=[(normal(3, n),) for n in (4, 2, 6)], dynamic={"x": [1]})
def columns_written(x: Tensor) -> Tensor:
    y = torch.zeros_like(x)
    for j in range(x.size(1)):
        y[:, j] = x[:, x.size(1) - 1 - j]
    return y


@scripted(opset=17, runs=[(normal(6, 4), number(n)) for n in (3, 1, 0)])
def slices_written(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x[2 * i : 2 * i + 2] = x[2 * i : 2 * i + 2] * 10.0
    return x


@scripted(opset=14, runs=[(normal(5, 5),), (normal(5, 5, seed=1),)])
def triangle_written(x: Tensor) -> Tensor:
    y = torch.zeros(5, 5)
    for i in range(5):
        for j in range(i + 1):
            y[i, j] = x[i, j] + y[j, i]
    return y


@scripted(opset=12, runs=[(normal(3, 4), number(n)) for n in (4, 1, 0)])
def masked_by_step(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x = torch.where(x > float(i) * 0.3, x - 0.2, x + 0.1)
    return x


@scripted(opset=18, runs=[(normal(3, 4), number(n)) for n in (4, 1, 0)])
def mask_written(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x[x < 0.0] = float(i) + 0.5
        x = x - 1.0
    return x


@scripted(opset=13, runs=[(normal(3, 4), number(n)) for n in (4, 1, 0)])
def growing_rows(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x = torch.cat([x, x[-1:] * 0.5])
    return x


@scripted(opset=15, runs=[(normal(3, 4), number(n)) for n in (3, 1, 0)])
def doubling_rows(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x = torch.cat([x, x + 1.0])
    return x


@scripted(opset=16, runs=[(normal(8, 4), number(n)) for n in (3, 1, 0)])
def shrinking_rows(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x = x[1:] + x[:-1]
    return x


@scripted(opset=14, runs=[(normal(n, 4),) for n in (8, 1, 5)], dynamic={"x": [0]})
def tree_of_sums(x: Tensor) -> Tensor:
    """Adds pairs of rows until one row remains."""
    while x.size(0) > 1:
        if x.size(0) % 2 == 1:
            x = torch.cat([x, torch.zeros(1, 4)])
        x = x[0::2] + x[1::2]
    return x[0]


@scripted(opset=20, runs=[(normal(4, 4, seed=s), number(n)) for s, n in ((0, 6), (1, 1), (2, 0))])
def rotating_buffer(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x = torch.roll(x, 1, 0)
        x[0] = x[0] * 0.5 + x[1]
    return x


@scripted(opset=13, runs=[(integers(0, 2, 6, 6, seed=s), number(n)) for s, n in ((0, 4), (1, 1), (2, 0))])
def game_of_life(cells: Tensor, n: Tensor) -> Tensor:
    kernel = torch.ones(1, 1, 3, 3)
    for i in range(int(n)):
        grid = cells.float().unsqueeze(0).unsqueeze(0)
        around = torch.conv2d(grid, kernel, padding=1)[0, 0].long() - cells
        cells = ((around == 3) | ((around == 2) & (cells == 1))).long()
    return cells


@scripted(opset=17, runs=[(normal(2, 3, 8, 8), number(n)) for n in (3, 1, 0)])
class PooledPyramid(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, x: Tensor, levels: Tensor) -> Tensor:
        for i in range(int(levels)):
            x = torch.max_pool2d(torch.relu(self.convolution(x)), 2)
        return x.mean([2, 3])


@scripted(opset=18, runs=[(normal(1, 3, 4, 4), number(n)) for n in (2, 1, 0)])
def upsampled_levels(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x = torch.nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")
    return x
