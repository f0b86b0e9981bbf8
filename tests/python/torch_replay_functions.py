# SPDX-License-Identifier: Apache-2.0
"""Replays calls of `torch.name(...)` and `tensor.name(...)` with Tenon's functions of that name.

This covers composites, which no dispatch mode sees, and the ways to pass arguments.
"""

from __future__ import annotations

import inspect
from typing import Any

import tenon
import torch
import torch_replay as replay
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree


def place_of(func: Any) -> tuple:
    """Returns the name and Tenon's counterpart of a PyTorch function; None if there is none."""
    name = getattr(func, "__name__", "")
    if name.startswith("__") and name.endswith("__") and name not in OPERATORS:
        return "", None
    if getattr(torch.Tensor, name, None) is func:
        return f"Tensor.{name}", getattr(tenon.Tensor, name, None)
    if getattr(torch, name, None) is func:
        return name, getattr(tenon, name, None)
    if getattr(torch.nn.functional, name, None) is func:
        return f"nn.functional.{name}", getattr(tenon.nn.functional, name, None)
    return f"ops.aten.{name}", getattr(tenon.ops.aten, name, None)


OPERATORS = tuple(
    f"__{sign}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
                 "lshift", "rshift", "matmul")
    for sign in ("", "r", "i")
) + ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__neg__", "__invert__",
     "__abs__", "__getitem__")  # fmt: skip

# Deprecated arguments of losses and softmax, which PyTorch always passes on.
LEGACY = ("size_average", "_stacklevel")
OPTIONAL = ("reduce", "weight", "out")  # None is the same as leaving these out


def draws(func: Any, name: str, args: tuple, kwargs: dict) -> bool:
    """Returns true if a call uses dropout, which PyTorch may draw with another library (MKL)."""
    if "dropout" in name:
        return True
    if name == "multi_head_attention_forward":
        return inspect.signature(func).bind(*args, **kwargs).arguments.get("dropout_p", 0) > 0
    return name == "scaled_dot_product_attention" and kwargs.get("dropout_p", 0) > 0


class Functions(TorchFunctionMode):
    """Repeats each call of a function or method with Tenon's."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = replay.Replay()  # compares the calls and counts them
        self.absent: dict[str, int] = {}

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = {
            key: value
            for key, value in (kwargs or {}).items()
            if key not in LEGACY and (key not in OPTIONAL or value is not None)
        }
        name, peer = place_of(func)
        if peer is not None and draws(func, name.rpartition(".")[2], args, kwargs):
            return func(*args, **kwargs)
        if peer is None:
            base = name.rpartition(".")[2]
            if name and any(f"aten::{base}" == one.partition(".")[0] for one in self.calls.shipped):
                self.absent[name] = self.absent.get(name, 0) + 1
            return func(*args, **kwargs)
        if not self.calls.is_wanted(name, args, kwargs):
            return func(*args, **kwargs)
        given = (args, kwargs)
        told = ", ".join(replay.describe(leaf) for leaf in pytree.tree_leaves(given))
        tensors = replay.tensors_of(given)
        twins = {key: tenon.from_dlpack(one) for key, one in replay.twins_of(given).items()}
        pairs = [(twins[id(t)], t) for t in tensors]
        copies = replay.twins_of(given)
        before = pytree.tree_map(
            lambda leaf: copies[id(leaf)] if isinstance(leaf, torch.Tensor) else leaf, given
        )
        state = torch.random.get_rng_state()
        raised = None
        result = None
        try:
            result = func(*args, **kwargs)
            theirs = replay.Outcome(replay.leaves_of(result))
        except Exception as error:
            theirs, raised = replay.Outcome([], error), error
        if not all(replay.is_plain(one) for one in theirs.results):
            return result
        mine_args, mine_kwargs = pytree.tree_map(lambda leaf: replay.ours(leaf, twins), given)
        tenon.default_generator().set_state(bytes(state.tolist()))
        try:
            mine = replay.Outcome(replay.leaves_of(peer(*mine_args, **mine_kwargs)))
        except replay.REFUSALS as error:
            mine = replay.Outcome([], error)

        def exact() -> list | None:
            wide_args, wide_kwargs = pytree.tree_map(replay.widened, before)
            try:
                return replay.leaves_of(func(*wide_args, **wide_kwargs))
            except Exception:  # no double-precision call
                return None

        weighed = self.calls.weigh(name, mine_args, mine_kwargs, mine, theirs, pairs, exact=exact)
        self.calls.note(name, told, weighed)
        if raised is not None:
            raise raised
        return result
