# SPDX-License-Identifier: Apache-2.0
"""Attributions of captum on a small convolutional network."""

import torch
from captum import attr
from report import part
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(
    nn.Conv2d(1, 4, 3),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(36, 8),
    nn.ReLU(),
    nn.Linear(8, 3),
).eval()
x = torch.randn(2, 1, 8, 8)


def simple(method, **arguments):
    return lambda: method.attribute(x.clone().requires_grad_(), target=1, **arguments)


METHODS = {
    "integrated_gradients": simple(attr.IntegratedGradients(net), n_steps=8),
    "saliency": simple(attr.Saliency(net)),
    "input_x_gradient": simple(attr.InputXGradient(net)),
    "deep_lift": simple(attr.DeepLift(net), baselines=torch.zeros_like(x)),
    "gradient_shap": simple(attr.GradientShap(net), baselines=torch.randn(3, 1, 8, 8)),
    "guided_backprop": simple(attr.GuidedBackprop(net)),
    "deconvolution": simple(attr.Deconvolution(net)),
    "occlusion": simple(attr.Occlusion(net), sliding_window_shapes=(1, 4, 4), strides=(1, 2, 2)),
    "feature_ablation": simple(
        attr.FeatureAblation(net),
        feature_mask=torch.arange(4)
        .view(1, 1, 2, 2)
        .repeat_interleave(4, 2)
        .repeat_interleave(4, 3),
    ),
    "shapley": simple(
        attr.ShapleyValueSampling(net),
        n_samples=3,
        feature_mask=torch.arange(4)
        .view(1, 1, 2, 2)
        .repeat_interleave(4, 2)
        .repeat_interleave(4, 3),
    ),
    "grad_cam": simple(attr.LayerGradCam(net, net[0])),
    "layer_activation": lambda: attr.LayerActivation(net, net[4]).attribute(x),
    "layer_conductance": simple(attr.LayerConductance(net, net[4]), n_steps=6),
    "neuron_gradient": lambda: attr.NeuronGradient(net, net[4]).attribute(x, (1,)),
    "noise_tunnel": simple(
        attr.NoiseTunnel(attr.Saliency(net)), nt_samples=3, nt_type="smoothgrad"
    ),
    "kernel_shap": simple(
        attr.KernelShap(net),
        n_samples=12,
        feature_mask=torch.arange(4)
        .view(1, 1, 2, 2)
        .repeat_interleave(4, 2)
        .repeat_interleave(4, 3)
        .expand(1, 1, 8, 8),
    ),
}
for name, method in METHODS.items():
    method.__name__ = name
    part(method)
