# SPDX-License-Identifier: Apache-2.0
"""Section I, items 215 to 220: vmap."""

from __future__ import annotations

import warnings

import peers
import pytest
import tenon
from items import better, same

REFUSALS = (ValueError, RuntimeError, IndexError)


def numbers(peer, *sizes):
    count = 1
    for size in sizes:
        count *= size
    package = peer.package
    return (package.arange(count) * 0.37 - 1.3).to(package.float64).reshape(sizes)


@better(
    215,
    "in_dims and out_dims that fit no argument or result, or have not its structure, are refused",
    "the message names the argument or result, and the sizes that it has",
)
def test_item_215_dims(peer):
    vmap = peer.package.func.vmap
    x = numbers(peer, 2, 3)

    def first(*args):
        return args[0]

    refused = [
        ({}, ()),
        ({"in_dims": "0"}, (x,)),
        ({"in_dims": None}, (x,)),
        ({"in_dims": (0,)}, (x, x)),
        ({"in_dims": (0.5,)}, (x,)),
        ({"in_dims": (0, 0)}, (x, 1)),
        ({"in_dims": 2}, (x,)),
        ({"in_dims": -3}, (x,)),
        ({"in_dims": (0, 1)}, (x, x)),
        ({"in_dims": (None, None)}, (x, x)),
        ({"out_dims": None}, (x,)),
        ({"out_dims": 2}, (x,)),
        ({"out_dims": -3}, (x,)),
        ({"out_dims": (0, 0)}, (x,)),
        ({"out_dims": "0"}, (x,)),
        ({"randomness": "some"}, (x,)),
    ]
    for options, args in refused:
        with pytest.raises(REFUSALS):
            vmap(first, **options)(*args)
    with pytest.raises(REFUSALS):
        vmap(lambda x: 1)(x)
    if not peer.is_torch:
        with pytest.raises(ValueError, match=r"dim of argument 0, .* sizes \[2, 3\], got 2"):
            vmap(first, in_dims=2)(x)
    taken = [
        ({"in_dims": -1}, (x,), (3, 2)),
        ({"in_dims": (1, None), "out_dims": -1}, (x, 1), (2, 3)),
        ({"in_dims": ({"a": 0},)}, ({"a": x},), (2, 3)),
    ]
    for options, args, sizes in taken:
        got = vmap(lambda x, *_: x["a"] if isinstance(x, dict) else x, **options)(*args)
        assert tuple(got.shape) == sizes
    ones = vmap(lambda x: peer.package.ones(4), out_dims=None)(x)
    assert ones.tolist() == [1, 1, 1, 1]


@same(216, "vmaps in vmaps give what loops in loops give, whatever dims are mapped")
def test_item_216_nested(peer):
    package = peer.package
    x, y = numbers(peer, 2, 3, 4), numbers(peer, 3, 4)

    def function(a, b):
        return (a * b.sum()).sin()

    for outer in range(3):
        for inner in range(2):
            got = package.func.vmap(
                package.func.vmap(function, in_dims=(inner, None), out_dims=-1),
                in_dims=(outer, None),
            )(x, y)
            rows = [
                package.stack([function(one, y) for one in each.unbind(inner)], -1)
                for each in x.unbind(outer)
            ]
            expected = package.stack(rows)
            assert got.shape == expected.shape and got.tolist() == expected.tolist()


@better(
    217,
    "An operator without rule is called for each example and warns, or is refused instead",
    "it warns once for an operator, in PyTorch at every call",
)
def test_item_217_loop(peer, loops):
    x = numbers(peer, 2, 3)
    with peers.scratch(peer) as op:
        op.add_call("CPU", lambda x: x * 2 + x.sum())
        call = peer.package.func.vmap(op.overload())
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            rows = [call(x), call(x)]
        assert all(row.tolist() == [(one * 2 + one.sum()).tolist() for one in x] for row in rows)
        told = [str(each.message) for each in told]
        assert all("performance drop" in text and op.name in text for text in told)
        assert len(told) == (2 if peer.is_torch else 1)
        loops(peer, False)
        with pytest.raises(RuntimeError, match=f"{op.name}.*disabled|disabled.*{op.name}"):
            call(x)
        loops(peer, True)
        assert call(x).tolist() == rows[0].tolist()


@pytest.fixture
def loops():
    """Sets whether vmap may call operators without a rule in a loop over the examples."""

    def allow(peer, enabled):
        if peer.is_torch:
            peer.package._C._functorch._set_vmap_fallback_enabled(enabled)
        else:
            tenon._tenon.tenon_vmap_set_loops(int(enabled))

    yield allow
    for peer in peers.PEERS:
        allow(peer, True)


@better(
    218,
    "Without a rule no vmap maps what returns views, numbers or nothing, or writes out",
    "where none is mapped, too, sizes come from the kernel for Meta; in PyTorch that is refused",
)
def test_item_218_no_loop(peer):
    package = peer.package
    vmap = package.func.vmap
    x = numbers(peer, 2, 3)
    refused = [
        ("op(Tensor(a) x) -> Tensor(a)", lambda x: x[:1], lambda op: vmap(op)(x)),
        (
            "op(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
            lambda x, *, out: out.copy_(x),
            lambda op: vmap(lambda x: op(x, out=x.clone()))(x),
        ),
        ("op(Tensor x) -> ()", lambda x: None, lambda op: vmap(op)(x)),
        ("op(Tensor x) -> int", lambda x: 3, lambda op: vmap(lambda x: x * op(x))(x)),
    ]
    for schema, kernel, call in refused:
        with peers.scratch(peer, schema) as op, warnings.catch_warnings():
            warnings.simplefilter("error")
            op.add_call("CPU", kernel)
            with pytest.raises(RuntimeError, match=op.name):
                call(op.overload())
    with peers.scratch(peer, "op(Tensor(a!) x, Tensor y) -> Tensor(a!)") as op:
        op.add_call("CPU", lambda x, y: x.add_(y))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert vmap(op.overload())(x.clone(), x).tolist() == (x + x).tolist()
            one = numbers(peer, 3)
            with pytest.raises(RuntimeError, match=op.name):  # as for all examples at once
                vmap(lambda y: op.overload()(one, y))(x)
    with peers.scratch(peer) as op, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        op.add_call("CPU", lambda x: x.sum(0))
        op.add_call("Meta", lambda x: x.new_empty(()))
        if peer.is_torch:
            with pytest.raises(RuntimeError, match="size 0"):
                vmap(op.overload())(x[:0])
        else:
            assert tuple(vmap(op.overload())(x[:0]).shape) == (0,)


@same(219, "Random operators fail in a vmap that does not say same or different, and do as it says")
def test_item_219_randomness(peer):
    package = peer.package
    x = numbers(peer, 3, 4)

    def function(x):
        return x * 0 + package.rand(4)

    with pytest.raises(RuntimeError, match="randomness"):
        package.func.vmap(function)(x)
    first, *others = package.func.vmap(function, randomness="same")(x).tolist()
    assert others == [first, first]
    rows = package.func.vmap(function, randomness="different")(x).tolist()
    assert rows[0] != rows[1] != rows[2]
    same_for_all = package.func.vmap(lambda x: x.clone().uniform_(), randomness="same")(x)
    assert same_for_all[0].tolist() == same_for_all[1].tolist()
    captured = numbers(peer, 4)
    with pytest.raises(RuntimeError):  # one tensor cannot hold a different value per example
        package.func.vmap(lambda x: captured.uniform_(), randomness="different")(x)


@same(220, "A Function needs setup_context, and either a vmap or a generated one, in a vmap")
def test_item_220_functions(peer):
    package = peer.package
    x = numbers(peer, 2, 3)

    def function(**members):
        def setup_context(ctx, inputs, output):
            pass

        base = {
            "forward": staticmethod(lambda x: x * 2),
            "setup_context": staticmethod(setup_context),
        }
        return type("Twice", (package.autograd.Function,), {**base, **members}).apply

    old = type(
        "Old", (package.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 2)}
    ).apply
    rule = staticmethod(lambda info, in_dims, x: (x * 2, in_dims[0]))
    vmap = package.func.vmap
    for apply, words in (
        (old, "setup_context"),
        (function(), "vmap"),
        (function(generate_vmap_rule=True, vmap=rule), "both"),
        (function(vmap=staticmethod(lambda info, in_dims, x: x * 2)), "vmap"),
    ):
        with pytest.raises(RuntimeError, match=words):
            vmap(apply)(x)
    for apply in (function(generate_vmap_rule=True), function(vmap=rule)):
        assert vmap(apply, in_dims=1, out_dims=1)(x).tolist() == (x * 2).tolist()
