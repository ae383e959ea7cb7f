"""Lists of tensors: append and stack, static and dynamic indices, removal, lists as values of loops and branches."""

from typing import List

import torch
from torch import Tensor

from .registry import normal, number, scripted

X = normal(3, 4)


@scripted(opset=13, runs=[(X, number(n)) for n in (5, 1, 3)])
def append_and_stack(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        x = torch.tanh(x) + i
        parts.append(x)
    return torch.stack(parts)


@scripted(opset=11, runs=[(X, number(n)) for n in (5, 1, 3)])
def append_and_stack_11(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        x = x * 0.5
        parts.append(x)
    return torch.stack(parts)


@scripted(opset=14, runs=[(X, number(n)) for n in (4, 2, 1)])
def append_and_stack_in_the_middle(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        parts.append(x + i)
    return torch.stack(parts, dim=1)


@scripted(opset=13, runs=[(X, number(n)) for n in (4, 2, 1)])
def append_and_concatenate(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        parts.append(x[: i + 1])
    return torch.cat(parts)


@scripted(opset=16, runs=[(X, number(n)) for n in (4, 2, 1)])
def append_and_concatenate_columns(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        parts.append(x * i)
    return torch.cat(parts, dim=1)


@scripted(opset=17, runs=[(X, number(n)) for n in (4, 1, 0)])
def list_with_a_first_element(x: Tensor, n: Tensor) -> Tensor:
    parts = [x]
    for i in range(int(n)):
        parts.append(parts[-1] * 0.5 + x)
    return torch.stack(parts)


@scripted(opset=13, runs=[(X, number(n)) for n in (7, 1, 0)])
def appended_in_while(x: Tensor, n: Tensor) -> Tensor:
    parts = [x]
    i = 0
    while i < int(n):
        x = x * 0.5 + i
        parts.append(x)
        i += 1 if float(x.sum()) < 40.0 else 2
    return torch.stack(parts, 0)


@scripted(opset=15, runs=[(X, number(n)) for n in (9, 3, 0)])
def appended_until_break(x: Tensor, n: Tensor) -> tuple[Tensor, int]:
    parts = [x]
    for i in range(int(n)):
        x = x + 1.0
        if float(x.sum()) > 50.0:
            break
        parts.append(x)
    return torch.cat(parts, 0), len(parts)


@scripted(opset=13, runs=[(X, number(n)) for n in (0, 1, 2, -1, -3)])
def indexed_at_run_time(x: Tensor, n: Tensor) -> Tensor:
    parts = [x, x * 2.0, x * 3.0]
    return parts[int(n)] + parts[-1]


@scripted(opset=18, runs=[(X, number(n)) for n in (3, 5)])
def indexed_in_loop(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        parts.append(x * i)
    total = torch.zeros_like(x)
    for i in range(len(parts)):
        total = total * 0.5 + parts[i] - parts[-1] + parts[len(parts) - 1 - i]
    return total


@scripted(opset=14, runs=[(X, number(n)) for n in (5, 3)])
def iterated_list(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        parts.append(x + i)
    total = torch.zeros_like(x)
    for part in parts:
        total = total * 0.5 + part
    return total


@scripted(opset=13, runs=[(X, number(n)) for n in (5, 3, 2)])
def popped_list(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        parts.append(x + i)
    last = parts.pop()
    first = parts.pop(0)
    return last * 2.0 + first


@scripted(opset=16, runs=[(X, number(n)) for n in (5, 3, 2)])
def inserted_in_front(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        parts.insert(0, x + i)
    return torch.stack(parts)


@scripted(opset=13, runs=[(X, number(n)) for n in (5, 3, 2)])
def window_of_states(x: Tensor, n: Tensor) -> Tensor:
    """The last two states are kept, the oldest is deleted."""
    window = [x, x * 0.5]
    for i in range(int(n)):
        window.append(window[0] + window[1] * 0.5)
        del window[0]
    return window[0] - window[1]


@scripted(opset=19, runs=[(X, number(n)) for n in (4, 1, 0)])
def list_elements_replaced(x: Tensor, n: Tensor) -> Tensor:
    parts = [x, x * 2.0]
    for i in range(int(n)):
        parts[i % 2] = parts[(i + 1) % 2] * 0.5
    return torch.stack(parts)


@scripted(opset=15, runs=[(X, number(n)) for n in (3, 1)])
def list_in_nested_loops(x: Tensor, n: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        for j in range(i + 1):
            parts.append(x * i + j)
    return torch.stack(parts)


@scripted(opset=14, runs=[(X, number(n)) for n in (3, 1)])
def stacked_in_nested_loops(x: Tensor, n: Tensor) -> Tensor:
    outer: List[Tensor] = []
    for i in range(int(n)):
        inner: List[Tensor] = []
        for j in range(4):
            inner.append(x * i + j)
        outer.append(torch.stack(inner))
    return torch.stack(outer)


@scripted(opset=13, runs=[(normal(n, 4),) for n in (4, 1, 6)], dynamic={"x": [0]})
def split_and_folded(x: Tensor) -> Tensor:
    total = torch.zeros(1, 4)
    for part in torch.split(x, 1):
        total = total * 0.5 + part
    return total


@scripted(opset=17, runs=[(normal(n, 4),) for n in (4, 1, 6)], dynamic={"x": [0]})
def unbound_and_reversed(x: Tensor) -> Tensor:
    rows = torch.unbind(x)
    parts: List[Tensor] = []
    for i in range(len(rows)):
        parts.append(rows[len(rows) - 1 - i])
    return torch.stack(parts)


@scripted(opset=13, runs=[(normal(n, 4),) for n in (5, 2, 7)], dynamic={"x": [0]})
def chunks_and_rest(x: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for part in torch.split(x, 2):
        parts.append(part.sum(0))
    return torch.stack(parts)


@scripted(opset=14, runs=[(X, number(n)) for n in (4, 2)])
def two_lists(x: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
    sums: List[Tensor] = []
    tops: List[Tensor] = []
    for i in range(int(n)):
        x = x * 0.9 - i
        sums.append(x.sum(1))
        tops.append(x.max(dim=1)[1])
    return torch.stack(sums, 1), torch.stack(tops, 1)


@scripted(opset=16, runs=[(X, number(n), torch.tensor(f)) for n in (4, 2) for f in (True, False)])
def list_from_a_branch(x: Tensor, n: Tensor, twice: Tensor) -> Tensor:
    parts: List[Tensor] = []
    for i in range(int(n)):
        if bool(twice):
            parts.append(x)
            parts.append(x + i)
        else:
            parts.append(x - i)
    return torch.cat(parts)


@scripted(opset=16, runs=[(X, number(n)) for n in (6, 2, 1)])
def popped_until_empty(x: Tensor, n: Tensor) -> Tensor:
    stack: List[Tensor] = []
    for i in range(int(n)):
        stack.append(x + i)
    total = torch.zeros_like(x)
    while len(stack) > 0:
        total = total * 0.5 + stack.pop()
    return total


@scripted(opset=18, runs=[(X, number(n)) for n in (6, 2, 0)])
def queue_that_doubles(x: Tensor, n: Tensor) -> tuple[Tensor, int]:
    queue = [x]
    for i in range(int(n)):
        head = queue.pop(0)
        queue.append(head * 0.5)
        queue.append(head + 1.0)
    return torch.stack(queue), len(queue)


@scripted(opset=14, runs=[(X, number(n)) for n in (5, 2, 0)])
def last_decides(x: Tensor, n: Tensor) -> Tensor:
    parts = [x]
    for i in range(int(n)):
        if float(parts[-1].sum()) > 0.0:
            parts.append(parts[-1] - 3.0)
        else:
            parts.append(parts[-1] * -0.5)
    return torch.cat(parts, 1)


@scripted(opset=17, runs=[(X, number(n)) for n in (6, 1, 0)])
def mean_of_a_window(x: Tensor, n: Tensor) -> Tensor:
    window: List[Tensor] = []
    for i in range(int(n)):
        window.append(x)
        if len(window) > 3:
            window.pop(0)
        total = torch.zeros_like(x)
        for part in window:
            total = total + part
        x = total / len(window) + 0.1
    return x
