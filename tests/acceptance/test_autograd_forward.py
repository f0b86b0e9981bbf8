# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: forward mode: dual levels, dual tensors, mixing with reverse mode."""

import pytest
from seed import Lazy, const, flat, leaf, near, torch


fwad = Lazy("autograd.forward_ad")


def jvp(f, x, t):
    with fwad.dual_level():
        return fwad.unpack_dual(f(fwad.make_dual(const(x), const(t)))).tangent


def slope(f, x, t, eps=1e-6):
    x, t = const(x), const(t)
    return (f(x + eps * t) - f(x - eps * t)) / (2 * eps)


# ---------------------------------------------------------------- levels


def test_dual_is_a_new_tensor_on_the_same_memory():
    with fwad.dual_level():
        x = const([1.0])
        d = fwad.make_dual(x, const([1.0]))
        assert d is not x and d.data_ptr() == x.data_ptr()
        assert fwad.unpack_dual(x).tangent is None
        x.add_(5)
        assert d.tolist() == [6.0]


def test_tangents_vanish_with_their_level():
    with fwad.dual_level():
        y = fwad.make_dual(const([1.0]), const([1.0])) * 2
    assert fwad.unpack_dual(y).tangent is None
    with fwad.dual_level():
        assert fwad.unpack_dual(y).tangent is None and y.tolist() == [2.0]


def test_level_is_left_after_exception():
    with pytest.raises(ZeroDivisionError):
        with fwad.dual_level():
            1 / 0
    with fwad.dual_level() as level:
        assert level == 0


def test_levels_do_not_nest():
    with fwad.dual_level():
        with pytest.raises(RuntimeError, match="(?i)nest"):
            with fwad.dual_level():
                pass
        near(fwad.unpack_dual(fwad.make_dual(const([1.0]), const([2.0])) * 3).tangent, [6.0])


def test_level_functions_and_exit_of_wrong_level():
    level = fwad.enter_dual_level()
    try:
        d = fwad.make_dual(const([1.0]), const([2.0]))
        with pytest.raises(RuntimeError, match="level"):
            fwad.exit_dual_level(level=level + 1)
        near(fwad.unpack_dual(d).tangent, [2.0])
    finally:
        fwad.exit_dual_level(level=level)
    assert fwad.unpack_dual(d).tangent is None


def test_dual_level_as_decorator():
    @fwad.dual_level()
    def f():
        return fwad.unpack_dual(fwad.make_dual(const([1.0]), const([2.0])) * 5).tangent

    near(f(), [10.0])
    near(f(), [10.0])


def test_make_dual_outside_a_level_is_refused():
    with pytest.raises(RuntimeError, match="level"):
        fwad.make_dual(const([1.0]), const([1.0]))


def test_make_dual_checks_kind_and_shape():
    with fwad.dual_level():
        with pytest.raises(ValueError, match="(?i)float"):
            fwad.make_dual(torch.tensor([1]), const([1.0]))
        with pytest.raises(ValueError, match="(?i)float"):
            fwad.make_dual(const([1.0]), torch.tensor([1]))
        with pytest.raises(RuntimeError, match="size|shape"):
            fwad.make_dual(const([1.0, 2.0]), const([1.0, 2.0, 3.0]))


FORWARD_CASES = [
    ("pow", lambda d: d**3, [2.0, -1.0]),
    ("exp sin", lambda d: d.sin().exp(), [0.3, 1.2]),
    ("tanh sigmoid", lambda d: d.tanh() * d.sigmoid(), [0.3, -1.2]),
    ("sum mean", lambda d: d.sum(0) * d.mean(1, keepdim=True), [[1.0, 2.0], [3.0, -1.0]]),
    ("matmul", lambda d: d @ d, [[1.0, 2.0], [3.0, -1.0]]),
    ("softmax", lambda d: d.softmax(-1), [[1.0, 2.0], [3.0, -1.0]]),
    ("cat stack", lambda d: torch.cat([torch.stack([d, d * 2]), d[None] ** 2]), [1.0, 2.0]),
    ("cumsum", lambda d: d.cumsum(0) ** 2, [1.0, -2.0, 0.5]),
    ("clamp", lambda d: d.clamp(-1.0, 1.0), [0.5, -2.0, 3.0]),
]


# ---------------------------------------------------------------- propagation


@pytest.mark.parametrize("name, f, x", FORWARD_CASES, ids=[c[0] for c in FORWARD_CASES])
def test_tangent_matches_finite_difference(name, f, x):
    t = (
        const(x).flatten() * 0 + torch.arange(1.0, 1.0 + len(flat(x)), dtype=torch.float64)
    ).reshape(const(x).shape) / 7
    near(jvp(f, x, t.tolist()), slope(f, x, t.tolist()), tol=1e-6)


def test_detach_drops_the_tangent_and_clone_keeps_it():
    with fwad.dual_level():
        d = fwad.make_dual(const([2.0]), const([1.0]))
        assert fwad.unpack_dual(d.detach()).tangent is None
        near(fwad.unpack_dual(d.clone()).tangent, [1.0])
        near(fwad.unpack_dual(d).tangent, [1.0])


def test_inference_mode_stops_forward_mode():
    with fwad.dual_level():
        d = fwad.make_dual(const([2.0]), const([1.0]))
        with torch.inference_mode():
            y = d * d
        assert fwad.unpack_dual(y).tangent is None


# ---------------------------------------------------------------- views and in-place


def test_view_of_dual_has_view_of_tangent():
    with fwad.dual_level():
        d = fwad.make_dual(const([[1.0, 2.0], [3.0, 4.0]]), const([[10.0, 20.0], [30.0, 40.0]]))
        near(fwad.unpack_dual(d.t()[0]).tangent, [10.0, 30.0])
        near(fwad.unpack_dual(d.view(4)[1:3]).tangent, [20.0, 30.0])


def test_plain_tensor_becomes_dual_by_in_place_operation():
    with fwad.dual_level():
        x = const([2.0])
        x.mul_(fwad.make_dual(const([3.0]), const([1.0])))
        near(fwad.unpack_dual(x).tangent, [2.0])


def test_dual_written_into_part_of_a_plain_tensor():
    with fwad.dual_level():
        x = torch.zeros(3, dtype=torch.float64)
        x[1:2] = fwad.make_dual(const([1.0]), const([5.0]))
        pair = fwad.unpack_dual(x)
        near(pair.primal, [0.0, 1.0, 0.0])
        near(pair.tangent, [0.0, 5.0, 0.0])


def test_dual_written_through_view_of_plain_base():
    with fwad.dual_level():
        base = torch.zeros(2, 2, dtype=torch.float64)
        base.t()[0].copy_(fwad.make_dual(const([1.0, 2.0]), const([5.0, 6.0])))
        near(fwad.unpack_dual(base).tangent, [[5.0, 0.0], [6.0, 0.0]])


# ---------------------------------------------------------------- with reverse mode


def test_dual_result_may_run_backward():
    x = leaf([2.0])
    with fwad.dual_level():
        y = fwad.make_dual(x, const([1.0])) ** 2
        y.backward()
    near(x.grad, [4.0])
