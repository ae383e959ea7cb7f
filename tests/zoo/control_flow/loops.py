"""While and for in all forms: break, continue, return in a body, nested, with zero, one and many iterations."""

import torch
from torch import Tensor

from .registry import normal, number, scripted

X = normal(3, 4)


@scripted(opset=11, runs=[(X, number(n)) for n in (5, 1, 0)])
def for_over_range(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        x = x * 0.5 + float(i)
    return x


@scripted(opset=14, runs=[(X, number(a), number(b), number(c)) for a, b, c in ((1, 9, 3), (0, 7, 2), (5, 5, 1), (6, 2, 1))])
def for_over_stepped_range(x: Tensor, start: Tensor, end: Tensor, step: Tensor) -> Tensor:
    for i in range(int(start), int(end), int(step)):
        x = x + float(i)
    return x


@scripted(opset=13, runs=[(X, number(n)) for n in (6, 3, 0)])
def for_downwards(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n) - 1, -1, -1):
        x = x * 1.5 - float(i)
    return x


@scripted(opset=9, runs=[(X,), (X * 100,), (-X.abs(),)])
def while_sum_is_large(x: Tensor) -> Tensor:
    while float(x.abs().sum()) > 1.0:
        x = x * 0.5
    return x


@scripted(opset=12, runs=[(X, number(n)) for n in (7, 2, 0)])
def while_with_counter(x: Tensor, n: Tensor) -> tuple[Tensor, int]:
    i = 0
    while i < int(n):
        x = torch.tanh(x) + i
        i += 2
    return x, i


@scripted(opset=16, runs=[(X, number(n)) for n in (10, 2, 0)])
def while_with_break(x: Tensor, n: Tensor) -> tuple[Tensor, int]:
    i = 0
    while i < int(n):
        x = x + 1.0
        if float(x.sum()) > 20.0:
            break
        i += 1
    return x, i


@scripted(opset=15, runs=[(X, number(n)) for n in (9, 1, 0)])
def for_with_break(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        if float(x.max()) > 3.0:
            break
        x = x + 0.25 * i
    return x


@scripted(opset=13, runs=[(X, number(n)) for n in (8, 1, 0)])
def for_with_continue(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        if i % 3 == 1:
            continue
        x = x + float(i)
    return x


@scripted(opset=17, runs=[(X, number(n)) for n in (12, 3, 0)])
def while_with_break_and_continue(x: Tensor, n: Tensor) -> tuple[Tensor, int]:
    i = 0
    taken = 0
    while True:
        i += 1
        if i > int(n):
            break
        if i % 2 == 0:
            continue
        x = x * 0.9 + i
        taken += 1
        if float(x.mean()) > 15.0:
            break
    return x, taken


@scripted(opset=14, runs=[(X, number(n)) for n in (10, 0)] + [(X - 9, number(10))])
def found_in_loop(x: Tensor, n: Tensor) -> Tensor:
    found = False
    for i in range(int(n)):
        x = x + 1.0
        if float(x.sum()) > 30.0:
            found = True
            break
    return x * 10.0 if found else -x


@scripted(opset=11, runs=[(X,), (-X,), (X * 0,)])
def early_return(x: Tensor) -> Tensor:
    if float(x.sum()) > 0.0:
        return x * 2.0
    y = x - 1.0
    if float(x.max()) > 1.0:
        return y
    return y * y


@scripted(opset=11, runs=[(X, number(a), number(b)) for a, b in ((3, 4), (3, 0), (0, 3))])
def two_nested_loops(x: Tensor, n: Tensor, m: Tensor) -> Tensor:
    for i in range(int(n)):
        for j in range(int(m)):
            x = x + float(i * 10 + j)
        x = x * 0.5
    return x


@scripted(opset=16, runs=[(X, number(n)) for n in (3, 1, 0)])
def three_nested_loops(x: Tensor, n: Tensor) -> tuple[Tensor, int]:
    count = 0
    for i in range(int(n)):
        for j in range(i + 1):
            y = x
            k = 0
            while k < j:
                y = torch.sin(y) + i
                k += 1
                count += 1
            x = x + y
    return x, count


@scripted(opset=13, runs=[(X, number(n)) for n in (6, 1, 0)])
def inner_break_only(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        total = 0
        for j in range(10):
            total += j
            if total > i * 2:
                break
        x = x + total
    return x


@scripted(opset=12, runs=[(X, number(n)) for n in (5, 0)])
def if_in_loop(x: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        if float(x.sum()) > 10.0:
            x = x - 3.0
        elif i % 2 == 0:
            x = x * 2.0
        else:
            x = x + 1.0
    return x


@scripted(opset=18, runs=[(X, number(n)) for n in (4, -3, 0)])
def loop_in_if(x: Tensor, n: Tensor) -> Tensor:
    if int(n) > 0:
        for i in range(int(n)):
            x = torch.relu(x) + 0.5
    else:
        for i in range(-int(n)):
            x = torch.sigmoid(x) - 0.5
    return x


@scripted(opset=19, runs=[(X, number(n)) for n in (4, 1, 0)])
def if_loop_if_loop(x: Tensor, n: Tensor) -> Tensor:
    if int(n) != 1:
        for i in range(int(n)):
            if i > 1:
                y = x
                while float(y.abs().max()) > 0.5:
                    y = y * 0.5
                x = x + y
            else:
                x = x + float(i)
    return x


@scripted(opset=13, runs=[(X, number(n), torch.tensor(flag)) for n in (4, 0) for flag in (True, False)])
def two_conditions(x: Tensor, n: Tensor, flag: Tensor) -> Tensor:
    i = 0
    while i < int(n) and bool(flag):
        x = x + 1.0
        if float(x.sum()) > 12.0 or i == 2:
            flag = ~flag
        i += 1
    return x


@scripted(opset=20, runs=[(X, number(n)) for n in (5, 1, 0)])
def two_loops_in_a_row(x: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
    y = x
    for i in range(int(n)):
        y = y + x * i
    z = y
    for i in range(x.size(0)):
        z = z - y[i]
    return y, z


@scripted(opset=15, runs=[(X, number(n)) for n in (5, 2, 1, 0)])
def swapped_values(x: Tensor, n: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    a, b, c = x, x + 1.0, x * 2.0
    for i in range(int(n)):
        a, b, c = b, c, a
    return a, b, c


@scripted(opset=9, runs=[(normal(n, 4),) for n in (3, 1, 6)], dynamic={"x": [0]})
def over_the_rows(x: Tensor) -> Tensor:
    total = torch.zeros(4)
    for i in range(x.size(0)):
        total = total * 0.5 + x[i]
    return total


@scripted(opset=17, runs=[(normal(n, 4),) for n in (3, 0, 5)], dynamic={"x": [0]})
def over_a_tensor(x: Tensor) -> Tensor:
    total = torch.zeros(4)
    for row in x:
        total = torch.maximum(total, row)
    return total


class Loops(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])
        self.head = torch.nn.Linear(4, 2)


@scripted(opset=14, runs=[(X, number(n)) for n in (3, 0)])
class RepeatedLayers(Loops):
    def forward(self, x: Tensor, n: Tensor) -> Tensor:
        for i in range(int(n)):
            for layer in self.layers:
                x = torch.relu(layer(x)) + x
        return self.head(x)


@scripted(opset=13, runs=[(X * s, number(5)) for s in (1.0, 0.1)] + [(X, number(0))])
class EarlyExitNetwork(Loops):
    """Early exit: skips the remaining layers if the confidence is high enough."""

    def forward(self, x: Tensor, n: Tensor) -> tuple[Tensor, int]:
        depth = 0
        answer = torch.softmax(self.head(x), dim=-1)
        while depth < int(n) and float(answer.max()) < 0.8:
            x = torch.tanh(self.layers[0](x)) * 2.0
            answer = torch.softmax(self.head(x), dim=-1)
            depth += 1
        return answer, depth


@scripted(opset=19, runs=[(X, number(n)) for n in (4, 1, 0)])
def break_out_of_two_loops(x: Tensor, n: Tensor) -> Tensor:
    done = False
    count = 0
    for i in range(int(n)):
        for j in range(5):
            count += 1
            if i * j > 3:
                done = True
                break
        if done:
            break
    return x + count


PAIRS = [(normal(n, 3), normal(k, 3, seed=1)) for n, k in ((4, 2), (1, 5), (6, 6))]


@scripted(opset=13, runs=PAIRS, dynamic={"a": [0], "b": [0]})
def distances_of_pairs(a: Tensor, b: Tensor) -> Tensor:
    out = torch.zeros(a.size(0), b.size(0))
    for i in range(a.size(0)):
        for j in range(b.size(0)):
            out[i, j] = (a[i] - b[j]).abs().sum()
    return out


@scripted(opset=17, runs=[(X, number(n)) for n in (7, 3, 0)])
def three_states_rotated(x: Tensor, n: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    a = x
    b = x * 2.0
    c = x * 3.0
    for i in range(int(n)):
        a, b, c = b, c, a + 1.0
    return a, b, c
