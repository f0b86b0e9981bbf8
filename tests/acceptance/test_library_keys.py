# SPDX-License-Identifier: Apache-2.0
"""Library behaviour: calls without tensors, simulated tables, fake kernels, defaults."""

import gc
import itertools

import pytest
from seed import sub, torch

Tensor = torch.Tensor
_n = itertools.count()


def lib():
    return sub("library")


def fresh(base="op"):
    return f"{base}{next(_n)}"


@pytest.fixture
def ns():
    name = f"torcha_keys{next(_n)}"
    library = lib().Library(name, "DEF")
    yield library
    library._destroy() if hasattr(library, "_destroy") else library.close()


def op(library, name):
    return getattr(getattr(torch.ops, library.ns), name)


def impl(library, name, key, log=None, **kw):
    def fn(*args, **kwargs):
        if log is not None:
            log.append((key, args, kwargs))
        return args[0].clone() if args and hasattr(args[0], "clone") else torch.ones(2)

    library.impl(name, fn, key, **kw)
    return fn


# ---------------------------------------------------------------- BackendSelect


def test_backend_select_kernel_runs_without_tensors_and_before_backends(ns):
    ns.define("make(int n) -> Tensor")
    log = []
    impl(ns, "make", "BackendSelect", log)
    assert op(ns, "make")(3).shape == (2,)
    assert [one[0] for one in log] == ["BackendSelect"]

    ns.define("work(Tensor x, int n) -> Tensor")
    log.clear()
    impl(ns, "work", "BackendSelect", log)
    impl(ns, "work", "CPU", log)
    op(ns, "work")(torch.ones(2), 1)
    assert [one[0] for one in log] == ["BackendSelect"]


def test_backend_select_is_skipped_where_no_kernel_is(ns):
    ns.define("work(Tensor x) -> Tensor")
    log = []
    impl(ns, "work", "CPU", log)
    op(ns, "work")(torch.ones(2))
    assert [one[0] for one in log] == ["CPU"]


def test_backend_select_comes_after_autograd(ns):
    ns.define("work(Tensor x) -> Tensor")
    log = []
    impl(ns, "work", "BackendSelect", log)
    impl(ns, "work", "Autograd", log)
    op(ns, "work")(torch.ones(2, requires_grad=True))
    op(ns, "work")(torch.ones(2))
    assert [one[0] for one in log] == ["Autograd", "Autograd"]


# ---------------------------------------------------------------- defaults


GIVEN = [
    ((), {}, (), {}),
    ((2,), {}, (), {}),
    ((3,), {}, (3,), {}),
    ((2, 0.5), {}, (), {}),
    ((2, 1.5), {}, (2, 1.5), {}),
    ((3, 0.5), {}, (3,), {}),
    ((), {"n": 2}, (), {}),
    ((), {"n": 4}, (4,), {}),
    ((), {"f": 0.5}, (), {}),
    ((), {"f": 2.5}, (2, 2.5), {}),
    ((), {"s": "a"}, (), {}),
    ((), {"s": "b"}, (), {"s": "b"}),
    ((), {"b": True}, (), {}),
    ((), {"b": False}, (), {"b": False}),
    ((), {"f": 2.5, "n": 7}, (7, 2.5), {}),
    ((), {"b": False, "s": "a"}, (), {"b": False}),
]


@pytest.mark.parametrize("args, kwargs, left, named", GIVEN, ids=str)
@pytest.mark.parametrize("form", ["packet", "overload"])
@pytest.mark.parametrize("key", ["CPU", "CompositeExplicitAutograd", "Autograd"])
def test_defaults_are_left_out_of_the_kernels_arguments(ns, key, form, args, kwargs, left, named):
    ns.define('work(Tensor x, int n=2, float f=0.5, *, str s="a", bool b=True) -> Tensor')
    log = []
    impl(ns, "work", key, log)
    x = torch.ones(2, requires_grad=key == "Autograd")
    call = op(ns, "work")
    (call if form == "packet" else call.default)(x, *args, **kwargs)
    assert log[0][1][0] is x
    assert (log[0][1][1:], log[0][2]) == (left, named)


@pytest.mark.parametrize(
    "args, kwargs, left",
    [
        ((None,), {}, ()),
        ((None, [1, 2]), {}, ()),
        ((None, [1, 3]), {}, (None, [1, 3])),
        ((None, [1, 2], [0, 0]), {}, ()),
        ((None, [1, 2], 5), {}, (None, [1, 2], [5, 5])),
        ((), {"s": "z"}, (None, [1, 2], [0, 0], "z")),
    ],
    ids=str,
)
def test_defaults_of_every_type_are_left_out(ns, args, kwargs, left):
    ns.define('other(Tensor x, Tensor? y=None, int[] d=[1, 2], int[2] e=0, str s="q") -> Tensor')
    log = []
    impl(ns, "other", "CompositeExplicitAutograd", log)
    op(ns, "other")(torch.ones(2), *args, **kwargs)
    assert log[0][1][1:] == left and log[0][2] == {}


def test_custom_op_defaults_reach_the_function():
    seen = []

    @lib().custom_op("torcha_keys::" + fresh(), mutates_args=())
    def f(x: Tensor, n: int = 3, *, s: str = "q") -> Tensor:
        seen.append((n, s))
        return x.clone()

    f(torch.ones(1))
    f(torch.ones(1), 3)
    f(torch.ones(1), n=5, s="r")
    assert seen == [(3, "q"), (3, "q"), (5, "r")]


# ---------------------------------------------------------------- simulated tables


def simulated(*keys):
    """Returns the kernel that serves each key of a simulated operator."""
    dispatcher = sub("_python_dispatcher").PythonDispatcher()
    try:
        dispatcher.register(list(keys))
        lines = dispatcher.dispatchTable().splitlines()[4:]
        return {line.split()[0]: line.partition(" ")[2].strip() for line in lines if line}
    finally:
        del dispatcher
        gc.collect()


def test_simulated_composite_implicit_fills_what_backends_leave():
    implicit = "fn_CompositeImplicitAutograd [math kernel]"
    table = simulated("CPU", "XLA", "CompositeImplicitAutograd")
    assert table["CPU"] == "fn_CPU [kernel]" and table["XLA"] == "fn_XLA [kernel]"
    assert table["AutogradCPU"] == table["AutogradXLA"] == "[backend fallback]"
    for key in ("Lazy", "FPGA", "AutogradOther", "AutogradLazy"):
        assert table[key] == implicit
    table = simulated("CompositeImplicitAutograd")
    assert set(table.values()) == {implicit} and len(table) == 8
    table = simulated("AutogradCPU", "CPU", "CompositeImplicitAutograd")
    assert table["AutogradCPU"] == "fn_AutogradCPU [kernel]"
    assert table["AutogradXLA"] == implicit


def test_simulated_explicit_with_autograd():
    explicit = "fn_CompositeExplicitAutograd [default backend kernel]"
    table = simulated("CPU", "CompositeExplicitAutograd", "Autograd")
    assert table["CPU"] == "fn_CPU [kernel]"
    for key in ("XLA", "Lazy", "FPGA"):
        assert table[key] == explicit
    for key in ("AutogradOther", "AutogradCPU", "AutogradXLA", "AutogradLazy"):
        assert table[key] == "fn_Autograd [autograd kernel]"
    table = simulated("CompositeExplicitAutograd")
    assert table["AutogradCPU"] == "[backend fallback]"
    table = simulated("AutogradXLA", "CompositeExplicitAutograd", "Autograd")
    assert table["AutogradXLA"] == "fn_AutogradXLA [kernel]"


def test_simulated_ambiguity_of_a_shared_slot():
    table = simulated("FPGA", "CompositeImplicitAutograd")
    assert "ambiguous" in table["AutogradOther"]
    table = simulated("FPGA", "Autograd")
    assert table["AutogradOther"] == "fn_Autograd [autograd kernel]"


def test_simulated_registrations():
    dispatcher = sub("_python_dispatcher").PythonDispatcher()
    dispatcher.register(["CPU", "Autograd"])
    text = dispatcher.registrations()
    del dispatcher
    gc.collect()
    assert "Registered Kernels" in text
    assert "fn_CPU" in text and "Autograd[alias]" in text


# ---------------------------------------------------------------- fake kernels


def test_mutating_custom_op_without_results_needs_no_fake_kernel():
    @lib().custom_op("torcha_keys::" + fresh(), mutates_args=("x",))
    def f(x: Tensor, y: Tensor) -> None:
        x.copy_(y)

    assert f(torch.empty(2, device="meta"), torch.empty(2, device="meta")) is None
    fake = sub("_subclasses.fake_tensor") if torch.__name__ == "torch" else torch
    with fake.FakeTensorMode():
        assert f(torch.empty(2), torch.empty(2)) is None


def test_non_mutating_custom_op_without_fake_kernel_is_refused_by_name():
    name = fresh("nofake")

    @lib().custom_op("torcha_keys::" + name, mutates_args=())
    def f(x: Tensor) -> Tensor:
        return x.clone()

    with pytest.raises((NotImplementedError, RuntimeError), match=name):
        f(torch.empty(2, device="meta"))


def test_mutating_op_with_results_needs_a_fake_kernel():
    name = fresh("nofake")

    @lib().custom_op("torcha_keys::" + name, mutates_args=("x",))
    def f(x: Tensor) -> Tensor:
        return x.clone()

    with pytest.raises((NotImplementedError, RuntimeError), match=name):
        f(torch.empty(2, device="meta"))


def test_allow_override_false_refuses_a_second_fake_kernel():
    name = fresh()
    library = lib().Library("torcha_keys", "FRAGMENT")
    library.define(name + "(Tensor x) -> Tensor")
    full, call = "torcha_keys::" + name, getattr(torch.ops.torcha_keys, name)
    meta = torch.empty(2, device="meta")

    def of(size):
        return lambda x: torch.empty(size, device="meta")

    lib().register_fake(full, of(5), lib=library, allow_override=False)
    with pytest.raises(RuntimeError):
        lib().register_fake(full, of(6), lib=library, allow_override=False)
    assert call(meta).shape == (5,)
    lib().register_fake(full, of(7), lib=library, allow_override=True)
    assert call(meta).shape == (7,)
    lib().register_fake(full, of(8), lib=library)
    assert call(meta).shape == (8,)
    with pytest.raises(RuntimeError):
        lib().register_fake(full, lib=library, allow_override=False)(of(9))
    assert call(meta).shape == (8,)


def test_fake_kernel_of_a_custom_op_may_always_be_replaced():
    @lib().custom_op("torcha_keys::" + fresh(), mutates_args=())
    def f(x: Tensor) -> Tensor:
        return x.clone()

    meta = torch.empty(2, device="meta")
    f.register_fake(lambda x: x.new_empty(3))
    assert f(meta).shape == (3,)
    f.register_fake(lambda x: x.new_empty(4))
    assert f(meta).shape == (4,)
    for allow in (False, True):
        lib().register_fake(f, lambda x: x.new_empty(5), allow_override=allow)
        assert f(meta).shape == (5,)


def test_dynamic_size_is_refused_for_meta_tensors_by_operator_name():
    name = fresh("dyn")

    @lib().custom_op("torcha_keys::" + name, mutates_args=())
    def f(x: Tensor) -> Tensor:
        return x.nonzero()

    @f.register_fake
    def _(x):
        n = lib().get_ctx().new_dynamic_size()
        return x.new_empty(n, x.dim(), dtype=torch.int64)

    with pytest.raises((NotImplementedError, RuntimeError), match=name):
        f(torch.empty(2, device="meta"))
