# SPDX-License-Identifier: Apache-2.0
"""Numerical integration of torchquad."""

import torch
from report import part
from torchquad import (
    VEGAS,
    Boole,
    GaussLegendre,
    MonteCarlo,
    Simpson,
    Trapezoid,
    set_log_level,
    set_up_backend,
)

set_log_level("ERROR")
set_up_backend("torch", data_type="float64", torch_enable_cuda=False)


def wave(x):
    return torch.sin(x[:, 0]) * torch.exp(x[:, 1])


for kind, options in (
    (Trapezoid, {}),
    (Simpson, {}),
    (Boole, {}),
    (GaussLegendre, {}),
    (MonteCarlo, {"seed": 0}),
    (VEGAS, {"seed": 0}),
):

    def body(kind=kind, options=options):
        return kind().integrate(
            wave, dim=2, N=1089, integration_domain=[[0, 1], [-1, 1]], backend="torch", **options
        )

    body.__name__ = kind.__name__
    part(body)


@part
def gradient():
    domain = torch.tensor([[0.0, 1.0], [-1.0, 1.0]], requires_grad=True)
    value = Simpson().integrate(wave, dim=2, N=289, integration_domain=domain)
    value.backward()
    return value, domain.grad
