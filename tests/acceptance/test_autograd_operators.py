# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: gradients of everyday operators against finite differences."""

import pytest
from seed import Lazy, autograd, const, flat, leaf, near, torch


F = Lazy("nn.functional")


def filled(shape, kind="any", shift=0):
    """Returns distinct, fixed numbers in (-1, 1) or in (0.3, 1.3), none close to zero."""
    n = 1
    for size in shape:
        n *= size
    values = [((i * 37 + 11 + shift) % 101) / 50.5 - 1 for i in range(n)]
    if kind == "positive":
        values = [abs(v) + 0.3 for v in values]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def check(f, *inputs, tol=1e-6, eps=1e-6):
    """Compares the gradients of a weighted sum of f's result with central differences."""
    tracked = [x.clone().requires_grad_() for x in inputs]
    out = f(*tracked)
    weight = filled(tuple(out.shape), shift=29) + 2
    grads = autograd.grad(out, tracked, weight)
    for k, (x, g) in enumerate(zip(inputs, grads)):
        assert tuple(g.shape) == tuple(x.shape)
        numeric = []
        for i in range(len(flat(x))):
            sides = []
            for step in (eps, -eps):
                values = flat(x)
                values[i] += step
                moved = torch.tensor(values, dtype=torch.float64).reshape(x.shape)
                others = [moved if j == k else y for j, y in enumerate(inputs)]
                sides.append((f(*others) * weight).sum().item())
            numeric.append((sides[0] - sides[1]) / (2 * eps))
        assert flat(g) == pytest.approx(numeric, rel=tol, abs=tol)


BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "sub alpha": lambda x, y: torch.sub(x, y, alpha=3),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "maximum": lambda x, y: torch.maximum(x, y),
    "minimum": lambda x, y: torch.minimum(x, y),
    "where": lambda x, y: torch.where(x.detach() + y.detach() > 0.2, x, y),
    "rsub": lambda x, y: (2 - x) * (3 / y),
}

BINARY_CASES = [
    ("add", (3,), (2, 3)),
    ("add", (), (2, 3)),
    ("add", (1, 1), (2, 1, 2)),
    ("sub", (3,), (3,)),
    ("sub alpha", (0, 3), (3,)),
    ("sub alpha", (2, 3), (2, 1)),
    ("mul", (2, 1), (1, 3)),
    ("mul", (1,), (4,)),
    ("mul", (0, 3), (3,)),
    ("mul", (), ()),
    ("div", (2, 3), ()),
    ("div", (1,), (4,)),
    ("div", (), ()),
    ("div", (1, 1), (2, 1, 2)),
    ("pow", (2, 1), (1, 3)),
    ("pow", (), (2, 3)),
    ("pow", (1,), (4,)),
    ("maximum", (2, 1), (1, 3)),
    ("maximum", (0, 3), (3,)),
    ("maximum", (2, 1, 3), (4, 1)),
    ("minimum", (3,), (2, 3)),
    ("minimum", (), (2, 3)),
    ("minimum", (), ()),
    ("minimum", (2, 3), (2, 1)),
    ("where", (2, 3), (3,)),
    ("where", (), (2, 3)),
    ("where", (), ()),
    ("rsub", (2, 3), (3,)),
    ("rsub", (2, 1), (1, 3)),
    ("rsub", (2, 1, 3), (4, 1)),
]


@pytest.mark.parametrize("name, left, right", BINARY_CASES)
def test_binary_operator_broadcasts_its_gradient(name, left, right):
    kind = "positive" if name in ("pow", "div", "rsub") else "any"
    check(BINARY[name], filled(left, kind), filled(right, kind, shift=53))


UNARY = {
    "exp": lambda x: torch.exp(x),
    "log": lambda x: torch.log(x),
    "sin": lambda x: torch.sin(x),
    "cos": lambda x: torch.cos(x),
    "tanh": lambda x: torch.tanh(x),
    "sigmoid": lambda x: torch.sigmoid(x),
    "relu": lambda x: torch.relu(x),
    "sqrt": lambda x: torch.sqrt(x),
    "abs": lambda x: torch.abs(x),
    "neg": lambda x: torch.neg(x),
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "half power": lambda x: x**0.5,
    "inverse": lambda x: 1 / x,
    "base two": lambda x: 2**x,
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "clamp below": lambda x: x.clamp(min=0.1),
    "clone": lambda x: torch.clone(x),
    "times itself": lambda x: x * x * x,
    "complex trip": lambda x: x.to(torch.complex128).real * 2,
}
UNARY_CASES = [
    ("log", (3,)),
    ("sin", (0, 2)),
    ("cos", (3,)),
    ("tanh", (2, 1, 2)),
    ("sigmoid", (3,)),
    ("relu", (3,)),
    ("sqrt", ()),
    ("sqrt", (0, 2)),
    ("abs", (0, 2)),
    ("neg", (2, 1, 2)),
    ("neg", (3,)),
    ("cube", ()),
    ("cube", (2, 3)),
    ("inverse", (0, 2)),
    ("base two", (0, 2)),
    ("clamp below", (2, 1, 2)),
    ("clamp below", (2, 3)),
    ("clone", ()),
    ("clone", (0, 2)),
    ("times itself", ()),
]


@pytest.mark.parametrize("name, shape", UNARY_CASES)
def test_unary_operator_gradient(name, shape):
    check(
        UNARY[name],
        filled(shape, "positive" if name in ("log", "sqrt", "half power", "inverse") else "any"),
    )


REDUCTION_CASES = [
    ("sum pair", lambda x: x.sum((0, 2)), (2, 3, 2)),
    ("sum pair keep", lambda x: x.sum((0, -1), keepdim=True), (2, 3, 2)),
    ("mean all", lambda x: x.mean(), (2, 3)),
    ("mean 1", lambda x: x.mean(1), (2, 3)),
    ("amax 0", lambda x: x.amax(0), (3, 2)),
    ("amax all", lambda x: x.amax(), (3, 2)),
    ("max values", lambda x: x.max(1).values, (3, 2)),
    ("softmax last", lambda x: x.softmax(-1), (2, 3)),
    ("log_softmax last", lambda x: x.log_softmax(-1), (2, 3)),
    ("cumsum -1", lambda x: torch.cumsum(x, -1), (2, 3)),
    ("sort values", lambda x: x.sort(descending=True)[0], (5,)),
    ("topk values", lambda x: x.topk(2).values, (2, 4)),
    ("centred", lambda x: x - x.mean(0), (3, 2)),
]


@pytest.mark.parametrize("name, f, shape", REDUCTION_CASES, ids=[c[0] for c in REDUCTION_CASES])
def test_reduction_gradient(name, f, shape):
    check(f, filled(shape))


MATMUL_CASES = [
    (lambda x, y: torch.matmul(x, y), (3,), (3, 2)),
    (lambda x, y: torch.matmul(x, y), (2, 3), (3, 4)),
    (lambda x, y: torch.matmul(x, y), (2, 3), (2, 3, 2)),
    (lambda x, y: torch.matmul(x, y), (0, 3), (3, 2)),
    (lambda x, y: torch.mm(x, y), (2, 3), (3, 2)),
    (lambda x, y: torch.bmm(x, y), (2, 2, 3), (2, 3, 2)),
    (lambda x, y: torch.outer(x, y) @ y, (2,), (3,)),
]


@pytest.mark.parametrize("f, left, right", MATMUL_CASES)
def test_matrix_product_gradient(f, left, right):
    check(f, filled(left), filled(right, shift=53))


SHAPE_CASES = [
    ("view inferred", lambda x: x.view(-1), (2, 3)),
    ("reshape of transposed", lambda x: x.t().reshape(-1), (2, 3)),
    ("transpose", lambda x: x.transpose(0, -1), (2, 1, 3)),
    ("permute", lambda x: x.permute(2, 0, 1), (2, 1, 3)),
    ("expand", lambda x: x.expand(2, 3, 2), (3, 1)),
    ("expand -1", lambda x: x.expand(-1, 4), (3, 1)),
    ("unsqueeze", lambda x: x.unsqueeze(-1), (2, 3)),
    ("select", lambda x: x.select(1, -1), (2, 3)),
    ("step slice", lambda x: x[::2], (5,)),
    ("roll", lambda x: x.roll(1, 0), (3, 2)),
    ("chunk", lambda x: x.chunk(2)[1] * 2, (3, 2)),
    ("stack", lambda x: torch.stack([x, x**2], -1), (2, 3)),
    ("index ints", lambda x: x[torch.tensor([0, 0, 1])], (2, 3)),
    ("index mask", lambda x: x[torch.tensor([True, False, True])], (3, 2)),
    ("index_select", lambda x: x.index_select(1, torch.tensor([2, 0, 2])), (2, 3)),
    ("masked_fill", lambda x: x.masked_fill(torch.tensor([True, False, True]), 9.0), (2, 3)),
]


@pytest.mark.parametrize("name, f, shape", SHAPE_CASES, ids=[c[0] for c in SHAPE_CASES])
def test_shape_and_index_operator_gradient(name, f, shape):
    check(f, filled(shape))


MIXED_CASES = [
    ("cat of two shapes", lambda x, y: torch.cat([x, y], 1), (2, 1), (2, 3)),
    ("scatter", lambda x, y: x.scatter(1, torch.tensor([[0, 2], [1, 0]]), y), (2, 3), (2, 2)),
    ("index_put", lambda x, y: x.index_put((torch.tensor([1, 0]),), y), (3, 2), (2,)),
    ("lerp by hand", lambda x, y: x + 0.3 * (y - x), (2, 3), (3,)),
    ("mse mean", lambda x, y: F.mse_loss(x, y), (2, 3), (2, 3)),
    ("mse none", lambda x, y: F.mse_loss(x, y, reduction="none"), (3,), (3,)),
    (
        "conv2d stride padding",
        lambda x, w: F.conv2d(x, w, stride=2, padding=1),
        (1, 1, 4, 3),
        (2, 1, 2, 3),
    ),
    ("conv2d groups", lambda x, w: F.conv2d(x, w, groups=2), (1, 2, 2, 3), (2, 1, 2, 2)),
]


@pytest.mark.parametrize("name, f, left, right", MIXED_CASES, ids=[c[0] for c in MIXED_CASES])
def test_gradient_of_operator_of_two_tensors(name, f, left, right):
    check(f, filled(left), filled(right, shift=53))


LAYER_CASES = [
    ("layer_norm two dims", lambda x: F.layer_norm(x, (2, 2)), ((2, 2, 2),)),
    (
        "conv2d with bias",
        lambda x, w, b: F.conv2d(x, w, b, padding=1),
        ((1, 1, 3, 3), (2, 1, 3, 3), (2,)),
    ),
    ("max_pool2d overlapping", lambda x: F.max_pool2d(x, 2, stride=1), ((1, 1, 3, 3),)),
    ("embedding", lambda w: F.embedding(torch.tensor([[0, 2], [2, 2]]), w), ((3, 2),)),
    ("cross_entropy", lambda x: F.cross_entropy(x, torch.tensor([2, 0])), ((2, 3),)),
    (
        "cross_entropy sum",
        lambda x: F.cross_entropy(x, torch.tensor([2, 0]), reduction="sum"),
        ((2, 3),),
    ),
    ("two layers", lambda x, w, v: (x @ w).relu() @ v, ((2, 3), (3, 4), (4, 1))),
]


@pytest.mark.parametrize("name, f, shapes", LAYER_CASES, ids=[c[0] for c in LAYER_CASES])
def test_layer_gradient(name, f, shapes):
    check(f, *[filled(s, shift=17 * i) for i, s in enumerate(shapes)], tol=1e-5)


def grad_at(f, data, weight=None):
    x = leaf(data)
    out = f(x)
    return autograd.grad(out, x, torch.ones_like(out) if weight is None else const(weight))[
        0
    ].tolist()


# ------------------------------------------------ points where differences are no help


def test_powers_at_zero():
    assert grad_at(lambda x: x**2, [0.0]) == [0.0]
    assert grad_at(lambda x: x**1, [0.0]) == [1.0]
    assert grad_at(lambda x: x**0, [0.0]) == [0.0]
    assert grad_at(lambda x: x**3, [-2.0]) == [12.0]


def test_ties_of_maximum_share_equally():
    x, y = leaf([1.0, 2.0]), leaf([1.0, 0.0])
    gx, gy = autograd.grad(torch.maximum(x, y).sum(), (x, y))
    assert gx.tolist() == [0.5, 1.0] and gy.tolist() == [0.5, 0.0]


def test_ties_of_amax_share_and_ties_of_max_along_a_dimension_go_to_one():
    assert grad_at(lambda x: x.amax(0), [3.0, 1.0, 3.0], None) == [0.5, 0.0, 0.5]
    assert grad_at(lambda x: x.max(), [3.0, 1.0, 3.0]) == [0.5, 0.0, 0.5]
    assert sorted(grad_at(lambda x: x.max(0).values, [3.0, 1.0, 3.0])) == [0.0, 0.0, 1.0]


def test_where_does_not_hide_nan_of_the_branch_not_taken():
    got = grad_at(lambda x: torch.where(x > 0, x.sqrt(), x), [-1.0, 4.0])
    assert got[0] != got[0] and got[1] == 0.25


def test_rounding_and_sign_have_zero_gradient():
    assert grad_at(torch.floor, [1.5]) == [0.0] and grad_at(torch.sign, [1.5, 0.0]) == [0.0, 0.0]
    assert grad_at(torch.round, [1.5]) == [0.0]


def test_softmax_far_from_zero_stays_finite():
    got = grad_at(lambda x: x.softmax(0), [1000.0, 0.0, -1000.0], [1.0, 2.0, 3.0])
    assert got == [0.0, 0.0, 0.0]
    near(const(grad_at(lambda x: x.log_softmax(0), [1000.0, 0.0], [1.0, 0.0])), [0.0, 0.0])


def test_embedding_padding_row_gets_no_gradient():
    w = leaf([[1.0], [2.0], [3.0]])
    F.embedding(torch.tensor([0, 1, 1]), w, padding_idx=1).sum().backward()
    assert w.grad.tolist() == [[1.0], [0.0], [0.0]]


def test_zero_dimensional_tensor_broadcasts_without_promoting():
    x = torch.ones(2, dtype=torch.float32, requires_grad=True)
    s = leaf(2.0)
    y = x * s
    assert y.dtype == torch.float32
    y.sum().backward()
    assert s.grad.dtype == torch.float64 and s.grad.item() == 2.0 and tuple(s.grad.shape) == ()


def test_dropout_gradient_uses_the_same_mask():
    x = torch.ones(200, requires_grad=True)
    y = F.dropout(x, 0.25, training=True)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach()) and 0 < (y == 0).sum().item() < 200
    assert F.dropout(x, 0.25, training=False).equal(x)
