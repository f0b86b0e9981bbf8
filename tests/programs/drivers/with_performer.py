# SPDX-License-Identifier: Apache-2.0
"""Performer and Reformer language models."""

import torch
from report import gradients, part


@part
def performer():
    from performer_pytorch import PerformerLM

    net = PerformerLM(
        num_tokens=20,
        max_seq_len=16,
        dim=16,
        depth=1,
        heads=2,
        causal=False,
        nb_features=8,
        dim_head=8,
    )
    out = net(torch.randint(0, 20, (1, 16)))
    out.sum().backward()
    return out, gradients(net)


@part
def performer_self():
    from performer_pytorch import SelfAttention

    layer = SelfAttention(dim=16, heads=2, dim_head=8, causal=False, nb_features=8)
    return layer(torch.randn(1, 12, 16))


@part
def reformer():
    from reformer_pytorch import ReformerLM

    net = ReformerLM(
        num_tokens=20,
        dim=16,
        depth=2,
        max_seq_len=16,
        heads=2,
        bucket_size=4,
        n_hashes=2,
        causal=True,
    )
    out = net(torch.randint(0, 20, (1, 16)))
    out.sum().backward()
    return out, gradients(net)


@part
def attention():
    from reformer_pytorch import LSHSelfAttention

    return LSHSelfAttention(dim=16, heads=2, bucket_size=4, n_hashes=2)(torch.randn(1, 16, 16))
