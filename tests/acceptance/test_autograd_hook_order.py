# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: the order of hooks of every kind, removal while they run, node names."""

import warnings

import pytest
from seed import autograd, const, graph, leaf, near, torch


def note(log, name):
    return lambda *args: log.append(name)


def test_order_of_all_hooks_on_a_result():
    log = []
    x = leaf([1.0])
    h = x * 2
    h.grad_fn.register_prehook(note(log, "prehook 1"))
    h.register_hook(note(log, "tensor 1"))
    h.grad_fn.register_hook(note(log, "hook 1"))
    h.register_hook(note(log, "tensor 2"))
    h.retain_grad()
    h.grad_fn.register_hook(note(log, "hook 2"))
    h.grad_fn.register_prehook(note(log, "prehook 2"))
    x.register_hook(note(log, "leaf"))
    (h * 3).backward()
    assert log == ["tensor 1", "tensor 2", "prehook 1", "prehook 2", "hook 1", "hook 2", "leaf"]
    near(h.grad, [3.0])


def test_order_of_all_hooks_on_a_leaf():
    log = []
    x = leaf([1.0])
    node = graph.get_gradient_edge(x).node
    x.register_post_accumulate_grad_hook(note(log, "accumulated 1"))
    node.register_hook(note(log, "hook"))
    node.register_prehook(note(log, "prehook"))
    x.register_hook(note(log, "tensor 1"))
    x.register_hook(note(log, "tensor 2"))
    x.register_post_accumulate_grad_hook(note(log, "accumulated 2"))
    (x * 3).backward()
    assert log == ["tensor 1", "tensor 2", "prehook", "accumulated 1", "accumulated 2", "hook"]


@pytest.mark.parametrize("kind", ["tensor", "prehook", "hook", "accumulated"])
def test_hook_may_remove_itself_and_the_others_still_run(kind):
    log, handles = [], []
    x = leaf([1.0])
    y = x * 2

    def register(fn):
        if kind == "tensor":
            return y.register_hook(fn)
        if kind == "accumulated":
            return x.register_post_accumulate_grad_hook(fn)
        return getattr(y.grad_fn, "register_" + kind)(fn)

    def removing(*args):
        log.append("first")
        handles[0].remove()

    handles.append(register(removing))
    handles.append(register(note(log, "second")))
    y.backward(retain_graph=True)
    assert log == ["first", "second"]
    y.backward()
    assert log == ["first", "second", "second"]


@pytest.mark.parametrize("kind", ["tensor", "prehook", "hook", "accumulated"])
def test_hook_may_remove_a_later_one_while_they_run(kind):
    log, handles = [], []
    x = leaf([1.0])
    y = x * 2

    def register(fn):
        if kind == "tensor":
            return y.register_hook(fn)
        if kind == "accumulated":
            return x.register_post_accumulate_grad_hook(fn)
        return getattr(y.grad_fn, "register_" + kind)(fn)

    def removing(*args):
        log.append("first")
        handles[1].remove()

    handles.append(register(removing))
    handles.append(register(note(log, "second")))
    y.backward(retain_graph=True)
    y.backward()
    assert log.count("first") == 2
    assert log.count("second") <= 1


def test_removed_hooks_of_every_kind_run_no_more():
    log = []
    x = leaf([1.0])
    y = x * 2
    handles = [
        y.register_hook(note(log, "tensor")),
        y.grad_fn.register_prehook(note(log, "prehook")),
        y.grad_fn.register_hook(note(log, "hook")),
        x.register_post_accumulate_grad_hook(note(log, "accumulated")),
    ]
    for handle in handles:
        handle.remove()
        handle.remove()
    y.backward()
    assert log == []


def test_hooks_registered_after_a_write_follow_the_new_node():
    log = []
    x = leaf([1.0])
    y = x * 2
    y.register_hook(note(log, "before"))
    y.mul_(3)
    y.register_hook(note(log, "after"))
    y.backward()
    assert log == ["after", "before"]


def test_prehooks_of_tensor_run_though_its_node_does_not():
    log = []
    x = leaf([1.0])
    h = x * 2
    h.register_hook(note(log, "tensor"))
    h.grad_fn.register_prehook(note(log, "prehook"))
    h.grad_fn.register_hook(note(log, "hook"))
    autograd.grad(h * 3, h)
    assert log == ["tensor"]


def test_prehook_changes_incoming_gradients_and_hook_the_results():
    x = leaf([1.0])
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    seen = []
    y.grad_fn.register_hook(
        lambda inputs, outputs: seen.append((inputs[0].item(), outputs[0].item()))
    )
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + 1,) + inputs[1:])
    y.backward()
    assert seen == [(20.0, 10.0)]
    near(x.grad, [21.0])


@pytest.mark.parametrize("kind", ["prehook", "hook"])
def test_node_hook_of_wrong_result_is_refused(kind):
    x = leaf([1.0])
    for wrong in ((1,), ("a",), 3):
        y = x * 2
        getattr(y.grad_fn, "register_" + kind)(lambda *args, wrong=wrong: wrong)
        with pytest.raises((TypeError, RuntimeError)):
            y.backward()


def test_post_accumulate_hook_is_for_leaves_only_and_returns_nothing():
    x = leaf([1.0])
    with pytest.raises(RuntimeError):
        (x * 2).register_post_accumulate_grad_hook(lambda t: None)
    with pytest.raises(RuntimeError):
        const([1.0]).register_post_accumulate_grad_hook(lambda t: None)
    with pytest.raises(RuntimeError):
        const([1.0]).register_hook(lambda g: None)
    seen = []
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t is x))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item()))
    (x * 2).backward()
    assert seen == [True, 2.0]


def test_hook_is_run_once_per_pass_for_a_leaf_of_several_uses():
    log = []
    x = leaf([1.0])
    x.register_hook(lambda g: log.append(g.item()))
    (x * 2 + x * 3).backward()
    assert log == [5.0]


# ---------------------------------------------------------------- names


def plain(names):
    """Removes the namespace from the names of PyTorch's internal nodes."""
    return [name.removeprefix("torch::autograd::") for name in names]


def names():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    return {
        "AddBackward0": x + x,
        "SubBackward0": x - x,
        "MulBackward0": x * x,
        "DivBackward0": x / x,
        "NegBackward0": -x,
        "PowBackward0": x**2,
        "MmBackward0": x @ x,
        "SumBackward0": x.sum(),
        "MeanBackward0": x.mean(),
        "SelectBackward0": x[0],
        "SliceBackward0": x[:1],
        "IndexBackward0": x[torch.tensor([0])],
        "ExpandBackward0": x.expand(3, 2, 2),
        "ViewBackward0": x.view(4),
        "TransposeBackward0": x.transpose(0, 1),
        "PermuteBackward0": x.permute(1, 0),
        "UnsqueezeBackward0": x.unsqueeze(0),
        "SqueezeBackward0": x.squeeze(),
        "CatBackward0": torch.cat([x, x]),
        "StackBackward0": torch.stack([x, x]),
        "ReluBackward0": x.relu(),
        "SigmoidBackward0": x.sigmoid(),
        "TanhBackward0": x.tanh(),
        "ExpBackward0": x.exp(),
        "LogBackward0": x.log(),
        "SqrtBackward0": x.sqrt(),
        "MaxBackward0": x.max(0)[0],
        "CloneBackward0": x.clone(),
        "ToCopyBackward0": x.to(torch.float32),
        "SoftmaxBackward0": x.softmax(0),
        "LogSoftmaxBackward0": x.log_softmax(0),
        "WhereBackward0": torch.where(x > 0, x, x),
        "UnbindBackward0": x.unbind()[0],
        "SplitBackward0": x.split(1)[0],
        "AsStridedBackward0": x.as_strided((2,), (1,)),
        "AddmmBackward0": torch.addmm(x, x, x),
        "BmmBackward0": x.unsqueeze(0).bmm(x.unsqueeze(0)),
        "GatherBackward0": x.gather(0, torch.tensor([[0, 1]])),
        "CumsumBackward0": x.cumsum(0),
        "ProdBackward0": x.prod(),
        "AbsBackward0": x.abs(),
        "NativeLayerNormBackward0": torch.nn.functional.layer_norm(x, (2,)),
        "AccumulateGrad": None,
    }


def test_names_of_nodes():
    made = names()
    wrong = {}
    for name, tensor in made.items():
        got = (
            graph.get_gradient_edge(leaf([1.0])).node.name()
            if tensor is None
            else tensor.grad_fn.name()
        )
        if got.removeprefix("torch::autograd::") != name:
            wrong[name] = got
    assert wrong == {}


def test_names_of_nodes_of_writes_and_views():
    x = leaf([1.0, 2.0])
    y = x.clone()
    y[0] = 3.0
    assert plain([y.grad_fn.name()]) == ["CopySlices"]
    z = x.clone().add_(1)
    assert z.grad_fn.name() == "AddBackward0"
    w = x.clone()
    w[:1].mul_(2)
    assert plain([w.grad_fn.name()]) == ["CopySlices"]


def test_class_of_a_node_is_named_like_it():
    y = leaf([1.0]) * 2
    assert type(y.grad_fn).__name__ == "MulBackward0"
    assert "MulBackward0" in repr(y.grad_fn)
    node = graph.get_gradient_edge(leaf([1.0])).node
    assert type(node).__name__ == "AccumulateGrad"


def test_node_has_metadata_and_next_functions():
    x = leaf([1.0])
    y = x * 2
    y.grad_fn.metadata["who"] = "me"
    assert y.grad_fn.metadata == {"who": "me"}
    (next_node, number), *_ = y.grad_fn.next_functions
    assert number == 0 and next_node.variable is x


# ---------------------------------------------------------------- new nodes


def test_node_creation_hook_sees_each_new_node():
    seen = []
    x = leaf([1.0, 2.0])
    with graph.node_creation_hook(lambda node: seen.append(node.name())):
        y = (x * 2).sin()
        z = y.sum() + 1
        const([1.0]) * 2
        with torch.no_grad():
            x * 3
    x * 4
    assert plain(seen) == [
        "AccumulateGrad",
        "MulBackward0",
        "SinBackward0",
        "SumBackward0",
        "AddBackward0",
    ]
    assert z.grad_fn is not None


def test_node_creation_hook_sees_nodes_of_functions_and_double_backward():
    class Twice(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    seen = []
    x = leaf([1.0])
    with graph.node_creation_hook(lambda node: seen.append(node.name())):
        y = Twice.apply(x)
    assert plain(seen) == ["AccumulateGrad", "TwiceBackward"]
    seen.clear()
    with graph.node_creation_hook(lambda node: seen.append(node.name())):
        autograd.grad(y, x, leaf([1.0]), create_graph=True)
    assert "MulBackward0" in plain(seen)


def test_node_creation_hook_sees_nodes_that_writes_make():
    seen = []
    x = leaf([1.0, 2.0])
    y = x.clone()
    with graph.node_creation_hook(lambda node: seen.append(node.name())):
        y.mul_(2)
        y[0] = 1.0
    assert "MulBackward0" in plain(seen) and "CopySlices" in plain(seen)
    assert plain([y.grad_fn.name()]) == ["CopySlices"]


def test_node_creation_hook_sees_the_node_of_the_result():
    seen = []
    x = leaf([1.0])
    with graph.node_creation_hook(seen.append):
        y = x * 2
    assert len(seen) == 2 and seen[-1] is y.grad_fn
    assert seen[0] is y.grad_fn.next_functions[0][0]


def test_node_creation_hook_error_surfaces():
    def fail(node):
        raise ArithmeticError("no nodes here")

    x = leaf([1.0])
    with pytest.raises(ArithmeticError):
        with graph.node_creation_hook(fail):
            x * 2
    near(x * 2, [2.0])


def test_node_creation_hook_sees_leaves_accumulators_once():
    seen = []
    x = leaf([1.0])
    with graph.node_creation_hook(lambda node: seen.append(node.name())):
        x * 2
        x * 3
    assert plain(seen).count("MulBackward0") == 2


# ---------------------------------------------------------------- callbacks after the pass


def test_queued_callbacks_run_after_the_pass_in_order():
    log = []
    engine = autograd.Variable._execution_engine

    def hook(g):
        engine.queue_callback(lambda: log.append("first"))
        engine.queue_callback(lambda: log.append("second"))

    x = leaf([1.0])
    y = x * 2
    y.register_hook(hook)
    x.register_hook(lambda g: log.append("leaf"))
    y.backward()
    assert log == ["leaf", "first", "second"]


def test_queued_callback_may_queue_another_and_run_a_pass():
    log = []
    engine = autograd.Variable._execution_engine
    other = leaf([1.0])

    def inner():
        log.append("inner")

    def outer():
        with torch.enable_grad():
            (other * 5).backward()
        log.append("outer")
        engine.queue_callback(inner)

    x = leaf([1.0])
    x.register_hook(lambda g: engine.queue_callback(outer))
    (x * 2).backward()
    assert log == ["outer", "inner"]
    near(other.grad, [5.0])


def test_error_of_a_queued_callback_surfaces():
    engine = autograd.Variable._execution_engine

    def fail():
        raise ArithmeticError("late")

    x = leaf([1.0])
    x.register_hook(lambda g: engine.queue_callback(fail))
    with pytest.raises(ArithmeticError, match="late"):
        (x * 2).backward()


def test_callback_queued_outside_of_a_pass_is_refused():
    with pytest.raises(RuntimeError):
        autograd.Variable._execution_engine.queue_callback(lambda: None)


# ---------------------------------------------------------------- warnings


def warned(fn):
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        fn()
    return [str(record.message) for record in records if issubclass(record.category, UserWarning)]


def test_reading_grad_of_a_result_warns_once_each_time():
    y = leaf([1.0]) * 2
    assert len(warned(lambda: y.grad)) == 1
    y.retain_grad()
    assert warned(lambda: y.grad) == []
