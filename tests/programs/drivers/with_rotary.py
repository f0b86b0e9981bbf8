# SPDX-License-Identifier: Apache-2.0
"""Small layers: rotary positions, lion, moving averages, local attention, sirens, streams."""

import torch
from report import gradients, part, train
from torch import nn


@part
def rotary():
    from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

    made = RotaryEmbedding(dim=8)
    q = torch.randn(1, 2, 6, 16)
    rotated = made.rotate_queries_or_keys(q)
    axial = RotaryEmbedding(dim=8, freqs_for="pixel").get_axial_freqs(3, 4)
    return rotated, apply_rotary_emb(axial, torch.randn(1, 3, 4, axial.shape[-1]))


@part
def lion():
    from lion_pytorch import Lion

    net = nn.Linear(4, 2)
    optimizer, x = Lion(net.parameters(), lr=1e-2, weight_decay=1e-2), torch.randn(5, 4)
    for _ in range(3):
        net(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return net.weight


@part
def averages():
    from ema_pytorch import EMA

    net = nn.Linear(4, 2)
    ema = EMA(net, beta=0.9, update_after_step=1, update_every=1)
    for _ in range(4):
        with torch.no_grad():
            net.weight.add_(torch.randn(2, 4))
        ema.update()
    return ema(torch.randn(3, 4)), ema.ema_model.weight


@part
def local():
    from local_attention import LocalAttention

    layer = LocalAttention(dim=8, window_size=4, causal=True, look_backward=1, autopad=True)
    q, k, v = torch.randn(3, 2, 10, 8)
    return layer(q, k, v)


@part
def siren():
    from siren_pytorch import SirenNet, SirenWrapper

    net = SirenNet(dim_in=2, dim_hidden=16, dim_out=3, num_layers=2)
    wrapped = SirenWrapper(net, image_width=4, image_height=4)
    loss = wrapped(torch.randn(1, 3, 4, 4))
    loss.backward()
    return loss, gradients(net)


@part
def streams():
    from hyper_connections import get_init_and_expand_reduce_stream_functions

    made, expand, reduce = get_init_and_expand_reduce_stream_functions(2)
    layer = made(dim=8, branch=nn.Linear(8, 8))
    x = torch.randn(2, 5, 8)
    return train(layer, lambda: reduce(layer(expand(x))).square().mean())
