# SPDX-License-Identifier: Apache-2.0
"""Losses with the deprecated arguments, fused layers and helpers of nn.utils."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
a = torch.rand(4, 3)
b = torch.rand(4, 3)
w = torch.rand(4, 3)
t = torch.tensor([0, 1, 2, 1])
s = torch.sign(torch.randn(4, 3))


def P(*x):
    return print(*[round(float(v.sum()), 5) if isinstance(v, torch.Tensor) else v for v in x])


P(
    F.mse_loss(a, b, size_average=False),
    F.mse_loss(a, b, None, False).shape,
    F.mse_loss(a, b, weight=w),
    F.l1_loss(a, b, weight=w, reduction="sum"),
    F.huber_loss(a, b, weight=w),
    F.huber_loss(a, b, "sum"),
)
P(
    F.smooth_l1_loss(a, b, False),
    F.nll_loss(a, t, None, False),
    F.cross_entropy(a, t, None, None, 1),
    F.kl_div(a, b, None, None, "batchmean"),
    F.kl_div(a, b, False),
)
P(
    F.binary_cross_entropy(a, b, w, False),
    F.binary_cross_entropy_with_logits(a, b, None, None, None, "sum", torch.rand(3)),
    F.poisson_nll_loss(a, b, True, False, False),
)
P(
    F.soft_margin_loss(a, s, False),
    F.hinge_embedding_loss(a, s, 1.0, False),
    F.triplet_margin_loss(a, b, w, size_average=False),
)
P(
    F.normalize(a, dim=(0, 1)),
    F.normalize(a, p=float("inf"), dim=(0, 1)),
    F.normalize(a, p=1, out=torch.empty(0)),
)
P(nn.InstanceNorm1d(3, affine=True, bias=False).bias, nn.Hardtanh(min_value=-2.0).min_val)
conv = nn.Conv2d(3, 5, 3).eval()
bn = nn.BatchNorm2d(5).eval()
bn.running_mean.uniform_()
bn.running_var.uniform_()
x = torch.rand(2, 3, 6, 6)
P(
    nn.utils.fuse_conv_bn_eval(conv, bn)(x),
    (bn(conv(x)) - nn.utils.fuse_conv_bn_eval(conv, bn)(x)).abs().max() < 1e-05,
)
layer = nn.Linear(3, 5).eval()
bn = nn.BatchNorm1d(5).eval()
bn.running_mean.uniform_()
P((bn(layer(a)) - nn.utils.fuse_linear_bn_eval(layer, bn)(a)).abs().max() < 1e-05)
print(nn.utils.skip_init(nn.Linear, 3, 4).weight.shape)
nn.utils.convert_conv2d_weight_memory_format(conv, torch.channels_last)
print(conv.weight.stride())
P(nn.utils.stateless.functional_call(layer, {"weight": torch.ones(5, 3)}, a))
p = [torch.ones(3, requires_grad=True)]
p[0].grad = torch.ones(3) * 5
nn.utils.clip_grads_with_norm_(p, 1.0, nn.utils.get_total_norm([p[0].grad]))
print(p[0].grad)
