# SPDX-License-Identifier: Apache-2.0
"""Image models, optimizers and schedules of timm."""

import timm
import torch
from report import gradients, part
from torch.nn import functional as F

MODELS = {
    "resnet18": {},
    "resnet26d": {},
    "efficientnet_lite0": {},
    "convnext_atto": {},
    "vit_tiny_patch16_224": {"img_size": 32},
    "swin_tiny_patch4_window7_224": {
        "img_size": 56,
        "embed_dim": 24,
        "depths": (1, 1),
        "num_heads": (2, 4),
    },
    "mobilenetv3_small_050": {},
    "regnetx_002": {},
    "mixer_s32_224": {"img_size": 32},
    "poolformer_s12": {},
    "ghostnet_050": {},
    "deit_tiny_patch16_224": {"img_size": 32},
    "hrnet_w18_small": {},
    "mobilevit_xxs": {},
    "densenet121": {},
    "resmlp_12_224": {"img_size": 32},
}
for name, options in MODELS.items():

    def body(name=name, options=options):
        size = options.get("img_size", 64)
        net = timm.create_model(name, pretrained=False, num_classes=5, **options)
        net.eval()
        out = net(torch.randn(2, 3, size, size))
        loss = F.cross_entropy(out, torch.tensor([1, 3]))
        loss.backward()
        return {"out": out, "loss": loss, "gradients": gradients(net)}

    body.__name__ = name
    part(body)


@part
def features():
    net = timm.create_model("resnet18", features_only=True, pretrained=False).eval()
    return net(torch.randn(1, 3, 64, 64))


for name in (
    "sgd",
    "adamw",
    "lamb",
    "radam",
    "adafactor",
    "nadam",
    "rmsproptf",
    "lion",
    "adabelief",
    "madgrad",
    "lookahead_adam",
    "adan",
    "lars",
    "novograd",
):

    def body(name=name):
        from timm.optim import create_optimizer_v2

        net, x = torch.nn.Linear(4, 3), torch.randn(6, 4)
        optimizer = create_optimizer_v2(net, opt=name, lr=1e-2, weight_decay=1e-2)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
        return net.weight

    body.__name__ = f"optimizer_{name}"
    part(body)


@part
def schedules():
    from timm.scheduler import CosineLRScheduler, StepLRScheduler, TanhLRScheduler

    found = []
    for kind, options in (
        (CosineLRScheduler, {"t_initial": 5}),
        (TanhLRScheduler, {"t_initial": 5}),
        (StepLRScheduler, {"decay_t": 2}),
    ):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
        schedule = kind(optimizer, warmup_t=1, warmup_lr_init=0.01, **options)
        for step in range(5):
            schedule.step(step)
            found.append(optimizer.param_groups[0]["lr"])
    return found


@part
def losses():
    from timm.data import Mixup
    from timm.loss import (
        AsymmetricLossMultiLabel,
        LabelSmoothingCrossEntropy,
        SoftTargetCrossEntropy,
    )

    x = torch.randn(4, 5)
    return [
        LabelSmoothingCrossEntropy(0.1)(x, torch.tensor([0, 1, 2, 3])),
        SoftTargetCrossEntropy()(x, x.softmax(-1)),
        AsymmetricLossMultiLabel()(x, (x > 0).float()),
        Mixup is not None,
    ]


@part
def averages():
    from timm.utils import ModelEmaV3

    net = timm.create_model("resnet10t", pretrained=False, num_classes=2)
    ema = ModelEmaV3(net, decay=0.9)
    with torch.no_grad():
        net.fc.weight.add_(1.0)
    ema.update(net)
    return ema.module.fc.weight
