# SPDX-License-Identifier: Apache-2.0
"""A diffusion model of denoising-diffusion-pytorch: loss, gradients and samples."""

import torch
from denoising_diffusion_pytorch import GaussianDiffusion, GaussianDiffusion1D, Unet, Unet1D
from report import gradients, part


@part
def image():
    net = Unet(dim=8, dim_mults=(1, 2), channels=1, flash_attn=False)
    model = GaussianDiffusion(net, image_size=8, timesteps=6, sampling_timesteps=3)
    loss = model(torch.rand(2, 1, 8, 8))
    loss.backward()
    return {"loss": loss, "gradients": gradients(model), "sample": model.sample(batch_size=1)}


@part
def line():
    net = Unet1D(dim=8, dim_mults=(1, 2), channels=2)
    model = GaussianDiffusion1D(net, seq_length=16, timesteps=5)
    loss = model(torch.rand(2, 2, 16))
    loss.backward()
    return {"loss": loss, "gradients": gradients(model), "sample": model.sample(batch_size=1)}
