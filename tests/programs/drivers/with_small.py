# SPDX-License-Identifier: Apache-2.0
"""Small packages: moving averages, atan2 optimizer, scans, routed attention, key memories."""

import torch
from report import gradients, part
from torch import nn


@part
def averages():
    from torch_ema import ExponentialMovingAverage

    net = nn.Linear(4, 2)
    ema = ExponentialMovingAverage(net.parameters(), decay=0.9)
    with torch.no_grad():
        net.weight.add_(1.0)
    ema.update()
    with ema.average_parameters():
        return net.weight.clone()


@part
def atan2():
    from adam_atan2_pytorch import AdamAtan2

    net = nn.Linear(4, 2)
    optimizer, x = AdamAtan2(net.parameters(), lr=1e-2), torch.randn(5, 4)
    for _ in range(3):
        net(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return net.weight


@part
def scan():
    from assoc_scan import AssocScan

    return AssocScan()(torch.rand(2, 8, 3), torch.randn(2, 8, 3))


@part
def routed():
    from colt5_attention import ConditionalRoutedFeedForward, CoordinateDescentRouter

    layer = ConditionalRoutedFeedForward(
        8, num_heavy_tokens=3, light_ff_mult=0.5, heavy_ff_mult=2, use_triton=False
    )
    out = layer(torch.randn(1, 12, 8), mask=torch.ones(1, 12).bool())
    out.sum().backward()
    return out, gradients(layer), CoordinateDescentRouter is not None


@part
def axial():
    from axial_positional_embedding import AxialPositionalEmbedding

    return AxialPositionalEmbedding(dim=8, axial_shape=(4, 4))(torch.randn(1, 16, 8))


@part
def memory():
    from product_key_memory import PKM

    layer = PKM(dim=8, heads=2, num_keys=4, topk=2, dim_head=8)
    return layer(torch.randn(1, 5, 8))


@part
def ranger():
    from pytorch_ranger import Ranger

    net, x = nn.Linear(4, 2), torch.randn(5, 4)
    optimizer = Ranger(net.parameters(), lr=1e-2)
    for _ in range(3):
        net(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return net.weight
