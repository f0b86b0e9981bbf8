# SPDX-License-Identifier: Apache-2.0
"""Unusual views: several outputs, no_grad views, expand, as_strided, detach, random programs."""

import random

import pytest
from seed import autograd, const, leaf, near, sub, torch


def branch(data):
    x = leaf(data)
    return x, x.clone()


def test_multi_output_views_may_be_read_after_base_changed():
    x, h = branch([[1.0, 2.0], [3.0, 4.0]])
    h.mul_(3)
    a, b = h.unbind(0)
    (a * b).sum().backward()
    near(x.grad, [[27.0, 36.0], [9.0, 18.0]])


def test_multi_output_views_of_untracked_tensor_may_be_written():
    base = torch.zeros(2, 2)
    a, b = base.unbind(0)
    a.add_(1)
    b.add_(2)
    assert base.tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_view_made_under_no_grad_has_a_base_but_no_node():
    x, h = branch([1.0, 2.0])
    with torch.no_grad():
        v = h.view(2, 1)
    assert v.grad_fn is None and v.is_leaf and v._base is h
    h.detach().mul_(5)
    assert v.tolist() == [[5.0], [10.0]]


def test_detach_in_place_on_base_cuts_only_the_future():
    x, h = branch([1.0, 2.0])
    y = h * 3
    h.detach_()
    assert not (h * 2).requires_grad
    y.sum().backward()
    near(x.grad, [3.0, 3.0])


def test_write_to_detached_alias_changes_values_not_history():
    x, h = branch([1.0, 2.0])
    h.detach().mul_(10)
    assert h.tolist() == [10.0, 20.0]
    (h * 2).sum().backward()
    near(x.grad, [2.0, 2.0])


def test_gradient_of_expand_sums_new_and_stretched_dimensions():
    x = leaf([[1.0], [2.0]])
    y = x.expand(3, 2, 4)
    (y * torch.arange(24.0, dtype=torch.float64).reshape(3, 2, 4)).sum().backward()
    near(
        x.grad,
        [
            [sum(24 * 0 + 8 * i + j for i in range(3) for j in range(4))],
            [sum(8 * i + 4 + j for i in range(3) for j in range(4))],
        ],
    )


def test_as_strided_with_offset_and_step():
    x = leaf([1.0, 2.0, 3.0, 4.0, 5.0])
    x.as_strided((2,), (2,), 1).sum().backward()
    near(x.grad, [0.0, 1.0, 0.0, 1.0, 0.0])


def test_gradient_of_stepped_slice():
    x = leaf([1.0, 2.0, 3.0, 4.0, 5.0])
    (x[::2] * const([1.0, 10.0, 100.0])).sum().backward()
    near(x.grad, [1.0, 0.0, 10.0, 0.0, 100.0])


def test_gradient_of_mixed_index():
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = x[None, ..., 1:]
    assert tuple(y.shape) == (1, 2, 2)
    y[0, 1].sum().backward()
    near(x.grad, [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])


def test_gradient_of_negative_index_and_empty_slice():
    x = leaf([1.0, 2.0, 3.0])
    (x[-1] * 2 + x[3:].sum() + x[0:0].sum()).backward()
    near(x.grad, [0.0, 0.0, 2.0])


def test_gradient_of_repeated_index_adds_up():
    x = leaf([1.0, 2.0, 3.0])
    (x[torch.tensor([2, 2, 0])] * const([1.0, 10.0, 100.0])).sum().backward()
    near(x.grad, [100.0, 0.0, 11.0])


def test_gradient_of_boolean_mask():
    x = leaf([[1.0, -2.0], [-3.0, 4.0]])
    (x[x > 0] * const([5.0, 6.0])).sum().backward()
    near(x.grad, [[5.0, 0.0], [0.0, 6.0]])


def test_write_to_view_then_to_base_then_read_view():
    x, h = branch([1.0, 2.0, 3.0])
    v = h[1:]
    v.mul_(2)
    h.add_(1)
    v.mul_(3)
    assert h.tolist() == [2.0, 15.0, 21.0]
    (h * h).sum().backward()
    near(x.grad, [4.0, 2 * 15 * 6.0, 2 * 21 * 6.0])


def test_saved_view_is_guarded_by_writes_to_a_sibling_view():
    x, h = branch([1.0, 2.0, 3.0])
    a, b = h[:1], h[2:]
    y = a * a
    b.mul_(2)
    with pytest.raises(RuntimeError, match="(?i)in.?place"):
        y.sum().backward()


def test_double_backward_through_write_to_view():
    x, h = branch([2.0, 3.0])
    h[:1].mul_(h[1:].detach().clone() * 0 + x[1:])
    (g,) = autograd.grad((h * h).sum(), x, create_graph=True)
    near(g, [2 * 2 * 9.0, 2 * 4 * 3 + 6.0])
    (gg,) = autograd.grad(g[0], x)
    near(gg, [18.0, 4 * 2 * 3.0])


def test_real_and_imaginary_parts_are_writable_views():
    z = torch.tensor([1 + 2j], dtype=torch.complex128, requires_grad=True)
    h = z.clone()
    h.real.mul_(5)
    assert h.tolist() == [5 + 2j]
    (h.real + h.imag).sum().backward()
    near(z.grad, [5 + 1j])


def test_gradients_of_select_and_strided_diagonal_views_add_up():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    (x.as_strided((2,), (3,)) * const([1.0, 10.0])).sum().backward()
    x.select(1, -1).sum().backward()
    near(x.grad, [[1.0, 1.0], [0.0, 11.0]])


def test_in_place_chain_of_ten_views_matches_functional_form():
    x = leaf([0.5, 1.0, 1.5, 2.0])
    h, f = x.clone(), x
    for i in range(10):
        lo, hi = i % 3, i % 3 + 2
        h[lo:hi] = h[lo:hi].clone().sin()
        f = torch.cat([f[:lo], f[lo:hi].sin(), f[hi:]])
    near(autograd.grad(h.sum(), x)[0], autograd.grad(f.sum(), x)[0])


def program(seed, x):
    """Runs eight random steps: reads, which copy, and writes through views of one 2 by 3 buffer."""
    rng = random.Random(seed)
    h, kept, result = x.clone(), [], 0
    old = h[:, 1:]
    for _ in range(8):
        i, j = rng.randrange(2), rng.randrange(3)
        v = [
            h[i],
            h[:, j],
            h.t()[j],
            h.view(6)[::2],
            h.view(3, 2)[1:],
            h.as_strided((2, 2), (3, 1), 1),
            h[i : i + 1, j],
            old,
        ][rng.randrange(8)]
        k = rng.randrange(8)
        if k == 0:
            v.mul_(1.0 + 0.1 * j)
        elif k == 1:
            v.sin_()
        elif k == 2:
            v.copy_(v.clone() ** 2)
        elif k == 3:
            v.add_(h.clone().mean() * 0.5)
        elif k == 4:
            kept.append(v.clone().exp().sum())
        elif k == 5:
            h[i, j] = kept[-1] * 0.1 if kept else 0.25
        elif k == 6:
            h.copy_(h.clone().tanh())
        else:
            v[...] = (h.clone().sum(0)[j] * v.clone()).cos()
    for n, part in enumerate(kept):
        result = result + (n + 1) * part
    return (
        result
        + (h * torch.arange(1.0, 7.0, dtype=torch.float64).view(2, 3)).sum()
        + (old.clone() ** 2).sum()
    )


START = [[0.3, -0.7, 1.1], [0.9, -0.2, 0.5]]
PROGRAM_CASES = [
    102,
    103,
    104,
    105,
    106,
    107,
    108,
    109,
    110,
    111,
    118,
    119,
]


# ---------------------------------------------------------- random programs of views and writes


@pytest.mark.parametrize("seed", PROGRAM_CASES)
def test_random_program_of_views_and_writes_has_the_right_gradient(seed):
    x = leaf(START)
    (g,) = autograd.grad(program(seed, x), x)
    for i in range(6):
        sides = []
        for step in (1e-6, -1e-6):
            moved = const(START)
            moved.view(6)[i] += step
            sides.append(program(seed, moved).item())
        assert g.flatten()[i].item() == pytest.approx(
            (sides[0] - sides[1]) / 2e-6, rel=1e-5, abs=1e-5
        )


FORWARD_PROGRAM_CASES = [
    201,
    204,
    205,
    206,
    208,
    211,
]


@pytest.mark.parametrize("seed", FORWARD_PROGRAM_CASES)
def test_random_program_agrees_between_forward_and_reverse_mode(seed):
    fwad = sub("autograd.forward_ad")
    x, t = leaf(START), const([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
    (g,) = autograd.grad(program(seed, x), x)
    with fwad.dual_level():
        tangent = fwad.unpack_dual(program(seed, fwad.make_dual(const(START), t))).tangent
    near(tangent, (g * t).sum(), tol=1e-8)
