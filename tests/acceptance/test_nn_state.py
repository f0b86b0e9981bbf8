# SPDX-License-Identifier: Apache-2.0
"""Modules: the order of all kinds of hooks, what hooks may return, loading with options."""

import warnings

import pytest
from seed import sub, torch


@pytest.fixture
def nn():
    return sub("nn")


@pytest.fixture
def everywhere():
    return sub("nn.modules.module")


def times(k=2, fail=False, inside=None):
    class Times(sub("nn").Module):
        def forward(self, x, plus=0, *, scale=1):
            if inside is not None:
                inside.append("forward")
            if fail:
                raise ValueError("no")
            return x * k * scale + plus

    return Times()


def one():
    return torch.ones(2, requires_grad=True)


HOOKS = ("register_full_backward_hook", "register_full_backward_pre_hook")


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(
    "write",
    [
        lambda y: y.add_(1),
        lambda y: y.mul_(2),
        lambda y: y.zero_(),
        lambda y: y.__setitem__(0, 1),
        lambda y: y.view(1, 2).add_(1),
        lambda y: y[0].add_(1),
        lambda y: y.__iadd__(1),
        lambda y: y.relu_(),
        lambda y: y.copy_(torch.ones(2)),
        lambda y: y.t().mul_(2),
    ],
)
def test_output_of_a_module_with_backward_hook_may_not_change_in_place(hook, write):
    m = times()
    getattr(m, hook)(lambda *a: None)
    with pytest.raises(RuntimeError):
        write(m(one()))


@pytest.mark.parametrize("hook", HOOKS)
def test_output_of_a_module_with_backward_hook_among_several(nn, hook):
    class Two(nn.Module):
        def forward(self, x):
            return x * 2, x * 3

    m = Two()
    getattr(m, hook)(lambda *a: None)
    for number in range(2):
        with pytest.raises(RuntimeError):
            m(one())[number].add_(1)


def test_output_of_a_module_with_backward_hook_meets_a_module_in_place(nn):
    m = nn.Sequential(times(), nn.ReLU(inplace=True))
    m[0].register_full_backward_hook(lambda *a: None)
    with pytest.raises(RuntimeError):
        m(one())
    m = nn.ReLU(inplace=True)
    m.register_full_backward_hook(lambda *a: None)
    with pytest.raises(RuntimeError):
        m(one() * 1)


def test_input_of_a_module_with_backward_hook_may_not_change_in_place(nn):
    class Add(nn.Module):
        def forward(self, x):
            return x.add_(1)

    m = Add()
    m.register_full_backward_hook(lambda *a: None)
    with pytest.raises(RuntimeError):
        m(one() * 1)


def test_output_of_a_module_with_backward_hook_may_change_where_nothing_is_recorded():
    m = times()
    m.register_full_backward_hook(lambda *a: None)
    y = m(torch.ones(2))
    y += 1
    assert y.tolist() == [3.0, 3.0]
    with torch.no_grad():
        z = m(one())
        z += 1
    assert z.tolist() == [3.0, 3.0]
    y = m(one())
    y.detach().add_(1)
    assert y.tolist() == [3.0, 3.0]


def test_hooks_of_every_kind_run_in_order(everywhere):
    order = []
    m = times(inside=order)

    def note(name):
        return lambda *a, **k: order.append(name)

    handles = [
        everywhere.register_module_forward_pre_hook(note("all pre")),
        everywhere.register_module_forward_hook(note("all post")),
        everywhere.register_module_full_backward_pre_hook(note("all back pre")),
        everywhere.register_module_full_backward_hook(note("all back")),
    ]
    for name, register in (
        ("pre", m.register_forward_pre_hook),
        ("post", m.register_forward_hook),
        ("back pre", m.register_full_backward_pre_hook),
        ("back", m.register_full_backward_hook),
    ):
        register(note(name))
        register(note("first " + name), prepend=True)
    try:
        m(one()).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    expected = ["all pre", "first pre", "pre", "forward", "all post", "first post", "post"]
    expected += ["all back pre", "first back pre", "back pre", "all back", "first back", "back"]
    assert order == expected
    order.clear()
    times(inside=order)(one()).sum().backward()
    assert order == ["forward"]


def test_hooks_with_keywords_see_and_change_them():
    m, seen = times(), []
    m.register_forward_pre_hook(
        lambda mod, args, kwargs: (args, {**kwargs, "plus": 7}), with_kwargs=True
    )
    m.register_forward_hook(
        lambda mod, args, kwargs, out: seen.append(sorted(kwargs)), with_kwargs=True
    )
    assert m(torch.ones(1), scale=3).item() == 13.0 and seen == [["plus", "scale"]]
    m.register_forward_pre_hook(lambda mod, args, kwargs: args, with_kwargs=True)
    with pytest.raises(RuntimeError):
        m(torch.ones(1))


def test_hooks_that_are_always_called(everywhere):
    order = []
    m = times(fail=True, inside=order)
    m.register_forward_hook(lambda *a: order.append("plain"))
    m.register_forward_hook(lambda mod, args, out: order.append(out), always_call=True)
    handle = everywhere.register_module_forward_hook(
        lambda mod, args, out: order.append("all"), always_call=True
    )
    with pytest.raises(ValueError):
        m(one())
    handle.remove()
    assert order == ["forward", "all", None]


def test_hooks_where_no_input_requires_grad(nn):
    m, seen = nn.Linear(2, 2), []
    m.register_full_backward_hook(lambda mod, gin, gout: seen.append((gin, len(gout))))
    with pytest.warns(UserWarning):
        m(torch.ones(1, 2)).sum().backward()
    assert seen == [((None,), 1)]


def test_hooks_of_the_last_operator(nn, everywhere):
    m, seen = times(), []
    m.register_backward_hook(lambda mod, gin, gout: seen.append((len(gin), gout[0].tolist())))
    with pytest.warns(FutureWarning):
        m(one()).sum().backward()
    assert seen == [(2, [1.0, 1.0])]
    with pytest.raises(RuntimeError):
        m.register_full_backward_hook(lambda *a: None)
    other = times()
    other.register_full_backward_hook(lambda *a: None)
    with pytest.raises(RuntimeError):
        other.register_backward_hook(lambda *a: None)


def test_hooks_warn_of_outputs_that_they_cannot_watch(nn):
    class Named(nn.Module):
        def forward(self, x):
            return {"y": x * 2}

    m, seen = Named(), []
    m.register_full_backward_hook(lambda *a: seen.append(1))
    with pytest.warns(UserWarning):
        m(one())["y"].sum().backward()
    assert seen == []


@pytest.mark.parametrize("kind", ["parameter", "buffer", "module"])
def test_hooks_of_registration(nn, everywhere, kind):
    names = []
    register = getattr(everywhere, f"register_module_{kind}_registration_hook")
    handle = register(lambda mod, name, value: names.append(name))
    nn.Sequential(nn.BatchNorm1d(1))
    handle.remove()
    nn.BatchNorm1d(1)
    assert (
        names
        == {
            "parameter": ["weight", "bias"],
            "buffer": ["running_mean", "running_var", "num_batches_tracked"],
            "module": ["0"],
        }[kind]
    )


# ---- State dicts -----------------------------------------------------------------------------


def state(dtype=None):
    return {"weight": torch.full((1, 2), 8.0, dtype=dtype), "bias": torch.zeros(1)}


def test_load_state_dict_assigns(nn):
    m, given = nn.Linear(2, 1), state(torch.float64)
    before = m.weight
    m.load_state_dict(given, assign=True)
    assert m.weight is not before and m.weight.data_ptr() == given["weight"].data_ptr()
    assert type(m.weight) is nn.Parameter and m.weight.requires_grad
    assert m.weight.dtype is torch.float64
    m.weight.requires_grad_(False)
    m.load_state_dict(state(), assign=True)
    assert not m.weight.requires_grad and m.weight.dtype is torch.float32
    p = nn.Parameter(torch.ones(1, 2))
    m.load_state_dict({**state(), "weight": p}, assign=True)
    assert m.weight is p
    with pytest.raises(RuntimeError):
        m.load_state_dict({**state(), "weight": torch.ones(2, 1)}, assign=True)


def test_load_state_dict_onto_meta(nn):
    m = nn.Linear(2, 1, device="meta")
    with pytest.warns(UserWarning):
        m.load_state_dict(state())
    assert m.weight.is_meta
    m.load_state_dict(state(), assign=True)
    assert m.weight.tolist() == [[8.0, 8.0]]


def test_load_state_dict_strict_and_not(nn):
    m = nn.Linear(2, 1)
    for bad in ({"weight": torch.ones(1, 2)}, {**state(), "more": torch.ones(1)}):
        with pytest.raises(RuntimeError):
            m.load_state_dict(bad)
    keys = m.load_state_dict({"weight": torch.ones(1, 2), "more": 1}, strict=False)
    assert keys.missing_keys == ["bias"] and keys.unexpected_keys == ["more"]
    with pytest.raises(RuntimeError, match="size|shape"):
        m.load_state_dict({**state(), "weight": torch.ones(2, 2)}, strict=False)
    assert "matched" in repr(m.load_state_dict(state()))


@pytest.fixture
def swapping():
    modes = sub("__future__")
    modes.set_swap_module_params_on_conversion(True)
    yield modes
    modes.set_swap_module_params_on_conversion(False)


def test_load_state_dict_swaps(nn, swapping):
    assert swapping.get_swap_module_params_on_conversion()
    m = nn.Linear(2, 1)
    kept = m.weight
    m.load_state_dict(state())
    assert m.weight is kept and kept.tolist() == [[8.0, 8.0]]
    given = state(torch.float64)
    m.load_state_dict(given, assign=True)
    assert m.weight is kept and kept.dtype is torch.float64
    assert kept.data_ptr() == given["weight"].data_ptr() and kept.requires_grad
    m.float()
    assert m.weight is kept and kept.dtype is torch.float32


def test_swap_tensors_exchanges_contents():
    a, b = torch.ones(2, requires_grad=True), torch.zeros(3)
    a.note, a.grad = "a", torch.full((2,), 5.0)
    sub("utils").swap_tensors(a, b)
    assert a.tolist() == [0.0] * 3 and not a.requires_grad and a.grad is None
    assert b.tolist() == [1.0] * 2 and b.requires_grad and b.grad.tolist() == [5.0, 5.0]
    assert b.note == "a" and not hasattr(a, "note")


def test_conversion_may_make_new_parameters(nn):
    modes, m = sub("__future__"), nn.Linear(2, 1)
    kept = m.weight
    modes.set_overwrite_module_params_on_conversion(True)
    try:
        m.double()
    finally:
        modes.set_overwrite_module_params_on_conversion(False)
    assert m.weight is not kept and kept.dtype is torch.float32 and m.weight.requires_grad
    now = m.weight
    assert m.float().weight is now


def test_state_dicts_have_their_version(nn):
    meta = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1)).state_dict()._metadata
    assert {key: one["version"] for key, one in meta.items()} == {"": 1, "0": 1, "1": 2}
    old = nn.BatchNorm1d(1)
    values = {k: v for k, v in old.state_dict().items() if k != "num_batches_tracked"}
    assert old.load_state_dict(values).missing_keys == []


def test_state_dict_hooks_run_outside_in_and_inside_out(nn):
    m, order = nn.Sequential(nn.Linear(1, 1)), []
    for name, module in (("outer", m), ("inner", m[0])):
        module.register_state_dict_pre_hook(lambda *a, n=name: order.append("pre " + n))
        module.register_state_dict_post_hook(lambda *a, n=name: order.append("post " + n))
        module.register_load_state_dict_pre_hook(lambda *a, n=name: order.append("load " + n))
        module.register_load_state_dict_post_hook(lambda *a, n=name: order.append("loaded " + n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m.load_state_dict(m.state_dict())
    assert order == ["pre outer", "pre inner", "post inner", "post outer"] + [
        "load outer",
        "load inner",
        "loaded inner",
        "loaded outer",
    ]
