# SPDX-License-Identifier: Apache-2.0
"""Fake kernels, opcheck, vmap rules, and rules for torch_dispatch and autocast."""

import itertools
import os

import pytest
from seed import sub, torch

pytestmark = pytest.mark.filterwarnings("ignore:There is a performance drop")
_count = itertools.count()
_tag = os.path.basename(os.path.dirname(os.path.abspath(__file__)))


def ns():
    return "%s_fake_%d" % (_tag, next(_count))


def custom_op(*a, **k):
    return sub("library").custom_op(*a, **k)


def plain(name, schema, kernel, key="CPU"):
    """Defines an operator with one kernel; returns (library, overload, qualified name)."""
    space = ns()
    lib = sub("library").Library(space, "DEF")
    lib.define(name + schema)
    lib.impl(name, kernel, key)
    return lib, getattr(getattr(torch.ops, space), name).default, space + "::" + name


def check(op, args, *names, kwargs=None):
    """Runs opcheck; returns the names of the checks that failed."""
    result = sub("library").opcheck(op, args, kwargs, test_utils=names, raise_exception=False)
    assert set(result) == set(names)
    return [n for n in names if result[n] != "SUCCESS"]


def rand(*shape, **k):
    return torch.randn(*shape, **k)


# --- fake kernels ---
def test_fake_kernel_serves_meta_tensors():
    lib, op, q = plain("f", "(Tensor x) -> Tensor", lambda x: x.clone())
    sub("library").register_fake(q, lambda x: x.new_empty((7, 2)), lib=lib)
    y = op(torch.empty(3, device="meta"))
    assert tuple(y.shape) == (7, 2) and y.device.type == "meta"


def test_fake_kernel_as_decorator_returns_the_function():
    lib, op, q = plain("f", "(Tensor x) -> Tensor", lambda x: x.clone())

    @sub("library").register_fake(q, lib=lib)
    def fake(x):
        return x.new_empty(5)

    assert tuple(fake(torch.ones(2)).shape) == (5,)
    assert tuple(op(torch.empty(2, device="meta")).shape) == (5,)


def test_impl_abstract_is_the_old_name():
    L = sub("library")
    lib, op, q = plain("f", "(Tensor x) -> Tensor", lambda x: x.clone())
    with pytest.warns(FutureWarning):
        L.impl_abstract(q, lambda x: x.new_empty(4), lib=lib)
    assert tuple(op(torch.empty(1, device="meta")).shape) == (4,)


def test_fake_kernel_for_an_undefined_operator_is_refused_by_name():
    L, space = sub("library"), ns()
    lib = L.Library(space, "FRAGMENT")
    with pytest.raises(RuntimeError, match="undefined_one"):
        L.register_fake(space + "::undefined_one", lambda x: x.new_empty(6), lib=lib)


def test_meta_kernel_for_a_composite_operator_is_refused():
    lib, op, _ = plain("f", "(Tensor x) -> Tensor", lambda x: x + 1, "CompositeImplicitAutograd")
    with pytest.raises(RuntimeError, match="Composite"):
        lib.impl("f", lambda x: torch.empty_like(x), "Meta")
    assert tuple(op(torch.empty(2, device="meta")).shape) == (2,)


def fake_mode():
    """Returns a fake tensor mode in which sizes may depend on data."""
    if hasattr(torch, "FakeTensorMode"):
        return torch.FakeTensorMode()
    env = sub("fx.experimental.symbolic_shapes").ShapeEnv()
    return sub("_subclasses.fake_tensor").FakeTensorMode(shape_env=env)


def test_dynamic_size_in_a_fake_kernel():
    @custom_op(ns() + "::nz", mutates_args=())
    def nz(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @nz.register_fake
    def _(x):
        n = sub("library").get_ctx().new_dynamic_size()
        return x.new_empty([n, x.dim()], dtype=torch.int64)

    with fake_mode():
        y = nz(torch.ones(2, 2))
    assert y.dim() == 2 and y.shape[1] == 2 and not isinstance(y.shape[0], int)
    assert y.dtype is torch.int64


# --- opcheck ---
def test_opcheck_passes_a_right_operator():
    @custom_op(ns() + "::f", mutates_args=())
    def f(x: torch.Tensor, n: int = 2) -> torch.Tensor:
        return x * n

    f.register_fake(lambda x, n=2: torch.empty_like(x))
    f.register_autograd(lambda ctx, g: (g, None))
    names = ("test_schema", "test_autograd_registration", "test_faketensor")
    assert check(f, (rand(3, requires_grad=True), 4), *names) == []
    assert check(f, (rand(3),), *names, kwargs={"n": 3}) == []
    assert sub("library").opcheck(f, (rand(3),), test_utils="test_schema") == {
        "test_schema": "SUCCESS"
    }


def test_opcheck_passes_a_right_mutating_operator():
    @custom_op(ns() + "::f", mutates_args={"x"})
    def f(x: torch.Tensor, ys: list[torch.Tensor]) -> None:
        x.add_(ys[0])

    assert check(f, (rand(3), [rand(3)]), "test_schema", "test_faketensor") == []


def test_opcheck_accepts_a_declared_alias():
    lib, op, _ = plain(
        "f", "(Tensor(a) x) -> Tensor(a)", lambda x: x[:], "CompositeExplicitAutograd"
    )
    assert check(op, (rand(3),), "test_schema") == []


def test_opcheck_finds_an_undeclared_mutation():
    lib, op, _ = plain(
        "f", "(Tensor x) -> Tensor", lambda x: x.add_(1).clone(), "CompositeExplicitAutograd"
    )
    assert check(op, (rand(3),), "test_schema") == ["test_schema"]


def test_opcheck_finds_a_missing_fake_kernel():
    lib, op, _ = plain("f", "(Tensor x) -> Tensor", lambda x: x.clone())
    assert check(op, (rand(3),), "test_schema", "test_faketensor") == ["test_faketensor"]


@pytest.mark.parametrize(
    "fake",
    [
        lambda x: x.new_empty(x.shape[0] + 1, x.shape[1]),
        lambda x: x.new_empty(x.shape, dtype=torch.float64),
        lambda x: x.new_empty(tuple(reversed(x.shape))).t(),
        lambda x: x.new_empty(x.shape + (1,)),
    ],
    ids=["shape", "dtype", "strides", "dim"],
)
def test_opcheck_finds_a_wrong_fake_kernel(fake):
    lib, op, q = plain("f", "(Tensor x) -> Tensor", lambda x: x.clone())
    sub("library").register_fake(q, fake, lib=lib)
    assert check(op, (rand(2, 3),), "test_faketensor") == ["test_faketensor"]


def test_opcheck_finds_a_fake_kernel_with_too_few_results():
    lib, op, q = plain("f", "(Tensor x) -> Tensor[]", lambda x: [x.clone(), x.clone()])
    sub("library").register_fake(q, lambda x: [torch.empty_like(x)], lib=lib)
    assert check(op, (rand(3),), "test_faketensor") == ["test_faketensor"]


def test_opcheck_refuses_unknown_utilities_and_non_operators():
    lib, op, _ = plain("f", "(Tensor x) -> Tensor", lambda x: x.clone())
    with pytest.raises(ValueError, match="test_nothing"):
        sub("library").opcheck(op, (rand(3),), test_utils="test_nothing")
    with pytest.raises(ValueError):
        sub("library").opcheck(len, (rand(3),), test_utils="test_schema")


# --- vmap ---
def scaled(calls=None):
    @custom_op(ns() + "::scaled", mutates_args=())
    def f(x: torch.Tensor, n: int) -> torch.Tensor:
        if calls is not None:
            calls.append(tuple(x.shape))
        return x * n

    return f


def test_vmap_without_rule_runs_the_operator_per_slice():
    calls = []
    f = scaled(calls)
    y = torch.vmap(f, (0, None))(torch.arange(6.0).reshape(2, 3), 10)
    assert y.tolist() == [[0.0, 10.0, 20.0], [30.0, 40.0, 50.0]] and calls == [(3,), (3,)]


def test_vmap_rule_gets_info_dims_and_whole_batch():
    f, seen = scaled(), []

    @f.register_vmap
    def _(info, in_dims, x, n):
        seen.append((info.batch_size, info.randomness, tuple(in_dims), tuple(x.shape), n))
        return f(x, n), in_dims[0]

    y = torch.vmap(f, (1, None), randomness="same")(torch.arange(6.0).reshape(2, 3), 2)
    assert seen == [(3, "same", (1, None), (2, 3), 2)]
    assert y.tolist() == [[0.0, 6.0], [2.0, 8.0], [4.0, 10.0]]


def test_nested_vmap_calls_the_rule_for_each_level():
    f, sizes = scaled(), []

    @f.register_vmap
    def _(info, in_dims, x, n):
        sizes.append(info.batch_size)
        return f(x, n), in_dims[0]

    y = torch.vmap(torch.vmap(f, (0, None)), (0, None))(torch.ones(2, 3), 4)
    assert sizes == [3, 2] and y.tolist() == [[4.0] * 3] * 2


def test_vmap_rule_for_a_schema_operator_by_name():
    lib, op, q = plain("f", "(Tensor x, Tensor y) -> Tensor", lambda x, y: x - y)

    @sub("library").register_vmap(q, lib=lib)
    def _(info, in_dims, x, y):
        assert in_dims == (0, None)
        return x - y, 0

    assert torch.vmap(op, (0, None))(torch.tensor([3.0, 5.0]), torch.tensor(1.0)).tolist() == [
        2.0,
        4.0,
    ]


# --- rules for modes and subclasses ---
def test_torch_dispatch_rule_for_a_mode_replaces_its_method():
    base = sub("utils._python_dispatch").TorchDispatchMode
    f, seen = scaled(), []

    class Mode(base):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise AssertionError("the rule should run")

    @f.register_torch_dispatch(Mode)
    def _(mode, func, types, args, kwargs):
        seen.append((type(mode).__name__, func.name().split("::")[1], args[1]))
        return func(*args, **kwargs) + 1

    x = torch.ones(2)
    with Mode():
        y = f(x, 3)
    assert seen == [("Mode", "scaled", 3)] and y.tolist() == [4.0, 4.0]


def test_torch_dispatch_rule_for_a_subclass():
    class Wrap(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            out = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
            out.inner = inner
            return out

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise NotImplementedError("no general rule")

    f = scaled()
    f.register_torch_dispatch(
        Wrap, lambda cls, func, types, args, kwargs: cls(func(args[0].inner, args[1]))
    )
    y = f(Wrap(torch.ones(2)), 6)
    assert type(y) is Wrap and y.inner.tolist() == [6.0, 6.0]


# --- autocast rules ---
def product():
    @custom_op(ns() + "::product", mutates_args=())
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x * y

    f.register_autocast("cpu", torch.bfloat16)
    return f


def test_autocast_rule_casts_floats_inside_the_region_only():
    f, x = product(), torch.ones(2)
    with torch.autocast("cpu", dtype=torch.float16):
        assert f(x, x).dtype is torch.bfloat16
    assert f(x, x).dtype is torch.float32


def test_autocast_is_off_inside_the_kernel_after_the_cast():
    seen = []

    @custom_op(ns() + "::mmish", mutates_args=())
    def f(x: torch.Tensor) -> torch.Tensor:
        a = torch.ones(2, 2)
        seen.append((x.dtype, (a @ a).dtype))
        return x.clone()

    f.register_autocast("cpu", torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        f(torch.ones(1))
    assert seen == [(torch.bfloat16, torch.float32)]
