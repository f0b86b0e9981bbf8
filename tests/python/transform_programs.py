# SPDX-License-Identifier: Apache-2.0
"""Random functions under random transforms, compared with loops and with PyTorch.

    python tests/python/transform_programs.py --count 10000 --seed 1

A program is a function of views, in-place writes and operators, which also reads the arguments of
the enclosing functions, under one to three of vmap, grad, jvp, vjp, jacrev and jacfwd in any order.
It runs three times: with Tenon's transforms; with loops and plain reverse mode instead; and with
PyTorch's transforms, if installed. All must return equal tensors. A program that differs is reduced
and printed.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

import programs

KINDS = ("vmap", "vmap", "grad", "jvp", "vjp", "jacrev", "jacfwd")
SIZES = ((2,), (3,), (2, 2), (2, 3), (1, 3), ())
MAPPED = 2
REFUSALS = (RuntimeError, IndexError, TypeError, ValueError)
# Refusals by design and limits of one library, which make a comparison impossible.
STRICTER = (
    *programs.STRICTER,
    # A loop writes one example after another.
    "must be mapped by the vmap, as a mapped tensor is written into it",
    # A single example may be contiguous where the batch is not.
    "size must be compatible with the sizes and strides of self",
    "vmap: inplace arithmetic",
)
OVERWRITTEN = "has been modified by an inplace operation since it was saved"

Function = Callable[[Any], Any]


# ---- The transforms and their replacements -------------------------------------------------------


def cotangent(y: Any) -> Any:
    return y * 0.5 + 1


def weigh(y: Any) -> Any:
    return (y * 0.7).sum()


def joined(jacobian: Any, x: Any) -> Any:
    return jacobian.sum(-1) if x.dim() else jacobian


class Transformed:
    """A library's own transforms."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.func = torch.func

    def vmap(self, f: Function, x: Any, in_dim: int, out_dim: int) -> Any:
        return self.func.vmap(f, in_dims=in_dim, out_dims=out_dim)(x)

    def grad(self, f: Function, x: Any) -> Any:
        return self.func.grad(lambda x: weigh(f(x)))(x)

    def jvp(self, f: Function, x: Any) -> Any:
        return self.func.jvp(f, (x,), (cotangent(x),))[1]

    def vjp(self, f: Function, x: Any) -> Any:
        y, pull = self.func.vjp(f, x)
        return pull(cotangent(y))[0]

    def jacrev(self, f: Function, x: Any) -> Any:
        return joined(self.func.jacrev(f)(x), x)

    def jacfwd(self, f: Function, x: Any) -> Any:
        return joined(self.func.jacfwd(f)(x), x)


class Plain:
    """The transforms, implemented with loops and reverse mode only."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch

    def vmap(self, f: Function, x: Any, in_dim: int, out_dim: int) -> Any:
        rows = [f(x.select(in_dim, i)) for i in range(x.shape[in_dim])]
        return self.torch.stack(rows, out_dim)

    def grad(self, f: Function, x: Any) -> Any:
        x = self.variable(x)
        return self.pull(weigh(f(x)), x)

    def jvp(self, f: Function, x: Any) -> Any:
        tangent = cotangent(x)
        return self.push(f, x, tangent)

    def vjp(self, f: Function, x: Any) -> Any:
        x = self.variable(x)
        y = f(x)
        return self.pull(y, x, cotangent(y))

    def jacrev(self, f: Function, x: Any) -> Any:
        variable = self.variable(x)
        y = f(variable)
        rows = [self.pull(one, variable) for one in y.reshape(-1).unbind()]
        return joined(self.torch.stack(rows).reshape((*y.shape, *x.shape)), x)

    def jacfwd(self, f: Function, x: Any) -> Any:
        columns = []
        for i in range(x.numel()):
            one = self.torch.zeros(x.numel(), dtype=x.dtype)
            one[i] = 1
            columns.append(self.push(f, x, one.reshape(x.shape)))
        jacobian = self.torch.stack(columns, -1)
        return joined(jacobian.reshape((*jacobian.shape[:-1], *x.shape)), x)

    def variable(self, x: Any) -> Any:
        """Returns the argument as a tensor that requires grad."""
        return x.view(x.shape) if x.requires_grad else x.detach().requires_grad_()

    def pull(self, y: Any, x: Any, given: Any = None) -> Any:
        """Returns the gradient of y with respect to x; zeros if there is none."""
        if not y.requires_grad:
            return self.torch.zeros_like(x)
        grad = self.torch.autograd.grad
        (found,) = grad(y, x, given, create_graph=True, allow_unused=True)
        return self.torch.zeros_like(x) if found is None else found

    def push(self, f: Function, x: Any, tangent: Any) -> Any:
        """Returns the tangent of f(x).

        The gradient is linear in grad_outputs; its derivative with respect to these is the tangent.
        """
        x = self.variable(x)
        y = f(x)
        given = self.torch.zeros_like(y).requires_grad_()
        return self.pull(self.pull(y, x, given), given, tangent)


# ---- Programs ------------------------------------------------------------------------------------


@dataclasses.dataclass
class Program:
    """Transforms from outer to inner, and the lines of the innermost function."""

    transforms: list[str]
    values: list[float]
    sizes: tuple[int, ...]
    lines: list[str]

    def text(self) -> str:
        """Returns code that defines `run`; x0 is the outermost argument, the last x is inner."""
        depth = len(self.transforms)
        parts = [f"x0 = torch.tensor({self.values}, dtype=torch.float64).reshape({self.sizes})"]
        names = [f"x{i}" for i in range(depth + 1)]
        parts.append("def run():\n    return f0(x0)")
        for i, how in enumerate(self.transforms):
            around = ", ".join(names[: i + 1])
            kind, _, more = how.partition(" ")
            inner = f"lambda x{i + 1}: f{i + 1}({around}, x{i + 1})"
            parts.append(f"def f{i}({around}):\n    return by.{kind}({inner}, x{i}{more})")
        body = "".join(f"    {line}\n" for line in self.lines)
        parts.append(f"def f{depth}({', '.join(names)}):\n{body}    return {self.result()}")
        return "\n".join(parts)

    def result(self) -> str:
        """Returns the name that the last line binds or writes."""
        return self.lines[-1].split(" ")[0].split(".")[0].split("[")[0].rstrip(",")


class Writer(programs.Writer):
    """Writes a function line by line, and runs it on plain tensors to learn the sizes."""

    def program(self) -> Program:  # type: ignore[override]
        depth = self.random.choice((1, 2, 2, 3, 3, 3))
        sizes = list(self.random.choice(SIZES))
        inner = tuple(sizes)
        transforms = []
        for _ in range(depth):
            kind = self.random.choice(KINDS)
            if kind == "vmap":
                dim = self.random.randrange(len(sizes) + 1)
                sizes.insert(dim, MAPPED)
                given = dim - len(sizes) if self.random.random() < 0.3 else dim
                kind = f"vmap , {given}, {self.random.choice((0, -1))}"
            transforms.insert(0, kind)
        numel = 1
        for size in sizes:
            numel *= size
        values = [round(self.random.uniform(-1.5, 1.5), 2) for _ in range(numel)]
        self.start_with(transforms, values, tuple(sizes), inner)
        for _ in range(self.random.randint(2, 9)):
            self.step()
        lines = [line for line in self.lines if line]
        return Program(transforms, values, tuple(sizes), lines or ["t0 = x0 * 1"])

    def start_with(
        self, transforms: list[str], values: list[float], sizes: tuple[int, ...], inner: Any
    ) -> None:
        """Defines the arguments as one example has them, and a tensor that the function owns."""
        torch = self.scope["torch"]
        value = torch.tensor(values, dtype=torch.float64).reshape(sizes)
        self.scope["x0"] = value
        for i, how in enumerate(transforms):
            if how.startswith("vmap"):
                value = value.select(int(how.split(",")[1]), 0)
            self.scope[f"x{i + 1}"] = value
        assert tuple(value.shape) == inner
        last = f"x{len(transforms)}"
        self.names = [last]
        self.owned: set[str] = set()
        self.add(f"{last} * {round(self.random.uniform(0.5, 2), 2)}")
        self.owned.add(self.names[-1])
        for i in range(len(transforms)):
            if self.random.random() < 0.5:
                same = tuple(self.scope[f"x{i}"].shape) == inner
                self.add(f"x{i} * 0.5" if same else f"x{i}.sum()")
                self.add(f"{last} * {self.names[-1]}")

    def kinds(self) -> tuple[tuple[Callable[[], None], int], ...]:
        return (
            (self.unary, 4),
            (self.binary, 6),
            (self.view, 4),
            (self.own, 3),
            (self.write, 9),
            (self.several, 1),
            (self.reduce, 2),
            (self.join, 2),
            (self.product, 2),
        )

    def add(self, expression: str, results: int = 1) -> None:
        names = [f"t{self.count + i}" for i in range(results)]
        if self.run(f"{', '.join(names)} = {expression}"):
            self.count += results
            self.names += names

    def run(self, line: str) -> bool:
        """Adds a line unless it is refused."""
        try:
            exec(line, self.scope)
        except REFUSALS:
            return False
        self.lines.append(line)
        return True

    def binary(self) -> None:
        before = len(self.names)
        super().binary()
        self.owned.update(self.names[before:])

    def own(self) -> None:
        """Adds a tensor that the function may write to."""
        self.add(f"{self.pick()[0]}.clone()")
        self.owned.add(self.names[-1])

    def view_of(self, name: str, tensor: Any) -> str:
        while True:
            text = super().view_of(name, tensor)
            # Whether reshape copies depends on the layout, which each transform may choose.
            if "as_strided" not in text and "reshape" not in text:
                return text

    def unary(self) -> None:
        how = self.random.choice([one for one in programs.UNARY if one != "contiguous"])
        self.add(f"{self.pick()[0]}.{how}()")

    def view(self) -> None:
        name, tensor = self.pick()
        text = self.view_of(name, tensor)
        before = len(self.names)
        self.add(text)
        if name in self.owned and "detach" not in text and len(self.names) > before:
            self.owned.add(self.names[-1])

    def write(self) -> None:
        names, self.names = self.names, [name for name in self.names if name in self.owned]
        written = self.names
        try:
            if not written:
                return
            target, tensor = self.pick()
        finally:
            self.names = names
        if self.random.random() < 0.4:
            how = self.random.choice(("sin_()", "tanh_()", "neg_()", "zero_()", "mul_(0.7)"))
            self.run(f"{target}.{how}")
        elif self.random.random() < 0.6:
            self.run(
                f"{target}.{self.random.choice(('add_', 'sub_', 'mul_'))}({self.into(tensor)})"
            )
        else:
            index = self.index(tensor)
            try:
                part = eval(f"{target}[{index}]", dict(self.scope))
            except REFUSALS:
                return
            self.run(f"{target}[{index}] = {self.into(part)}")

    def into(self, tensor: Any) -> str:
        """Returns the source of a write: a copy if it may share elements with the target."""
        other = self.other(tensor, fits_into=True)
        return f"{other}.clone()" if other[0] in "tx" else other

    @staticmethod
    def shares(tensor: Any, other: Any) -> bool:
        """Returns false, because into() copies the sources."""
        return False

    def product(self) -> None:
        name, tensor = self.pick()
        if tensor.dim() == 2:
            self.add(f"{name} @ {name}.t()")
        elif tensor.dim() == 1:
            self.add(f"({name} * {name}).sum() * {name}")


# ---- Running -------------------------------------------------------------------------------------


def run(program: Program, torch: Any, by: Any) -> tuple[str, Any, Any]:
    """Returns the error or "", and the sizes and elements of the result."""
    scope = {"torch": torch, "by": by}
    try:
        exec(program.text(), scope)
        y = scope["run"]()
        return "", tuple(y.shape), programs.flat(y.detach().tolist())
    except (*REFUSALS, NameError, AttributeError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}", None, None


def compare(program: Program, ours: Any, theirs: Any = None) -> programs.Difference | None:
    """Returns the difference between transforms and loops, or between Tenon and PyTorch."""
    mine = run(program, ours, Transformed(ours))
    if any(words in mine[0] for words in STRICTER):
        return None
    # An in-place write also writes the tangent, even if an outer transform has saved it.
    if OVERWRITTEN in mine[0] and any(how in ("jvp", "jacfwd") for how in program.transforms):
        return None
    peers = [("loops", run(program, ours, Plain(ours)))]
    if theirs is not None:
        peers.append(("PyTorch", run(program, theirs, Transformed(theirs))))
    for name, peer in peers:
        if peer[0]:
            # A comparison needs results of both, or refusals of both.
            continue
        if mine[0] or mine[1] != peer[1] or not programs.near(mine[2], peer[2]):
            return programs.Difference(f"beside {name}", mine, peer)
    return None


def shrink(program: Program, ours: Any, theirs: Any) -> Program:
    """Removes the lines that the difference does not need."""
    index = len(program.lines) - 1
    while index >= 0:
        lines = program.lines[:index] + program.lines[index + 1 :]
        fewer = dataclasses.replace(program, lines=lines)
        if lines and compare(fewer, ours, theirs) is not None:
            program = fewer
        index = min(index, len(program.lines)) - 1
    return program


def check(ours: Any, theirs: Any, seed: int) -> str | None:
    """Returns the reduced program of a seed and its difference, or None if there is none."""
    program = Writer(ours, seed).program()
    if compare(program, ours, theirs) is None:
        return None
    program = shrink(program, ours, theirs)
    return f"{program.text()}\n# {compare(program, ours, theirs)}"


if __name__ == "__main__":
    sys.exit(programs.main(__doc__, check, needs_torch=False))
