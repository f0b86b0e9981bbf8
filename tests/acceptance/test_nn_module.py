# SPDX-License-Identifier: Apache-2.0
"""nn.Module: registration, naming, state dicts, conversion, containers, copying."""

import gc
import weakref
import pytest
from seed import sub, torch


@pytest.fixture
def nn():
    return sub("nn")


def values(nn, *xs):
    return nn.Parameter(torch.tensor(list(map(float, xs))))


def two_layer(nn):
    """Makes a module with a parameter, a buffer and a child of the same kind."""

    class Leaf(nn.Module):
        def __init__(self, v):
            super().__init__()
            self.w = values(nn, v)
            self.register_buffer("count", torch.tensor(float(v) * 10))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = Leaf(1)
            self.bias = values(nn, 9)
            self.second = Leaf(2)

    return Net()


def test_state_dict_order_is_own_entries_then_children(nn):
    assert list(two_layer(nn).state_dict()) == [
        "bias",
        "first.w",
        "first.count",
        "second.w",
        "second.count",
    ]


def test_plain_tensor_attribute_is_not_registered(nn):
    m = nn.Module()
    m.t = torch.ones(2)
    assert list(m.parameters()) == [] and list(m.buffers()) == [] and m.t.tolist() == [1.0, 1.0]


def test_assignment_before_super_init_is_an_error(nn):
    class Bad(nn.Module):
        def __init__(self):
            self.w = nn.Parameter(torch.ones(1))

    with pytest.raises(AttributeError, match="__init__"):
        Bad()


def test_parameter_slot_takes_none_and_back_but_no_tensor(nn):
    m = nn.Module()
    m.w = values(nn, 1)
    m.w = None
    assert m.w is None and list(m.named_parameters()) == [] and "w" in m._parameters
    with pytest.raises(TypeError, match="w"):
        m.w = torch.ones(1)
    m.w = values(nn, 3)
    assert m.w.item() == 3.0


def test_assigning_a_parameter_over_a_plain_attribute_moves_it(nn):
    m = nn.Module()
    m.x = 5
    m.x = values(nn, 1)
    assert "x" in m._parameters and "x" not in m.__dict__


def test_none_buffer_and_parameter_are_left_out(nn):
    m = nn.Module()
    m.register_buffer("b", None)
    m.register_parameter("p", None)
    assert m.b is None and m.p is None and list(m.state_dict()) == []


def test_missing_attribute_names_class_and_attribute(nn):
    class Thing(nn.Module):
        pass

    with pytest.raises(AttributeError, match="nothere") as info:
        Thing().nothere
    assert "Thing" in str(info.value)


def test_shared_parameter_is_listed_once_but_saved_twice(nn):
    m = nn.Module()
    m.a = values(nn, 1)
    m.b = m.a
    assert [n for n, _ in m.named_parameters()] == ["a"]
    assert [n for n, _ in m.named_parameters(remove_duplicate=False)] == ["a", "b"]
    assert list(m.state_dict()) == ["a", "b"]


def test_get_by_path(nn):
    net = two_layer(nn)
    assert net.get_submodule("") is net and net.get_submodule("second") is net.second
    assert net.get_parameter("second.w") is net.second.w
    assert net.get_buffer("first.count") is net.first.count
    with pytest.raises(AttributeError, match="nowhere"):
        net.get_submodule("first.nowhere")
    with pytest.raises(AttributeError):
        net.get_parameter("first.count")


def test_state_dict_is_detached_and_shares_memory(nn):
    net = two_layer(nn)
    sd = net.state_dict()
    assert not sd["bias"].requires_grad and type(sd["bias"]) is torch.Tensor
    sd["bias"].fill_(42)
    assert net.bias.item() == 42.0
    assert net.state_dict(keep_vars=True)["bias"] is net.bias


def test_state_dict_prefix(nn):
    assert list(nn.Linear(1, 1).state_dict(prefix="p.")) == ["p.weight", "p.bias"]


def test_load_state_dict_copies_values_in_place(nn):
    a, b = nn.Linear(2, 1), nn.Linear(2, 1)
    w = b.weight
    result = b.load_state_dict(a.state_dict())
    assert (
        b.weight is w
        and torch.equal(b.weight, a.weight)
        and b.weight.data_ptr() != a.weight.data_ptr()
    )
    assert list(result.missing_keys) == [] and list(result.unexpected_keys) == []


def test_strict_load_names_missing_and_unexpected(nn):
    m = nn.Linear(2, 1)
    with pytest.raises(RuntimeError, match="bias") as info:
        m.load_state_dict({"weight": torch.ones(1, 2), "extra": torch.ones(1)})
    assert "extra" in str(info.value)


def test_loose_load_reports_missing_and_unexpected(nn):
    m = nn.Linear(2, 1)
    result = m.load_state_dict(
        {"weight": torch.full((1, 2), 3.0), "extra": torch.ones(1)}, strict=False
    )
    assert result.missing_keys == ["bias"] and result.unexpected_keys == ["extra"]
    assert m.weight.tolist() == [[3.0, 3.0]]


def test_load_with_assign_takes_the_tensors_themselves(nn):
    m = nn.Linear(2, 1)
    w = torch.full((1, 2), 3.0, dtype=torch.float64)
    m.load_state_dict({"weight": w, "bias": torch.zeros(1)}, assign=True)
    assert m.weight.dtype is torch.float64 and m.weight.data_ptr() == w.data_ptr()
    assert isinstance(m.weight, nn.Parameter) and m.weight.requires_grad


def test_extra_state_goes_around(nn):
    class M(nn.Module):
        note = "none"

        def get_extra_state(self):
            return {"note": self.note}

        def set_extra_state(self, state):
            self.note = state["note"]

    a, b = M(), M()
    a.note = "hello"
    b.load_state_dict(a.state_dict())
    assert b.note == "hello" and list(a.state_dict()) == ["_extra_state"]


def test_double_and_half_touch_floats_only_and_keep_identity(nn):
    m = nn.Module()
    m.w = values(nn, 1)
    m.register_buffer("i", torch.ones(1, dtype=torch.int64))
    w = m.w
    assert m.double() is m and m.w is w and m.w.dtype is torch.float64 and m.i.dtype is torch.int64
    assert m.half().w.dtype is torch.float16 and m.float().w.dtype is torch.float32


def test_to_meta_and_to_empty(nn):
    m = nn.Linear(2, 3).to("meta")
    assert m.weight.device.type == "meta" and m.weight.requires_grad
    m.to_empty(device="cpu")
    assert m.weight.device.type == "cpu" and tuple(m.weight.shape) == (3, 2)


def test_conversion_converts_gradients_too(nn):
    m = nn.Linear(1, 1, bias=False)
    m(torch.ones(1, 1)).sum().backward()
    m.double()
    assert m.weight.grad.dtype is torch.float64


def test_repr_of_layers(nn):
    assert repr(nn.Linear(3, 2)) == "Linear(in_features=3, out_features=2, bias=True)"
    assert repr(nn.Dropout(0.25)) == "Dropout(p=0.25, inplace=False)"
    assert repr(nn.ReLU()) == "ReLU()"


def test_repr_folds_repeated_entries_of_a_list(nn):
    text = repr(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]))
    assert "(0-1): 2 x ReLU()" in text and "(2): Tanh()" in text


def test_module_cycles_are_collected(nn):
    m = nn.Linear(1, 1)
    m.me = [m]
    ref = weakref.ref(m)
    del m
    gc.collect()
    assert ref() is None


def test_parameter_data_can_be_replaced(nn):
    p = nn.Parameter(torch.ones(2))
    p.data = torch.zeros(3)
    assert p.tolist() == [0.0] * 3 and isinstance(p, nn.Parameter) and p.requires_grad


def test_sequential_runs_in_order_and_is_a_list(nn):
    s = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
    assert (
        len(s) == 2
        and isinstance(s[1], nn.ReLU)
        and s[-1] is s[1]
        and isinstance(s[:1], nn.Sequential)
    )
    s.append(nn.Tanh())
    s.insert(0, nn.Identity())
    assert [type(m).__name__ for m in s] == ["Identity", "Linear", "ReLU", "Tanh"]
    del s[1]
    assert list(s._modules) == ["0", "1", "2"]


def test_sequential_addition_and_index_errors(nn):
    s = nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh())
    assert len(s) == 2
    with pytest.raises(IndexError):
        s[5]


def test_parameter_dict(nn):
    pd = nn.ParameterDict({"x": values(nn, 1)})
    pd["y"] = values(nn, 2)
    assert list(pd) == ["x", "y"] and [p.item() for p in pd.values()] == [1.0, 2.0]
    del pd["x"]
    assert list(pd.state_dict()) == ["y"]


def test_parametrization_computes_the_weight_on_access(nn):
    parametrize = sub("nn.utils.parametrize")

    class Positive(nn.Module):
        def forward(self, x):
            return x.abs()

        def right_inverse(self, x):
            return x

    lin = nn.Linear(2, 1, bias=False)
    lin.weight.data.fill_(-2.0)
    parametrize.register_parametrization(lin, "weight", Positive())
    assert lin.weight.tolist() == [[2.0, 2.0]] and parametrize.is_parametrized(lin, "weight")
    assert list(lin.state_dict()) == ["parametrizations.weight.original"]
    parametrize.remove_parametrizations(lin, "weight")
    assert lin.weight.tolist() == [[2.0, 2.0]] and list(lin.state_dict()) == ["weight"]


def test_parameters_to_vector_and_back(nn):
    util = sub("nn.utils")
    m = nn.Linear(2, 1)
    vec = util.parameters_to_vector(m.parameters())
    assert vec.shape == (3,)
    util.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), m.parameters())
    assert m.weight.tolist() == [[1.0, 2.0]] and m.bias.tolist() == [3.0]
