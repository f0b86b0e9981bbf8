# SPDX-License-Identifier: Apache-2.0
"""Ordinary differential equations of torchdiffeq: solvers, adjoints, events."""

import torch
from report import gradients, part
from torchdiffeq import odeint, odeint_adjoint, odeint_event

times = torch.linspace(0.0, 1.0, 5, dtype=torch.float64)


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)
        ).double()

    def forward(self, t, y):
        return self.net(y**3)


start = torch.tensor([[2.0, 0.5]], dtype=torch.float64)
for method in (
    "euler",
    "midpoint",
    "rk4",
    "heun3",
    "explicit_adams",
    "implicit_adams",
    "dopri5",
    "dopri8",
    "bosh3",
    "fehlberg2",
    "adaptive_heun",
    "scipy_solver",
):

    def body(method=method):
        field = Field()
        if method == "scipy_solver":
            return odeint(field, start, times, method=method, options={"solver": "RK45"})
        out = odeint(field, start, times, method=method)
        out.sum().backward()
        return out, gradients(field)

    body.__name__ = method
    part(body)


@part
def adjoint():
    field, y = Field(), start.clone().requires_grad_()
    out = (
        odeint_adjoint(field, (y, y * 2), times, method="dopri5")
        if False
        else odeint_adjoint(field, y, times, method="dopri5", rtol=1e-7, atol=1e-9)
    )
    out.sum().backward()
    return out, gradients(field), y.grad


@part
def pair():
    def field(t, y):
        return y[0] * 0.5, -y[1]

    return odeint(field, (torch.ones(2), torch.ones(3)), torch.linspace(0, 1, 4), method="rk4")


@part
def event():
    def fall(t, y):
        return torch.stack([y[1], torch.tensor(-9.8, dtype=torch.float64)])

    state = torch.tensor([10.0, 0.0], dtype=torch.float64)
    return odeint_event(
        fall,
        state,
        torch.tensor(0.0, dtype=torch.float64),
        event_fn=lambda t, y: y[0],
        method="dopri5",
    )


@part
def backward_time():
    field = Field()
    return odeint(field, start, times.flip(0), method="rk4", options={"step_size": 0.05})
