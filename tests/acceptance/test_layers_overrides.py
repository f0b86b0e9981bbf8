# SPDX-License-Identifier: Apache-2.0
"""The override protocol: classes with __torch_function__, subclasses, modes and tools."""

import pickle
import pytest
from seed import sub, torch


def ov():
    return sub("overrides")


pytestmark = pytest.mark.filterwarnings("ignore")


def no_subclass():
    """Returns the guard that disables __torch_function__ of classes."""
    package = sub("_C") if torch.__name__ == "torch" else ov()
    return package.DisableTorchFunctionSubclass()


def duck(name, answer, *bases, log=None):
    """Makes a class that returns `answer` for every overridable call."""

    def tf(cls, func, types, args=(), kwargs=None):
        if log is not None:
            log.append((name, tuple(t.__name__ for t in types)))
        return answer

    return type(name, bases or (object,), {"__torch_function__": classmethod(tf)})


class Sub(torch.Tensor):
    """A tensor subclass that inherits its handler."""


class Logged(torch.Tensor):
    """A tensor subclass that records every function that it handles."""

    seen = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Logged.seen.append(func)
        return super().__torch_function__(func, types, args, kwargs or {})


def sub_of(cls, *v):
    return torch.tensor(list(v) or [1.0, 2.0, 3.0]).as_subclass(cls)


def logged(run):
    Logged.seen.clear()
    out = run()
    return out, list(Logged.seen)


def mode(name, log, act=None):
    class Mode(ov().TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append((name, getattr(func, "__name__", str(func))))
            return act(func, args, kwargs or {}) if act else func(*args, **(kwargs or {}))

    return Mode()


# ---- which handlers are called, in which order and with which arguments --------------------------
def test_method_call_gets_the_method():
    """called through a tensor method, func is that method of Tensor, and args contain self"""
    got = []

    class D:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            got.append((func, args[1]))
            return "x"

    d, t = D(), torch.ones(1)
    assert t.sub(d) == "x" and got == [(torch.Tensor.sub, d)]


def test_plain_tensors_are_not_among_types():
    """types lists only classes with a handler, each once"""
    log = []
    D = duck("D", 0, log=log)
    torch.cat([torch.ones(1), D(), D(), torch.ones(1)])
    assert log == [("D", ("D",))]


def test_subclasses_before_their_bases():
    """a subclass further right comes before its base, and after unrelated classes to its left"""
    log = []
    A = duck("A", "a", log=log)
    B = duck("B", "b", A, log=log)
    X = duck("X", NotImplemented, log=log)
    assert torch.add(A(), B()) == "b" and log == [("B", ("B", "A"))]
    log.clear()
    assert torch.where(X(), A(), B()) == "b" and log == [
        ("X", ("X", "B", "A")),
        ("B", ("X", "B", "A")),
    ]


def test_subclass_may_pass_on_to_its_base():
    """NotImplemented from the subclass leads to the base"""
    log = []
    A = duck("A", "a", log=log)
    B = duck("B", NotImplemented, A, log=log)
    assert torch.add(A(), B()) == "a" and [n for n, _ in log] == ["B", "A"]


def test_all_pass_on():
    """if every handler returns NotImplemented, it is a TypeError that names the function"""
    D = duck("D", NotImplemented)
    with pytest.raises(TypeError, match="add"):
        torch.add(D(), D())
    with pytest.raises(TypeError, match="relu"):
        torch.nn.functional.relu(D())
    with pytest.raises(TypeError):
        torch.ones(1) + D()
    assert torch.add(D(), duck("E", "e")()) == "e"


def test_exception_passes():
    """an exception of a handler reaches the caller unchanged, and the next call works"""

    class Odd(Exception):
        pass

    class D:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise Odd("seen")

    with pytest.raises(Odd, match="seen"):
        torch.cat([torch.ones(1), D()])
    assert (torch.ones(1) + 1).item() == 2


def test_modules_and_autograd_grad_take_part():
    """a module call passes a foreign object to linear; autograd.grad calls handlers too"""
    D = duck("D", "d")
    assert torch.nn.Linear(2, 1)(D()) == "d" and torch.autograd.grad(D(), D()) == "d"


# ---- tensor subclasses
def test_subclass_inside_results():
    """tuples and lists of tensors hold subclass instances; numbers stay numbers"""
    s = sub_of(Sub)
    assert (
        [type(p) for p in s.split(1)] == [Sub] * 3
        and type(s.max(0).values) is Sub
        and type(s.max(0).indices) is Sub
    )
    assert (
        [type(r) for r in s] == [Sub] * 3
        and type(s.sum().item()) is float
        and s.tolist() == [1, 2, 3]
    )
    assert type(s.shape) is torch.Size and s.dim() == 1


@pytest.mark.parametrize(
    "run,want",
    [
        (lambda s: s + 1, "add"),
        (lambda s: s.sum(), "sum"),
        (lambda s: s[0], "__getitem__"),
        (lambda s: len(s), "__len__"),
        (lambda s: s == s, "__eq__"),
        (lambda s: 1 - s, "__rsub__"),
        (lambda s: s.item, None),
        (lambda s: s.size(), "size"),
        (lambda s: s.__setitem__(0, 5.0), "__setitem__"),
        (lambda s: bool(s.sum() > 0), "__bool__"),
        (lambda s: repr(s), "__repr__"),
    ],
)
def test_methods_reach_the_handler_as_methods_of_tensor(run, want):
    """methods and operators arrive as attributes of Tensor, in the order of the calls"""
    _, seen = logged(lambda: run(sub_of(Logged)))
    assert (want is None and seen == []) or want in [f.__name__ for f in seen]


def test_properties_reach_the_handler():
    """reading and setting attributes calls the handler with the property's __get__ or __set__"""
    s = sub_of(Logged)
    _, seen = logged(lambda: (s.shape, s.dtype, s.requires_grad, s.T, s.grad, s.device, s.ndim))
    assert [f.__name__ for f in seen] == ["__get__"] * 7 and seen[0] == torch.Tensor.shape.__get__
    _, seen = logged(lambda: setattr(s, "requires_grad", True))
    assert [f.__name__ for f in seen] == ["__set__"]


def test_disabled_handler_gives_plain_results():
    """a subclass may disable the protocol for itself and gets plain tensors"""
    off = (
        getattr(ov(), "_disabled_torch_function_impl", None)
        or sub("_C")._disabled_torch_function_impl
    )
    Quiet = type("Quiet", (torch.Tensor,), {"__torch_function__": off})
    q = sub_of(Quiet)
    assert type(q + 1) is torch.Tensor and not ov().has_torch_function((q,))


def test_guard_switches_classes_off():
    """under DisableTorchFunctionSubclass, class handlers are not called and results are plain"""
    s = sub_of(Logged)
    with no_subclass():
        out, seen = logged(lambda: s + 1)
        assert seen == [] and type(out) is torch.Tensor and not ov().has_torch_function((s,))
    assert type(s + 1) is Logged


# ---- modes
def test_mode_order_and_passing_on():
    """the innermost mode is called first; calling func in it calls the next outer one"""
    log = []
    with mode("outer", log):
        with mode("inner", log):
            torch.zeros(1)
    assert log == [("inner", "zeros"), ("outer", "zeros")]


def test_mode_may_change_arguments_and_results():
    """what the handler returns is the result"""
    with mode(
        "m",
        [],
        lambda f, a, k: (
            "gone"
            if f is torch.sum
            else f(*a, **dict(k, dtype=torch.float64))
            if f is torch.ones
            else f(*a, **k)
        ),
    ):
        x = torch.ones(2)
        assert x.dtype == torch.float64 and torch.sum(x) == "gone"


def test_mode_not_implemented_falls_to_classes():
    """NotImplemented from a mode leads to the arguments' classes, or to an error without any"""
    D = duck("D", "d")
    one = torch.ones(1)
    with mode("m", [], lambda f, a, k: NotImplemented):
        assert torch.add(one, D()) == "d"
        with pytest.raises(TypeError):
            torch.add(one, one)


def test_mode_exception_leaves_it_on_and_exit_takes_it_off():
    """a handler that raises leaves the stack of modes balanced"""
    log = []

    def act(f, a, k):
        if f is torch.ones:
            raise KeyError("k")
        return f(*a, **k)

    with mode("m", log, act):
        with pytest.raises(KeyError):
            torch.ones(1)
        torch.zeros(1)
    torch.zeros(1)
    assert log == [("m", "ones"), ("m", "zeros")]


def test_mode_entered_in_its_own_handler():
    """a handler may enter its own mode again"""
    log = []

    class M(ov().TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append(func.__name__)
            if func is torch.add:
                with self:
                    torch.zeros(1)
            return func(*args, **(kwargs or {}))

    x = torch.ones(1)
    with M():
        torch.add(x, x)
    assert log == ["add", "zeros"]


def test_mode_sees_subclass_calls_in_backward_not():
    """the operators that backward runs are no function calls"""
    log, x = [], torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    with mode("m", log):
        y.backward()
    assert [n for _, n in log] == ["backward"] and x.grad.tolist() == [2, 2]


# ---- tools
def test_wrap_torch_function():
    """wrap_torch_function lets handlers override a user function by the selected arguments"""

    @ov().wrap_torch_function(lambda a, b=None, *, c=None: (a, c))
    def f(a, b=None, *, c=None):
        return "plain"

    D = duck("D", "d")
    assert (
        f(1) == "plain"
        and f(D()) == "d"
        and f(1, c=D()) == "d"
        and f(1, D()) == "plain"
        and f.__name__ == "f"
    )


def test_has_and_handle_torch_function():
    """has_torch_function finds a handler; handle_torch_function calls it with all arguments"""
    got = []

    class D:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            got.append((func, args, kwargs))
            return "d"

    def f(a, b, k=0):
        if ov().has_torch_function((a, b)):
            return ov().handle_torch_function(f, (a, b), a, b, k=k)
        return "plain"

    d = D()
    assert (
        f(1, 2) == "plain"
        and f(torch.ones(1), 2) == "plain"
        and f(1, d, k=3) == "d"
        and got == [(f, (1, d), {"k": 3})]
    )
    with pytest.raises(TypeError):
        f(duck("N", NotImplemented)(), 1)


def test_has_torch_function_forms():
    """tensors and other objects have no handler, subclasses and ducks do; all forms agree"""
    o, d, t = ov(), duck("D", 1)(), torch.ones(1)
    assert (
        o.has_torch_function((sub_of(Sub),))
        and o.has_torch_function((1, d))
        and not o.has_torch_function((t, "x", None))
    )
    assert o.has_torch_function_unary(d) and not o.has_torch_function_unary(t)
    assert o.has_torch_function_variadic(t, d) and not o.has_torch_function_variadic(t, t)


def test_is_tensor_like():
    """tensors, their subclasses and classes with a handler are tensor-like"""
    like = ov().is_tensor_like
    assert (
        like(torch.ones(1))
        and like(sub_of(Sub))
        and like(duck("D", 1)())
        and not like(3)
        and not like([torch.ones(1)])
    )


def test_resolve_name():
    """resolve_name names overridable functions, methods and properties, and no others"""
    r = ov().resolve_name
    m = torch.__name__
    assert (
        r(torch.add) == m + ".add" and r(torch.Tensor.add) == m + ".Tensor.add" and r(len) is None
    )
    assert r(torch.Tensor.shape.__get__) == m + ".Tensor.shape.__get__"
    assert r(torch.nn.functional.relu) == m + ".nn.functional.relu"


def test_overridable_and_ignored_functions():
    """overridable functions are grouped by module; none of them is ignored"""
    d, ignored = ov().get_overridable_functions(), ov().get_ignored_functions()
    assert (
        torch.add in d[torch]
        and torch.nn.functional.relu in d[torch.nn.functional]
        and torch.Tensor.add in d[torch.Tensor]
    )
    assert torch.is_tensor in ignored and torch.add not in ignored and torch.ones not in d[torch]


def test_testing_overrides():
    """every function in get_testing_overrides takes its function's arguments and returns -1"""
    t = ov().get_testing_overrides()
    assert (
        t[torch.add](1, 2) == -1
        and t[torch.cat]([1]) == -1
        and t[torch.nn.functional.relu](1) == -1
    )
    assert torch.is_tensor not in t and all(callable(v) for v in t.values())


def test_pickle_and_deepcopy_of_a_subclass():
    """pickling and deepcopy keep the type and attributes of a subclass instance"""
    s = sub_of(Sub)
    s.note = [1]
    p = pickle.loads(pickle.dumps(s))
    assert type(p) is Sub and p.tolist() == [1, 2, 3] and p.note == [1]
