# SPDX-License-Identifier: Apache-2.0
"""Gradient checks: right gradients pass, wrong ones are named, errors propagate, nothing leaks."""

from __future__ import annotations

import gc
import inspect
import warnings

import pytest
import tenon
from tenon import _tenon
from tenon.autograd import gradcheck, gradgradcheck
from tenon.autograd.gradcheck import GradcheckError


def leaf(data, dtype=tenon.float64):
    return tenon.tensor(data, dtype=dtype, requires_grad=True)


def live() -> dict[str, int]:
    gc.collect()
    _tenon.tenon_registry_reap()
    names = map(_tenon.tenon_introspect_handle_name, range(_tenon.tenon_introspect_handle_count()))
    return {name: _tenon.tenon_introspect_live_count(i) for i, name in enumerate(names)}


def test_signatures_are_pytorchs():
    names = list(inspect.signature(gradcheck).parameters)
    assert names[:2] == ["func", "inputs"] and names[-1] == "masked"
    assert tenon.autograd.gradcheck is gradcheck and callable(gradcheck)
    assert list(inspect.signature(gradgradcheck).parameters)[2] == "grad_outputs"


def test_right_gradients_of_both_orders():
    x, y = leaf([[0.5, -1.0], [2.0, 1.5]]), leaf([0.25, 1.0])
    for fast in (False, True):
        assert gradcheck(lambda a, b: a.tanh() * b, (x, y), fast_mode=fast) is True
        assert gradgradcheck(lambda a, b: a.tanh() * b, [x, y], fast_mode=fast) is True
    assert gradgradcheck(lambda a: a.sin(), x, gen_non_contig_grad_outputs=True) is True


def test_other_values_are_passed_on():
    marker = object()

    def function(a, other, number):
        assert other is marker
        return a * number

    assert gradcheck(function, (leaf([1.0]), marker, 3)) is True


def test_report_names_the_entry_and_the_mistake():
    with pytest.raises(GradcheckError) as caught:
        gradcheck(lambda a: a * a.detach(), (leaf([1.0, 3.0]),))
    text = str(caught.value)
    assert "Jacobian mismatch for output 0 with respect to input 0" in text
    assert "element [1]" in text and "6 by differences, 3 in backward mode" in text
    assert "half of what it should be" in text
    assert isinstance(caught.value, RuntimeError)


def test_wrong_second_order_is_found():
    def square(a):  # right to first order only
        return a * a.detach() * 2 - (a * a).detach()

    x = leaf([1.0, 2.0])
    assert gradcheck(square, (x,)) is True
    with pytest.raises(GradcheckError, match="second order"):
        gradgradcheck(square, (x,))


def test_errors_of_the_function_are_raised_unchanged():
    mistake = ZeroDivisionError("mine")

    def function(a):
        raise mistake

    before = live()
    with pytest.raises(ZeroDivisionError) as caught:
        gradcheck(function, (leaf([1.0]),), raise_exception=False)
    assert caught.value is mistake
    del caught
    mistake.__traceback__ = None
    assert live() == before


@pytest.mark.parametrize(
    ("inputs", "options", "kind", "words"),
    [
        ((), {}, ValueError, "requires grad"),
        (([1.0],), {}, ValueError, "requires grad"),
        (3, {}, TypeError, "inputs must be Tensor or a sequence"),
        (None, {"check_backward_ad": False}, AssertionError, "check_backward_ad"),
        (None, {"check_batched_forward_grad": True}, AssertionError, "check_forward_ad"),
        (None, {"eps": 0.0}, tenon.Error, "eps must be above 0"),
        (None, {"atol": float("nan")}, tenon.Error, "atol must be"),
    ],
)
def test_bad_input_is_refused_whatever_raise_exception_says(inputs, options, kind, words):
    given = (leaf([1.0]),) if inputs is None else inputs
    with pytest.raises(kind, match=words):
        gradcheck(lambda *a: a[0] * 2, given, raise_exception=False, **options)


def test_function_must_be_callable_and_return_tensors():
    with pytest.raises(TypeError, match="func must be callable, got int"):
        gradcheck(3, (leaf([1.0]),))
    with pytest.raises(tenon.Error, match="must return a tensor"):
        gradcheck(lambda a: 5, (leaf([1.0]),))


def test_grad_outputs_must_be_tensors():
    with pytest.raises(TypeError, match="grad_outputs 0 must be Tensor, got int"):
        gradgradcheck(lambda a: a * 2, (leaf([1.0]),), (3,))


def test_overlapping_input_is_refused():
    x = tenon.ones(1, dtype=tenon.float64).expand(3).requires_grad_()
    with pytest.raises(RuntimeError, match="input 0.*overlap"):
        gradcheck(lambda a: a * 2, (x,))


def test_single_precision_is_warned_of():
    x = leaf([1.0], tenon.float32)
    with pytest.warns(UserWarning, match="input 0 should be float64 or complex128, got float32"):
        gradcheck(lambda a: a * 2, (x,), eps=2.0**-8, atol=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            gradcheck(lambda a: a * 2, (x,))


def test_in_no_grad_mode_nothing_is_tracked():
    with tenon.no_grad(), pytest.raises(GradcheckError, match="no output requires grad"):
        gradcheck(lambda a: a * 2, (leaf([1.0]),))


def test_nothing_is_left():
    def run():
        x = leaf([1.0, 2.0])
        gradcheck(lambda a: (a * a, a.sum()), (x,))
        gradgradcheck(lambda a: a.exp(), (x,))
        gradcheck(lambda a: a * a.detach(), (x,), raise_exception=False)
        return x.tolist()

    run()
    before = live()
    assert run() == [1.0, 2.0]
    assert live() == before
