# SPDX-License-Identifier: Apache-2.0
"""Controlled differential equations of torchcde."""

import torch
import torchcde
from report import gradients, part

x = torch.cat([torch.linspace(0, 1, 8).repeat(2, 1).unsqueeze(-1), torch.rand(2, 8, 2)], dim=-1)


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 12)

    def forward(self, t, z):
        return self.linear(z).tanh().view(2, 4, 3)


@part
def splines():
    gaps = x.clone()
    gaps[0, 3, 1] = float("nan")
    found = [
        torchcde.natural_cubic_coeffs(x),
        torchcde.linear_interpolation_coeffs(gaps),
        torchcde.hermite_cubic_coefficients_with_backward_differences(x),
    ]
    cubic = torchcde.CubicSpline(found[0])
    return [
        *found,
        cubic.evaluate(0.4),
        cubic.derivative(torch.tensor(0.3)),
        torchcde.LinearInterpolation(found[1]).evaluate(1.5),
    ]


for method in ("rk4", "dopri5"):

    def body(method=method):
        field = Field()
        path = torchcde.CubicSpline(torchcde.natural_cubic_coeffs(x.double()))
        options = {"options": {"step_size": 0.5}} if method == "rk4" else {"rtol": 1e-6}
        z = torchcde.cdeint(
            path,
            field.double(),
            torch.ones(2, 4).double(),
            path.interval,
            method=method,
            adjoint=False,
            **options,
        )
        z.sum().backward()
        return z, gradients(field)

    body.__name__ = method
    part(body)


@part
def signature():
    return torchcde.logsig_windows is not None


@part
def adjoint():
    field = Field().double()
    path = torchcde.LinearInterpolation(torchcde.linear_interpolation_coeffs(x.double()))
    z = torchcde.cdeint(
        path,
        field,
        torch.ones(2, 4).double(),
        path.interval,
        method="rk4",
        adjoint=True,
        options={"step_size": 0.5},
    )
    z.sum().backward()
    return z, gradients(field)
