# SPDX-License-Identifier: Apache-2.0
"""Optimizers and schedules: compared with PyTorch if installed, saved and loaded, bad options."""

from __future__ import annotations

import math
import os

import pytest
import tenon
from tenon import nn, optim
from tenon.nn.utils import clip_grad_norm_, clip_grad_value_
from tenon.optim import lr_scheduler

GRADS = [[1.0, -2.0, 0.5], [0.25, 3.0, -1.0], [-1.5, 0.0, 2.0], [0.5, 0.5, 0.5]]
OPTIMISERS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.8, "nesterov": True, "maximize": True}),
    ("Adam", {"lr": 0.05}),
    ("Adam", {"lr": 0.05, "betas": (0.5, 0.9), "weight_decay": 0.2, "amsgrad": True}),
    ("Adam", {"lr": 0.05, "maximize": True, "eps": 1e-3}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0.3}),
    ("AdamW", {"lr": 0.05, "capturable": True, "amsgrad": True}),
    *(
        (name, {**options, kind: True})
        for kind in ("foreach", "fused")
        for name, options in [
            ("SGD", {"lr": 0.1}),
            ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
            ("SGD", {"lr": 0.1, "momentum": 0.8, "nesterov": True, "maximize": True}),
            ("Adam", {"lr": 0.05, "betas": (0.5, 0.9), "weight_decay": 0.2, "amsgrad": True}),
            ("Adam", {"lr": 0.05, "maximize": True, "eps": 1e-3}),
            ("AdamW", {"lr": 0.05, "weight_decay": 0.3}),
        ]
    ),
]
SCHEDULES = [
    ("StepLR", {"step_size": 2, "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [1, 4], "gamma": 0.1}),
    ("ConstantLR", {"factor": 0.25, "total_iters": 3}),
    ("LinearLR", {"start_factor": 0.5, "end_factor": 0.75, "total_iters": 4}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("CosineAnnealingLR", {"T_max": 5, "eta_min": 0.1}),
    ("LambdaLR", {"lr_lambda": lambda epoch: 1 / (1 + epoch)}),
]


def parameter(m=tenon):
    return m.nn.Parameter(m.tensor([1.0, 2.0, -3.0], dtype=m.float64))


def steps(m, optimizer, one, grads=GRADS):
    """Returns the parameter after each step."""
    found = []
    for grad in grads:
        one.grad = m.tensor(grad, dtype=m.float64)
        optimizer.step()
        found.append(one.tolist())
    return found


def rates(m, optimizer, schedule, count=8):
    found = []
    for _ in range(count):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return found


@pytest.fixture
def torch():
    if os.environ.get("TENON_WITH_TORCH") != "1":
        pytest.skip("PyTorch was not asked for (--with-torch)")
    return pytest.importorskip("torch")


@pytest.mark.parametrize(("name", "options"), OPTIMISERS)
def test_steps_are_those_of_pytorch(torch, name, options):
    ours, theirs = parameter(), parameter(torch)
    got = steps(tenon, getattr(optim, name)([ours], **options), ours)
    want = steps(torch, getattr(torch.optim, name)([theirs], **options), theirs)
    for one, other in zip(got, want):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("name", "options"), SCHEDULES)
def test_rates_are_those_of_pytorch(torch, name, options):
    ours = optim.SGD([parameter()], lr=0.5)
    theirs = torch.optim.SGD([parameter(torch)], lr=0.5)
    got = rates(tenon, ours, getattr(lr_scheduler, name)(ours, **options))
    want = rates(torch, theirs, getattr(torch.optim.lr_scheduler, name)(theirs, **options))
    assert got == pytest.approx(want)


def test_sgd_and_adamw_follow_their_formulas():
    one = parameter()
    got = steps(tenon, optim.SGD([one], lr=0.5, momentum=0.5), one, [[1.0, 0, 0], [1.0, 0, 0]])
    assert [x[0] for x in got] == [0.5, 0.5 - 0.5 * 1.5]
    one = parameter()
    (got,) = steps(tenon, optim.AdamW([one], lr=0.1, weight_decay=0.5, eps=0.0), one, GRADS[:1])
    assert got[0] == pytest.approx(1.0 * (1 - 0.05) - 0.1)  # the first step has size lr


@pytest.mark.parametrize("options", [{}, {"amsgrad": True}, {"weight_decay": 0.3}])
def test_capturable_steps_are_those_of_numbers(options):
    one, other = parameter(), parameter()
    want = steps(tenon, optim.AdamW([one], lr=0.05, **options), one)
    got = steps(tenon, optim.AdamW([other], lr=0.05, capturable=True, **options), other)
    assert [x for each in got for x in each] == pytest.approx(
        [x for each in want for x in each], rel=1e-6
    )  # the step count is a float32


@pytest.mark.parametrize(("name", "options"), OPTIMISERS)
def test_steps_on_fakes(name, options):
    with tenon.FakeTensorMode():
        one = parameter()
        optimizer = getattr(optim, name)([one], **options)
        for _ in range(2):
            (one * 2).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    held = [one, *(x for x in optimizer.state[one].values() if isinstance(x, tenon.Tensor))]
    assert all(isinstance(x, tenon.fake.FakeTensor) for x in held)
    assert all(x.shape in ((3,), ()) for x in held) and len(held) == 1 + len(optimizer.state[one])


@pytest.mark.parametrize(("name", "options"), OPTIMISERS)
def test_training_continues_from_a_state_dict(name, options):
    one, other = parameter(), parameter()
    first = getattr(optim, name)([one], **options)
    steps(tenon, first, one, GRADS[:2])
    second = getattr(optim, name)([other], lr=9.0)
    second.load_state_dict(first.state_dict())
    with tenon.no_grad():
        other.copy_(one)
    assert steps(tenon, second, other, GRADS[2:]) == steps(tenon, first, one, GRADS[2:])


@pytest.mark.parametrize(("name", "options"), SCHEDULES)
def test_a_schedule_continues_from_a_state_dict(name, options):
    whole = optim.SGD([parameter()], lr=0.5)
    want = rates(tenon, whole, getattr(lr_scheduler, name)(whole, **options), 6)
    halves = optim.SGD([parameter()], lr=0.5)
    schedule = getattr(lr_scheduler, name)(halves, **options)
    got = rates(tenon, halves, schedule, 3)
    later = optim.SGD([parameter()], lr=0.5)
    later.load_state_dict(halves.state_dict())
    another = getattr(lr_scheduler, name)(later, **options)
    another.load_state_dict(schedule.state_dict())
    later.param_groups[0]["lr"] = schedule.get_last_lr()[0]
    assert got + rates(tenon, later, another, 3) == pytest.approx(want)


def test_a_net_learns_with_groups_hooks_and_a_closure():
    tenon.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    x = tenon.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = tenon.tensor([[0.0], [1.0], [1.0], [0.0]])
    groups = [{"params": net[0].parameters(), "lr": 0.05}, {"params": net[2].parameters()}]
    optimizer = optim.Adam(groups, lr=0.02)
    seen = []
    before = optimizer.register_step_pre_hook(lambda *args: seen.append("before"))
    optimizer.register_step_post_hook(lambda *args: seen.append("after"))

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        clip_grad_norm_(net.parameters(), 5.0)
        return loss

    losses = [optimizer.step(closure).item() for _ in range(300)]
    assert losses[0] > 0.1 and losses[-1] < 0.01
    assert seen[:2] == ["before", "after"]
    before.remove()
    seen.clear()
    optimizer.step(closure)
    assert seen == ["after"]


def test_reduce_on_plateau_of_a_growing_metric():
    optimizer = optim.SGD([parameter()], lr=1.0)
    schedule = lr_scheduler.ReduceLROnPlateau(
        optimizer, mode="max", factor=0.5, patience=0, threshold=0.1, threshold_mode="abs",
        cooldown=1, min_lr=0.2,
    )  # fmt: skip
    found = []
    for metric in (1.0, 1.05, 1.05, 1.05, 1.05, 1.05, tenon.tensor(9.0)):
        schedule.step(metric)
        found.append(schedule.get_last_lr()[0])
    assert found == [1.0, 0.5, 0.5, 0.25, 0.25, 0.2, 0.2]


def test_zero_grad_and_clipping_by_value():
    one = parameter()
    one.grad = tenon.tensor([3.0, -4.0, math.inf], dtype=tenon.float64)
    clip_grad_value_([one], 2.0)
    assert one.grad.tolist() == [2.0, -2.0, 2.0]
    optimizer = optim.SGD([one], lr=1.0)
    optimizer.zero_grad(set_to_none=False)
    assert one.grad.tolist() == [0.0] * 3
    optimizer.zero_grad()
    assert one.grad is None


def test_a_schedule_before_the_first_step_warns():
    optimizer = optim.SGD([parameter()], lr=1.0)
    schedule = lr_scheduler.ExponentialLR(optimizer, 0.5)
    with pytest.warns(
        UserWarning, match="ExponentialLR: optimizer.step must be called before step"
    ):
        schedule.step()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: optim.SGD([], lr=1.0), "SGD: params must hold a parameter"),
        (lambda: optim.SGD(parameter()), "SGD: params must be an iterable"),
        (lambda: optim.SGD([1.0]), "SGD: params must hold Tensors, got float"),
        (lambda: optim.SGD([parameter()], lr="fast"), "SGD: lr must be a number"),
        (lambda: optim.SGD([parameter()], nesterov=True), "SGD: nesterov must come with"),
        (lambda: optim.SGD([parameter() * 2]), "SGD: parameters must be leaves, got one made by"),
        (lambda: optim.SGD([(one := parameter()), one]), "SGD: a parameter must be given once"),
        (lambda: optim.Adam([parameter()], betas=(1.0, 0.5)), "Adam: betas must be"),
        (lambda: optim.AdamW([parameter()], eps=math.nan), "AdamW: eps must be a number"),
        (lambda: optim.Optimizer([parameter()], {}).step(), "Optimizer must define update"),
        (lambda: lr_scheduler.StepLR(1, 2), "StepLR: optimizer must be an Optimizer, got int"),
        (
            lambda: lr_scheduler.StepLR(optim.SGD([parameter()]), 2, last_epoch=3),
            "StepLR: group 0 must have initial_lr",
        ),
        (
            lambda: lr_scheduler.LambdaLR(optim.SGD([parameter()]), [abs, abs]),
            "LambdaLR: lr_lambda must have one function for each of 1 groups, got 2",
        ),
        (
            lambda: lr_scheduler.ReduceLROnPlateau(optim.SGD([parameter()]), mode="up"),
            "ReduceLROnPlateau: mode must be min or max, got 'up'",
        ),
    ],
)
def test_bad_options(make, message):
    with pytest.raises((ValueError, TypeError, NotImplementedError)) as refused:
        make()
    assert message in str(refused.value)


def test_a_state_dict_of_another_shape():
    other = optim.SGD([parameter(), parameter()])
    with pytest.raises(ValueError, match=r"SGD: state_dict must have groups of \[1\]"):
        optim.SGD([parameter()]).load_state_dict(other.state_dict())


@pytest.mark.parametrize("kind", ["foreach", "fused"])
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_steps_of_all_at_once_are_those_one_by_one(name, kind):
    found = []
    for options in ({}, {kind: True}):
        parameters = [
            nn.Parameter(tenon.ones(2, 3)),
            nn.Parameter(tenon.full((3, 2), 2.0).t()),
            nn.Parameter(tenon.ones(6)[::2].clone()),
            nn.Parameter(tenon.zeros(0)),
            nn.Parameter(tenon.ones(1)),  # has no gradient
        ]
        more = {"momentum": 0.9} if name == "SGD" else {"amsgrad": True}
        optimizer = getattr(optim, name)(parameters, lr=0.1, weight_decay=0.1, **more, **options)
        for step in range(3):
            for one in parameters[:-1]:
                one.grad = tenon.full(one.shape, 0.5 + step)
            optimizer.step()
        found.append(parameters)
    for mine, theirs in zip(*found, strict=True):
        assert tenon.allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def test_both_ways_at_once_are_refused():
    with pytest.raises(tenon.InvalidArgumentError, match="foreach and fused"):
        optim.Adam([parameter()], foreach=True, fused=True)


def test_fused_steps_count_as_writes():
    one = parameter()
    before = one._version
    one.grad = tenon.ones(3, dtype=tenon.float64)
    optim.Adam([one], fused=True).step()
    assert one._version > before
