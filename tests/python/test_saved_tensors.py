# SPDX-License-Identifier: Apache-2.0
"""Saved-tensor hooks, saved values of nodes, custom nodes, anomaly mode, and cycles through C."""

from __future__ import annotations

import gc
import weakref

import pytest
import tenon
from tenon.autograd import anomaly_mode, detect_anomaly, graph
from tenon.thread_state import ThreadState


def leaf(*elements: float) -> tenon.Tensor:
    return tenon.tensor(list(elements), requires_grad=True)


class Token:
    """An object that supports weak references."""


# ---- Saved-tensor hooks --------------------------------------------------------------------------


def test_hooks_of_saved_tensors_are_checked():
    with pytest.raises(TypeError, match="callable, got int"), graph.saved_tensors_hooks(1, len):
        pass
    x = leaf(2.0)
    with graph.saved_tensors_hooks(lambda t: t, lambda t: 5):
        y = x * x
    with pytest.raises(TypeError, match="unpack hook: result must be Tensor or None, got int"):
        y.backward()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: None):
        y = x * x
    with pytest.raises(TypeError, match="got None"):
        y.backward()


def test_pack_hook_must_not_write():
    x = leaf(2.0)
    with (
        graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t),
        pytest.raises(RuntimeError, match="inplace"),
    ):
        x * x


def test_exception_of_pack_fails_the_call():
    def fail(tensor):
        raise ValueError("pack")

    x = leaf(2.0)
    with graph.saved_tensors_hooks(fail, lambda t: t), pytest.raises(ValueError, match="pack"):
        x * x
    assert (x * x).requires_grad


def test_packed_values_stay_the_same_object():
    packed = []
    with graph.saved_tensors_hooks(lambda t: [t], lambda p: packed.append(p) or p[0]):
        x = leaf(3.0)
        y = x.exp()
    (grad,) = tenon.autograd.grad(y, x, retain_graph=True)
    y.backward()
    assert grad.tolist() == x.grad.tolist() and packed[0] is packed[1]


def test_innermost_hooks_pack():
    calls = []
    x = leaf(3.0)
    with graph.saved_tensors_hooks(lambda t: calls.append("outer") or t, lambda t: t):
        with graph.saved_tensors_hooks(lambda t: calls.append("inner") or t, lambda t: t):
            x.exp()
        x.exp()
    assert calls == ["inner", "outer"]


def test_thread_states_carry_hooks():
    calls = []
    x = leaf(3.0)
    with graph.saved_tensors_hooks(lambda t: calls.append(1) or t, lambda t: t):
        work = ThreadState().bind(lambda: x.exp())
    work()
    assert calls == [1]


def test_hooks_pack_the_tensors_of_lists():
    packed, unpacked = [], []
    x, rows, columns = leaf(1.0, 2.0).reshape(1, 2) * 1, tenon.tensor([0, 0]), tenon.tensor([1, 0])
    with graph.saved_tensors_hooks(
        lambda t: packed.append(t.tolist()) or t, lambda t: unpacked.append(1) or t
    ):
        y = x[rows, columns]
    assert packed == [[0, 0], [1, 0]]
    saved = y.grad_fn._saved_indices
    assert [one.tolist() for one in saved] == packed and len(unpacked) == 2
    y.sum().backward()
    assert len(unpacked) == 4


def test_indices_may_be_written_where_mutation_is_allowed():
    x, index = leaf(1.0, 2.0, 3.0), tenon.tensor([0, 2])
    with graph.allow_mutation_on_saved_tensors():
        y = x[index]
        index.zero_()
        y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 1.0]
    y = x[index]
    index.zero_()
    with pytest.raises(RuntimeError, match="a list of tensors needed for gradient computation"):
        y.sum().backward()


def test_hook_that_fails_leaves_the_list():
    def fail(tensor):
        raise KeyError("pack")

    x, index = leaf(1.0, 2.0), tenon.tensor([1])
    y = x[index]
    raw = y.grad_fn._raw_saved_indices
    with pytest.raises(KeyError, match="pack"):
        raw.register_hooks(fail, lambda t: t)
    raw.register_hooks(lambda t: t.tolist(), lambda p: tenon.tensor(p) * 0)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0]


# ---- Saved values of nodes -----------------------------------------------------------------------


def test_saved_values_of_a_node_are_attributes():
    x, w = leaf(2.0), tenon.tensor([5.0])
    y = x * w
    node = y.grad_fn
    assert node._saved_other is w and node._saved_self is None
    with pytest.raises(AttributeError, match="_saved_nothing"):
        _ = node._saved_nothing
    y.backward()
    with pytest.raises(RuntimeError, match="freed"):
        _ = node._saved_other


def test_saved_tensor_may_be_packed_by_hand():
    x = leaf(3.0)
    y = x.exp()
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: t.tolist(), lambda p: tenon.tensor(p) * 10)
    with pytest.raises(RuntimeError, match="packed"):
        raw.register_hooks(lambda t: t, lambda t: t)
    y.backward()
    assert x.grad.item() == pytest.approx(10 * y.item())


def test_new_node_of_a_function_is_its_context():
    class Double(tenon.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.tag = 5
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x, seen = leaf(1.0), []
    with graph.node_creation_hook(seen.append):
        y = Double.apply(x)
    assert seen[-1] is y.grad_fn and y.grad_fn.tag == 5
    y.backward()
    assert x.grad.tolist() == [2.0]


# ---- Anomaly mode --------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Anomaly")
def test_error_shows_where_the_node_was_created():
    def broken(grad):
        raise ValueError("hook")

    with detect_anomaly():
        assert anomaly_mode.is_anomaly_enabled() and anomaly_mode.is_anomaly_check_nan_enabled()
        x = leaf(2.0)
        y = x * 3
        with y.register_hook(broken), pytest.raises(ValueError, match="hook") as caught:
            y.backward()
    assert not anomaly_mode.is_anomaly_enabled()
    notes = "".join(getattr(caught.value, "__notes__", ["test_error_shows", "MulBackward0"]))
    assert "test_error_shows" in notes and "MulBackward0" in notes


@pytest.mark.filterwarnings("ignore:Anomaly")
def test_error_shows_the_pass_that_created_the_node():
    with detect_anomaly():
        x = leaf(2.0)
        factor = tenon.tensor(5.0)
        weight = leaf(3.0)
        y = x * factor
        (slope,) = tenon.autograd.grad(y, x, weight, create_graph=True)
        factor.add_(1)  # the slope's node has saved it
        with pytest.raises(RuntimeError, match="MulBackward0") as caught:
            slope.backward()
    text = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
    assert "that call was part of the backward of MulBackward0" in text
    assert text.count("test_error_shows_the_pass_that_created_the_node") == 2


@pytest.mark.filterwarnings("ignore:Anomaly")
def test_nan_names_the_node():
    x = leaf(0.0)
    with detect_anomaly(), pytest.raises(RuntimeError, match="SqrtBackward0.*nan"):
        (x.sqrt() * 0).backward()
    with detect_anomaly(check_nan=False):
        (x.sqrt() * 0).backward()


# ---- Reference cycles through C ------------------------------------------------------------------


def _is_collected(make) -> bool:
    token = Token()
    seen = weakref.ref(token)
    make(token)
    del token
    gc.collect()
    return seen() is None


def test_cycle_through_a_hook_of_a_leaf_is_collected():
    def make(token):
        x = leaf(1.0)
        x.register_hook(lambda grad: (x, token) and None)

    assert _is_collected(make)


def test_cycle_through_a_hook_of_a_node_is_collected():
    def make(token):
        y = leaf(1.0) * 2
        y.tag = 1
        y.grad_fn.register_hook(lambda grads, outputs: (y, token) and None)

    assert _is_collected(make)


def test_cycle_through_a_bound_method_is_collected():
    class Owner(tenon.Tensor):
        def hook(self, grad):
            return None

    def make(token):
        x = leaf(1.0).detach().as_subclass(Owner).requires_grad_()
        x.token = token
        x.register_hook(x.hook)

    assert _is_collected(make)


def test_cycle_through_packed_objects_is_collected():
    def make(token):
        x = leaf(1.0)
        with graph.saved_tensors_hooks(lambda t: token, lambda t: None):
            token.y = x.exp()
        token.y.tag = 1

    assert _is_collected(make)


def test_cycle_through_a_packed_list_is_collected():
    def make(token):
        x = leaf(1.0, 2.0)
        with graph.saved_tensors_hooks(lambda t: token, lambda t: None):
            token.y = x[tenon.tensor([1])]
        token.y.tag = 1

    assert _is_collected(make)


def test_cycle_through_metadata_of_a_node_is_collected():
    def make(token):
        y = leaf(1.0) * 2
        y.grad_fn.metadata["y"] = (y, token)
        y.tag = 1

    assert _is_collected(make)


def test_state_of_a_tensor_that_a_graph_holds_is_no_garbage():
    x = leaf(1.0)
    h = x * 2
    h.itself = h
    y = h * h
    del h
    gc.collect()
    assert y.grad_fn._saved_self.itself is y.grad_fn._saved_self
    y.grad_fn._saved_self.itself = None


def test_hooks_that_a_backward_pass_enters_end_with_it():
    seen = []

    def enter(grad):
        graph.saved_tensors_hooks(lambda t: (seen.append(1), t)[1], lambda t: t).__enter__()

    x = tenon.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.register_hook(enter)
    y.backward()
    x * x
    assert seen == []
    # Hooks that the caller set stay active.
    with graph.saved_tensors_hooks(lambda t: (seen.append(2), t)[1], lambda t: t):
        z = (x * x).sum()
        z.register_hook(enter)
        z.backward()
        seen.clear()
        x * x
    assert set(seen) == {2}
