# SPDX-License-Identifier: Apache-2.0
"""make_fx: the graph of a traced function, and its results when it runs."""

import itertools
import operator
import os
import pytest
from seed import make_fx, sub, torch

pytestmark = pytest.mark.filterwarnings("ignore")
_n = itertools.count()


def same(a, b):
    assert tuple(a.shape) == tuple(b.shape) and torch.allclose(a, b, atol=1e-5), (a, b)


def calls(g):
    return [n for n in g.graph.nodes if n.op == "call_function"]


def targets(g):
    return [n.target for n in calls(g)]


def names(g):
    return [str(n.target) for n in calls(g)]


def ops(g):
    return [n.op for n in g.graph.nodes]


def new_op(schema, cpu):
    name = f"graphs{os.getpid()}::op{next(_n)}"
    torch.library.define(name, schema)
    torch.library.impl(name, "cpu")(cpu)
    ns, op = name.split("::")
    return name, getattr(getattr(torch.ops, ns), op)


def test_replay_on_other_values():
    """the traced module computes the function on new values"""

    def f(a, b):
        return (a * b).softmax(0) + a.sum()

    g = make_fx(f)(torch.ones(3), torch.ones(3))
    x, y = torch.randn(3), torch.randn(3)
    same(g(x, y), f(x, y))


def test_arguments_of_nodes():
    """nodes keep constants, keyword arguments and references to earlier nodes"""
    g = make_fx(lambda a: torch.add(a, a, alpha=2).sum(0))(torch.ones(2, 3))
    ph, add, total = list(g.graph.nodes)[0], *calls(g)
    assert add.args == (ph, ph) and dict(add.kwargs) == {"alpha": 2}
    assert (
        total.args[0] is add
        and list(total.args[1]) == [0]
        and add in ph.users
        and total in add.users
    )


def test_factories_are_recorded():
    """zeros, ones and arange become calls and make fresh tensors at each run"""
    g = make_fx(lambda a: a + torch.ones(2).mul_(3))(torch.ones(2))
    assert torch.ops.aten.ones.default in targets(g)
    assert g(torch.ones(2)).tolist() == [4, 4] and g(torch.ones(2)).tolist() == [4, 4]


def test_randomness_is_a_call():
    """random operators are recorded, not their values"""
    g = make_fx(lambda a: a + torch.rand(3))(torch.ones(3))
    assert torch.ops.aten.rand.default in targets(g)
    torch.manual_seed(1)
    first = g(torch.zeros(3))
    torch.manual_seed(1)
    assert torch.equal(first, torch.rand(3)) and not torch.equal(g(torch.zeros(3)), first)


def test_several_results_use_getitem():
    """results of an operator with several results are taken by getitem"""
    g = make_fx(lambda a: a.topk(2)[0])(torch.ones(3))
    assert torch.ops.aten.topk.default in targets(g) and operator.getitem in targets(g)
    assert g(torch.tensor([1.0, 5.0, 3.0])).tolist() == [5, 3]


def test_gradient_inside():
    """torch.func.grad inside is traced into plain operators"""
    grad = sub("func").grad
    g = make_fx(grad(lambda a: (a.sin() * a).sum()))(torch.ones(3))
    x = torch.randn(3)
    same(g(x), x.cos() * x + x.sin())
    assert torch.ops.aten.cos.default in targets(g)


def test_autograd_grad_inside():
    """autograd.grad on a traced leaf is recorded"""

    def f(a):
        return torch.autograd.grad((a**2).sum(), a)[0]

    g = make_fx(f)(torch.ones(3, requires_grad=True))
    assert g(torch.tensor([1.0, 2.0, 3.0])).tolist() == [2, 4, 6]


def test_vmap_inside_records_batched_operators():
    """vmap leaves one call over the whole batch"""
    g = make_fx(sub("func").vmap(lambda r: r.sin()))(torch.ones(4, 2))
    assert targets(g) == [torch.ops.aten.sin.default]
    x = torch.randn(5, 2)
    same(g(x), x.sin())


def test_custom_operator_is_one_call():
    """a custom operator is recorded as itself and called on replay"""
    _, op = new_op("(Tensor x, int k) -> Tensor", lambda x, k: x * k)
    g = make_fx(lambda a: op(a, 4) + 1)(torch.ones(2))
    assert targets(g)[0] is op.default and calls(g)[0].args[1] == 4
    assert g(torch.full((2,), 2.0)).tolist() == [9, 9]


def test_trace_of_a_trace():
    """a traced module can be traced again, and tracing inside a trace records the run only"""
    g = make_fx(lambda a: (a + 1).sin())(torch.ones(2))
    assert targets(make_fx(lambda a: g(a) * 2)(torch.ones(2))) == [
        torch.ops.aten.add.Tensor,
        torch.ops.aten.sin.default,
        torch.ops.aten.mul.Tensor,
    ]

    def outer(a):
        inner = make_fx(lambda b: b.cos())(a)
        return inner(a).exp()

    assert targets(make_fx(outer)(torch.ones(2))) == [
        torch.ops.aten.cos.default,
        torch.ops.aten.exp.default,
    ]


def test_exception_while_tracing_leaves_nothing_on():
    """an exception in f propagates, and later operators are not recorded"""
    with pytest.raises(ZeroDivisionError):
        make_fx(lambda a: (a + 1, 1 // 0))(torch.ones(2))
    x = torch.ones(2) + 1
    assert x.tolist() == [2, 2] and type(x) is torch.Tensor
    assert targets(make_fx(lambda a: a - 1)(x)) == [torch.ops.aten.sub.Tensor]


def test_dispatch_mode_inside_a_trace():
    """a dispatch mode entered in f sees the operators, and what it calls is recorded"""
    base, seen = sub("utils._python_dispatch").TorchDispatchMode, []

    class Swap(base):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return (
                torch.cos(*args)
                if func is torch.ops.aten.sin.default
                else func(*args, **(kwargs or {}))
            )

    def f(a):
        with Swap():
            return a.sin()

    g = make_fx(f)(torch.ones(2))
    assert torch.ops.aten.sin.default in seen and targets(g) == [torch.ops.aten.cos.default]


def test_autocast_casts_are_recorded():
    """casts made by autocast appear in the graph"""

    def f(a):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return a @ a

    g = make_fx(f)(torch.ones(2, 2))
    assert torch.ops.aten.mm.default in targets(g) and any("_to_copy" in n for n in names(g))
    assert g(torch.ones(2, 2)).dtype == torch.bfloat16


def test_detach_is_kept_out_of_the_gradient_in_replay():
    """a traced function with detach returns the same values and gradients"""

    def f(a):
        return a.detach() * a

    g = make_fx(f)(torch.ones(2, requires_grad=True))
    assert g(torch.full((2,), 3.0)).tolist() == [9, 9]


def test_graph_prints_code_that_names_operators():
    """the module's code mentions the operators it calls"""
    g = make_fx(lambda a: (a + 1).sin())(torch.ones(2))
    assert "add" in g.code and "sin" in g.code and "def forward" in g.code


def test_backward_through_a_replay():
    """a replayed graph takes part in ordinary autograd"""
    g = make_fx(lambda a: (a**2).sum())(torch.ones(3))
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    g(x).backward()
    assert x.grad.tolist() == [2, 4, 6]
