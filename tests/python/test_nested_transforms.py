# SPDX-License-Identifier: Apache-2.0
"""Applies every pair of transforms, nested in both orders, to x -> square(x) * x.

The square is an operator, a custom function or a custom operator. The custom ones define their
derivative as 3x instead of 2x: a transform that differentiates the operators inside them, rather
than calling their own gradient, computes wrong numbers and the test fails.
"""

import pytest

import tenon
from tenon.autograd import Function
from tenon.func import grad, jacrev, jvp, vmap

pytestmark = pytest.mark.filterwarnings("ignore:There is a performance drop")


class Square(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * 3

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return tangent * x * 3


@tenon.library.custom_op("nested_transforms::square", mutates_args=())
def square(x: tenon.Tensor) -> tenon.Tensor:
    return x * x


square.register_autograd(
    lambda ctx, grad: grad * ctx.saved_tensors[0] * 3,
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)

# Each square, and its derivative at x divided by x.
KINDS = {
    "operator": (lambda x: x * x, 2),
    "function": (Square.apply, 3),
    "custom_op": (square, 3),
}


def follow(x):
    """Returns a copy that requires a gradient; it is a leaf unless x already requires one."""
    leaf = x.clone()
    return leaf if leaf.requires_grad else leaf.requires_grad_()


def by_backward(f):
    def derivative(x):
        leaf = follow(x)
        leaf.retain_grad()
        total = f(leaf).sum()
        leaf.grad = None  # f may itself run a backward pass that sets it
        total.backward(create_graph=True)
        return leaf.grad

    return derivative


def by_create_graph(f):
    def derivative(x):
        leaf = follow(x)
        return tenon.autograd.grad(f(leaf).sum(), leaf, create_graph=True)[0]

    return derivative


def by_jacrev(f):
    def derivative(x):
        rows = jacrev(f)(x)
        return rows.sum(list(range(x.dim()))) if x.dim() else rows

    return derivative


# Each transform maps a function to its derivative, summed over all elements (vmap: to the function
# itself); the number is how many derivatives it takes.
TRANSFORMS = {
    "grad": (lambda f: grad(lambda x: f(x).sum()), 1),
    "vmap": (vmap, 0),
    "jvp": (lambda f: lambda x: jvp(f, (x,), (tenon.ones_like(x),))[1], 1),
    "jacrev": (by_jacrev, 1),
    "backward": (by_backward, 1),
    "create_graph": (by_create_graph, 1),
}
# Inside of transforms backward() and requires_grad_() are refused.
REFUSED = {(outer, "backward") for outer in ("grad", "vmap", "jvp", "jacrev")} | {
    (outer, "create_graph") for outer in ("vmap", "jvp")
}


def expected(factor, order):
    """Returns the derivative of s(x) * x at 1 and 2, where s(x) = x * x and s'(x) = factor * x."""
    if order == 0:
        return [1.0, 8.0]
    if order == 1:
        return [factor + 1.0, 4 * (factor + 1.0)]
    return [6.0, 12.0] if factor == 2 else [3.0 * factor, 6.0 * factor]


@pytest.mark.leaks  # as in PyTorch, gradients with graphs refer to their leaves
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("inner", TRANSFORMS)
@pytest.mark.parametrize("outer", TRANSFORMS)
def test_nested_twice(outer, inner, kind):
    make_square, factor = KINDS[kind]
    (outside, first), (inside, second) = TRANSFORMS[outer], TRANSFORMS[inner]
    nested = outside(inside(lambda x: make_square(x) * x))
    x = tenon.tensor([[1.0, 2.0]], dtype=tenon.float64)
    if (outer, inner) in REFUSED:
        with pytest.raises(RuntimeError, match="outside of function transforms"):
            nested(x)
        return
    assert nested(x).detach().tolist() == [expected(factor, first + second)]


@pytest.mark.parametrize("name", ["jacobian", "hessian", "vjp"])
def test_functional_in_a_vmap_is_refused(name):
    """These functions make their inputs require gradients, which tensors of a vmap cannot do."""
    function = getattr(tenon.autograd.functional, name)

    def mapped(x):
        found = function(lambda y: (y * y * y).sum(), x)
        return found[1] if name == "vjp" else found

    with pytest.raises(RuntimeError, match="outside of function transforms"):
        vmap(mapped)(tenon.ones(3, 2))
