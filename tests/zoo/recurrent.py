"""Recurrent networks and loops."""

from .registry import TORCHSCRIPT, Built, model


@model("lstm_tagger")
def lstm_tagger():
    import torch

    class Tagger(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(50, 16)
            self.lstm = torch.nn.LSTM(16, 12, num_layers=2, bidirectional=True, batch_first=True)
            self.tags = torch.nn.Linear(24, 9)

        def forward(self, ids):
            states, _ = self.lstm(self.embed(ids))
            return torch.log_softmax(self.tags(states), -1)

    def inputs(batch, length):
        return {"ids": torch.randint(0, 50, (batch, length))}

    sizes = [dict(batch=2, length=6), dict(batch=1, length=1), dict(batch=4, length=13)]
    # torch.export keeps the LSTM as a loop, but fixes its length.
    return Built(Tagger().eval(), inputs, sizes, {"ids": {0: "batch", 1: "length"}}, ["tags"], dynamo_static={"length"})


@model("greedy_decoder", exporters=(TORCHSCRIPT,))
def greedy_decoder():
    import torch

    class Decoder(torch.nn.Module):
        """Feeds its most probable token back until all sequences have ended."""

        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(20, 16)
            self.from_token = torch.nn.Linear(16, 16)
            self.from_state = torch.nn.Linear(16, 16)
            self.logits = torch.nn.Linear(16, 20)

        def forward(self, state, limit: int):
            token = torch.zeros(state.size(0), dtype=torch.int64)
            ended = torch.zeros(state.size(0), dtype=torch.bool)
            tokens = torch.zeros(state.size(0), 0, dtype=torch.int64)
            step = 0
            while step < limit and not bool(ended.all()):
                state = torch.tanh(self.from_token(self.embed(token)) + self.from_state(state))
                token = self.logits(state).argmax(-1)
                token = torch.where(ended, torch.zeros_like(token), token)
                ended = ended | (token == 1)
                tokens = torch.cat([tokens, token.unsqueeze(1)], 1)
                step += 1
            return tokens, state

    def inputs(batch, limit):
        return {"state": torch.randn(batch, 16), "limit": torch.tensor(limit)}

    sizes = [dict(batch=2, limit=8), dict(batch=1, limit=1), dict(batch=3, limit=0), dict(batch=5, limit=20)]
    module = torch.jit.script(Decoder().eval())
    return Built(module, inputs, sizes, {"state": {0: "batch"}, "tokens": {0: "batch", 1: "length"}}, ["tokens", "last"])
