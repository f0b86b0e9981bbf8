# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: decorators, old-style functions, declared dtypes and layouts of gradients."""

import inspect
import warnings

import pytest
from seed import autograd, const, graph, leaf, near, sub, torch

# By name: a function that makes the context, and a condition that is true inside it.
CONTEXTS = {
    "no_grad": (lambda: torch.no_grad(), lambda: not torch.is_grad_enabled()),
    "enable_grad": (lambda: torch.enable_grad(), lambda: torch.is_grad_enabled()),
    "set_grad_enabled": (
        lambda: torch.set_grad_enabled(False),
        lambda: not torch.is_grad_enabled(),
    ),
    "inference_mode": (
        lambda: torch.inference_mode(),
        lambda: torch.is_inference_mode_enabled(),
    ),
    "autocast": (lambda: torch.autocast("cpu"), lambda: torch.is_autocast_enabled("cpu")),
    "dual_level": (lambda: autograd.forward_ad.dual_level(), lambda: True),
    "set_multithreading_enabled": (
        lambda: autograd.set_multithreading_enabled(False),
        lambda: not autograd.is_multithreading_enabled(),
    ),
    "enforce_grad_layout_policy": (
        lambda: autograd.enforce_grad_layout_policy(False),
        lambda: True,
    ),
    "disable_saved_tensors_hooks": (
        lambda: graph.disable_saved_tensors_hooks("refused"),
        lambda: True,
    ),
    "allow_mutation_on_saved_tensors": (
        lambda: graph.allow_mutation_on_saved_tensors(),
        lambda: True,
    ),
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_decorator_form_of_contexts(name):
    make, holds = CONTEXTS[name]

    @make()
    def f(a, *, b=2):
        """Doc."""
        return a, b, holds()

    before = torch.is_grad_enabled(), autograd.is_multithreading_enabled()
    assert f(1, b=3) == (1, 3, True)
    assert f(1) == (1, 2, True)
    assert (torch.is_grad_enabled(), autograd.is_multithreading_enabled()) == before
    assert f.__name__ == "f" and f.__doc__ == "Doc."
    assert str(inspect.signature(f)) == "(a, *, b=2)"


@pytest.mark.parametrize("reentrant", [False, True])
def test_decorator_form(reentrant):
    checkpoint = sub("utils.checkpoint").checkpoint
    calls = []

    @checkpoint(use_reentrant=reentrant)
    def f(x, k=2.0):
        """Doc."""
        calls.append(k)
        return (x * k).sin()

    x = leaf([1.0, 2.0])
    y = f(x)
    assert calls == [2.0]
    y.sum().backward()
    assert calls == [2.0, 2.0]
    near(x.grad, 2 * (2 * x.detach()).cos())
    y = f(x, 3.0)
    near(y, (3 * x.detach()).sin())


def test_decorator_form_takes_options_and_keywords():
    checkpoint = sub("utils.checkpoint").checkpoint
    contexts = []

    def context_fn():
        contexts.append(1)
        return torch.enable_grad(), torch.enable_grad()

    decorate = checkpoint(use_reentrant=False, context_fn=context_fn, preserve_rng_state=False)
    f = decorate(lambda x, k=2.0: (x * k).exp())
    g = decorate(lambda x: x.exp())
    x = leaf([1.0])
    near(f(x, k=3.0), (3 * x.detach()).exp())
    near(g(x), x.detach().exp())
    assert contexts == [1, 1]
    with pytest.raises((TypeError, ValueError)):
        checkpoint(use_reentrant=False, unknown=1)(lambda x: x)(x)


def test_decorator_form_of_a_method():
    checkpoint = sub("utils.checkpoint").checkpoint

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(2, 2)

        def forward(self, x):
            return checkpoint(use_reentrant=False)(self.inner)(x).relu()

    layer = Layer()
    layer(torch.ones(1, 2)).sum().backward()
    assert layer.inner.weight.grad is not None


# ---------------------------------------------------------------- instances of functions


class Twice(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Old(autograd.Function):
    def forward(self, x):
        return x * 2

    def backward(self, g):
        return g * 2


def test_instance_call_of_old_style_is_refused():
    x = leaf([1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for cls in (Old, Twice, autograd.Function):
            instance = cls()
            with pytest.raises(RuntimeError):
                instance(x)
            with pytest.raises(RuntimeError):
                cls()(x)
        with pytest.raises(RuntimeError):
            Twice(3)(x)
        near(Twice().apply(x), [2.0])
    near(Twice.apply(x), [2.0])


def test_instance_of_a_function_warns():
    with pytest.warns(DeprecationWarning):
        Twice()


# ---------------------------------------------------------------- dtypes of gradients


def declaring(*dtypes, outputs=1, integer=False):
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_output_grad_dtype(*dtypes)
            if outputs == 1:
                return x * 2
            others = (x.long(),) if integer else tuple(x * k for k in range(3, 2 + outputs))
            return (x * 2, *others)

        @staticmethod
        def backward(ctx, *grads):
            seen.append([None if g is None else g.dtype for g in grads])
            return grads[0].to(torch.float32) * 2

    return F, seen


@pytest.mark.parametrize("declared", ["float64", "float16", "bfloat16", "float32"])
def test_declared_gradient_dtype_of_output(declared):
    declared = getattr(torch, declared)
    F, seen = declaring(declared)
    x = torch.ones(2, requires_grad=True)
    F.apply(x).backward(torch.ones(2, dtype=torch.float32))
    (F.apply(x) * 3).sum().backward()
    autograd.grad(F.apply(x).to(torch.float64).sum(), x)
    assert seen == [[declared]] * 3
    assert x.grad.dtype == torch.float32
    near(x.grad, [8.0, 8.0])


def test_declared_gradient_dtype_none_passes_the_gradient_unchanged():
    F, seen = declaring(None)
    x = torch.ones(2, requires_grad=True)
    y = F.apply(x)
    y.backward(torch.ones(2, dtype=torch.float64))
    F.apply(x).sum().backward()
    assert seen == [[torch.float64], [torch.float32]]


def test_declared_gradient_dtype_of_several_outputs():
    F, seen = declaring(torch.float64, torch.float32, outputs=2)
    x = torch.ones(2, requires_grad=True)
    a, b = F.apply(x)
    (a + b).sum().backward()
    a, b = F.apply(x)
    a.sum().backward()
    assert seen == [[torch.float64, torch.float32]] * 2
    F, seen = declaring(torch.float64, None, outputs=2, integer=True)
    a, b = F.apply(x)
    a.sum().backward()
    assert seen[0][0] == torch.float64


def test_declared_gradient_dtype_refusals():
    x = torch.ones(2, requires_grad=True)
    for dtypes in ((), (torch.float64, torch.float64)):
        F, _ = declaring(*dtypes)
        with pytest.raises((RuntimeError, ValueError)):
            F.apply(x)
    F, _ = declaring(torch.float64, torch.float64, outputs=2, integer=True)
    with pytest.raises((RuntimeError, ValueError)):
        F.apply(x)

    class Again(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_output_grad_dtype(torch.float64)
            ctx.set_output_grad_dtype(torch.float64)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(RuntimeError):
        Again.apply(x)


def test_declared_gradient_dtype_in_setup_context():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.set_output_grad_dtype(torch.float64)

        @staticmethod
        def backward(ctx, g):
            seen.append(g.dtype)
            return g * 2

    x = torch.ones(2, requires_grad=True)
    F.apply(x).sum().backward()
    assert seen == [torch.float64]
    near(x.grad, [2.0, 2.0])


def test_gradient_dtype_of_a_result_cannot_be_assigned():
    y = torch.ones(2, requires_grad=True) * 2
    assert y.grad_dtype == torch.float32
    with pytest.raises(RuntimeError):
        y.grad_dtype = torch.float64


def test_context_of_a_function_can_be_listed_in_forward():
    names = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            names.extend(dir(ctx))
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

    F.apply(leaf([1.0]))
    assert {"save_for_backward", "set_output_grad_dtype", "needs_input_grad"} <= set(names)


# ---------------------------------------------------------------- layout of gradients


@pytest.mark.parametrize("enable", [False, True])
def test_gradient_layout_policy_is_a_context_that_never_changes_values(enable):
    policy = autograd.enforce_grad_layout_policy
    weights = const([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def gradient(x):
        (x * weights.t()).sum().backward()
        (x * x).sum().backward()
        return x.grad

    plain = gradient(leaf([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    x = leaf([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]).detach().t().requires_grad_()
    with policy(enable):
        near(gradient(x), plain)
    x.grad = None

    @policy(enable)
    def decorated():
        return gradient(x)

    near(decorated(), plain)
    guard = policy(enable)
    try:
        x.grad = None
        near(gradient(x), plain)
    finally:
        with guard:
            pass
    with pytest.raises(ZeroDivisionError):
        with policy(enable):
            raise ZeroDivisionError
