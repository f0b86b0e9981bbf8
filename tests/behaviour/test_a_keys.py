# SPDX-License-Identifier: Apache-2.0
"""Section A, items 1 to 14: keys and key sets."""

from __future__ import annotations

import itertools
import subprocess
import sys

import peers
import pytest
import tenon
from items import better, same
from tenon import _tenon
from tenon.library import DispatchKeySet

BACKENDS = ("CPU", "CUDA", "npu", "Meta")


@same(1, "The highest key of the empty set is Undefined")
def test_item_001_empty_set(peer):
    assert peer.highest(peer.keyset()) == "Undefined"


@same(2, "The higher backend of a set wins")
def test_item_002_higher_backend_wins(peer):
    assert peer.highest(peer.keyset("CPU", "CUDA")) == "CUDA"
    for low, high in itertools.combinations(BACKENDS, 2):
        assert peer.highest(peer.keyset(high, low)) == high


@same(3, "A set is the cross product of its functionalities and its backends")
def test_item_003_cross_product(peer):
    keys = peer.keyset("CPU", "AutogradCUDA")
    assert peer.has(keys, "CUDA") and peer.has(keys, "AutogradCPU")
    assert not peer.has(keys, "Meta") and not peer.has(keys, "Tracer")


@same(4, "Removing AutogradCPU removes the functionality; the backend stays")
def test_item_004_remove_leaves_the_backend(peer):
    keys = peer.remove(peer.keyset("CPU", "AutogradCPU"), "AutogradCPU")
    assert peer.highest(keys) == "CPU" and not peer.has(keys, "AutogradCPU")


@same(5, "Every key with one slot for each backend is its functionality and its backend, both ways")
def test_item_005_functionality_and_backend(peer):
    for backend in BACKENDS:
        for prefix in ("", "Autograd"):
            keys = peer.keyset(prefix + backend)
            assert peer.highest(keys) == prefix + backend
            others = [other for other in BACKENDS if other != backend]
            assert not any(peer.has(keys, prefix + other) for other in others)


@better(
    6,
    "The full set holds each runtime key once, in order of priority",
    "highest first, and only keys that exist, those registered at run time included",
)
def test_item_006_full_set():
    printed = _tenon.tenon_keyset_print(2**64 - 1).strip("{}").split(", ")
    assert printed == list(reversed(tenon.introspect.keys()))
    assert len(set(printed)) == len(printed) and "npu" in printed and "Autogradnpu" in printed
    assert printed.index("AutogradCPU") < printed.index("BackendSelect") < printed.index("Meta")


@same(7, "Below Autograd there is no autograd, tracer or autocast key, and every backend")
def test_item_007_below(peer):
    upper = ("AutogradCPU", "AutogradMeta", "Tracer", "AutocastCPU", "Batched")
    lower = ("ADInplaceOrView", "BackendSelect")
    below = peer.below(peer.keyset(*upper, *lower, *BACKENDS), "AutogradCPU")
    assert not any(peer.has(below, name) for name in upper)
    assert all(peer.has(below, name) for name in (*lower, *BACKENDS))


@better(
    8,
    "An alias key in a set",
    "is refused, naming it; PyTorch silently returns the empty set",
)
def test_item_008_alias_in_a_set(peer):
    aliases = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "BatchedDecomposition")
    for alias in aliases:
        if peer.is_torch:
            assert peer.highest(peer.keyset(alias)) == "Undefined"
        else:
            with pytest.raises(ValueError, match=alias):
                peer.keyset(alias)


@same(9, "Meta joined with any other backend goes to Meta")
def test_item_009_meta_wins(peer, op):
    assert all(peer.highest(peer.keyset("Meta", other)) == "Meta" for other in BACKENDS)
    op.define("two(Tensor x, Tensor y) -> str")
    with_kernels(peer, op, "two", {"CPU": "cpu", "Meta": "meta"})
    two = op.overload("two")
    assert two(peer.tensor(), peer.tensor("meta")) == "meta"
    assert two(peer.tensor("meta"), peer.tensor()) == "meta"


def with_kernels(peer, op, name, results):
    """Registers kernels that return their label; the library is closed with the operator."""
    library = peer.Library(op.ns, "IMPL")
    op._libraries.append(library)
    for key, result in results.items():
        library.impl(name, lambda *args, result=result: result, peer.key(key))


@same(10, "An unknown key name is an error that names it")
def test_item_010_unknown_name(peer):
    with pytest.raises((LookupError, RuntimeError), match="Nonsense"):
        peer.keyset("Nonsense")
    with pytest.raises((LookupError, RuntimeError), match="CatchAll"):
        peer.keyset("CatchAll")


@same(11, "Every runtime key's name parses back to it")
def test_item_011_names_parse_back(peer):
    for name in tenon.introspect.keys():
        if peer.is_torch and peer.key(name) not in torch_keys():
            continue
        assert peer.highest(peer.keyset(name)) == name
    assert _tenon.tenon_key_name(_tenon.tenon_key_parse("Autogradnpu")) == "Autogradnpu"


def torch_keys():
    return peers.torch._C.DispatchKey.__members__


@better(
    12,
    "A private backend's name shows in errors, for itself and for its Autograd key",
    "the name is the key, given when the backend is registered, for any number of backends",
)
def test_item_012_named_backend(op, peer):
    if peer.is_torch:
        script = (
            "import torch\n"
            "torch.utils.rename_privateuse1_backend('npu')\n"
            "lib = torch.library.Library('renamed', 'DEF')\n"
            "lib.define('f(Tensor x) -> Tensor')\n"
            "keys = torch._C.DispatchKeySet(torch._C.DispatchKey.PrivateUse1)\n"
            "try:\n"
            "    torch.ops.renamed.f.default.redispatch(keys, torch.ones(1))\n"
            "except NotImplementedError as error:\n"
            "    print(\"'npu' backend\" in str(error))\n"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert done.stdout.strip() == "True", done.stderr
        return
    for keys in (("npu",), ("npu", "Autogradnpu")):
        with pytest.raises(NotImplementedError, match="got npu"):
            op.overload().redispatch(peer.keyset(*keys), peer.tensor())
    op.add("Autogradnpu", "auto")
    assert "Autogradnpu: auto" in tenon.introspect.dump_table(op.name)


@better(
    13,
    "More backends than there are bits",
    "the one too many is an error that says how many there may be; nothing is overwritten",
)
def test_item_013_too_many_backends():
    script = (
        "import tenon\n"
        "from tenon import _tenon\n"
        "names = []\n"
        "try:\n"
        "    for number in range(40):\n"
        "        _tenon.tenon_backend_register(f'chip{number}')\n"
        "        names.append(f'chip{number}')\n"
        "except tenon.StateError as error:\n"
        "    assert f'chip{len(names)}' in str(error), error\n"
        "    keys = [k for k in tenon.introspect.keys() if k.startswith('chip')]\n"
        "    assert keys == names, (keys, names)\n"
        "    print(len(names))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "21", done.stderr


@same(14, "A device type's name maps to its backend's key; another name is an error")
def test_item_014_device_names(peer):
    expected = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta"}
    for device, key in expected.items():
        if peer.is_torch:
            assert peers.torch._C._dispatch_key_for_device(device) == key
        else:
            assert _tenon.tenon_key_name(_tenon.tenon_key_for_device(device)) == key
    with pytest.raises((LookupError, RuntimeError), match=r"one of cpu, cuda.*toaster"):
        if peer.is_torch:
            peers.torch._C._dispatch_key_for_device("toaster")
        else:
            _tenon.tenon_key_for_device("toaster")
    assert DispatchKeySet("npu").highest() == "npu"
