# SPDX-License-Identifier: Apache-2.0
"""Replays calls as their in-place and `out=` overloads, with `out` arguments of many kinds."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import tenon
import torch
import torch_replay as replay
from torch.utils import _pytree as pytree

OPTIONS = ("dtype", "layout", "device", "pin_memory")
OUT_DTYPES = ("float32", "float64", "bfloat16", "int64", "int32", "uint8", "bool", "complex64")


def signature(func: Any) -> list:
    """Returns the names and types of the arguments that an overload reads."""
    return [(one.name, str(one.type)) for one in func._schema.arguments if not one.is_out]


@functools.cache
def out_form(func: Any) -> Any:
    """Returns the overload that writes what `func` returns, None if there is none."""
    packet = getattr(torch.ops.aten, func._opname)
    wanted = signature(func)
    short = [one for one in wanted if one[0] not in OPTIONS]
    for name in packet.overloads():
        other = getattr(packet, name)
        is_out = any(one.is_out for one in other._schema.arguments)
        if is_out and signature(other) in (wanted, short):
            return other
    return None


@functools.cache
def in_place_form(func: Any) -> Any:
    """Returns the overload that writes into the first argument, None if there is none."""
    packet = getattr(torch.ops.aten, f"{func._opname}_", None)
    wanted = signature(func)
    for name in packet.overloads() if packet else ():
        other = getattr(packet, name)
        if signature(other) == wanted and other._schema.arguments[0].is_write:
            return other
    return None


def breaks_memory(name: str, outs: list) -> bool:
    """Returns true if PyTorch writes out of bounds: it resamples bytes as if contiguous."""
    return name.startswith("aten::upsample_bi") and outs[0].dtype is torch.uint8


OVERLAPS = ("of one element", "partly its input", "partly its other")


class Forms(replay.Replay):
    """Calls the `out=` and in-place overloads of each recorded call, in both libraries."""

    most_of_a_kind = 4

    def beside(self, func: Any, args: tuple, kwargs: dict) -> Any:
        result = func(*args, **kwargs)
        results = replay.leaves_of(result)
        is_view = any(one.alias_info for one in func._schema.arguments)
        is_told = all(
            isinstance(one, torch.Tensor) and replay.is_shared(one.dtype) for one in results
        )
        if is_view or not results or not is_told:
            return result
        with torch.utils._python_dispatch._disable_current_modes():
            if (out := out_form(func)) and replay.full_name(out) in self.shipped:
                self.into_outs(func, out, args, kwargs, results)
            if (in_place := in_place_form(func)) and replay.full_name(in_place) in self.shipped:
                exact = functools.partial(replay.exact_results, func, (args, kwargs))
                self.in_place(in_place, args, kwargs, exact)
        return result

    def into_outs(self, func: Any, out: Any, args: tuple, kwargs: dict, results: list) -> None:
        if breaks_memory(replay.full_name(func), results):
            return
        names = [one.name for one in out._schema.arguments if one.is_out]
        taken = {one.name for one in out._schema.arguments}
        kwargs = {key: value for key, value in kwargs.items() if key in taken}
        for kind, outs in outs_like(results):
            written = {**kwargs, **dict(zip(names, outs, strict=True))}
            exact = functools.partial(replay.exact_results, func, (args, kwargs))
            self.call(out, kind, args, written, results[0].dtype, exact)
        first = next((one for one in args if isinstance(one, torch.Tensor)), None)
        if first is None or first.shape != results[0].shape or first.dtype != results[0].dtype:
            return
        same = replay.twin(first)
        others = [torch.empty_like(one) for one in results[1:]]
        swapped = [same if one is first else one for one in args]
        outs = dict(zip(names, [same, *others], strict=True))
        exact = functools.partial(replay.exact_results, func, (args, kwargs))
        self.call(out, "its own input", swapped, {**kwargs, **outs}, None, exact)
        memory = torch.zeros(first.numel() + 1, dtype=first.dtype)
        moved = memory[:-1].view(first.shape).copy_(first)
        swapped = [moved if one is first else one for one in args]
        outs[names[0]] = memory[1:].view(first.shape)
        self.call(out, "partly its input", swapped, {**kwargs, **outs})

    def in_place(self, func: Any, args: tuple, kwargs: dict, exact: Any) -> None:
        self.call(func, "", args, kwargs, None, exact)
        if not args or not isinstance(args[0], torch.Tensor):
            return
        given, *rest = args
        for dtype in OUT_DTYPES:
            if given.dtype is not getattr(torch, dtype):
                if given.is_complex() and not getattr(torch, dtype).is_complex:
                    continue
                self.call(func, f"of {dtype}", [given.to(getattr(torch, dtype)), *rest], kwargs)
        if given.numel() > 1:
            self.call(func, "of one element", [at_one_place(given), *rest], kwargs)
        if rest and isinstance(rest[0], torch.Tensor) and rest[0].dtype is given.dtype:
            if rest[0].shape == given.shape and given.numel() > 1:
                memory = torch.zeros(given.numel() + 1, dtype=given.dtype)
                parts = [memory[1:].view(given.shape), memory[:-1].view(given.shape)]
                parts[1].copy_(rest[0])
                self.call(func, "partly its other", [*parts, *rest[1:]], kwargs)

    def call(
        self,
        func: Any,
        kind: str,
        args: Any,
        kwargs: dict,
        computed: Any = None,
        exact: Any = None,
    ) -> None:
        """Calls both libraries; an `out` to resize is Tenon's own, as imported memory is fixed."""
        args = list(args)
        name = replay.full_name(func)
        leaves, spec = pytree.tree_flatten((args, kwargs))
        state = torch.random.get_rng_state()
        twins = replay.twins_of((args, kwargs))
        mine_args, mine_kwargs = pytree.tree_map(
            lambda leaf: replay.ours(leaf, twins), (args, kwargs)
        )
        written = {one.name for one in func._schema.arguments if one.is_out}
        for key, value in kwargs.items():
            if key in written and kind.startswith("resized"):
                mine_kwargs[key] = tenon.empty(
                    list(value.shape), dtype=getattr(tenon, replay.name_of(value.dtype))
                )
                twins[id(value)] = mine_kwargs[key]
        # Described before the call, which changes what it writes.
        told = ", ".join(replay.describe(leaf) for leaf in leaves) + f", {kind}"
        tensors = replay.tensors_of((args, kwargs))
        torch.random.set_rng_state(state)
        try:
            theirs = replay.Outcome(replay.leaves_of(func(*args, **kwargs)))
        except Exception as error:
            theirs = replay.Outcome([], error)
        torch.random.set_rng_state(state)
        tenon.default_generator().set_state(bytes(state.tolist()))
        try:
            mine = replay.Outcome(replay.leaves_of(tenon.find_op(name)(*mine_args, **mine_kwargs)))
        except replay.REFUSALS as error:
            mine = replay.Outcome([], error)
        pairs = [(twins[id(t)], t) for t in tensors]
        if kind in OVERLAPS and (mine.error is not None or theirs.error is None):
            # PyTorch checks for overlaps in some kernels; the results of other kernels are
            # undefined.
            self.tally["overlaps refused" if mine.error else "overlaps taken by both"] += 1
            return
        self.note(
            name,
            told,
            self.weigh(name, mine_args, mine_kwargs, mine, theirs, pairs, kind, computed, exact),
        )


def outs_like(results: list) -> Iterator[tuple]:
    """Yields `out` arguments of one kind after another for such results, with the kind's name."""
    yield "", [torch.zeros_like(one) for one in results]
    for dtype in OUT_DTYPES:
        if results[0].dtype is not getattr(torch, dtype):
            first = torch.zeros(results[0].shape, dtype=getattr(torch, dtype))
            yield f"of {dtype}", [first, *(torch.zeros_like(one) for one in results[1:])]
    yield "resized from none", [torch.empty(0, dtype=one.dtype) for one in results]
    yield "resized from more", [torch.empty([*one.shape, 2], dtype=one.dtype) for one in results]
    if results[0].dim() > 0:
        yield "with gaps", [gapped(one) for one in results]
    if results[0].dim() > 1:
        yield (
            "transposed",
            [
                torch.zeros(one.shape[::-1], dtype=one.dtype).permute(*reversed(range(one.dim())))
                for one in results
            ],
        )
    if results[0].numel() > 1:
        yield "of one element", [at_one_place(one) for one in results]


def gapped(one: torch.Tensor) -> torch.Tensor:
    return torch.zeros([*one.shape[:-1], 2 * one.shape[-1]], dtype=one.dtype)[..., ::2]


def at_one_place(one: torch.Tensor) -> torch.Tensor:
    """Returns a tensor whose elements share an address.

    Its storage is large enough for separate elements, which some kernels of PyTorch write.
    """
    return torch.zeros(one.numel(), dtype=one.dtype).as_strided(one.shape, [0] * one.dim())
