# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: leaves, requires_grad propagation, grad modes, inference mode."""

import pytest
from seed import const, leaf, near, sub, torch


# ---------------------------------------------------------------- leaves and requires_grad


def test_user_made_tensor_with_requires_grad_is_leaf():
    x = leaf([1.0, 2.0])
    assert x.is_leaf and x.requires_grad and x.grad_fn is None and x.grad is None


def test_requires_grad_attribute_may_be_cleared_on_leaf():
    x = leaf([1.0])
    x.requires_grad = False
    assert not (x * 2).requires_grad


def test_requires_grad_cannot_be_cleared_on_non_leaf():
    y = leaf([1.0]) * 2
    with pytest.raises(RuntimeError, match="leaf"):
        y.requires_grad = False
    with pytest.raises(RuntimeError, match="leaf"):
        y.requires_grad_(False)
    assert y.requires_grad


def test_setting_true_on_non_leaf_is_harmless_by_method_but_refused_by_attribute():
    x = leaf([3.0])
    y = x * 2
    assert y.requires_grad_() is y and not y.is_leaf
    with pytest.raises(RuntimeError, match="leaf"):
        y.requires_grad = True
    y.backward()
    near(x.grad, [2.0])


def test_factories_take_requires_grad():
    made = [
        torch.zeros(2, requires_grad=True),
        torch.ones(2, 3, requires_grad=True),
        torch.full((2,), 1.5, requires_grad=True),
        torch.eye(2, requires_grad=True),
        torch.arange(3.0, requires_grad=True),
        torch.rand(2, requires_grad=True),
    ]
    assert all(t.requires_grad and t.is_leaf for t in made)


def test_argmax_of_tracked_tensor_is_untracked():
    y = leaf([1.0, 5.0]).argmax()
    assert y.item() == 1 and not y.requires_grad


def test_noop_cast_returns_self():
    x = leaf([1.0])
    assert x.to(torch.float64) is x
    assert (x * 1).contiguous().requires_grad


def test_zeros_like_and_new_tensors_are_untracked():
    x = leaf([1.0, 2.0])
    assert not torch.zeros_like(x).requires_grad
    assert not x.new_zeros(2).requires_grad
    assert torch.ones_like(x, requires_grad=True).requires_grad


def test_numpy_of_tracked_tensor_is_refused():
    x = leaf([1.0])
    with pytest.raises(RuntimeError, match="grad"):
        x.numpy()
    assert x.detach().numpy().tolist() == [1.0]


def test_item_and_tolist_of_tracked_tensor_work():
    x = leaf([1.5])
    assert x.item() == 1.5 and x.tolist() == [1.5] and float(x.sum()) == 1.5


def test_repr_distinguishes_leaf_and_result():
    x = leaf([1.0])
    assert "requires_grad=True" in repr(x)
    assert "grad_fn=" in repr(x * 2) and "requires_grad=True" not in repr(x * 2)
    assert "grad" not in repr(x.detach())


# ---------------------------------------------------------------- detach and data


def test_data_attribute_writes_without_tracking():
    x = leaf([1.0, 2.0])
    x.data.mul_(5)
    assert x.tolist() == [5.0, 10.0] and x.is_leaf and x.requires_grad
    x.data = const([7.0, 8.0])
    assert x.tolist() == [7.0, 8.0] and x.requires_grad
    (x * x).sum().backward()
    near(x.grad, [14.0, 16.0])


def test_data_of_result_is_untracked_alias():
    y = leaf([1.0]) * 2
    d = y.data
    assert not d.requires_grad and d.is_leaf and d.data_ptr() == y.data_ptr()


# ---- no_grad, enable_grad, set_grad_enabled


def test_no_grad_results_are_untracked_leaves():
    x = leaf([1.0])
    with torch.no_grad():
        assert not torch.is_grad_enabled()
        y = x * 2
    assert torch.is_grad_enabled()
    assert not y.requires_grad and y.is_leaf and y.grad_fn is None


def test_enable_grad_inside_no_grad_and_back():
    x = leaf([1.0])
    with torch.no_grad():
        with torch.enable_grad():
            a = x * 2
        b = x * 2
    assert a.requires_grad and not b.requires_grad


def test_no_grad_as_decorator_with_and_without_call():
    x = leaf([1.0])

    @torch.no_grad()
    def f(t):
        "doc of f"
        return t * 2

    @torch.no_grad
    def g(t):
        return t * 2

    assert not f(x).requires_grad and not g(x).requires_grad
    assert f.__name__ == "f" and f.__doc__ == "doc of f" and torch.is_grad_enabled()


def test_enable_grad_as_decorator():
    x = leaf([1.0])

    @torch.enable_grad()
    def f(t):
        return t * 2

    with torch.no_grad():
        y = f(x)
        assert not torch.is_grad_enabled()
    assert y.requires_grad


def test_generator_body_changes_of_mode_do_not_leak_out():
    @torch.enable_grad()
    def gen():
        with torch.no_grad():
            yield torch.is_grad_enabled()
            yield torch.is_grad_enabled()

    g = gen()
    assert next(g) is False
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("mode", [True, False])
def test_set_grad_enabled_as_context(mode):
    for outer in (True, False):
        with torch.set_grad_enabled(outer):
            with torch.set_grad_enabled(mode):
                assert torch.is_grad_enabled() is mode
            assert torch.is_grad_enabled() is outer
    assert torch.is_grad_enabled()


def test_set_grad_enabled_decorator_leaves_mode_at_definition():
    @torch.set_grad_enabled(False)
    def f():
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled()
    assert f() is False and f() is False and torch.is_grad_enabled()


def test_exit_of_outer_guard_wins_over_calls_inside():
    with torch.no_grad():
        torch.set_grad_enabled(True)
        assert torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    with torch.enable_grad():
        torch.set_grad_enabled(False)
    assert torch.is_grad_enabled()


def test_backward_may_run_under_no_grad():
    x = leaf([3.0])
    y = x * x
    with torch.no_grad():
        y.backward()
    near(x.grad, [6.0])


def test_in_place_update_of_leaf_under_no_grad_keeps_it_a_leaf():
    x = leaf([1.0, 2.0])
    with torch.no_grad():
        x -= 0.5
        x[0] = 9.0
    assert x.is_leaf and x.requires_grad and x.tolist() == [9.0, 1.5]


# ---------------------------------------------------------------- inference mode


def test_inference_mode_makes_inference_tensors():
    x = leaf([1.0])
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled() and not torch.is_grad_enabled()
        y = x * 2
        z = torch.ones(2)
    assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled()
    assert y.is_inference() and z.is_inference() and not y.requires_grad and not x.is_inference()


def test_inference_mode_false_nested_makes_normal_tensors():
    x = leaf([1.0])
    with torch.inference_mode():
        with torch.inference_mode(False):
            y = x * 2
            assert not torch.is_inference_mode_enabled()
    assert y.requires_grad and not y.is_inference()


def test_inference_tensor_may_enter_ops_that_save_nothing():
    with torch.inference_mode():
        c = torch.ones(2)
    x = torch.ones(2, requires_grad=True)
    y = x + c
    y.sum().backward()
    assert not y.is_inference() and x.grad.tolist() == [1.0, 1.0]


def test_clone_of_inference_tensor_outside_is_normal():
    with torch.inference_mode():
        c = torch.ones(2)
    d = c.clone()
    assert not d.is_inference()
    d.requires_grad_()
    (d * d).sum().backward()
    assert d.grad.tolist() == [2.0, 2.0]


def test_inference_tensor_has_no_version_and_cannot_require_grad():
    with torch.inference_mode():
        c = torch.ones(2)
    with pytest.raises(RuntimeError, match="(?i)inference"):
        c._version
    with pytest.raises(RuntimeError, match="(?i)inference"):
        c.requires_grad_()


def test_enable_grad_inside_inference_mode_tracks_nothing_new():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode(), torch.enable_grad():
        y = x * 2
        assert torch.is_grad_enabled()
    assert not y.requires_grad and y.is_inference()


def test_graph_recorded_before_inference_mode_is_usable_after():
    x = leaf([3.0])
    y = x * x
    with torch.inference_mode():
        z = y * 2
    y.backward()
    near(x.grad, [6.0])
    near(z, [18.0])


def test_parameter_made_under_no_grad_requires_grad():
    with torch.no_grad():
        p = sub("nn").Parameter(torch.ones(2))
    assert p.requires_grad and p.is_leaf
    q = sub("nn").Parameter(torch.ones(2), requires_grad=False)
    assert not q.requires_grad
