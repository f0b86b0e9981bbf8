# SPDX-License-Identifier: Apache-2.0
"""Differentiable inner loops of higher."""

import higher
import torch
from report import gradients, part
from torch import nn
from torch.nn import functional as F


def inner(kind, **options):
    def body():
        net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
        optimizer = kind(net.parameters(), **options)
        x, y = torch.randn(6, 3), torch.randn(6, 1)
        with higher.innerloop_ctx(net, optimizer, copy_initial_weights=False) as (f, opt):
            for _ in range(3):
                opt.step(F.mse_loss(f(x), y))
            loss = F.mse_loss(f(x), y)
            loss.backward()
        return loss, gradients(net)

    body.__name__ = kind.__name__
    part(body)


inner(torch.optim.SGD, lr=0.1)
inner(torch.optim.SGD, lr=0.1, momentum=0.9)
inner(torch.optim.Adam, lr=0.01)
inner(torch.optim.Adagrad, lr=0.01)
inner(torch.optim.RMSprop, lr=0.01)
