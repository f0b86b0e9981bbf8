# SPDX-License-Identifier: Apache-2.0
"""Section B, items 15 to 50: which registration serves which slot of an operator's table."""

from __future__ import annotations

import itertools

import peers
import pytest
import tenon
from items import better, not_applicable, same

CIA = "CompositeImplicitAutograd"
CEA = "CompositeExplicitAutograd"
CEANF = "CompositeExplicitAutogradNonFunctional"
ROW = ("Undefined", "CPU", "CUDA", "AutogradCPU", "AutogradCUDA")


def build(op, **labels):
    """Registers kernels by the short names that the golden tables use."""
    keys = {
        "cia": CIA,
        "cea": CEA,
        "ceanf": CEANF,
        "cpu": "CPU",
        "cuda": "CUDA",
        "meta": "Meta",
        "npu": "npu",
        "auto": "Autograd",
        "autocpu": "AutogradCPU",
    }
    for name, wanted in labels.items():
        assert wanted
        op.add(keys[name], name)


@same(15, "CompositeImplicit alone serves every backend, every Autograd slot and Undefined")
def test_item_015_implicit_serves_everything(peer, op):
    build(op, cia=True)
    assert op.row(*ROW, "npu", "Meta", "Autogradnpu", "AutogradMeta") == ["cia"] * 9
    assert op.slot("CPU").provenance == "math kernel"


@same(16, "CPU + CompositeImplicit: AutogradCPU is left to its fallback, AutogradCUDA is not")
def test_item_016_cpu_and_implicit(peer, op):
    build(op, cpu=True, cia=True)
    assert op.row(*ROW) == ["cia", "cpu", "cia", "fb", "cia"]


@same(17, "CPU + Autograd + CompositeImplicit: Autograd only where a backend kernel is below")
def test_item_017_cpu_autograd_and_implicit(peer, op):
    build(op, cpu=True, auto=True, cia=True)
    assert op.row(*ROW) == ["cia", "cpu", "cia", "auto", "cia"]


@same(18, "A kernel on AutogradCPU beats one on the alias Autograd")
def test_item_018_specific_autograd_beats_the_alias(peer, op):
    build(op, auto=True, autocpu=True)
    assert op.row(*ROW) == ["-", "-", "-", "autocpu", "auto"]
    build(op, cpu=True, npu=True, cia=True)
    assert op.row(*ROW) == ["cia", "cpu", "cia", "autocpu", "cia"]
    assert op.row("npu", "Autogradnpu") == ["npu", "auto"]


@same(19, "An Autograd kernel alone leaves the backend without one: the call says so")
def test_item_019_autograd_only_has_no_backend_kernel(peer, op):
    seen = []

    def autograd(keys, x):
        seen.append(peer.highest(keys))
        return op.overload().redispatch(peer.below(keys, "AutogradCPU"), x)

    op.add_call("Autograd", autograd, with_keyset=True)
    with pytest.raises(NotImplementedError, match="CPU"):
        op.overload()(peer.tensor())
    assert seen == ["AutogradCPU"]


@same(20, "CPU + CompositeExplicit: the other backends are served, no Autograd slot is")
def test_item_020_cpu_and_explicit(peer, op):
    build(op, cpu=True, cea=True)
    assert op.row(*ROW) == ["cea", "cpu", "cea", "fb", "fb"]
    assert op.slot("CUDA").provenance == "default backend kernel"
    build(op, auto=True)
    assert op.row(*ROW) == ["cea", "cpu", "cea", "auto", "auto"]


@same(21, "CompositeExplicit + CompositeImplicit: backends take the explicit one, Autograd neither")
def test_item_021_explicit_and_implicit(peer, op):
    build(op, cea=True, cia=True)
    assert op.row(*ROW) == ["cea", "cea", "cea", "fb", "fb"]


@same(22, "With CPU and Autograd besides both composites, the implicit one serves no such slot")
def test_item_022_implicit_unused(peer, op):
    build(op, cpu=True, auto=True, cia=True, cea=True)
    assert op.row(*ROW) == ["cea", "cpu", "cea", "auto", "auto"]


@not_applicable(
    23,
    "NonFunctional leaves out the backends that functionalise, and Sparse",
    "Tenon has no such backend and no sparse slots yet; NonFunctional serves every Dense backend",
)
def test_item_023_non_functional_alone(peer, op):
    build(op, ceanf=True)
    assert op.row(*ROW) == ["ceanf", "ceanf", "ceanf", "fb", "fb"]
    if peer.is_torch:
        assert op.row("XLA", "Lazy", "SparseCPU") == ["-", "-", "-"]
    else:
        assert all(op.slot(f"{backend}").kernel == "ceanf" for backend in ("npu", "Meta"))


@same(24, "NonFunctional beats CompositeExplicit, and is no backend kernel beside the implicit one")
def test_item_024_non_functional_with_others(peer, op):
    build(op, ceanf=True, cia=True)
    assert op.row(*ROW) == ["ceanf", "ceanf", "ceanf", "cia", "cia"]
    build(op, cea=True)
    assert op.row(*ROW) == ["ceanf", "ceanf", "ceanf", "fb", "fb"]


@better(
    25,
    "A backend that shares its Autograd slot is ambiguous beside CompositeImplicit",
    "every backend has its own Autograd slot, a run-time one included, so nothing is ambiguous",
)
def test_item_025_every_backend_has_its_autograd_slot(peer, op):
    if peer.is_torch:
        build(op, cia=True)
        op.add("FPGA", "fpga")
        assert op.slot("AutogradOther").provenance == "ambiguous autogradother"
        return
    build(op, npu=True, cia=True)
    assert op.row("npu", "Autogradnpu", "AutogradCPU") == ["npu", "fb", "cia"]


@better(
    26,
    "Autograd on top leaves the shared slot ambiguous",
    "the backend's own slot takes the Autograd kernel",
)
def test_item_026_autograd_alias_resolves(peer, op):
    build(op, auto=True, cia=True)
    if peer.is_torch:
        op.add("FPGA", "fpga")
        assert op.slot("AutogradOther").provenance == "ambiguous autogradother"
        return
    build(op, npu=True)
    assert op.row("npu", "Autogradnpu", "AutogradCUDA") == ["npu", "auto", "cia"]


@better(
    27,
    "A kernel of a layout without Autograd slot makes the shared slot ambiguous",
    "a functionality with slots per backend that is registered at run time changes none",
)
def test_item_027_kernel_of_another_functionality(peer, op):
    build(op, cia=True)
    if peer.is_torch:
        op.add("SparseCPU", "sparse")
        assert op.slot("AutogradOther").provenance == "ambiguous autogradother"
        return
    layout = register_layout()
    op.add(layout, "sparse")
    assert op.row(layout, "AutogradCPU", "AutogradCUDA") == ["sparse", "cia", "cia"]


def register_layout() -> str:
    """Registers a functionality like Sparse, with one slot per backend; returns the CPU's key."""
    from tenon import _tenon

    _tenon.tenon_functionality_register(
        "BehaviourSparse", "BackendSelect", _tenon.TENON_KEY_FLAG_PER_BACKEND
    )
    return "BehaviourSparseCPU"


@not_applicable(
    28,
    "CompositeImplicitAutogradNestedTensor serves the nested keys ahead of CompositeImplicit",
    "the nested functionality is reserved, not declared; a kernel on a run-time one wins likewise",
)
def test_item_028_nested_composite(peer, op):
    build(op, cia=True)
    if peer.is_torch:
        op.add("CompositeImplicitAutogradNestedTensor", "nested")
        assert op.row("NestedTensorCPU", "CPU") == ["nested", "cia"]
        return
    layout = register_layout()
    with pytest.raises(LookupError):
        tenon._tenon.tenon_key_parse("CompositeImplicitAutogradNestedTensor")
    op.add(layout, "nested")
    assert op.row(layout, "CPU") == ["nested", "cia"]


@same(29, "CompositeExplicit leaves slots of other layouts missing")
def test_item_029_explicit_leaves_other_layouts_missing(peer, op):
    build(op, cea=True)
    layout = "NestedTensorCPU" if peer.is_torch else register_layout()
    assert op.row(layout, "CPU") == ["-", "cea"]


@same(30, "CompositeImplicit serves Functionalize")
def test_item_030_functionalize_is_decomposed(peer, op):
    build(op, cia=True)
    if peer.is_torch:
        # PyTorch 2.15 functionalizes every operator, and decomposes inside.
        assert op.row("Functionalize") in (["cia"], ["fb"])
    else:
        assert op.row("Functionalize") == ["cia"]


@same(31, "BatchedDecomposition serves Batched only; a kernel on Batched wins")
def test_item_031_batched_decomposition(peer, op):
    op.add("BatchedDecomposition", "decomposed")
    assert op.row("Batched", "CPU", "AutogradCPU") == ["decomposed", "-", "fb"]
    assert op.slot("Batched").provenance == "batched kernel"
    op.add("Batched", "batched")
    assert op.row("Batched") == ["batched"]


@pytest.fixture
def fallback(peer):
    """Registers fallbacks on the run-time backend, which are removed after the test."""
    libraries = []

    def register(function, key="npu"):
        library = peer.Library("_", "IMPL")
        peer.fallback(library, function, key)
        libraries.append(library)
        return library

    yield register
    for library in libraries:
        library._destroy()


def redispatch(peer, op, *keys):
    """Calls the operator as if its argument had exactly these keys."""
    return op.overload().redispatch(peer.keyset(*keys), peer.tensor())


@same(32, "A fallback serves an operator that has no kernel for its key")
def test_item_032_fallback_is_called(peer, op, fallback):
    seen = []
    fallback(lambda called, x: (seen.append(called.name()), x)[1])
    assert op.row("npu") == ["fb"]
    redispatch(peer, op, "npu")
    assert seen == [op.name]


@same(33, "A kernel beats a fallback of its key")
def test_item_033_kernel_beats_fallback(peer, op, fallback):
    fallback(lambda called, x: pytest.fail("the fallback ran"))
    op.add_call("npu", lambda x: x + 1)
    assert redispatch(peer, op, "npu").tolist() == [2, 2]


@same(34, "A composite beats a fallback of its key")
def test_item_034_composite_beats_fallback(peer, op, fallback):
    fallback(lambda called, x: pytest.fail("the fallback ran"))
    op.add_call(CIA, lambda x: x + 1)
    assert redispatch(peer, op, "npu").tolist() == [2, 2]


@same(35, "A fallback changes the tables of all operators that exist, and changes them back")
def test_item_035_fallback_changes_all_tables(peer, op, fallback):
    for number in range(100):
        op.define(f"many{number}(Tensor x) -> Tensor")
    names = [op.name, *(f"{op.ns}::many{number}" for number in range(100))]
    library = fallback(lambda called, x: x)
    assert all(peer.table(name)["npu"].provenance == "backend fallback" for name in names)
    library._destroy()
    assert not any("npu" in peer.table(name) for name in names)
    for name in names:
        peer.check(name)


@same(36, "An operator defined after a fallback starts with it")
def test_item_036_new_operator_has_the_fallback(peer, op, fallback):
    fallback(lambda called, x: x)
    op.define("late(Tensor x) -> Tensor")
    assert peer.table(f"{op.ns}::late")["npu"].provenance == "backend fallback"


@same(37, "A fallthrough fallback costs no call: the next key is chosen")
def test_item_037_fallthrough_fallback(peer, op):
    op.add_call("CPU", lambda x: x + 1)
    assert op.slot("ADInplaceOrView").fallthrough and peer.included("ADInplaceOrView")
    assert op.overload()(peer.tensor()).tolist() == [2, 2]


@same(38, "A kernel on a key with a fallthrough fallback stops calls of its operator only")
def test_item_038_kernel_over_fallthrough_fallback(peer, op):
    op.define("other(Tensor x) -> Tensor")
    op.add_call("BackendSelect", lambda x: x + 10)
    op.add_call("CPU", lambda x: x + 1)
    library = peer.Library(op.ns, "IMPL")
    library.impl("other", lambda x: x + 2, "CPU")
    assert op.overload()(peer.tensor()).tolist() == [11, 11]
    assert op.overload("other")(peer.tensor()).tolist() == [3, 3]
    library._destroy()


@same(39, "A fallthrough on one backend's Autograd slot leaves the other backends' in place")
def test_item_039_fallthrough_of_one_backend(peer, op):
    seen = []
    op.add_call("AutogradMeta", lambda x: (seen.append("meta"), x)[1])
    op.add("AutogradCPU", "fallthrough")
    op.add_call("CPU", lambda x: (seen.append("cpu"), x)[1])
    op.overload()(peer.tensor())
    op.overload()(peer.tensor("meta"))
    assert seen == ["cpu", "meta"]


@same(40, "Removing a fallthrough restores the slot and makes calls stop there again")
def test_item_040_fallthrough_removed(peer, op):
    seen = []
    op.add_call("AutogradCPU", lambda x: (seen.append("auto"), x)[1])
    op.add_call("CPU", lambda x: (seen.append("cpu"), x)[1])
    skip = op.add("AutogradCPU", "fallthrough")
    assert op.slot("AutogradCPU").fallthrough
    op.overload()(peer.tensor())
    skip._destroy()
    assert not op.slot("AutogradCPU").fallthrough
    op.overload()(peer.tensor())
    assert seen == ["cpu", "auto"]
    peer.check(op.name)


@same(41, "Where every key of the set falls through, the call is an error")
def test_item_041_everything_falls_through(peer, op):
    op.add("CPU", "fallthrough")
    with pytest.raises((NotImplementedError, RuntimeError)):
        op.overload()(peer.tensor())


@same(42, "Without tensor arguments a composite runs through the Undefined slot")
@pytest.mark.parametrize("key", [CIA, CEA])
def test_item_042_no_tensors(peer, key):
    with peers.scratch(peer, "none() -> int") as op:
        op.add_call(key, lambda: 42)
        assert op.overload()() == 42


@same(43, "An empty tensor list and only a CPU kernel: the error says that there are no tensors")
def test_item_043_empty_list(peer):
    with peers.scratch(peer, "list(Tensor[] x) -> int") as op:
        op.add_call("CPU", lambda x: len(x))
        assert op.overload()([peer.tensor()]) == 1
        with pytest.raises(NotImplementedError, match="no tensor arguments"):
            op.overload()([])


@better(
    44,
    "A missing kernel is an error that names operator, key and what there is",
    "one line with the registered keys and what to do; PyTorch prints the whole table",
)
def test_item_044_missing_kernel(peer, op):
    op.add_call("CPU", lambda x: x)
    op.add_call("Autograd", lambda x: x)
    with pytest.raises(NotImplementedError) as caught:
        redispatch(peer, op, "npu")
    text = str(caught.value)
    assert op.name in text and peer.key("npu") in text and "CPU" in text
    assert len(text.splitlines()) > 5 if peer.is_torch else len(text) < 250


@better(
    45,
    "Registrations in any order, removed in any order, give the state of what is active",
    "also when CompositeExplicit comes after CompositeImplicit or goes before it, where PyTorch "
    "leaves the Autograd slots unchanged",
)
def test_item_045_order_does_not_matter(peer):
    entries = {"cpu": "CPU", "cia": CIA, "ceanf": CEANF, "auto": "Autograd", "cea": CEA}
    ran = []
    for order in ((CIA, CEA), (CEA, CIA)):
        with peers.scratch(peer) as op:
            for key in order:
                op.add_call(key, lambda x, key=key: (ran.append(key), x)[1])
            with peer.include("AutogradCPU"):
                op.overload()(peer.tensor())
    assert ran == ([CIA, CEA] if peer.is_torch else [CEA, CEA])
    if peer.is_torch:
        del entries["cea"]
    expected = {}
    for order in itertools.permutations(entries):
        with peers.scratch(peer) as op:
            libraries = {name: op.add(entries[name], name) for name in order}
            active = set(order)
            for name in order:
                row = op.row(*ROW)
                assert expected.setdefault(frozenset(active), row) == row, (order, active)
                libraries[name]._destroy()
                active.remove(name)
            peer.check(op.name)


@same(46, "A CPU kernel that comes after CompositeImplicit refreshes AutogradCPU in the same step")
def test_item_046_autograd_slot_follows_the_backend(peer, op):
    build(op, cia=True)
    assert op.row("AutogradCPU") == ["cia"]
    op.add("CPU")
    assert op.row("AutogradCPU") == ["fb"]


@same(47, "When that CPU kernel goes, AutogradCPU is CompositeImplicit's again")
def test_item_047_and_back(peer, op):
    build(op, cia=True)
    op.add("CPU")._destroy()
    assert op.row("AutogradCPU", "CPU") == ["cia", "cia"]


@better(
    48,
    "The invariants hold after every step: the recomputed table is the stored one",
    "for every step; PyTorch's check fails once CompositeExplicit comes after CompositeImplicit",
)
def test_item_048_invariants(peer, op):
    for key in ("CPU", CIA, "Autograd", CEANF, "AutogradCPU", "Batched"):
        library = op.add(key)
        peer.check(op.name)
        library._destroy()
        peer.check(op.name)
        op.add(key)
    explicit = op.add(CEA)
    if peer.is_torch:
        with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
            peer.check(op.name)
    else:
        peer.check(op.name)
    explicit._destroy()
    peer.check(op.name)


@better(
    49,
    "A callback set for an operator is called for its missing kernels and may raise instead",
    "the error is an object with code, operator and key to act on; an own message is a kernel on "
    "CompositeExplicit that raises, which reaches every missing backend",
)
def test_item_049_own_error_for_missing_kernels(peer, op):
    def refuse(*args):
        raise KeyError("bring your own kernel")

    if peer.is_torch:
        import torch

        handle = torch._C._dispatch_find_schema_or_throw(op.name, "")
        torch._C._dispatch_set_report_error_callback(handle, lambda key: refuse())
        with pytest.raises(KeyError, match="bring your own"):
            op.overload()(peer.tensor())
        return
    with pytest.raises(tenon.NoKernelError) as caught:
        op.overload()(peer.tensor())
    assert caught.value.code == "TENON_ERROR_NO_KERNEL"
    assert op.name in str(caught.value) and "CPU" in str(caught.value)
    op.add_call(CEA, refuse)
    with pytest.raises(KeyError, match="bring your own"):
        op.overload()(peer.tensor())


@better(
    50,
    "A building block such as Dense is no runtime key",
    "it is refused with the reason; PyTorch takes it and the kernel is never reached",
)
def test_item_050_building_block_is_no_key(peer, op):
    if peer.is_torch:
        op.add("Dense", "dense")
        assert "dense" not in {slot.kernel for slot in peer.table(op.name).values()}
        return
    with pytest.raises(LookupError, match="one key per backend"):
        op.add("Dense", "dense")
