# SPDX-License-Identifier: Apache-2.0
"""Gradients of custom operators: register_autograd, and autograd.Function behind an operator."""

import itertools
import os
from typing import List, Tuple
import pytest
from seed import sub, torch


_count = itertools.count()
_tag = os.path.basename(os.path.dirname(os.path.abspath(__file__)))


def ns():
    return "%s_grad_%d" % (_tag, next(_count))


def custom_op(*a, **k):
    return sub("library").custom_op(*a, **k)


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def square():
    """Makes x -> x * x a custom operator with a gradient, and a list that logs its calls."""
    calls = []

    @custom_op(ns() + "::square", mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        calls.append("forward")
        return x * x

    def setup(ctx, inputs, output):
        calls.append("setup")
        ctx.save_for_backward(inputs[0])

    def backward(ctx, g):
        calls.append("backward")
        return 2 * ctx.saved_tensors[0] * g

    f.register_autograd(backward, setup_context=setup)
    return f, calls


def test_result_requires_grad_and_has_a_grad_fn():
    f, _ = square()
    y = f(leaf(2.0))
    assert y.requires_grad and not y.is_leaf and y.grad_fn is not None


def test_setup_context_is_skipped_without_gradients():
    f, calls = square()
    x = leaf(2.0)
    with torch.no_grad():
        y = f(x)
    f(x.detach())
    assert calls == ["forward", "forward"] and not y.requires_grad


def test_double_backward_through_differentiable_formula():
    f, _ = square()
    x = leaf(3.0)
    (g,) = torch.autograd.grad(f(x).sum() * 1.0, x, create_graph=True)
    (gg,) = torch.autograd.grad((g * x).sum(), x)
    assert g.item() == 6.0 and gg.item() == 12.0


def test_gradcheck_of_a_custom_op():
    f, _ = square()
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(f, (x,)) is True


def test_backward_without_formula_names_the_operator():
    space = ns()

    @custom_op(space + "::bare", mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    y = f(leaf(1.0))
    assert y.requires_grad
    with pytest.raises(RuntimeError, match="bare"):
        y.sum().backward()


def test_setup_context_sees_filled_in_defaults():
    @custom_op(ns() + "::scale", mutates_args=())
    def f(x: torch.Tensor, k: float = 3.0, m: int = 2) -> torch.Tensor:
        return x * k * m

    seen = []

    def setup(ctx, inputs, output):
        seen.append(tuple(inputs[1:]))
        ctx.f = inputs[1] * inputs[2]

    f.register_autograd(lambda ctx, g: (g * ctx.f, None, None), setup_context=setup)
    x = leaf(1.0)
    f(x).sum().backward()
    assert seen == [(3.0, 2)] and x.grad.item() == 6.0


def test_wrong_shape_of_gradient_is_refused():
    @custom_op(ns() + "::twice", mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    f.register_autograd(lambda ctx, g: torch.ones(7, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="shape|size"):
        f(leaf(1.0, 2.0)).sum().backward()


def test_list_argument_gets_a_list_of_gradients():
    @custom_op(ns() + "::total", mutates_args=())
    def f(xs: List[torch.Tensor], k: float) -> torch.Tensor:
        return sum(xs[1:], xs[0]) * k

    def setup(ctx, inputs, output):
        ctx.k, ctx.n = inputs[1], len(inputs[0])

    f.register_autograd(
        lambda ctx, g: ([g * ctx.k * (i + 1) for i in range(ctx.n)], None), setup_context=setup
    )
    a, b = leaf(1.0), leaf(2.0)
    f([a, b], 10.0).sum().backward()
    assert (a.grad.item(), b.grad.item()) == (10.0, 20.0)


def test_list_argument_needs_input_grad_is_a_list():
    @custom_op(ns() + "::total", mutates_args=())
    def f(xs: List[torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        return xs[0] + xs[1] + y

    seen = []

    def backward(ctx, g):
        seen.append([list(ctx.needs_input_grad[0]), ctx.needs_input_grad[1]])
        return [None, g], None

    f.register_autograd(backward)
    b = leaf(1.0)
    f([torch.ones(1, dtype=torch.float64), b], torch.ones(1, dtype=torch.float64)).sum().backward()
    assert seen == [[[False, True], False]] and b.grad.item() == 1.0


def test_list_gradient_of_wrong_structure_is_refused():
    @custom_op(ns() + "::total", mutates_args=())
    def f(xs: List[torch.Tensor]) -> torch.Tensor:
        return xs[0] + xs[1]

    f.register_autograd(lambda ctx, g: [g])
    with pytest.raises(RuntimeError, match="structure"):
        f([leaf(1.0), leaf(1.0)]).sum().backward()


def test_several_results_give_several_incoming_gradients():
    @custom_op(ns() + "::sc", mutates_args=())
    def f(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        return x * 2, x * 3

    got = []

    def backward(ctx, ga, gb):
        got.append((ga.tolist(), gb.tolist()))
        return ga * 2 + gb * 3

    f.register_autograd(backward)
    x = leaf(1.0)
    a, b = f(x)
    b.sum().backward()
    assert got == [([0.0], [1.0])] and x.grad.item() == 3.0


def test_unused_result_is_none_when_grads_are_not_materialised():
    @custom_op(ns() + "::sc", mutates_args=())
    def f(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        return x * 2, x * 3

    got = []

    def backward(ctx, ga, gb):
        got.append((ga, gb is None))
        return gb * 3 if ga is None else ga * 2

    f.register_autograd(
        backward, setup_context=lambda ctx, inputs, output: ctx.set_materialize_grads(False)
    )
    x = leaf(1.0)
    f(x)[1].sum().backward()
    assert got == [(None, False)] and x.grad.item() == 3.0


def test_saved_tensors_are_freed_after_backward():
    f, _ = square()
    y = f(leaf(1.0)).sum()
    y.backward()
    with pytest.raises(RuntimeError):
        y.backward()


def test_registering_again_replaces_the_formula():
    f, _ = square()
    f.register_autograd(lambda ctx, g: g * 100)
    x = leaf(1.0)
    f(x).sum().backward()
    assert x.grad.item() == 100.0


def test_exception_in_setup_context_passes_unchanged():
    @custom_op(ns() + "::bad", mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def setup(ctx, inputs, output):
        raise KeyError("in setup")

    f.register_autograd(lambda ctx, g: g, setup_context=setup)
    with pytest.raises(KeyError, match="in setup"):
        f(leaf(1.0))


def test_formula_for_a_schema_only_operator():
    L, space = sub("library"), ns()
    L.define(space + "::triple", "(Tensor x) -> Tensor")
    L.impl(space + "::triple", "cpu", lambda x: x * 3)
    L.register_autograd(space + "::triple", lambda ctx, g: g * 3)
    x = leaf(1.0)
    getattr(torch.ops, space).triple(x).sum().backward()
    assert x.grad.item() == 3.0


def test_formula_needs_keyword_only_tensors_moved():
    L, space = sub("library"), ns()
    L.define(space + "::kw", "(Tensor x, *, Tensor y) -> Tensor")
    with pytest.raises(NotImplementedError, match="y"):
        L.register_autograd(space + "::kw", lambda ctx, g: g)


def test_backward_may_call_another_custom_op():
    f, calls = square()

    @custom_op(ns() + "::cube", mutates_args=())
    def cube(x: torch.Tensor) -> torch.Tensor:
        return x * x * x

    cube.register_autograd(
        lambda ctx, g: 3 * f(ctx.saved_tensors[0]) * g,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    x = leaf(2.0)
    (g,) = torch.autograd.grad(cube(x).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    assert (g.item(), gg.item()) == (12.0, 12.0)


def test_hooks_and_retained_grads_work_on_results():
    f, _ = square()
    x = leaf(3.0)
    y = f(x)
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    assert y.grad.item() == 10.0 and x.grad.item() == 60.0


def test_autograd_function_registered_at_the_autograd_key():
    lib = sub("library").Library(ns(), "DEF")
    lib.define("tw(Tensor x) -> Tensor")
    op = getattr(torch.ops, lib.ns).tw
    order = []

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            order.append("autograd")
            return x.detach() * 2

        @staticmethod
        def backward(ctx, g):
            return g * 50

    lib.impl("tw", lambda x: F.apply(x), "Autograd")
    lib.impl("tw", lambda x: x * 2, "CPU")
    x = leaf(1.0)
    y = op(x)
    y.sum().backward()
    assert order == ["autograd"] and y.item() == 2.0 and x.grad.item() == 50.0


def test_composite_operator_is_differentiated_through():
    lib = sub("library").Library(ns(), "DEF")
    lib.define("poly(Tensor x, float k=1) -> Tensor")
    lib.impl("poly", lambda x, k=1.0: x * x * k + x, "CompositeImplicitAutograd")
    x = leaf(3.0)
    getattr(torch.ops, lib.ns).poly(x, 2.0).sum().backward()
    assert x.grad.item() == 13.0
