# SPDX-License-Identifier: Apache-2.0
"""Calls that PyTorch's operator samples (OpInfo) make, on tensors with symbolic sizes.

Each call that test_torch_samples.py compares runs here on meta tensors, whose sizes of 2 or more
are symbols; equal sizes share a symbol. With the call's numbers substituted, results must have the
sizes, strides and offset of the call without symbols. If the guards hold for other numbers, the
same must be true for these. Refused calls and specialized symbols are listed by operator; those
that are intended are in symbolic_reasons.py, with reasons. Skipped visibly if PyTorch is not
installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import collections
import re
from typing import Any

import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")

import symbolic_reasons  # noqa: E402
import torch_replay as replay  # noqa: E402
from symbolic_sizes import (  # noqa: E402
    Sizes,
    evaluated,
    is_row_major,
    shape_of,
    tensors_in,
    without_offset,
)  # noqa: E402
from test_fake_operators import convert  # noqa: E402
from test_symbolic_operators import OTHER  # noqa: E402
from test_torch_samples import run, samples  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402
from torch_replay_functions import place_of  # noqa: E402


def pattern(leaf: Any) -> str:
    """Returns the properties of an argument that may select another shape rule."""
    if not isinstance(leaf, torch.Tensor):
        return repr(leaf)
    return f"{leaf.dtype} {leaf.dim()} {leaf.is_contiguous()} {[min(n, 2) for n in leaf.shape]}"


class Calls:
    """Compares calls on symbols with calls on numbers, for a few calls of each operator."""

    most_of_a_kind = 6

    def __init__(self) -> None:
        self.seen: set = set()
        self.counts: collections.Counter = collections.Counter()
        self.tally: collections.Counter = collections.Counter()
        self.lines: collections.Counter = collections.Counter()
        self.examples: dict = {}

    def is_wanted(self, name: str, given: Any) -> bool:
        leaves = pytree.tree_leaves(given)
        if not all(replay.is_plain(one, name) for one in leaves):
            return False
        if not any(n >= 2 for t in replay.tensors_of(given) for n in t.shape):
            return False
        looks = (name, *map(pattern, leaves))
        if looks in self.seen or self.counts[name] >= self.most_of_a_kind:
            return False
        self.seen.add(looks)
        self.counts[name] += 1
        return True

    def compare(self, name: str, call: Any, given: Any) -> None:
        """Compares one call; `call` is Tenon's function, `given` are PyTorch's arguments."""
        twins = {id(t): tenon.from_dlpack(replay.twin(t)) for t in replay.tensors_of(given)}
        args, kwargs = pytree.tree_map(lambda leaf: replay.ours(leaf, twins), given)
        told = ", ".join(replay.describe(leaf) for leaf in pytree.tree_leaves(given))
        sizes = Sizes()
        in_symbols = {id(one): sizes.tensor(one) for one in tensors_in([args, [*kwargs.values()]])}
        try:
            real = tensors_in([call(*args, **kwargs)])
        except replay.REFUSALS:
            self.tally["refused in numbers"] += 1
            return
        line = self.difference(name, call, args, kwargs, sizes, in_symbols, real)
        self.note(name, told, line)

    def difference(self, name, call, args, kwargs, sizes, in_symbols, real) -> str:
        tensors = tensors_in([args, [*kwargs.values()]])

        def symbolic(tensor):
            return in_symbols[id(tensor)]

        try:
            with tenon.no_grad():
                results = call(
                    *(convert(on_meta(one), symbolic) for one in args),
                    **{key: convert(on_meta(one), symbolic) for key, one in kwargs.items()},
                )
            results = tensors_in([results])
        except tenon.DataDependentError as error:
            if "u0" not in str(error) and "symbol" not in str(error):
                self.tally["asks for elements"] += 1
                return ""
            return f"refused: {error}"
        except replay.REFUSALS as error:
            return f"refused: {type(error).__name__}: {error}"
        if len(results) != len(real):
            return f"got {len(results)} results, expected {len(real)}"
        hints = {repr(one): number for number, one in sizes.of.items()}
        found = [evaluated(shape_of(one), hints) for one in results]
        expected = [shape_of(one) for one in real]
        if any(one.storage_offset() for one in tensors):  # the meta tensors have no offset
            found, expected = without_offset(found), without_offset(expected)
        for mine, theirs, a, b in zip(found, expected, results, real, strict=True):
            if mine != theirs:
                return f"got sizes, strides and offset {mine}, expected {theirs}"
            if a.dtype != b.dtype:
                return f"got {a.dtype}, expected {b.dtype}"
            if a.is_contiguous() != b.is_contiguous():
                return f"got is_contiguous() {a.is_contiguous()}, expected {b.is_contiguous()}"
        line = self.with_others(name, call, args, kwargs, sizes, results)
        if line:
            return line
        if sizes.decided():
            by = next(op for text, op, *_ in sizes.env.guards if re.fullmatch(r"s\d+ == \d+", text))
            return f"decided by {by}"
        self.tally["symbolic"] += 1
        return ""

    def with_others(self, name, call, args, kwargs, sizes, results) -> str:
        """Compares for a second set of numbers, if the guards hold for these."""
        other = {number: OTHER.get(number, number + 8) for number in sizes.of}
        variables = {one: other[n] for n, one in sizes.of.items() if isinstance(one, tenon.SymInt)}
        tensors = tensors_in([args, [*kwargs.values()]])
        if not variables or sizes.env.first_failure(variables) is not None:
            return ""
        if not all(is_row_major(one) for one in tensors):
            return ""
        names = {f"s{k}": other[n] for k, n in enumerate(sizes.of)}
        names |= {repr(one): number for one, number in variables.items()}
        for fill in (1, 0):

            def resized(value, fill=fill):
                shape = [other.get(n, n) if n in sizes.of else n for n in value.shape]
                if not value.dtype.is_floating_point and not value.dtype.is_complex:
                    return tenon.full(shape, fill, dtype=value.dtype)
                return tenon.rand(shape).to(value.dtype)

            try:
                real = call(
                    *(convert(one, resized) for one in args),
                    **{key: convert(one, resized) for key, one in kwargs.items()},
                )
                break
            except replay.REFUSALS as error:
                refusal = f"{type(error).__name__}: {error}"
        else:
            self.tally["refused with other numbers"] += 1
            self.examples.setdefault(f"others {name}", refusal)
            return ""
        self.tally["compared with other numbers"] += 1
        for mine, theirs in zip(results, tensors_in([real]), strict=True):
            if (found := evaluated(shape_of(mine), names)) != (wanted := shape_of(theirs)):
                return f"with other numbers got {found}, expected {wanted}"
        return ""

    def note(self, name: str, told: str, line: str) -> None:
        """Counts a line by its operator and by its text without the numbers of the call."""
        if not line:
            return
        line = line.splitlines()[0]
        self.lines[name, line] += 1
        self.examples.setdefault((name, line), told)

    def check(self, title: str, least: int) -> None:
        """Prints the counts; fails for lines without a reason, and for reasons without a line."""
        print(f"{title}: {sum(self.counts.values())} calls of {len(self.counts)} operators")
        for what, count in sorted(self.tally.items()):
            print(f"  {count} {what}")
        assert len(self.counts) >= least
        used: collections.Counter = collections.Counter()
        wrong = []
        for (name, line), count in sorted(self.lines.items()):
            reason = symbolic_reasons.why(title, name, line)
            if reason is None:
                wrong.append(f"{name}({self.examples[name, line]}): {line} [{count}]")
            else:
                used[reason] += count
        for reason, count in used.items():
            print(f"  {count} {reason.reason}")
        assert not wrong, f"{len(wrong)} lines without a reason:\n" + "\n".join(wrong)
        unused = [one for one in symbolic_reasons.of(title) if one not in used]
        assert not unused, f"reasons without a call: {unused}"


def on_meta(leaf: Any) -> Any:
    """Returns an argument for a call on meta tensors, which must not name another device."""
    return "meta" if isinstance(leaf, tenon.device) or leaf == "cpu" else leaf


class Operators(replay.Replay):
    """Compares the operators that samples call."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = Calls()

    def is_wanted(self, name, args, kwargs):
        return self.looks.is_wanted(name, (args, kwargs))

    def beside(self, func, args, kwargs):
        name = replay.full_name(func)
        self.looks.compare(name, tenon.find_op(name), (args, kwargs))
        return func(*args, **kwargs)


class Functions(TorchFunctionMode):
    """Compares functions and methods, including composites."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = Calls()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = {key: one for key, one in (kwargs or {}).items() if key != "_stacklevel"}
        name, peer = place_of(func)
        if peer is not None and self.looks.is_wanted(name, (args, kwargs)):
            self.looks.compare(name, peer, (args, kwargs))
        return func(*args, **kwargs)


def test_operators_in_symbols():
    seen = Operators()
    run(seen, lambda info: samples(info, torch.float32), 8)
    seen.looks.check("operators", 300)


def test_functions_and_methods_in_symbols():
    seen = Functions()
    run(seen, lambda info: samples(info, torch.float32), 8)
    seen.looks.check("functions and methods", 200)
