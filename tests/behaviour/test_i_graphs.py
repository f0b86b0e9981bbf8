# SPDX-License-Identifier: Apache-2.0
"""Section I, items 221 and 222: what a recorded graph keeps."""

from __future__ import annotations

import importlib

import peers
from items import better, same


def make_fx(peer, function):
    name = peer.package.__name__
    place = "tenon.fx" if name == "tenon" else "torch.fx.experimental.proxy_tensor"
    return importlib.import_module(place).make_fx(function)


def calls(module):
    return [node for node in module.graph.nodes if node.op == "call_function"]


@same(221, "A call is one node with its arguments by type, None too; what its kernel calls is not")
def test_item_221_nodes(peer):
    package = peer.package
    schema = "op(Tensor x, int k, float[] s, Tensor? y=None, *, str how='a') -> Tensor"
    with peers.scratch(peer, schema) as one:
        one.add_call("CPU", lambda x, k, s, y=None, *, how="a": (x * k).sin() + s[0])
        op = one.overload()
        module = make_fx(peer, lambda a: op(a, 2, [0.5], None, how="b") * 3)(package.ones(2))
        mix, times = calls(module)
        assert mix.target is op and times.target is package.ops.aten.mul.Tensor
        x, k, s, *rest = mix.args
        assert x is next(iter(module.graph.nodes)) and k == 2 and list(s) == [0.5]
        assert rest in ([], [None]) and dict(mix.kwargs) == {"how": "b"}
        two = package.full((2,), 2.0)
        assert module(two).tolist() == (((two * 2).sin() + 0.5) * 3).tolist()


@better(
    222,
    "A graph keeps captured tensors alive, and gradients flow to them in a run",
    "captured tensors are attributes, results that hang on no input are given again at each run; "
    "PyTorch's tracer of jit refuses both",
)
def test_item_222_constants(peer):
    package = peer.package
    w = package.tensor([2.0, 3.0], requires_grad=True)
    module = make_fx(peer, lambda a: (a * w, w + 1))(package.ones(2))
    assert len({node.target for node in module.graph.nodes if node.op == "get_attr"}) == 1
    product, alone = module(package.full((2,), 2.0))
    assert product.tolist() == [4, 6] and alone.tolist() == [3, 4]
    product.sum().backward()
    assert w.grad.tolist() == [2, 2]
