# SPDX-License-Identifier: Apache-2.0
"""Transforms: what they refuse, with which messages, and what they return."""

import pytest
from seed import autograd, const, leaf, make_fx, near, sub, torch


def func():
    return sub("func")


# ---------------------------------------------------------------- backward and requires_grad_


TRANSFORMS = {
    "grad": lambda f, x: func().grad(lambda x: f(x).sum())(x),
    "vjp": lambda f, x: func().vjp(f, x)[1](torch.ones_like(x)),
    "jvp": lambda f, x: func().jvp(f, (x,), (torch.ones_like(x),)),
    "vmap": lambda f, x: func().vmap(f)(x),
    "jacrev": lambda f, x: func().jacrev(f)(x),
    "jacfwd": lambda f, x: func().jacfwd(f)(x),
    "hessian": lambda f, x: func().hessian(lambda x: f(x).sum())(x),
    "functionalize": lambda f, x: func().functionalize(f)(x),
}


def backward_inside(x):
    y = leaf([1.0, 2.0])
    (y * y).sum().backward()
    return x * 2


def grad_inside(x):
    y = leaf([1.0, 2.0])
    autograd.grad((y * y).sum(), y)
    return x * 2


def own_backward(x):
    y = (x * x).sum()
    y.backward()
    return x * 2


def requires_grad_inside(x):
    x.requires_grad_()
    return x * 2


def fresh_requires_grad_inside(x):
    torch.ones(2, dtype=torch.float64).requires_grad_()
    return x * 2


def retain_grad_inside(x):
    y = x * 2
    y.retain_grad()
    return y


def set_requires_grad_inside(x):
    torch.ones(2, dtype=torch.float64).requires_grad = True
    return x * 2


def hook_inside(x):
    y = x * 2
    if y.requires_grad:
        y.register_hook(lambda g: g)
    return y


INSIDE = {
    f.__name__: f
    for f in (
        backward_inside,
        grad_inside,
        own_backward,
        requires_grad_inside,
        fresh_requires_grad_inside,
        set_requires_grad_inside,
        retain_grad_inside,
        hook_inside,
    )
}


NAMES = ["grad", "vjp", "jvp", "vmap", "jacrev", "jacfwd", "hessian"]


@pytest.mark.parametrize("inside", ["backward_inside", "own_backward"])
@pytest.mark.parametrize("name", NAMES)
def test_backward_inside_a_function_transform_is_refused(name, inside):
    with pytest.raises(RuntimeError):
        TRANSFORMS[name](INSIDE[inside], const([1.0, 2.0]))


@pytest.mark.parametrize("inside", ["requires_grad_inside", "fresh_requires_grad_inside"])
@pytest.mark.parametrize("name", NAMES)
def test_requires_grad_inside_a_function_transform_is_refused(name, inside):
    with pytest.raises(RuntimeError):
        TRANSFORMS[name](INSIDE[inside], const([1.0, 2.0]))


@pytest.mark.parametrize("name", ["grad", "vjp", "jacrev", "hessian"])
def test_retain_grad_inside_a_function_transform_is_refused(name):
    with pytest.raises(RuntimeError):
        TRANSFORMS[name](retain_grad_inside, const([1.0, 2.0]))


def test_backward_inside_a_function_transform_leaves_no_layer():
    with pytest.raises(RuntimeError, match="(?i)backward"):
        func().grad(own_backward)(const([1.0, 2.0]))
    x = leaf([1.0, 2.0])
    (x * x).sum().backward()
    near(x.grad, [2.0, 4.0])
    near(func().grad(lambda x: (x * x).sum())(const([3.0])), [6.0])


# ---------------------------------------------------------------- values


VALUES = {
    "item": lambda x: x.sum().item(),
    "float": lambda x: float(x.sum()),
    "int": lambda x: int(x.sum()),
    "bool": lambda x: bool(x.sum() > 0),
    "if": lambda x: 1 if x.sum() > 0 else 2,
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("where", ["vmap", "vmap grad"])
def test_values_inside_a_map_are_refused_by_its_name(where, name):
    def f(x):
        VALUES[name](x)
        return x.sum()

    mapped = func().vmap(f if where == "vmap" else func().grad(f))
    with pytest.raises(RuntimeError, match="vmap"):
        mapped(const([[1.0, 2.0]]))


BRANCHES = {
    "if": lambda x: x if x.sum() > 0 else -x,
    "bool": lambda x: x * (2 if bool((x > 0).all()) else 3),
    "int": lambda x: x * int(x.sum()),
    "float": lambda x: x * (1.0 if float(x[0]) > 0 else 2.0),
    "item": lambda x: x * x.sum().item(),
    "equal": lambda x: x + (1 if torch.equal(x, x * 2) else 2),
    "allclose": lambda x: x[: 1 if torch.allclose(x, x) else 2],
}


@pytest.mark.parametrize("name", BRANCHES)
def test_value_dependent_branch_is_refused(name):
    with pytest.raises(RuntimeError):
        make_fx(BRANCHES[name])(const([1.0, 2.0]))


def test_branch_on_sizes_and_constants_is_allowed():
    def f(x):
        k = const([3.0]).item()
        return x * k if x.shape[0] > 1 and x.dtype == torch.float64 else x

    near(make_fx(f)(const([1.0, 2.0]))(const([4.0, 5.0])), [12.0, 15.0])


NO_SCALARS = {
    "vector": lambda x: x * 2,
    "one element": lambda x: x[:1] * 2,
    "number": lambda x: 3.0,
    "None": lambda x: None,
    "tuple": lambda x: (x.sum(), x),
    "list": lambda x: [x.sum()],
    "dict": lambda x: {"a": x.sum()},
}


@pytest.mark.parametrize("transform", ["grad", "grad_and_value"])
@pytest.mark.parametrize("name", NO_SCALARS)
def test_gradient_of_what_is_no_scalar_is_refused(transform, name):
    with pytest.raises(RuntimeError):
        getattr(func(), transform)(NO_SCALARS[name])(const([1.0, 2.0]))


# ---------------------------------------------------------------- linearize


def test_linearize_containers_and_refusals():
    x, y = const([1.0, 2.0]), const([3.0, 4.0])
    lin = func().linearize
    out, push = lin(lambda d: {"o": d["a"] * 2, "p": (d["a"].sum(),)}, {"a": x})
    near(out["o"], [2.0, 4.0])
    got = push({"a": y})
    near(got["o"], [6.0, 8.0])
    near(got["p"][0], 7.0)
    out, push = lin(lambda both: both[0] * both[1], [x, y])
    near(out, [3.0, 8.0])
    near(push([x, y]), [6.0, 16.0])
    out, push = lin(lambda a: (a * 2, a.sum()), x)
    assert isinstance(push(x), tuple)
    out, push = lin(lambda a, b: a * b, x, y)
    near(push(x, x), [4.0, 12.0])
    near(push(y, y), [12.0, 24.0])
    _, push = lin(torch.sin, x)
    for wrong in (
        lambda: push(torch.ones(3, dtype=torch.float64)),
        lambda: push(torch.ones(2, dtype=torch.float32)),
        lambda: push(x, x),
        lambda: push(),
        lambda: push({"a": x}),
        lambda: lin(lambda d: d["a"] * 2, {"a": x})[1](x),
    ):
        with pytest.raises(RuntimeError):
            wrong()
    with pytest.raises(ValueError):
        lin(lambda a: a * 2, torch.ones(2, dtype=torch.int64))


# ---------------------------------------------------------------- functional_call


def test_functional_call_tied_weights():
    nn = torch.nn

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(1, 1, bias=False)
            self.b = nn.Linear(1, 1, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.a(x) + 10 * self.b(x)

    m = Tied()
    with torch.no_grad():
        m.a.weight.fill_(1.0)
    x = torch.ones(1, 1)
    two, three = torch.full((1, 1), 2.0), torch.full((1, 1), 3.0)
    call = func().functional_call
    assert call(m, {"a.weight": two}, (x,)).item() == 22.0
    assert call(m, {"b.weight": two}, (x,)).item() == 22.0
    assert call(m, {"a.weight": two, "b.weight": two}, (x,)).item() == 22.0
    assert call(m, {"a.weight": two}, (x,), tie_weights=False).item() == 12.0
    both = {"a.weight": two, "b.weight": three}
    with pytest.raises(ValueError):
        call(m, both, (x,))
    assert call(m, both, (x,), tie_weights=False).item() == 32.0
    assert call(m, {"a.weight": two}, (x,), strict=True).item() == 22.0
    for name in both:
        grads = func().grad(lambda p: call(m, p, (x,)).sum())({name: two})
        assert grads[name].item() == 11.0
    with pytest.raises((RuntimeError, ValueError)):
        call(m, {"a.weight": torch.ones(3, 3)}, (x,))
    assert m(x).item() == 11.0 and m.a.weight is m.b.weight


# ---------------------------------------------------------------- randomness


DROPOUTS = {
    "dropout": (5,),
    "alpha_dropout": (5,),
    "feature_alpha_dropout": (5, 2),
    "dropout1d": (5,),
    "dropout2d": (5, 2),
    "dropout3d": (5, 2, 2),
}


@pytest.mark.filterwarnings("ignore:dropout2d")
@pytest.mark.parametrize("name", DROPOUTS)
def test_dropout_different_masks(name):
    fn = getattr(torch.nn.functional, name)
    x = torch.ones(4, 60, *DROPOUTS[name])

    def drop(x):
        return fn(x, 0.5, True)

    rows = [
        {tuple(row.flatten().tolist()) for row in func().vmap(drop, randomness=kind)(x)}
        for kind in ("different", "same")
    ]
    assert [len(each) for each in rows] == [4, 1]
    with pytest.raises(RuntimeError, match="randomness"):
        func().vmap(drop)(x)
    assert func().vmap(lambda x: fn(x, 0.5, False))(x).tolist() == x.tolist()


def test_dropout_module_and_gradient_have_different_masks():
    drop = torch.nn.Dropout(0.5)
    x = torch.ones(4, 200)
    grads = func().vmap(func().grad(lambda x: drop(x).sum()), randomness="different")(x)
    assert len({tuple(row) for row in grads.tolist()}) == 4
    assert set(grads.flatten().tolist()) == {0.0, 2.0}


# ---------------------------------------------------------------- symbolic traces


def test_symbolic_trace_over_vmap():
    x = const([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    traced = make_fx(func().vmap(lambda row: row.sin() * row.sum()), tracing_mode="symbolic")(x)
    near(traced(x), x.sin() * x.sum(1, keepdim=True))


def test_symbolic_trace_over_vmap_of_grad_and_in_dims():
    x = const([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = func().vmap(func().grad(lambda row: (row * row).sum()))
    near(make_fx(f, tracing_mode="symbolic")(x)(x), 2 * x)
    g = func().vmap(lambda a, b: a * b, in_dims=(1, None), out_dims=1)
    traced = make_fx(g, tracing_mode="symbolic")(x, const([1.0, 2.0, 3.0]))
    near(traced(x, const([1.0, 2.0, 3.0])), g(x, const([1.0, 2.0, 3.0])))


def test_symbolic_trace_over_nested_vmap():
    x = const([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = func().vmap(func().vmap(lambda v: v * 2 + 1))
    near(make_fx(f, tracing_mode="symbolic")(x)(x), x * 2 + 1)
    g = func().vmap(lambda a: func().vmap(lambda b: a * b)(a.expand(2)))
    v = const([1.0, 2.0, 3.0])
    near(make_fx(g, tracing_mode="symbolic")(v)(v), g(v))


# ---------------------------------------------------------------- decompositions


def targets(traced):
    names = [str(n.target) for n in traced.graph.nodes if n.op == "call_function"]
    return [name.split("::")[-1].removeprefix("aten.") for name in names]


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_decomposition_table(mode):
    relu = torch.ops.aten.relu.default

    def f(x):
        return x.relu() + 1

    table = {relu: lambda x: torch.clamp(x, min=0)}
    traced = make_fx(f, decomposition_table=table, tracing_mode=mode)(const([-1.0, 2.0]))
    names = " ".join(targets(traced))
    assert "relu" not in names and "clamp" in names
    near(traced(const([-3.0, 4.0])), [1.0, 5.0])
    for empty in (None, {}, {relu: lambda x: NotImplemented}):
        traced = make_fx(f, decomposition_table=empty, tracing_mode=mode)(const([-1.0, 2.0]))
        assert "relu" in " ".join(targets(traced))


def test_decomposition_of_a_decomposition_and_below_autograd():
    aten = torch.ops.aten
    table = {
        aten.addmm.default: lambda b, x, y, beta=1, alpha=1: x @ y + b,
        aten.mm.default: lambda x, y: (x.unsqueeze(2) * y.unsqueeze(0)).sum(1),
    }
    layer = torch.nn.Linear(2, 3)
    x = torch.ones(1, 2)
    traced = make_fx(lambda x: layer(x), decomposition_table=table)(x)
    assert not any(name.startswith(("addmm", "mm")) for name in targets(traced))
    near(traced(x), layer(x), 1e-5)
    eye = torch.eye(2)
    grads = make_fx(func().grad(lambda x: (x @ x).sum()), decomposition_table=table)(eye)
    near(grads(eye), [[2.0, 2.0], [2.0, 2.0]], 1e-5)
