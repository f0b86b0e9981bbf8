# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: anomaly mode, and gradcheck with nothing to check."""

import traceback
import warnings

import pytest
from seed import autograd, leaf, torch


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Failing(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        raise ArithmeticError("wrong on purpose")


class NotANumber(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g * float("nan")


def enabled():
    return torch.is_anomaly_enabled()


def told(error, records):
    """Returns the text of an error with its notes and cause, and of warnings."""
    text = "".join(traceback.format_exception(error))
    return text + "".join(str(record.message) for record in records)


def test_anomaly_mode_is_restored_even_after_errors():
    for make in (autograd.detect_anomaly, lambda: autograd.set_detect_anomaly(True)):
        assert not enabled()
        with pytest.raises(ZeroDivisionError):
            with make():
                assert enabled()
                raise ZeroDivisionError
        assert not enabled()
        with pytest.raises(ArithmeticError):
            with make():
                Failing.apply(leaf([1.0])).backward()
        assert not enabled()
        with pytest.raises(RuntimeError):
            with make():
                NotANumber.apply(leaf([1.0])).backward()
        assert not enabled()


def test_anomaly_contexts_nest_and_restore_each_other():
    with autograd.detect_anomaly():
        with autograd.set_detect_anomaly(False):
            assert not enabled()
            with autograd.detect_anomaly():
                assert enabled()
            assert not enabled()
        assert enabled()
    assert not enabled()


def test_anomaly_check_of_nan_is_restored():
    assert not torch.is_anomaly_check_nan_enabled() or not enabled()
    with autograd.detect_anomaly(check_nan=False):
        assert enabled() and not torch.is_anomaly_check_nan_enabled()
        with autograd.detect_anomaly(check_nan=True):
            assert torch.is_anomaly_check_nan_enabled()
        assert not torch.is_anomaly_check_nan_enabled()


def test_set_detect_anomaly_acts_at_once():
    guard = autograd.set_detect_anomaly(True)
    try:
        assert enabled()
        with guard:
            assert enabled()
        assert not enabled()
    finally:
        autograd.set_detect_anomaly(False)
    assert not enabled()


def test_detect_anomaly_object_is_entered_before_it_acts():
    made = autograd.detect_anomaly()
    assert not enabled()
    with made:
        assert enabled()
    assert not enabled()
    with made:
        assert enabled()
    assert not enabled()


def test_nan_in_backward_names_the_node_and_its_output():
    with autograd.detect_anomaly():
        y = NotANumber.apply(leaf([1.0]))
        with pytest.raises(RuntimeError, match="NotANumberBackward"):
            y.backward()


def test_nan_without_check_passes():
    with autograd.detect_anomaly(check_nan=False):
        x = leaf([1.0])
        NotANumber.apply(x).backward()
    assert x.grad.isnan().all()


def here_is_forward(x):
    return Failing.apply(x)


def test_error_in_backward_shows_the_forward_call():
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        with autograd.detect_anomaly():
            y = here_is_forward(leaf([1.0]))
            with pytest.raises(ArithmeticError) as caught:
                y.backward()
    assert "here_is_forward" in told(caught.value, records)


def test_error_in_backward_shows_forward_of_a_built_in_operator():
    def place_of_division(x):
        return x / x

    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        with autograd.detect_anomaly():
            y = place_of_division(leaf([0.0]) * 1)
            with pytest.raises(RuntimeError, match="DivBackward0") as caught:
                y.backward()
    assert "place_of_division" in told(caught.value, records)


def test_error_in_backward_without_anomaly_mode_shows_nothing():
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        y = here_is_forward(leaf([1.0]))
        with pytest.raises(ArithmeticError) as caught:
            y.backward()
    assert "here_is_forward" not in told(caught.value, records)


def test_double_backward_error_shows_both_passes():
    class Inner(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return place_of_first_backward(g)

    def place_of_first_backward(g):
        return Failing.apply(g)

    def place_of_forward(x):
        return Inner.apply(x)

    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        with autograd.detect_anomaly():
            x = leaf([1.0])
            y = place_of_forward(x)
            (g,) = autograd.grad(y, x, torch.ones_like(y).requires_grad_(), create_graph=True)
            with pytest.raises(ArithmeticError) as caught:
                g.backward()
    text = told(caught.value, records)
    assert "place_of_first_backward" in text
    assert "place_of_forward" in text


def test_double_backward_error_of_built_in_operators_shows_both_passes():
    def place_of_forward(x):
        return x.sqrt()

    def place_of_first_backward(y, x):
        return autograd.grad(y.sum(), x, create_graph=True)[0]

    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        with autograd.detect_anomaly(check_nan=False):
            x = leaf([0.0])
            g = place_of_first_backward(place_of_forward(x), x)
        with autograd.detect_anomaly():
            with pytest.raises(RuntimeError) as caught:
                (g * 0).sum().backward()
    text = told(caught.value, records)
    assert "place_of_forward" in text
    assert "place_of_first_backward" in text


# ---------------------------------------------------------------- gradcheck


def test_gradcheck_of_nothing_is_refused():
    x = torch.ones(2, dtype=torch.float64)
    with pytest.raises(ValueError, match="require"):
        autograd.gradcheck(lambda x: x * 2, (x,))
    with pytest.raises(ValueError, match="require"):
        autograd.gradcheck(lambda x: x * 2, (x,), raise_exception=False)
    with pytest.raises(ValueError):
        autograd.gradcheck(lambda: torch.ones(1), ())
    with pytest.raises(ValueError):
        autograd.gradcheck(lambda a: a, (1.0,))
    with pytest.raises(ValueError, match="require"):
        autograd.gradgradcheck(lambda x: x * 2, (x,))


@pytest.mark.parametrize(
    "options",
    [
        {"check_forward_ad": True, "check_backward_ad": False},
        {"fast_mode": True},
        {"check_batched_grad": True},
    ],
)
def test_gradcheck_of_nothing_is_refused_in_any_mode(options):
    x = torch.ones(2, dtype=torch.float64)
    with pytest.raises(ValueError):
        autograd.gradcheck(lambda x: x * 2, (x,), **options)


def test_gradcheck_of_no_mode_is_refused():
    x = leaf([1.0])
    with pytest.raises(AssertionError):
        autograd.gradcheck(lambda x: x * 2, (x,), check_backward_ad=False)
    with pytest.raises(AssertionError):
        autograd.gradcheck(
            lambda x: x, (x,), check_forward_ad=False, check_batched_forward_grad=True
        )


def test_gradcheck_of_integer_inputs_only_is_refused():
    with pytest.raises(ValueError):
        autograd.gradcheck(lambda x: x * 2.0, (torch.ones(2, dtype=torch.int64),))
