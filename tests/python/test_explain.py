# SPDX-License-Identifier: Apache-2.0
"""`explain` prints the keys and kernels that a profile of the call records, in the same order."""

from __future__ import annotations

import contextlib
import re

import pytest
import tenon
from tenon import graph, introspect, overrides
from tenon.fake import FakeTensorMode
from tenon.library import ExcludeDispatchKeyGuard, IncludeDispatchKeyGuard, fallthrough_kernel
from tenon.utils._python_dispatch import TorchDispatchMode


ONE = tenon.ones(1)  # made once, so that kernels call no operator


def told(text: str) -> list[tuple[str, str]]:
    """Parses the keys and kernels out of an explanation."""
    steps = re.findall(
        r"^  (?:the highest key is (\w+)|below it, (\w+)|no key is left .*?): (\S+) .*\[",
        text,
        re.M,
    )
    return [(highest or below or "Undefined", kernel) for highest, below, kernel in steps]


def taken(events: introspect.profile) -> list[tuple[str, str]]:
    """Lists the keys and kernels of a recorded call, without Python's function handlers."""
    return [(event.key, event.kernel) for event in events if event.key != "__torch_function__"]


def explained(op, *args, **kwargs) -> tuple[str, list, list]:
    """Returns the explanation, and the keys and kernels in it and in the call."""
    text = introspect.explain(op, *args, **kwargs)
    with introspect.profile(None) as events, contextlib.suppress(tenon.Error):
        op(*args, **kwargs)
    return text, told(text), taken(events)


def agreed(op, *args, **kwargs) -> str:
    """Asserts that the explanation agrees with the whole call, and returns it."""
    text, words, calls = explained(op, *args, **kwargs)
    assert words == calls, text
    assert words, text
    return text


class Override:
    """A handler that takes its own objects out of the arguments and calls again."""

    @classmethod
    def __torch_function__(cls, op, types, args, kwargs):
        def plain(value):
            if isinstance(value, list):
                return [plain(each) for each in value]
            return ONE if isinstance(value, cls) else value

        return op(*map(plain, args), **kwargs)


class Derived(Override):
    pass


class Wrapped(tenon.Tensor):
    """A wrapper that unwraps its arguments, calls and wraps the result."""

    @classmethod
    def wrap(cls, inner):
        self = overrides.wrapper(cls, inner.shape, dtype=inner.dtype)
        self.inner = inner
        return self

    @classmethod
    def __torch_dispatch__(cls, op, types, args, kwargs):
        result = op(*(a.inner if isinstance(a, cls) else a for a in args), **kwargs)
        return cls.wrap(result)


class Watching(overrides.TorchFunctionMode):
    pass


class WatchingBelow(TorchDispatchMode):
    pass


@pytest.fixture
def f(library, ops):
    """An operator with a CPU kernel and a kernel above it that redispatches."""
    library.define("f(Tensor x, Tensor? y=None, *, int n=1) -> Tensor")
    library.impl("f", lambda x, y=None, *, n=1: ONE, "CPU")

    def front(keys, x, y=None, *, n=1):
        return ops.f.default.redispatch(keys.below("AutogradCPU"), x, y, n=n)

    library.impl("f", front, "Autograd", with_keyset=True)
    return ops.f.default


def test_tensors_and_keyword_only_arguments(f):
    text = agreed(f, tenon.ones(1), n=3)
    assert [key for key, _ in told(text)] == ["AutogradCPU", "CPU"]
    assert "nothing is below CPU" in text
    agreed(f, tenon.ones(1), tenon.empty(1), n=3)
    with pytest.raises(TypeError, match="::f: n must be int"):
        introspect.explain(f, tenon.ones(1), n="three")


def test_guards_and_fallthroughs(library, f):
    with ExcludeDispatchKeyGuard("Autograd"):
        text = agreed(f, tenon.ones(1))
        assert [key for key, _ in told(text)] == ["CPU"]
        assert "excludes {" in text and "AutogradCPU" in text
    library.impl("f", fallthrough_kernel, "AutogradCPU")
    text = agreed(f, tenon.ones(1))
    assert " AutogradCPU, ADInplaceOrView, " in text and ", which fall through\n" in text

    def tracer(keys, *args, **kwargs):
        return f.redispatch(keys.below("Tracer"), *args, **kwargs)

    library.impl("f", tracer, "Tracer", with_keyset=True)
    with IncludeDispatchKeyGuard("Tracer"):
        text = agreed(f, tenon.ones(1))
        assert [key for key, _ in told(text)] == ["Tracer", "CPU"]


def test_tensor_lists(library, ops):
    library.define("l(Tensor[] x, Tensor?[] y) -> Tensor")
    library.impl("l", lambda x, y: ONE, "CPU")
    library.impl("l", lambda x, y: ONE, "Meta")
    meta = tenon.empty(1, device="meta")
    assert told(agreed(ops.l.default, [tenon.ones(1)] * 2, [None]))[0][0] == "CPU"
    text = agreed(ops.l.default, [tenon.ones(1)], [None, meta])
    assert told(text)[0][0] == "Meta" and "y[1] has" in text and "y[0]" not in text


def test_operators_without_tensors(library, ops):
    library.define("make(int n, *, Device? device=None) -> Tensor")
    for key in ("CPU", "Meta"):
        library.impl("make", lambda n, *, device=None: ONE, key)
    assert told(agreed(ops.make.default, 1))[0][0] == "CPU"
    assert told(agreed(ops.make.default, 1, device="meta"))[0][0] == "Meta"
    library.define("count(Tensor[] x) -> int")
    library.impl("count", len, "CompositeExplicitAutograd")
    text, words, calls = explained(ops.count.default, [])
    assert words == calls and words[0][0] == "Undefined", text
    assert "no key is left (no tensor brings one)" in text


def test_missing_kernels(library, ops, f):
    text, words, calls = explained(f, tenon.empty(1, device="meta"))
    assert words == [("AutogradMeta", calls[0][1])] == calls, text
    assert "below it, Meta has no kernel: redispatching there fails" in text
    library.define("g(Tensor x) -> Tensor")
    text, words, calls = explained(ops.g.default, tenon.ones(1))
    assert words == calls == [] and "which has no kernel: the call fails" in text


def test_composites_end_the_way(library, ops):
    library.define("c(Tensor x) -> Tensor")
    library.impl("c", lambda x: tenon.ones(1).relu(), "CompositeImplicitAutograd")
    text, words, calls = explained(ops.c.default, tenon.ones(1))
    assert words == calls[:1] and "it is a composite kernel: it calls other operators" in text


def test_objects_that_override(f):
    text, words, calls = explained(f, Override(), Derived())
    assert words == [("Override", "run_overrides")]
    # A call from Python runs handlers before it is dispatched.
    assert [key for key, _ in calls] == ["AutogradCPU", "CPU"], "the handlers went on"
    assert re.search(r"accepts the call: the types \S*Derived, \S*Override\n", text)
    assert "to continue, a handler calls the operator again with other arguments" in text
    with ExcludeDispatchKeyGuard("Override"):
        text, words, calls = explained(f, Override())
    assert words == calls == [] and "Override is excluded or falls through" in text


def test_lists_with_objects(library, ops):
    library.define("l(Tensor[] x) -> Tensor")
    library.impl("l", lambda x: x[0], "CPU")
    text, words, calls = explained(ops.l.default, [tenon.ones(1), Override()])
    assert words == [("Override", "run_overrides")], text
    assert [key for key, _ in calls] == ["CPU"], "the handler went on"
    assert re.search(r"x\[1\], a carrier of an object of \S*Override, has \{Override\}", text)


def test_wrapper_tensors(f):
    text, words, calls = explained(f, Wrapped.wrap(tenon.ones(1)))
    assert [key for key, _ in words] == ["AutogradCPU", "Wrapper"], text
    assert words == calls[:2] and calls[-1][0] == "CPU"
    assert re.search(r"  x, a wrapper tensor of \S*Wrapped, has \{AutocastCPU, ", text)
    assert "to continue, a handler calls the operator again with other arguments" in text


def handlers(function, *args):
    with introspect.profile(None) as events:
        function(*args)
    return [(event.key, event.handler.rpartition(".")[2]) for event in events if event.handler]


def test_profiles_show_whose_handler_runs(f):
    x = tenon.ones(1)
    assert handlers(f, x) == []
    assert handlers(f, Wrapped.wrap(x)) == [("Wrapper", "Wrapped (Python)")]
    with WatchingBelow():
        assert handlers(f, x) == [("Wrapper", "WatchingBelow (Python)")]
        with introspect.profile(None) as events:
            f(x)
    assert any("run_wrappers (C++) for" in str(event) for event in events)
    with graph.Recording():
        assert handlers(f, x) == [("Wrapper", "GraphRecording (C++)")]
    with Watching():
        assert handlers(f, x) == [("__torch_function__", "Watching (Python)")]


def test_an_operator_without_fake_kernel_is_told(library, ops):
    library.define("unfaked(Tensor x) -> Tensor")
    library.impl("unfaked", lambda x: x, "CPU")
    with FakeTensorMode():
        text = introspect.explain(ops.unfaked.default, tenon.ones(1))
    assert "has no fake, Meta or composite kernel: the call fails" in text


def test_modes(f):
    x = tenon.ones(1)
    with Watching():
        text, words, calls = explained(f, x)
        assert words == [("Override", "run_overrides"), *calls]
        assert [key for key, _ in calls] == ["AutogradCPU", "CPU"]
        assert re.search(r"accepts the call: the modes \S*Watching\n", text)
    with WatchingBelow():
        text = agreed(f, tenon.ones(1))
        assert [key for key, _ in told(text)] == ["AutogradCPU", "Wrapper", "CPU"]
    with Watching(), WatchingBelow():
        _, words, calls = explained(f, x)
        assert words[1:] == calls


def test_operators_that_ship():
    x = tenon.ones(2)
    agreed(tenon.ops.aten.add.Tensor, x, x, alpha=2)
    agreed(tenon.ops.aten.add_.Tensor, x, x)
    agreed(tenon.ops.aten.ones.default, [2])
    agreed(tenon.ops.aten.cat.default, [x, x])
