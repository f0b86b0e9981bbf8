# SPDX-License-Identifier: Apache-2.0
"""Classes that override operators, wrappers, modes, thread states, and the key space."""

from __future__ import annotations

import concurrent.futures
import gc
import sys
import threading

import pytest
import tenon
from tenon import library as keys, overrides
from tenon.library import ExcludeDispatchKeyGuard, Library
from tenon.thread_state import ThreadPoolExecutor, ThreadState
from tenon.utils._python_dispatch import TorchDispatchMode


class Tag:
    def __init__(self, number):
        self.number = number

    @classmethod
    def __torch_function__(cls, op, types, args, kwargs):
        tags = [a for a in (*args, *kwargs.values()) if isinstance(a, Tag)]
        return [overrides.resolve_name(op), tags[0].number if tags else None, types]


class Special(Tag):
    @classmethod
    def __torch_function__(cls, op, types, args, kwargs):
        return "special"


class Declining:
    @classmethod
    def __torch_function__(cls, op, types, args, kwargs):
        return NotImplemented


@pytest.fixture
def ops():
    with Library("over", "DEF") as library:
        library.define("f(Tensor a, Tensor? b=None, *, int n=1) -> Tensor")
        library.define("every(Tensor[] list, int[] sizes, str text) -> Tensor")
        library.define("pair(Tensor a) -> (Tensor, int)")
        library.impl(
            "f", lambda a, b=None, *, n=1: tenon.tensor([2.0 * x for x in a.tolist()]), "CPU"
        )
        yield tenon.ops.over


def test_object_in_place_of_a_tensor(ops):
    assert ops.f(Tag(3)) == ["tenon.ops.over.f", 3, (Tag,)]
    assert ops.f(tenon.tensor([1.0]), Tag(4)) == ["tenon.ops.over.f", 4, (Tag,)]


def test_any_argument_takes_an_object(ops):
    x = tenon.tensor([1.0])
    assert ops.f(x, n=Tag(5))[1] == 5
    assert ops.every([x, Tag(1)], [1], "")[0] == "tenon.ops.over.every"
    assert ops.every([x], Tag(2), "")[1] == 2
    assert ops.every([x], [1], Tag(3))[1] == 3


def test_derived_class_comes_before_its_base(ops):
    assert ops.f(Tag(1), Special(2)) == "special"
    assert ops.f(Tag(1), Declining())[2] == (Tag, Declining)


def test_all_decline(ops):
    with pytest.raises(TypeError, match=r"'tenon.ops.over.f' on .*: \[Declining\]"):
        ops.f(Declining())


def test_exception_reaches_the_caller_as_the_same_object(ops):
    error = LookupError("mine")

    class Raising:
        @classmethod
        def __torch_function__(cls, op, types, args, kwargs):
            raise error

    with pytest.raises(LookupError) as caught:
        ops.f(Raising())
    assert caught.value is error


def test_results_may_be_anything(ops):
    class Giving:
        result = None

        @classmethod
        def __torch_function__(cls, op, types, args, kwargs):
            return cls.result

    for result in (None, "text", 7, 1.5, [1, "a"], {"k": 2}, (1, 2), Tag(1)):
        Giving.result = result
        assert ops.f(Giving()) == result
    Giving.result = (tenon.tensor([1.0]), "second")
    first, second = ops.pair(Giving())
    assert first.tolist() == [1.0]
    assert second == "second"
    Giving.result = 3
    # As in PyTorch, what a handler returns to Python is not checked.
    assert ops.pair(Giving()) == 3


def test_object_is_the_same_object_in_the_handler(ops):
    seen = []

    class Keeping:
        @classmethod
        def __torch_function__(cls, op, types, args, kwargs):
            seen.append(args[0])
            return args[0]

    one = Keeping()
    assert ops.f(one) is one
    assert seen[0] is one


def test_redispatch_refuses_objects(ops):
    cpu = tenon._tenon.tenon_keyset_from_key(tenon._tenon.TENON_KEY_CPU)
    with pytest.raises(TypeError, match="must not override operators"):
        ops.f.default.redispatch(cpu, Tag(1))


def test_excluded_override_refuses_objects(ops):
    with (
        ExcludeDispatchKeyGuard("Override"),
        pytest.raises(TypeError, match="must not override"),
    ):
        ops.f(Tag(1))


def test_subclass_of_tensor_overrides_unless_disabled(ops):
    class Named(tenon.Tensor):
        @classmethod
        def __torch_function__(cls, op, types, args, kwargs):
            with overrides.DisableTorchFunctionSubclass():
                result = op(*args, **kwargs)
            return "named", result.tolist()

    x = tenon.tensor([1.0, 2.0]).as_subclass(Named)
    assert ops.f(x) == ("named", [2.0, 4.0])
    with overrides.DisableTorchFunctionSubclass():
        assert ops.f(x).tolist() == [2.0, 4.0]


class Counting(tenon.Tensor):
    """Counts calls, unwraps the arguments, calls, and wraps the result."""

    calls = 0

    @classmethod
    def wrap(cls, inner):
        self = overrides.wrapper(cls, inner.shape, dtype=inner.dtype, device=inner.device)
        self.inner = inner
        return self

    @classmethod
    def __torch_dispatch__(cls, op, types, args, kwargs):
        cls.calls += 1
        result = op(*(a.inner if isinstance(a, cls) else a for a in args), **kwargs)
        return cls.wrap(result) if isinstance(result, tenon.Tensor) else result


def test_wrapper_counts_unwraps_and_rewraps(ops):
    Counting.calls = 0
    x = Counting.wrap(tenon.tensor([1.0, 2.0]))
    assert x.shape == (2,)
    y = ops.f(ops.f(x))
    assert type(y) is Counting
    assert y.inner.tolist() == [4.0, 8.0]
    assert Counting.calls == 2
    with pytest.raises(tenon.StateError, match="must have memory"):
        x.tolist()
    with pytest.raises(BufferError):
        memoryview(x)


def test_wrappers_leave_nothing_behind(ops):
    def run():
        for _ in range(50):
            ops.f(Counting.wrap(tenon.tensor([1.0])))
            ops.f(Tag(1))
        gc.collect()

    run()
    before = tenon.introspect.live_handles()
    run()
    assert tenon.introspect.live_handles() == before


def test_wrapper_wants_a_class_with_a_handler():
    with pytest.raises(TypeError, match="must be a subclass of Tensor with __torch_dispatch__"):
        overrides.wrapper(tenon.Tensor, (1,))
    with pytest.raises(ValueError, match="tenon_wrapper_new"):
        overrides.wrapper(Counting, (-1,))


def test_wrappers_claim_more_than_a_shape():
    base = tenon.ones(2, 3)
    made = overrides.wrapper(
        Counting,
        (3, 2),
        strides=(1, 3),
        storage_offset=4,
        dtype=tenon.float64,
        device="meta",
        keys="Tracer",
        alias_of=base,
    )
    assert (made.shape, made.stride(), made.storage_offset()) == ((3, 2), (1, 3), 4)
    assert (made.dtype, made.device) == (tenon.float64, tenon.device("meta"))
    assert made._keys.has("Tracer") and made._keys.has("Wrapper")
    assert not overrides.wrapper(Counting, (3,))._keys.has("Tracer")
    before = made._version
    base.add_(1)
    assert made._version == base._version == before + 1
    with pytest.raises(ValueError, match="wrapper: strides must be 1, as sizes are, got 2"):
        overrides.wrapper(Counting, (3,), strides=(1, 1))
    with pytest.raises(ValueError, match="tenon_wrapper_new: "):
        overrides.wrapper(Counting, (3,), keys=["CPU", "Tracer", "Wrapper", "Override"])
    with pytest.raises(TypeError, match="wrapper: alias_of must be Tensor, got int"):
        overrides.wrapper(Counting, (3,), alias_of=3)
    with pytest.raises(LookupError, match="NoKey"):
        overrides.wrapper(Counting, (3,), keys=["NoKey"])


class Watching(overrides.TorchFunctionMode):
    def __init__(self):
        self.seen = []

    def __torch_function__(self, op, types, args, kwargs):
        self.seen.append(op.__name__)
        return op(*args, **kwargs)


class WatchingBelow(TorchDispatchMode):
    def __init__(self):
        self.seen = []

    def __torch_dispatch__(self, op, types, args, kwargs):
        self.seen.append(op.name())
        return op(*args, **kwargs)


def test_modes(ops):
    x = tenon.tensor([1.0])
    with WatchingBelow() as below, Watching() as outer, Watching() as inner:
        y = ops.f(x)
    assert y.tolist() == [2.0]
    ops.f(x)
    assert inner.seen == outer.seen == ["f"]
    assert below.seen == ["over::f"]


def test_modes_are_left_in_reverse_order(ops):
    x = tenon.tensor([1.0])
    outer, inner = Watching(), Watching()
    with pytest.raises(RuntimeError, match="tenon_mode_pop"):
        outer.__exit__()
    with outer, inner:
        with pytest.raises(RuntimeError, match="tenon_mode_pop"):
            outer.__exit__()
        ops.f(x)
    with outer, outer:
        ops.f(x)
    assert (outer.seen, inner.seen) == (["f"] * 3, ["f"])


def test_mode_that_declines_passes_on(ops):
    class Quiet(overrides.TorchFunctionMode):
        def __torch_function__(self, op, types, args, kwargs):
            return NotImplemented

    x = tenon.tensor([1.0])
    with Watching() as outer, Quiet():
        ops.f(x)
    assert outer.seen == ["f"]


def test_executor_carries_the_submitters_state(ops):
    x = tenon.tensor([1.0])
    with ThreadPoolExecutor(2) as pool:
        with Watching() as mode:
            results = list(pool.map(ops.f, [x] * 4))
        pool.submit(ops.f, x).result()
    assert [y.tolist() for y in results] == [[2.0]] * 4
    assert mode.seen == ["f"] * 4


def test_bound_functions_restore_the_threads_own_state(ops):
    x = tenon.tensor([1.0])
    with Watching() as mode:
        bound = ThreadState().bind(ops.f)

    def work():
        bound(x)
        ops.f(x)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    # The packet that was called, though no thread is inside the mode's block any more.
    assert mode.seen == ["f"]


def test_backends_and_functionalities_by_name():
    number = keys.register_backend("pynpu")
    assert keys.register_backend("pynpu") == number
    assert tenon._tenon.tenon_key_name(tenon._tenon.tenon_key_parse("pynpu")) == "pynpu"
    key = keys.register_functionality("PyProfiler", below="Batched")
    assert keys.register_functionality("PyProfiler", below="Batched") == key
    assert tenon._tenon.tenon_key_name(key) == "PyProfiler"
    with pytest.raises(tenon.AlreadyExistsError):
        keys.register_functionality("PyProfiler", above="Batched")
    with pytest.raises(tenon.NotFoundError, match="Nowhere"):
        keys.register_functionality("PyOther", below="Nowhere")
    with pytest.raises(ValueError, match="one of below and above"):
        keys.register_functionality("PyOther")
    with pytest.raises(ValueError, match="one of none, included, excluded, got 'on'"):
        keys.register_functionality("PyOther", below="Fake", default="on")


@pytest.mark.leaks  # the kernel that skips an included key lives as long as the process
def test_keys_have_defaults_on_threads_from_before_and_after():
    def words():
        return keys.included_keys(), keys.excluded_keys()

    with concurrent.futures.ThreadPoolExecutor(1) as before:
        before.submit(words).result()
        keys.register_functionality("PyOn", below="Fake", default="included")
        keys.register_functionality("PyOff", above="BackendSelect", default="excluded")
        in_old_thread = before.submit(words).result()
    with concurrent.futures.ThreadPoolExecutor(1) as after:
        in_new_thread = after.submit(words).result()
    for included, excluded in (in_old_thread, in_new_thread, words()):
        assert included.has("PyOn") and not included.has("PyOff")
        assert excluded.has("PyOff") and not excluded.has("PyOn")
    # The key has no kernels yet, so calls skip it.
    assert (tenon.ones(2) + 1).tolist() == [2.0, 2.0]
    seen = []

    def note(key_set, op, *args, **kwargs):
        seen.append(op.name)
        return op.redispatch(key_set.below("PyOn"), *args, **kwargs)

    library = Library("_", "IMPL")
    library.fallback(note, "PyOn", with_keyset=True)
    x = tenon.ones(2)
    seen.clear()
    with ExcludeDispatchKeyGuard("PyOn"):
        tenon.ops.aten.neg(x)
    assert seen == []
    assert tenon.ops.aten.neg(x).tolist() == [-1.0, -1.0]
    assert len(seen) == 1
    library.close()
    tenon.ops.aten.neg(x)
    assert len(seen) == 1
    with pytest.raises(tenon.AlreadyExistsError, match="excluded by default, got above Backend"):
        keys.register_functionality("PyOff", above="BackendSelect")


def test_plain_calls_do_not_change_reference_counts(ops):
    tag = Tag(1)
    ops.f(tag)
    before = sys.getrefcount(tag)
    for _ in range(100):
        ops.f(tag)
    assert sys.getrefcount(tag) == before


# [quote.begin wrapper]
class Scaled(tenon.Tensor):
    """A tensor and a number that it is multiplied by: products of it touch the number alone."""

    @staticmethod
    def __new__(cls, inner, scale):
        self = tenon.Tensor._make_wrapper_subclass(
            cls, inner.shape, strides=inner.stride(), dtype=inner.dtype, device=inner.device
        )
        self.inner, self.scale = inner, scale
        return self

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is tenon.ops.aten.mul.Tensor and isinstance(args[1], (int, float)):
            return cls(args[0].inner, args[0].scale * args[1])
        plain = [a.inner * a.scale if isinstance(a, cls) else a for a in args]
        return func(*plain, **(kwargs or {}))


# [quote.end]


def test_wrapper_that_serves_some_operators():
    x = Scaled(tenon.ones(2), 3.0)
    y = x * 2
    assert type(y) is Scaled and y.scale == 6.0 and y.inner is x.inner
    assert type(y + 1) is tenon.Tensor and (y + 1).tolist() == [7.0, 7.0]


def test_subclass_with_memory_runs_operators_itself():
    seen = []

    class Seeing(tenon.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return super().__torch_dispatch__(func, types, args, kwargs)

    data = tenon.ones(2, 2)
    x = tenon.Tensor._make_subclass(Seeing, data)
    assert type(x) is Seeing and (x.shape, x.dtype) == ((2, 2), tenon.float32)
    assert type(x + 1) is tenon.Tensor and (x + 1).tolist() == [[2.0, 2.0]] * 2
    assert seen == ["aten.add.Tensor"] * 2
    assert x.add_(1) is x and data.tolist() == [[2.0, 2.0]] * 2
    assert tenon.cat([x, x]).shape == (4, 2)
    tracked = tenon.Tensor._make_subclass(Seeing, data, True)
    (tracked * 3).sum().backward()
    assert tracked.grad.tolist() == [[3.0, 3.0]] * 2


def test_subclass_without_a_handler_shares_memory():
    class Plain(tenon.Tensor):
        pass

    data = tenon.ones(2)
    x = tenon.Tensor._make_subclass(Plain, data, True)
    assert type(x) is Plain and x.is_leaf and x.requires_grad
    assert x.untyped_storage() == data.untyped_storage()
    assert x.untyped_storage() != tenon.ones(2).untyped_storage()
    with pytest.raises(TypeError, match="_make_subclass: data must be Tensor, got int"):
        tenon.Tensor._make_subclass(Plain, 1)


def test_views_of_wrappers_track_and_share():
    x = Counting.wrap(tenon.ones(2, 3))
    y = x[0]
    assert y._base is x and x[0][1]._base is x
    assert y.untyped_storage() == x.untyped_storage() != (x + 1).untyped_storage()
    y.add_(1)
    assert x._version == y._version == 1 and x.inner.tolist() == [[2.0] * 3, [1.0] * 3]
    before = tenon.introspect.live_handles()
    del y
    assert tenon.introspect.live_handles() != before


def test_gradients_flow_through_as_subclass_and_results():
    class Plain(tenon.Tensor):
        pass

    w = tenon.ones(2, requires_grad=True)
    x = w.as_subclass(Plain)
    y = (x * 3).sum()
    assert type(x) is Plain and type(y) is Plain and not x.is_leaf
    y.backward()
    assert w.grad.tolist() == [3.0, 3.0] and type(w.grad) is tenon.Tensor


def test_guards_leave_classes_and_modes_unasked():
    x = tenon.ones(1).as_subclass(type("Plain", (tenon.Tensor,), {}))
    with Watching() as mode:
        with overrides.DisableTorchFunctionSubclass():
            y = x + 1
        with overrides.DisableTorchFunction():
            z = x + 1
    assert type(y) is type(z) is tenon.Tensor
    assert mode.seen == ["add"]
    with pytest.raises(RecursionError):
        Endless() + x


class Endless(tenon.Tensor):
    def __new__(cls):
        return tenon.ones(1).as_subclass(cls)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def test_results_that_others_hold_are_not_renamed():
    class Plain(tenon.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(lambda *_: kept, types, args, kwargs)

    kept = tenon.ones(2)
    got = tenon.ones(1).as_subclass(Plain) + 1
    assert type(got) is Plain and type(kept) is tenon.Tensor
    with overrides.DisableTorchFunctionSubclass():
        got.add_(1)
    assert kept.tolist() == [2.0, 2.0]


def test_constructor_takes_lists_and_sizes():
    class Plain(tenon.Tensor):
        pass

    x = Plain([[1, 2]])
    assert type(x) is Plain and x.tolist() == [[1.0, 2.0]] and x.dtype == tenon.float32
    assert tenon.Tensor(2, 3).shape == (2, 3) and tenon.Tensor().shape == (0,)
    with pytest.raises(TypeError, match="lists of numbers or sizes, got str"):
        tenon.Tensor("a")


def test_rule_for_an_operator_and_a_class(ops):
    x = tenon.ones(2)

    def rule(mode, func, types, args, kwargs):
        seen.append((mode, func, types, kwargs))
        return args[0] + 1

    seen, mode = [], WatchingBelow()
    with Library("over", "FRAGMENT") as library:
        library.register_torch_dispatch("f", WatchingBelow, rule)
        with mode:
            assert ops.f(x, n=2).tolist() == [2.0, 2.0]
        assert seen == [(mode, ops.f.default, (), {"n": 2})]
        assert ops.f(x).tolist() == [2.0, 2.0]
        with pytest.raises(tenon.AlreadyExistsError, match="f must have no rule for WatchingBelow"):
            library.register_torch_dispatch("f", WatchingBelow, rule)
        wrapped = Counting.wrap(x)
        library.register_torch_dispatch(ops.f.default, Counting, lambda cls, *call: cls.wrap(x))
        assert ops.f(wrapped).inner is x
    with mode:
        ops.f(x)
    assert len(seen) == 1 and "over::f" in mode.seen
    assert ops.f(wrapped).inner is not x


@pytest.mark.leaks  # a custom operator lives as long as the process
def test_rules_of_custom_operators():
    @tenon.library.custom_op("over::own", mutates_args=())
    def own(x: tenon.Tensor) -> tenon.Tensor:
        return x.clone()

    @own.register_torch_dispatch(WatchingBelow)
    def _(mode, func, types, args, kwargs):
        return args[0] + 1

    with WatchingBelow():
        y = own(tenon.ones(2))
    assert y.tolist() == [2.0, 2.0] and own(tenon.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="must be a subclass of Tensor with __torch_dispatch__ or"):
        tenon.library.register_torch_dispatch("over::own", dict, lambda *call: None)
