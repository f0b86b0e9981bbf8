# SPDX-License-Identifier: Apache-2.0
"""Whole training steps as graphs: runs equal eager steps bit by bit."""

from __future__ import annotations

import pytest
import tenon
from tenon import graph, nn, optim
from tenon.library import register_autograd

WIDTH, HEADS, TOKENS, CLASSES = 8, 2, 5, 3


@pytest.fixture
def cube():
    """A Python operator whose gradient formula calls operators."""
    with tenon.library._scoped_library("model_tests", "DEF") as library:
        library.define("cube(Tensor x) -> Tensor")
        library.impl(
            "cube", lambda x: tenon.tensor([v**3 for v in x.tolist()], dtype=x.dtype), "CPU"
        )

        def save(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        def slope(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x * x * 3

        register_autograd("model_tests::cube", slope, setup_context=save, lib=library)
        yield tenon.ops.model_tests.cube


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(TOKENS * WIDTH, 16), nn.Tanh(), nn.Linear(16, 7), nn.Sigmoid()
        )
        self.head = nn.Linear(7, CLASSES)

    def forward(self, x):
        return self.head(self.net(x.flatten(1)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        count = x.shape[0]
        parts = self.qkv(self.norm1(x)).view(count, TOKENS, 3, HEADS, WIDTH // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = tenon.ops.aten.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(count, TOKENS, WIDTH))
        return self.head((x + self.mlp(self.norm2(x))).mean(1))


def training(model, optimizer, **options):
    """Returns a training step of a new model with fixed weights, and its state."""
    tenon.manual_seed(4)
    made = model()
    opt = getattr(optim, optimizer)(made.parameters(), **options)

    def step(x, labels):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(made(x), labels)
        loss.backward()
        opt.step()
        return loss.detach()

    def kept():
        held = [*made.parameters()]
        return held + [
            t for p in held for t in opt.state[p].values() if isinstance(t, tenon.Tensor)
        ]

    return step, kept


def batch(seed, count=4):
    tenon.manual_seed(seed)
    return tenon.randn(count, TOKENS, WIDTH), tenon.randint(0, CLASSES, (count,))


def bits(tensors):
    return [memoryview(t.detach().contiguous()).tobytes() for t in tensors]


@pytest.mark.parametrize("model", [Mlp, Block])
@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        ("SGD", {"lr": 0.1}),
        ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
        ("AdamW", {"lr": 0.05, "capturable": True, "amsgrad": True}),
    ],
)
def test_replayed_steps_are_eager_steps(model, optimizer, options, tmp_path):
    eager, eager_keeps = training(model, optimizer, **options)
    other, other_keeps = training(model, optimizer, **options)
    for step in (eager, other):
        step(*batch(0))
    eager(*batch(1))
    recorded = graph.trace(other, *batch(1))
    # The last run compares the loaded graph.
    recorded.save(tmp_path / "step.graph")
    loaded = graph.Graph.load(tmp_path / "step.graph")
    for seed in range(2, 7):
        expected = bits([eager(*batch(seed))])
        with tenon.no_grad():
            assert bits([recorded(*batch(seed))]) == expected
        assert bits([loaded(*batch(seed))]) == expected
        assert bits(other_keeps()) == bits(eager_keeps())
    assert sorted(bits(loaded.attributes.values())) == sorted(bits(recorded.attributes.values()))


@pytest.mark.parametrize("model", [Mlp, Block])
@pytest.mark.parametrize(
    ("optimizer", "options"),
    [("SGD", {"lr": 0.1, "momentum": 0.9}), ("AdamW", {"lr": 0.05, "capturable": True})],
)
def test_whole_steps_run_by_plans(model, optimizer, options):
    eager, eager_keeps = training(model, optimizer, **options)
    other, other_keeps = training(model, optimizer, **options)
    for step in (eager, other):
        step(*batch(0))
    eager(*batch(1))
    recorded = graph.trace(other, *batch(1)).remove_dead()
    with tenon.no_grad():
        assert recorded.bind(*batch(1)) is None
    for seed in range(2, 7):
        expected = bits([eager(*batch(seed))])
        with tenon.no_grad():
            assert bits([recorded(*batch(seed))]) == expected
        assert bits(other_keeps()) == bits(eager_keeps())


@pytest.mark.parametrize("model", [Mlp, Block])
def test_forward_passes_run_by_plans(model):
    made = model()
    x = batch(0)[0]
    with tenon.no_grad():
        for below_autograd in (True, False):
            recorded = graph.trace(lambda x: made(x), x, below_autograd=below_autograd)
            assert recorded.bind(x) is None
            for seed in range(1, 3):
                x = batch(seed)[0]
                assert bits([recorded(x)]) == bits([made(x)])


def test_graph_attributes_are_the_models_state():
    """Nothing else: a saved result among the attributes would belong to one batch."""
    step, keeps = training(Block, "AdamW", capturable=True)
    step(*batch(0))
    recorded = graph.trace(step, *batch(1)).remove_dead()
    assert {t.data_ptr() for t in recorded.attributes.values()} <= {t.data_ptr() for t in keeps()}


SAVING = [
    tenon.sigmoid,
    tenon.tanh,
    tenon.exp,
    tenon.sqrt,
    tenon.reciprocal,
    lambda x: tenon.softmax(x, 0),
    lambda x: tenon.log_softmax(x, 0),
    lambda x: x.relu(),
    lambda x: x.amax(0),
]


@pytest.mark.parametrize("below_autograd", [True, False])
@pytest.mark.parametrize("function", SAVING)
def test_saved_results_are_values_of_the_graph(function, below_autograd):
    def slope(x):
        leaf = x.detach().requires_grad_()
        return tenon.autograd.grad((function(leaf) * 3).sum(), leaf)[0]

    recorded = graph.trace(slope, tenon.tensor([1.0, 2.0]), below_autograd=below_autograd)
    assert recorded.attributes == {}
    x = tenon.tensor([0.25, 0.5])
    assert bits([recorded(x)]) == bits([slope(x)])


def test_a_function_that_returns_its_input_is_a_value_of_the_graph():
    class Same(tenon.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    def slope(x):
        leaf = x.detach().requires_grad_()
        return tenon.autograd.grad((Same.apply(leaf) * leaf).sum(), leaf)[0]

    recorded = graph.trace(slope, tenon.ones(2))
    assert recorded.attributes == {}
    x = tenon.tensor([3.0, 5.0])
    assert recorded(x).tolist() == slope(x).tolist() == [9, 15]


def test_second_order_gradients_are_recorded():
    def curve(x):
        leaf = x.detach().requires_grad_()
        (slope,) = tenon.autograd.grad(leaf.tanh().sum(), leaf, create_graph=True)
        return tenon.autograd.grad(slope.sum(), leaf)[0]

    recorded = graph.trace(curve, tenon.ones(2))
    assert recorded.attributes == {}
    x = tenon.tensor([0.3, -0.7])
    assert bits([recorded(x)]) == bits([curve(x)])


def test_a_graph_with_a_gradient_has_a_second_one():
    """The recorded gradient depends on x through the saved result."""

    def slope(x):
        leaf = x.detach().requires_grad_()
        return tenon.autograd.grad(leaf.exp().sum(), leaf)[0]

    traced = graph.trace(lambda x: x.exp().mul(2), tenon.ones(2))
    x = tenon.tensor([0.5, 1.0], requires_grad=True)
    traced(x).sum().backward()
    assert tenon.allclose(x.grad, 2 * slope(x))


def test_an_operator_of_python_is_a_node_with_its_gradient(cube):
    def slope(x):
        leaf = x.detach().requires_grad_()
        return tenon.autograd.grad(cube(leaf).sum(), leaf)[0]

    recorded = graph.trace(slope, tenon.ones(2))
    assert "model_tests.cube.default" in {str(node.op) for node in recorded.nodes}
    assert recorded(tenon.tensor([2.0, 3.0])).tolist() == [12, 27]
