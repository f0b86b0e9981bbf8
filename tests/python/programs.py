# SPDX-License-Identifier: Apache-2.0
"""Random programs of views, in-place writes and operators, run by Tenon and by PyTorch.

    python tests/python/programs.py --count 20000 --seed 1

Each line of a program runs in both libraries. Both must return equal tensors (elements, sizes,
requires_grad, is_leaf, versions) or both refuse. At the end the first- and second-order gradients
of the leaves are compared. A program that differs is reduced and printed.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

UNARY = ("sin", "cos", "tanh", "neg", "sigmoid", "relu", "abs", "clone", "detach", "contiguous")
UNARY_IN_PLACE = ("sin_", "tanh_", "neg_", "sigmoid_", "zero_", "relu_", "abs_")
BINARY = ("add", "sub", "mul", "maximum", "lerp")
BINARY_IN_PLACE = ("add_", "sub_", "mul_", "copy_")
MODES = ("no_grad()", "enable_grad()")


# Messages of calls that one library refuses by design and the other allows: the program ends.
STRICTER = (
    "must not partially overlap",
    "at its own memory location",
    "refer to a single memory location",
)


# ---- Programs ------------------------------------------------------------------------------------


class Writer:
    """Writes a program line by line, and runs it in one library to learn the sizes."""

    def __init__(self, torch: Any, seed: int) -> None:
        self.random = random.Random(seed)
        self.scope: dict[str, Any] = {"torch": torch}
        self.lines: list[str] = []
        self.names: list[str] = []
        self.count = 0
        self.refused = False

    def program(self) -> list[str]:
        for _ in range(self.random.randint(2, 3)):
            self.start()
        for _ in range(self.random.randint(3, 14)):
            self.step()
            if self.refused:
                break
        return self.lines

    def start(self) -> None:
        sizes = self.random.choice([(2, 3), (3,), (2, 2), (4,), (2, 1, 3), (1,), ()])
        numel = 1
        for size in sizes:
            numel *= size
        values = [round(self.random.uniform(-2, 2), 2) for _ in range(numel)]
        tracked = self.random.random() < 0.7
        line = f"torch.tensor({values}, dtype=torch.float64).reshape({sizes})"
        if self.random.random() < 0.7:
            self.add(line + ".clone()" + (".requires_grad_()" if tracked else ""))
        else:
            self.add(f"torch.tensor({values}, dtype=torch.float64, requires_grad={tracked})")

    def step(self) -> None:
        makers = [maker for maker, weight in self.kinds() for _ in range(weight)]
        self.random.choice(makers)()

    def kinds(self) -> tuple[tuple[Callable[[], None], int], ...]:
        """Returns the methods that write lines, with their relative frequencies."""
        return (
            (self.unary, 3),
            (self.binary, 4),
            (self.view, 8),
            (self.write, 8),
            (self.several, 2),
            (self.reduce, 2),
            (self.join, 1),
            (self.flag, 1),
        )

    def add(self, expression: str, results: int = 1) -> None:
        names = [f"t{self.count + i}" for i in range(results)]
        line = f"{', '.join(names)} = {expression}"
        if self.random.random() < 0.06:
            line = f"with torch.{self.random.choice(MODES)}: {line}"
        if self.run(line):
            self.count += results
            self.names += [name for name in names if hasattr(type(self.scope[name]), "grad_fn")]

    def run(self, line: str) -> bool:
        """Adds and runs a line; returns false if it was refused, which ends the program."""
        self.lines.append(line)
        try:
            exec(line, self.scope)
        except (RuntimeError, IndexError, TypeError, ValueError):
            self.refused = True
        return not self.refused

    def pick(self) -> tuple[str, Any]:
        recent = self.names[-4:] if self.random.random() < 0.6 else self.names
        name = self.random.choice(recent)
        return name, self.scope[name]

    def unary(self) -> None:
        self.add(f"{self.pick()[0]}.{self.random.choice(UNARY)}()")

    def other(self, tensor: Any, fits_into: bool = False) -> str:
        """Picks a tensor that broadcasts with another one, or a number."""
        fitting = []
        for name in self.names:
            sizes = self.scope[name].shape
            longer, shorter = tuple(tensor.shape), tuple(sizes)
            if fits_into and (len(shorter) > len(longer) or self.shares(tensor, self.scope[name])):
                continue
            pairs = zip(reversed(longer), reversed(shorter), strict=False)
            if all(a == b or b == 1 or (a == 1 and not fits_into) for a, b in pairs):
                fitting.append(name)
        if fitting and self.random.random() < 0.85:
            return self.random.choice(fitting)
        return str(round(self.random.uniform(-2, 2), 2))

    @staticmethod
    def shares(tensor: Any, other: Any) -> bool:
        """Returns true if two tensors share memory: a write may reach the other in any order."""
        one, two = tensor.untyped_storage(), other.untyped_storage()
        return tensor is not other and one.data_ptr() == two.data_ptr()

    def binary(self) -> None:
        name, tensor = self.pick()
        op = self.random.choice(BINARY)
        other = self.other(tensor)
        if op == "lerp":
            self.add(f"{name}.lerp({name} * 0.5, 0.25)")
        elif op == "maximum":
            self.add(f"torch.maximum({name}, {name} * 0.5 + 0.01)")
        else:
            self.add(f"{name}.{op}({other})")

    def reduce(self) -> None:
        name, tensor = self.pick()
        dim = self.random.randrange(tensor.dim()) if tensor.dim() else 0
        self.add(
            self.random.choice(
                [f"{name}.sum()", f"{name}.mean()", f"{name}.sum({dim})", f"{name}.amax({dim})"]
                + [f"{name}.sum({dim}, True)"]
            )
        )

    def join(self) -> None:
        name, _ = self.pick()
        twin = self.random.choice([f"{name} * 2", f"{name}.detach()", name])
        if self.random.random() < 0.3:
            self.add(f"torch.where({name} > 0, {name}, {twin})")
        else:
            how = self.random.choice(["cat", "stack"])
            self.add(f"torch.{how}([{name}, {twin}])")

    def flag(self) -> None:
        # Only the newest: a tensor that was saved before requires_grad_() gets no gradient through
        # that.
        name = self.names[-1]
        if self.scope[name]._base is None:
            self.run(f"{name}.requires_grad_()")

    def index(self, tensor: Any) -> str:
        """Writes an index expression."""
        parts = []
        for size in tensor.shape[: self.random.randint(1, max(1, tensor.dim()))]:
            start = self.random.randrange(size) if size else 0
            step = self.random.choice(["", "::2"])
            parts.append(
                self.random.choice([str(start), f"{start}:", f":{start + 1}", step or ":", "None"])
            )
        return ", ".join(parts) or "..."

    def view_of(self, name: str, tensor: Any) -> str:
        ndim, sizes = tensor.dim(), tuple(tensor.shape)
        choices = [f"{name}[{self.index(tensor)}]"] * 3
        choices += [f"{name}.unsqueeze({self.random.randint(0, ndim)})", f"{name}.squeeze()"]
        choices += [f"{name}.detach()", f"{name}.view(-1)", f"{name}.reshape(-1)"]
        if 1 <= ndim <= 2:
            choices.append(f"{name}.t()")
        if ndim >= 2:
            choices.append(f"{name}.transpose(0, {self.random.randrange(ndim)})")
            dims = self.random.sample(range(ndim), ndim)
            choices.append(f"{name}.permute({', '.join(map(str, dims))})")
            choices.append(f"{name}.view{(sizes[0] * sizes[1], *sizes[2:])}")
        if ndim <= 2:
            choices.append(f"{name}.expand{(2, *sizes)}")
        if ndim:
            dim = self.random.randrange(ndim)
            if sizes[dim]:
                choices.append(f"{name}.select({dim}, {self.random.randrange(sizes[dim])})")
        if 2 <= tensor.numel() <= 8 and tensor.is_contiguous():
            last = tensor.numel() - 1
            begin = tensor.storage_offset()
            choices.append(f"{name}.as_strided(({last},), (1,), {begin + 1})")
            # Copied, because writes to overlapping elements are undefined.
            choices.append(f"{name}.as_strided(({last}, 2), (1, 1), {begin}).clone()")
        return self.random.choice(choices)

    def view(self) -> None:
        self.add(self.view_of(*self.pick()))

    def several(self) -> None:
        name, tensor = self.pick()
        if tensor.dim() == 0 or tensor.shape[0] not in (2, 3, 4):
            return
        size = tensor.shape[0]
        how = self.random.choice([f"unbind({name})", f"chunk({name}, {size})", f"split({name}, 1)"])
        self.add(f"torch.{how}", size)

    def write(self) -> None:
        name, tensor = self.pick()
        kind = self.random.random()
        guard = ""
        if self.random.random() < 0.05:
            guard = f"with torch.{self.random.choice(MODES)}: "
        if kind < 0.3:
            self.run(f"{guard}{name}.{self.random.choice(UNARY_IN_PLACE)}()")
        elif kind < 0.65:
            op = self.random.choice(BINARY_IN_PLACE)
            other = self.other(tensor, fits_into=True)
            if op == "copy_" and not other.startswith("t"):
                op = "fill_"
            self.run(f"{guard}{name}.{op}({other})")
        elif kind < 0.8:
            index = self.index(tensor)
            scope = dict(self.scope)
            try:
                part = eval(f"{name}[{index}]", scope)
            except (RuntimeError, IndexError):
                return
            self.run(f"{guard}{name}[{index}] = {self.other(part, fits_into=True)}")
        elif kind < 0.9:
            # Writes through a view that has no name.
            view = self.view_of(name, tensor)
            self.run(f"{guard}{view}.mul_({round(self.random.uniform(-2, 2), 2)})")
        else:
            how = self.random.choice(["unsqueeze_(0)", "squeeze_()", "t_()", "transpose_(0, -1)"])
            self.run(f"{name}.{how}")


# ---- Running -------------------------------------------------------------------------------------


def flat(value: Any) -> list[float]:
    if isinstance(value, list):
        return [number for one in value for number in flat(one)]
    return [value]


def near(a: list[float], b: list[float]) -> bool:
    if len(a) != len(b):
        return False
    return all(
        x == y or (x != x and y != y) or abs(x - y) <= 1e-9 * max(1.0, abs(x), abs(y))
        for x, y in zip(a, b, strict=True)
    )


class Run:
    """One library's run of a program."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.scope: dict[str, Any] = {"torch": torch}
        self.versions: dict[str, int] = {}

    def line(self, text: str) -> str:
        """Runs a line; returns "" or the message of its error."""
        try:
            exec(text, self.scope)
        except (
            RuntimeError,
            IndexError,
            TypeError,
            ValueError,
            NameError,
            AttributeError,
        ) as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return ""

    def tensors(self) -> list[str]:
        return [name for name, value in self.scope.items() if hasattr(type(value), "grad_fn")]

    def state(self, name: str) -> tuple[Any, ...]:
        tensor = self.scope[name]
        try:
            leaf = (tensor.requires_grad, tensor.is_leaf)
        except RuntimeError:
            leaf = ("refused", "refused")
        writes = None
        if not tensor.is_inference():
            # Counted since the tensor was first seen, because libraries start versions differently.
            writes = tensor._version - self.versions.setdefault(name, tensor._version)
        return (tuple(tensor.shape), tuple(tensor.stride()), *leaf, writes)

    def numbers(self, name: str) -> list[float]:
        return flat(self.scope[name].detach().tolist())

    def is_tracked(self, name: str) -> bool:
        try:
            return self.scope[name].requires_grad and self.scope[name].grad_fn is not False
        except RuntimeError:
            return False

    def is_leaf(self, name: str) -> bool:
        """Returns true for a leaf that requires grad and is no view, as views never get .grad."""
        tensor = self.scope[name]
        return self.is_tracked(name) and tensor.is_leaf and tensor._base is None

    def loss(self, names: list[str]) -> Any:
        total = None
        for i, name in enumerate(names):
            if self.scope[name] is None:
                continue
            term = (self.scope[name] * (0.5 + 0.25 * i)).sum()
            total = term if total is None else total + term
        return total

    def gradients(self, names: list[str]) -> tuple[str, list[Any]]:
        """Returns "" and the gradients of first and second order, or the error's message."""
        grad = self.torch.autograd.grad
        found: list[Any] = []
        try:
            leaves = [self.scope[name] for name in self.tensors() if self.is_leaf(name)]
            first = grad(self.loss(names), leaves, create_graph=True, allow_unused=True)
            found += [None if one is None else flat((one.detach() + 0).tolist()) for one in first]
            names = [f"g{i}" for i in range(len(first))]
            self.scope.update(zip(names, first, strict=True))
            loss = self.loss(names)
            if loss is not None and loss.requires_grad:
                second = grad(loss, leaves, allow_unused=True)
                found += [
                    None if one is None else flat((one.detach() + 0).tolist()) for one in second
                ]
        except (RuntimeError, TypeError, ValueError) as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}", found
        return "", found


@dataclasses.dataclass
class Difference:
    """A difference between two libraries."""

    where: str
    ours: object
    theirs: object

    def __str__(self) -> str:
        return f"{self.where}\n  ours:   {self.ours}\n  theirs: {self.theirs}"


def compare(lines: list[str], ours: Any, theirs: Any) -> Difference | None:
    mine, other = Run(ours), Run(theirs)
    for text in lines:
        a, b = mine.line(text), other.line(text)
        if any(words in a + b for words in STRICTER):
            return None
        if a:  # libraries may count a refused write or not
            return None
        if bool(a) != bool(b):
            return Difference(text, a or "no error", b or "no error")
        for name in mine.tensors():
            x, y = mine.state(name), other.state(name)
            if "refused" in y:  # PyTorch does not report that a view became invalid
                x, y = x[:2], y[:2]
            if x != y:
                return Difference(f"{text}  # {name}", x, y)
            if not near(mine.numbers(name), other.numbers(name)):
                return Difference(f"{text}  # {name}", mine.numbers(name), other.numbers(name))
    return compare_gradients(mine, other)


def compare_gradients(mine: Run, other: Run) -> Difference | None:
    tracked = [name for name in other.tensors() if other.is_tracked(name)]
    ends = tracked[-3:]
    if not ends:
        return None
    a, x = mine.gradients(ends)
    b, y = other.gradients(ends)
    if any(words in a + b for words in STRICTER):
        return None
    if bool(a) != bool(b):
        return Difference(f"gradients of {ends}", a or x, b or y)
    for one, two in zip(x, y, strict=False):
        # An unused leaf has no gradient in one library and may have zeros in the other.
        p = one or [0.0] * len(two or [])
        q = two or [0.0] * len(p)
        if not near(p, q):
            return Difference(f"gradients of {ends}", x, y)
    return None


def shrink(lines: list[str], ours: Any, theirs: Any) -> list[str]:
    """Removes the lines that the difference does not need."""
    index = len(lines) - 1
    while index >= 0:
        fewer = lines[:index] + lines[index + 1 :]
        if compare(fewer, ours, theirs) is not None:
            lines = fewer
        index = min(index, len(lines)) - 1
    return lines


def check(ours: Any, theirs: Any, seed: int) -> str | None:
    """Returns the reduced program of a seed and its difference, or None if there is none."""
    lines = Writer(theirs, seed).program()
    if compare(lines, ours, theirs) is None:
        return None
    lines = shrink(lines, ours, theirs)
    return "\n".join([*lines, f"# differs at: {compare(lines, ours, theirs)}"])


# Checks one seed; the second module is PyTorch, or None.
Check = Callable[[Any, Any, int], str | None]


def run_programs(
    check: Check, ours: Any, theirs: Any, seeds: Iterable[int], limit: int = 10
) -> list[str]:
    """Runs a program for each seed; returns a text for each that differs, at most `limit`."""
    found: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds:
            text = check(ours, theirs, seed)
            if text is None:
                continue
            found.append(f"# seed {seed}\n{text}")
            if len(found) == limit:
                break
    return found


def import_torch() -> Any:
    """Returns PyTorch, or None if it is not installed."""
    try:
        import torch
    except ImportError:
        return None
    return torch


def main(description: str, check: Check, needs_torch: bool | None) -> int:
    """Runs programs as the command line says; returns 1 if any differ. None: PyTorch is unused."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=20000, help="programs to run")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    parser.add_argument("--limit", type=int, default=10, help="differences to stop after")
    parser.add_argument("--seconds", type=float, help="run as long as this instead of --count")
    given = parser.parse_args()
    import tenon

    torch = None
    if needs_torch is not None:
        torch = import_torch()
        if torch is None and needs_torch:
            parser.error("PyTorch must be installed")
        if torch is None:
            print("PyTorch is not installed: beside loops alone")
    begin = time.monotonic()
    count = 0

    def seeds() -> Iterator[int]:
        nonlocal count
        end = math.inf if given.seconds is None else begin + given.seconds
        while (given.seconds is not None or count < given.count) and time.monotonic() < end:
            count += 1
            yield given.seed + count - 1

    found = run_programs(check, tenon, torch, seeds(), given.limit)
    for text in found:
        print(text, end="\n\n")
    print(f"{count} programs, {len(found)} differ, {time.monotonic() - begin:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(__doc__, check, needs_torch=True))
