# SPDX-License-Identifier: Apache-2.0
"""Every public function asks `__torch_function__`: all are called, what does not is named."""

from __future__ import annotations

import copy
import inspect
import pickle

import tenon
import tenon.autograd
import tenon.nn.functional
from tenon import Tensor, overrides
from tenon._tenon import OpOverloadPacket
from tenon.overrides import get_ignored_functions, get_overridable_functions, resolve_name


class Asked(Exception):
    """What every handler here answers: it was asked for this function."""


class Duck:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise Asked(func)


class Sub(tenon.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise Asked(func)


def operands(function, first):
    """Arguments that fit the function's overloads as far as they are known: `first` for tensors."""
    packet = getattr(function, "__wrapped__", function)
    if not isinstance(packet, OpOverloadPacket):
        return [(first, *more) for more in ((), (0,), (0, 0), (first,), (first, first))]
    packet.overloads()
    kinds = {"float": 0.0, "bool": False, "int[]": [0], "str": ""}
    rows = []
    for op in packet._ops:
        needed = [one.type for one in op._schema.arguments if not one.has_default]
        rows.append(
            tuple(
                [first]
                if "Tensor" in text and "[" in text
                else first
                if "Tensor" in text
                else kinds.get(text, [0] if "[" in text else 0)
                for text in needed
            )
        )
    return rows


def asked(function, rows):
    """What a handler was asked for when the function was called with some of the arguments."""
    for row in rows:
        try:
            function(*row)
        except Asked as answer:
            return answer.args[0]
        except (TypeError, AttributeError, ValueError, RuntimeError):
            continue
    return None


def test_every_function_asks():
    functions = get_overridable_functions()
    named = {one for place, list_ in functions.items() if place is not Tensor for one in list_}
    assert len(named) > 140
    silent = [resolve_name(one) for one in named if asked(one, operands(one, Duck())) is not one]
    assert silent == []


def test_every_member_of_tensor_asks():
    members = get_overridable_functions()[Tensor]
    assert len(members) > 250
    x = tenon.ones(2).as_subclass(Sub)
    silent = [resolve_name(one) for one in members if asked(one, operands(one, x)) is None]
    assert silent == []


def test_public_functions_are_overridable_or_ignored():
    known = {id(one) for functions in get_overridable_functions().values() for one in functions}
    ignored = {id(one) for one in get_ignored_functions()}
    for module in (tenon, tenon.nn.functional, tenon.autograd):
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not isinstance(value, type):
                assert (id(value) in known) != (id(value) in ignored), name


def test_ignored_functions_are_few_and_named():
    """What is left out: factories, which have no tensor to ask, and what sets or reads a state."""
    found = {
        getattr(one, "__name__", "") for one in get_ignored_functions() if one is not None
    } & set(tenon.__all__)
    assert found == {
        *("arange", "as_tensor", "can_cast", "default_generator", "empty", "empty_strided", "eye"),
        *("find_op", "from_dlpack", "from_numpy", "frombuffer", "full", "get_cmake_dir"),
        *("get_default_dtype", "get_include", "get_num_threads", "get_rng_state", "is_available"),
        "is_grad_enabled",
        *("is_inference_mode_enabled", "is_tensor", "manual_seed", "ones", "promote_types"),
        *("rand", "randint", "randn", "set_default_dtype", "set_num_threads", "set_rng_state"),
        *("tensor", "zeros"),
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
