# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: gradcheck and gradgradcheck (true and false alarms), anomaly detection."""

import pytest
from seed import autograd, leaf, torch


def make(forward, backward, **more):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    body.update(more)
    return type("Made", (autograd.Function,), body)


def passes(f, inputs, **options):
    return autograd.gradcheck(f, inputs, raise_exception=False, **options)


# ---- gradcheck


def test_right_gradient_passes_and_returns_true():
    assert (
        autograd.gradcheck(lambda x, y: (x * y).sin() + y, (leaf([1.0, 2.0]), leaf([[0.5], [1.5]])))
        is True
    )


def test_single_tensor_needs_no_tuple():
    assert autograd.gradcheck(lambda x: x * 2, leaf([1.0, 2.0])) is True


def test_wrong_gradient_raises_and_names_the_jacobian():
    with pytest.raises(RuntimeError, match="(?i)jacobian"):
        autograd.gradcheck(lambda x: x * x.detach(), (leaf([1.0]),))


def test_wrong_gradient_returns_false_when_asked_not_to_raise():
    assert passes(lambda x: x * x.detach(), (leaf([1.0]),)) is False
    assert passes(lambda x: x * x, (leaf([1.0]),)) is True


def test_wrong_gradient_of_second_output_or_second_input_is_found():
    assert passes(lambda x: (x * 2, x * x.detach()), (leaf([1.0]),)) is False
    assert passes(lambda x, y: x * y.detach() * y, (leaf([1.0]), leaf([3.0]))) is False


def test_noncontiguous_input_is_perturbed_in_place_properly():
    base = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
    x = base.t().detach().requires_grad_()
    assert passes(lambda t: t.sin() * t, (x,)) is True
    assert base.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_inputs_may_be_non_leaf():
    x = leaf([1.0, 2.0]) * 3
    assert passes(lambda t: t.exp(), (x,)) is True


def test_nondeterministic_backward_is_found():
    calls = []

    def backward(ctx, g):
        calls.append(1)
        return g * 2 + g * 1e-7 * len(calls)

    F = make(lambda ctx, x: x * 2, backward)
    with pytest.raises(RuntimeError, match="(?i)reentrant|determin"):
        autograd.gradcheck(F.apply, (leaf([1.0]),))
    assert passes(F.apply, (leaf([1.0]),), nondet_tol=1e-2) is True


def undefined_to_two():
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    return make(
        forward, lambda ctx, g: torch.full((1,), 2.0, dtype=torch.float64) if g is None else g * 2
    )


def test_undefined_incoming_gradient_must_count_as_zero():
    F = undefined_to_two()
    assert passes(F.apply, (leaf([1.0]),)) is False
    assert passes(F.apply, (leaf([1.0]),), check_undefined_grad=False) is True


def test_backward_that_ignores_its_argument_is_found():
    F = make(lambda ctx, x: x * 2, lambda ctx, g: torch.full((1,), 2.0, dtype=torch.float64))
    with pytest.raises(RuntimeError):
        autograd.gradcheck(F.apply, (leaf([1.0]),))


def test_complex_functions_are_checked():
    z = torch.tensor([1 + 2j, -0.5j], dtype=torch.complex128, requires_grad=True)
    assert passes(lambda t: t * t.conj() + t**2, (z,)) is True
    wrong = make(
        lambda ctx, t: ctx.save_for_backward(t) or t * t,
        lambda ctx, g: g * 2 * ctx.saved_tensors[0],
    )
    assert passes(wrong.apply, (z,)) is False  # the conjugate is missing


def test_fast_mode_finds_the_same():
    assert passes(lambda x: x * x, (leaf([1.0, 2.0]),), fast_mode=True) is True
    assert passes(lambda x: x * x.detach(), (leaf([1.0, 2.0]),), fast_mode=True) is False


def test_batched_gradients_can_be_checked():
    assert (
        passes(lambda x: (x * x).sum(0), (leaf([[1.0, 2.0], [3.0, 4.0]]),), check_batched_grad=True)
        is True
    )


def test_forward_mode_alone_can_be_checked():
    def f(x):
        return x.sin() * x

    assert passes(f, (leaf([1.0, 2.0]),), check_forward_ad=True, check_backward_ad=False) is True


def test_function_of_constant_result_passes():
    assert passes(lambda x: x.detach() * 0 + 3, (leaf([1.0]),)) is True


# ---- gradgradcheck


def test_second_derivative_with_given_grad_outputs():
    x, v = leaf([1.0, 2.0]), leaf([0.5, -1.0])
    assert autograd.gradgradcheck(lambda t: t**3, (x,), (v,)) is True


def test_second_derivative_forward_over_reverse():
    x = leaf([1.0, 2.0])
    assert autograd.gradgradcheck(lambda t: t.sin() * t, (x,), check_fwd_over_rev=True) is True


# ---- anomaly detection


def test_nan_without_anomaly_mode_passes_silently():
    x = leaf([0.0])
    (x.sqrt() * 0).backward()
    assert x.grad.tolist()[0] != x.grad.tolist()[0]


@pytest.mark.filterwarnings("ignore")
def test_nan_check_acts_on_graphs_recorded_before():
    x = leaf([0.0])
    y = x.sqrt() * 0
    with autograd.detect_anomaly():
        with pytest.raises(RuntimeError, match="nan"):
            y.backward()


@pytest.mark.filterwarnings("ignore")
def test_infinite_gradient_is_no_anomaly():
    x = leaf([0.0])
    with autograd.detect_anomaly():
        x.sqrt().backward()
    assert x.grad.tolist() == [float("inf")]
