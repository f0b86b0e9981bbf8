# SPDX-License-Identifier: Apache-2.0
"""Section C, items 51 to 77: which keys a call has, guards, redispatch and the profile.

Items 58, 59 and 76 are in calls_test.cpp: only native code has their values.
"""

from __future__ import annotations

import threading

import peers
import pytest
import tenon
from items import better, same
from tenon import introspect

CIA = "CompositeImplicitAutograd"


def ran(peer, schema, *args, keys=("CPU", "Meta")):
    """Returns the name of the kernel that a call reaches."""
    with peers.scratch(peer, schema) as op:
        for key in keys:
            op.add_call(key, lambda *args, key=key, **kwargs: key)
        return op.overload()(*args)


@same(51, "With tensors of two backends the higher one is called")
def test_item_051_two_backends(peer):
    cpu, meta = peer.tensor(), peer.tensor("meta")
    assert ran(peer, "op(Tensor x, Tensor y) -> str", cpu, meta) == "Meta"
    assert ran(peer, "op(Tensor x, Tensor y) -> str", meta, cpu) == "Meta"
    assert ran(peer, "op(Tensor x, Tensor y) -> str", cpu, cpu) == "CPU"


@same(52, "A backend's kernel is called if one tensor is of that backend, otherwise the composite")
def test_item_052_backend_kernel_else_composite(peer):
    with peers.scratch(peer, "op(Tensor x, Tensor y) -> str") as op:
        op.add_call(CIA, lambda x, y: "cia")
        op.add_call("npu", lambda x, y: "npu")
        cpu = peer.tensor()
        assert op.overload()(cpu, cpu) == "cia"
        assert op.overload().redispatch(peer.keyset("npu", "CPU"), cpu, cpu) == "npu"


@same(53, "An absent Tensor? contributes nothing, a present one its keys")
def test_item_053_optional_tensor(peer):
    cpu, meta = peer.tensor(), peer.tensor("meta")
    assert ran(peer, "op(Tensor? x, Tensor y) -> str", None, cpu) == "CPU"
    assert ran(peer, "op(Tensor? x, Tensor y) -> str", meta, cpu) == "Meta"


@same(54, "A Tensor[] contributes the union of its elements' keys")
def test_item_054_tensor_list(peer):
    cpu, meta = peer.tensor(), peer.tensor("meta")
    assert ran(peer, "op(Tensor[] x) -> str", [cpu, meta, cpu]) == "Meta"
    assert ran(peer, "op(Tensor[] x) -> str", [cpu, cpu]) == "CPU"


@same(55, "A Tensor?[] contributes the union of those that are present")
def test_item_055_list_of_optional_tensors(peer):
    cpu, meta = peer.tensor(), peer.tensor("meta")
    assert ran(peer, "op(Tensor?[] x) -> str", [None, cpu, None]) == "CPU"
    assert ran(peer, "op(Tensor?[] x) -> str", [None, cpu, meta]) == "Meta"


@better(
    56,
    "A Tensor[]? argument",
    "contributes its elements' keys; PyTorch overlooks it and finds no tensor arguments",
)
def test_item_056_optional_tensor_list(peer):
    cpu, meta = peer.tensor(), peer.tensor("meta")
    schema = "op(Tensor[]? x, int n=0) -> str"
    if peer.is_torch:
        with pytest.raises(NotImplementedError, match="no tensor arguments"):
            ran(peer, schema, [meta])
        return
    assert ran(peer, schema, [cpu]) == "CPU"
    assert ran(peer, schema, [cpu, meta]) == "Meta"
    with pytest.raises(NotImplementedError, match="no tensor arguments"):
        ran(peer, schema, None)


@same(57, "Device, ScalarType, Scalar and str arguments contribute nothing")
def test_item_057_other_arguments(peer):
    package = peers.torch if peer.is_torch else tenon
    schema = "op(Tensor x, Device d, ScalarType t, Scalar s, str n) -> str"
    meta = package.device("meta")
    assert ran(peer, schema, peer.tensor(), meta, package.float64, 2.5, "Meta") == "CPU"


@same(60, "A key of the thread's included set is considered though no tensor has it")
def test_item_060_included_key(peer):
    with peers.scratch(peer, "op(Tensor x) -> str") as op:
        op.add_call("Tracer", lambda x: "tracer")
        op.add_call("CPU", lambda x: "cpu")
        assert op.overload()(peer.tensor()) == "cpu"
        with peer.include("Tracer"):
            assert op.overload()(peer.tensor()) == "tracer"
        assert op.overload()(peer.tensor()) == "cpu"


@same(61, "A key both included and excluded is excluded")
def test_item_061_exclude_beats_include(peer):
    with peers.scratch(peer, "op(Tensor x) -> str") as op:
        op.add_call("Tracer", lambda x: "tracer")
        op.add_call("CPU", lambda x: "cpu")
        with peer.exclude("Tracer"), peer.include("Tracer"):
            assert op.overload()(peer.tensor()) == "cpu"
        with peer.include("Tracer"), peer.exclude("Tracer"):
            assert op.overload()(peer.tensor()) == "cpu"


@same(62, "A fresh thread includes BackendSelect and ADInplaceOrView and excludes Autocast")
def test_item_062_defaults(peer):
    found = []

    def look():
        found.extend(peer.included(key) for key in ("BackendSelect", "ADInplaceOrView", "Tracer"))
        if peer.is_torch:
            found.extend((peer.excluded("AutocastCPU"), peer.excluded("AutogradCPU")))
        else:
            excluded = tenon.library.excluded_keys()
            found.extend(bool(excluded & peer.keyset(key)) for key in ("Autocast", "Autograd"))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [True, True, False, True, False]


@same(63, "Leaving the inner of two guards that exclude one key leaves it excluded")
def test_item_063_nested_exclude(peer):
    with peer.exclude("Tracer"):
        with peer.exclude("Tracer"):
            assert peer.excluded("Tracer")
        assert peer.excluded("Tracer")
    assert not peer.excluded("Tracer")


@same(64, "Leaving a guard on a key that was included before leaves it included")
def test_item_064_include_of_an_included_key(peer):
    assert peer.included("BackendSelect")
    with peer.include("BackendSelect"):
        assert peer.included("BackendSelect")
    assert peer.included("BackendSelect")


@same(65, "A force guard replaces both sets and restores them exactly, also after an exception")
def test_item_065_force(peer):
    watched = ("BackendSelect", "ADInplaceOrView", "Tracer", "Functionalize")
    with peer.exclude("Functionalize"):
        before = [(peer.included(key), peer.excluded(key)) for key in watched]
        with pytest.raises(KeyError), peer.force(("Tracer",), ("BackendSelect",)):
            assert peer.included("Tracer") and peer.excluded("BackendSelect")
            assert not peer.included("ADInplaceOrView") and not peer.excluded("Functionalize")
            raise KeyError
        assert [(peer.included(key), peer.excluded(key)) for key in watched] == before


@same(66, "A guard acts on its own thread only")
def test_item_066_other_threads(peer):
    found = []
    with peer.include("Tracer"):
        thread = threading.Thread(target=lambda: found.append(peer.included("Tracer")))
        thread.start()
        thread.join()
        assert peer.included("Tracer")
    assert found == [False]


def below_autograd(peer):
    return (
        peers.torch._C._AutoDispatchBelowAutograd() if peer.is_torch else peer.exclude("Autograd")
    )


@same(67, "An Autograd kernel that calls its operator again below Autograd reaches the backend")
def test_item_067_call_below_autograd(peer):
    seen = []
    with peers.scratch(peer) as op:

        def autograd(x):
            seen.append("autograd")
            with below_autograd(peer):
                return op.overload()(x)

        op.add_call("Autograd", autograd)
        op.add_call("CPU", lambda x: (seen.append("cpu"), x)[1])
        op.overload()(peer.tensor())
    assert seen == ["autograd", "cpu"]


@better(
    68,
    "A kernel that calls its operator again without a guard",
    "stops with a RecursionError, in native code too (tests/core/dispatch), and the thread goes on",
)
def test_item_068_endless_recursion():
    peer = peers.PEERS[0]
    with peers.scratch(peer, "op(Tensor x) -> str") as op:
        endless = op.add_call("CPU", lambda x: op.overload()(x))
        with pytest.raises(RecursionError):
            op.overload()(peer.tensor())
        endless._destroy()
        op.add_call("CPU", lambda x: "fine")
        assert op.overload()(peer.tensor()) == "fine"


@same(69, "A redispatch goes to the given set; the thread's keys are not consulted")
def test_item_069_redispatch_ignores_the_thread(peer):
    with peers.scratch(peer, "op(Tensor x) -> str") as op:
        op.add_call("Tracer", lambda x: "tracer")
        op.add_call("CPU", lambda x: "cpu")
        op.add_call("Meta", lambda x: "meta")
        with peer.include("Tracer"):
            assert op.overload().redispatch(peer.keyset("Meta"), peer.tensor()) == "meta"
            assert op.overload().redispatch(peer.keyset("CPU"), peer.tensor()) == "cpu"


def layered(peer, op, seen, plain_autograd=False):
    """Registers kernels at Tracer, Autograd and CPU that record their name and redispatch below."""

    def going_on(name, below):
        def kernel(keys, x):
            seen.append((name, peer.highest(keys)))
            return op.overload().redispatch(peer.below(keys, below), x)

        return kernel

    def guarded(x):
        seen.append(("autograd", None))
        with below_autograd(peer), peer.exclude("Tracer"):
            return op.overload()(x)

    op.add_call("Tracer", going_on("tracer", "Tracer"), with_keyset=True)
    if plain_autograd:
        op.add_call("Autograd", guarded)
    else:
        op.add_call("Autograd", going_on("autograd", "AutogradCPU"), with_keyset=True)
    op.add_call("CPU", lambda x: (seen.append(("cpu", None)), x)[1])


ORDER = [("tracer", "Tracer"), ("autograd", "AutogradCPU"), ("cpu", None)]


@same(70, "Kernels that take the key set run in order: Tracer, Autograd, then the plain CPU kernel")
def test_item_070_kernels_in_order(peer, op):
    seen = []
    layered(peer, op, seen)
    with peer.include("Tracer"):
        op.overload()(peer.tensor())
    assert seen == ORDER


@same(71, "Kernels that take the key set run in the same order in a boxed call")
def test_item_071_boxed(peer, op):
    seen = []
    layered(peer, op, seen)
    with peer.include("Tracer"):
        peer.call_boxed(op.name, peer.tensor())
    assert seen == ORDER


@same(72, "Kernels that take the key set and kernels that use a guard run in one order")
def test_item_072_mixed_conventions(peer, op):
    seen = []
    layered(peer, op, seen, plain_autograd=True)
    with peer.include("Tracer"):
        op.overload()(peer.tensor())
    assert [name for name, key in seen] == ["tracer", "autograd", "cpu"]


@same(73, "The highest key of the set that a kernel receives is its own")
def test_item_073_own_key_is_highest(peer, op):
    seen = []
    keys = ("Tracer", "AutogradCPU", "ADInplaceOrView", "BackendSelect", "CPU")
    for key in keys:

        def kernel(received, x, key=key):
            seen.append((key, peer.highest(received)))
            if key == "CPU":
                return x
            return op.overload().redispatch(peer.below(received, key), x)

        op.add_call(key, kernel, with_keyset=True)
    with peer.include("Tracer"):
        op.overload()(peer.tensor())
    assert seen == [(key, key) for key in keys]


@same(74, "A BackendSelect kernel that redispatches below itself reaches the backend")
def test_item_074_backend_select(peer, op):
    seen = []

    def select(keys, x):
        seen.append("select")
        return op.overload().redispatch(peer.below(keys, "BackendSelect"), x)

    op.add_call("BackendSelect", select, with_keyset=True)
    op.add_call("CPU", lambda x: (seen.append("cpu"), x)[1])
    op.overload()(peer.tensor())
    assert seen == ["select", "cpu"]


@better(
    75,
    "Operators with more than 64 arguments",
    "have no limit, and the 65th tensor dispatches as the first does; PyTorch refuses the schema",
)
def test_item_075_many_arguments(peer):
    def schema(count):
        return f"op({', '.join(f'Tensor a{number}' for number in range(count))}) -> str"

    cpu, meta = peer.tensor(), peer.tensor("meta")
    assert ran(peer, schema(64), *[cpu] * 63, meta) == "Meta"
    if peer.is_torch:
        with pytest.raises(RuntimeError, match="only supports 64"):
            ran(peer, schema(65), *[cpu] * 65)
        return
    assert ran(peer, schema(65), *[cpu] * 64, meta) == "Meta"
    assert ran(peer, schema(200), *[cpu] * 200) == "CPU"


@better(
    77,
    "A profile tells one line a call and redispatch, nested",
    "in every build and per thread, with key, kernel and language, as text or as data; PyTorch "
    "prints it in debug builds only",
)
def test_item_077_profile(capsys):
    peer = peers.PEERS[0]
    with peers.scratch(peer) as op:
        tensor = peer.tensor()
        layered(peer, op, [])
        with peer.include("Tracer"), introspect.profile() as calls:
            op.overload()(tensor)
    lines = capsys.readouterr().out.splitlines()
    assert [(event.key, event.depth, event.redispatch) for event in calls] == [
        ("Tracer", 0, False),
        ("AutogradCPU", 1, True),
        ("CPU", 2, True),
    ]
    assert lines[0].startswith(f"call {op.name} [Tracer]")
    assert lines[2].startswith(f"    redispatch {op.name} [CPU]")
