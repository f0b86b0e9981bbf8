# SPDX-License-Identifier: Apache-2.0
"""A GPT with flash attention, weight sharing and a cosine schedule, written for this test."""

import inspect
import math
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from report import part
from torch import nn
from torch.nn import functional as F


@dataclass
class Shape:
    longest: int = 16
    words: int = 33
    blocks: int = 2
    heads: int = 2
    width: int = 16
    dropout: float = 0.0
    bias: bool = False


class Norm(nn.Module):
    def __init__(self, width, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class Block(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.heads, self.flash = (
            s.heads,
            hasattr(torch.nn.functional, "scaled_dot_product_attention"),
        )
        self.one, self.two = Norm(s.width, s.bias), Norm(s.width, s.bias)
        self.both = nn.Linear(s.width, 3 * s.width, bias=s.bias)
        self.out = nn.Linear(s.width, s.width, bias=s.bias)
        self.up = nn.Linear(s.width, 4 * s.width, bias=s.bias)
        self.down = nn.Linear(4 * s.width, s.width, bias=s.bias)
        self.drop = nn.Dropout(s.dropout)

    def forward(self, x):
        n, t, c = x.size()
        parts = self.both(self.one(x)).split(c, dim=2)
        q, k, v = (p.view(n, t, self.heads, c // self.heads).transpose(1, 2) for p in parts)
        y = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=None, dropout_p=0.0, is_causal=True
        )
        x = x + self.drop(self.out(y.transpose(1, 2).contiguous().view(n, t, c)))
        return x + self.drop(self.down(F.gelu(self.up(self.two(x)))))


class Model(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.shape = s
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(s.words, s.width),
                wpe=nn.Embedding(s.longest, s.width),
                h=nn.ModuleList([Block(s) for _ in range(s.blocks)]),
                f=Norm(s.width, s.bias),
            )
        )
        self.head = nn.Linear(s.width, s.words, bias=False)
        self.transformer.wte.weight = self.head.weight
        self.apply(self.first)

    def first(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            torch.nn.init.normal_(m.weight, mean=0.0, std=0.02)

    def forward(self, x, y=None):
        h = self.transformer.wte(x) + self.transformer.wpe(torch.arange(x.size(1)))
        for block in self.transformer.h:
            h = block(h)
        h = self.transformer.f(h)
        if y is None:
            return self.head(h[:, [-1], :]), None
        logits = self.head(h)
        return logits, F.cross_entropy(
            logits.view(-1, logits.size(-1)), y.view(-1), ignore_index=-1
        )

    def crop(self, longest):
        self.transformer.wpe.weight = nn.Parameter(self.transformer.wpe.weight[:longest])

    def optimizer(self, rate):
        ps = {n: p for n, p in self.named_parameters() if p.requires_grad}
        groups = [
            {"params": [p for p in ps.values() if p.dim() >= 2], "weight_decay": 0.1},
            {"params": [p for p in ps.values() if p.dim() < 2], "weight_decay": 0.0},
        ]
        fused = "fused" in inspect.signature(torch.optim.AdamW).parameters
        extra = dict(fused=True) if fused and torch.cuda.is_available() else dict()
        return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95), **extra)


@part
def training():
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    kind = {"float32": torch.float32, "bfloat16": torch.bfloat16}["float32"]
    context = nullcontext() if kind is torch.float32 else torch.amp.autocast("cpu", dtype=kind)
    model = Model(Shape())
    optimizer, data = model.optimizer(1e-2), torch.randint(33, (200,))
    scaler = torch.amp.GradScaler("cuda", enabled=False)
    losses = []
    for step in range(6):
        rate = 1e-3 + 0.5 * (1.0 + math.cos(math.pi * step / 6)) * 9e-3
        for group in optimizer.param_groups:
            group["lr"] = rate
        at = torch.randint(len(data) - 12, (4,))
        x, y = (torch.stack([data[i + k : i + k + 12] for i in at]) for k in (0, 1))
        with context:
            _, loss = model(x, y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    model.crop(12)
    x = torch.zeros((1, 1), dtype=torch.long)
    with torch.no_grad():
        for _ in range(8):
            logits, _ = model(x[:, -12:])
            logits = logits[:, -1, :] / 0.8
            best, _ = torch.topk(logits, min(10, logits.size(-1)))
            logits[logits < best[:, [-1]]] = -float("Inf")
            x = torch.cat((x, torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)), dim=1)
    compiled = torch.compile(model)
    return losses, x, compiled(x)[0]
