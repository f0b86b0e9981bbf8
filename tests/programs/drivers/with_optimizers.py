# SPDX-License-Identifier: Apache-2.0
"""Optimizers of four packages and of torch.optim: steps on a small perceptron."""

import inspect

import torch
from report import part
from torch import nn

import prodigyopt
import pytorch_optimizer
import schedulefree
import torch_optimizer


def stepped(kind, **options):
    net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    optimizer = kind(net.parameters(), **options)
    if hasattr(optimizer, "train"):
        optimizer.train()
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward(create_graph="Hessian" in kind.__name__ or "Hutchinson" in kind.__name__)
        losses.append(loss.item())
        return loss

    for _ in range(4):
        if kind.__name__ == "LBFGS" or "SAM" in kind.__name__:
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
    return losses[:8]


def measure(module, names, **special):
    for name in sorted(names):
        kind = getattr(module, name)
        title = f"{module.__name__}_{name}"

        def body(kind=kind, name=name):
            return stepped(kind, **special.get(name, {"lr": 1e-2}))

        body.__name__ = title
        part(body)


measure(
    torch.optim,
    [
        "SGD",
        "Adam",
        "AdamW",
        "NAdam",
        "RAdam",
        "Adamax",
        "Adagrad",
        "Adadelta",
        "ASGD",
        "RMSprop",
        "Rprop",
        "LBFGS",
        "Adafactor",
    ],
)
measure(
    torch_optimizer,
    [
        n
        for n in dir(torch_optimizer)
        if inspect.isclass(getattr(torch_optimizer, n))
        and n[0].isupper()
        and n not in ("Optimizer", "Lookahead", "Adafactor", "Adahessian", "Shampoo")
    ],
)
SKIPPED = {
    "LookaheadAdam",
    "Muon",
    "AdaMuon",
    "AdaGO",
    "DistributedMuon",
    "GaLore",
    "LOMO",
    "AdaLOMO",
    "FriendlySAM",
    "DemonRanger",
    "Kron",
    "SAM",
    "ASAM",
    "GSAM",
    "WSAM",
    "LookSAM",
    "BSAM",
    "TRAC",
    "Lookahead",
    "ScheduleFreeWrapper",
    "OrthoGrad",
    "SPAM",
    "StableSPAM",
    "Ranger25",
    "DynamicLossScaler",
    "SafeFP16Optimizer",
    "PCGrad",
    "Conda",
    "Alice",
    "DeMo",
    "FTRL",
    "EmoNavi",
    "EmoFact",
    "EmoLynx",
    "ScheduleFreeSGD",
    "SOAP",
    "SPlus",
}
measure(
    pytorch_optimizer,
    [
        n
        for n in dir(pytorch_optimizer)
        if inspect.isclass(getattr(pytorch_optimizer, n))
        and issubclass(
            getattr(pytorch_optimizer, n), pytorch_optimizer.base.optimizer.BaseOptimizer
        )
        and n not in SKIPPED
        and n != "BaseOptimizer"
    ],
)
measure(schedulefree, ["AdamWScheduleFree", "SGDScheduleFree", "RAdamScheduleFree"])
measure(prodigyopt, ["Prodigy"], Prodigy={"lr": 1.0})


@part
def schedules():
    from torch.optim import lr_scheduler as S

    p = nn.Parameter(torch.ones(2))
    found = []
    for make in (
        lambda o: S.CosineAnnealingWarmRestarts(o, 3),
        lambda o: S.CyclicLR(o, 0.01, 0.1, step_size_up=2),
        lambda o: S.OneCycleLR(o, 0.1, total_steps=8),
        lambda o: S.MultiplicativeLR(o, lambda e: 0.9),
        lambda o: S.PolynomialLR(o, 5),
        lambda o: S.SequentialLR(o, [S.ConstantLR(o), S.ExponentialLR(o, 0.9)], [2]),
    ):
        o = torch.optim.SGD([p], lr=0.1, momentum=0.9)
        s = make(o)
        for _ in range(6):
            o.step()
            s.step()
            found.append(o.param_groups[0]["lr"])
    return found
