# SPDX-License-Identifier: Apache-2.0
"""Optimizers compared with their formulas, schedules, clipping, saving and loading."""

from seed import sub, torch
import math
import pytest


@pytest.fixture
def optim():
    return sub("optim")


@pytest.fixture
def sched():
    sub("optim")
    return sub("optim.lr_scheduler")


def param(v=1.0, grad=None):
    p = sub("nn").Parameter(torch.tensor([v], dtype=torch.float64))
    if grad is not None:
        p.grad = torch.tensor([grad], dtype=torch.float64)
    return p


def run(opt, p, grads):
    """Applies one step per gradient and returns the parameter after each."""
    out = []
    for g in grads:
        p.grad = torch.tensor([g], dtype=torch.float64)
        opt.step()
        out.append(p.item())
    return out


def near(a, b, tol=1e-9):
    assert len(a) == len(b) and all(abs(x - y) <= tol for x, y in zip(a, b)), (a, b)


def test_sgd_momentum_dampening_and_nesterov(optim):
    grads = [1.0, 0.5, -1.0]

    def expect(m, d, nesterov):
        p, buf, out = 1.0, None, []
        for g in grads:
            buf = g if buf is None else m * buf + (1 - d) * g
            p -= 0.1 * (g + m * buf if nesterov else buf)
            out.append(p)
        return out

    for m, d, n in ((0.9, 0.0, False), (0.9, 0.5, False), (0.8, 0.0, True)):
        p = param()
        near(
            run(optim.SGD([p], lr=0.1, momentum=m, dampening=d, nesterov=n), p, grads),
            expect(m, d, n),
        )


def test_sgd_weight_decay_and_maximize(optim):
    p = param(2.0)
    near(run(optim.SGD([p], lr=0.1, weight_decay=0.5), p, [1.0]), [2.0 - 0.1 * (1.0 + 1.0)])
    q = param(2.0)
    near(run(optim.SGD([q], lr=0.1, maximize=True), q, [1.0]), [2.1])


def adam(grads, lr=0.1, b1=0.9, b2=0.999, eps=1e-8, wd=0.0, decoupled=False, p=1.0):
    m = v = 0.0
    out = []
    for t, g in enumerate(grads, 1):
        if decoupled:
            p *= 1 - lr * wd
        else:
            g = g + wd * p
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        p -= lr * (m / (1 - b1**t)) / (math.sqrt(v / (1 - b2**t)) + eps)
        out.append(p)
    return out


def test_adam_follows_its_formula(optim):
    grads = [1.0, -0.5, 3.0, 0.25]
    p = param()
    near(run(optim.Adam([p], lr=0.1), p, grads), adam(grads))
    p = param()
    near(
        run(optim.Adam([p], lr=0.1, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.1), p, grads),
        adam(grads, b1=0.5, b2=0.9, eps=1e-3, wd=0.1),
    )


def test_parameters_without_gradient_are_skipped(optim):
    p, q = param(1.0, 1.0), param(2.0)
    opt = optim.Adam([p, q], lr=0.1)
    opt.step()
    assert q.item() == 2.0 and q not in opt.state and p in opt.state


def test_add_param_group_and_duplicates(optim):
    p, q = param(), param()
    opt = optim.SGD([p], lr=0.1)
    opt.add_param_group({"params": q, "lr": 0.5})
    assert len(opt.param_groups) == 2 and opt.param_groups[1]["lr"] == 0.5
    with pytest.raises(ValueError):
        opt.add_param_group({"params": [p]})


def test_bad_arguments(optim):
    with pytest.raises(ValueError):
        optim.SGD([], lr=0.1)
    with pytest.raises(ValueError, match="lr|learning rate"):
        optim.SGD([param()], lr=-1.0)
    with pytest.raises(TypeError):
        optim.SGD(param(), lr=0.1)
    with pytest.raises(ValueError):
        optim.SGD([param() * 2], lr=0.1)
    with pytest.raises(ValueError):
        optim.Adam([param()], betas=(1.5, 0.9))


def test_named_parameters_are_accepted(optim):
    m = sub("nn").Linear(1, 1)
    opt = optim.SGD(m.named_parameters(), lr=0.1)
    assert len(opt.param_groups[0]["params"]) == 2 and opt.param_groups[0]["param_names"] == [
        "weight",
        "bias",
    ]


def test_state_dict_uses_indices_not_tensors(optim):
    p, q = param(1.0, 1.0), param(1.0, 1.0)
    opt = optim.SGD([p, q], lr=0.1, momentum=0.9)
    opt.step()
    sd = opt.state_dict()
    assert sd["param_groups"][0]["params"] == [0, 1] and sorted(sd["state"]) == [0, 1]
    assert sd["state"][0]["momentum_buffer"].item() == 1.0


def test_repr_shows_options(optim):
    text = repr(optim.SGD([param()], lr=0.25))
    assert text.startswith("SGD") and "lr: 0.25" in text


def rates(optim, make, n, lr=1.0):
    opt = optim.SGD([param(1.0, 0.0)], lr=lr)
    s, out = make(opt), []
    for _ in range(n):
        out.append(opt.param_groups[0]["lr"])
        opt.step()
        s.step()
    return out


def test_multi_step_lr(optim, sched):
    near(
        rates(optim, lambda o: sched.MultiStepLR(o, [1, 3], gamma=0.5), 5),
        [1.0, 0.5, 0.5, 0.25, 0.25],
    )


def test_exponential_lr(optim, sched):
    near(rates(optim, lambda o: sched.ExponentialLR(o, 0.5), 4), [1.0, 0.5, 0.25, 0.125])


def test_reduce_on_plateau(optim, sched):
    opt = optim.SGD([param()], lr=1.0)
    s = sched.ReduceLROnPlateau(opt, factor=0.1, patience=1)
    out = []
    for metric in (5.0, 5.0, 5.0, 5.0, 1.0, 1.0, 1.0):
        s.step(metric)
        out.append(opt.param_groups[0]["lr"])
    near(out, [1.0, 1.0, 0.1, 0.1, 0.1, 0.1, 0.01])


def test_clip_grad_norm_leaves_small_gradients(optim):
    p = param(1.0, 0.5)
    assert sub("nn.utils").clip_grad_norm_(p, 1.0).item() == 0.5 and p.grad.item() == 0.5


def test_clip_grad_norm_of_infinity_order_and_non_finite(optim):
    utils = sub("nn.utils")
    p, q = param(1.0, 3.0), param(1.0, -4.0)
    assert utils.clip_grad_norm_([p, q], 2.0, norm_type=math.inf).item() == 4.0
    near([p.grad.item(), q.grad.item()], [1.5, -2.0], 1e-5)
    with pytest.raises(RuntimeError, match="non-finite"):
        utils.clip_grad_norm_([param(1.0, math.nan)], 1.0, error_if_nonfinite=True)


def test_save_and_load_keeps_sharing_dtype_and_strides(tmp_path):
    base = torch.arange(6, dtype=torch.int16).reshape(2, 3)
    path = str(tmp_path / "x.pt")
    torch.save({"t": base.t(), "row": base[1], "n": 3, "s": ["a", None]}, path)
    got = torch.load(path)
    assert (
        got["t"].stride() == (1, 3)
        and got["t"].dtype is torch.int16
        and got["n"] == 3
        and got["s"] == ["a", None]
    )
    got["row"][0] = 77
    assert got["t"][0, 1].item() == 77


def test_load_refuses_arbitrary_objects_by_default(tmp_path):
    class Odd:
        pass

    globals()["Odd"] = Odd
    Odd.__qualname__ = "Odd"
    path = str(tmp_path / "x.pt")
    torch.save(Odd(), path)
    with pytest.raises(Exception, match="(?i)weights"):
        torch.load(path)
    assert isinstance(torch.load(path, weights_only=False), Odd)


def test_load_onto_meta(tmp_path):
    path = str(tmp_path / "x.pt")
    torch.save(torch.ones(3), path)
    got = torch.load(path, map_location="meta")
    assert got.device.type == "meta" and tuple(got.shape) == (3,)
