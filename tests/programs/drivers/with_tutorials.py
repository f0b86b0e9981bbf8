# SPDX-License-Identifier: Apache-2.0
"""Programs of the kinds that tutorials show: perceptrons, residual and recurrent networks."""

import torch
from report import part, train
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class Residual(nn.Module):
    def __init__(self, inside, outside, stride=1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(inplace=True),
            nn.Conv2d(outside, outside, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outside),
        )
        self.side = None if stride == 1 else nn.Conv2d(inside, outside, 1, stride, bias=False)

    def forward(self, x):
        out = self.body(x)
        out += x if self.side is None else self.side(x)
        return F.relu(out)


@part
def residual():
    net = nn.Sequential(
        Residual(3, 3), Residual(3, 6, 2), nn.AvgPool2d(4), nn.Flatten(), nn.Linear(6, 4)
    )
    x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 4, (4,))
    return train(net, lambda: nn.CrossEntropyLoss()(net(x), y))


@part
def recurrent():
    net, head = nn.LSTM(6, 8, 2, batch_first=True, bidirectional=True), nn.Linear(16, 3)
    both = nn.ModuleList([net, head])
    x, y = torch.randn(4, 5, 6), torch.randint(0, 3, (4,))

    def loss():
        h0 = torch.zeros(4, x.size(0), 8)
        out, _ = net(x, (h0, torch.zeros_like(h0)))
        return F.cross_entropy(head(out[:, -1, :]), y)

    return train(both, loss)


@part
def captions():
    table, cell, out = nn.Embedding(12, 6), nn.LSTM(6, 8, 1, batch_first=True), nn.Linear(8, 12)
    both = nn.ModuleList([table, cell, out])
    lines = pad_sequence([torch.randint(1, 12, (n,)) for n in (6, 4, 3)], batch_first=True)
    lengths, image = [6, 4, 3], torch.randn(3, 6)

    def loss():
        inputs = torch.cat((image.unsqueeze(1), table(lines)), 1)
        packed = pack_padded_sequence(inputs, lengths, batch_first=True)
        targets = pack_padded_sequence(lines, lengths, batch_first=True)[0]
        return F.cross_entropy(out(cell(packed)[0][0]), targets)

    found = train(both, loss, lr=0.1)
    packed = pack_padded_sequence(
        table(lines), torch.tensor([3, 6, 4]), batch_first=True, enforce_sorted=False
    )
    return {**found, "padded": pad_packed_sequence(cell(packed)[0], batch_first=True)}


@part
def coder():
    net = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 20), nn.Sigmoid())
    x = torch.rand(5, 20)
    return train(net, lambda: F.binary_cross_entropy(net(x), x, reduction="sum"), lr=1e-3)


@part
def style():
    a, b = torch.rand(2, 1, 4, 8, 8)
    target = b.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([target], lr=0.03, betas=[0.5, 0.999])
    net = nn.Conv2d(4, 6, 3)
    losses = []
    for _ in range(3):
        gram = [torch.mm(f, f.t()) for f in (net(t).view(6, -1) for t in (target, a))]
        loss = torch.mean((net(target) - net(a)) ** 2) + torch.mean((gram[0] - gram[1]) ** 2) / 288
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, target


@part
def basics():
    import os
    import tempfile

    import numpy as np

    x = torch.from_numpy(np.array([[1, 2], [3, 4]]))
    net = nn.Linear(3, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.ckpt")
        torch.save(net.state_dict(), path)
        again = nn.Linear(3, 2)
        again.load_state_dict(torch.load(path))
        torch.save(net, path)
        whole = torch.load(path, weights_only=False)
    rates = [
        torch.optim.lr_scheduler.ExponentialLR(
            torch.optim.SGD(net.parameters(), lr=0.1), 0.9
        ).get_last_lr()
    ]
    return x.numpy() + 1, again(torch.ones(3)), whole(torch.ones(3)), rates
