"""Recurrent networks whose outputs are inputs of the next step."""

from typing import List

import torch
from torch import Tensor, nn

from .registry import integers, normal, number, scripted

STEPS = [(normal(2, 3), number(n)) for n in (5, 1)]
STEPS_OR_NONE = STEPS + [(normal(2, 3), number(0))]
SERIES = [(normal(n, 2, 3),) for n in (5, 1, 8)]


class Gru(nn.Module):
    """torch.onnx cannot export how nn.GRUCell and nn.RNNCell test ranks."""

    def __init__(self, inner: int, hidden: int):
        super().__init__()
        self.inner = nn.Linear(inner, 3 * hidden)
        self.hidden = nn.Linear(hidden, 3 * hidden)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        reset, update, new = self.inner(x).chunk(3, 1)
        of_reset, of_update, of_new = self.hidden(h).chunk(3, 1)
        update = torch.sigmoid(update + of_update)
        return (1 - update) * torch.tanh(new + torch.sigmoid(reset + of_reset) * of_new) + update * h


@scripted(opset=13, runs=STEPS)
class LstmDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)
        self.out = nn.Linear(4, 3)

    def forward(self, x: Tensor, n: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = torch.zeros(x.size(0), 4)
        c = torch.zeros(x.size(0), 4)
        outputs: List[Tensor] = []
        for i in range(int(n)):
            h, c = self.cell(x, (h, c))
            x = self.out(h)
            outputs.append(x)
        return torch.stack(outputs, 1), h, c


@scripted(opset=16, runs=STEPS)
class GruDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Gru(3, 4)
        self.out = nn.Linear(4, 3)

    def forward(self, x: Tensor, n: Tensor) -> Tensor:
        h = torch.zeros(x.size(0), 4)
        outputs: List[Tensor] = []
        i = 0
        while i < int(n):
            h = self.cell(x, h)
            x = torch.tanh(self.out(h))
            outputs += [x]
            i += 1
        return torch.cat(outputs, 1)


@scripted(opset=14, runs=SERIES, dynamic={"x": [0]})
class HandwrittenRnn(nn.Module):
    """Forwards and backwards over a sequence of dynamic length."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 4)
        self.hidden = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        n = x.size(0)
        h = torch.zeros(x.size(1), 4)
        there: List[Tensor] = []
        for t in range(n):
            h = torch.tanh(self.inner(x[t]) + self.hidden(h))
            there.append(h)
        h = torch.zeros(x.size(1), 4)
        back: List[Tensor] = []
        for t in range(n - 1, -1, -1):
            h = torch.tanh(self.inner(x[t]) + self.hidden(h))
            back.insert(0, h)
        return torch.cat([torch.stack(there), torch.stack(back)], -1)


@scripted(opset=15, runs=SERIES, dynamic={"x": [0]})
class HandwrittenLstm(nn.Module):
    """All gates by one matrix product, which is split."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 16)
        self.hidden = nn.Linear(4, 16)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = torch.zeros(x.size(0), x.size(1), 4)
        for t in range(x.size(0)):
            i, f, g, o = (self.inner(x[t]) + self.hidden(h)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs[t] = h
        return outputs, c


@scripted(opset=12, runs=[(normal(2, 5, 3),), (normal(2, 5, 3, seed=1),)])
class StackedLstmCells(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.LSTMCell(3, 4)
        self.second = nn.LSTMCell(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        h1 = torch.zeros(2, 4)
        c1 = torch.zeros(2, 4)
        h2 = torch.zeros(2, 4)
        c2 = torch.zeros(2, 4)
        for t in range(x.size(1)):
            h1, c1 = self.first(x[:, t], (h1, c1))
            h2, c2 = self.second(h1, (h2, c2))
        return h2 + c2


@scripted(opset=17, runs=[(normal(2, 4), number(n)) for n in (6, 2, 0)])
class DecoderUntilEnd(nn.Module):
    """Generates words until all rows have ended, or up to a limit."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(7, 3)
        self.cell = Gru(3, 4)
        self.out = nn.Linear(4, 7)

    def forward(self, h: Tensor, longest: Tensor) -> tuple[Tensor, Tensor]:
        word = torch.ones(h.size(0), dtype=torch.int64)
        ended = torch.zeros(h.size(0), dtype=torch.bool)
        text = word.unsqueeze(1)
        step = 0
        while step < int(longest) and not bool(ended.all()):
            h = self.cell(self.words(word), h)
            word = self.out(h).argmax(dim=1)
            word = torch.where(ended, torch.zeros_like(word), word)
            ended = ended | (word == 2)
            text = torch.cat([text, word.unsqueeze(1)], dim=1)
            step += 1
        return text, ended


@scripted(opset=14, runs=[(normal(1, 4, seed=s), number(n)) for s, n in ((0, 5), (1, 2), (2, 1), (3, 0))])
class BeamSearch(nn.Module):
    """Beam search with three beams; the table of words is reordered at each step."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(7, 3)
        self.cell = Gru(3, 4)
        self.out = nn.Linear(4, 7)

    def forward(self, h: Tensor, longest: Tensor) -> tuple[Tensor, Tensor]:
        beams = 3
        h = h.expand(beams, 4)
        scores = torch.tensor([0.0, -1e9, -1e9])
        text = torch.ones(beams, 1, dtype=torch.int64)
        for step in range(int(longest)):
            h = self.cell(self.words(text[:, -1]), h)
            log = torch.log_softmax(self.out(h), dim=-1)
            total = (scores.unsqueeze(1) + log).reshape(-1)
            scores, flat = total.topk(beams)
            parent = flat // 7
            word = flat % 7
            h = h[parent]
            text = torch.cat([text[parent], word.unsqueeze(1)], dim=1)
            if bool((word == 2).all()):
                break
        return text, scores


@scripted(opset=17, runs=[(normal(2, 1, 8), number(n)) for n in (5, 1, 0)])
class AttentionWithCache(nn.Module):
    """A cache with the keys and values of all previous steps."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 24)
        self.out = nn.Linear(8, 8)

    def forward(self, x: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
        keys = torch.zeros(x.size(0), 0, 8)
        values = torch.zeros(x.size(0), 0, 8)
        for i in range(int(n)):
            q, k, v = self.project(x).chunk(3, dim=-1)
            keys = torch.cat([keys, k], dim=1)
            values = torch.cat([values, v], dim=1)
            weights = torch.softmax(q @ keys.transpose(1, 2) / 8**0.5, dim=-1)
            x = torch.tanh(self.out(weights @ values))
        return x, keys


@scripted(opset=18, runs=[(normal(2, 5, 4), number(n)) for n in (4, 1)])
class AttentionDecoder(nn.Module):
    """Attends to the encoder's outputs at each step, and returns the attended positions."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 4)
        self.score = nn.Linear(8, 1)

    def forward(self, memory: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
        h = torch.zeros(memory.size(0), 4)
        c = torch.zeros(memory.size(0), 4)
        outputs: List[Tensor] = []
        attention: List[Tensor] = []
        for i in range(int(n)):
            repeated = h.unsqueeze(1).expand(-1, memory.size(1), -1)
            weights = torch.softmax(self.score(torch.cat([memory, repeated], -1)), dim=1)
            context = (weights * memory).sum(1)
            h, c = self.cell(context, (h, c))
            outputs.append(h)
            attention.append(weights.squeeze(2))
        return torch.stack(outputs, 1), torch.stack(attention, 1)


@scripted(opset=13, runs=[(normal(6, 3), integers(0, 2, 6, seed=s)) for s in (0, 1)])
class ShiftReduce(nn.Module):
    """A stack of tensors: 0 pushes the next row, 1 merges the two topmost tensors."""

    def __init__(self):
        super().__init__()
        self.join = nn.Linear(6, 3)

    def forward(self, rows: Tensor, actions: Tensor) -> Tensor:
        stack = [torch.zeros(3), torch.zeros(3)]
        for i in range(actions.size(0)):
            if bool(actions[i] == 0) or len(stack) < 2:
                stack.append(rows[i])
            else:
                right = stack.pop()
                left = stack.pop()
                stack.append(torch.tanh(self.join(torch.cat([left, right]))))
        return stack[-1]


@scripted(opset=16, runs=[(normal(5, 2, 3), torch.tensor(lengths)) for lengths in ([5, 3], [1, 5], [2, 2])])
class LengthsOfEachRow(nn.Module):
    """Rows have different lengths; a mask keeps the state of rows that have ended."""

    def __init__(self):
        super().__init__()
        self.cell = Gru(3, 4)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        h = torch.zeros(2, 4)
        for t in range(int(lengths.max())):
            following = self.cell(x[t], h)
            going = (lengths > t).unsqueeze(1)
            h = torch.where(going, following, h)
        return h


@scripted(opset=19, runs=[(normal(2, 3), number(n)) for n in (5, 1)])
class ScheduledSampling(nn.Module):
    """The first steps read the given input, later ones the previous output."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)
        self.out = nn.Linear(4, 3)

    def forward(self, x: Tensor, n: Tensor) -> Tensor:
        h = torch.zeros(x.size(0), 4)
        c = torch.zeros(x.size(0), 4)
        y = x
        outputs: List[Tensor] = []
        for i in range(int(n)):
            given = x if i < 2 else y
            h, c = self.cell(given, (h, c))
            y = self.out(h)
            outputs.append(y)
        return torch.stack(outputs)


@scripted(opset=14, runs=[(normal(n, 2, 3), number(k)) for n, k in ((5, 2), (3, 1), (4, 0))], dynamic={"x": [0]})
class EncoderDecoder(nn.Module):
    """An LSTM operator, then cells in a loop."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.LSTM(3, 4)
        self.cell = nn.LSTMCell(4, 4)

    def forward(self, x: Tensor, n: Tensor) -> Tensor:
        outputs, (h, c) = self.encoder(x)
        h = h[0]
        c = c[0]
        for i in range(int(n)):
            h, c = self.cell(h, (h, c))
        return h + outputs[-1]
