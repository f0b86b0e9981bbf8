# SPDX-License-Identifier: Apache-2.0
"""Key sets, guards on the thread's keys, and contexts."""

from __future__ import annotations

import threading

import pytest
import tenon
from tenon.autograd.forward_ad import dual_level
from tenon.autograd.graph import save_on_cpu, saved_tensors_hooks
from tenon.error import StateError
from tenon.library import (
    DispatchKeySet,
    ExcludeDispatchKeyGuard,
    ForceDispatchKeyGuard,
    IncludeDispatchKeyGuard,
    excluded_keys,
    included_keys,
)


def test_key_set_algebra():
    cpu = DispatchKeySet("CPU")
    both = cpu | DispatchKeySet("AutogradCPU")
    assert both.has("CPU") and "AutogradCPU" in both and not cpu.has("AutogradCPU")
    assert both.highest() == "AutogradCPU" and DispatchKeySet().highest() == "Undefined"
    assert both.remove("AutogradCPU").highest() == "CPU"
    assert both.below("AutogradCPU").highest() == "CPU"
    assert (both & cpu) == cpu and (both - DispatchKeySet("Autograd")).highest() == "CPU"
    assert DispatchKeySet("CPU", "AutogradCPU") == both == cpu.add("AutogradCPU")
    assert repr(both) == "DispatchKeySet({AutogradCPU, CPU})"
    with pytest.raises(LookupError, match="Nope"):
        DispatchKeySet("Nope")
    with pytest.raises(ValueError):
        DispatchKeySet("CompositeImplicitAutograd")


def test_guards_nest_and_restore():
    include, exclude = included_keys(), excluded_keys()
    with IncludeDispatchKeyGuard("Tracer"):
        assert included_keys().has("Tracer")
        with ExcludeDispatchKeyGuard("Tracer", "AutogradCPU"):
            assert excluded_keys().has("Tracer")
            with IncludeDispatchKeyGuard("Tracer"):
                pass
            assert excluded_keys().has("Tracer") and included_keys().has("Tracer")
        assert excluded_keys() == exclude
    assert (included_keys(), excluded_keys()) == (include, exclude)


def test_force_replaces_both():
    before = included_keys(), excluded_keys()
    with ForceDispatchKeyGuard("Tracer", exclude=["Autograd"]):
        assert included_keys() == DispatchKeySet("Tracer")
        assert excluded_keys() == DispatchKeySet("Autograd")
    assert (included_keys(), excluded_keys()) == before


def test_exclude_changes_dispatch(library, ops):
    library.define("a(Tensor x) -> str")
    library.impl("a", lambda x: "cpu", "CPU")
    library.impl("a", lambda x: "autograd", "AutogradCPU")
    t = tenon.ones(1)
    assert ops.a(t) == "autograd"
    with ExcludeDispatchKeyGuard("AutogradCPU"):
        assert ops.a(t) == "cpu"
    assert ops.a(t) == "autograd"


def test_guards_restore_after_an_exception():
    before = included_keys()
    with pytest.raises(KeyError), IncludeDispatchKeyGuard("Tracer"):
        raise KeyError
    assert included_keys() == before


def test_guards_belong_to_their_thread():
    seen = []
    with IncludeDispatchKeyGuard("Tracer"):
        thread = threading.Thread(target=lambda: seen.append(included_keys().has("Tracer")))
        thread.start()
        thread.join()
    assert seen == [False]


def test_guard_misuse():
    guard = IncludeDispatchKeyGuard("Tracer")
    with pytest.raises(RuntimeError, match="KeyGuard"):
        guard.__exit__(None, None, None)
    with guard:
        with pytest.raises(RuntimeError, match="once"):
            guard.__enter__()
        inner = ExcludeDispatchKeyGuard("Tracer")
        inner.__enter__()
        with pytest.raises(RuntimeError, match="must be the innermost of its thread"):
            guard.__exit__(None, None, None)
        inner.__exit__(None, None, None)
    failures = []
    with guard:

        def leave():
            try:
                guard.__exit__(None, None, None)
            except RuntimeError as failure:
                failures.append(str(failure))

        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
    assert len(failures) == 1 and "thread" in failures[0]


def test_thread_state_travels():
    seen = []
    with IncludeDispatchKeyGuard("Tracer"):
        state = tenon._tenon.tenon_thread_state_capture()

    def run():
        previous = tenon._tenon.tenon_thread_state_enter(state)
        seen.append(included_keys().has("Tracer"))
        tenon._tenon.tenon_thread_state_leave(previous)
        seen.append(included_keys().has("Tracer"))
        try:
            tenon._tenon.tenon_thread_state_leave(previous)
        except RuntimeError as failure:
            seen.append("closed" in str(failure))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [True, False, True]


# ---- Contexts that are left too often ------------------------------------------------------------


class PassingMode(tenon.overrides.TorchFunctionMode):
    pass


CONTEXTS = {
    "no_grad": tenon.no_grad,
    "enable_grad": tenon.enable_grad,
    "inference_mode": tenon.inference_mode,
    "autocast": lambda: tenon.autocast("cpu", dtype=tenon.bfloat16),
    "FakeTensorMode": tenon.FakeTensorMode,
    "Recording": tenon.graph.Recording,
    "saved_tensors_hooks": lambda: saved_tensors_hooks(lambda x: x, lambda x: x),
    "save_on_cpu": save_on_cpu,
    "TorchFunctionMode": PassingMode,
    "DisableTorchFunctionSubclass": tenon.overrides.DisableTorchFunctionSubclass,
    "DisableTorchFunction": tenon.overrides.DisableTorchFunction,
    "dual_level": dual_level,
    "device": lambda: tenon.device("cpu"),
    "profile": lambda: tenon.introspect.profile(file=None),
}


@pytest.mark.parametrize("is_entered", [False, True])
@pytest.mark.parametrize("name", CONTEXTS)
def test_leaving_a_context_once_too_often_is_refused(name, is_entered):
    context = CONTEXTS[name]()
    if is_entered:
        with context:
            pass
    with pytest.raises(StateError):
        context.__exit__(None, None, None)
    with context:
        pass
