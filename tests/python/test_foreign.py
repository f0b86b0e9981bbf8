# SPDX-License-Identifier: Apache-2.0
"""Kernels in other languages than Python can do more; foreign_plugin.c has those tested here."""

from __future__ import annotations

import functools
import os
import warnings

import pytest
import tenon


@pytest.fixture(scope="module")
def foreign():
    tenon.ops.load_library(f"{os.environ['TENON_LIB_DIR']}/libpython_test_foreign.so")
    return tenon.ops.test_python_foreign


@pytest.mark.parametrize("name", ["null", "nothing", "typed_null"])
def test_missing_tensor_result_is_an_error(foreign, name):
    op = getattr(foreign, name)
    message = rf"test_python_foreign::{name}: result 0 must be Tensor, got (NULL|None)"
    with pytest.raises(tenon.ArgumentTypeError, match=message):
        op(tenon.ones(2))
    with pytest.raises(tenon.ArgumentTypeError, match=message):
        op(x=tenon.ones(2))
    with pytest.raises(tenon.ArgumentTypeError, match=message), tenon.introspect.profile(None):
        op(tenon.ones(2))
    with tenon.introspect.profile(None) as after:
        tenon.ones(2).sin()
    assert [(event.op, event.depth) for event in after] == [("aten::ones", 0), ("aten::sin", 0)]


@pytest.mark.parametrize("name", ["nothing_optional", "null_optional", "typed_optional"])
def test_missing_optional_tensor_result_is_none(foreign, name):
    op = getattr(foreign, name)
    assert op(tenon.ones(2)) is None and op(x=tenon.ones(2)) is None
    with tenon.introspect.profile(None):
        assert op(tenon.ones(2)) is None


# ---- Functions -----------------------------------------------------------------------------------


class Callable:
    def __init__(self, n):
        self.n = n

    def __call__(self, x):
        return x + self.n

    def method(self, x):
        return x * self.n


def test_python_callables_are_functions_in_other_languages(foreign):
    x = tenon.ones(2)
    for function in (lambda a: a + 2, Callable(2), Callable(2).__call__, functools.partial(max, 3)):
        assert foreign.call(function, [1], 1) == [3]
    assert foreign.call(Callable(3).method, [2], 1) == [6]
    assert foreign.call(lambda a, b: (b, a), [x, x], 2) == [x, x]
    assert foreign.call(lambda: ("a", None, [1, 2]), [], 3) == ["a", None, [1, 2]]
    assert foreign.call(len, ["abc"], 1) == [3] and foreign.call(lambda: None, [], 0) == []
    assert foreign.call(lambda *args: args, [1, "a", None], 1) == [(1, "a", None)]


def test_exceptions_of_functions_reach_the_caller(foreign):
    error = KeyError("mine")

    def fails():
        raise error

    with pytest.raises(KeyError) as caught:
        foreign.call(fails, [], 1)
    assert caught.value is error
    error.__traceback__ = None
    with pytest.raises(TypeError, match="results must be 2 in a tuple, got int"):
        foreign.call(lambda: 1, [], 2)
    with pytest.raises(TypeError, match="results must be 0, which is None, got int"):
        foreign.call(lambda: 1, [], 0)
    with pytest.raises(TypeError, match="positional argument"):
        foreign.call(lambda: 1, [1], 1)


def test_functions_of_other_languages_are_callables_here(foreign):
    add = foreign.adder(5)
    assert callable(add) and repr(add) == "<tenon object of type C.Adder>"
    assert add(1) == 6 and add(1, 2, results=2) == (6, 7) and add(results=0) is None
    assert foreign.call(add, [1], 1) == [6] and list(map(add, range(3))) == [5, 6, 7]
    with pytest.raises(tenon.ArgumentTypeError, match="adder: arguments must be ints"):
        add("a")
    with pytest.raises(TypeError, match="only keyword argument must be results"):
        add(1, other=2)
    with pytest.raises(TypeError, match="results, an int of at least 0"):
        add(1, results=-1)
    with pytest.raises(TypeError, match="argument 0 must be a value, got int"):
        add(2**70)


def test_objects_that_are_no_function_are_not_callable(foreign):
    thing = foreign.thing()
    assert not callable(thing)
    with pytest.raises(tenon.ArgumentTypeError, match=r"C\.Thing"):
        foreign.call(thing, [], 1)
    with pytest.raises(tenon.ArgumentTypeError):
        foreign.call(object(), [], 1)


# ---- Warnings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        ("UserWarning", UserWarning),
        ("DeprecationWarning", DeprecationWarning),
        ("RuntimeWarning", RuntimeWarning),
        ("ImageWarning", UserWarning),
        ("KeyError", UserWarning),
        ("print", UserWarning),
    ],
)
def test_warnings_are_pythons(foreign, category, kind):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        foreign.warn(category, "slow path")
        foreign.warn(category, "test_python_foreign::warn: is slow")
    assert [type(one.message) for one in told] == [kind] * 2
    assert [str(one.message) for one in told] == [
        "test_python_foreign::warn: slow path",
        "test_python_foreign::warn: is slow",
    ]
    assert told[0].filename == __file__


def test_a_warning_that_is_an_error_is_the_calls_exception(foreign):
    class Mine(UserWarning):
        pass

    error = Mine("by hand")

    def show(*args, **kwargs):
        raise error

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DeprecationWarning, match="test_python_foreign::warn: old"):
            foreign.warn("DeprecationWarning", "old")
        warnings.simplefilter("always")
        warnings.showwarning = show
        with pytest.raises(Mine) as caught:
            foreign.warn("UserWarning", "other")
    assert caught.value is error
    error.__traceback__ = None


def test_warnings_of_a_site_are_emitted_once(foreign):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            for _ in range(3):
                foreign.warn("UserWarning", "once", True)
            tenon._tenon.tenon_warning_reset_once()
        tenon._tenon.tenon_warning_emit("UserWarning", "outside of calls")
    assert [str(one.message) for one in told] == [
        *["test_python_foreign::warn: once"] * 2,
        "outside of calls",
    ]


@pytest.fixture
def call():
    """Calls an operator from C threads; the plugin is unloaded after the test."""
    plugin = tenon._tenon.tenon_plugin_load("python_test_threads")
    yield tenon.ops.test_python_threads.call
    tenon._tenon.tenon_plugin_unload(plugin, -1)


def test_threads_of_c_warn(foreign, call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert call("test_python_foreign::warn_for", tenon.ones(1), 2, 3) == 6
    assert [type(one.message) for one in told] == [RuntimeWarning] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="from a thread"):
            call("test_python_foreign::warn_for", tenon.ones(1), 2, 3)


# ---- Overriding objects of other languages and of Python -----------------------------------------


class Mine:
    """Answers "mine", or declines."""

    def __init__(self, declines=False):
        self.declines = declines

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NotImplemented if self.declines else ("mine", func, types)


def test_handlers_of_both_languages_run_in_one_order(foreign):
    add, x = tenon.ops.aten.add, tenon.ones(1)
    assert (
        add(foreign.stand(7), x) == tenon.add(x, foreign.stand(7)) == x.add(foreign.stand(7)) == 7
    )
    assert tenon.add(foreign.stand(7), Mine()) == 7
    text, func, types = tenon.add(foreign.stand(0), Mine())
    # An object of another language takes part, so the dispatcher calls the handler, with the
    # overload.
    assert (text, func) == ("mine", add.Tensor) and types[1:] == (Mine,)
    assert tenon.add(Mine(), foreign.stand(7))[0] == "mine"
    assert tenon.add(Mine(declines=True), foreign.stand(7)) == 7
    assert tenon.cat([x, foreign.stand(7)]) == 7
    with pytest.raises(TypeError, match=r"must accept the call, got .*types \[C.Stand, .*Mine\]"):
        tenon.add(foreign.stand(0), Mine(declines=True))


def test_modes_see_calls_with_objects_of_other_languages(foreign):
    class Seeing(tenon.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    seen, stand, passing, x = [], foreign.stand(7), foreign.stand(0), tenon.ones(1)
    with Seeing():
        assert tenon.add(x, stand) == 7
        assert tenon.nn.functional.relu(stand) == 7
    assert seen == [tenon.add, tenon.nn.functional.relu]

    class Declining(tenon.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    with Seeing(), Declining():
        assert tenon.add(x, stand) == 7
    with Declining():
        assert tenon.add(x, stand) == 7 and tenon.add(passing, Mine())[0] == "mine"
    assert seen[2:] == [tenon.add]
