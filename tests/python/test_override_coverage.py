# SPDX-License-Identifier: Apache-2.0
"""Calls every public function, which must run `__torch_function__`; exceptions are listed."""

from __future__ import annotations

import copy
import inspect
import pickle
import types

import pytest
import tenon
import tenon.autograd
import tenon.nn.functional
from tenon import Tensor, override_names, overrides
from tenon._tenon import OpOverloadPacket
from tenon.overrides import get_ignored_functions, get_overridable_functions, resolve_name


class Asked(Exception):
    """Raised by the handlers of this file, with the function that they were called for."""


class Duck:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise Asked(func)


class Sub(tenon.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise Asked(func)


def operand(text, first):
    """Returns an argument of a type; `first` for tensors."""
    if "Tensor" in text:
        return [first] if "[" in text else first
    if text.startswith("bool["):
        return [False] * int(text.strip("bool[]?"))
    kinds = {"float": 0.0, "bool": False, "bool?": False, "str": ""}
    return kinds.get(text, [0] if "[" in text else 0)


def operands(function, first):
    """Returns positional and keyword arguments that may fit the function's overloads."""
    packet = getattr(function, "__wrapped__", function)
    if not isinstance(packet, OpOverloadPacket):
        return [((first, *more), {}) for more in ((), (0,), (0, 0), (first,), (first, first))]
    packet.overloads()
    rows = []
    for op in packet._ops:
        needed = [one for one in op._schema.arguments if not one.has_default]
        given = [operand(one.type, first) for one in needed if not one.kwarg_only]
        named = {one.name: operand(one.type, first) for one in needed if one.kwarg_only}
        rows.append((given, named))
    return rows


def asked(function, rows):
    """Returns the function that a handler gets when one of the rows of arguments fits."""
    for given, named in rows:
        try:
            function(*given, **named)
        except Asked as answer:
            return answer.args[0]
        except (TypeError, AttributeError, ValueError, RuntimeError):
            continue
    return None


def test_every_function_calls_handlers():
    functions = get_overridable_functions()
    named = {one for place, list_ in functions.items() if place is not Tensor for one in list_}
    assert len(named) > 140
    silent = [resolve_name(one) for one in named if asked(one, operands(one, Duck())) is not one]
    assert silent == []


def test_every_member_of_tensor_calls_handlers():
    members = get_overridable_functions()[Tensor]
    assert len(members) > 250
    x = tenon.ones(2).as_subclass(Sub)
    silent = [resolve_name(one) for one in members if asked(one, operands(one, x)) is None]
    assert silent == []


# Functions for the package's own code, which are not meant for users.
HELPERS = {"overridable", "run_batched"}


def public_functions(module):
    """Yields functions by name: those that `import *` imports, and others without an underscore."""
    for name in sorted({*module.__all__, *vars(module), *getattr(module, "_LAZY_FUNCTIONS", ())}):
        value = getattr(module, name)
        is_function = callable(value) and not isinstance(value, (type, types.ModuleType))
        if is_function and not name.startswith("_") and name not in HELPERS:
            yield name, value


def unknown(module):
    """Lists the functions that are neither overridable nor ignored, or both."""
    known = {id(one) for functions in get_overridable_functions().values() for one in functions}
    ignored = {id(one) for one in get_ignored_functions()}
    return [
        name
        for name, value in public_functions(module)
        if (id(value) in known) == (id(value) in ignored)
    ]


def ignored_of(module):
    """Returns the names of the functions that no class can override."""
    ignored = {id(one) for one in get_ignored_functions()}
    return {name for name, value in public_functions(module) if id(value) in ignored}


MODULES = tenon, tenon.nn.functional, tenon.autograd


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_functions_are_overridable_or_ignored(module):
    assert unknown(module) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_new_function_that_calls_no_handler_is_found(module, monkeypatch):
    """Finds it both outside of `__all__` and in it, where it counts as an ignored function."""
    monkeypatch.setattr(module, "brand_new", lambda input: input, raising=False)
    assert unknown(module) == ["brand_new"]
    monkeypatch.setattr(module, "__all__", [*module.__all__, "brand_new"])
    before = ignored_of(module)
    override_names._found.cache_clear()
    try:
        assert ignored_of(module) - before == {"brand_new"}
    finally:
        monkeypatch.undo()
        override_names._found.cache_clear()


def test_functions_with_names_of_builtins_are_among_them():
    named = {resolve_name(one) for one in get_overridable_functions()[tenon]}
    assert {f"tenon.{name}" for name in ("abs", "max", "pow", "round", "sum")} <= named
    with pytest.raises(TypeError, match="no implementation found for 'tenon.sum' on types"):
        tenon.sum(Declining())


class Declining:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def test_ignored_functions_are_few_and_named():
    """Ignored are factories, which take no tensor, and functions that access global state."""
    assert ignored_of(tenon.nn.functional) == set()
    assert ignored_of(tenon.autograd) == {"gradcheck", "gradgradcheck", "is_multithreading_enabled"}
    assert ignored_of(tenon) == {
        *("arange", "as_tensor", "can_cast", "default_generator", "empty", "empty_strided", "eye"),
        *("find_op", "from_dlpack", "from_numpy", "frombuffer", "full", "get_cmake_dir"),
        *("get_default_dtype", "get_include", "get_num_threads", "get_rng_state", "is_available"),
        *("is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_grad_enabled"),
        *("clear_autocast_cache", "get_autocast_dtype", "is_autocast_cache_enabled"),
        *("is_autocast_enabled", "set_autocast_cache_enabled", "set_autocast_dtype"),
        *("load", "save", "set_autocast_enabled", "vmap"),
        *("is_inference_mode_enabled", "is_tensor", "manual_seed", "ones", "promote_types"),
        *("rand", "randint", "randn", "set_default_dtype", "set_num_threads", "set_rng_state"),
        *("broadcast_shapes", "get_default_device", "initial_seed", "is_storage", "range"),
        *("scalar_tensor", "seed", "set_default_device", "set_printoptions"),
        *("sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt"),
        *("cond", "eig", "empty_permuted", "lstsq", "matrix_rank", "solve", "sym_sum", "symeig"),
        *("tensor", "while_loop", "zeros"),
    }


def test_functions_are_pickled_by_name():
    for function in (tenon.zeros, tenon.arange, tenon.nn.functional.relu, tenon.autograd.grad):
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function
    relu = tenon.nn.functional.relu
    assert (relu.__name__, relu.__module__) == ("relu", "tenon.nn.functional")
    assert str(inspect.signature(relu)).startswith("(input") and relu.__doc__


def test_factories_are_seen_by_modes():
    class Seeing(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    seen = []
    with Seeing():
        tenon.zeros(1)
        tenon.arange(2)
        tenon.tensor([1.0])
    assert seen == [tenon.zeros, tenon.arange, tenon.tensor]
