# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: custom Function in the setup_context style, with jvp and vmap rules."""

import pytest
from seed import Lazy, autograd, const, leaf, near, sub, torch


fwad = Lazy("autograd.forward_ad")


def scaled_product(seen=None):
    class ScaledProduct(autograd.Function):
        @staticmethod
        def forward(x, y, k):
            return x * y * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, y, ctx.k = inputs
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(x, y)

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y * ctx.k, g * x * ctx.k, None

        @staticmethod
        def jvp(ctx, x_t, y_t, k_t):
            if seen is not None:
                seen.append((x_t, y_t, k_t))
            x, y = ctx.saved_tensors
            return ctx.k * (x_t * y + x * y_t)

    return ScaledProduct


# ---------------------------------------------------------------- setup_context


def test_separate_forward_gets_no_ctx():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(*args):
            seen.append(len(args))
            return args[0] * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append((type(inputs), len(inputs), output.tolist()))

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    F.apply(leaf([3.0]), "extra").backward()
    assert seen == [2, (tuple, 2, [6.0])]


def test_separate_style_gradients():
    x, y = leaf([2.0]), leaf([5.0])
    scaled_product().apply(x, y, 3).backward()
    near(x.grad, [15.0])
    near(y.grad, [6.0])


def test_inputs_of_setup_context_are_the_callers_objects_and_defaults_are_filled_in():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(x, k=3):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append(inputs)

        @staticmethod
        def backward(ctx, g):
            return g, None

    x = leaf([1.0])
    F.apply(x)
    assert seen[0][0] is x and seen[0][1] == 3


def test_separate_style_may_mark_dirty():
    class F(autograd.Function):
        @staticmethod
        def forward(x):
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf([3.0])
    h = x * 1
    assert F.apply(h) is h
    h.backward()
    near(x.grad, [2.0])


# ---------------------------------------------------------------- jvp


def test_jvp_rule_is_used_in_forward_mode():
    seen = []
    with fwad.dual_level():
        x = fwad.make_dual(const([2.0]), const([1.0]))
        out = scaled_product(seen).apply(x, const([5.0]), 3)
        primal, tangent = fwad.unpack_dual(out)
    near(primal, [30.0])
    near(tangent, [15.0])
    x_t, y_t, k_t = seen[0]
    assert x_t.tolist() == [1.0] and y_t.tolist() == [0.0] and k_t is None


def test_function_without_jvp_is_refused_in_forward_mode():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with fwad.dual_level():
        with pytest.raises(NotImplementedError, match="jvp"):
            F.apply(fwad.make_dual(const([2.0]), const([1.0])))
        F.apply(const([2.0]))


# ---- function transforms over a Function


def test_func_grad_and_jacobians_over_a_function():
    func = sub("func")

    def f(x):
        return scaled_product().apply(x, x, 2)

    x = const([1.0, 3.0])
    near(func.grad(lambda t: f(t).sum())(x), [4.0, 12.0])
    near(func.jacrev(f)(x), [[4.0, 0.0], [0.0, 12.0]])
    near(func.jvp(f, (x,), (const([1.0, 10.0]),))[1], [4.0, 120.0])


def test_func_grad_twice_over_a_function():
    func = sub("func")

    def f(x):
        return scaled_product().apply(x, x, 2) * x

    near(func.grad(func.grad(f))(const(3.0)), 36.0)


def test_combined_style_is_refused_under_function_transforms():
    class Combined(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with pytest.raises(RuntimeError, match="setup_context"):
        sub("func").grad(lambda x: Combined.apply(x).sum())(const([1.0]))
    with pytest.raises(RuntimeError, match="setup_context"):
        torch.vmap(Combined.apply)(const([1.0]))


def product_with_vmap(seen):
    class Product(autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x

        @staticmethod
        def vmap(info, in_dims, x, y):
            seen.append((info.batch_size, info.randomness, in_dims, tuple(x.shape), tuple(y.shape)))
            x = x if in_dims[0] is None else x.transpose(in_dims[0], 0)
            y = y if in_dims[1] is None else y.transpose(in_dims[1], 0)
            return x * y, 0

    return Product


def test_vmap_rule_gets_batched_tensors_and_dims():
    seen = []
    P = product_with_vmap(seen)
    out = torch.vmap(P.apply, in_dims=(0, None))(
        const([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), const([10.0, 100.0])
    )
    near(out, [[10.0, 200.0], [30.0, 400.0], [50.0, 600.0]])
    assert seen == [(3, "error", (0, None), (3, 2), (2,))]


def test_vmap_rule_of_innermost_level_sees_outer_batch_hidden():
    seen = []
    P = product_with_vmap(seen)
    x = const([[1.0, 2.0], [3.0, 4.0]])
    out = torch.vmap(torch.vmap(P.apply), in_dims=(0, 0))(x, x)
    near(out, [[1.0, 4.0], [9.0, 16.0]])
    assert seen == [(2, "error", (0, 0), (2,), (2,))]


def test_function_without_vmap_rule_is_refused_under_vmap():
    assert torch.vmap(lambda x: x * x * 2)(const([1.0, 2.0])).tolist() == [2.0, 8.0]
    with pytest.raises(RuntimeError, match="vmap"):
        torch.vmap(lambda x: scaled_product().apply(x, x, 2))(const([1.0, 2.0]))


def generated():
    class Cube(autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * x * x, 3 * x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_non_differentiable(output[1])
            ctx.save_for_backward(inputs[0], output[1])

        @staticmethod
        def backward(ctx, g, _):
            x, slope = ctx.saved_tensors
            return g * slope

    return Cube


def test_generated_and_own_vmap_rule_together_are_refused():
    class Both(generated()):
        @staticmethod
        def vmap(info, in_dims, x):
            return x, 0

    with pytest.raises(RuntimeError, match="generate_vmap_rule"):
        torch.vmap(Both.apply)(const([1.0, 2.0]))


def test_batched_gradients_run_backward_once():
    calls = []

    class F(autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            calls.append(tuple(g.shape))
            return 2 * ctx.saved_tensors[0] * g

    x = leaf([1.0, 2.0, 3.0])
    (rows,) = autograd.grad(F.apply(x), x, torch.eye(3, dtype=torch.float64), is_grads_batched=True)
    near(rows, [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]])
    assert calls == [(3,)]
