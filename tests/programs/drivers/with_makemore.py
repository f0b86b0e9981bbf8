# SPDX-License-Identifier: Apache-2.0
"""Models of names by characters: bigram, bag of words, recurrent, perceptron."""

import torch
from report import part, train
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

names = ["anna", "emma", "olivia", "ava", "isabella", "sophia", "mia", "liam", "noah", "ethan"]
letters = {c: i + 1 for i, c in enumerate(sorted(set("".join(names))))}
rows = torch.zeros(len(names), 9, dtype=torch.long)
for i, one in enumerate(names):
    rows[i, 1 : 1 + len(one)] = torch.tensor([letters[c] for c in one])
x, y = rows[:, :-1], rows[:, 1:].clone()
y[:, 1:][y[:, 1:] == 0] = -1
COUNT = len(letters) + 1


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.places = nn.Embedding(COUNT, 12), nn.Embedding(8, 12)
        self.register_buffer("seen", torch.tril(torch.ones(8, 8)).view(1, 8, 8))
        self.up, self.down, self.out = nn.Linear(12, 24), nn.Linear(24, 12), nn.Linear(12, COUNT)

    def forward(self, x):
        h = self.table(x) + self.places(torch.arange(8).unsqueeze(0))
        weight = torch.zeros(len(x), 8, 8).masked_fill(self.seen == 0, float("-inf")).softmax(-1)
        h = h + weight @ h
        return self.out(h + self.down(torch.tanh(self.up(h))))


class Steps(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.start, self.table = nn.Parameter(torch.zeros(1, 12)), nn.Embedding(COUNT, 12)
        self.cell, self.out = cell(12, 12), nn.Linear(12, COUNT)

    def forward(self, x):
        h, found = self.start.expand((len(x), -1)), []
        for t in range(x.size(1)):
            h = self.cell(self.table(x)[:, t, :], h)
            found.append(h)
        return self.out(torch.stack(found, 1))


class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros((COUNT, COUNT)))

    def forward(self, x):
        return self.logits[x]


KINDS = {
    "bigram": Bigram,
    "bag": Bag,
    "rnn": lambda: Steps(nn.RNNCell),
    "gru": lambda: Steps(nn.GRUCell),
}
for name, kind in KINDS.items():

    def body(kind=kind):
        net = kind()
        found = train(
            net,
            lambda: F.cross_entropy(net(x).view(-1, COUNT), y.reshape(-1), ignore_index=-1),
            lr=0.1,
        )
        line = torch.zeros(1, 8, dtype=torch.long)
        for t in range(1, 8):
            line[:, t] = torch.multinomial(net(line)[:, t - 1].softmax(-1), 1)[:, 0]
        return {**found, "name": line}

    body.__name__ = name
    part(body)


@part
def loader():
    data = TensorDataset(x, y)
    sampler = RandomSampler(data, replacement=True, num_samples=int(1e2))
    loaded = DataLoader(data, sampler=sampler, batch_size=5, pin_memory=True, num_workers=0)
    return [a.sum() + b.sum() for a, b in loaded]
