# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: the engine: re-entrancy, threads, order, lifetime of graphs and objects."""

import gc
import threading
import weakref
import pytest
from seed import autograd, const, graph, leaf, near, torch


def make(forward, backward):
    return type(
        "Made",
        (autograd.Function,),
        {"forward": staticmethod(forward), "backward": staticmethod(backward)},
    )


def in_threads(n, work):
    """Runs work(i) in n threads at once; returns their exceptions."""
    errors = []
    barrier = threading.Barrier(n)

    def run(i):
        try:
            barrier.wait(30)
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    return errors


# ---------------------------------------------------------------- re-entrancy


def test_inner_backward_into_the_same_leaf():
    x = leaf([3.0])

    def backward(ctx, g):
        with torch.enable_grad():
            (x * 10).backward()
        return g * 2

    make(lambda ctx, x: x * 2, backward).apply(x).backward()
    near(x.grad, [12.0])


def test_deeply_nested_backward():
    depth = []

    def level(n):
        def backward(ctx, g):
            depth.append(n)
            if n:
                with torch.enable_grad():
                    h = leaf([1.0])
                    level(n - 1).apply(h).backward()
                return h.grad * 2
            return g * 2

        return make(lambda ctx, x: x * 2, backward)

    x = leaf([1.0])
    level(60).apply(x).backward()
    assert depth == list(range(60, -1, -1))
    near(x.grad, [2.0**61])


# ---------------------------------------------------------------- threads


def test_threads_with_separate_graphs_do_not_disturb_each_other():
    results = {}

    def work(i):
        x = leaf([float(i + 1)])
        for _ in range(20):
            x.grad = None
            (x**3).sin().backward()
        results[i] = (x.grad, (3 * x**2 * (x**3).cos()).detach())

    assert in_threads(4, work) == []
    for got, expected in results.values():
        near(got, expected)


def test_threads_share_a_retained_graph():
    x = leaf([3.0])
    h = x * x
    roots = [h * float(i) for i in range(4)]
    assert in_threads(4, lambda i: roots[i].backward(retain_graph=True)) == []
    near(x.grad, [6.0 * (0 + 1 + 2 + 3)])


def test_autograd_grad_from_threads_is_independent():
    x = leaf([3.0])
    y = x**2
    got = [None] * 4

    def work(i):
        got[i] = autograd.grad(y, x, const([float(i)]), retain_graph=True)[0].item()

    assert in_threads(4, work) == []
    assert got == [0.0, 6.0, 12.0, 18.0] and x.grad is None


def test_graph_made_in_one_thread_may_run_in_another():
    x = leaf([2.0])
    made = []
    assert in_threads(1, lambda i: made.append(x**3)) == []
    made[0].backward()
    near(x.grad, [12.0])


def test_grad_mode_inside_backward_ignores_other_threads():
    modes = []
    F = make(lambda ctx, x: x * 2, lambda ctx, g: modes.append(torch.is_grad_enabled()) or g * 2)

    def work(i):
        x = leaf([1.0])
        with torch.set_grad_enabled(True):
            y = F.apply(x)
        autograd.grad(y, x, create_graph=bool(i))
        modes.append((i, torch.is_grad_enabled()))

    assert in_threads(1, lambda i: work(0)) == [] and in_threads(1, lambda i: work(1)) == []
    assert modes == [False, (0, True), True, (1, True)]


def test_hooks_registered_in_another_thread_fire():
    x = leaf([1.0])
    assert in_threads(1, lambda i: x.register_hook(lambda g: g * 10) and None) == []
    (x * 2).backward()
    near(x.grad, [20.0])


def test_multithreading_switch_is_a_context():
    assert autograd.is_multithreading_enabled() is True
    with autograd.set_multithreading_enabled(False):
        assert autograd.is_multithreading_enabled() is False
        x = leaf([2.0])
        (x**2).backward()
    assert autograd.is_multithreading_enabled() is True
    near(x.grad, [4.0])


# ---------------------------------------------------------------- order of execution


def test_only_the_needed_part_of_the_graph_runs():
    ran = []

    def named(name):
        return make(lambda ctx, x: x * 1, lambda ctx, g: ran.append(name) or g)

    a, b = leaf([1.0]), leaf([1.0])
    y = named("a").apply(a) * named("b").apply(b)
    autograd.grad(y, a)
    assert ran == ["a"]


def test_callback_queued_in_backward_runs_after_it():
    x = leaf([1.0])
    order = []
    x.register_hook(lambda g: graph.queue_callback(lambda: order.append(("done", x.grad.item()))))
    h = x * 2
    h.register_hook(lambda g: order.append("h"))
    (h * 3).backward()
    assert order == ["h", ("done", 6.0)]


def test_callback_outside_backward_is_refused():
    with pytest.raises(RuntimeError):
        graph.queue_callback(lambda: None)


def test_node_creation_hooks_nest_outermost_first_and_may_write_metadata():
    x = leaf([1.0]) * 1
    order = []

    def hook(name):
        def call(node):
            order.append(name)
            node.metadata[name] = True

        return call

    with graph.node_creation_hook(hook("outer")), graph.node_creation_hook(hook("inner")):
        y = x * 2
    assert order == ["outer", "inner"] and y.grad_fn.metadata == {"outer": True, "inner": True}


# ---------------------------------------------------------------- lifetime


def test_saved_tensors_are_freed_by_backward_while_result_lives():
    class Token:
        pass

    x = leaf([1.0])
    h = x * 2
    h.token = Token()
    token = weakref.ref(h.token)
    y = h.pow(2).sum()
    del h
    assert token() is not None
    y.backward()
    assert token() is None and y.requires_grad


def test_grad_object_is_stable():
    x = leaf([1.0])
    (x * 2).backward()
    assert x.grad is x.grad
    x.grad.tag = 5
    (x * 2).backward()
    assert x.grad.tag == 5 and x.grad.item() == 4.0


def test_leaf_does_not_keep_graphs_alive():
    F = make(lambda ctx, x: x * 2, lambda ctx, g: g)
    x = leaf([1.0])
    refs = []
    for _ in range(3):
        y = F.apply(x)
        refs.append(weakref.ref(y.grad_fn))
        y.backward()
    del y
    assert [r() for r in refs] == [None, None, None]


def test_python_cycle_through_node_metadata_is_collected():
    class Token:
        pass

    token = Token()
    x = leaf([1.0])
    x.token, token.x = token, x
    ref = weakref.ref(token)
    del x, token
    gc.collect()
    assert ref() is None
