# SPDX-License-Identifier: Apache-2.0
"""Libraries: kinds, definitions, kernels, fallbacks, lifetimes and the errors of each."""

from __future__ import annotations

import gc
import weakref

import pytest
import tenon
from tenon.library import Library, define, fallthrough_kernel, impl


def test_second_def_names_the_first(ns):
    with Library(ns, "DEF"), pytest.raises(RuntimeError, match="test_library.py"):
        Library(ns, "DEF")
    Library(ns, "DEF")._destroy()


def test_fragment_with_and_without_def(ns):
    with Library(ns, "FRAGMENT") as fragment:
        fragment.define("a(int x) -> int")
        with Library(ns, "DEF") as owner:
            owner.define("b(int x) -> int")
            assert tenon.introspect.operators(ns) == [f"{ns}::a", f"{ns}::b"]


def test_unknown_kind_and_reserved_namespace():
    with pytest.raises(ValueError, match="kind must be"):
        Library("x", "NONE")
    for kind in ("DEF", "FRAGMENT"):
        with pytest.raises(ValueError, match="reserved"):
            Library("prim", kind)
    with pytest.raises(ValueError, match="reserved"):
        Library("aten", "DEF")
    Library("prim", "IMPL")._destroy()


def test_define_returns_the_name(library):
    assert library.define("a.b(int x) -> int") == "a.b"
    assert library.define("c(int x) -> int", tags=("pointwise", "core")) == "c"
    assert getattr(tenon.ops, library.ns).c.default.tags == ["pointwise", "core"]


def test_define_errors(library):
    library.define("a(int x) -> int")
    with pytest.raises(RuntimeError, match="test_library.py"):
        library.define("a(int x) -> int")
    with pytest.raises(ValueError, match="alias_analysis"):
        library.define("b(int x) -> int", "WRONG")
    with pytest.raises(ValueError, match=library.ns):
        library.define("other::b(int x) -> int")
    with pytest.raises(ValueError):
        library.define("b(Tensr x) -> int")
    with pytest.raises(TypeError, match="schema must be str"):
        library.define(3)
    with Library(library.ns, "IMPL") as other, pytest.raises(ValueError, match="IMPL"):
        other.define("b(int x) -> int")
    assert tenon.introspect.operators(library.ns) == [f"{library.ns}::a"]


def test_impl_as_call_and_decorator(library, ops):
    library.define("a(Tensor x) -> str")
    library.define("b(Tensor x) -> str")
    library.impl("a", lambda x: "call", "CPU")

    @library.impl("b", dispatch_key="CPU")
    def kernel(x):
        return "decorated"

    t = tenon.ones(1)
    assert (ops.a(t), ops.b(t), kernel(t)) == ("call", "decorated", "decorated")


def test_impl_takes_an_overload_object_and_full_names(library, ops):
    library.define("a.x(Tensor x) -> str")
    library.impl(ops.a.x, lambda x: "cpu", "CPU")
    library.impl(f"{library.ns}::a.x", lambda x: "meta", "Meta")
    assert ops.a(tenon.ones(1)) == "cpu"
    assert ops.a(tenon.empty(1, device="meta")) == "meta"


def test_impl_errors(library, ops):
    library.define("a(Tensor x) -> Tensor")
    with pytest.raises(TypeError, match="callable"):
        library.impl("a", 3, "CPU")
    with pytest.raises(LookupError, match="Nope"):
        library.impl("a", lambda x: x, "Nope")
    with pytest.raises(ValueError, match="other"):
        library.impl("other::a", lambda x: x, "CPU")
    library.impl("a", lambda x: x, "CPU")
    with pytest.raises(RuntimeError, match="allow_override"):
        library.impl("a", lambda x: x, "CPU")
    with Library(library.ns, "IMPL", "CPU") as other:
        with pytest.raises(RuntimeError, match="allow_override"):
            other.impl("a", lambda x: x)
        with pytest.raises(ValueError, match="CPU"):
            other.impl("a", lambda x: x, "Meta")


def test_override_stacks_and_is_removed(library, ops):
    library.define("a(Tensor x) -> str")
    library.impl("a", lambda x: "first", "CPU")
    t = tenon.ones(1)
    with Library(library.ns, "IMPL", "CPU") as other:
        other.impl("a", lambda x: "second", allow_override=True)
        assert ops.a(t) == "second"
    assert ops.a(t) == "first"


def test_meta_kernel_is_refused_with_composite_implicit(library):
    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: x, "CompositeImplicitAutograd")
    with pytest.raises(ValueError, match="Meta"):
        library.impl("a", lambda x: x, "Meta")


def test_fallthrough_kernel(library, ops):
    library.define("a(Tensor x) -> str")
    library.impl("a", lambda x: "cpu", "CPU")
    library.impl("a", lambda x: "autograd", "AutogradCPU")
    t = tenon.ones(1)
    assert ops.a(t) == "autograd"
    with Library(library.ns, "IMPL") as other:
        other.impl("a", fallthrough_kernel, "AutogradCPU", allow_override=True)
        assert ops.a(t) == "cpu"
    with pytest.raises(NotImplementedError):
        fallthrough_kernel()


def test_kernels_per_key(library, ops):
    library.define("a(Tensor x) -> str")
    library.impl("a", lambda x: "composite", "CompositeExplicitAutograd")
    library.impl("a", lambda x: "cpu", "CPU")
    assert ops.a(tenon.ones(1)) == "cpu"
    assert ops.a(tenon.empty(1, device="meta")) == "composite"


def test_fallback_sees_the_operator(library, ops):
    library.define("a(Tensor x, int n=1, *, str s='x') -> str")
    seen = []

    def fallback(op, *args, **kwargs):
        seen.append((op.name(), len(args), kwargs))
        with tenon.library.ExcludeDispatchKeyGuard("Tracer"):
            return "fallback>" + op(*args, **kwargs)

    library.impl("a", lambda x, n=1, *, s="x": f"cpu{n}{s}", "CPU")
    t = tenon.ones(1)
    with tenon.library._scoped_library("_", "IMPL") as wild:
        wild.fallback(fallback, "Tracer")
        with tenon.library.IncludeDispatchKeyGuard("Tracer"):
            assert ops.a(t, 2, s="y") == "fallback>cpu2y"
            assert seen == [(f"{library.ns}::a", 2, {"s": "y"})]
            assert ops.a(x=t) == "fallback>cpu1x"
            assert seen[1][1:] == (1, {})
    with tenon.library.IncludeDispatchKeyGuard("Tracer"):
        assert ops.a(t) == "cpu1x", "the fallback went with its library"


def test_fallback_with_keyset_and_errors(library, ops):
    library.define("a(*, Device device) -> str")
    tenon.device("meta")
    with tenon.library._scoped_library("_", "IMPL") as wild:
        wild.fallback(
            lambda keys, op, **kw: f"{keys.highest()} {op.name()}", "CPU", with_keyset=True
        )
        assert ops.a(device="cpu") == f"CPU {library.ns}::a"
        with pytest.raises(RuntimeError, match="fallback"):
            wild.fallback(lambda op, *a: None, "CPU")
        with pytest.raises(TypeError, match="callable"):
            wild.fallback(3, "Meta")
        with pytest.raises(ValueError):
            library.fallback(lambda op, *a: None, "Meta")


def test_module_level_define_and_impl(ns):
    with Library(ns, "FRAGMENT") as lib:
        define(f"{ns}::a", "(Tensor x) -> str", lib=lib, tags="core")

        @impl(f"{ns}::a", "cpu", lib=lib)
        def kernel(x):
            return "cpu"

        impl(f"{ns}::a", "default", lambda x: "default", lib=lib)
        op = getattr(tenon.ops, ns).a
        assert op(tenon.ones(1)) == "cpu"
        assert op(tenon.empty(1, device="meta")) == "default"
        assert op.default.tags == ["core"]


def test_module_level_legacy_forms(ns):
    with Library(ns, "DEF") as lib:

        @define(lib, "a(Tensor x) -> str")
        def composite(x):
            return "composite"

        @impl(lib, "a", "CPU")
        def kernel(x):
            return "cpu"

        assert getattr(tenon.ops, ns).a(tenon.ones(1)) == "cpu"


def test_module_level_errors(ns):
    for name in ("noname", "a::b::c", "::b"):
        with pytest.raises(ValueError, match="namespace::name"):
            define(name, "(Tensor x) -> Tensor")
    for schema in ("a(Tensor x) -> Tensor", "Tensor", 3):
        with pytest.raises(ValueError, match="must look like"):
            define(f"{ns}::a", schema)
    with pytest.raises(LookupError, match="cpu"):
        impl(f"{ns}::a", "quantum", lambda x: x)


def test_closed_library(ns):
    library = Library(ns, "DEF")
    library._destroy()
    library._destroy()
    with pytest.raises(RuntimeError, match="open"):
        library.define("a(int x) -> int")
    with pytest.raises(RuntimeError, match="open"):
        library.impl("a", lambda x: x, "CPU")
    assert "closed" in repr(library)


def test_library_closes_with_its_object(ns):
    library = Library(ns, "DEF")
    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: x, "CPU")
    del library
    gc.collect()
    assert tenon.introspect.operators(ns) == []


def test_kernel_that_refers_to_its_library_is_collected(ns):
    class Holder:
        pass

    def make():
        holder = Holder()
        holder.library = Library(ns, "DEF")
        holder.library.define("a(Tensor x) -> Tensor")
        holder.library.impl("a", lambda x: (holder, x)[1], "CPU")
        t = tenon.ones(1)
        assert getattr(tenon.ops, ns).a(t) is t
        return weakref.ref(holder)

    ref = make()
    gc.collect()
    tenon.introspect.live_handles()
    assert ref() is None
    assert tenon.introspect.operators(ns) == []


def test_kernel_that_closes_its_own_library(ns):
    library = Library(ns, "DEF")
    library.define("a(Tensor x) -> Tensor")

    def kernel(x):
        library._destroy()
        return x

    library.impl("a", kernel, "CPU")
    op = getattr(tenon.ops, ns).a.default
    t = tenon.ones(1)
    assert op(t) is t
    with pytest.raises(LookupError):
        op(t)


def test_kernel_functions_are_released_once(ns):
    class Kernel:
        def __call__(self, x):
            return x

    kernel = Kernel()
    ref = weakref.ref(kernel)
    with Library(ns, "DEF") as library:
        library.define("a(Tensor x) -> Tensor")
        library.impl("a", kernel, "CPU")
        with pytest.raises(ValueError):
            library.impl("b::c", kernel, "CPU")
        del kernel
        assert ref() is not None
    tenon.introspect.live_handles()
    assert ref() is None


def test_aten_operators_are_overridden_and_restored():
    t = tenon.ones(2)
    with Library("aten", "IMPL", "CPU") as library:
        library.impl("neg", lambda x: x * 10)
        assert (-t).tolist() == [10.0, 10.0] and tenon.neg(t).tolist() == [10.0, 10.0]
    assert (-t).tolist() == [-1.0, -1.0]
    with Library("aten", "FRAGMENT") as library:
        library.define("only_here(Tensor self) -> Tensor")
        library.impl("only_here", lambda x: x + 1, "CompositeImplicitAutograd")
        assert tenon.ops.aten.only_here(t).tolist() == [2.0, 2.0]
    assert not hasattr(tenon.ops.aten, "only_here")


# ---- Kernels below others ------------------------------------------------------------------------


def test_a_kernel_calls_the_one_that_it_replaced(library, ops):
    library.define("f(Tensor x, int n=1, *, str how='a') -> str")
    library.impl("f", lambda x, n=1, how="a": f"first {n} {how}", "CPU")
    x = tenon.ones(2)
    with Library(library.ns, "IMPL") as second:

        def newer(keyset, x, n=1, how="a"):
            return "newer " + registration.call_older(keyset, x, n + 1, how=how)

        registration = second.impl("f", newer, "CPU", with_keyset=True, allow_override=True)
        assert repr(registration) == f"Registration({library.ns}::f, CPU)"
        assert ops.f(x) == "newer first 2 a" and ops.f(x, 5, how="b") == "newer first 6 b"
        with tenon.introspect.profile(None) as calls:
            assert ops.f(x) == "newer first 2 a"
        assert [event.depth for event in calls] == [0, 1]
    assert ops.f(x) == "first 1 a"
    with pytest.raises(RuntimeError, match=r"::f: registration must not have been removed"):
        registration.call_older(tenon.library.DispatchKeySet("CPU"), x)


def test_a_python_kernel_overrides_one_of_another_language():
    with Library("aten", "IMPL") as library:

        def doubled(keyset, self):
            return registration.call_older(keyset, self) * 2

        registration = library.impl("sin", doubled, "CPU", with_keyset=True)
        x = tenon.tensor([0.5])
        got = x.sin().item()
    assert got == pytest.approx(2 * x.sin().item())


def test_calls_of_older_kernels_are_checked(library, ops):
    library.define("f(Tensor x, int n) -> int")
    keys = tenon.library.DispatchKeySet("CPU")
    alone = library.impl("f", lambda x, n: n, "CPU")
    x = tenon.ones(2)
    with pytest.raises(
        NotImplementedError, match="CPU must have a kernel that was registered before this one"
    ):
        alone.call_older(keys, x, 1)
    with pytest.raises(TypeError, match="f: n must be int, got str at position 1"):
        alone.call_older(keys, x, "a")
    with pytest.raises(TypeError, match="keyset must be DispatchKeySet, got tenon.Tensor"):
        alone.call_older(x, 1)
    error = KeyError("from below")

    def fails(x, n):
        raise error

    library.impl("f", fails, "Meta")
    upper = library.impl("f", lambda x, n: n, "Meta", allow_override=True)
    with pytest.raises(KeyError) as caught:
        upper.call_older(tenon.library.DispatchKeySet("Meta"), x, 1)
    assert caught.value is error
    error.__traceback__ = None


def test_misspelt_names_get_near_ones(library, ops):
    library.define("rotate(Tensor x) -> Tensor")
    library.impl("rotaet", lambda x: x, "CPU")
    with pytest.raises(LookupError, match=rf"did you mean {library.ns}::rotate\?"):
        tenon.find_op(f"{library.ns}::rotaet")
    assert f"did you mean {library.ns}::rotate?" in tenon.introspect.dump(f"{library.ns}::rotaet")
    with pytest.raises(LookupError, match=r"did you mean CPU\?"):
        library.impl("rotate", lambda x: x, "CPUU")
    with pytest.raises(TypeError, match=r"got 'axes'; did you mean axis\?"):
        library.define("turn(Tensor x, int axis) -> ()")
        ops.turn(tenon.ones(1), axes=1)


def test_a_tag_allows_numbers_for_tensors(library, ops):
    library.define("plus(Tensor x, Tensor y) -> Tensor", tags="allow_numbers_as_tensors")
    library.define("only(Tensor x, Tensor y) -> Tensor", tags="allow_numbers")
    for name in ("plus", "only"):
        library.impl(name, lambda x, y: x + y, "CPU")
    x = tenon.tensor([1, 2])
    assert ops.plus(x, 3).tolist() == [4, 5] and ops.plus(y=0.5, x=x).dtype is tenon.float32
    with pytest.raises(tenon.ArgumentTypeError, match="y must be Tensor, got int"):
        ops.only(x, 3)
