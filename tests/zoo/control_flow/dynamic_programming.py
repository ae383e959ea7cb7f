"""Dynamic programming: table entries are computed from earlier ones."""

from typing import List

import torch
from torch import Tensor

from .registry import integers, normal, number, scripted

WORDS = [(integers(0, 3, a), integers(0, 3, b, seed=1)) for a, b in ((5, 4), (1, 6), (3, 3))]


@scripted(opset=13, runs=WORDS, dynamic={"a": [0], "b": [0]})
def edit_distance(a: Tensor, b: Tensor) -> Tensor:
    rows = a.size(0) + 1
    columns = b.size(0) + 1
    table = torch.zeros(rows, columns)
    for i in range(rows):
        table[i, 0] = i
    for j in range(columns):
        table[0, j] = j
    for i in range(1, rows):
        for j in range(1, columns):
            cost = 0.0 if bool(a[i - 1] == b[j - 1]) else 1.0
            change = table[i - 1, j - 1] + cost
            table[i, j] = torch.minimum(torch.minimum(table[i - 1, j] + 1, table[i, j - 1] + 1), change)
    return table


@scripted(opset=16, runs=WORDS, dynamic={"a": [0], "b": [0]})
def longest_common_subsequence(a: Tensor, b: Tensor) -> Tensor:
    previous = torch.zeros(b.size(0) + 1, dtype=torch.int64)
    for i in range(a.size(0)):
        current = torch.zeros(b.size(0) + 1, dtype=torch.int64)
        for j in range(b.size(0)):
            if bool(a[i] == b[j]):
                current[j + 1] = previous[j] + 1
            else:
                current[j + 1] = torch.maximum(previous[j + 1], current[j])
        previous = current
    return previous


@scripted(
    opset=14,
    runs=[(integers(1, 6, n), normal(n).abs(), number(c)) for n, c in ((4, 8), (1, 3), (5, 0))],
    dynamic={"weights": [0], "values": [0]},
)
def knapsack(weights: Tensor, values: Tensor, capacity: Tensor) -> Tensor:
    best = torch.zeros(int(capacity) + 1)
    for i in range(weights.size(0)):
        w = int(weights[i])
        for c in range(int(capacity), -1, -1):
            if c >= w:
                best[c] = torch.maximum(best[c], best[c - w] + values[i])
    return best


@scripted(opset=17, runs=[(normal(n, 4), normal(4, 4, seed=9)) for n in (6, 2, 1)], dynamic={"emissions": [0]})
def viterbi(emissions: Tensor, transitions: Tensor) -> Tensor:
    score = emissions[0]
    history: List[Tensor] = [torch.zeros(4, dtype=torch.int64)]
    for t in range(1, emissions.size(0)):
        best, argument = (score.unsqueeze(1) + transitions).max(dim=0)
        score = best + emissions[t]
        history.append(argument)
    tag = score.argmax()
    path = [tag]
    for k in range(len(history) - 1):
        tag = history[len(history) - 1 - k][tag]
        path.insert(0, tag)
    return torch.stack(path)


@scripted(opset=13, runs=[(normal(n, 4), normal(4, 4, seed=9)) for n in (6, 2, 1)], dynamic={"emissions": [0]})
def partition_of_a_chain(emissions: Tensor, transitions: Tensor) -> Tensor:
    """The forward pass of a conditional random field."""
    score = emissions[0]
    for t in range(1, emissions.size(0)):
        score = torch.logsumexp(score.unsqueeze(1) + transitions, dim=0) + emissions[t]
    return torch.logsumexp(score, dim=0)


@scripted(opset=9, runs=[(normal(n),) for n in (6, 1, 9)], dynamic={"x": [0]})
def prefix_sums(x: Tensor) -> Tensor:
    total = torch.zeros(1)
    result = torch.zeros(1)
    for i in range(x.size(0)):
        total = total + x[i]
        result = torch.cat([result, total])
    return result[1:]


@scripted(opset=15, runs=[(normal(n, 3),) for n in (6, 1, 9)], dynamic={"x": [0]})
def cumulative_maximum(x: Tensor) -> Tensor:
    result = torch.zeros_like(x)
    running = torch.full((3,), -1e9)
    for i in range(x.size(0)):
        running = torch.maximum(running, x[i])
        result[i] = running
    return result


@scripted(opset=18, runs=[(normal(4, n).abs(),) for n in (5, 2)], dynamic={"costs": [1]})
def cheapest_path(costs: Tensor) -> Tensor:
    total = costs.clone()
    for i in range(1, total.size(0)):
        total[i, 0] = total[i, 0] + total[i - 1, 0]
    for j in range(1, total.size(1)):
        total[0, j] = total[0, j] + total[0, j - 1]
    for i in range(1, total.size(0)):
        for j in range(1, total.size(1)):
            total[i, j] = total[i, j] + torch.minimum(total[i - 1, j], total[i, j - 1])
    return total[-1, -1]


@scripted(opset=20, runs=[(normal(5, 5, seed=s).abs(),) for s in (0, 1)])
def all_shortest_paths(distances: Tensor) -> Tensor:
    for k in range(5):
        through = distances[:, k].unsqueeze(1) + distances[k].unsqueeze(0)
        distances = torch.minimum(distances, through)
    return distances


@scripted(opset=14, runs=[(normal(n, 3, 3), number(m)) for n, m in ((4, 4), (4, 2), (2, 0))], dynamic={"x": [0]})
def product_of_matrices(x: Tensor, n: Tensor) -> Tensor:
    product = torch.eye(3)
    for i in range(int(n)):
        product = product @ x[i]
    return product


def _log_add(a: Tensor, b: Tensor) -> Tensor:
    greater = torch.maximum(a, b)
    return greater + torch.log(torch.exp(a - greater) + torch.exp(b - greater))


@scripted(opset=16, runs=[(normal(n, 4).log_softmax(-1), integers(1, 4, 2)) for n in (6, 3)], dynamic={"scores": [0]})
def alignment_score(scores: Tensor, labels: Tensor) -> Tensor:
    """The forward pass of connectionist temporal classification, with two labels between blanks."""
    states = torch.zeros(5, dtype=torch.int64)
    for i in range(2):
        states[2 * i + 1] = labels[i]
    alpha = torch.full((5,), -1e4)
    alpha[0] = scores[0, 0]
    alpha[1] = scores[0, states[1]]
    for t in range(1, scores.size(0)):
        following = torch.full((5,), -1e4)
        for s in range(5):
            total = alpha[s]
            if s > 0:
                total = _log_add(total, alpha[s - 1])
            if s > 1 and bool(states[s] != 0) and bool(states[s] != states[s - 2]):
                total = _log_add(total, alpha[s - 2])
            following[s] = total + scores[t, states[s]]
        alpha = following
    return _log_add(alpha[3], alpha[4])
