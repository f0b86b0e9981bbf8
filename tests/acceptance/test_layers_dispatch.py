# SPDX-License-Identifier: Apache-2.0
"""__torch_dispatch__: wrapper tensors, subclasses and modes below autograd."""

import copy
import gc
import itertools
import os
import threading
import weakref
import pytest
from seed import sub, torch


def pd():
    return sub("utils._python_dispatch")


pytestmark = pytest.mark.filterwarnings("ignore")
_n = itertools.count()


def aten():
    return torch.ops.aten


def tmap(f, x):
    if isinstance(x, (list, tuple)):
        return (
            type(x)(tmap(f, e) for e in x)
            if type(x) in (list, tuple)
            else tuple(tmap(f, e) for e in x)
        )
    if isinstance(x, dict):
        return {k: tmap(f, v) for k, v in x.items()}
    return f(x)


class Wrap(torch.Tensor):
    """A wrapper around another tensor, which logs the calls that reach it."""

    log = []

    @staticmethod
    def __new__(cls, inner, requires_grad=False):
        self = torch.Tensor._make_wrapper_subclass(
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=inner.device,
            requires_grad=requires_grad,
        )
        self.inner = inner
        return self

    def __repr__(self):
        return "Wrap(...)"

    @classmethod
    def run(cls, func, args, kwargs):

        def unwrap(x):
            return x.inner if isinstance(x, Wrap) else x

        out = func(*tmap(unwrap, list(args)), **tmap(unwrap, kwargs or {}))
        return tmap(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, out)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        Wrap.log.append((func, tuple(types), args, kwargs))
        return cls.run(func, args, kwargs)


def wrap(*shape, **kw):
    n = 1
    for s in shape:
        n *= s
    return Wrap(torch.arange(float(n)).reshape(shape), **kw)


def logged(run):
    Wrap.log.clear()
    out = run()
    return out, list(Wrap.log)


def mode(name, log, act=None):
    class Mode(pd().TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            log.append((name, func))
            return act(func, args, kwargs or {}) if act else func(*args, **(kwargs or {}))

    return Mode()


def seen(run):
    """Returns the overloads that a dispatch mode sees while run() runs."""
    log = []
    with mode("m", log):
        run()
    return [f for _, f in log]


def new_op(schema, cpu):
    name = f"handlers{os.getpid()}::op{next(_n)}"
    torch.library.define(name, schema)
    torch.library.impl(name, "cpu")(cpu)
    ns, op = name.split("::")
    return name, getattr(getattr(torch.ops, ns), op)


# ---- wrapper tensors
def test_wrapper_metadata_without_data():
    """_make_wrapper_subclass returns a tensor of the class with the given metadata and no memory"""
    w = torch.Tensor._make_wrapper_subclass(
        Wrap, (2, 3), strides=(1, 2), dtype=torch.float64, device="cpu", requires_grad=True
    )
    assert (
        type(w) is Wrap and w.shape == (2, 3) and w.stride() == (1, 2) and w.dtype == torch.float64
    )
    assert w.requires_grad and w.is_leaf and w.device.type == "cpu" and not w.is_contiguous()
    d = torch.Tensor._make_wrapper_subclass(Wrap, (4,))
    assert d.dtype == torch.float32 and d.stride() == (1,) and not d.requires_grad


def test_wrapper_may_claim_another_device():
    """the device of a wrapper is the given one, not that of its inner tensor"""
    w = torch.Tensor._make_wrapper_subclass(Wrap, (2,), device="meta")
    assert w.device.type == "meta"


def test_integer_wrapper_cannot_require_grad():
    """requires_grad on an integer wrapper is a RuntimeError"""
    with pytest.raises(RuntimeError, match="(?i)float"):
        torch.Tensor._make_wrapper_subclass(Wrap, (2,), dtype=torch.int64, requires_grad=True)
    assert torch.Tensor._make_wrapper_subclass(Wrap, (2,), dtype=torch.int64).dtype == torch.int64


def test_overload_describes_itself():
    """the overload has its name, packet and schema"""
    f = aten().add.Tensor
    assert (
        str(f) == "aten.add.Tensor"
        and f.overloadpacket is aten().add
        and f.name() == "aten::add.Tensor"
    )
    assert [a.name for a in f._schema.arguments] == ["self", "other", "alpha"]


@pytest.mark.parametrize(
    "run,want",
    [
        (lambda w: w.sum(1, keepdim=True), ["sum.dim_IntList"]),
        (lambda w: torch.matmul(w, w.t()), ["t.default", "mm.default"]),
        (lambda w: w[0, 1:], ["select.int", "slice.Tensor"]),
        (lambda w: w[torch.tensor([1])], ["index.Tensor"]),
        (lambda w: w.__setitem__(0, 5.0), ["select.int", "fill_.Scalar"]),
        (lambda w: w.sum().item(), ["sum.default", "_local_scalar_dense.default"]),
        (lambda w: w.shape, []),
        (lambda w: w.dim() + len(w), []),
        (lambda w: w.to(torch.float64), ["_to_copy.default"]),
        (lambda w: w.to(torch.float32), []),
        (lambda w: w.contiguous(), []),
    ],
)
def test_what_reaches_the_handler(run, want):
    """composites arrive as the operators they call; metadata queries and no-ops do not arrive"""
    assert [str(e[0]).replace("aten.", "", 1) for e in logged(lambda: run(wrap(2, 3)))[1]] == want


def test_several_results():
    """operators with several results may return a tuple of wrappers"""
    v, i = wrap(3).topk(2)
    assert type(v) is Wrap and v.inner.tolist() == [2, 1] and i.inner.tolist() == [2, 1]
    assert [p.inner.tolist() for p in wrap(4).split(2)] == [[0, 1], [2, 3]]


def test_result_need_not_be_a_wrapper():
    """the result is what the handler returns, of any class and shape"""

    class Odd(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return torch.full((5,), 7.0)

    out = torch.Tensor._make_wrapper_subclass(Odd, (2,)) + 1
    assert type(out) is torch.Tensor and out.tolist() == [7] * 5


def test_wrapper_of_a_wrapper():
    """wrappers nest: the outer handler's call reaches the inner one"""
    w = Wrap(wrap(2))
    out, log = logged(lambda: w + 1)
    assert len(log) == 2 and type(out.inner) is Wrap and out.inner.inner.tolist() == [1, 2]


def test_function_protocol_keeps_working_above():
    """__torch_function__ of the same class is called first, with functions instead of overloads"""
    got = []

    class Both(Wrap):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            got.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    _, log = logged(lambda: torch.matmul(Both(torch.ones(2, 2)), torch.ones(2, 2)))
    assert got[-1] is torch.matmul and [e[0] for e in log] == [aten().mm.default]


# ---- with autograd
def test_inside_the_handler_nothing_is_tracked():
    """what a handler computes is not recorded, even on inner tensors that require grad"""
    inner = torch.ones(2, requires_grad=True)
    out = Wrap(inner) * 2
    assert not out.requires_grad and not out.inner.requires_grad


def test_hooks_and_retain_grad_on_wrappers():
    """hooks get wrappers"""
    x, got = wrap(2, requires_grad=True), []
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: got.append(type(g)))
    y.sum().backward()
    assert got == [Wrap] and y.grad.inner.tolist() == [1, 1] and x.grad.inner.tolist() == [2, 2]


def test_custom_function_over_wrappers():
    """a custom autograd Function receives and returns wrappers"""

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            assert isinstance(a, Wrap)
            return a * 2

        @staticmethod
        def backward(ctx, g):
            assert isinstance(g, Wrap)
            return g * 20

    x = wrap(2, requires_grad=True)
    Double.apply(x).sum().backward()
    assert x.grad.inner.tolist() == [20, 20]


# ---- in place, views, aliasing
def test_in_place_returns_the_same_object():
    """an in-place call returns its argument, not the handler's result, and raises its version"""
    w = wrap(2)
    v = w._version
    assert w.add_(1) is w and w._version == v + 1 and w.inner.tolist() == [1, 2]


def test_views_of_wrappers_are_views():
    """a view of a wrapper has the wrapper as its base and shares its version"""
    w = wrap(2, 3)
    v = w.view(6)
    assert v._base is w and v._is_view()
    v.add_(1)
    assert w._version == v._version == 1 and w.inner.flatten().tolist() == [1, 2, 3, 4, 5, 6]


def aliasing_class():
    class Alias(Wrap):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return pd().return_and_correct_aliasing(
                func, args, kwargs or {}, cls.run(func, args, kwargs)
            )

    return Alias


def test_return_and_correct_aliasing_views_share_storage():
    """with return_and_correct_aliasing a view shares the wrapper's storage"""
    a = aliasing_class()(torch.ones(2, 3))

    def same(x, y):
        return x.untyped_storage()._cdata == y.untyped_storage()._cdata

    assert same(a.view(6), a) and same(a[0], a) and not same(a + 1, a)
    assert not same(wrap(2, 3).view(6), wrap(2, 3))


# ---- subclasses with data
def test_wrappers_and_lifetime():
    """a view keeps its base wrapper alive, and both are freed once unused"""
    w = wrap(2)
    r, inner = weakref.ref(w), weakref.ref(w.inner)
    v = w.view(2)
    Wrap.log.clear()
    del w
    gc.collect()
    assert r() is not None and v._base is r()
    del v
    gc.collect()
    assert r() is None and inner() is None


# ---- modes
def test_mode_and_wrapper_order():
    """a mode is called before the wrapper's handler and sees the wrapper among types"""
    order = []

    class M(pd().TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            order.append(tuple(types))
            return func(*args, **(kwargs or {}))

    w = wrap(2)
    with M():
        _, log = logged(lambda: w + 1)
    assert order == [(Wrap,)] and [e[0] for e in log] == [aten().add.Tensor]


def test_mode_not_implemented():
    """NotImplemented from a mode on plain tensors is a TypeError that names the operator"""
    x = torch.ones(1)
    with mode("m", [], lambda f, a, k: NotImplemented):
        with pytest.raises(TypeError, match="add"):
            torch.add(x, 1)
    assert torch.add(x, 1).item() == 2


def test_mode_exception_keeps_the_stack():
    """an exception in a mode, also in backward, propagates; the mode stays active in its block"""
    log, x = [], torch.ones(2, requires_grad=True)

    def act(f, a, k):
        if f is aten().cos.default:
            raise KeyError("cos")
        return f(*a, **k)

    y = x.sin().sum()
    with mode("m", log, act):
        with pytest.raises(KeyError):
            y.backward()
        log.clear()
        torch.zeros(1)
        assert len(log) == 1
    torch.zeros(1)
    assert len(log) == 1 and x.grad is None


def test_mode_object_entered_twice_and_in_its_handler():
    """one mode object may be entered twice, and again in its own handler"""
    log, x = [], torch.ones(1)
    m = mode("m", log)
    with m, m:
        torch.sin(x)
    assert len(log) == 2
    names = []

    class Again(pd().TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            if func is aten().sin.default:
                with self:
                    torch.zeros(1)
            return func(*args, **(kwargs or {}))

    with Again():
        torch.sin(x)
    assert names == ["aten.sin.default", "aten.zeros.default"]


def test_mode_in_another_thread():
    """a mode does not affect other threads"""
    log = []
    with mode("m", log):
        t = threading.Thread(target=lambda: torch.ones(1) + 1)
        t.start()
        t.join(20)
    assert log == []


def test_wrapper_with_vmap_and_grad():
    """vmap and grad over wrappers: the handler gets whole-batch calls and wrappers"""
    w = wrap(3, 2)
    out, log = logged(lambda: torch.vmap(lambda r: r.sin())(w))
    assert (
        type(out) is Wrap
        and [e[0] for e in log] == [aten().sin.default]
        and tuple(log[0][2][0].shape) == (3, 2)
    )
    g = sub("func").grad(lambda a: (a * a).sum())(wrap(3))
    assert type(g) is Wrap and g.inner.tolist() == [0, 2, 4]


def test_custom_operator_reaches_mode_and_wrapper():
    """custom operators arrive by their overload; the kernel runs on the unwrapped tensor"""
    got = []
    _, op = new_op(
        "(Tensor x, int k=2, *, Tensor? o=None) -> Tensor",
        lambda x, k=2, *, o=None: (got.append(type(x)), x * k)[1],
    )
    out, log = logged(lambda: op(wrap(2), 3, o=torch.ones(1)))
    assert (
        log[0][0] is op.default
        and log[0][2][1] == 3
        and list(log[0][3]) == ["o"]
        and out.inner.tolist() == [0, 3]
        and got == [torch.Tensor]
    )
    assert seen(lambda: op(torch.ones(1)))[-1] is op.default


def test_wrapper_deepcopy_and_is_subclass_checks():
    """deepcopy returns an independent wrapper"""
    w = wrap(2)
    w.tag = [1]
    c = copy.deepcopy(w)
    c.add_(5)
    assert type(c) is Wrap and w.inner.tolist() == [0, 1] and c.inner.tolist() == [5, 6]
