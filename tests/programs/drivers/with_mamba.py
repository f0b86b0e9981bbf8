# SPDX-License-Identifier: Apache-2.0
"""A selective state-space model written for this test."""

import torch
from einops import einsum, rearrange, repeat
from report import part, train
from torch import nn
from torch.nn import functional as F


class Mixer(nn.Module):
    def __init__(self, width=8, inner=16, states=4, rank=2):
        super().__init__()
        self.states, self.rank = states, rank
        self.inside = nn.Linear(width, inner * 2, bias=False)
        self.conv = nn.Conv1d(inner, inner, 4, groups=inner, padding=3)
        self.mix = nn.Linear(inner, rank + states * 2, bias=False)
        self.step = nn.Linear(rank, inner)
        self.log = nn.Parameter(torch.log(repeat(torch.arange(1, states + 1), "n -> d n", d=inner)))
        self.skip = nn.Parameter(torch.ones(inner))
        self.out = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        x, gate = self.inside(x).chunk(2, dim=-1)
        length = x.shape[1]
        x = rearrange(self.conv(rearrange(x, "b l d -> b d l"))[..., :length], "b d l -> b l d")
        x = F.silu(x)
        step, b, c = self.mix(x).split([self.rank, self.states, self.states], dim=-1)
        step, a = F.softplus(self.step(step)), -torch.exp(self.log.float())
        left = torch.exp(einsum(step, a, "b l d, d n -> b l d n"))
        right = einsum(step, b, x, "b l d, b l n, b l d -> b l d n")
        state, found = torch.zeros_like(left[:, 0]), []
        for i in range(length):
            state = left[:, i] * state + right[:, i]
            found.append(einsum(state, c[:, i], "b d n, b n -> b d"))
        return self.out((torch.stack(found, dim=1) + x * self.skip) * F.silu(gate))


@part
def scan():
    net = nn.Sequential(nn.Embedding(20, 8), Mixer(), nn.LayerNorm(8), Mixer(), nn.Linear(8, 20))
    x = torch.randint(0, 20, (2, 10))
    found = train(
        net, lambda: F.cross_entropy(net(x)[:, :-1].flatten(0, 1), x[:, 1:].flatten()), lr=0.1
    )
    return {**found, "logits": net(x)}
