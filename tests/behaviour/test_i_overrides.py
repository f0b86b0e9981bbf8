# SPDX-License-Identifier: Apache-2.0
"""Section I, items 223 to 226: modes, classes that override, subclasses, and their tools."""

from __future__ import annotations

import importlib
import inspect

import pytest
from items import better, same


def part(peer, name: str):
    return importlib.import_module(f"{peer.package.__name__}.{name}")


def dispatch_mode(peer, name, log, act=None):
    class Noting(part(peer, "utils._python_dispatch").TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            log.append((name, func))
            return act(self, func, args) if act else func(*args, **(kwargs or {}))

    return Noting()


def stand(name: str, answer, *bases, log: list | None = None):
    """Makes a class whose handler returns the same answer for every call."""

    def handler(cls, func, types, args=(), kwargs=None):
        if log is not None:
            log.append((name, [each.__name__ for each in types]))
        return answer

    return type(name, bases, {"__torch_function__": classmethod(handler)})


@same(223, "Dispatch modes: innermost first, off while the handler runs, which may enter it again")
def test_item_223_dispatch_modes(peer):
    package, log = peer.package, []
    x = package.ones(1)
    sin, cos = package.ops.aten.sin.default, package.ops.aten.cos.default
    with dispatch_mode(peer, "outer", log), dispatch_mode(peer, "inner", log):
        package.sin(x)
    assert log == [("inner", sin), ("outer", sin)]
    log.clear()

    def again(self, func, args):
        if func is sin:
            with self:
                package.cos(*args)
        return func(*args)

    with dispatch_mode(peer, "mode", log, again):
        package.sin(x)
    assert log == [("mode", sin), ("mode", cos)]
    declining = dispatch_mode(peer, "mode", log, lambda self, func, args: NotImplemented)
    with declining, pytest.raises(TypeError, match="sin"):
        package.sin(x)


@better(
    224,
    "Handlers run subclass before superclass, otherwise left to right; a TypeError if all decline",
    "the error names these classes in order, in one line",
)
def test_item_224_order_of_classes(peer):
    package, log = peer.package, []
    Base = stand("Base", "base", log=log)
    Derived = stand("Derived", NotImplemented, Base, log=log)
    Other = stand("Other", NotImplemented, log=log)
    types = ["Other", "Derived", "Base"]
    assert package.where(Other(), Base(), Derived()) == "base"
    assert log == [(name, types) for name in types]
    with pytest.raises(TypeError, match="add") as caught:
        package.add(Other(), Other())
    if not peer.is_torch:
        name = "'tenon.add' on types that implement __torch_function__: [Other]"
        assert str(caught.value) == f"no implementation found for {name}"


@same(
    225,
    "Results are of the most derived class, in tuples too; of unrelated ones it is a TypeError",
)
def test_item_225_results_of_subclasses(peer):
    package = peer.package
    One = type("One", (package.Tensor,), {})
    More = type("More", (One,), {})
    Other = type("Other", (package.Tensor,), {})
    plain, one, more, other = (
        package.ones(2).as_subclass(cls) if cls else package.ones(2)
        for cls in (None, One, More, Other)
    )
    assert type(package.add(plain, one)) is One and type(plain * one) is One
    assert type(package.add(one, more)) is More and type(one - more) is More
    assert [type(each) for each in more.max(0)] == [More, More]
    assert type(one.T) is One and type(one.shape) is type(plain.shape)
    with pytest.raises(TypeError):
        package.add(one, other)


@same(226, "For tests of such classes there are all overridable functions, with dummies, by module")
def test_item_226_functions_for_tests(peer):
    package, tools = peer.package, part(peer, "overrides")
    functional = part(peer, "nn.functional")
    functions = tools.get_overridable_functions()
    ignored = set(tools.get_ignored_functions())
    assert package.add in functions[package]
    assert functional.relu in functions[functional]
    assert package.Tensor.add in functions[package.Tensor]
    listed = {each for members in functions.values() for each in members}
    assert not listed & ignored and package.is_tensor in ignored
    dummies = tools.get_testing_overrides()
    for function, arguments in ((package.add, (1, 2)), (functional.relu, (1,))):
        assert dummies[function](*arguments) == -1
        with pytest.raises(TypeError):
            dummies[function]()
    names = list(inspect.signature(dummies[package.add]).parameters)
    assert names[:2] == ["input", "other"] and "out" in names
