# SPDX-License-Identifier: Apache-2.0
"""A small GPT with a trainer and callbacks, written for this test, that learns to sort."""

import math
from collections import defaultdict

import torch
from report import part
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.dataloader import DataLoader as Same


class Sorting(Dataset):
    def __init__(self, split, length=4, digits=3):
        self.split, self.length, self.digits = split, length, digits

    def __len__(self):
        return 64

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        x = torch.randint(self.digits, size=(self.length,), generator=generator)
        whole = torch.cat((x, torch.sort(x)[0]), dim=0)
        y = whole[1:].clone()
        y[: self.length - 1] = -1
        return whole[:-1].clone(), y


class Attention(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.both, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer(
            "bias", torch.tril(torch.ones(longest, longest)).view(1, 1, longest, longest)
        )
        self.heads, self.width = heads, width

    def forward(self, x):
        n, t, c = x.size()
        q, k, v = self.both(x).split(self.width, dim=2)
        q, k, v = (a.view(n, t, self.heads, c // self.heads).transpose(1, 2) for a in (q, k, v))
        score = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        score = score.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf"))
        return self.out((F.softmax(score, dim=-1) @ v).transpose(1, 2).contiguous().view(n, t, c))


class Block(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.one, self.two = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, longest)
        self.mlp = nn.ModuleDict(
            dict(
                up=nn.Linear(width, 4 * width),
                act=nn.GELU(approximate="tanh"),
                down=nn.Linear(4 * width, width),
            )
        )

    def forward(self, x):
        x = x + self.attention(self.one(x))
        return x + self.mlp.down(self.mlp.act(self.mlp.up(self.two(x))))


class Model(nn.Module):
    def __init__(self, words=3, width=24, heads=3, longest=7, blocks=2):
        super().__init__()
        self.longest = longest
        self.body = nn.ModuleDict(
            dict(
                words=nn.Embedding(words, width),
                places=nn.Embedding(longest, width),
                blocks=nn.ModuleList([Block(width, heads, longest) for _ in range(blocks)]),
                last=nn.LayerNorm(width),
            )
        )
        self.head = nn.Linear(width, words, bias=False)
        self.apply(self.first)
        for name, p in self.named_parameters():
            if name.endswith("down.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * blocks))

    def first(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.LayerNorm):
            torch.nn.init.ones_(module.weight)

    def groups(self, decay=0.1):
        heavy, light = set(), set()
        for prefix, module in self.named_modules():
            for name, _ in module.named_parameters(recurse=False):
                full = f"{prefix}.{name}" if prefix else name
                (heavy if name == "weight" and isinstance(module, nn.Linear) else light).add(full)
        named = dict(self.named_parameters())
        return [
            {"params": [named[n] for n in sorted(heavy)], "weight_decay": decay},
            {"params": [named[n] for n in sorted(light)], "weight_decay": 0.0},
        ]

    def forward(self, x, targets=None):
        device = x.device
        places = torch.arange(0, x.size(1), dtype=torch.long, device=device).unsqueeze(0)
        h = self.body.words(x) + self.body.places(places)
        for block in self.body.blocks:
            h = block(h)
        logits, loss = self.head(self.body.last(h)), None
        if targets is not None:
            loss = F.cross_entropy(
                logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
            )
        return logits, loss

    @torch.no_grad()
    def generate(self, x, count, sample=False, top=None):
        for _ in range(count):
            logits, _ = self(x if x.size(1) <= self.longest else x[:, -self.longest :])
            logits = logits[:, -1, :]
            if top is not None:
                best, _ = torch.topk(logits, top)
                logits[logits < best[:, [-1]]] = -float("Inf")
            odds = F.softmax(logits, dim=-1)
            _, best = torch.topk(odds, k=1, dim=-1)
            x = torch.cat((x, torch.multinomial(odds, 1) if sample else best), dim=1)
        return x


@part
def sorting():
    model, data = Model(), Sorting("train")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = model.to(device)
    optimizer = torch.optim.AdamW(model.groups(), lr=5e-3, betas=(0.9, 0.95))
    loader = DataLoader(
        data,
        sampler=torch.utils.data.RandomSampler(data, replacement=True, num_samples=100),
        shuffle=False,
        pin_memory=True,
        batch_size=16,
        num_workers=0,
    )
    calls, losses = defaultdict(list), []
    calls["end"].append(lambda loss: losses.append(loss.item()))
    for x, y in loader:
        model.train()
        _, loss = model(x.to(device), y.to(device))
        model.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        for call in calls["end"]:
            call(loss)
    model.eval()
    greedy = model.generate(torch.tensor([[0, 2, 1, 0]], dtype=torch.long), 4)
    drawn = model.generate(torch.tensor([[0, 2, 1, 0]], dtype=torch.long), 4, sample=True, top=2)
    return losses, greedy, drawn, Same is DataLoader
