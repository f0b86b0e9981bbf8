# SPDX-License-Identifier: Apache-2.0
"""Transforms: vmap compared with loops, and what holds across nested transforms."""

import itertools
import warnings

import pytest

import tenon
from tenon.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

pytestmark = pytest.mark.filterwarnings("ignore:There is a performance drop")

F32 = tenon.float32


def numbers(*sizes, dtype=F32):
    """Returns different numbers in ascending order, negative and positive."""
    count = 1
    for size in sizes:
        count *= size
    return ((tenon.arange(count).to(F32) * 0.37 - 1.3).reshape(sizes)).to(dtype)


def places(*sizes, below):
    count = 1
    for size in sizes:
        count *= size
    return (tenon.arange(count) * 7 % below).reshape(sizes)


def results(output):
    return list(output) if isinstance(output, (tuple, list)) else [output]


def same(a, b):
    assert a.shape == b.shape and a.dtype == b.dtype, (a.shape, b.shape, a.dtype, b.dtype)
    flat = [x.reshape((-1,)).tolist() for x in (a, b)]
    assert flat[0] == pytest.approx(flat[1], rel=1e-4, abs=1e-5)


def loop(function, in_dims, args):
    """Stacks the results of the function for each example."""
    size = next(arg.shape[dim] for arg, dim in zip(args, in_dims, strict=True) if dim is not None)
    rows = [
        results(
            function(
                *(
                    arg if dim is None else arg.select(dim, i)
                    for arg, dim in zip(args, in_dims, strict=True)
                )
            )
        )
        for i in range(size)
    ]
    return [tenon.stack(column) for column in zip(*rows, strict=True)]


def by_dims(shape, size):
    """Yields each dim, and the shape with the mapped dim inserted there."""
    for dim in range(len(shape) + 1):
        yield dim, (*shape[:dim], size, *shape[dim:])


def test_vmap_maps_a_function_of_one():
    # [quote.begin vmap]
    def dot(x, y):
        return (x * y).sum()

    x, y = tenon.tensor([[1.0, 2.0], [3.0, 4.0]]), tenon.tensor([10.0, 1.0])
    assert vmap(dot, in_dims=(0, None))(x, y).tolist() == [12, 34]
    assert vmap(dot, in_dims=(1, None))(x, y).tolist() == [13, 24]
    # [quote.end]


def test_hessian_of_a_polynomial():
    # [quote.begin hessian]
    # x^3 + y^3 + x y
    def f(x):
        return (x**3).sum() + x[0] * x[1]

    assert hessian(f)(tenon.tensor([1.0, 2.0])).tolist() == [[6, 1], [1, 12]]
    # [quote.end]


def test_per_sample_gradients():
    # [quote.begin per-sample]
    def loss(w, x, target):
        return ((w * x).sum() - target) ** 2

    per_sample = vmap(grad(loss), in_dims=(None, 0, 0))
    w, targets = tenon.tensor([1.0, 1.0]), tenon.tensor([0.0, 10.0])
    x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert per_sample(w, x, targets).tolist() == [[6, 12], [-18, -24]]
    # [quote.end]


DERIVING = {
    "maps": (lambda x: vmap(lambda a: a * a * a)(x), lambda x: x * x * x),
    "slopes": (lambda x: grad(lambda a: (a * a * a).sum())(x), lambda x: 3 * x * x),
    "pushes": (lambda x: jvp(lambda a: a * a * a, (x,), (tenon.ones_like(x),))[1], None),
    "rows": (lambda x: jacrev(lambda a: a * a * a)(x).sum([1]), None),
    "curves": (lambda x: hessian(lambda a: (a * a * a).sum())(x).sum([1]), lambda x: 6 * x),
}


@pytest.fixture(scope="module")
def deriving():
    """Operators whose kernels apply transforms, while a layer runs them."""
    library = tenon.library.Library("deriving", "DEF")
    for name, (kernel, _) in DERIVING.items():
        library.define(f"{name}(Tensor x) -> Tensor")
        library.impl(name, kernel, "CompositeImplicitAutograd")
    yield tenon.ops.deriving
    library._destroy()


@pytest.mark.parametrize("name", DERIVING)
def test_operators_that_derive_are_derived_themselves(deriving, name):
    operator, same_as = getattr(deriving, name), DERIVING[name][1] or DERIVING["slopes"][1]
    x = tenon.tensor([1.0, 2.0, 3.0])
    rows, ones = tenon.stack([x, 2 * x]), tenon.ones_like(x)

    def pushed(function):
        return lambda a: jvp(function, (a,), (ones,))[1]

    def pulled(function):
        return grad(lambda a: function(a).sum())

    twice = (lambda f: pushed(pushed(f)), lambda f: pushed(pulled(f)), lambda f: pulled(pulled(f)))
    for transform in (pushed, pulled, *twice):
        assert transform(operator)(x).tolist() == transform(same_as)(x).tolist()
        mapped = vmap(transform(operator))(rows)
        assert mapped.tolist() == vmap(transform(same_as))(rows).tolist()
    assert vmap(operator)(rows).tolist() == vmap(same_as)(rows).tolist()


UNARY = [
    "abs",
    "neg",
    "exp",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "relu",
    "sign",
    "floor",
    "ceil",
    "trunc",
    "round",
    "clone",
    "sum",
    "mean",
    "amax",
    "amin",
    "t",
    "squeeze",
    "flatten",
    "argmax",
    "argmin",
    "contiguous",
    "cumsum:0",
    "cumsum:-1",
    "unsqueeze:0",
    "unsqueeze:-1",
    "transpose:0,1",
    "select:0,1",
    "select:-1,0",
    "narrow:1,1,2",
    "sort",
    "topk:2",
    "flip:(0,)",
    "flip:(0,1)",
    "permute:(1,0)",
    "reshape:(6,)",
    "view:(3,2)",
    "expand:(4,2,3)",
    "softmax:0",
    "softmax:-1",
    "log_softmax:-1",
    "unbind",
    "unbind:1",
    "split:2,1",
    "chunk:2,1",
    "movedim:0,1",
    "roll:1,0",
    "sum:0",
    "sum:(0,1),True",
    "mean:-1",
    "max:0",
    "min:1,True",
    "amax:(0,1)",
    "argmax:0",
    "pow:2",
    "clamp:-1,1",
    "add:1",
    "mul:2.5",
    "to:tenon.float64",
    "masked_fill:self>0,7.0",
    "repeat:2,1",
]


def call(text, x):
    name, _, given = text.partition(":")
    args = eval(f"({given},)", {"tenon": tenon, "self": x}) if given else ()
    return getattr(x, name)(*args)


@pytest.mark.parametrize("text", UNARY)
def test_one_tensor(text):
    if not hasattr(tenon.Tensor, text.partition(":")[0]):
        pytest.skip(f"Tensor.{text.partition(':')[0]} is to come")
    for dim, sizes in by_dims((2, 3), 4):
        if text.startswith("view") and dim != 0:
            continue  # these examples are not contiguous, and `view` refuses them
        x = numbers(*sizes)
        got = results(vmap(lambda r: call(text, r), in_dims=dim)(x))
        for a, b in zip(got, loop(lambda r: call(text, r), (dim,), (x,)), strict=True):
            same(a, b)
        twice = results(vmap(vmap(lambda r: call(text, r), in_dims=dim))(numbers(2, *sizes)))
        rows = [results(vmap(lambda r: call(text, r), in_dims=dim)(r)) for r in numbers(2, *sizes)]
        for a, column in zip(twice, zip(*rows, strict=True), strict=True):
            same(a, tenon.stack(column))


@pytest.mark.parametrize(
    "text",
    [
        "sum",
        "mean",
        "exp",
        "amax",
        "argmax",
        "cumsum:0",
        "sum:0",
        "softmax:0",
        "sort",
        "clone",
        "t",
        "unsqueeze:0",
        "max:0",
    ],
)
def test_tensors_without_dims(text):
    x = numbers(4)
    got = results(vmap(lambda r: call(text, r))(x))
    for a, b in zip(got, loop(lambda r: call(text, r), (0,), (x,)), strict=True):
        same(a, b)


BINARY = [
    ("add", (2, 3), (3,)),
    ("mul", (3,), (2, 3)),
    ("sub", (2, 3), ()),
    ("div", (), (2, 3)),
    ("maximum", (2, 1), (1, 3)),
    ("pow", (2, 3), (2, 3)),
    ("matmul", (2, 3), (3, 4)),
    ("matmul", (3,), (3, 4)),
    ("matmul", (2, 3), (3,)),
    ("matmul", (3,), (3,)),
    ("matmul", (2, 2, 3), (3, 4)),
    ("mm", (2, 3), (3, 2)),
    ("bmm", (2, 2, 3), (2, 3, 2)),
    ("outer", (3,), (2,)),
    ("lt", (2, 3), (3,)),
    ("eq", (3,), (3,)),
]


@pytest.mark.parametrize("name, a, b", BINARY)
def test_two_tensors(name, a, b):
    def function(x, y):
        return getattr(x, name)(y)

    if not hasattr(tenon.Tensor, name):
        pytest.skip(f"Tensor.{name} is to come")
    firsts = [(None, a), *by_dims(a, 3)]
    seconds = [(None, b), *by_dims(b, 3)]
    for (one, sizes), (other, more) in itertools.product(firsts, seconds):
        if one is None and other is None:
            continue
        x, y = numbers(*sizes), numbers(*more) * 0.5 + 2
        if name == "pow":
            x = x.abs() + 0.5
        (expected,) = loop(function, (one, other), (x, y))
        same(vmap(function, in_dims=(one, other))(x, y), expected)


def test_a_mapped_number_is_weak_in_promotion():
    halves = numbers(3).to(tenon.float16)
    ones = numbers(3)
    got = vmap(lambda x, y: x * y, in_dims=(None, 0))(halves, ones)
    assert got.dtype == tenon.float16 and got.shape == (3, 3)


@pytest.mark.parametrize("table, index", list(itertools.product([None, 0, 1], [None, 0, 1])))
def test_indices(table, index):
    if table is None and index is None:
        return
    x = numbers(*((4, 5) if table is None else (3, 4, 5) if table == 0 else (4, 3, 5)))
    i = places(*((2, 2) if index is None else (3, 2, 2) if index == 0 else (2, 3, 2)), below=4)
    functions = [
        lambda x, i: x[i],
        lambda x, i: x[:, i],
        lambda x, i: x[i, i],
        lambda x, i: x.unsqueeze(0)[:, i, i],
        lambda x, i: x.index_select(1, i.reshape((-1,))),
        lambda x, i: x.gather(0, i),
        lambda x, i: x.take(i) if hasattr(x, "take") else x[i],
        lambda x, i: x.clone().index_put((i,), tenon.ones(5)),
        lambda x, i: x.clone().index_put((i,), tenon.ones(5), True),
        lambda x, i: x.scatter(0, i, 9.0),
        lambda x, i: x.scatter_add(0, i, tenon.ones(2, 2)),
        lambda x, i: x.index_add(0, i[0], tenon.ones(2, 5)),
    ]
    for function in functions:
        (expected,) = loop(function, (table, index), (x, i))
        same(vmap(function, in_dims=(table, index))(x, i), expected)


def test_one_mask_for_all_selects_as_many_of_each():
    x, mask = tenon.arange(6.0).reshape(2, 3), tenon.tensor([True, False, True])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vmap(lambda x: x.masked_select(mask))(x).tolist() == [[0, 2], [3, 5]]
        wide = vmap(lambda x: x.masked_select(mask.reshape(3, 1)), in_dims=1)(x)
        assert wide.tolist() == [[0, 3, 0, 3], [1, 4, 1, 4], [2, 5, 2, 5]]
        assert vmap(lambda x: x.masked_select(tenon.tensor(True)))(x[0]).tolist() == [[0], [1], [2]]
        weights = tenon.tensor([2.0, 3.0])
        slopes = vmap(grad(lambda x: (x.masked_select(mask) * weights).sum()))(x)
        assert slopes.tolist() == [[2, 0, 3], [2, 0, 3]]
    with pytest.raises(NotImplementedError, match="dynamic shape"):
        vmap(lambda x, mask: x.masked_select(mask))(x, x > 2)


def test_joins_take_mapped_and_unmapped_tensors():
    x, c = numbers(4, 2, 3), numbers(2, 3)
    for dim in (0, 1, -1):
        same(
            vmap(lambda r: tenon.cat([c, r, c], dim))(x),
            tenon.stack([tenon.cat([c, r, c], dim) for r in x]),
        )
        same(
            vmap(lambda r: tenon.stack([c, r], dim))(x),
            tenon.stack([tenon.stack([c, r], dim) for r in x]),
        )


# ---- In place, views, errors ---------------------------------------------------------------------


def test_writes_through_views():
    def function(r, k):
        y = r.clone()
        y[0] = k
        y[:, 1].mul_(3)
        y.t()[2].add_(y[1, 0])
        return y

    x, k = numbers(4, 2, 3), numbers(4)
    (expected,) = loop(function, (0, 0), (x, k))
    same(vmap(function)(x, k), expected)
    (slopes,) = loop(grad(lambda r, k: (function(r, k) ** 2).sum()), (0, 0), (x, k))
    same(vmap(grad(lambda r, k: (function(r, k) ** 2).sum()))(x, k), slopes)
    direction = numbers(4, 2, 3) * 0.3

    def push(r, k, d):
        return jvp(lambda q: function(q, k), (r,), (d,))[1]

    (pushed,) = loop(push, (0, 0, 0), (x, k, direction))
    same(vmap(push)(x, k, direction), pushed)


def test_mapped_values_cannot_be_written_to_a_captured_tensor():
    c = tenon.zeros(3)
    with pytest.raises(tenon.StateError, match="must be mapped by the vmap, as a mapped"):
        vmap(lambda r: c.add_(r))(numbers(2, 3))
    assert c.tolist() == [0, 0, 0]


def test_an_escaped_tensor_of_a_vmap_is_an_error():
    kept = []
    vmap(lambda r: (kept.append(r), r)[1])(numbers(2, 3))
    with pytest.raises(tenon.StateError, match="must not outlive its transform"):
        kept[0] + 1


def test_an_operator_without_rule_warns_once():
    from tenon.library import Library

    with Library("funcs", "DEF") as library:
        library.define("half(Tensor x) -> Tensor")
        library.impl("half", lambda x: x / 2, "CPU")
        library.impl("half", lambda x: tenon.empty_like(x), "Meta")
        x = numbers(3, 2)
        with pytest.warns(UserWarning, match="performance drop.*funcs::half"):
            same(vmap(tenon.ops.funcs.half)(x), x / 2)
        assert vmap(tenon.ops.funcs.half)(tenon.zeros(0, 2)).shape == (0, 2)


def test_layers_restore_the_thread():
    class Odd(Exception):
        pass

    def fails(x):
        raise Odd

    before = tenon.library.included_keys()
    for wrap in itertools.permutations([vmap, grad, lambda f: lambda x: jvp(f, (x,), (x,))]):
        function = fails
        for each in wrap:
            function = each(function)
        with pytest.raises(Odd):
            function(numbers(3))
    assert tenon.library.included_keys() == before and tenon.is_grad_enabled()


# ---- Derivatives ---------------------------------------------------------------------------------


def test_jacobians_agree():
    def function(a, b):
        return {"p": a * b.sum(), "q": (a.sin() @ b).reshape((1,))}

    a, b = numbers(3), numbers(3) * 0.2 + 1
    one, other = jacrev(function, (0, 1))(a, b), jacfwd(function, (0, 1))(a, b)
    chunks = jacrev(function, (0, 1), chunk_size=2)(a, b)
    for key in ("p", "q"):
        for x, y, z in zip(one[key], other[key], chunks[key], strict=True):
            same(x, y)
            same(x, z)


def test_linearize_and_hessian():
    def function(a):
        return (a**3).sum() * a[0]

    a, d = numbers(3), numbers(3) * 0.1
    value, push = linearize(function, a)
    same(push(d), jvp(function, (a,), (d,))[1])
    same(value, function(a))
    same(hessian(function)(a), jacrev(jacrev(function))(a))


def test_a_pullback_runs_again_and_inside_of_others():
    x = numbers(3)
    _, back = vjp(lambda a: a**3, x)
    once, again = back(tenon.ones(3))[0], back(tenon.ones(3))[0]
    same(once, again)
    rows = vmap(lambda v: back(v)[0])(tenon.eye(3))
    same(rows, tenon.eye(3) * (3 * x * x))


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "exp", "sqrt"])
def test_saved_results_keep_their_gradients_at_outer_levels(name):
    """Formulas that use the result: it is saved detached at its level, but tracked outside."""
    x = tenon.tensor([0.3, 0.7], dtype=tenon.float64, requires_grad=True)

    def function(x):
        return getattr(x, name)().sum()

    (first,) = tenon.autograd.grad(function(x), x, create_graph=True)
    (second,) = tenon.autograd.grad(first.sum(), x)
    plain = x.detach()
    assert second.tolist() != [0, 0]
    same(grad(lambda x: grad(function)(x).sum())(plain), second)
    same(jvp(grad(function), (plain,), (tenon.ones_like(plain),))[1], second)
    same(vmap(lambda x: grad(grad(function))(x))(plain), second)


@pytest.mark.parametrize("like", ["empty_like", "zeros_like", "ones_like", "full_like"])
def test_tensors_made_like_a_mapped_tensor_are_mapped(like):
    """The result is mapped, so that mapped values can be written to it, and has equal strides."""
    x = numbers(2, 3)
    more = (7,) if like == "full_like" else ()
    make = getattr(tenon, like)
    same(vmap(lambda x: make(x, *more).copy_(x))(x), x)
    assert make(x.t(), *more).stride() == (1, 3)
    made = make(x.t(), *more, dtype=tenon.int64, memory_format=tenon.contiguous_format)
    assert made.stride() == (2, 1) and made.dtype == tenon.int64
    assert make(x, *more, requires_grad=True).requires_grad


@pytest.mark.parametrize(
    "op", [tenon.ops.aten.rand.out, tenon.ops.aten.randn.out, tenon.ops.aten.randperm.out]
)
def test_the_same_random_numbers_in_a_mapped_out(op):
    """The written argument is not the first one."""

    def draw(out):
        return op([2] if op is not tenon.ops.aten.randperm.out else 2, out=out)

    kind = tenon.int64 if op is tenon.ops.aten.randperm.out else tenon.float32
    drawn = vmap(draw, randomness="same")(tenon.zeros(3, 2, dtype=kind)).tolist()
    assert drawn[0] == drawn[1] == drawn[2]
