# SPDX-License-Identifier: Apache-2.0
"""One object per tensor: identity, attributes kept in C, weak references and collection."""

from __future__ import annotations

import gc
import weakref

import pytest
import tenon


def hold_in_c(tensor):
    """Returns a capsule that owns the tensor in C, so that no Python code refers to the object."""
    return tensor.__dlpack__(max_version=(1, 0))


def owner_of(capsule):
    return tenon.from_dlpack(capsule)


def test_results_that_are_arguments_are_the_same_object(library, ops):
    library.define("a(Tensor x) -> (Tensor, Tensor)")
    library.impl("a", lambda keys, x: (x, x), "CPU", with_keyset=True)
    t = tenon.ones(1)
    first, second = ops.a(t)
    assert first is t and second is t


def test_state_waits_while_c_holds_the_tensor():
    class Mine(tenon.Tensor):
        pass

    for make in (lambda: tenon.ones(2), lambda: tenon.ones(2).as_subclass(Mine)):
        t = make()
        t.note = ["state"]
        kind, ref = type(t), weakref.ref(t)
        capsule = hold_in_c(t)
        identity = id(t)
        del t
        gc.collect()
        assert ref() is not None, "C holds the tensor: the object waits in its cell"
        back = ref()
        assert id(back) == identity and type(back) is kind and back.note == ["state"]
        assert back.tolist() == [1.0, 1.0]
        del back
        gc.collect()
        assert ref() is not None
        del capsule
        gc.collect()
        tenon.introspect.live_handles()
        assert ref() is None


def test_stateless_objects_do_not_wait():
    t = tenon.ones(2)
    capsule = hold_in_c(t)
    del t
    back = owner_of(capsule)
    assert back.tolist() == [1.0, 1.0]


def test_resurrection_many_times():
    t = tenon.ones(2)
    t.count = 0
    ref = weakref.ref(t)
    capsules = [hold_in_c(t)]
    del t
    for _ in range(1000):
        t = ref()
        t.count += 1
        del t
    assert ref().count == 1000
    capsules.clear()
    tenon.introspect.live_handles()
    assert ref() is None


def test_cycle_through_attributes_is_collected():
    t = tenon.ones(2)
    t.self = t
    ref = weakref.ref(t)
    del t
    gc.collect()
    assert ref() is None


def test_cycle_is_kept_while_c_holds_the_tensor():
    t = tenon.ones(2)
    t.self = t
    t.note = "kept"
    ref = weakref.ref(t)
    capsule = hold_in_c(t)
    del t
    gc.collect()
    assert ref() is not None and ref().note == "kept"
    ref().self = None
    del capsule
    gc.collect()
    tenon.introspect.live_handles()
    assert ref() is None


def test_tracked_only_once_stateful():
    t = tenon.ones(2)
    assert not gc.is_tracked(t)
    t.note = 1
    assert gc.is_tracked(t)
    assert vars(t) == {"note": 1}
    u = tenon.ones(2)
    u.__dict__["x"] = 1
    assert gc.is_tracked(u) and u.x == 1


def test_weak_references_and_dicts():
    t = tenon.ones(2)
    called = []
    ref = weakref.ref(t, lambda _: called.append(True))
    weak = weakref.WeakKeyDictionary()
    weak[t] = 1
    assert {t: 1}[t] == 1
    del t
    assert ref() is None and called == [True] and len(weak) == 0


def test_subclass():
    class Mine(tenon.Tensor):
        __slots__ = ()

        def shout(self):
            return "mine"

    base = tenon.ones(2)
    mine = Mine(base)
    assert mine.shout() == "mine" and isinstance(mine, tenon.Tensor)
    assert mine.data_ptr() == base.data_ptr() and mine is not base
    assert type(mine + 1) is Mine
    assert mine.as_subclass(tenon.Tensor).data_ptr() == base.data_ptr()
    with pytest.raises(TypeError, match="tenon.tensor"):
        tenon.Tensor("1, 2")
    with pytest.raises(TypeError, match="subclass"):
        base.as_subclass(int)


def test_objects_carried_by_other_languages_are_returned(library, ops):
    class Payload:
        pass

    payload = Payload()
    ref = weakref.ref(payload)
    library.define("a(Any x) -> Any")
    library.impl("a", lambda keys, x: x, "CompositeExplicitAutograd", with_keyset=True)
    assert ops.a(payload) is payload
    assert ops.a([payload, 1])[0] is payload
    del payload
    tenon.introspect.live_handles()
    assert ref() is None


def test_arguments_converted_for_a_call_are_freed():
    import numpy as np

    a = np.ones(4, np.float32)
    refs = [weakref.ref(a)]
    tenon.add(a, a)
    tenon.cat([a, a])
    with pytest.raises(TypeError):
        tenon.add(a, "x")
    del a
    gc.collect()
    assert refs[0]() is None


def test_weak_references_show_whether_a_tensor_is_alive():
    native = tenon._tenon
    x = tenon.ones(4)
    view = x[1:]
    weak = native.weak_tensor(x)
    del x
    assert native.weak_tensor_lives(weak)  # the view keeps it alive as its base
    del view
    assert not native.weak_tensor_lives(weak)
    for wrong in (3, None, weak):
        with pytest.raises(TypeError, match="weak_tensor: tensor must be a Tensor"):
            native.weak_tensor(wrong)
    with pytest.raises(ValueError):
        native.weak_tensor_lives(3)
