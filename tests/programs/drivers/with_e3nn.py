# SPDX-License-Identifier: Apache-2.0
"""Irreducible representations, spherical harmonics and tensor products of e3nn."""

import torch
from e3nn import nn as e3
from e3nn import o3
from report import part


@part
def harmonics():
    return o3.spherical_harmonics([0, 1, 2], torch.randn(4, 3), normalize=True)


@part
def wigner():
    return o3.wigner_3j(1, 1, 2), o3.Irreps("1o + 2e").D_from_angles(*torch.rand(3))


@part
def product():
    layer = o3.FullyConnectedTensorProduct("2x0e + 1o", "0e + 1o", "2x0e + 1o")
    a, b = torch.randn(3, 5), torch.randn(3, 4)
    out = layer(a, b)
    out.sum().backward()
    return out, layer.weight.grad


@part
def gate():
    gate = e3.Gate("2x0e", [torch.tanh], "1x0e", [torch.sigmoid], "1x1o")
    return gate(torch.randn(3, gate.irreps_in.dim))


@part
def linear():
    layer = o3.Linear("2x0e + 1o", "1x0e + 2x1o")
    return layer(torch.randn(3, 5))
