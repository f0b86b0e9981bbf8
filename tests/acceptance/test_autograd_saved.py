# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: tensors saved for backward, their hooks, mutation of saved tensors."""

import threading
import weakref
import pytest
from seed import autograd, const, graph, leaf, near, torch


def keep(t):
    return t.detach()


def same(t):
    return t


# ---------------------------------------------------------------- saved_tensors_hooks


def test_operator_that_saves_nothing_packs_nothing():
    a, b = leaf([2.0]), leaf([5.0])
    calls = []
    with graph.saved_tensors_hooks(lambda t: calls.append(1) or t.detach(), same):
        (a + b).backward()
    assert calls == []


def test_unneeded_operand_is_not_packed():
    a, c = leaf([2.0]), const([5.0])
    packed = []
    with graph.saved_tensors_hooks(lambda t: packed.append(t.item()) or t.detach(), same):
        a * c
    assert packed == [5.0]


def test_unpack_after_the_context_and_again_for_retained_graph():
    a = leaf([0.0])
    count = []
    with graph.saved_tensors_hooks(keep, lambda t: count.append(1) or t):
        y = a.exp()
    y.backward(retain_graph=True)
    y.backward()
    assert count == [1, 1]


def test_exception_of_unpack_surfaces_in_backward():
    class Odd(Exception):
        pass

    def fail(t):
        raise Odd("unpack")

    a = leaf([2.0])
    with graph.saved_tensors_hooks(keep, fail):
        y = a * a
    with pytest.raises(Odd):
        y.backward()


def test_packing_to_an_index_in_a_store():
    store = []

    def pack(t):
        store.append(t.detach().clone())
        return len(store) - 1

    a = leaf([2.0, 3.0])
    with graph.saved_tensors_hooks(pack, lambda i: store[i]):
        y = (a * a).sin().sum()
    y.backward()
    near(a.grad, (2 * a * (a * a).cos()).detach())
    assert len(store) == 3


def test_saved_tensor_hooks_reach_custom_functions():
    class Square(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    a = leaf([3.0])
    with graph.saved_tensors_hooks(keep, lambda t: t * 10):
        y = Square.apply(a)
    y.backward()
    near(a.grad, [60.0])


def test_saved_tensor_hooks_are_thread_local():
    calls = []

    def work():
        a = leaf([2.0])
        (a * a).backward()

    with graph.saved_tensors_hooks(lambda t: calls.append(1) or t.detach(), same):
        t = threading.Thread(target=work)
        t.start()
        t.join()
    assert calls == []


def test_hooks_apply_to_what_backward_saves_under_create_graph():
    a = leaf([2.0])
    y = a * a * a
    calls = []
    with graph.saved_tensors_hooks(lambda t: calls.append(1) or t.detach(), same):
        autograd.grad(y, a, create_graph=True)
    assert len(calls) > 0


def test_what_pack_returned_is_freed_by_backward():
    class Box:
        def __init__(self, t):
            self.t = t.detach()

    refs = []

    def pack(t):
        box = Box(t)
        refs.append(weakref.ref(box))
        return box

    a = leaf([2.0])
    with graph.saved_tensors_hooks(pack, lambda box: box.t):
        y = a.exp()
    assert [r() is not None for r in refs] == [True]
    y.backward()
    assert [r() for r in refs] == [None]


# ---------------------------------------------------------------- save_on_cpu, disabling


def test_save_on_cpu_keeps_gradients():
    a = leaf([2.0, 3.0])
    with graph.save_on_cpu():
        y = (a * a * a).sum()
    y.backward()
    near(a.grad, [12.0, 27.0])


def test_disabling_nests_and_restores_messages():
    def attempt():
        with graph.saved_tensors_hooks(keep, same):
            pass

    with graph.disable_saved_tensors_hooks("first"):
        with graph.disable_saved_tensors_hooks("second"):
            with pytest.raises(RuntimeError, match="second"):
                attempt()
        with pytest.raises(RuntimeError, match="first"):
            attempt()
    attempt()


def test_disabling_while_hooks_are_active_is_refused():
    with graph.saved_tensors_hooks(keep, same):
        with pytest.raises(RuntimeError, match="busy"):
            with graph.disable_saved_tensors_hooks("busy"):
                pass


def test_computation_under_disabled_hooks_is_normal():
    a = leaf([3.0])
    with graph.disable_saved_tensors_hooks("no"):
        (a * a).backward()
    near(a.grad, [6.0])


# ---------------------------------------------------------------- reading saved values


def test_node_shows_saved_result_as_equal_other_object():
    x = leaf([2.0])
    y = x.exp()
    saved = y.grad_fn._saved_result
    assert saved is not y and torch.equal(saved, y) and saved.grad_fn is y.grad_fn


def test_node_has_no_saved_tensors_after_backward():
    x = leaf([2.0])
    y = x.pow(2)
    y.backward()
    with pytest.raises(RuntimeError, match="(?i)freed|saved"):
        y.grad_fn._saved_self


def test_saved_result_does_not_keep_its_tensor_in_a_cycle():
    x = leaf([2.0])
    y = x.exp()
    ref = weakref.ref(y)
    del y
    assert ref() is None


# ---------------------------------------------------------------- allow_mutation_on_saved_tensors


def test_mutation_allowed_uses_the_value_at_saving():
    with graph.allow_mutation_on_saved_tensors():
        x = leaf([2.0, 3.0])
        h = x.clone()
        y = (h * h).sum()
        h.sin_()
        y.backward()
    near(x.grad, [4.0, 6.0])


def test_mutation_contexts_do_not_nest():
    with pytest.raises(RuntimeError, match="nested"):
        with graph.allow_mutation_on_saved_tensors():
            with graph.allow_mutation_on_saved_tensors():
                pass
    with graph.allow_mutation_on_saved_tensors():
        pass
