# SPDX-License-Identifier: Apache-2.0
"""Section E, items 110 to 147: libraries, definitions, kernels, fallbacks and their lifetimes.

Items 116, 128, 129 and 130 are in calls_test.cpp.
"""

from __future__ import annotations

import itertools
import os
import pathlib
import subprocess
import sys
import threading
import warnings

import peers
import pytest
import tenon
from items import better, not_applicable, same

ERRORS = (tenon.Error, RuntimeError, ValueError)
CIA = "CompositeImplicitAutograd"


@pytest.fixture
def ns():
    return peers.fresh_namespace()


@pytest.fixture
def opened(peer):
    """Opens libraries, which are closed after the test."""
    libraries = []

    def open_one(*args, **kwargs):
        libraries.append(peer.Library(*args, **kwargs))
        return libraries[-1]

    yield open_one
    for library in reversed(libraries):
        library._destroy()


def overload(peer, ns, name):
    packet, _, rest = name.partition(".")
    return getattr(getattr(getattr(peer.ops, ns), packet), rest or "default")


@same(
    110, "A second DEF of a namespace is an error that names both; it works once the first is gone"
)
def test_item_110_second_def(peer, ns):
    first = peer.Library(ns, "DEF")
    with pytest.raises(RuntimeError) as caught:
        peer.Library(ns, "DEF")
    assert str(caught.value).count("test_e_registration.py") == 2
    first._destroy()
    peer.Library(ns, "DEF")._destroy()


@same(111, "FRAGMENT defines with and without a DEF")
def test_item_111_fragment(peer, ns, opened):
    opened(ns, "FRAGMENT").define("a(Tensor x) -> Tensor")
    opened(ns, "DEF").define("b(Tensor x) -> Tensor")
    opened(ns, "FRAGMENT").define("c(Tensor x) -> Tensor")
    assert all(overload(peer, ns, name) for name in "abc")


@same(112, "define in an IMPL library and a fallback of one namespace are errors")
def test_item_112_wrong_kind(peer, ns, opened):
    with pytest.raises(ERRORS, match="IMPL"):
        opened(ns, "IMPL").define("f(Tensor x) -> Tensor")
    for kind in ("DEF", "IMPL"):
        with pytest.raises(ERRORS, match='"_"'):
            peer.fallback(opened(ns, kind), lambda op, *args: args[0], "npu")


@same(113, "Another namespace than the library's is an error, in define and in impl")
def test_item_113_other_namespace(peer, ns, opened):
    library = opened(ns, "DEF")
    with pytest.raises(ERRORS, match="other"):
        library.define("other::f(Tensor x) -> Tensor")
    with pytest.raises(ERRORS, match="other"):
        library.impl("other::f", lambda x: x, "CPU")


@same(114, "A key other than the library's own is an error")
def test_item_114_other_key(peer, ns, opened):
    opened(ns, "DEF").define("f(Tensor x) -> Tensor")
    with pytest.raises(ERRORS, match="CPU"):
        opened(ns, "IMPL", "CPU").impl("f", lambda x: x, peer.key("npu"))


@better(
    115,
    "impl in a library of namespace `_`",
    "is refused; PyTorch dereferences an empty optional there",
)
def test_item_115_impl_in_wildcard_library():
    library = tenon.library.Library("_", "IMPL")
    with pytest.raises(ValueError, match="namespace"):
        library.impl("aten::add.Tensor", lambda x, y: x, "CPU")
    with pytest.raises(ValueError):
        library.impl("add.Tensor", lambda x, y: x, "CPU")
    library._destroy()


@same(117, "A name that only has kernels is not found, and the error says that it has kernels")
def test_item_117_impl_only(peer, ns, opened):
    opened(ns, "FRAGMENT").impl("f", lambda x: x, "CPU")
    said = "found an implementation" if peer.is_torch else "got kernels without a schema"
    with pytest.raises((LookupError, RuntimeError), match=said):
        peer.call_boxed(f"{ns}::f", peer.tensor())
    with pytest.raises((LookupError, RuntimeError)) as caught:
        peer.call_boxed(f"{ns}::g", peer.tensor())
    assert said not in str(caught.value)


@same(118, "The list of dangling kernels holds exactly the operators without definition")
def test_item_118_dangling(peer, ns, opened):
    before = set(peer.dangling())
    library = opened(ns, "FRAGMENT")
    library.define("defined(Tensor x) -> Tensor")
    library.impl("defined", lambda x: x, "CPU")
    library.impl("dangling", lambda x: x, "CPU")
    library.impl("late", lambda x: x, "CPU")
    found = {name.partition("\n")[0].removeprefix("name: ") for name in peer.dangling()} - before
    assert {name.rstrip(".") for name in found if ns in name} == {f"{ns}::dangling", f"{ns}::late"}
    library.define("late(Tensor x) -> Tensor")
    assert not any(f"{ns}::late" in name for name in peer.dangling())


@same(119, "A second definition is an error even when equal; it names both, and nothing changes")
def test_item_119_duplicate_definition(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    library.define("f(Tensor x) -> Tensor")
    before = peer.raw(f"{ns}::f")
    for text in ("f(Tensor x) -> Tensor", "f(Tensor x, int n=1) -> Tensor"):
        with pytest.raises(RuntimeError) as caught:
            library.define(text)
        assert str(caught.value).count(os.path.basename(__file__)) == 2
        assert peer.raw(f"{ns}::f") == before


@same(120, "The newest kernel of a key is active; the older one shows as inactive")
def test_item_120_override(peer, op):
    op.add("CPU", "old")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        op.add("CPU", "new")
    assert op.row("CPU") == ["new"]
    lines = [line for line in peer.raw(op.name).splitlines() if line.startswith("CPU")]
    assert len(lines) == 2
    assert "new" in lines[0] and "inactive" not in lines[0]
    assert "old" in lines[1] and "inactive" in lines[1]


@same(121, "Kernels of a key come off in any order")
def test_item_121_removal_order(peer):
    for order in itertools.permutations(range(3)):
        with peers.scratch(peer) as op:
            libraries = [op.add("CPU", f"k{number}") for number in range(3)]
            left = [0, 1, 2]
            for number in order:
                assert op.row("CPU") == [f"k{left[-1]}"]
                libraries[number]._destroy()
                left.remove(number)
            assert op.row("CPU") == ["-"]


@better(
    122,
    "A second Python kernel of one key is refused unless override is allowed",
    "by default; PyTorch 2.15 overrides by default and refuses only when told to",
)
def test_item_122_python_override(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    library.define("f(Tensor x) -> str")
    library.impl("f", lambda x: "first", "CPU")
    with pytest.raises(RuntimeError, match="kernel"):
        if peer.is_torch:
            library.impl("f", lambda x: "second", "CPU", allow_override=False)
        else:
            library.impl("f", lambda x: "second", "CPU")
    assert overload(peer, ns, "f")(peer.tensor()) == "first"
    opened(ns, "IMPL").impl("f", lambda x: "third", "CPU", allow_override=True)
    assert overload(peer, ns, "f")(peer.tensor()) == "third"


@same(123, "A second fallback of one key is an error that names both")
def test_item_123_second_fallback(peer, opened):
    peer.fallback(opened("_", "IMPL"), lambda op, x: x, "npu")
    with pytest.raises(RuntimeError) as caught:
        peer.fallback(opened("_", "IMPL"), lambda op, x: x, "npu")
    assert str(caught.value).count("test_e_registration.py") == 2


@same(124, "A fallback on an alias of which one key is taken is an error and leaves nothing behind")
def test_item_124_fallback_on_alias(peer, op, opened):
    taken = "AutogradCUDA"
    if not peer.is_torch:  # PyTorch has its own fallbacks on most Autograd keys
        peer.fallback(opened("_", "IMPL"), lambda op, x: x, taken)
    before = peer.table(op.name)
    with pytest.raises(RuntimeError, match="fallback"):
        peer.fallback(opened("_", "IMPL"), lambda op, x: x, "Autograd")
    assert peer.table(op.name) == before


@same(125, "A fallthrough may be registered for one operator")
def test_item_125_fallthrough_for_one_operator(peer, op):
    op.add_call("AutogradCPU", lambda x: pytest.fail("not skipped"))
    op.add_call("CPU", lambda x: x + 1)
    library = peer.Library(op.ns, "IMPL")
    library.impl(op.op, peer.fallthrough, "AutogradCPU", allow_override=True)
    assert op.overload()(peer.tensor()).tolist() == [2, 2]
    library._destroy()


@same(126, "When the library goes, its operators go; lookups fail")
def test_item_126_library_goes(peer, ns):
    library = peer.Library(ns, "FRAGMENT")
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x, "CPU")
    peer.call_boxed(f"{ns}::f", peer.tensor())
    library._destroy()
    with pytest.raises((LookupError, RuntimeError)):
        peer.call_boxed(f"{ns}::f", peer.tensor())


@same(127, "Kernels outlive a definition: dumpable without schema, callable once defined again")
def test_item_127_definition_removed(peer, ns, opened):
    definer = opened(ns, "FRAGMENT")
    definer.define("f(Tensor x) -> Tensor")
    peer.register(opened(ns, "IMPL"), "f", "CPU", "kept")
    definer._destroy()
    assert "(none)" in peer.raw(f"{ns}::f") and "kept" in peer.raw(f"{ns}::f")
    opened(ns, "FRAGMENT").define("f(Tensor x) -> Tensor")
    assert peer.table(f"{ns}::f")["CPU"].kernel == "kept"


@better(
    131,
    "A failed definition leaves the previous state and may be repeated",
    "the state is equal to the letter, for failed kernels and fallbacks as well",
)
def test_item_131_failed_steps(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    library.define("f(Tensor x) -> Tensor")
    peer.register(library, "f", "CPU", "cpu")
    before = peer.raw(f"{ns}::f"), peer.table(f"{ns}::f")
    for step in (
        lambda: library.define("f(Tensor x) -> Tensor"),
        lambda: library.define("g(Tensor x) -> "),
        lambda: library.impl("f", lambda x: x, "Nonsense"),
        lambda: library.impl("other::f", lambda x: x, "CPU"),
        lambda: library.impl("f", 3, "CPU"),
    ):
        with pytest.raises((*ERRORS, TypeError, LookupError)):
            step()
        assert (peer.raw(f"{ns}::f"), peer.table(f"{ns}::f")) == before
    library.define("g(Tensor x) -> Tensor")


@same(132, "Tags are kept for each overload")
def test_item_132_tags(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    tag = peers.torch.Tag.pointwise if peer.is_torch else "pointwise"
    library.define("f.a(Tensor x) -> Tensor", tags=(tag,))
    library.define("f.b(Tensor x) -> Tensor")
    assert list(overload(peer, ns, "f.a").tags) == [tag]
    assert tag not in list(overload(peer, ns, "f.b").tags)


@same(133, "alias_analysis takes '', FROM_SCHEMA and CONSERVATIVE, and refuses others")
def test_item_133_alias_analysis(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    for number, value in enumerate(("", "FROM_SCHEMA", "CONSERVATIVE")):
        library.define(f"f{number}(Tensor x) -> Tensor", value)
        kind = value or "FROM_SCHEMA"
        assert f": {kind}" in peer.raw(f"{ns}::f{number}")
    with pytest.raises(ERRORS, match="WRONG"):
        library.define("g(Tensor x) -> Tensor", "WRONG")


@same(134, "Reserved namespaces are refused for DEF and FRAGMENT; IMPL may extend them")
def test_item_134_reserved_namespace(peer):
    for kind in ("DEF", "FRAGMENT"):
        with pytest.raises(ValueError, match="reserved"):
            peer.Library("prim", kind)
    peer.Library("prim", "IMPL")._destroy()


@same(135, "A qualified name without '::' or with two is an error")
def test_item_135_qualified_names(peer):
    for name in ("nocolons", "a::b::c", "::a", "a::"):
        if peer.is_torch and name in ("::a", "a::"):
            continue
        with pytest.raises(ValueError, match="namespace::name"):
            peer.define(name, "(Tensor x) -> Tensor")


@same(136, "A schema that does not look like '(...) -> ...' is an error")
def test_item_136_malformed_schema(peer, ns):
    for text in ("Tensor x -> Tensor", "(Tensor x)", "f(Tensor x) -> Tensor", ""):
        if peer.is_torch and text.startswith("f("):
            continue
        with pytest.raises(ValueError, match=r"look like"):
            peer.define(f"{ns}::f", text)


@same(137, "impl for 'default' serves all devices; a list of devices each of them")
def test_item_137_impl_for_devices(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    for name in ("all", "each"):
        peer.define(f"{ns}::{name}", "(Tensor x) -> str", lib=library)
    peer.impl(f"{ns}::all", "default", lambda x: "default", lib=library)
    peer.impl(f"{ns}::each", ["cpu", "cuda"], lambda x: "listed", lib=library)
    assert overload(peer, ns, "all")(peer.tensor()) == "default"
    assert overload(peer, ns, "all")(peer.tensor("meta")) == "default"
    assert overload(peer, ns, "each")(peer.tensor()) == "listed"
    keyset = peer.keyset("CUDA")
    assert overload(peer, ns, "each").redispatch(keyset, peer.tensor()) == "listed"
    with pytest.raises(NotImplementedError):
        overload(peer, ns, "each")(peer.tensor("meta"))


@same(138, "An unknown device is an error that lists those that exist")
def test_item_138_unknown_device(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    library.define("f(Tensor x) -> Tensor")
    with pytest.raises((LookupError, RuntimeError), match=r"one of cpu, cuda.*toaster"):
        peer.impl(f"{ns}::f", "toaster", lambda x: x, lib=library)


def plugin() -> pathlib.Path:
    folder = os.environ.get("TENON_LIB_DIR") or pathlib.Path(tenon.__file__).resolve().parent
    path = pathlib.Path(folder) / "libpython_test_threads.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return path


@better(
    139,
    "load_library makes the plugin's operators visible, remembers the path, and may be repeated",
    "a plugin can be unloaded again, and a file that is none is refused before its code runs",
)
def test_item_139_load_library(tmp_path):
    path = plugin()
    tenon.ops.load_library(path)
    tenon.ops.load_library(path)
    assert str(path.resolve()) in tenon.ops.loaded_libraries
    handle = tenon._tenon.tenon_plugin_load(str(path))
    names = tenon.introspect.operators("test_python_threads")
    assert names
    tenon._tenon.tenon_plugin_unload(handle, -1)
    assert tenon.introspect.operators("test_python_threads") == []
    (tmp_path / "not_a_plugin.so").write_text("text")
    with pytest.raises(tenon.Error, match=r"not_a_plugin\.so"):
        tenon.ops.load_library(tmp_path / "not_a_plugin.so")


@same(140, "Packets, overloads, `default`, what is missing, and dir()")
def test_item_140_lookup(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    library.define("f.a(Tensor x) -> Tensor")
    library.define("f(int x) -> int")
    packet = getattr(getattr(peer.ops, ns), "f")
    assert packet.overloads() == ["a", "default"]
    assert packet.a is packet.a and packet.default.name() == f"{ns}::f"
    assert packet.a.name() == f"{ns}::f.a"
    assert "f" in dir(getattr(peer.ops, ns))
    with pytest.raises(AttributeError, match="nope"):
        getattr(peer.ops, ns).nope  # noqa: B018
    with pytest.raises(AttributeError, match="nope"):
        packet.nope  # noqa: B018


@better(
    141,
    "An overload that is defined after its packet was cached",
    "is visible at once, from every language; PyTorch's packet is refreshed by torch.library only",
)
def test_item_141_later_overload(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    library.define("f(Tensor x) -> Tensor")
    packet = getattr(getattr(peer.ops, ns), "f")
    assert packet.overloads() == ["default"]
    library.define("f.later(Tensor x, int n) -> Tensor")
    assert packet.later.name() == f"{ns}::f.later"
    assert sorted(packet.overloads()) == ["default", "later"]


@better(
    142,
    "A cached operator whose library is gone",
    "is a clean error, and works again once it is defined again; PyTorch guards its Python caches",
)
def test_item_142_cached_operator(ns):
    first = tenon.library.Library(ns, "FRAGMENT")
    first.define("f(Tensor x) -> str")
    first.impl("f", lambda x: "first", "CPU")
    cached, tensor = getattr(tenon.ops, ns).f.default, tenon.ones(1)
    assert cached(tensor) == "first"
    first._destroy()
    with pytest.raises(LookupError, match=f"{ns}::f"):
        cached(tensor)
    assert not hasattr(getattr(tenon.ops, ns), "f")
    with tenon.library.Library(ns, "FRAGMENT") as second:
        second.define("f(Tensor x) -> str")
        second.impl("f", lambda x: "second", "CPU")
        assert cached(tensor) == "second"


@same(143, "A packet calls the first overload that fits, and lists every misfit when none does")
def test_item_143_overload_resolution(peer, ns, opened):
    library = opened(ns, "FRAGMENT")
    for name, kind in (("tensor", "Tensor"), ("int", "int"), ("wide", "Scalar")):
        library.define(f"f.{name}({kind} x) -> str")
        library.impl(f"f.{name}", lambda x, name=name: name, "CompositeExplicitAutograd")
    packet = getattr(getattr(peer.ops, ns), "f")
    assert [packet(peer.tensor()), packet(3), packet(2.5)] == ["tensor", "int", "wide"]
    with pytest.raises((TypeError, RuntimeError)) as caught:
        packet("text")
    assert all(f"{ns}::f.{name}" in str(caught.value) for name in ("tensor", "int", "wide"))


@not_applicable(
    144,
    "Selective builds compile operators or keys out of registration blocks",
    "nothing registers when a library is loaded: a plugin's load function decides, and what it "
    "does not register is simply not there",
)
def test_item_144_selective_registration():
    before = tenon.introspect.operators()
    assert not any(name.startswith("test_python_threads::") for name in before)
    import ctypes

    ctypes.CDLL(str(plugin()))  # loading the library without Tenon registers nothing
    assert tenon.introspect.operators() == before


@same(145, "A process exits cleanly with registrations, operators and tensors alive")
def test_item_145_exit(peer):
    module = "torch" if peer.is_torch else "tenon"
    script = (
        f"import {module} as m, {module}.library\n"
        "lib = m.library.Library('alive', 'DEF')\n"
        "lib.define('f(Tensor x) -> Tensor')\n"
        "lib.impl('f', lambda x: x, 'CPU')\n"
        "kept = m.ops.alive.f(m.ones(2))\n"
        "lib.cycle = [lib, kept]\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@better(
    146,
    "Threads register and remove while others call",
    "is defined: each call runs one whole state; PyTorch reads its tables without synchronisation",
)
def test_item_146_register_while_calling(ns):
    library = tenon.library.Library(ns, "FRAGMENT")
    library.define("f(Tensor x) -> int")
    library.impl("f", lambda x: -1, "CPU")
    call, tensor = getattr(tenon.ops, ns).f.default, tenon.ones(1)
    done, seen, failed = threading.Event(), set(), []

    def calls():
        try:
            while not done.is_set():
                seen.add(call(tensor))
        except BaseException as error:
            failed.append(error)

    def layers(number):
        try:
            for _ in range(60):
                with tenon.library.Library(ns, "IMPL", "CPU") as layer:
                    layer.impl("f", lambda x: number, allow_override=True)
        except BaseException as error:
            failed.append(error)

    callers = [threading.Thread(target=calls) for _ in range(2)]
    writers = [threading.Thread(target=layers, args=(number,)) for number in range(3)]
    for thread in (*callers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in callers:
        thread.join()
    assert not failed and seen <= {-1, 0, 1, 2} and call(tensor) == -1
    tenon.introspect.invariants(f"{ns}::f")
    library._destroy()


@better(
    147,
    "A library that closes while its kernel runs",
    "lets the kernel finish and refuses new calls; PyTorch leaves this undefined",
)
def test_item_147_close_while_running(ns):
    library = tenon.library.Library(ns, "FRAGMENT")
    library.define("f(Tensor x) -> str")
    inside, go_on, results = threading.Event(), threading.Event(), []

    def kernel(x):
        inside.set()
        assert go_on.wait(60)
        return "finished"

    library.impl("f", kernel, "CPU")
    call, tensor = getattr(tenon.ops, ns).f.default, tenon.ones(1)
    thread = threading.Thread(target=lambda: results.append(call(tensor)))
    thread.start()
    assert inside.wait(60)
    library._destroy()
    with pytest.raises(LookupError, match=f"{ns}::f"):
        call(tensor)
    go_on.set()
    thread.join()
    assert results == ["finished"]
