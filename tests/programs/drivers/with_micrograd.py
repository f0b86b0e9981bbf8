# SPDX-License-Identifier: Apache-2.0
"""The scalar engine micrograd compared with tensors."""

import torch
from micrograd.engine import Value
from micrograd.nn import MLP
from report import part


@part
def both():
    found = []
    for kind in (Value, lambda v: torch.tensor([v], dtype=torch.double, requires_grad=True)):
        a, b = kind(-4.0), kind(2.0)
        c = a + b
        d = a * b + b**3
        c = c + c + 1
        c = c + 1 + c + (-a)
        d = d + d * 2 + (b + a).relu()
        d = d + 3 * d + (b - a).relu()
        e = c - d
        f = e**2
        g = f / 2.0
        g = g + 10.0 / f
        g.backward()
        values = (a.grad, b.grad, g.data)
        found.append([v.item() if isinstance(v, torch.Tensor) else v for v in values])
    return found


@part
def network():
    import random

    random.seed(1)
    net = MLP(2, [3, 1])
    weights = [torch.tensor([[w.data for w in n.w] for n in layer.neurons]) for layer in net.layers]
    x = torch.tensor([0.5, -1.2])
    return net([0.5, -1.2]).data, weights[1] @ torch.relu(weights[0] @ x)
