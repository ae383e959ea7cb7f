"""Values that may be None."""

from typing import Optional

import torch
from torch import Tensor

from .registry import normal, number, scripted

X = normal(3, 4)
COUNTS = [(X, number(n)) for n in (4, 1, 0)]


@scripted(opset=16, runs=COUNTS)
def none_until_set(x: Tensor, n: Tensor) -> Tensor:
    total: Optional[Tensor] = None
    for i in range(int(n)):
        part = x * i
        if total is None:
            total = part
        else:
            total = total + part
    if total is None:
        return x
    return total


@scripted(opset=18, runs=COUNTS)
def none_and_a_list(x: Tensor, n: Tensor) -> Tensor:
    last: Optional[Tensor] = None
    parts = [x]
    for i in range(int(n)):
        if last is None:
            last = x * 0.5
        else:
            last = last * 0.5 - x
        parts.append(last)
    return torch.stack(parts)


def _scaled(x: Tensor, scale: Optional[Tensor] = None) -> Tensor:
    return x if scale is None else x * scale


@scripted(opset=15, runs=COUNTS)
def optional_of_a_call(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        if i % 2 == 0:
            x = _scaled(x)
        else:
            x = _scaled(x, x)
    return x
