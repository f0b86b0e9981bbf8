# SPDX-License-Identifier: Apache-2.0
"""nn.Module hooks: forward, backward, state dict and registration hooks."""

import copy
import gc
import weakref
import pytest
from seed import sub, torch


@pytest.fixture
def nn():
    return sub("nn")


def times(nn, k):
    """Makes a module that multiplies by k."""

    class Times(nn.Module):
        def forward(self, x, plus=0):
            return x * k + plus

    return Times()


def one(**k):
    return torch.ones(1, **k)


def test_forward_hook_sees_module_inputs_and_output(nn):
    m, seen = times(nn, 3), []
    m.register_forward_hook(
        lambda mod, args, out: seen.append((mod is m, len(args), args[0].item(), out.item()))
    )
    m(one(), plus=1)
    assert seen == [(True, 1, 1.0, 4.0)]


def test_forward_hook_may_replace_the_output(nn):
    m = times(nn, 3)
    m.register_forward_hook(lambda mod, args, out: out + 100)
    m.register_forward_hook(lambda mod, args, out: None)
    assert m(one()).item() == 103.0


def test_forward_hooks_run_in_order_of_registration_unless_prepended(nn):
    m, order = times(nn, 1), []
    m.register_forward_hook(lambda *a: order.append("a"))
    m.register_forward_hook(lambda *a: order.append("b"))
    m.register_forward_hook(lambda *a: order.append("c"), prepend=True)
    m(one())
    assert order == ["c", "a", "b"]


def test_forward_pre_hook_may_replace_one_or_many_inputs(nn):
    m = times(nn, 2)
    h = m.register_forward_pre_hook(lambda mod, args: args[0] + 4)
    assert m(one()).item() == 10.0
    h.remove()
    m.register_forward_pre_hook(lambda mod, args: (args[0], 7))
    assert m(one()).item() == 9.0


def test_hook_handle_is_a_context_manager(nn):
    m, calls = times(nn, 1), []
    with m.register_forward_hook(lambda *a: calls.append(1)):
        m(one())
    m(one())
    assert calls == [1]


def test_hook_that_removes_itself(nn):
    m, calls = times(nn, 1), []

    def hook(*a):
        calls.append(1)
        handle.remove()

    handle = m.register_forward_hook(hook)
    m.register_forward_hook(lambda *a: calls.append(2))
    m(one())
    m(one())
    assert calls == [1, 2, 2]


def test_exception_in_forward_skips_hooks_unless_always_called(nn):
    class Bad(nn.Module):
        def forward(self, x):
            raise ValueError("forward failed")

    m, calls = Bad(), []
    m.register_forward_hook(lambda *a: calls.append("plain"))
    m.register_forward_hook(lambda *a: calls.append("always"), always_call=True)
    with pytest.raises(ValueError, match="forward failed"):
        m(one())
    assert calls == ["always"]


def test_full_backward_hook_may_replace_the_input_gradient(nn):
    m = times(nn, 3)
    m.register_full_backward_hook(lambda mod, gin, gout: (gin[0] * 100,))
    x = one(requires_grad=True)
    m(x).sum().backward()
    assert x.grad.item() == 300.0


def test_full_backward_pre_hook_may_replace_the_output_gradient(nn):
    m, seen = times(nn, 3), []
    m.register_full_backward_pre_hook(lambda mod, gout: (gout[0] * 10,))
    m.register_full_backward_hook(lambda mod, gin, gout: seen.append(gout[0].item()))
    x = one(requires_grad=True)
    m(x).sum().backward()
    assert seen == [10.0] and x.grad.item() == 30.0


def test_backward_hooks_of_a_chain_run_from_the_end(nn):
    order = []
    s = nn.Sequential(times(nn, 2), times(nn, 3))
    for i, m in enumerate(s):
        m.register_full_backward_hook(lambda mod, gin, gout, i=i: order.append((i, gin[0].item())))
    s(one(requires_grad=True)).sum().backward()
    assert order == [(1, 3.0), (0, 6.0)]


def test_forward_hook_result_takes_part_in_the_graph(nn):
    m = times(nn, 3)
    m.register_forward_hook(lambda mod, args, out: out * 2)
    x = one(requires_grad=True)
    m(x).sum().backward()
    assert x.grad.item() == 6.0


def test_state_dict_hooks(nn):
    m, order = nn.Linear(1, 1), []
    m.register_state_dict_pre_hook(lambda mod, prefix, keep: order.append(("pre", prefix, keep)))
    m.register_state_dict_post_hook(lambda mod, sd, prefix, meta: sd.update({prefix + "added": 5}))
    sd = nn.Sequential(m).state_dict()
    assert order == [("pre", "0.", False)] and sd["0.added"] == 5


def test_load_state_dict_pre_hook_may_rename_keys(nn):
    m = nn.Linear(1, 1, bias=False)

    def rename(mod, sd, prefix, meta, strict, missing, unexpected, errors):
        sd[prefix + "weight"] = sd.pop(prefix + "old")

    m.register_load_state_dict_pre_hook(rename)
    m.load_state_dict({"old": torch.full((1, 1), 8.0)})
    assert m.weight.item() == 8.0


def test_load_state_dict_post_hook_may_forgive_missing_keys(nn):
    m = nn.Linear(1, 1)
    m.register_load_state_dict_post_hook(
        lambda mod, incompatible: incompatible.missing_keys.clear()
    )
    result = m.load_state_dict({"weight": torch.ones(1, 1)})
    assert result.missing_keys == [] and m.weight.item() == 1.0


def test_deepcopy_keeps_hooks(nn):
    m, calls = times(nn, 1), []
    m.register_forward_hook(lambda *a: calls.append(1))
    copy.deepcopy(m)(one())
    assert calls == [1]


def test_hook_does_not_keep_the_module_alive_after_removal(nn):
    m = times(nn, 1)
    m.register_forward_hook(lambda *a: None).remove()
    ref = weakref.ref(m)
    del m
    gc.collect()
    assert ref() is None


def test_parameter_hook_and_accumulated_gradient(nn):
    m, seen = nn.Linear(1, 1, bias=False), []
    m.weight.register_hook(lambda g: g * 10)
    m.weight.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.item()))
    m(one().reshape(1, 1)).sum().backward()
    m(one().reshape(1, 1)).sum().backward()
    assert seen == [10.0, 20.0]


def test_module_called_inside_its_own_hook(nn):
    m, depth = times(nn, 2), []

    def hook(mod, args, out):
        if len(depth) < 2:
            depth.append(1)
            return mod(out)

    m.register_forward_hook(hook)
    assert m(one()).item() == 8.0 and len(depth) == 2
