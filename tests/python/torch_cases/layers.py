# SPDX-License-Identifier: Apache-2.0
"""Transformers, lazy layers, fractional pooling, attention with own scores."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import copy
import torch.nn.grad as G
from torch.nn.attention import sdpa_kernel, SDPBackend
from torch.nn.attention.flex_attention import (
    flex_attention,
    create_block_mask,
    create_mask,
    and_masks,
    or_masks,
)
from torch.nn.attention.bias import causal_lower_right, causal_upper_left


def P(*x):
    print(
        *[
            [round(float(q), 4) + 0.0 for q in v.double().flatten()[:4]]
            + [round(float(v.double().abs().sum()), 3)]
            + list(v.shape)
            if isinstance(v, torch.Tensor)
            else v
            for v in x
        ]
    )


def T(f):
    try:
        P(*f())
    except Exception:
        print("error")


for kw in (
    {},
    {"norm_first": True, "batch_first": True, "activation": "gelu"},
    {"bias": False, "activation": F.gelu},
):
    torch.manual_seed(0)
    m = nn.Transformer(16, 4, 2, 2, 32, dropout=0.0, **kw)
    src, tgt = (
        (torch.randn(5, 3, 16), torch.randn(4, 3, 16))
        if not kw.get("batch_first")
        else (torch.randn(3, 5, 16), torch.randn(3, 4, 16))
    )
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    y = m(
        src,
        tgt,
        tgt_mask=mask,
        src_key_padding_mask=torch.tensor([[False] * 4 + [True]] * 3),
        memory_key_padding_mask=torch.tensor([[False] * 4 + [True]] * 3),
    )
    P(y)
    y.sin().sum().backward()
    P(m.decoder.layers[0].multihead_attn.in_proj_weight.grad.abs().sum())
    P(m.eval()(src, tgt, tgt_mask=mask, tgt_is_causal=True))
print(
    len(list(m.parameters())),
    list(m.state_dict())[:4],
    repr(nn.TransformerDecoderLayer(8, 2, 16))[:900],
)
torch.manual_seed(0)
layer = nn.TransformerDecoderLayer(8, 2, 16, 0.0)
P(layer(torch.randn(3, 8), torch.randn(5, 8)))
torch.manual_seed(1)
a = nn.AdaptiveLogSoftmaxWithLoss(16, 20, [4, 10], div_value=2.0, head_bias=True)
x = torch.randn(6, 16, requires_grad=True)
t = torch.tensor([0, 5, 11, 3, 19, 9])
o = a(x, t)
P(o.output, o.loss, a.log_prob(x), a.predict(x))
o.loss.backward()
P(x.grad)
P(a(x[0], t[0]).output)
T(lambda: (a(x, t + 20),))
torch.manual_seed(2)
x = torch.randn(2, 3, 9, 11)
P(F.fractional_max_pool2d(x, 3, (4, 5)))
P(*F.fractional_max_pool2d(x, (2, 3), output_ratio=(0.5, 0.6), return_indices=True))
x3 = torch.randn(2, 3, 6, 7, 8, requires_grad=True)
y = F.fractional_max_pool3d(x3, 2, (3, 4, 5))
P(y)
y.sum().backward()
P(x3.grad)
P(*nn.FractionalMaxPool3d(2, output_ratio=0.5, return_indices=True)(x3[0]))
P(nn.FractionalMaxPool2d(3, output_size=5, _random_samples=torch.full((2, 3, 2), 0.3))(x))
P(nn.FractionalMaxPool2d(9, output_size=1)(x))
P(nn.LPPool3d(2, 3)(x3))
print(nn.LPPool3d(2, 3))
P(nn.CrossMapLRN2d(3, 0.5, 0.75, 2)(x), nn.CrossMapLRN2d(5)(x))
print(nn.CrossMapLRN2d(3))
torch.manual_seed(3)
L = nn.LinearCrossEntropyLoss(4, 5, bias=True)
x = torch.randn(6, 4)
t = torch.tensor([0, 1, 2, 3, 4, 1])
P(L(x, t))
P(F.linear_cross_entropy(x, torch.ones(5, 4) * 0.1, t, ignore_index=1, label_smoothing=0.1))


def lazy(n, *a, x=None, **k):
    torch.manual_seed(0)
    m = getattr(nn, n)(*a, **k)
    r = repr(m)
    s = list(map(repr, m.state_dict().values()))
    y = m(x)
    P(n, r, s, type(m).__name__, repr(m), y, *m.parameters())


x = torch.randn(2, 3, 8)
lazy("LazyLinear", 4, x=x)
lazy("LazyLinear", 4, bias=False, x=x)
lazy("LazyConv1d", 4, 3, x=x, padding=1)
lazy("LazyConv2d", 6, (3, 2), x=torch.randn(2, 3, 5, 5), groups=3)
lazy("LazyConv3d", 4, 2, x=torch.randn(1, 3, 3, 3, 3))
lazy("LazyConvTranspose1d", 4, 3, x=x)
lazy("LazyConvTranspose2d", 4, 3, 2, 1, 1, x=torch.randn(2, 3, 5, 5))
lazy("LazyBatchNorm1d", x=x)
lazy("LazyBatchNorm2d", affine=False, x=torch.randn(2, 3, 5, 5))
lazy("LazyInstanceNorm1d", affine=True, x=x)
lazy("LazyInstanceNorm2d", x=torch.randn(2, 3, 5, 5))
m = nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.LazyLinear(2))
print(m)
n = copy.deepcopy(m)
n(torch.ones(2, 5))
m.load_state_dict(n.state_dict())
P(m(torch.ones(2, 5)) - n(torch.ones(2, 5)))
print(m)
T(lambda: (nn.LazyLinear(3).weight.shape,))
print(
    nn.parameter.is_lazy(nn.LazyLinear(2).weight),
    isinstance(nn.LazyLinear(2).weight, nn.Parameter),
    isinstance(nn.UninitializedParameter(), nn.parameter.UninitializedTensorMixin),
)
m = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
s = nn.SyncBatchNorm.convert_sync_batchnorm(m)
print(s)
P(s(torch.arange(6.0).reshape(2, 3)))
P(nn.DataParallel(nn.Linear(3, 2).cpu()).module.weight * 0)
print(list(nn.DataParallel(nn.Linear(2, 2)).state_dict()))

x = torch.randn(2, 4, 7)
w = torch.randn(6, 2, 3)
g = torch.randn(2, 6, 3)
P(
    G.conv1d_input(x.shape, w, g, stride=2, groups=2),
    G.conv1d_weight(x, w.shape, g, stride=2, groups=2),
)
x = torch.randn(2, 3, 5, 5)
w = torch.randn(4, 3, 3, 3)
g = torch.randn(2, 4, 5, 5)
P(G.conv2d_input(x.shape, w, g, padding=1), G.conv2d_weight(x, w.shape, g, padding=1))

torch.manual_seed(5)
q, k, v = (torch.randn(2, 4, 6, 8) for _ in range(3))
with sdpa_kernel([SDPBackend.MATH]):
    P(F.scaled_dot_product_attention(q, k, v))


def causal(b, h, q, kv):
    return q >= kv


def win(b, h, q, kv):
    return (q - kv).abs() < 2


P(flex_attention(q, k, v))
P(flex_attention(q, k, v, score_mod=lambda s, b, h, q, kv: s + (q - kv) * 0.1 * (h + 1)))
bm = create_block_mask(and_masks(causal, win), None, None, 6, 6, device="cpu")
P(flex_attention(q, k, v, block_mask=bm))
P(create_mask(or_masks(causal, win), 2, 1, 6, 6, device="cpu").int())
print(tuple(bm.shape))
P(flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True))
P(
    flex_attention(
        q,
        k,
        v,
        block_mask=create_block_mask(
            lambda b, h, q, kv: (q > kv) & (b >= 0), 2, 4, 6, 6, device="cpu"
        ),
    )
)

P(
    F.scaled_dot_product_attention(q[:, :, :3], k, v, attn_mask=causal_lower_right(3, 6)),
    F.scaled_dot_product_attention(q[:, :, :3], k, v, attn_mask=causal_upper_left(3, 6)),
)
print(nn.factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": torch.float64}}))
