# SPDX-License-Identifier: Apache-2.0
"""Optimisers, their hooks and averages, and resumed schedules."""

import torch
import torch.nn as nn
import copy
import warnings
import sys
import torch.optim.optimizer

torch.manual_seed(0)


def run(make, steps=4, shapes=((4, 3), (3,), (6, 4))):
    torch.manual_seed(1)
    ps = [torch.randn(s).requires_grad_() for s in shapes]
    ws = [torch.randn(s) for s in shapes]
    o = make(ps)
    for i in range(steps):
        o.zero_grad()
        loss = sum(((p * w).sin().sum() for p, w in zip(ps, ws)))
        loss.backward()
        o.step()
    return [round(float(p.double().sum()), 5) for p in ps]


optim = torch.optim
print(
    run(lambda p: optim.Adafactor(p, weight_decay=0.1)),
    run(lambda p: optim.Adafactor(p, lr=torch.tensor(0.1), maximize=True, eps=(1e-10, 0.01))),
)
for a in (None, "match_rms_adamw", "spectral_unclamped"):
    print(
        [
            round(v, 1)
            for v in run(
                lambda p: optim.Muon(p, lr=0.01, adjust_lr_fn=a, nesterov=a is None),
                shapes=((4, 3), (3, 4)),
            )
        ]
    )
for n in "Adam AdamW SGD RMSprop Adagrad Adadelta Adamax NAdam RAdam ASGD Rprop LBFGS".split():
    if n == "LBFGS":
        continue
    c = getattr(optim, n)
    print(n, run(lambda p: c(p, lr=torch.tensor(0.05))), run(lambda p: c(p, lr=0.05, foreach=True)))


def diff(n, **kw):
    torch.manual_seed(2)
    x = torch.randn(3).requires_grad_()
    w = torch.tensor([0.5, 2.0, 1.0]).requires_grad_()
    p = x.clone()
    p.retain_grad()
    o = getattr(optim, n)([p], differentiable=True, **kw)
    for i in range(3):
        loss = ((p.clone() * w) ** 2).sum()
        g = torch.autograd.grad(loss, [p], create_graph=True)[0]
        p.grad = g
        o.step()
    (p**2).sum().backward()
    return [round(v, 5) + 0.0 for v in x.grad.tolist() + w.grad.tolist()]


for n in "Adam AdamW SGD RMSprop Adagrad Adadelta NAdam RAdam ASGD".split():
    try:
        print(n, diff(n, lr=0.1, **{"momentum": 0.9} if n in ("SGD",) else {}))
    except Exception as e:
        print(n, type(e).__name__, str(e)[:150])
lr = torch.tensor(0.1, requires_grad=True)
for n in ("SGD", "Adam"):
    p = torch.ones(3).clone().requires_grad_()
    q = p.clone()
    q.retain_grad()
    q.grad = torch.ones(3) * 2
    o = getattr(optim, n)(
        [q], lr=lr, differentiable=True, **{} if n == "SGD" else {"capturable": False}
    )
    o.step()
    try:
        print(n, torch.autograd.grad(q.sum(), lr))
    except Exception as e:
        print(n, type(e).__name__, e)
log = []

OO = sys.modules["torch.optim.optimizer"]
h = OO.register_optimizer_step_pre_hook(lambda o, a, k: log.append("gpre"))
g = OO.register_optimizer_step_post_hook(lambda o, a, k: log.append("gpost"))


class Mine(optim.Optimizer):
    def __init__(self, p):
        super().__init__(p, {"lr": 1.0})

    @torch.no_grad()
    def step(self, closure=None):
        for gr in self.param_groups:
            for p in gr["params"]:
                p.add_(p.grad, alpha=-gr["lr"])


p = torch.ones(2, requires_grad=True)
p.grad = torch.ones(2)
m = Mine([p])
m.register_step_pre_hook(lambda o, a, k: log.append("pre"))
m.register_step_post_hook(lambda o, a, k: log.append("post"))
with warnings.catch_warnings(record=True) as W:
    warnings.simplefilter("always")
    sch = optim.lr_scheduler.StepLR(m, 1)
    m.step()
    sch.step()
    print(log, p, len(W), sch.get_last_lr())
h.remove()
g.remove()
m.register_state_dict_post_hook(lambda o, s: {**s, "extra": 1})
m.register_state_dict_pre_hook(lambda o: log.append("sd"))
m.register_load_state_dict_pre_hook(lambda o, s: log.append("ld"))
m.register_load_state_dict_post_hook(lambda o: log.append("ldp"))
sd = m.state_dict()
print(sorted(sd))
m.load_state_dict(sd)
print(log)
p = torch.ones(2, requires_grad=True)
lr = torch.tensor(0.1)
o = optim.SGD([p], lr=lr)
sch = optim.lr_scheduler.ExponentialLR(o, 0.5)
p.grad = torch.ones(2)
o.step()
sch.step()
print(lr, o.param_groups[0]["lr"] is lr, sch.get_last_lr(), o.param_groups[0]["initial_lr"])
U = optim.swa_utils
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
x = torch.randn(8, 3)
for kw in (
    {},
    {"multi_avg_fn": U.get_ema_multi_avg_fn(0.9)},
    {"avg_fn": U.get_ema_avg_fn(0.9)},
    {"avg_fn": U.get_swa_avg_fn()},
    {"use_buffers": True},
):
    n = copy.deepcopy(net)
    a = U.AveragedModel(n, **kw)
    o = optim.SGD(n.parameters(), lr=0.1)
    s = U.SWALR(o, swa_lr=0.01, anneal_epochs=3)
    rates = []
    for i in range(5):
        o.zero_grad()
        n(x).square().sum().backward()
        o.step()
        a.update_parameters(n)
        s.step()
        rates.append(round(s.get_last_lr()[0], 6))
    U.update_bn([x[:4], (x[4:], 1)], a)
    print(
        rates,
        int(a.n_averaged),
        round(float(a(x).sum()), 4),
        sorted(a.state_dict())[:2],
        [round(float(b.double().sum()), 4) for b in a.buffers()],
    )
s = U.SWALR(
    optim.SGD(n.parameters(), lr=0.1), swa_lr=[0.02], anneal_strategy="linear", anneal_epochs=0
)
print(s.get_last_lr())
for c, kw in (
    (optim.lr_scheduler.StepLR, {"step_size": 2}),
    (optim.lr_scheduler.ExponentialLR, {"gamma": 0.9}),
    (optim.lr_scheduler.CosineAnnealingLR, {"T_max": 10}),
    (optim.lr_scheduler.LinearLR, {}),
    (optim.lr_scheduler.PolynomialLR, {}),
    (optim.lr_scheduler.OneCycleLR, {"max_lr": 1.0, "total_steps": 20}),
    (optim.lr_scheduler.CosineAnnealingWarmRestarts, {"T_0": 3}),
    (optim.lr_scheduler.MultiStepLR, {"milestones": [2, 4]}),
    (optim.lr_scheduler.LambdaLR, {"lr_lambda": lambda e: 0.9**e}),
    (optim.lr_scheduler.ConstantLR, {}),
    (optim.lr_scheduler.CyclicLR, {"base_lr": 0.1, "max_lr": 1.0, "cycle_momentum": False}),
):
    p = torch.ones(1, requires_grad=True)
    o = optim.SGD([p], lr=0.1, momentum=0.9)
    s = c(o, **kw)
    for i in range(3):
        o.step()
        s.step()
    sd = o.state_dict()
    o2 = optim.SGD([p], lr=0.1, momentum=0.9)
    o2.load_state_dict(sd)
    s2 = c(o2, last_epoch=3 - 1 + 1, **kw)
    r = []
    for i in range(3):
        o2.step()
        s2.step()
        r.append(round(s2.get_last_lr()[0], 6))
    print(c.__name__, r, s2.last_epoch, s2.base_lrs)


def lb(**kw):
    p = torch.tensor([1.0, 2.0], requires_grad=True)
    o = optim.LBFGS([p], **kw)

    def c():
        o.zero_grad()
        loss = -(p**4).sum() + p.sum() if kw.get("maximize") else (p**4).sum() - p.sum()
        loss.backward()
        return loss

    for i in range(3):
        o.step(c)
    return p


print(lb(), lb(maximize=True), lb(maximize=True, line_search_fn="strong_wolfe"))
print(optim.Adam([p], differentiable=True, lr=0.1))
