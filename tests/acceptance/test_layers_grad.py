# SPDX-License-Identifier: Apache-2.0
"""Function transforms that differentiate: grad, vjp, jvp, jacrev, jacfwd, hessian, linearize."""

import math
from collections import namedtuple

import pytest
from seed import flat, sub, torch


def allclose(a, b, atol=1e-6):
    return flat(a) == pytest.approx(flat(b), rel=1e-5, abs=atol)


def fn(name):
    return getattr(sub("func"), name)


def T(*v, dtype=None):
    return torch.tensor(list(v), dtype=dtype or torch.float32)


def same(a, b):
    assert tuple(a.shape) == tuple(b.shape) and allclose(a, b, atol=1e-5), (a, b)


pytestmark = pytest.mark.filterwarnings("ignore")
Pt = namedtuple("Pt", "x y")


# ---- grad and grad_and_value
def test_grad_of_a_scalar_function():
    """grad(f)(x) is the derivative and x is unchanged"""
    x = T(1, 2, 3)
    g = fn("grad")(lambda a: (a**3).sum())(x)
    assert g.tolist() == [3, 12, 27] and not g.requires_grad
    assert not x.requires_grad and x.grad is None


def test_grad_nested_containers():
    """dict, list and namedtuple arguments have gradients in the same containers"""
    arg = {"w": T(1, 2), "p": [Pt(T(3), T(4))]}
    g = fn("grad")(lambda d: (d["w"] ** 2).sum() + (d["p"][0].x * 7 * d["p"][0].y).sum())(arg)
    assert g["w"].tolist() == [2, 4] and type(g["p"][0]) is Pt
    assert g["p"][0].x.item() == 28 and g["p"][0].y.item() == 21


def test_grad_container_with_non_tensor_is_refused():
    """a differentiated container may hold tensors only"""
    with pytest.raises((ValueError, RuntimeError, TypeError)):
        fn("grad")(lambda d: d["w"].sum() * d["n"])({"w": T(1), "n": 3})
    assert fn("grad")(lambda d, n: d["w"].sum() * n)({"w": T(1)}, 3)["w"].item() == 3


def test_grad_keyword_arguments_are_constants():
    """keyword arguments are passed on and not differentiated"""
    g = fn("grad")(lambda a, *, k, s: (a * k).sum() * s)(T(1, 2), k=T(3, 4), s=2)
    assert g.tolist() == [6, 8]


def test_grad_unused_argument_is_zero():
    """an argument that is unused has a gradient of zeros, not None"""
    out = fn("grad")(lambda d: (d["a"] ** 2).sum())({"a": T(3), "b": T(1, 2)})
    assert out["a"].tolist() == [6] and out["b"].tolist() == [0, 0]
    c = torch.tensor(2.0)
    assert fn("grad")(lambda a: c)(torch.tensor(1.0)).item() == 0


def test_grad_refuses_integer_argument():
    """an integer tensor cannot be differentiated"""
    with pytest.raises(RuntimeError, match="(?i)float"):
        fn("grad")(lambda a: (a * 1.5).sum())(torch.tensor([1, 2]))
    assert fn("grad")(lambda a, k: (a * k).sum())(T(1, 2), torch.tensor([1, 2])).tolist() == [1, 2]


def test_grad_has_aux():
    """has_aux returns (gradient, aux) with plain tensors in aux"""
    g, aux = fn("grad")(lambda a: ((a**2).sum(), {"s": a.sin(), "l": [a]}), has_aux=True)(T(1, 2))
    assert g.tolist() == [2, 4]
    same(aux["s"], T(1, 2).sin())
    assert not aux["s"].requires_grad and aux["l"][0].tolist() == [1, 2]


def test_grad_has_aux_refusals():
    """with has_aux f must return a pair, and aux must hold tensors"""
    for f in (
        lambda a: a.sum(),
        lambda a: [a.sum(), a],
        lambda a: (a.sum(), a, a),
        lambda a: (a.sum(), "text"),
    ):
        with pytest.raises(RuntimeError):
            fn("grad")(f, has_aux=True)(T(1))
    assert fn("grad")(lambda a: (a.sum(), [a, a]), has_aux=True)(T(1))[0].tolist() == [1]


def test_grad_and_value_order():
    """grad_and_value returns (gradient, value), and ((gradient), (value, aux)) with aux"""
    g, v = fn("grad_and_value")(lambda a: (a**2).sum())(T(1, 3))
    assert g.tolist() == [2, 6] and v.item() == 10 and not v.requires_grad
    g, (v, aux) = fn("grad_and_value")(lambda a: ((a**2).sum(), a * 2), has_aux=True)(T(1, 3))
    assert v.item() == 10 and aux.tolist() == [2, 6]


def test_grad_levels_do_not_mix():
    """the inner derivative does not see the outer variable (perturbation confusion)"""
    grad = fn("grad")

    def f(x):
        return x * grad(lambda y: x + y)(torch.tensor(1.0))

    assert grad(f)(torch.tensor(1.0)).item() == 1

    def g(x):
        return grad(lambda y: x * y * y)(x)

    assert grad(g)(torch.tensor(3.0)).item() == 12


def test_grad_inside_is_tracked():
    """inside f the argument requires grad and its results have a grad_fn"""
    seen = []

    def f(a):
        y = a * 2
        seen.append(
            (a.requires_grad, y.requires_grad, y.grad_fn is not None, isinstance(a, torch.Tensor))
        )
        return y.sum()

    fn("grad")(f)(T(1))
    assert seen == [(True, True, True, True)]


def test_grad_allows_item_and_branches():
    """item, tolist and Python branches on values work inside grad"""

    def f(a):
        return (
            (a * 3).sum() if a[0].item() > 1 and a.tolist()[1] > 0 and bool(a[0] > 0) else a.sum()
        )

    assert fn("grad")(f)(T(2, 1)).tolist() == [3, 3]
    assert fn("grad")(f)(T(0, 1)).tolist() == [1, 1]


def test_grad_no_grad_inside_makes_constants():
    """what f computes under no_grad is a constant"""

    def f(a):
        with torch.no_grad():
            c = a * a
        return (a * c).sum()

    assert fn("grad")(f)(T(2, 3)).tolist() == [4, 9]


def test_grad_inner_under_no_grad_is_constant_for_outer():
    """an inner grad under no_grad inside an outer grad is a constant to the outer"""
    grad = fn("grad")

    def f(a):
        with torch.no_grad():
            shift = grad(lambda b: (b**2).sum())(a)
        return (a * shift).sum()

    assert grad(f)(T(1, 2)).tolist() == [2, 4]


def test_grad_composes_with_ordinary_backward():
    """the result of grad on a tensor that requires grad can be backpropagated"""
    x = T(1, 2).requires_grad_()
    y = fn("grad")(lambda a: (a**3).sum())(x)
    y.sum().backward()
    assert x.grad.tolist() == [6, 12]


def test_grad_does_not_touch_grad_fields():
    """grad leaves .grad of captured parameters alone"""
    w = T(2).requires_grad_()
    g = fn("grad")(lambda a: (a * w).sum())(T(5))
    assert g.tolist() == [2] and w.grad is None and g.requires_grad


def test_grad_escaped_value_in_a_later_transform():
    """an escaped value captured by a later grad counts as a constant"""
    kept = []
    fn("grad")(lambda a: (kept.append(a * 3), a.sum())[1])(T(2))
    assert fn("grad")(lambda b: (b * kept[0]).sum())(T(1)).tolist() == [6]


def test_grad_exception_leaves_no_level():
    """an exception in f propagates unchanged and the next transform works"""

    class Odd(Exception):
        pass

    def f(a):
        raise Odd("x")

    for _ in range(3):
        with pytest.raises(Odd):
            fn("grad")(lambda a: fn("grad")(f)(a))(torch.tensor(1.0))
    z = T(1).requires_grad_()
    (z * 2).sum().backward()
    assert z.grad.item() == 2 and fn("grad")(torch.sin)(torch.tensor(0.0)).item() == 1


# ---- vjp
def test_vjp_output_and_function():
    """vjp returns the output and a function from cotangents to a tuple"""
    out, back = fn("vjp")(lambda a, b: a * b, T(2, 3), T(5, 7))
    assert out.tolist() == [10, 21]
    ga, gb = back(T(1, 10))
    assert ga.tolist() == [5, 70] and gb.tolist() == [2, 30]


# ---- jvp
def test_jvp_containers_and_aux():
    """nested inputs and outputs, and has_aux"""

    def f(d):
        return ({"q": d["a"] ** 2}, d["a"] + 1)

    out, tan, aux = fn("jvp")(f, ({"a": T(3)},), ({"a": T(2)},), has_aux=True)
    assert out["q"].item() == 9 and tan["q"].item() == 12 and aux.item() == 4


def test_jvp_unrelated_output_is_zero_unless_strict():
    """an output that does not depend on the inputs has a zero tangent; strict refuses"""
    out, tan = fn("jvp")(lambda a: (a * 2, torch.ones(2)), (T(1),), (T(1),))
    assert tan[0].tolist() == [2] and tan[1].tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="strict"):
        fn("jvp")(lambda a: torch.ones(2), (T(1),), (T(1),), strict=True)


def test_jvp_refused_arguments():
    """primals and tangents must be tuples of one structure and shape, and not empty"""
    jvp = fn("jvp")
    for p, t in ((T(1), T(1)), ((T(1),), (T(1), T(1))), ((T(1),), (T(1, 2),)), ((), ())):
        with pytest.raises(RuntimeError):
            jvp(lambda *a: a[0], p, t)
    with pytest.raises((RuntimeError, ValueError), match="(?i)float"):
        jvp(lambda a: a, (torch.tensor([1]),), (torch.tensor([1]),))
    assert jvp(lambda a: a * 2, (T(1),), (T(3),))[1].tolist() == [6]


def test_jvp_nests():
    """jvp of jvp computes second derivatives without mixing levels"""
    jvp, one = fn("jvp"), torch.tensor(1.0)

    def d(f):
        return lambda x: jvp(f, (x,), (one,))[1]

    assert d(d(d(lambda a: a**4)))(torch.tensor(2.0)).item() == 48
    assert d(lambda x: x * d(lambda y: x + y)(one))(one).item() == 1


def test_jvp_through_in_place_and_views():
    """tangents follow views and in-place writes"""

    def f(a):
        y = a.clone()
        y[0] = a[1] * 2
        y[1:].mul_(3)
        return y

    out, tan = fn("jvp")(f, (T(1, 2, 3),), (T(10, 1, 100),))
    assert out.tolist() == [4, 6, 9] and tan.tolist() == [2, 3, 300]


def test_jvp_tracked_by_ordinary_autograd():
    """the tangent can be backpropagated to an outer tensor"""
    x = T(2).requires_grad_()
    _, tan = fn("jvp")(lambda a: a**3, (x,), (T(1),))
    tan.sum().backward()
    assert x.grad.tolist() == [12]


# ---- Jacobians
@pytest.mark.parametrize("which", ["jacrev", "jacfwd"])
def test_jacobian_shape(which):
    """the Jacobian has the output's shape followed by the input's"""
    x = torch.arange(6.0).reshape(2, 3)
    J = fn(which)(lambda a: a.sum(0) * 2)(x)
    assert J.shape == (3, 2, 3) and J[1, :, 1].tolist() == [2, 2] and J[1, :, 0].tolist() == [0, 0]


@pytest.mark.parametrize("which", ["jacrev", "jacfwd"])
def test_jacobian_argnums_and_containers(which):
    """the outer structure is the output's, the inner one the input's; argnums selects inputs"""

    def f(d, k):
        return {"m": d["a"] * k, "s": (d["a"] ** 2).sum()}

    J = fn(which)(f)({"a": T(1, 2)}, T(3, 4))
    assert J["m"]["a"].tolist() == [[3, 0], [0, 4]] and J["s"]["a"].tolist() == [2, 4]
    J = fn(which)(f, argnums=(1,))({"a": T(1, 2)}, T(3, 4))
    assert (
        type(J["m"]) is tuple
        and J["m"][0].tolist() == [[1, 0], [0, 2]]
        and J["s"][0].tolist() == [0, 0]
    )


def test_hessian_and_its_two_other_forms():
    """hessian agrees with jacfwd(jacrev), jacrev(jacfwd) and jacrev(jacrev)"""

    def f(a):
        return (a[0] ** 2) * a[1] + a[1].sin()

    x, fw, rv = T(2, 3), fn("jacfwd"), fn("jacrev")
    want = torch.tensor([[6.0, 4.0], [4.0, -math.sin(3.0)]])
    for H in (fn("hessian")(f), fw(rv(f)), rv(fw(f)), rv(rv(f)), fw(fw(f))):
        same(H(x), want)


def test_jacobian_of_linear_is_constant_and_zero():
    """the second Jacobian of a linear map is zeros of the right shape"""
    W = torch.arange(6.0).reshape(2, 3)
    same(fn("jacrev")(lambda a: W @ a)(T(1, 2, 3)), W)
    assert (
        fn("jacrev")(fn("jacrev")(lambda a: W @ a))(T(1, 2, 3)).tolist()
        == torch.zeros(2, 3, 3).tolist()
    )
