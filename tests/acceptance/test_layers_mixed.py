# SPDX-License-Identifier: Apache-2.0
"""Several layers at once: transforms, modes, wrappers, autocast, fakes, operators."""

import gc
import itertools
import os
import weakref
import pytest
from seed import flat, make_fx, sub, torch


def fn(name):
    return getattr(sub("func"), name)


def T(*v):
    return torch.tensor(list(v), dtype=torch.float32)


def ac():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def fake_mode():
    if hasattr(torch, "FakeTensorMode"):
        return torch.FakeTensorMode()
    return sub("_subclasses.fake_tensor").FakeTensorMode()


pytestmark = pytest.mark.filterwarnings("ignore")
_n = itertools.count()


def new_op(schema, cpu):
    name = f"mixes{os.getpid()}::op{next(_n)}"
    torch.library.define(name, schema)
    torch.library.impl(name, "cpu")(cpu)
    ns, op = name.split("::")
    return name, getattr(getattr(torch.ops, ns), op)


def above(log, act=None):
    class Above(sub("overrides").TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append(getattr(func, "__name__", ""))
            return act(func, args, kwargs or {}) if act else func(*args, **(kwargs or {}))

    return Above()


class Box(torch.Tensor):
    """A wrapper tensor that records the operators it sees."""

    log = []

    @staticmethod
    def __new__(cls, inner, requires_grad=False):
        self = torch.Tensor._make_wrapper_subclass(
            cls,
            inner.size(),
            strides=inner.stride(),
            dtype=inner.dtype,
            device=inner.device,
            requires_grad=requires_grad,
        )
        self.inner = inner
        return self

    def __repr__(self):
        return "Box(...)"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        Box.log.append(str(func))

        def un(x):
            return x.inner if isinstance(x, Box) else x

        out = func(*[un(a) for a in args], **{k: un(v) for k, v in (kwargs or {}).items()})
        return cls(out) if isinstance(out, torch.Tensor) else out


def test_kernel_runs_outside_all_levels():
    """inside a kernel called under grad and vmap there is no level: rand and item work"""
    got = []
    _, op = new_op(
        "(Tensor x) -> Tensor",
        lambda q: (got.append((torch.rand(1).shape, q.sum().item(), q.requires_grad)), q.clone())[
            1
        ],
    )
    fn("vmap")(op)(T(1, 2))
    assert [g[1] for g in got] == [1, 2] and not any(g[2] for g in got)


def test_set_materialize_grads_under_grad():
    """set_materialize_grads(False) passes None for unused outputs under a transform too"""
    got = []

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(a):
            return a * 2, a * 3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.set_materialize_grads(False)

        @staticmethod
        def backward(ctx, g, h):
            got.append((g is None, h is None))
            return 2 * g

    assert fn("grad")(lambda a: Two.apply(a)[0].sum())(T(1)).tolist() == [2] and got == [
        (False, True)
    ]


def test_autograd_grad_inside_vmap():
    """autograd.grad of plain tensors works inside vmap's function"""
    w = T(2).requires_grad_()

    def f(r):
        (g,) = torch.autograd.grad((w * w).sum(), w)
        return g * r

    assert fn("vmap")(f)(T(1, 2, 3)).tolist() == [[4], [8], [12]]
    assert w.grad is None


def test_function_mode_inside_a_transform():
    """a function mode entered inside grad sees the calls and may change them"""
    log = []

    def f(a):
        with above(
            log, lambda g, args, kw: torch.cos(*args) if g is torch.Tensor.sin else g(*args, **kw)
        ):
            return a.sin().sum()

    out = fn("grad")(f)(T(0.5))
    assert log == ["sin", "sum"] and flat(out) == pytest.approx(flat(-T(0.5).sin()))


def test_duck_class_inside_vmap():
    """a class with __torch_function__ is called inside vmap and gets the mapped tensor"""
    got = []

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            got.append((func, tuple(args[0].shape)))
            return args[0] * 10

    out = fn("vmap")(lambda r: torch.add(r, Duck()))(torch.ones(3, 2))
    assert got == [(torch.add, (2,))] and out.tolist() == [[10, 10]] * 3


def test_autocast_over_wrappers():
    """autocast acts above wrappers: the handler sees the casts and the low precision product"""
    Box.log.clear()
    with ac():
        out = torch.mm(Box(torch.ones(2, 2)), Box(torch.ones(2, 2)))
    assert Box.log == ["aten._to_copy.default", "aten._to_copy.default", "aten.mm.default"]
    assert type(out) is Box and out.dtype == torch.bfloat16 and out.inner.dtype == torch.bfloat16


def test_autocast_over_fakes():
    """autocast casts fake tensors"""
    with fake_mode(), ac():
        a = torch.ones(2, 3)
        assert (a @ a.t()).dtype == torch.bfloat16
        assert torch.nn.functional.mse_loss(a, a).dtype == torch.float32


def test_custom_formula_on_fakes():
    """a custom operator with a fake and a gradient formula runs backward without its kernel"""
    runs = []
    name, op = new_op("(Tensor x) -> Tensor", lambda x: (runs.append(1), x * 2)[1])
    torch.library.register_fake(name)(lambda x: torch.empty_like(x))
    torch.library.register_autograd(name, lambda ctx, g: g * 2)
    with fake_mode():
        x = torch.ones(3, requires_grad=True)
        op(x).sum().backward()
        assert x.grad.shape == (3,) and runs == []


def test_ensemble_training_with_dropout():
    """vmap over models with dropout needs a randomness mode, and "different" differs per model"""
    m = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Dropout(0.5))
    params = {k: torch.stack([v.detach()] * 2) for k, v in m.named_parameters()}

    def run(p):
        return fn("functional_call")(m, p, (torch.ones(4),))

    with pytest.raises(RuntimeError):
        fn("vmap")(run)(params)
    out = fn("vmap")(run, randomness="different")(params)
    assert out.shape == (2, 64) and not torch.equal(out[0], out[1])
    same = fn("vmap")(run, randomness="same")(params)
    assert torch.equal(same[0], same[1])


def test_forward_hooks_under_vmap():
    """module hooks inside vmap see per-example tensors and may replace the output"""
    lin, shapes = torch.nn.Linear(3, 2), []
    lin.register_forward_hook(lambda m, i, o: (shapes.append(tuple(i[0].shape)), o * 0 + 1)[1])
    out = fn("vmap")(lin)(torch.ones(4, 3))
    assert shapes == [(3,)] and out.tolist() == [[1, 1]] * 4


def test_nothing_is_kept_alive_by_a_finished_transform():
    """after a transform its inputs and captured tensors can be freed"""
    x, c = T(1, 2), torch.ones(2)

    def run():
        big = torch.zeros(100)
        fn("vmap")(fn("grad")(lambda a: a * c[0] + big.sum()))(x)
        fn("jvp")(lambda a: a * big.sum(), (x,), (x,))
        return weakref.ref(big)

    ref = run()
    gc.collect()
    assert ref() is None


def test_default_dtype_mode_in_module_construction():
    """a function mode that changes factories acts while a module is built"""

    def act(f, a, k):
        return f(*a, **dict(k, dtype=torch.float64)) if f is torch.empty else f(*a, **k)

    with above([], act):
        lin = torch.nn.Linear(2, 1)
    assert lin.weight.dtype == torch.float64 and torch.nn.Linear(2, 1).weight.dtype == torch.float32


def test_no_grad_set_inside_a_transform_does_not_leak():
    """set_grad_enabled(False) inside f ends with the transform"""

    def f(a):
        torch.set_grad_enabled(False)
        return (a * 2).sum()

    try:
        fn("grad")(f)(T(1))
    finally:
        after = torch.is_grad_enabled()
        torch.set_grad_enabled(True)
    assert after


def names(g):
    return [str(n.target) for n in g.graph.nodes if n.op == "call_function"]


def test_function_in_a_trace_of_grad():
    """a custom Function under grad is traced into its backward's operators"""

    class Ten(torch.autograd.Function):
        @staticmethod
        def forward(a):
            return a.sin()

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g.exp()

    g = make_fx(fn("grad")(lambda a: Ten.apply(a).sum()))(T(1))
    assert "aten.exp.default" in names(g) and "aten.cos.default" not in names(g)
    assert torch.allclose(g(T(5)), T(1).exp())


def test_trace_of_a_training_step():
    """forward, backward through functional_call and a manual update traced as one graph"""
    m = torch.nn.Linear(2, 1, bias=False)

    def step(p, x):
        g = fn("grad")(lambda q: (fn("functional_call")(m, q, (x,)) ** 2).sum())(p)
        return {k: p[k] - 0.1 * g[k] for k in p}

    p, x = {"weight": torch.tensor([[1.0, 2.0]])}, torch.tensor([[1.0, 1.0]])
    out = make_fx(step)(p, x)(p, x)
    assert torch.allclose(out["weight"], torch.tensor([[0.4, 1.4]]))
