# SPDX-License-Identifier: Apache-2.0
"""Section F, items 148 to 164: arguments and results of kernels, and fallbacks.

Items 148 to 151, 155, 156, 158 and 160 are in C++.
"""

from __future__ import annotations

import peers
import pytest
import tenon
from items import better, same

CEA = "CompositeExplicitAutograd"


@better(
    152,
    "A kernel with the wrong number of results",
    "is an error in every build, naming operator and count; PyTorch's release build goes on with a "
    "wrong stack and may crash, so this case does not run there",
)
def test_item_152_wrong_number_of_results():
    peer = peers.PEERS[0]
    with peers.scratch(peer, "op(Tensor x) -> (Tensor, Tensor)") as op:
        op.add_call("CPU", lambda x: (x, x, x))
        with pytest.raises(TypeError, match="2 results") as caught:
            op.overload()(peer.tensor())
        assert op.name in str(caught.value)


VALUES = {
    "float": 2.5,
    "int": -(2**62),
    "bool": True,
    "str": "text \u2713",
    "Tensor": "tensor",
    "int[]": [1, 2],
    "float[]": [0.5, 1.5],
    "bool[]": [True, False],
    "str[]": ["a", "b"],
    "Tensor[]": ["tensor", "tensor"],
    "int[][]": [[1], [2, 3]],
    "Dict(str, int)": {"a": 1, "b": 2},
    "Dict(str, int[])": {"a": [1]},
    "Dict(str, int)[]": [{"a": 1}, {}],
    "(int, str)": (1, "a"),
    "complex": 1 + 2j,
}


def filled(peer, value):
    """Replaces "tensor" in a value by real tensors."""
    if value == "tensor":
        return peer.tensor()
    if isinstance(value, list):
        return [filled(peer, one) for one in value]
    return value


def plain(value):
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    return value.tolist() if hasattr(value, "tolist") else value


@same(153, "Every schema type goes into a kernel and comes out of it")
@pytest.mark.parametrize("kind", VALUES)
def test_item_153_every_type(peer, kind):
    value = filled(peer, VALUES[kind])
    with peers.scratch(peer, f"op({kind} x) -> {kind}") as op:
        received = []
        op.add_call(CEA, lambda x: (received.append(plain(x)), x)[1])
        assert plain(op.overload()(value)) == plain(value)
        assert received == [plain(value)]


@same(154, "An optional of every type goes in and comes out, with a value and without")
@pytest.mark.parametrize("kind", [kind for kind in VALUES if kind != "(int, str)"])
def test_item_154_optionals(peer, kind):
    value = filled(peer, VALUES[kind])
    with peers.scratch(peer, f"op({kind}? x) -> {kind}?") as op:
        op.add_call(CEA, lambda x: x)
        assert plain(op.overload()(value)) == plain(value)
        assert op.overload()(None) is None


@same(157, "A boxed fallback is given the operator and can read its name and schema")
def test_item_157_fallback_reads_the_schema(peer):
    library = peer.Library("_", "IMPL")
    seen = []
    peer.fallback(
        library, lambda op, *args: (seen.append((op.name(), str(op._schema))), args[0])[1], "npu"
    )
    with peers.scratch(peer, "op(Tensor x, int n=3) -> Tensor") as op:
        op.overload().redispatch(peer.keyset("npu"), peer.tensor(), 4)
        assert seen == [(op.name, f"{op.name}(Tensor x, int n=3) -> Tensor")]
    library._destroy()


def mode_key(peer):
    """Returns a key for a mode, which no tensor has."""
    if peer.is_torch:
        return "TESTING_ONLY_GenericMode"
    tenon._tenon.tenon_functionality_register("BehaviourMode", "Tracer", 1)
    return "BehaviourMode"


@same(159, "A mode's fallback sees a composite and the calls inside it")
def test_item_159_mode_sees_inner_calls(peer):
    key = mode_key(peer)
    library = peer.Library("_", "IMPL")
    seen = []

    def fallback(op, *args):
        seen.append(op.name().partition("::")[2])
        with peer.exclude(key):
            return op(*args)

    peer.fallback(library, fallback, key)
    with peers.scratch(peer, "outer(Tensor x) -> Tensor") as op:
        op.define("inner(Tensor x) -> Tensor")
        inner = peer.Library(op.ns, "IMPL")
        inner.impl("inner", lambda x: x, "CPU")

        def outer(x):
            # The mode also sees the calls of the composite.
            with peer.force((key, "BackendSelect", "ADInplaceOrView"), ()):
                return op.overload("inner")(op.overload("inner")(x))

        op.add_call("CompositeImplicitAutograd", outer)
        tensor = peer.tensor()
        with peer.include(key):
            op.overload()(tensor)
        inner._destroy()
    library._destroy()
    assert seen == ["outer", "inner", "inner"]


class Mine(Exception):
    pass


@same(161, "A kernel's exception passes through calls and redispatches as the same object")
def test_item_161_exceptions(peer, op):
    raised = Mine("kept")

    def fails(x):
        raise raised

    op.add_call("CPU", fails)
    with pytest.raises(Mine) as caught:
        op.overload()(peer.tensor())
    assert caught.value is raised
    with pytest.raises(Mine) as caught:
        peer.call_boxed(op.name, peer.tensor())
    assert caught.value is raised

    def going_on(keys, x):
        return op.overload().redispatch(peer.below(keys, "AutogradCPU"), x)

    op.add_call("AutogradCPU", going_on, with_keyset=True)
    with pytest.raises(Mine) as caught:
        op.overload()(peer.tensor())
    assert caught.value is raised
    raised.__traceback__ = None


@same(162, "Plain integers go where SymInt[] is due, and come back")
def test_item_162_ints_for_symbolic(peer):
    with peers.scratch(peer, "op(SymInt[] x, SymInt n) -> SymInt[]") as op:
        op.add_call(CEA, lambda x, n: [*x, n])
        assert list(op.overload()([1, 2], 3)) == [1, 2, 3]
    with peers.scratch(peer, "op(int[] x) -> int[]") as op:
        op.add_call(CEA, lambda x: x)
        assert list(op.overload()([1, 2])) == [1, 2]


@same(163, "A Python kernel is not given trailing defaults; keyword-only arguments come by name")
def test_item_163_defaults_of_python_kernels(peer):
    schema = "op(Tensor x, int a=3, *, int b=4, int c=5) -> str"
    with peers.scratch(peer, schema) as op:
        op.add_call("CPU", lambda x, *args, **kwargs: f"{args} {sorted(kwargs.items())}")
        call, x = op.overload(), peer.tensor()
        assert call(x) == "() []"
        assert call(x, 2) == "(2,) []"
        assert call(x, c=6) == "() [('c', 6)]"
        assert call(x, 3, b=4, c=6) == "() [('c', 6)]"


@better(
    164,
    "A Python kernel with a wrong result",
    "is an error that names operator, result and types, None for a Tensor too, which PyTorch "
    "passes on",
)
def test_item_164_wrong_results(peer):
    for returns, result in (
        ("Tensor", None),
        ("Tensor", 3),
        ("int", "text"),
        ("(Tensor, Tensor)", "tensor"),
        ("(Tensor, int)", (1, 2)),
        ("()", 3),
    ):
        with peers.scratch(peer, f"op(Tensor x) -> {returns}") as op:
            op.add_call("CPU", lambda x, result=result: filled(peer, result))
            if peer.is_torch and result is None:
                assert op.overload()(peer.tensor()) is None
                continue
            with pytest.raises((TypeError, RuntimeError)) as caught:
                op.overload()(peer.tensor())
            assert peer.is_torch or op.name in str(caught.value)
