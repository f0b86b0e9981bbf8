# SPDX-License-Identifier: Apache-2.0
"""Random functions that are run as graphs several times and compared with eager calls.

    python tests/python/graph_programs.py --count 20000 --seed 1

A graph that was bound to tensors like its inputs runs by a plan. Each run is compared with an eager
call: elements bit by bit, dtypes, sizes, strides, which tensors share memory, and the inputs
afterwards; or both must refuse the call. A program that differs is reduced and printed.
"""

from __future__ import annotations

import collections
import ctypes
import dataclasses
import random
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import programs

FLOATS = ("float32", "float64", "float16", "bfloat16")
DTYPES = (*FLOATS, "float32", "float32", "int64", "bool", "complex64")
SIZES = [(), (1,), (0,), (3,), (2, 3), (3, 2), (1, 3), (3, 1), (3, 3), (2, 0), (2, 1, 3), (4, 2, 3)]
SPECIAL = (0.0, -0.0, 1.0, float("nan"), float("inf"), float("-inf"), 1e30)
LARGE = 200_000
LAYOUTS = ("contiguous", "contiguous", "reversed", "stepped", "shifted", "expanded")
UNARY = "neg abs exp sin tanh sigmoid relu sqrt floor sign square reciprocal isnan".split()
UNARY += "logical_not bitwise_not clone contiguous log round conj".split()
UNARY_IN_PLACE = "neg_ abs_ exp_ tanh_ sigmoid_ relu_ zero_ sqrt_".split()
BINARY = "add sub mul div maximum minimum pow remainder atan2 fmod".split()
BINARY += "eq ne lt le gt ge logical_and bitwise_and bitwise_or".split()
BINARY_IN_PLACE = "add_ sub_ mul_ div_ copy_ maximum pow_ eq_ bitwise_xor_".split()
FOLDS = "sum mean amax amin prod any all sum sum".split()
RARE = ("cumsum({0}, 0)", "cat([{0}, {0}])", "cat([{0}, {0}.to(torch.float64)], -1)")
RARE += (
    "softmax({0}, -1)",
    "log_softmax({0}, 0)",
    "empty(2, 3, dtype=torch.float32).zero_() + {0}",
    "arange(3) * {0}",
)
RARE += ("zeros_like({0})", "ones_like({0}).mul_({0})", "full((3,), 2.0, dtype=torch.half)")
RARE += ("zeros(2, 3, dtype=torch.float32)[1]",)
RARE += ("bmm({0}.unsqueeze(0), {0}.t().unsqueeze(0))",)
# Words in lines that prevent a bound plan; most programs have none of these.
UNBOUND_WORDS = ("masked_fill", "clamp", "pow", "**", "cumsum")
REFUSALS = (RuntimeError, IndexError, TypeError, ValueError)

# Number of programs that ran by plans, and of all other programs by reason.
reasons: collections.Counter[str] = collections.Counter()


# ---- Programs ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Description:
    """The metadata of a tensor."""

    dtype: str
    sizes: tuple[int, ...]
    layout: str
    is_view: bool = False  # differentiable views get no plan

    def make(self, torch: Any, seed: str) -> Any:
        """Returns a new tensor whose elements are drawn from a seed."""
        made = self.laid_out(torch, seed)
        return made if self.is_view else made.detach()

    def laid_out(self, torch: Any, seed: str) -> Any:
        chance = random.Random(seed)
        sizes = self.sizes
        if self.layout == "reversed":
            sizes = sizes[::-1]
        elif self.layout == "stepped" and sizes:
            sizes = (*sizes[:-1], 2 * sizes[-1])
        elif self.layout == "shifted":
            sizes = (_numel(sizes) + 3,)
        elif self.layout == "expanded" and sizes:
            sizes = (1, *sizes[1:])
        whole = self.fill(torch, chance, _numel(sizes)).reshape(sizes)
        if self.layout == "reversed":
            return whole.permute(tuple(reversed(range(len(sizes)))))
        if self.layout == "stepped" and sizes:
            return whole[..., ::2]
        if self.layout == "shifted":
            return whole[3:].view(self.sizes)
        return whole.expand(self.sizes) if self.layout == "expanded" else whole

    def fill(self, torch: Any, chance: random.Random, numel: int) -> Any:
        dtype = getattr(torch, self.dtype)
        # A large tensor repeats a few elements.
        few = [self.element(chance) for _ in range(min(numel, 61))]
        values = (few * (numel // max(len(few), 1) + 1))[:numel]
        return torch.tensor(values, dtype=dtype)

    def element(self, chance: random.Random) -> Any:
        if self.dtype == "bool":
            return chance.random() < 0.5
        if self.dtype == "int64":
            return chance.randint(-4, 5)
        if self.dtype == "complex64":
            return complex(chance.uniform(-2, 2), chance.uniform(-2, 2))
        if chance.random() < 0.1:
            return chance.choice(SPECIAL)
        return chance.uniform(-3, 3)


def _numel(sizes: tuple[int, ...]) -> int:
    numel = 1
    for size in sizes:
        numel *= size
    return numel


@dataclasses.dataclass
class Program:
    """Lines over inputs x0, x1 ... and attributes a0, a1 ..., and the names that are returned."""

    inputs: list[Description]
    others: list[Description]  # inputs with other metadata, which the lines may refuse
    attributes: list[Description]
    lines: list[str]
    outputs: list[str]

    def text(self) -> str:
        names = ", ".join(f"x{i}" for i in range(len(self.inputs)))
        body = [f"def run({names}):", *self.lines, f"return {', '.join(self.outputs)},"]
        return "\n    ".join(body)

    def __str__(self) -> str:
        told = [f"# x{i}: {one}" for i, one in enumerate(self.inputs)]
        told += [f"# x{i} later: {one}" for i, one in enumerate(self.others)]
        told += [f"# a{i}: {one}" for i, one in enumerate(self.attributes)]
        return "\n".join([*told, self.text()])

    def function(self, torch: Any, attributes: list[Any]) -> Callable[..., Any]:
        scope = {"torch": torch, **{f"a{i}": one for i, one in enumerate(attributes)}}
        exec(self.text(), scope)
        return scope["run"]


class Writer(programs.Writer):
    """Writes the lines of a function, and runs each with the first inputs."""

    def program(self) -> Program:
        chance = self.random
        # Sizes are drawn near each other, so that operands often broadcast.
        base = chance.choice(SIZES)
        if chance.random() < 0.02:
            base = chance.choice([(LARGE,), (2, LARGE // 2), (LARGE // 8, 8)])
        if chance.random() < 0.25:
            m, k = chance.randint(1, 40), chance.randint(1, 40)
            base = chance.choice([(m, m), (m, k)])
        inputs = [self.describe(base) for _ in range(chance.randint(1, 3))]
        attributes = [self.describe(base) for _ in range(chance.choice([0, 0, 1, 2]))]
        others = [self.other_than(one) for one in inputs]
        for prefix, ones in (("x", inputs), ("a", attributes)):
            for i, one in enumerate(ones):
                self.names.append(f"{prefix}{i}")
                self.scope[f"{prefix}{i}"] = one.make(self.scope["torch"], f"writer {prefix} {i}")
        self.binds = chance.random() < 0.8
        may_write_inputs = chance.random() < 0.25
        # Elements of an expanded input share memory: only `fill_` may write such an input.
        may_be_written = {
            f"x{i}" for i, one in enumerate(inputs) if may_write_inputs and one.layout != "expanded"
        }
        self.read_only = {
            self.memory(self.scope[name]) for name in self.names if name not in may_be_written
        }
        for _ in range(chance.randint(1, 9)):
            self.step()
        count = chance.choice([1, 1, 1, 2, 3])
        made = [name for name in self.names if name[0] == "t" and self.is_whole(name)]
        made = made if made and chance.random() < 0.7 else self.names
        outputs = [chance.choice(self.names if chance.random() < 0.1 else made[-4:])]
        outputs += [chance.choice(made) for _ in range(count - 1)]
        return Program(inputs, others, attributes, self.lines, outputs)

    def describe(self, base: tuple[int, ...]) -> Description:
        chance = self.random
        sizes = base
        if chance.random() < 0.4:
            sizes = tuple(1 if chance.random() < 0.4 else size for size in base)
            sizes = sizes[chance.randint(0, len(sizes)) :]
        elif len(base) == 2 and chance.random() < 0.3:
            sizes = base[::-1]
        return Description(
            chance.choice(DTYPES), sizes, chance.choice(LAYOUTS), is_view=chance.random() < 0.05
        )

    def other_than(self, one: Description) -> Description:
        chance = self.random
        sizes = one.sizes
        if chance.random() < 0.7:
            sizes = tuple(size if size == 1 else size + 1 for size in sizes)
        if chance.random() < 0.1:
            return Description(chance.choice(DTYPES), sizes, one.layout)
        layout = chance.choice(LAYOUTS) if chance.random() < 0.3 else one.layout
        return Description(one.dtype, sizes, layout)

    def kinds(self) -> tuple[tuple[Callable[[], None], int], ...]:
        return (
            (self.unary, 4),
            (self.binary, 6),
            (self.view, 5),
            (self.write, 6),
            (self.reduce, 4),
            (self.product, 4),
            (self.join, 3),
            (self.into, 4),
            (self.convert, 2),
        )

    def is_whole(self, name: str) -> bool:
        """Returns true if the function made this tensor, and not as a view of another one."""
        return self.memory(self.scope[name]) not in self.read_only and (
            self.scope[name]._base is None
        )

    @staticmethod
    def memory(tensor: Any) -> int:
        return tensor.untyped_storage().data_ptr()

    def add(self, expression: str, results: int = 1) -> None:
        name = f"t{self.count}"
        if self.run(f"{name} = {expression}"):
            self.count += results
            if hasattr(type(self.scope[name]), "grad_fn") and self.scope[name].numel() < 10**6:
                self.names.append(name)

    def run(self, line: str) -> bool:
        """Adds a line, unless it is refused."""
        if self.binds and any(word in line for word in UNBOUND_WORDS):
            return False
        try:
            exec(line, self.scope)
        except REFUSALS:
            return False
        self.lines.append(line)
        return True

    def unary(self) -> None:
        name, tensor = self.pick()
        if self.random.random() < 0.25 and tensor.numel() <= 1000:
            return self.add(f"torch.{self.random.choice(RARE).format(name)}")
        return self.add(f"{name}.{self.random.choice(UNARY)}()")

    def other(self, tensor: Any, fits_into: bool = False) -> str:
        """Like the base class, but avoids huge results of two large tensors."""
        name = super().other(tensor, fits_into)
        is_large = name in self.scope and self.scope[name].numel() * tensor.numel() > 10**6
        if is_large and self.scope[name].shape != tensor.shape:
            return self.number()
        return name

    def number(self) -> str:
        return self.random.choice(["2", "-1.5", "0", "True", "0.25", "3", "float('nan')"])

    def operand(self, tensor: Any) -> str:
        other = self.other(tensor)
        return other if other[0] in "xta" and self.random.random() < 0.8 else self.number()

    def binary(self) -> None:
        name, tensor = self.pick()
        op = self.random.choice(BINARY)
        if self.random.random() < 0.1:
            mode = self.random.choice(["floor", "trunc"])
            return self.add(f"torch.div({name}, {self.operand(tensor)}, rounding_mode='{mode}')")
        if op in ("add", "sub") and self.random.random() < 0.2:
            return self.add(f"{name}.{op}({self.operand(tensor)}, alpha={self.number()})")
        if self.random.random() < 0.1:
            sign = self.random.choice(["-", "*", "/", "**"])
            return self.add(f"{self.number()} {sign} {name}")
        return self.add(f"{name}.{op}({self.operand(tensor)})")

    def fold(self, name: str, tensor: Any) -> str:
        op = self.random.choice(FOLDS)
        parts: list[str] = []
        if tensor.dim() and (op in ("amax", "amin") or self.random.random() < 0.7):
            dims = self.random.sample(range(tensor.dim()), self.random.randint(1, tensor.dim()))
            several = op not in ("prod",) and len(dims) > 1
            parts.append(str(tuple(dims)) if several else str(dims[0] - tensor.dim()))
            if self.random.random() < 0.4:
                parts.append("keepdim=True")
        if op in ("sum", "mean", "prod") and self.random.random() < 0.2:
            parts.append(f"dtype=torch.{self.random.choice(DTYPES)}")
        return f"{op}({', '.join([name, *parts])}"

    def reduce(self) -> None:
        self.add(f"torch.{self.fold(*self.pick())})")

    def product(self) -> None:
        names = [name for name in self.names if self.scope[name].dim() == 2]
        if not names:
            return
        left = self.random.choice(names)
        sizes, dtype = self.scope[left].shape, self.scope[left].dtype
        if sizes[0] * sizes[1] > 10000:
            return
        right = [f"{left}.t()", f"{left}.t().contiguous()"]
        for name in names:
            other = self.scope[name]
            if other.dtype is dtype and other.numel() < 10000:
                right += [name] * 2 if other.shape[0] == sizes[1] else []
                right += [f"{name}.t()"] * 2 if other.shape[1] == sizes[1] else []
        self.add(f"torch.mm({left}, {self.random.choice(right)})")

    def join(self) -> None:
        name, tensor = self.pick()
        first, second = self.operand(tensor), self.operand(tensor)
        if first in self.scope and self.scope[first].numel() > 1000:
            second = self.number()
        self.add(
            self.random.choice(
                [
                    f"torch.where({name} > 0, {first}, {second})",
                    f"torch.where({name} != {name}, {name}, {second})",
                    f"torch.lerp({name}, {first}, {second})",
                    f"torch.addcmul({name}, {name}, {name}, value=2)",
                    f"{name}.clamp(-1, {self.number()})",
                    f"{name}.masked_fill({name} > 0, {self.number()})",
                ]
            )
        )

    def convert(self) -> None:
        self.add(f"{self.pick()[0]}.to(torch.{self.random.choice(DTYPES)})")

    def view(self) -> None:
        name, tensor = self.pick()
        if tensor.numel() > 1000:
            return self.add(f"{name}{self.random.choice(['.t()', '[1:]', '[::2]', '[0]'])}")
        return self.add(self.view_of(name, tensor))

    def target(self) -> str | None:
        """Picks a tensor that the function may write, usually one that it made itself."""
        name = self.pick()[0]
        return None if self.memory(self.scope[name]) in self.read_only else name

    def write(self) -> None:
        name = self.target()
        if name is None:
            return
        tensor = self.scope[name]
        kind = self.random.random()
        if kind < 0.35:
            self.run(f"{name}.{self.random.choice(UNARY_IN_PLACE)}()")
        elif kind < 0.8:
            op = self.random.choice(BINARY_IN_PLACE)
            other = self.other(tensor, fits_into=True)
            self.run(
                f"{name}.{'fill_' if op == 'copy_' and other[0] not in 'xta' else op}({other})"
            )
        elif tensor.dim() and tensor.numel() < 1000:
            self.run(f"{name}[{self.index(tensor)}] = {self.number()}")

    def into(self) -> None:
        """Adds a call with `out=` a tensor that was made before."""
        name = self.target()
        if name is None:
            return
        source, tensor = self.pick()
        if tensor.numel() > 10000 or self.memory(tensor) == self.memory(self.scope[name]):
            return
        kind = self.random.random()
        if kind < 0.25:
            how = f"{self.random.choice(['neg', 'exp', 'abs', 'sqrt', 'isnan'])}({source}"
        elif kind < 0.6:
            other = self.other(tensor)
            if other == name:  # resizing it would destroy the source
                return
            how = f"{self.random.choice(BINARY)}({source}, {other}"
        elif kind < 0.9 or tensor.dim() != 2:
            how = self.fold(source, tensor)
        else:
            how = f"mm({source}, {source}.t()"
        self.run(f"torch.{how}, out={name})")


# ---- Running -------------------------------------------------------------------------------------


def bits(tensor: Any) -> bytes:
    whole = tensor.detach().contiguous()
    return ctypes.string_at(whole.data_ptr(), whole.numel() * whole.element_size())


def elements(tensor: Any) -> Any:
    """Returns the elements as text, in which all NaNs look alike."""
    return repr(programs.flat(tensor.detach().tolist())[:2000])


def same(one: Any, other: Any) -> bool:
    if (one.dtype, tuple(one.shape)) != (other.dtype, tuple(other.shape)):
        return False
    if tuple(one.stride()) != tuple(other.stride()):
        return False
    if one.storage_offset() != other.storage_offset():
        return False
    if one.requires_grad != other.requires_grad:
        return False
    return same_elements(one, other)


def same_elements(one: Any, other: Any) -> bool:
    """Compares bit by bit, except that all NaNs are equal."""
    return bits(one) == bits(other) or _same_but_nans(one, other)


def _same_but_nans(one: Any, other: Any) -> bool:
    if not (one.dtype.is_floating_point or one.dtype.is_complex):
        return False
    pairs = zip(programs.flat(one.tolist()), programs.flat(other.tolist()), strict=True)
    return all(repr(x) == repr(y) for x, y in pairs)


def told(tensor: Any) -> str:
    return (
        f"{tensor.dtype} {tuple(tensor.shape)} {tuple(tensor.stride())} "
        f"+{tensor.storage_offset()} {tensor.requires_grad} {elements(tensor)[:600]}"
    )


@dataclasses.dataclass
class Outcome:
    """The result of one call or run."""

    refusal: str
    outputs: list[Any]
    inputs: list[Any]

    def memory(self) -> list[int]:
        """Returns for each tensor the index of the first one with the same storage."""
        seen: dict[int, int] = {}
        tensors = (*self.inputs, *self.outputs)
        return [
            seen.setdefault(one.untyped_storage().data_ptr(), i) if one.numel() else -1
            for i, one in enumerate(tensors)
        ]

    def equals(self, other: Outcome) -> bool:
        if self.refusal or other.refusal:
            return bool(self.refusal) == bool(other.refusal)
        mine, others = (*self.outputs, *self.inputs), (*other.outputs, *other.inputs)
        if len(mine) != len(others) or self.memory() != other.memory():
            return False
        return all(same(one, two) for one, two in zip(mine, others, strict=True))

    def __str__(self) -> str:
        if self.refusal:
            return self.refusal
        lines = [f"out {told(one)}" for one in self.outputs]
        lines += [f"in {told(one)}" for one in self.inputs]
        return "\n    ".join([*lines, f"memory {self.memory()}"])


class Session:
    """A graph of a program, which is run and compared with the function."""

    def __init__(self, program: Program, torch: Any, binds: bool) -> None:
        self.program = program
        self.torch = torch
        self.attributes = [one.make(torch, f"a{i}") for i, one in enumerate(program.attributes)]
        self.function = program.function(torch, self.attributes)
        self.graph = self.trace()
        # outputs, and their elements when they were returned
        self.kept: list[tuple[Any, bytes]] = []
        if binds:
            self.graph.bind(*self.inputs(program.inputs, "bind"))

    def trace(self) -> Any:
        return self.torch.graph.trace(self.function, *self.inputs(self.program.inputs, "trace"))

    def inputs(self, descriptions: list[Description], seed: str) -> list[Any]:
        return [one.make(self.torch, f"{seed} {i}") for i, one in enumerate(descriptions)]

    def outcome(self, function: Any, inputs: list[Any], tracks: bool = False) -> Outcome:
        given = inputs
        if tracks:
            given = [one.requires_grad_() if one.dtype.is_floating_point else one for one in inputs]
        try:
            outputs = function(*given)
        except REFUSALS as error:
            return Outcome(f"{type(error).__name__}: {str(error).splitlines()[0]}", [], inputs)
        return Outcome("", list(outputs), inputs)

    def beside_calls(self, where: str, seed: str, tracks: bool = False) -> Any:
        ones = self.program.inputs
        by_graph = self.outcome(self.graph, self.inputs(ones, seed), tracks)
        by_calls = self.outcome(self.function, self.inputs(ones, seed), tracks)
        if not by_graph.equals(by_calls):
            return programs.Difference(where, by_graph, by_calls)
        others = {one.untyped_storage().data_ptr() for one in self.attributes}
        for one in by_graph.outputs:
            if one.untyped_storage().data_ptr() not in others:
                self.kept.append((one, bits(one)))
        return None

    def beside_first(self, where: str) -> Any:
        """Compares runs on other inputs with runs of a new graph, as graphs keep some numbers."""
        ones = self.program.others
        for seed in ("one", "two"):
            by_calls = self.outcome(self.trace(), self.inputs(ones, seed))
            for _ in range(2):
                by_graph = self.outcome(self.graph, self.inputs(ones, seed))
                if not by_graph.equals(by_calls):
                    return programs.Difference(where, by_graph, by_calls)
        return None

    def on_threads(self) -> Any:
        found: list[Any] = []

        def work(number: int) -> None:
            for i in range(4):
                one = self.beside_calls(f"on thread {number}", f"thread {number} {i}")
                if one is not None:
                    found.append(one)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found[0] if found else None

    def under_another_default(self) -> Any:
        # `to` copies or not, depending on the default dtype, and a graph keeps what was recorded.
        if any(".to(" in line for line in self.program.lines):
            return None
        before = self.torch.get_default_dtype()
        self.torch.set_default_dtype(self.torch.float64)
        try:
            return self.beside_calls("another default dtype", "default")
        finally:
            self.torch.set_default_dtype(before)

    def rounds(self, with_threads: bool) -> Iterator[Any]:
        """Yields the difference that each round finds, or None."""
        for i in range(3):
            yield self.beside_calls(f"run {i}", f"run {i}")
        yield self.beside_first("other inputs")
        yield self.beside_calls("first inputs again", "again")
        for i, one in enumerate(self.attributes):
            if self.program.attributes[i].layout != "expanded":
                one.copy_(self.program.attributes[i].make(self.torch, f"changed a{i}"))
        yield self.beside_calls("other values of attributes", "changed")
        with self.torch.no_grad():
            for i in range(3):
                yield self.beside_calls(f"without gradients {i}", f"none {i}", tracks=i == 2)
        for i in range(2):
            yield self.beside_calls(f"with gradients {i}", f"with {i}", tracks=True)
        yield self.under_another_default()
        if with_threads:
            yield self.on_threads()
        for one in self.attributes:
            if one.dtype.is_floating_point:
                one.requires_grad_()
        for i in range(2):
            yield self.beside_calls(f"with gradients of attributes {i}", f"attributes {i}")
        for one, before in self.kept:
            if bits(one) != before:
                yield programs.Difference("an output changed later", told(one), before[:64])


def compare(program: Program, torch: Any, seed: int = 0) -> programs.Difference | None:
    """Returns the first difference between runs of a graph and eager calls."""
    try:
        session = Session(program, torch, binds=seed % 4 != 0)
    except (*REFUSALS, NameError, AttributeError):
        return None
    for found in session.rounds(with_threads=seed % 8 == 0):
        if found is not None:
            return found
    return None


def shrink(program: Program, torch: Any, seed: int) -> Program:
    """Removes the lines and outputs that the difference does not need."""
    for part in ("outputs", "lines", "lines"):
        index = len(getattr(program, part)) - 1
        while index >= 0:
            kept = getattr(program, part)
            fewer = dataclasses.replace(program, **{part: kept[:index] + kept[index + 1 :]})
            if fewer.outputs and compare(fewer, torch, seed) is not None:
                program = fewer
            index = min(index, len(getattr(program, part))) - 1
    return program


def count_reason(program: Program, torch: Any) -> None:
    """Counts whether inputs like the first ones are run by a plan, or why not."""
    try:
        session = Session(program, torch, binds=False)
        reason = session.graph.bind(*session.inputs(program.inputs, "bind"))
    except REFUSALS as error:
        reason = f"refused: {error}"
    reasons[reason or "runs by a plan"] += 1


def check(torch: Any, _theirs: Any, seed: int) -> str | None:
    """Returns the reduced program of a seed and its difference, or None if there is none."""
    program = Writer(torch, seed).program()
    count_reason(program, torch)
    if compare(program, torch, seed) is None:
        return None
    program = shrink(program, torch, seed)
    return f"{program}\n# {compare(program, torch, seed)}"


if __name__ == "__main__":
    status = programs.main(__doc__, check, needs_torch=None)
    print(f"{reasons['runs by a plan']} of {reasons.total()} run by plans")
    sys.exit(status)
