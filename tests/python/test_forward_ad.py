# SPDX-License-Identifier: Apache-2.0
"""Forward mode in Python: levels, dual tensors, second derivatives, custom operators."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
import tenon
from tenon.autograd import forward_ad, grad
from tenon.thread_state import ThreadPoolExecutor, ThreadState


def const(data, dtype=tenon.float64):
    return tenon.tensor(data, dtype=dtype)


def leaf(data):
    return tenon.tensor(data, dtype=tenon.float64, requires_grad=True)


def near(tensor, expected):
    assert tensor.detach().tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)


def tangent(tensor):
    return forward_ad.unpack_dual(tensor).tangent


# ---- Levels --------------------------------------------------------------------------------------


def test_unpacked_parts_have_names():
    x, t = const([2.0]), const([3.0])
    with forward_ad.dual_level():
        pair = forward_ad.unpack_dual(forward_ad.make_dual(x, t))
        assert isinstance(pair, forward_ad.UnpackedDualTensor)
        assert pair.tangent is t and pair.primal.data_ptr() == x.data_ptr()
        assert tangent(pair.primal) is None


def test_outside_of_levels_nothing_has_a_tangent():
    x = const([2.0])
    assert forward_ad.unpack_dual(x) == (x, None)
    with pytest.raises(RuntimeError, match="level"):
        forward_ad.exit_dual_level()
    with pytest.raises(RuntimeError, match="level"):
        forward_ad.unpack_dual(x, level=0)


def test_tangent_ends_with_its_level():
    x, t = const([2.0]), const([3.0])
    gone = weakref.ref(t)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, t)
        del t
        gc.collect()
        assert tangent(dual) is gone()
    gc.collect()
    assert gone() is None
    assert dual.tolist() == [2.0]


def test_threads_have_their_own_levels():
    found = []

    def work(shared):
        found.append(tangent(shared))
        with forward_ad.dual_level():
            found.append(tangent(shared))
            found.append(tangent(forward_ad.make_dual(const([1.0]), const([2.0])) * 3).tolist())

    with forward_ad.dual_level():
        dual = forward_ad.make_dual(const([2.0]), const([3.0]))
        thread = threading.Thread(target=work, args=(dual,))
        thread.start()
        thread.join()
        near(tangent(dual * 2), [6.0])
    assert found == [None, None, [6.0]]


def test_thread_states_carry_levels():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(const([3.0]), const([1.0]))
        with ThreadPoolExecutor(1) as executor:
            square = executor.submit(lambda: dual * dual).result()
            near(tangent(square), [6.0])
            with pytest.raises(RuntimeError, match="nested"):
                executor.submit(forward_ad.enter_dual_level).result()
            with pytest.raises(RuntimeError, match="left where it was entered"):
                executor.submit(forward_ad.exit_dual_level).result()
        left = ThreadState().bind(forward_ad.exit_dual_level)
    with pytest.raises(RuntimeError, match="got none"):
        left()


def test_arguments_are_checked():
    with forward_ad.dual_level():
        with pytest.raises(TypeError, match="tensor must be Tensor, got list"):
            forward_ad.make_dual([1.0], const([1.0]))
        with pytest.raises(TypeError, match="tangent must be Tensor, got NoneType"):
            forward_ad.make_dual(const([1.0]), None)
        with pytest.raises(TypeError, match="float32"):
            forward_ad.make_dual(const([1.0]), const([1.0], tenon.float32))
        with pytest.raises(TypeError, match="Tensor"):
            forward_ad.unpack_dual(1.0)
        with pytest.raises(RuntimeError, match="level"):
            forward_ad.make_dual(const([1.0]), const([1.0]), level=3)
        dual = forward_ad.make_dual(const([1.0]), const([1.0]))
        with pytest.raises(RuntimeError, match="must not have a tangent"):
            forward_ad.make_dual(dual, const([1.0]))


# ---- Tangents ------------------------------------------------------------------------------------


def test_tangent_of_another_layout_is_copied():
    x, t = const([[1.0, 2.0], [3.0, 4.0]]), const([[1.0, 2.0], [3.0, 4.0]]).t()
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, t)
        assert tangent(dual).stride() == x.stride()
        assert tangent(dual).tolist() == t.tolist()
        assert tangent(dual.view(4)).tolist() == [1.0, 3.0, 2.0, 4.0]


def test_absent_tangents_are_zeros_and_make_no_nans():
    infinite, x = const([float("inf")]), const([0.0])
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(const([2.0]), const([1.0]))
        assert tangent(dual * infinite).tolist() == [float("inf")]
        near(tangent(dual + infinite), [1.0])
        near(tangent(tenon.pow(forward_ad.make_dual(x - 3, const([1.0])), const([2.0]))), [-6.0])
        near(tangent(tenon.stack([dual, x])).flatten(), [1.0, 0.0])


def test_complex_numbers():
    x, t = tenon.tensor([1 + 2j]), tenon.tensor([2 - 1j])
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, t)
        assert tangent(dual * dual).tolist() == pytest.approx([2 * (1 + 2j) * (2 - 1j)])
        assert tangent(dual.conj() * 2j).tolist() == pytest.approx([2j * (2 + 1j)])
        # The derivative of |x| is the projection of t on x.
        assert tangent(dual.abs()).tolist() == pytest.approx([0.0], abs=1e-6)


def test_results_without_derivative_have_no_tangent():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(const([2.0, 1.0]), const([1.0, 1.0]))
        assert tangent(dual > 1) is None
        assert tangent(dual.argmax()) is None
        values, indices = dual.max(0)
        assert tangent(indices) is None
        near(tangent(values), 1.0)


def test_kernels_in_python_pass_tangents_on():
    with tenon.library._scoped_library("test_forward_ad", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(const([2.0]), const([3.0]))
            near(tangent(tenon.ops.test_forward_ad.twice(dual)), [6.0])


def test_operator_without_formula_is_refused_by_name():
    with tenon.library._scoped_library("test_forward_ad", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CPU")
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(const([2.0]), const([3.0]))
            with pytest.raises(NotImplementedError, match="test_forward_ad::twice"):
                tenon.ops.test_forward_ad.twice(dual)
            with pytest.raises(RuntimeError, match="out"):
                tenon.ops.aten.mul.out(dual, dual, out=const([0.0]))


# ---- With reverse mode ---------------------------------------------------------------------------


def f(x):
    return (x.exp() * x * x).sum()


# f'' of x^2 e^x is (x^2 + 4 x + 2) e^x, multiplied by t.
X, T = [0.5, -1.0], [2.0, 3.0]
CURVE = [t * (x * x + 4 * x + 2) * 2.718281828459045**x for x, t in zip(X, T, strict=True)]


def test_tangent_of_gradient():
    x = leaf(X)
    with forward_ad.dual_level():
        (slope,) = grad(f(forward_ad.make_dual(x, const(T))), x)
        near(tangent(slope), CURVE)


def test_tangent_of_recorded_gradient():
    x = leaf(X)
    with forward_ad.dual_level():
        (slope,) = grad(f(forward_ad.make_dual(x, const(T))), x, create_graph=True)
        near(tangent(slope), CURVE)
        assert tangent(slope).requires_grad


def test_gradient_of_tangent():
    x = leaf(X)
    with forward_ad.dual_level():
        moved = tangent(f(forward_ad.make_dual(x, const(T))))
    near(grad(moved, x)[0], CURVE)


def test_gradient_by_tangent_given():
    x, t = const(X), leaf(T)
    with forward_ad.dual_level():
        moved = tangent((forward_ad.make_dual(x, t) * x).sum())
        (slope,) = grad(moved, t)
    near(slope, X)


def test_backward_leaves_a_gradient_with_a_tangent():
    x = leaf(X)
    with forward_ad.dual_level():
        f(forward_ad.make_dual(x, const(T))).backward()
        near(tangent(x.grad), CURVE)
    with forward_ad.dual_level():
        assert tangent(x.grad) is None


def test_write_in_place_recorded_both_ways():
    x = leaf(X)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, const(T))
        buffer = tenon.zeros(2, 2, dtype=tenon.float64)
        buffer[0] = dual * dual
        buffer[1].copy_(dual)
        buffer.mul_(buffer.clone())
        (slope,) = grad(buffer.sum(), x)
        near(slope, [4 * x**3 + 2 * x for x in X])
        near(tangent(slope), [t * (12 * x * x + 2) for x, t in zip(X, T, strict=True)])
        near(tangent(buffer)[0], [4 * x**3 * t for x, t in zip(X, T, strict=True)])


# ---- Functions -----------------------------------------------------------------------------------


class Square(tenon.autograd.Function):
    """Its jvp returns 5 x t, so that tests can tell that it was called."""

    seen: list = []

    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_forward(x)
        ctx.save_for_backward(x)
        return x * x * k

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x, None

    @staticmethod
    def jvp(ctx, x_t, k_t):
        Square.seen.append((x_t.tolist(), k_t))
        (x,) = ctx.saved_for_forward
        return 5 * x * x_t


@pytest.mark.parametrize("make", [const, leaf])
def test_jvp_of_a_function(make):
    Square.seen.clear()
    x = make([2.0, 3.0])
    with forward_ad.dual_level():
        y = Square.apply(forward_ad.make_dual(x, const([1.0, 10.0])), 1)
        near(y, [4.0, 9.0])
        near(tangent(y), [10.0, 150.0])
        assert Square.seen == [([1.0, 10.0], None)]
        assert tangent(Square.apply(x, 1)) is None
    if x.requires_grad:
        near(grad(y.sum(), x)[0], [4.0, 6.0])


def test_jvp_is_checked():
    class Bad(tenon.autograd.Function):
        answer: object = None

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def jvp(ctx, x_t):
            if isinstance(Bad.answer, Exception):
                raise Bad.answer
            return Bad.answer

    mine = KeyError("mine")
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(const([2.0]), const([3.0]))
        for Bad.answer, kind, text in (
            ((const([1.0]), const([1.0])), RuntimeError, "invalid number of forward gradients, 2"),
            (1.0, TypeError, "must be Tensor or None, got float"),
            (const([1.0, 2.0]), RuntimeError, "sizes"),
            (mine, KeyError, "mine"),
        ):
            with pytest.raises(kind, match=text) as caught:
                Bad.apply(dual)
            assert kind is not KeyError or caught.value is mine
            near(tangent(dual * 2), [6.0])  # forward mode works again
    Bad.answer = None


def test_function_without_jvp_is_refused():
    class Plain(tenon.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with forward_ad.dual_level():
        dual = forward_ad.make_dual(const([2.0]), const([3.0]))
        with pytest.raises(NotImplementedError, match="jvp"):
            Plain.apply(dual)
