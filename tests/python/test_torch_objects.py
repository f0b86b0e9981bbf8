# SPDX-License-Identifier: Apache-2.0
"""Objects that programs for PyTorch rely on: sizes, tuples, node types, modules, packets."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing

import pytest
import tenon
from tenon import nn


def test_size_is_a_tuple_with_numel():
    x = tenon.ones(2, 3, 4)
    assert type(x.shape) is tenon.Size and x.shape == (2, 3, 4) and x.shape.numel() == 24
    assert repr(x.shape) == "tenon.Size([2, 3, 4])" and str(tenon.Size([])) == "tenon.Size([])"
    for made in (x.shape[1:], x.shape + (1,), (1,) + x.shape, x.shape * 2, x.size()):
        assert type(made) is tenon.Size
    assert (1,) + x.shape == (1, 2, 3, 4) and x.shape[0] == 2 and hash(x.shape) == hash((2, 3, 4))
    assert tenon.ones(0, 3).shape.numel() == 0 and tenon.tensor(1).shape.numel() == 1
    again = pickle.loads(pickle.dumps(x.shape))
    assert type(again) is tenon.Size and again == x.shape and copy.deepcopy(x.shape) == x.shape
    assert x.view(x.shape[0], -1).shape == (2, 12) and x.reshape(tenon.Size([6, 4])).shape == (6, 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.split(1),
        lambda x: x.chunk(2),
        lambda x: x.unbind(),
        lambda x: tenon.where(x > 1),
        lambda x: x.nonzero(as_tuple=True),
        lambda x: tenon.meshgrid(x[0], x[1], indexing="ij"),
        lambda x: x.tensor_split(2),
        lambda x: tenon.broadcast_tensors(x, x),
    ],
)
def test_several_tensors_are_a_tuple(call):
    x = tenon.arange(6.0).reshape(2, 3)
    assert type(call(x)) is tuple
    assert all(isinstance(one, tenon.Tensor) for one in call(x) + (x,))


def test_nodes_have_types_of_their_names():
    x = tenon.ones(2, requires_grad=True)
    y = (x * 2).sum()
    assert type(y.grad_fn).__name__ == y.grad_fn.name() == "SumBackward0"
    node = y.grad_fn.next_functions[0][0]
    assert isinstance(node, tenon.autograd.graph.Node)
    assert type(node) is type((x * 3).grad_fn) and type(node) is not type(y.grad_fn)
    with pytest.raises(TypeError):
        type(node)()
    node.metadata["a"] = 1
    del node
    assert y.grad_fn.next_functions[0][0].metadata == {"a": 1}
    y.backward()
    assert x.grad.tolist() == [2, 2]


def test_the_default_generator_is_one():
    generator = tenon.default_generator
    assert isinstance(generator, tenon.Generator) and generator == tenon.default_generator()
    generator.manual_seed(3)
    first = tenon.rand(1)
    tenon.manual_seed(3)
    assert tenon.rand(1).item() == first.item()


def test_modules_work_with_other_bases():
    T = typing.TypeVar("T")

    class Holds(nn.Module, typing.Generic[T]):
        pass

    class Tagged:
        def __init_subclass__(cls, tag=None, **options):
            super().__init_subclass__(**options)
            cls.tag = tag

    class Both(nn.Module, Tagged, tag=3):
        pass

    assert Holds[int].__origin__ is Holds and Both.tag == 3
    assert Both().eval().training is False
    with pytest.raises(TypeError):
        type("Wrong", (nn.Module,), {}, tag=3)


def test_every_layer_has_hints_and_a_signature():
    kinds = [getattr(nn.modules, name) for name in nn.modules.__all__]
    kinds = [kind for kind in kinds if isinstance(kind, type)]
    assert len(kinds) > 120
    for kind in kinds:
        assert isinstance(typing.get_type_hints(kind), dict), kind
        inspect.signature(kind)
    assert list(inspect.signature(nn.ReLU()).parameters) == ["args", "kwargs"]


@pytest.mark.parametrize("one", [tenon.add, tenon.ops.aten.add, tenon.ops.aten.add.Tensor])
def test_operators_are_copied_and_pickled_by_name(one):
    assert copy.copy(one) is one and copy.deepcopy({"f": one})["f"] is one
    assert pickle.loads(pickle.dumps(one)) is one


def test_devices_of_unavailable_types():
    assert tenon.device("cpu", 0).type == "cpu" and str(tenon.device("mps:1")) == "mps:1"
    assert tenon.device("mps") == tenon.device("mps") and tenon.device("xla").type == "xla"
    assert tenon.is_autocast_enabled("mps") is False
    for wrong in ("notadevice", "cpu:x"):
        with pytest.raises(tenon.Error):
            tenon.device(wrong)
    with pytest.raises(tenon.Error, match="given once"):
        tenon.device("cuda:1", 1)


def test_types_by_name():
    x = tenon.ones(2)
    assert x.type() == "tenon.FloatTensor" and x.long().type() == "tenon.LongTensor"
    assert x.type("torch.DoubleTensor").dtype is tenon.float64
    assert x.type(tenon.LongTensor).dtype is x.type(tenon.int64).dtype is tenon.int64
    assert isinstance(x, tenon.FloatTensor) and not isinstance(x, tenon.LongTensor)
    assert tenon.LongTensor([1, 2]).tolist() == [1, 2] and tenon.IntTensor(2, 3).shape == (2, 3)
    assert x.to(None) is x and x.view(tenon.int32).tolist() == [1065353216] * 2
    with pytest.raises(tenon.Error, match="type: dtype must be a known type"):
        x.type("torch.Nothing")


def test_norm_of_dims_as_a_method():
    x = tenon.arange(6.0).reshape(2, 3)
    assert x.norm(dim=1).tolist() == tenon.norm(x, dim=1).tolist()
    assert x.norm(2, -1, keepdim=True).shape == (2, 1) and x.norm().item() == tenon.norm(x).item()


def test_resize_keeps_elements():
    x = tenon.arange(6.0)
    assert x.resize_(2, 2) is x and x.tolist() == [[0, 1], [2, 3]]
    assert x.resize_((6,))[:4].tolist() == [0, 1, 2, 3] and x.resize_as_(
        tenon.ones(3, 1)
    ).shape == (3, 1)
