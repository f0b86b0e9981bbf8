# SPDX-License-Identifier: Apache-2.0
"""Quantizers of vector-quantize-pytorch."""

import torch
import vector_quantize_pytorch as vq
from report import part

x = torch.randn(2, 10, 8)
KINDS = {
    "vq": lambda: vq.VectorQuantize(dim=8, codebook_size=12, decay=0.8),
    "cosine": lambda: vq.VectorQuantize(dim=8, codebook_size=12, use_cosine_sim=True),
    "kmeans": lambda: vq.VectorQuantize(dim=8, codebook_size=6, kmeans_init=True, kmeans_iters=3),
    "learned": lambda: vq.VectorQuantize(
        dim=8, codebook_size=12, learnable_codebook=True, ema_update=False
    ),
    "residual": lambda: vq.ResidualVQ(dim=8, num_quantizers=2, codebook_size=12),
    "grouped": lambda: vq.GroupedResidualVQ(dim=8, num_quantizers=2, groups=2, codebook_size=12),
    "random": lambda: vq.RandomProjectionQuantizer(
        dim=8, num_codebooks=2, codebook_dim=4, codebook_size=12
    ),
    "fsq": lambda: vq.FSQ([8, 5, 5], dim=8),
    "lfq": lambda: vq.LFQ(codebook_size=16, dim=8),
    "sim": lambda: vq.SimVQ(dim=8, codebook_size=12),
    "residual_fsq": lambda: vq.ResidualFSQ(dim=8, levels=[8, 5, 5], num_quantizers=2),
    "latent": lambda: vq.LatentQuantize(levels=[5, 5], dim=8),
}
for name, make in KINDS.items():

    def body(make=make, name=name):
        layer = make()
        inputs = x.transpose(1, 2).reshape(2, 8, 10, 1) if name == "latent" else x
        return layer(inputs)

    body.__name__ = name
    part(body)
