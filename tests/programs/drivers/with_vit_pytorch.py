# SPDX-License-Identifier: Apache-2.0
"""Image transformers of vit-pytorch: outputs and training."""

import torch
from report import part, train
from torch.nn import functional as F

MLP = dict(image_size=16, patch_size=4, num_classes=3, dim=16, depth=1, heads=2, mlp_dim=24)


def vit():
    from vit_pytorch import ViT

    return ViT(**MLP)


def simple():
    from vit_pytorch import SimpleViT

    return SimpleViT(**MLP)


def cait():
    from vit_pytorch.cait import CaiT

    return CaiT(**MLP, cls_depth=1, dropout=0.0)


def cct():
    from vit_pytorch.cct import CCT

    return CCT(
        img_size=16,
        embedding_dim=16,
        n_conv_layers=1,
        num_layers=1,
        num_heads=2,
        mlp_ratio=2,
        num_classes=3,
        positional_embedding="learnable",
        kernel_size=3,
        stride=2,
        padding=1,
        pooling_kernel_size=3,
        pooling_stride=2,
        pooling_padding=1,
    )


def cross():
    from vit_pytorch.cross_vit import CrossViT

    return CrossViT(
        image_size=16,
        num_classes=3,
        depth=1,
        sm_dim=16,
        lg_dim=16,
        sm_patch_size=4,
        sm_enc_depth=1,
        sm_enc_heads=2,
        sm_enc_mlp_dim=24,
        lg_patch_size=8,
        lg_enc_depth=1,
        lg_enc_heads=2,
        lg_enc_mlp_dim=24,
        cross_attn_depth=1,
        cross_attn_heads=2,
    )


def maxvit():
    from vit_pytorch.max_vit import MaxViT

    return MaxViT(
        num_classes=3,
        dim_conv_stem=8,
        dim=16,
        dim_head=8,
        depth=(1, 1),
        window_size=2,
        mbconv_expansion_rate=2,
        mbconv_shrinkage_rate=0.25,
        dropout=0.0,
    )


def deep():
    from vit_pytorch.deepvit import DeepViT

    return DeepViT(**MLP)


def registers():
    from vit_pytorch.simple_vit_with_register_tokens import SimpleViT

    return SimpleViT(**MLP)


for make in (vit, simple, cait, cct, cross, maxvit, deep, registers):

    def body(make=make):
        net = make().eval()
        x, y = torch.randn(2, 3, 16, 16), torch.tensor([0, 2])
        return {"out": net(x), **train(net, lambda: F.cross_entropy(net(x), y))}

    body.__name__ = make.__name__
    part(body)
