# SPDX-License-Identifier: Apache-2.0
"""Modules: what they keep, their hooks, state dicts and containers."""

from __future__ import annotations

import copy
import math
import pickle

import pytest
import tenon
from tenon import nn
from tenon.nn.modules import module as module_hooks


class Scale(nn.Module):
    """Multiplies by a parameter, and counts in a buffer."""

    def __init__(self, by=2.0):
        super().__init__()
        self.by = nn.Parameter(tenon.tensor([by]))
        self.register_buffer("calls", tenon.zeros(1))
        self.register_buffer("scratch", tenon.ones(1), persistent=False)

    def forward(self, x, plus=0):
        return x * self.by + plus


# ---- What is in a module -------------------------------------------------------------------------


def test_names_go_to_their_tables():
    net = nn.Module()
    net.inner = Scale()
    net.w = nn.Parameter(tenon.ones(1))
    net.b = nn.Buffer(tenon.ones(1), persistent=False)
    assert [name for name, _ in net.named_parameters()] == ["w", "inner.by"]
    assert [name for name, _ in net.named_buffers()] == ["b", "inner.calls", "inner.scratch"]
    assert list(net.state_dict()) == ["w", "inner.by", "inner.calls"]
    assert {"inner", "w", "b"} <= set(dir(net))
    del net.w
    assert not hasattr(net, "w")


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda m: m.register_parameter("a.b", None), KeyError, "dots"),
        (lambda m: m.register_parameter("", None), KeyError, "empty"),
        (lambda m: m.register_parameter(3, None), TypeError, "str"),
        (lambda m: m.register_parameter("training", None), KeyError, "free"),
        (lambda m: m.register_parameter("p", tenon.ones(1)), TypeError, "Parameter"),
        (lambda m: m.register_buffer("calls", 3), TypeError, "int"),
        (lambda m: m.add_module("x", 3), TypeError, "Module or None"),
        (lambda m: setattr(m, "calls", "text"), TypeError, "calls"),
        (lambda m: m.to(tenon.int64), TypeError, "int64"),
        (lambda m: m.train("yes"), ValueError, "yes"),
        (lambda m: m.get_buffer("by"), AttributeError, "by"),
        (lambda m: m.register_forward_hook(3), TypeError, "callable"),
        (lambda m: m.load_state_dict(3), TypeError, "dict"),
        (lambda m: nn.Module(3), TypeError, "arguments"),
        (lambda m: nn.Module()(1), NotImplementedError, "forward"),
    ],
)
def test_what_is_refused(act, error, text):
    with pytest.raises(error, match=text):
        act(Scale())


def test_conversion_keeps_parameters_and_converts_gradients():
    module = Scale()
    by = module.by
    module(tenon.ones(1)).backward()
    assert module.double().by is by and by.dtype is tenon.float64 and by.requires_grad
    assert by.grad.dtype is tenon.float64 and by.grad.item() == 1.0
    module(tenon.ones(1, dtype=tenon.float64)).backward()
    assert by.grad.item() == 2.0
    module.zero_grad(set_to_none=False)
    assert by.grad.item() == 0.0


def test_copies_share_nothing():
    module = nn.Sequential(Scale(3.0), nn.ReLU())
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert isinstance(other[0].by, nn.Parameter) and other[0].by.requires_grad
        other[0].by.data.fill_(0)
        assert module[0].by.item() == 3.0 and other(tenon.ones(1)).item() == 0.0


def test_apply_train_and_requires_grad_reach_all():
    net = nn.Sequential(Scale(), nn.Sequential(Scale()))
    assert not any(each.training for each in net.eval().modules())
    assert not any(each.requires_grad for each in net.requires_grad_(False).parameters())
    seen = []
    net.apply(lambda each: seen.append(type(each).__name__))
    assert seen == ["Scale", "Scale", "Sequential", "Sequential"]


# ---- Hooks ---------------------------------------------------------------------------------------


def test_hooks_with_keywords_see_and_replace_them():
    module, seen = Scale(), []
    module.register_forward_pre_hook(
        lambda m, args, kwargs: (args, {"plus": kwargs["plus"] + 1}), with_kwargs=True
    )
    module.register_forward_hook(
        lambda m, args, kwargs, out: seen.append(kwargs["plus"]), with_kwargs=True
    )
    assert module(tenon.ones(1), plus=1).item() == 4.0 and seen == [2]


def test_hooks_of_all_modules_run_until_they_are_removed():
    calls = []
    with (
        module_hooks.register_module_forward_pre_hook(lambda m, args: calls.append("before")),
        module_hooks.register_module_forward_hook(lambda m, args, out: calls.append("after")),
        module_hooks.register_module_parameter_registration_hook(
            lambda m, name, param: calls.append(name)
        ),
    ):
        nn.Sequential(Scale())(tenon.ones(1))
    assert calls == ["by", "before", "before", "after", "after"]
    Scale()(tenon.ones(1))
    assert len(calls) == 5


def test_an_error_in_a_hook_that_is_always_called_only_warns_after_forward_failed():
    module = Scale()

    def hook(*args):
        raise ValueError("hook")

    module.register_forward_hook(hook, always_call=True)
    with pytest.warns(UserWarning, match="hook"), pytest.raises(TypeError):
        module(tenon.ones(1), plus=None)


# ---- State dicts ---------------------------------------------------------------------------------


def test_state_dict_that_does_not_fit_names_every_fault():
    net = nn.Sequential(Scale())
    with pytest.raises(RuntimeError) as info:
        net.load_state_dict({"0.by": tenon.ones(2), "0.more": tenon.ones(1)})
    text = str(info.value)
    assert "0.by" in text and "(2,)" in text and "0.more" in text and "0.calls" in text
    found = net.load_state_dict({"0.scratch": tenon.ones(1)}, strict=False)
    assert found.missing_keys == ["0.by", "0.calls"]
    assert found.unexpected_keys == ["0.scratch"]


def test_state_dict_knows_versions():
    class Old(Scale):
        _version = 7

        def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
            self.loaded = local_metadata.get("version")
            super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    net = nn.Sequential(Old())
    net.load_state_dict(net.state_dict())
    assert net[0].loaded == 7


def test_a_hook_of_the_public_kind_must_return_none():
    module = Scale()
    module.register_state_dict_post_hook(lambda m, state, prefix, local: {})
    with pytest.raises(RuntimeError, match="None"):
        module.state_dict()


# ---- Containers ----------------------------------------------------------------------------------


def test_containers_of_modules():
    some = nn.ModuleList([nn.ReLU()]) + [nn.Tanh()]
    some.insert(0, nn.Identity())
    assert [type(each).__name__ for each in some] == ["Identity", "ReLU", "Tanh"]
    assert type(some.pop(1)).__name__ == "ReLU" and list(some._modules) == ["0", "1"]
    with pytest.raises(IndexError, match="7"):
        some[7]
    by_name = nn.ModuleDict({"a": nn.ReLU()})
    by_name.update([("b", nn.Tanh())])
    assert list(by_name) == ["a", "b"] and "a" in by_name and len(by_name) == 2
    with pytest.raises(ValueError, match="pair"):
        by_name.update([3])
    assert len(nn.Sequential(nn.ReLU()) * 3) == 3
    assert repr(nn.Sequential(nn.ReLU())) == "Sequential(\n  (0): ReLU()\n)"


def test_containers_of_parameters():
    some = nn.ParameterList([tenon.ones(1), nn.Parameter(tenon.zeros(2))])
    some.append(tenon.ones(3))
    assert all(isinstance(each, nn.Parameter) for each in some) and len(some[1:]) == 2
    assert "Parameter containing: [float32 of size 1]" in repr(some).replace("tenon.", "")
    table = nn.ParameterDict({"a": tenon.ones(1)}) | {"b": tenon.ones(2)}
    assert [key for key, _ in table.items()] == ["a", "b"] and table.get("c") is None
    assert table.popitem()[0] == "b" and list(table.state_dict()) == ["a"]


# ---- Layers, losses and first values -------------------------------------------------------------


def test_a_linear_layer_learns():
    tenon.manual_seed(0)
    layer, loss = nn.Linear(2, 1), nn.MSELoss()
    x = tenon.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    y = x @ tenon.tensor([[2.0], [-1.0]]) + 0.5
    for _ in range(300):
        layer.zero_grad()
        value = loss(layer(x), y)
        value.backward()
        with tenon.no_grad():
            for param in layer.parameters():
                param -= 0.2 * param.grad
    assert value.item() < 1e-4
    assert layer.bias.item() == pytest.approx(0.5, abs=0.05)


def test_linear_takes_other_tensors_as_its_weight():
    layer = nn.Linear(2, 1, bias=False)
    del layer.weight
    layer.weight = tenon.ones(1, 2)
    assert layer(tenon.ones(3, 2)).tolist() == [[2.0], [2.0], [2.0]]


def test_softmax_of_extremes():
    f = nn.functional
    row = tenon.tensor([1000.0, 1000.0, -math.inf])
    assert f.softmax(row, 0).tolist() == [0.5, 0.5, 0.0]
    assert f.log_softmax(row, 0).tolist()[2] == -math.inf
    with pytest.warns(UserWarning, match="dim"):
        f.softmax(tenon.ones(2))


def test_dropout_keeps_the_mean_and_is_off_in_eval():
    tenon.manual_seed(1)
    layer = nn.Dropout(0.25)
    y = layer(tenon.ones(4000))
    assert set(y.tolist()) == {0.0, tenon.tensor(1 / 0.75).item()}
    assert y.mean().item() == pytest.approx(1, abs=0.05)
    x = tenon.ones(3)
    assert layer.eval()(x) is x


def test_first_values_are_within_their_bounds():
    tenon.manual_seed(2)
    w = tenon.empty(20, 30)
    nn.init.xavier_uniform_(w)
    assert w.abs().max().item() <= math.sqrt(6 / 50)
    nn.init.kaiming_normal_(w, nonlinearity="relu")
    assert (w * w).mean().item() == pytest.approx(2 / 30, rel=0.2)
    assert nn.init.eye_(tenon.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(ValueError, match="2 dims"):
        nn.init.xavier_normal_(tenon.empty(3))
    with pytest.raises(ValueError, match="sideways"):
        nn.init.kaiming_uniform_(w, mode="sideways")


def test_truncated_normal_numbers():
    tenon.manual_seed(3)
    w = nn.init.trunc_normal_(tenon.empty(20000), mean=1.0, std=2.0, a=-1.0, b=3.0)
    assert w.min().item() >= -1 and w.max().item() <= 3
    assert w.mean().item() == pytest.approx(1, abs=0.03)
    # Of one deviation to both sides: 1 - 2 phi(1) / (2 Phi(1) - 1).
    inside = math.erf(1 / math.sqrt(2))
    variance = 4 * (1 - 2 * math.exp(-0.5) / math.sqrt(2 * math.pi) / inside)
    assert ((w - 1) ** 2).mean().item() == pytest.approx(variance, rel=0.03)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (3, 2, 2)])
def test_orthogonal_rows_or_columns(shape):
    w = nn.init.orthogonal_(tenon.empty(shape), gain=2.0).reshape(shape[0], -1)
    few = w if w.shape[0] <= w.shape[1] else w.t()
    product = (few @ few.t()).tolist()
    for i, row in enumerate(product):
        assert row == pytest.approx([4.0 * (i == j) for j in range(len(row))], abs=1e-5)


def test_dirac_weights_pass_channels_on():
    w = nn.init.dirac_(tenon.ones(4, 2, 3), groups=2)
    expected = tenon.zeros(4, 2, 3)
    for channel in range(4):
        expected[channel, channel % 2, 1] = 1
    assert w.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="3, 4 or 5 dims"):
        nn.init.dirac_(tenon.ones(2, 2))
    with pytest.raises(ValueError, match="multiple of groups"):
        nn.init.dirac_(tenon.ones(3, 2, 1), groups=2)


def test_sparse_columns_have_as_many_zeros():
    w = nn.init.sparse_(tenon.empty(10, 6), 0.25, std=2.0)
    assert (w == 0).sum(0).tolist() == [3] * 6
    with pytest.raises(ValueError, match="2 dims"):
        nn.init.sparse_(tenon.empty(3), 0.1)
    with pytest.raises(ValueError, match="2 dims"):
        nn.init.orthogonal_(tenon.empty(3))


def test_losses_of_classes():
    f = nn.functional
    logits = tenon.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]], requires_grad=True)
    target = tenon.tensor([2, 0])
    rows = [math.log(math.exp(-2) + math.exp(-1) + 1), math.log(3)]
    assert f.cross_entropy(logits, target, reduction="none").tolist() == pytest.approx(rows)
    assert f.cross_entropy(logits, target).item() == pytest.approx(sum(rows) / 2)
    weight = tenon.tensor([3.0, 1.0, 1.0])
    weighted = nn.CrossEntropyLoss(weight)(logits, target)
    assert weighted.item() == pytest.approx((rows[0] + 3 * rows[1]) / 4)
    ignored = f.cross_entropy(logits, target, ignore_index=0)
    assert ignored.item() == pytest.approx(rows[0])
    shares = tenon.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    assert f.cross_entropy(logits, shares).item() == pytest.approx(sum(rows) / 2)
    smooth = f.cross_entropy(logits, target, label_smoothing=0.3)
    same = f.cross_entropy(logits, shares, label_smoothing=0.3)
    assert smooth.item() == pytest.approx(same.item())
    f.cross_entropy(logits, target).backward()
    expected = (f.softmax(logits.detach(), 1) - shares) / 2
    assert logits.grad.reshape(-1).tolist() == pytest.approx(
        expected.reshape(-1).tolist(), abs=1e-6
    )
    single = f.nll_loss(tenon.tensor([-1.0, -2.0]), tenon.tensor(1))
    assert single.item() == 2.0
    images = f.cross_entropy(tenon.zeros(2, 3, 4), tenon.zeros(2, 4, dtype=tenon.int64))
    assert images.item() == pytest.approx(math.log(3))


@pytest.mark.parametrize(
    ("input", "target", "options", "error", "text"),
    [
        ((2, 3), [0], {}, ValueError, "target"),
        ((1, 3), [3], {}, ValueError, "0 to 2"),
        ((1, 3), [0.5], {}, TypeError, "integers"),
        ((1, 3), [0], {"reduction": "most"}, ValueError, "most"),
        ((1, 3), [0], {"label_smoothing": 2}, ValueError, "2"),
        ((1, 3), [0], {"weight": [1.0]}, ValueError, "weight"),
    ],
)
def test_losses_of_classes_refuse(input, target, options, error, text):
    if "weight" in options:
        options = {"weight": tenon.tensor(options["weight"])}
    with pytest.raises(error, match=text):
        nn.functional.cross_entropy(tenon.zeros(*input), tenon.tensor(target), **options)


def test_rms_norm_divides_by_the_root_of_the_mean_square():
    layer = nn.RMSNorm(2, eps=0.0)
    layer.weight.detach().copy_(tenon.tensor([1.0, 10.0]))
    assert layer(tenon.tensor([1.0, 7.0])).tolist() == pytest.approx([0.2, 14.0])
    assert repr(nn.RMSNorm(2)) == "RMSNorm((2,), eps=None, elementwise_affine=True)"
    assert list(layer.state_dict()) == ["weight"]
    assert list(nn.RMSNorm(2, elementwise_affine=False).state_dict()) == []


def test_group_norm_normalizes_each_group_of_channels():
    layer = nn.GroupNorm(2, 4, eps=0.0)
    layer.bias.detach().copy_(tenon.tensor([0.0, 0.0, 5.0, 5.0]))
    x = tenon.tensor([[1.0, 3.0, -10.0, 30.0]])
    assert layer(x).tolist() == [[-1.0, 1.0, 4.0, 6.0]]
    assert repr(layer) == "GroupNorm(2, 4, eps=0.0, affine=True, bias=True)"
    assert list(nn.GroupNorm(1, 2, bias=False).state_dict()) == ["weight"]
    with pytest.raises(tenon.InvalidArgumentError, match="must divide num_channels 4, got 3"):
        nn.GroupNorm(3, 4)


def test_functions_of_activations_are_the_operators():
    x = tenon.tensor([-1.0, 2.0])
    number = tenon.tensor([0j, 1 + 0j])
    gate = 1 / (1 + math.exp(-1))
    assert nn.functional.silu(number).tolist() == pytest.approx([0j, gate + 0j])
    assert nn.functional.leaky_relu(x, 0.5).tolist() == [-0.5, 2.0]
    assert nn.functional.rrelu(x, 0.25, 0.75).tolist() == [-0.5, 2.0]
    drawn = nn.RReLU(0.25, 0.75)(x)
    assert -0.75 <= drawn[0].item() <= -0.25 and drawn[1].item() == 2.0
    assert repr(nn.RReLU(0.1, 0.2, inplace=True)) == "RReLU(lower=0.1, upper=0.2, inplace=True)"
    assert nn.functional.elu(x).tolist() == pytest.approx([math.exp(-1) - 1, 2.0])
    assert nn.GELU()(tenon.tensor([0.0])).tolist() == [0.0]
    assert repr(nn.GELU("tanh")) == "GELU(approximate='tanh')"
    for in_place in (nn.functional.silu, nn.functional.mish, nn.functional.elu):
        own = x.clone()
        assert in_place(own, inplace=True) is own
        assert own.tolist() == in_place(x).tolist() != x.tolist()


def test_losses_with_lines():
    x, y = tenon.tensor([0.0, 3.0]), tenon.tensor([0.5, 0.0])
    assert nn.SmoothL1Loss(reduction="none")(x, y).tolist() == [0.125, 2.5]
    assert nn.SmoothL1Loss(beta=0.0)(x, y).item() == 1.75
    assert nn.HuberLoss(reduction="sum", delta=2.0)(x, y).item() == 4.125
    with pytest.raises(tenon.InvalidArgumentError, match="delta must be above 0, got 0"):
        nn.HuberLoss(delta=0)(x, y)


def test_layer_norm_has_mean_0_and_deviation_1():
    layer = nn.LayerNorm([2, 2])
    x = tenon.arange(12.0).reshape(3, 2, 2)
    y = layer(x)
    assert y.mean(dim=(1, 2)).tolist() == pytest.approx([0.0] * 3, abs=1e-6)
    assert (y * y).mean(dim=(1, 2)).tolist() == pytest.approx([1.0] * 3, abs=1e-4)
    assert list(layer.state_dict()) == ["weight", "bias"]
    assert list(nn.LayerNorm(2, bias=False).state_dict()) == ["weight"]
    assert repr(nn.LayerNorm(2)) == "LayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True)"
    with pytest.raises(ValueError, match="end with"):
        layer(tenon.ones(3))


def test_a_class_of_its_own_attributes():
    """Attributes of a module that defines, or takes away, how they are found."""

    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(tenon.ones(1))
            self.inner = nn.ReLU()

        @property
        def wrong(self):
            raise AttributeError("its own")

    class Own(Plain):
        def __getattr__(self, name):
            return "own" if name == "absent" else super().__getattr__(name)

    class All(Plain):
        def __getattribute__(self, name):
            return "all" if name == "everything" else super().__getattribute__(name)

    class Deep(Own):
        pass

    for kind in (Plain, Own, All, Deep):
        module = kind()
        assert module.weight is module._parameters["weight"]
        assert isinstance(module.inner, nn.ReLU) and module.training is True
        for name in ("missing", "wrong"):
            with pytest.raises(AttributeError, match=f"{kind.__name__}.*{name}"):
                getattr(module, name)
    assert Own().absent == Deep().absent == "own" and All().everything == "all"
    plain = Plain()
    Plain.__getattr__ = lambda self, name: "patched"
    assert plain.missing == plain.weight == "patched"
    del Plain.__getattr__
    assert plain.weight.tolist() == [1.0]
