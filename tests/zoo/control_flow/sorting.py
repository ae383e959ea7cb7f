"""Sorting and searching with loops over elements."""

import torch
from torch import Tensor

from .registry import integers, normal, number, scripted

LISTS = [(normal(6),), (normal(6, seed=1),), (torch.arange(6).float(),)]
SIZES = [(normal(n),) for n in (6, 1, 2, 9)]


@scripted(opset=13, runs=LISTS)
def bubble_sort(x: Tensor) -> Tensor:
    n = x.size(0)
    for i in range(n):
        for j in range(n - i - 1):
            if bool(x[j] > x[j + 1]):
                small = x[j + 1].clone()
                x[j + 1] = x[j]
                x[j] = small
    return x


@scripted(opset=16, runs=SIZES, dynamic={"x": [0]})
def bubble_sort_until_sorted(x: Tensor) -> tuple[Tensor, int]:
    n = x.size(0)
    rounds = 0
    swapped = True
    while swapped:
        swapped = False
        for j in range(n - 1):
            if bool(x[j] > x[j + 1]):
                small = x[j + 1].clone()
                x[j + 1] = x[j]
                x[j] = small
                swapped = True
        rounds += 1
    return x, rounds


@scripted(opset=14, runs=SIZES, dynamic={"x": [0]})
def insertion_sort(x: Tensor) -> Tensor:
    for i in range(1, x.size(0)):
        key = x[i].clone()
        j = i - 1
        while j >= 0 and bool(x[max(j, 0)] > key):
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return x


@scripted(opset=17, runs=SIZES, dynamic={"x": [0]})
def selection_sort(x: Tensor) -> Tensor:
    n = x.size(0)
    for i in range(n):
        smallest = i + int(x[i:].argmin())
        value = x[smallest].clone()
        x[smallest] = x[i]
        x[i] = value
    return x


@scripted(opset=12, runs=[(torch.arange(8).float(), torch.tensor(v)) for v in (3.0, 0.0, 7.5, -1.0)])
def binary_search(x: Tensor, value: Tensor) -> int:
    low = 0
    high = x.size(0)
    while low < high:
        middle = (low + high) // 2
        if bool(x[middle] < value):
            low = middle + 1
        else:
            high = middle
    return low


@scripted(opset=15, runs=[(integers(0, 5, 7, seed=s),) for s in (0, 1)] + [(integers(0, 5, 1),)], dynamic={"x": [0]})
def counting_sort(x: Tensor) -> tuple[Tensor, Tensor]:
    counts = torch.zeros(5, dtype=torch.int64)
    for i in range(x.size(0)):
        counts[x[i]] += 1
    result = torch.zeros_like(x)
    position = 0
    for value in range(5):
        for k in range(int(counts[value])):
            result[position] = value
            position += 1
    return counts, result


@scripted(opset=13, runs=[(normal(8, seed=s), number(k)) for s, k in ((0, 3), (1, 1), (2, 8))])
def largest_one_by_one(x: Tensor, k: Tensor) -> Tensor:
    found = torch.jit.annotate(list[Tensor], [])
    for i in range(int(k)):
        best = x.argmax()
        found.append(x[best])
        x = torch.where(torch.arange(8) == best, torch.full_like(x, -1e9), x)
    return torch.stack(found)


@scripted(
    opset=11,
    runs=[(torch.cat([b := normal(7, 2, seed=s).abs(), b + 1.0], 1), normal(7, seed=s)) for s in (0, 1, 2)],
)
def suppression_of_overlaps(boxes: Tensor, scores: Tensor) -> Tensor:
    """Non-maximum suppression as usually written in PyTorch."""
    keep = torch.zeros(7, dtype=torch.bool)
    left = torch.ones(7, dtype=torch.bool)
    while bool(left.any()):
        best = torch.where(left, scores, torch.full_like(scores, -1e9)).argmax()
        keep = keep | (torch.arange(7) == best)
        top = torch.maximum(boxes[:, :2], boxes[best, :2])
        bottom = torch.minimum(boxes[:, 2:], boxes[best, 2:])
        size = (bottom - top).clamp(min=0.0)
        common = size[:, 0] * size[:, 1]
        left = left & (common / (2.0 - common) < 0.3) & (torch.arange(7) != best)
    return keep
