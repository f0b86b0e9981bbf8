# SPDX-License-Identifier: Apache-2.0
"""Symbolic traces, interpreters and transformers of graphs."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.fx as fx
import math
import operator
import copy


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 5)
        self.param = nn.Parameter(torch.rand(3, 4))
        self.register_buffer("buf", torch.ones(5))
        self.seq = nn.Sequential(nn.Linear(5, 5), nn.ReLU())

    def forward(self, x, y=2):
        z = self.lin(x + self.param).clamp(min=0.0, max=1.0)
        z = self.seq(z) + self.buf * y
        a, b = z.split(2, dim=1)[:2]
        return torch.relu(a).sum() + F.softmax(b, dim=-1).mean() + z.shape[0]


torch.manual_seed(0)
m = M()
g = fx.symbolic_trace(m)
x = torch.rand(3, 4)
print(
    [
        (n.op, n.name, n.target if isinstance(n.target, str) else n.target.__name__)
        for n in g.graph.nodes
    ]
)
print(
    torch.allclose(g(x), m(x)), torch.allclose(g(x, 3), m(x, 3)), torch.allclose(g(x, y=3), m(x, 3))
)
g(x).backward()
print(m.param.grad is not None, sorted(dict(g.named_parameters())), sorted(dict(g.named_buffers())))
for n in g.graph.nodes:
    if n.op == "call_function" and n.target in (torch.relu,):
        with g.graph.inserting_after(n):
            new = g.graph.call_function(torch.sigmoid, args=n.args)
            n.replace_all_uses_with(new)
            g.graph.erase_node(n)
g.graph.lint()
g.recompile()
print(torch.allclose(g(x), m(x)))


class Shape(fx.Interpreter):
    def run_node(self, n):
        r = super().run_node(n)
        if isinstance(r, torch.Tensor):
            n.meta["shape"] = tuple(r.shape)
        return r


Shape(g).run(x)
print([n.meta.get("shape") for n in g.graph.nodes if n.op == "call_module"])


class Neg(fx.Transformer):
    def call_function(self, target, args, kwargs):
        if target is operator.add:
            return super().call_function(operator.sub, args, kwargs)
        return super().call_function(target, args, kwargs)


def f(a, b):
    return a + b * 2


t = fx.symbolic_trace(f)
print(Neg(t).transform()(torch.ones(2), torch.ones(2)), t.code.strip().splitlines()[-1])


@fx.wrap
def leaf(a, k):
    return a * k if k > 1 else a


def h(a):
    return leaf(a, 3) + math.sqrt(4.0)


t = fx.symbolic_trace(h)
print([n.op for n in t.graph.nodes], t(torch.ones(2)))


def bad(a):
    if a.sum() > 0:
        return a
    return -a


try:
    fx.symbolic_trace(bad)
except Exception as e:
    print(type(e).__name__)
try:
    fx.symbolic_trace(lambda a: [i for i in a])
except Exception as e:
    print(type(e).__name__)
t = fx.symbolic_trace(lambda a, flag: a + 1 if flag else a - 1, concrete_args={"flag": False})
print([n.target.__name__ for n in t.graph.nodes if n.op == "call_function"][-1])


class T(fx.Tracer):
    def is_leaf_module(self, m, q):
        return isinstance(m, nn.Sequential) or super().is_leaf_module(m, q)


tr = T()
gr = tr.trace(m)
gm = fx.GraphModule(tr.root, gr)
print([n.target for n in gr.nodes if n.op == "call_module"], torch.allclose(gm(x), m(x)))
c = copy.deepcopy(gm)
print(torch.allclose(c(x), m(x)), c.lin.weight is not gm.lin.weight)
p = fx.Proxy(gr.output_node().prev if hasattr(gr, "output_node") else list(gr.nodes)[-1])


def inpl(x):
    y = x.clone()
    return (y.view(-1, 2), {"k": y.size(0)})


t = fx.symbolic_trace(inpl)
print(t(torch.zeros(4)))
t.graph.eliminate_dead_code()
t.recompile()
print(t(torch.zeros(4)))
print(
    fx.symbolic_trace(lambda *xs: torch.cat(xs))(torch.ones(1), torch.ones(2)) if False else "",
    fx.symbolic_trace(lambda x: 2**x - x % 3 if True else 0)(torch.tensor(3.0)),
)
print(fx.symbolic_trace(lambda x: x[..., 1:, None] * x.T[0])(torch.ones(2, 2)).shape)


def cust(x, idx):
    return (x[idx[0]], -x, ~(x > 0), x @ x.T, abs(x), 1 / x, x // 2, x.dtype)


t = fx.symbolic_trace(cust)
print(len(t(torch.ones(2, 2), [0])))
print(
    [
        n.name
        for n in fx.symbolic_trace(
            nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten())
        ).graph.nodes
    ]
)
gr = fx.Graph()
a = gr.placeholder("a", torch.Tensor)
b = gr.placeholder("b", default_value=3)
gr.output(gr.call_function(operator.add, (a, b)))
print(fx.GraphModule({}, gr)(1))
