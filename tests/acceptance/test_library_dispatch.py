# SPDX-License-Identifier: Apache-2.0
"""Which kernel runs: alias keys, fallthrough, key sets, guards, wildcard fallbacks, tables."""

import itertools
import os
import re
import threading
import warnings
import gc
import pytest
from seed import sub, torch


_count = itertools.count()
_tag = os.path.basename(os.path.dirname(os.path.abspath(__file__)))


def make(schema, kernels, keyset=()):
    """Defines f + schema with kernels by key; returns (library, packet)."""
    ns = "%s_disp_%d" % (_tag, next(_count))
    lib = sub("library").Library(ns, "DEF")
    lib.define("f" + schema)
    for key, fn in kernels.items():
        lib.impl(
            "f",
            (lambda *a, _r=fn, **k: _r) if isinstance(fn, str) else fn,
            key,
            with_keyset=key in keyset,
        )
    return lib, getattr(torch.ops, ns).f


def cpu(**k):
    return torch.ones(1, **k)


def meta():
    return torch.ones(1, device="meta")


# --- adapters: these names are public in tenon and private in PyTorch ---
def keyset(*names):
    L = sub("library")
    if hasattr(L, "DispatchKeySet"):
        return L.DispatchKeySet(*names)
    result = torch.DispatchKeySet(torch.DispatchKey.Undefined)
    for n in names:
        result = result | torch.DispatchKeySet(getattr(torch.DispatchKey, n))
    return result


def has(keys, name):
    try:
        return bool(keys.has(name))
    except TypeError:
        return bool(keys.has(getattr(torch.DispatchKey, name)))


def exclude(*names):
    L = sub("library")
    if hasattr(L, "ExcludeDispatchKeyGuard"):
        return L.ExcludeDispatchKeyGuard(*names)
    return torch._C._ExcludeDispatchKeyGuard(keyset(*names))


def include(name):
    L = sub("library")
    if hasattr(L, "IncludeDispatchKeyGuard"):
        return L.IncludeDispatchKeyGuard(name)
    return torch._C._IncludeDispatchKeyGuard(getattr(torch.DispatchKey, name))


def force(names, excluded=()):
    L = sub("library")
    if hasattr(L, "ForceDispatchKeyGuard"):
        return L.ForceDispatchKeyGuard(*names, exclude=tuple(excluded))
    return torch._C._ForceDispatchKeyGuard(keyset(*names), keyset(*excluded))


def spare_key():
    """Returns a key without kernels: one of PyTorch's, or one registered for this file."""
    if torch.__name__ == "torch":
        return "PrivateUse2"
    if not _spare:
        _spare.append("AcceptanceSpare")
        torch._tenon.tenon_functionality_register(_spare[0], "Tracer", 1)
    return _spare[0]


_spare = []


class Simulated:
    """PyTorch's PythonDispatcher or Tenon's simulator: registrations on a simulated operator."""

    def __init__(self, *keys):
        try:
            self.tool = sub("_python_dispatcher").PythonDispatcher()
        except ImportError:
            self.tool = sub("simulator").Simulator()
        try:
            self.tool.register(list(keys))
            text = getattr(self.tool, "dispatchTable", None) or self.tool.dispatch_table
            self.table = {}
            for line in text().splitlines():
                found = re.match(r"^(\w+)\W.*?\bfn_(\w+)", line)
                if found:
                    self.table[found.group(1)] = found.group(2)
        finally:
            del self.tool
            gc.collect()


def test_composite_explicit_serves_every_device():
    _, f = make("(Tensor x) -> str", {"CompositeExplicitAutograd": "ce"})
    assert (f(cpu()), f(meta())) == ("ce", "ce")


def test_backend_kernel_beats_composite_explicit_on_its_device_only():
    _, f = make("(Tensor x) -> str", {"CompositeExplicitAutograd": "ce", "CPU": "cpu"})
    assert (f(cpu()), f(meta())) == ("cpu", "ce")


def test_backend_kernel_beats_composite_implicit_on_its_device_only():
    _, f = make("(Tensor x) -> str", {"CompositeImplicitAutograd": "ci", "CPU": "cpu"})
    assert (f(cpu()), f(meta())) == ("cpu", "ci")


def test_composite_explicit_serves_backends_in_inference_mode():
    """Outside inference mode, PyTorch calls the implicit kernel, although its table differs."""
    _, f = make(
        "(Tensor x) -> str", {"CompositeImplicitAutograd": "ci", "CompositeExplicitAutograd": "ce"}
    )
    with torch.inference_mode():
        assert (f(cpu()), f(meta())) == ("ce", "ce")


def test_user_autograd_kernels_in_inference_mode():
    """PyTorch skips these in inference mode; Tenon runs them in every mode, as under no_grad."""
    _, f = make("(Tensor x) -> str", {"CPU": "cpu", "Autograd": "ag"})
    normal = cpu()
    with torch.no_grad():
        assert f(normal) == "ag"
    with torch.inference_mode():
        assert f(normal) == ("cpu" if torch.__name__ == "torch" else "ag")
    assert f(normal) == "ag"


def test_specific_autograd_key_beats_the_alias():
    _, f = make("(Tensor x) -> str", {"Autograd": "ag", "AutogradCPU": "agcpu"})
    assert (f(cpu()), f(meta())) == ("agcpu", "ag")


def test_composite_implicit_hides_the_autograd_alias_where_no_backend_kernel_is():
    _, f = make(
        "(Tensor x) -> str", {"CompositeImplicitAutograd": "ci", "Autograd": "ag", "CPU": "cpu"}
    )
    assert (f(cpu()), f(meta())) == ("ag", "ci")


def test_registration_order_does_not_matter():
    a = {
        "CPU": "cpu",
        "CompositeExplicitAutograd": "ce",
        "Autograd": "ag",
        "AutogradMeta": "agmeta",
    }
    seen = set()
    for order in itertools.permutations(a):
        _, f = make("(Tensor x) -> str", {k: a[k] for k in order})
        seen.add((f(cpu()), f(meta())))
    assert seen == {("ag", "agmeta")}


def test_kernel_registered_later_is_seen_by_a_table_already_used():
    lib, f = make("(Tensor x) -> str", {"CompositeExplicitAutograd": "ce"})
    assert f(cpu()) == "ce"
    lib.impl("f", lambda x: "cpu", "CPU")
    assert f(cpu()) == "cpu" and f(meta()) == "ce"


def test_fallthrough_function_itself_may_not_be_called():
    with pytest.raises(NotImplementedError):
        sub("library").fallthrough_kernel()


def test_autograd_kernel_without_backend_kernel_fails_below():
    _, f = make("(Tensor x) -> str", {"Autograd": "ag"})
    assert f(cpu()) == "ag"
    with exclude("AutogradCPU"), pytest.raises(NotImplementedError, match="CPU"):
        f(cpu())


def test_no_tensor_arguments_use_composites():
    _, f = make("(int x) -> str", {"CompositeExplicitAutograd": "ce"})
    assert f(1) == "ce"


def test_keyset_of_an_autograd_kernel_holds_both_keys():
    got = []
    _, f = make(
        "(Tensor x) -> ()", {"Autograd": lambda ks, x: got.append(ks)}, keyset=("Autograd",)
    )
    f(cpu())
    assert has(got[0], "CPU") and has(got[0], "AutogradCPU")


def test_exclude_guard_skips_a_key_and_restores():
    _, f = make("(Tensor x) -> str", {"CPU": "cpu", "AutogradCPU": "ag"})
    x = cpu()
    with exclude("AutogradCPU"):
        assert f(x) == "cpu"
    assert f(x) == "ag"


def test_exclude_guards_nest():
    _, f = make("(Tensor x) -> str", {"CPU": "cpu", "AutogradCPU": "ag"})
    x = cpu()
    with exclude("AutogradCPU"):
        with exclude("AutogradCPU"):
            pass
        assert f(x) == "cpu"
    assert f(x) == "ag"


def test_guards_belong_to_their_thread():
    _, f = make("(Tensor x) -> str", {"CPU": "cpu", "AutogradCPU": "ag"})
    x, seen = cpu(), []
    with exclude("AutogradCPU"):
        t = threading.Thread(target=lambda: seen.append(f(x)))
        t.start()
        t.join()
        seen.append(f(x))
    assert seen == ["ag", "cpu"]


def test_include_guard_adds_a_key():
    _, f = make("(Tensor x) -> str", {"CPU": "cpu", "Negative": "neg"})
    x = cpu()
    with include("Negative"):
        assert f(x) == "neg"
    assert f(x) == "cpu"


def test_key_sets_are_sets():
    a, b = keyset("CPU"), keyset("CPU", "AutogradCPU")
    assert (a | keyset("AutogradCPU")) == b and (b & a) == a and (b - keyset("AutogradCPU")) == a
    assert has(b, "AutogradCPU") and not has(a, "AutogradCPU")
    assert a != b


def test_key_set_prints_its_keys():
    text = repr(keyset("CPU", "AutogradCPU"))
    assert "CPU" in text and "AutogradCPU" in text and "Meta" not in text


def test_wildcard_fallback_gets_the_overload_and_normalised_arguments():
    L, calls, const = sub("library"), [], torch.full((2,), 7.0)
    wild = L.Library("_", "IMPL")
    if torch.__name__ == "torch":
        wild.fallback(L.fallthrough_kernel, "AutogradPrivateUse2")
    wild.fallback(lambda op, *a, **k: calls.append((op, len(a), k)) or const, spare_key())
    _, f = make("(Tensor x, int n=1, *, float z=2) -> Tensor", {"CPU": lambda x, n=1, z=2.0: x})
    x = cpu()
    with include(spare_key()):
        got = f(x, 4, z=3)
    assert got is const and calls == [(f.default, 2, {"z": 3.0})]
    del wild
    gc.collect()
    assert f(x) is x


def test_direct_kernel_beats_a_wildcard_fallback():
    L = sub("library")
    wild = L.Library("_", "IMPL")
    if torch.__name__ == "torch":
        wild.fallback(L.fallthrough_kernel, "AutogradPrivateUse2")
    wild.fallback(lambda op, *a, **k: "fallback", spare_key())
    a, f = make("(Tensor x) -> str", {spare_key(): "direct", "CPU": "cpu"})
    b, g = make("(Tensor x) -> str", {"CPU": "cpu"})
    x = cpu()
    with include(spare_key()):
        assert f(x) == "direct" and g(x) == "fallback"


def test_fallback_only_in_the_wildcard_namespace():
    lib, _ = make("(Tensor x) -> Tensor", {})
    with pytest.raises(RuntimeError, match="_"):
        lib.fallback(lambda op, *a, **k: None, spare_key())


def test_simulated_registrations_are_checked():
    with pytest.raises(Exception, match="CPU"):
        Simulated("CPU", "CPU")
    with pytest.raises(Exception, match="Zork"):
        Simulated("Zork")
    with pytest.raises(Exception, match="Composite"):
        Simulated("CompositeImplicitAutograd", "CompositeExplicitAutograd")


def test_threads_may_call_while_another_registers():
    lib, f = make("(Tensor x) -> int", {"CPU": lambda x: 1})
    x, bad, stop = cpu(), [], threading.Event()

    def call():
        while not stop.is_set():
            if f(x) not in (1, 2):
                bad.append(1)

    threads = [threading.Thread(target=call) for _ in range(2)]
    [t.start() for t in threads]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(50):
            extra = sub("library").Library(lib.ns, "IMPL")
            extra.impl("f", lambda x: 2, "CPU", allow_override=True)
            del extra
    stop.set()
    [t.join() for t in threads]
    assert not bad and f(x) == 1
