# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: tensor hooks, accumulate hooks, node hooks, multi-grad hooks."""

import pytest
from seed import autograd, flat, graph, leaf, near, torch


# ---------------------------------------------------------------- tensor hooks


def test_hook_replaces_the_gradient():
    x = leaf([1.0])
    x.register_hook(lambda g: g * 10)
    (x * 3).backward()
    near(x.grad, [30.0])


def test_hooks_chain_in_order_of_registration():
    x = leaf([1.0])
    x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: None)
    (x * 3).backward()
    near(x.grad, [40.0])


def test_hook_on_intermediate_affects_only_earlier_nodes():
    x, w = leaf([2.0]), leaf([5.0])
    h = x * 3
    h.register_hook(lambda g: g * 100)
    (h * w).backward()
    near(w.grad, [6.0])
    near(x.grad, [1500.0])


def test_hook_on_intermediate_gets_the_sum_of_its_uses():
    x = leaf([2.0])
    h = x * 1
    seen = []
    h.register_hook(lambda g: seen.append(g.item()))
    (h * 2 + h * 5).backward()
    assert seen == [7.0]


def test_handle_is_a_context_manager():
    x = leaf([1.0])
    with x.register_hook(lambda g: g * 10):
        (x * 1).backward()
    (x * 1).backward()
    near(x.grad, [11.0])


def test_removing_one_hook_leaves_the_others():
    x = leaf([1.0])
    handles = [x.register_hook(lambda g, k=k: g * k) for k in (2, 3, 5)]
    handles[1].remove()
    (x * 1).backward()
    near(x.grad, [10.0])


def test_hook_may_remove_itself():
    x = leaf([1.0])
    calls = []

    def once(g):
        calls.append(1)
        handle.remove()

    handle = x.register_hook(once)
    (x * 1).backward()
    (x * 1).backward()
    assert calls == [1]


def test_same_function_registered_twice_runs_twice():
    x = leaf([1.0])

    def double(g):
        return g * 2

    x.register_hook(double)
    x.register_hook(double)
    (x * 1).backward()
    near(x.grad, [4.0])


def test_hook_returning_wrong_type_or_shape_is_refused():
    for bad in (lambda g: 3.0, lambda g: torch.ones(5, dtype=torch.float64)):
        x = leaf([1.0, 2.0])
        x.register_hook(bad)
        with pytest.raises((TypeError, RuntimeError)):
            (x * 1).sum().backward()
        assert x.grad is None


def test_hook_of_captured_intermediate_acts_on_autograd_grad():
    x = leaf([1.0])
    h = x * 2
    h.register_hook(lambda g: g + 1)
    near(autograd.grad(h * 3, h)[0], [4.0])


def test_hooks_do_not_follow_clone_or_detach():
    x = leaf([1.0])
    calls = []
    x.register_hook(lambda g: calls.append(1))
    y = x.detach().requires_grad_()
    (y * 2).backward()
    assert calls == []


def test_hook_is_differentiated_under_create_graph():
    x = leaf([2.0])
    h = x * 1
    h.register_hook(lambda g: g * h)
    (g,) = autograd.grad(h * 3, x, create_graph=True)
    near(g, [6.0])
    near(autograd.grad(g, x)[0], [3.0 * 2])  # the hook acts once more, on the second pass


def test_retained_grad_is_taken_after_all_hooks_whenever_registered():
    x = leaf([1.0])
    h = x * 2
    h.register_hook(lambda g: g * 3)
    h.retain_grad()
    h.register_hook(lambda g: g * 5)
    h.backward()
    near(h.grad, [15.0])
    near(x.grad, [30.0])


# ---------------------------------------------------------------- after-accumulation hooks


def test_post_accumulate_hook_may_take_the_step_itself():
    x = leaf([10.0])

    def step(p):
        with torch.no_grad():
            p -= 0.5 * p.grad
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * x).backward()
    assert x.grad is None and x.tolist() == [0.0]
    handle.remove()
    (x * 3).backward()
    near(x.grad, [3.0])


# ---------------------------------------------------------------- node hooks


def test_node_prehook_sees_and_replaces_incoming_gradients():
    x = leaf([2.0])
    y = x * x
    seen = []

    def pre(grads):
        seen.append([g.item() for g in grads])
        return (grads[0] * 10,)

    y.grad_fn.register_prehook(pre)
    (y * 3).backward()
    assert seen == [[3.0]]
    near(x.grad, [120.0])


def test_node_hook_returning_wrong_count_is_refused():
    a, b = leaf([2.0]), leaf([5.0])
    y = a * b
    handle = y.grad_fn.register_hook(lambda gi, go: (gi[0],))
    with pytest.raises(RuntimeError):
        y.backward(retain_graph=True)
    assert a.grad is None and b.grad is None
    handle.remove()
    y.backward()
    near(a.grad, [5.0])


def test_order_of_tensor_prehook_node_prehook_and_node_hook():
    x = leaf([1.0])
    y = x * 2
    order = []
    y.grad_fn.register_hook(lambda gi, go: order.append("node"))
    y.grad_fn.register_prehook(lambda go: order.append("node pre"))
    y.register_hook(lambda g: order.append("tensor"))
    y.backward()
    assert order == ["tensor", "node pre", "node"]


def test_hooks_on_the_accumulator_node():
    x = leaf([1.0])
    node = graph.get_gradient_edge(x).node
    seen = []
    node.register_prehook(lambda go: (go[0] * 10,))
    node.register_hook(lambda gi, go: seen.append((len(gi), go[0].item(), x.grad.item())))
    (x * 3).backward()
    assert seen == [(0, 30.0, 30.0)]


def test_node_hooks_run_only_for_nodes_of_the_requested_part():
    a, b = leaf([1.0]), leaf([1.0])
    ha, hb = a * 2, b * 3
    calls = []
    ha.grad_fn.register_hook(lambda gi, go: calls.append("a"))
    hb.grad_fn.register_hook(lambda gi, go: calls.append("b"))
    autograd.grad(ha * hb, a)
    assert calls == ["a"]


def test_node_itself_is_not_run_for_a_captured_intermediate_by_grad():
    x = leaf([1.0])
    h = x * 2
    calls = []
    h.grad_fn.register_prehook(lambda go: calls.append("pre"))
    h.grad_fn.register_hook(lambda gi, go: calls.append("post"))
    near(autograd.grad(h * 3, h)[0], [3.0])
    assert calls == []


def test_multi_output_node_hook_gets_none_for_unused_outputs():
    x = leaf([[1.0], [2.0], [3.0]])
    a, b, c = x.unbind(0)
    seen = []
    a.grad_fn.register_prehook(lambda go: seen.append([g is None for g in go]))
    (b * 2).backward()
    assert seen == [[True, False, True]]
    near(x.grad, [[0.0], [2.0], [0.0]])


# ---------------------------------------------------------------- multi-grad hooks


def test_multi_grad_hook_waits_for_all():
    a, b = leaf([2.0]), leaf([3.0])
    seen = []
    graph.register_multi_grad_hook((a, b), lambda grads: seen.append(flat(grads)))
    (a * b).backward()
    (a * 5 + b).backward()
    assert seen == [[3.0, 2.0], [5.0, 1.0]]


def test_multi_grad_hook_any_fires_once_with_the_first():
    x = leaf([1.0])
    a, b = x * 2, x * 3
    seen = []
    graph.register_multi_grad_hook((a, b), lambda g: seen.append(g.item()), mode="any")
    y = a * 5 + b * 7
    y.backward(retain_graph=True)
    assert len(seen) == 1 and seen[0] in (5.0, 7.0)
    y.backward()
    assert len(seen) == 2


def test_multi_grad_hook_handle_and_bad_mode():
    a, b = leaf([2.0]), leaf([3.0])
    calls = []
    handle = graph.register_multi_grad_hook((a, b), lambda gs: calls.append(1))
    handle.remove()
    (a * b).backward()
    assert calls == []
    with pytest.raises(ValueError, match="mode"):
        graph.register_multi_grad_hook((a, b), print, mode="some")
