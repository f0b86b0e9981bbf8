# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: autograd.functional, higher derivatives, complex gradients."""

import pytest
from seed import Lazy, autograd, const, flat, leaf, near, torch


functional = Lazy("autograd.functional")


def cleaf(data):
    return torch.tensor(data, dtype=torch.complex128, requires_grad=True)


# ---------------------------------------------------------------- jacobian


def test_jacobian_of_scalar_function_has_input_shape():
    jac = functional.jacobian(lambda x: (x * x).sum(), const([[1.0, 2.0]]))
    near(jac, [[2.0, 4.0]])
    assert tuple(jac.shape) == (1, 2)


def test_jacobian_of_independent_output_is_zero_or_error_when_strict():
    c = leaf([5.0])
    near(functional.jacobian(lambda x: c * 2, const([1.0])), [[0.0]])
    with pytest.raises(RuntimeError, match="(?i)independent|strict"):
        functional.jacobian(lambda x: c * 2, const([1.0]), strict=True)


@pytest.mark.parametrize(
    "options", [{"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}]
)
def test_vectorized_jacobian_agrees(options):
    def f(x, y):
        return (x @ y, (x * x).sum(0))

    args = (const([[1.0, 2.0], [3.0, 4.0]]), const([0.5, -1.0]))
    plain, fast = functional.jacobian(f, args), functional.jacobian(f, args, **options)
    for row_a, row_b in zip(plain, fast):
        for a, b in zip(row_a, row_b):
            near(a, b)


def test_jacobian_of_no_tensor_is_refused():
    with pytest.raises(TypeError, match="inputs"):
        functional.jacobian(lambda x: x, 3.0)
    with pytest.raises(TypeError, match="inputs"):
        functional.jacobian(lambda x, y: x, (const([1.0]), 2))
    with pytest.raises(TypeError, match="outputs"):
        functional.jacobian(lambda x: 5.0, const([1.0]))


# ---------------------------------------------------------------- hessian and products


def test_hessian_of_two_inputs_has_four_blocks():
    def f(x, y):
        return (x * x * y).sum()

    h = functional.hessian(f, (const([1.0, 2.0]), const([3.0, 4.0])))
    near(h[0][0], [[6.0, 0.0], [0.0, 8.0]])
    near(h[0][1], [[2.0, 0.0], [0.0, 4.0]])
    near(h[1][0], [[2.0, 0.0], [0.0, 4.0]])
    near(h[1][1], [[0.0, 0.0], [0.0, 0.0]])


def test_hessian_of_vector_function_is_refused():
    with pytest.raises(RuntimeError, match="(?i)single|scalar|element"):
        functional.hessian(lambda x: x * 2, const([1.0, 2.0]))


def test_vjp_needs_v_for_vectors_and_checks_its_size():
    with pytest.raises(RuntimeError, match="v"):
        functional.vjp(lambda x: x * 2, const([1.0, 2.0]))
    with pytest.raises(RuntimeError, match="size"):
        functional.vjp(lambda x: x * 2, const([1.0, 2.0]), const([1.0]))
    _, product = functional.vjp(lambda x: (x * 2).sum(), const([1.0, 2.0]))
    near(product, [2.0, 2.0])


def test_jvp_of_tuples():
    out, product = functional.jvp(
        lambda x, y: (x * y, x + y), (const([2.0]), const([3.0])), (const([1.0]), const([10.0]))
    )
    near(out[0], [6.0])
    near(product[0], [23.0])
    near(product[1], [11.0])


def test_hvp_and_vhp_agree_with_hessian():
    def f(x):
        return (x[0] * x[1]).sin() + x[1] ** 3

    x, v = const([0.5, 1.5]), const([1.0, 10.0])
    expected = functional.hessian(f, x) @ v
    value, product = functional.hvp(f, x, v)
    near(product, expected)
    near(value, f(x))
    near(functional.vhp(f, x, v)[1], expected)


def test_functional_products_can_be_differentiated():
    x = leaf([2.0])
    _, product = functional.vjp(lambda t: t**3, x, const([1.0]), create_graph=True)
    near(autograd.grad(product.sum(), x)[0], [12.0])
    _, product = functional.jvp(lambda t: t**3, x, const([1.0]), create_graph=True)
    near(autograd.grad(product.sum(), x)[0], [12.0])


# ---------------------------------------------------------------- higher derivatives


def test_polynomial_runs_out_of_derivatives():
    x = leaf([2.0])
    y = x**3
    for expected in (12.0, 12.0, 6.0):
        (y,) = autograd.grad(y, x, create_graph=True)
        near(y, [expected])
    (y,) = autograd.grad(y, x, create_graph=True, allow_unused=True)
    assert y is None or flat(y) == [0.0]


def test_mixed_partials_agree_in_either_order():
    x, y = leaf(0.5), leaf(1.5)
    z = (x * y).exp() * x.sin()
    (zx,) = autograd.grad(z, x, create_graph=True)
    (zy,) = autograd.grad(z, y, create_graph=True)
    near(autograd.grad(zx, y, retain_graph=True)[0], autograd.grad(zy, x)[0])


def test_gradient_penalty_reaches_the_weights():
    w, x = leaf([2.0, -1.0]), leaf([1.0, 3.0])
    (gx,) = autograd.grad(((w * x) ** 2).sum(), x, create_graph=True)
    penalty = (gx**2).sum()
    penalty.backward()
    near(w.grad, [2 * 4 * (2.0**3) * 2, 2 * 4 * (-1.0) * 9 * 2])


def test_unrolled_gradient_descent_is_differentiable():
    rate = leaf(0.1)
    x = leaf(1.0)
    point = x
    for _ in range(3):
        (g,) = autograd.grad(point**2, point, create_graph=True)
        point = point - rate * g
    (d,) = autograd.grad(point, rate)
    near(d, 3 * (1 - 0.2) ** 2 * -2)


def test_second_backward_accumulates_on_first_grad():
    x = leaf([3.0])
    (x**3).backward(create_graph=True)
    first = x.grad.clone()
    x.grad.sum().backward()
    near(first, [27.0])
    near(x.grad, [27.0 + 18.0])
    x.grad = None


def test_relu_has_zero_second_derivative_but_a_graph():
    x = leaf([1.0, -1.0])
    (g,) = autograd.grad((x.relu() * x).sum(), x, create_graph=True)
    near(autograd.grad(g.sum(), x)[0], [2.0, 0.0])


def test_hessian_trace_by_loop_of_grads():
    x = leaf([1.0, 2.0, 3.0])
    (g,) = autograd.grad((x**4).sum() + x[0] * x[1] * x[2], x, create_graph=True)
    trace = sum(autograd.grad(g[i], x, retain_graph=True)[0][i].item() for i in range(3))
    assert trace == pytest.approx(12.0 * (1 + 4 + 9))


# ---------------------------------------------------------------- complex gradients


def test_modulus_and_its_corner():
    z = cleaf([3 + 4j, 0j])
    z.abs().sum().backward()
    near(z.grad, [0.6 + 0.8j, 0j])


def test_complex_scalar_needs_explicit_gradient():
    z = cleaf(1 + 2j)
    with pytest.raises(RuntimeError, match="(?i)real|complex"):
        (z * z).backward()
    (z * z).backward(torch.tensor(1 + 0j, dtype=torch.complex128))
    near(z.grad, (2 * (1 - 2j)))


def test_gradient_descent_on_complex_parameter_converges():
    z = cleaf([2 + 1j])
    target, losses = 0.5 - 0.5j, []
    for _ in range(20):
        loss = ((z - target).abs() ** 2).sum()
        losses.append(loss.item())
        (g,) = autograd.grad(loss, z)
        with torch.no_grad():
            z -= 0.3 * g
    assert losses == sorted(losses, reverse=True) and losses[-1] < 1e-6
