# SPDX-License-Identifier: Apache-2.0
"""Stochastic differential equations of torchsde."""

import torch
import torchsde
from report import gradients, part


class Model(torch.nn.Module):
    sde_type = "ito"

    def __init__(self, noise="diagonal", kind="ito"):
        super().__init__()
        self.noise_type, self.sde_type = noise, kind
        self.drift, self.spread = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def f(self, t, y):
        return self.drift(y)

    def g(self, t, y):
        out = self.spread(y).sigmoid()
        return out if self.noise_type == "diagonal" else out.unsqueeze(-1).expand(-1, 3, 3)


times = torch.linspace(0, 1, 4)
for method, kind in (
    ("euler", "ito"),
    ("milstein", "ito"),
    ("srk", "ito"),
    ("midpoint", "stratonovich"),
    ("heun", "stratonovich"),
    ("reversible_heun", "stratonovich"),
):

    def body(method=method, kind=kind):
        model = Model(kind=kind)
        noise = torchsde.BrownianInterval(
            t0=0.0, t1=1.0, size=(4, 3), entropy=7, levy_area_approximation="space-time"
        )
        out = torchsde.sdeint(model, torch.ones(4, 3), times, bm=noise, method=method, dt=0.1)
        out.sum().backward()
        return out, gradients(model)

    body.__name__ = method
    part(body)


@part
def adjoint():
    model = Model(kind="stratonovich")
    noise = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(4, 3), entropy=9)
    out = torchsde.sdeint_adjoint(
        model, torch.ones(4, 3), times, bm=noise, method="midpoint", dt=0.1
    )
    out.sum().backward()
    return out, gradients(model)


@part
def interval():
    noise = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(2, 2), entropy=3)
    return noise(0.1, 0.5), noise(0.0, 1.0)


@part
def tree():
    tree = torchsde.BrownianTree(t0=0.0, w0=torch.zeros(2, 2), t1=1.0, entropy=5)
    return tree(0.3), tree(0.2, 0.7)
