# SPDX-License-Identifier: Apache-2.0
"""A language model written for this test: grouped attention, rotary positions, experts, cache."""

import math

import torch
from report import part, train
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

WORDS, WIDTH, HEADS, GROUPS = 40, 32, 4, 2


def turned(x, start):
    half = x.shape[-1] // 2
    rate = 1.0 / (10000 ** (torch.arange(half, device=x.device).float() / half))
    angle = torch.outer(torch.arange(start, start + x.shape[-2]).float(), rate)
    one, two = x[..., :half], x[..., half:]
    return torch.cat(
        [one * angle.cos() - two * angle.sin(), one * angle.sin() + two * angle.cos()], dim=-1
    )


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-5) * self.weight


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        size = WIDTH // HEADS
        self.q = nn.Linear(WIDTH, WIDTH, bias=False)
        self.k = nn.Linear(WIDTH, GROUPS * size, bias=False)
        self.v = nn.Linear(WIDTH, GROUPS * size, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.register_buffer("mask", torch.triu(torch.ones(64, 64), diagonal=1), persistent=False)
        self.cache = None

    def forward(self, x, keep=False):
        n, length, _ = x.shape
        start = self.cache[0].shape[2] if keep and self.cache is not None else 0
        q, k, v = (
            f(x).view(n, length, -1, WIDTH // HEADS).transpose(1, 2)
            for f in (self.q, self.k, self.v)
        )
        q, k = turned(q, start), turned(k, start)
        if keep:
            if self.cache is not None:
                k, v = torch.cat([self.cache[0], k], 2), torch.cat([self.cache[1], v], 2)
            self.cache = (k, v)
        k, v = (t.repeat_interleave(HEADS // GROUPS, dim=1) for t in (k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        hidden = self.mask.bool()[start : start + length, : k.shape[2]]
        scores.masked_fill_(hidden, -torch.inf)
        return self.out((torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(n, length, -1))


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(WIDTH, 3, bias=False)
        self.all = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, 48), nn.SiLU(), nn.Linear(48, WIDTH)) for _ in range(3)
        )

    def forward(self, x):
        flat = x.reshape(-1, WIDTH)
        best, which = torch.topk(self.gate(flat), 2, dim=-1)
        share, out = best.softmax(dim=-1), torch.zeros_like(flat)
        for i, expert in enumerate(self.all):
            rows, place = (which == i).nonzero(as_tuple=True)
            if rows.numel():
                out.index_add_(0, rows, expert(flat[rows]) * share[rows, place, None])
        return out.reshape_as(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"a": Attention(), "f": Experts(), "m": Scale(), "n": Scale()})
            for _ in range(2)
        )
        self.norm, self.head = Scale(), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, x, keep=False):
        x = self.table(x)
        for b in self.blocks:
            x = x + b["a"](b["m"](x), keep)
            x = x + b["f"](b["n"](x))
        return self.head(self.norm(x))


class Text(Dataset):
    def __init__(self):
        self.codes = torch.randint(0, WORDS, (70,))

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return self.codes[i * 8 : i * 8 + 8], self.codes[i * 8 + 1 : i * 8 + 9]


class Lora(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear
        self.a = nn.Parameter(torch.empty(linear.in_features, 4))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))
        self.b = nn.Parameter(torch.zeros(4, linear.out_features))

    def forward(self, x):
        return self.linear(x) + x @ self.a @ self.b


@part
def training():
    net = Model()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=0.1)
    losses = []
    for _ in range(2):
        for x, y in DataLoader(Text(), batch_size=4, shuffle=True, drop_last=True):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x).flatten(0, 1), y.flatten())
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    net.eval()
    line = torch.tensor([[1, 2, 3]])
    for _ in range(6):
        logits = net(line)[:, -1]
        top, _ = torch.topk(logits, 5)
        logits = torch.where(logits < top[:, -1:], torch.tensor(float("-inf")), logits)
        line = torch.cat([line, torch.multinomial((logits / 0.8).softmax(-1), 1)], dim=1)
    return losses, line


@part
def cached():
    net, line, seen = Model().eval(), torch.tensor([[4, 5, 6]]), []
    step = line
    with torch.no_grad():
        for _ in range(4):
            logits = net(step, True)[:, -1]
            step = logits.argmax(-1, keepdim=True)
            seen.append(step.item())
    return seen, logits


@part
def adapted():
    net = Model()
    for p in net.parameters():
        p.requires_grad = False
    for b in net.blocks:
        b["a"].q = Lora(b["a"].q)
    x = torch.randint(0, WORDS, (2, 9))
    return (
        train(
            net, lambda: F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()), lr=1.0
        )
        if any(p.requires_grad for p in net.parameters())
        else None
    )
