# SPDX-License-Identifier: Apache-2.0
"""einops and einx: rearrangements, reductions, layers."""

import einx
import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from report import part, train

x = torch.arange(48.0).reshape(2, 3, 8)


@part
def functions():
    packed, shapes = pack([x, x[:, :2]], "b * d")
    return {
        "rearrange": rearrange(x, "b c (h w) -> h (b c) w", h=2),
        "reduce": reduce(x, "b c (h 2) -> b h", "mean"),
        "repeat": repeat(x, "b c d -> b (c 2) d"),
        "einsum": einsum(x, x, "b c d, b e d -> b c e"),
        "pack": packed,
        "unpack": unpack(packed, shapes, "b * d"),
        "einx": einx.sum("b [c] d", x),
        "einx_dot": einx.dot("b c d, b e d -> b c e", x, x),
    }


@part
def layers():
    net = torch.nn.Sequential(
        Rearrange("b c (h w) -> b c h w", h=2),
        Reduce("b c h w -> b c w", "max"),
        EinMix("b c w -> b e w", weight_shape="c e", bias_shape="e", c=3, e=4),
    )
    return train(net, lambda: net(x).square().mean(), lr=1e-4)
