# SPDX-License-Identifier: Apache-2.0
"""Every overload with unusual and extreme arguments: no crash, no hang, no excess memory."""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import random
import resource
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))

import cases  # noqa: E402
import watched  # noqa: E402

MODES = ("plain", "tracked", "vmap", "fake", "meta", "dynamic")
TRIES = 1  # number of tries of each overload in each mode, by a seed
SLOW_S = 2.0  # of the CPU's time, so that a busy machine changes nothing
ROOM = 1 << 30  # address space of a call, in bytes
SPARE = 128 << 20  # memory of a call beside its result, in bytes

TRIAL = "trial:"  # prefix of the calls of --self-test

LEAST, MOST = -(2**63), 2**63 - 1
INTS = (LEAST, LEAST + 1, -(2**62) - 1, -(2**62), -(2**62) + 1, 2**62, MOST - 1, MOST)
MORE_INTS = (*INTS, 0, 1, -1, 2, -2, 3, 7, 2**31 - 1, 2**31, -(2**31), 2**32, 2**40, 2**53, -7)
FLOATS = (
    *(float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 0.5, -1.5, 1.0),
    *(1e308, -1e308, 5e-324, 2.0**53, 2.0**63, -(2.0**63), 3.4e38, 1e19, 1e-10),
)
DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)
STRINGS = (
    "",
    "none",
    "mean",
    "sum",
    "max",
    "\u00e9\u4e2d",
    "x" * 5000,
    "a\x00b",
    "ij,jk->ik",
    "...",
)
SHAPES = (
    *((), (0,), (1,), (3,), (2, 3), (0, 3), (3, 0), (2, 0, 3), (1, 1, 4), (2, 3, 4)),
    *((1, 1, 4, 4), (2, 3, 4, 4), (0, 3, 4, 4), (1, 2, 3, 4, 4), (1,) * 8),
)


# ---- Arguments -----------------------------------------------------------------------------------


class Maker:
    """Makes the random arguments of one call, which depend only on its seed."""

    def __init__(self, tenon: Any, chance: random.Random, mode: str) -> None:
        self.tenon = tenon
        self.chance = chance
        self.mode = mode

    def of_type(self, kind: str, size: int | None) -> Any:
        """Makes an ordinary argument of a schema type."""
        chance, tenon = self.chance, self.tenon
        if kind.endswith("?"):
            return None if chance.random() < 0.5 else self.of_type(kind[:-1], size)
        if kind.endswith("[]"):
            count = size if size else chance.randrange(4)
            return [self.of_type(kind[:-2], None) for _ in range(count)]
        if kind == "Tensor":
            return self.tensor()
        if kind in ("int", "SymInt"):
            return chance.choice((0, 1, 2, 3, -1))
        if kind in ("float", "SymFloat"):
            return chance.choice((0.5, 1.0, 2.0))
        if kind in ("Scalar", "number"):
            return chance.choice((0, 1, 2, 0.5, True))
        if kind in ("bool", "SymBool"):
            return chance.random() < 0.5
        if kind == "str":
            return chance.choice(STRINGS)
        if kind == "ScalarType":
            return getattr(tenon, chance.choice(DTYPES))
        if kind == "Device":
            return tenon.device(chance.choice(("cpu", "meta")))
        if kind == "MemoryFormat":
            return chance.choice((tenon.contiguous_format, tenon.channels_last))
        if kind == "Layout":
            return tenon.strided
        return None

    def tensor(self) -> Any:
        """Makes a tensor of any shape, dtype and layout with unusual elements."""
        chance, tenon = self.chance, self.tenon
        dtype = getattr(tenon, chance.choice(DTYPES))
        shape = chance.choice(SHAPES)
        if self.mode == "meta" and chance.random() < 0.3:
            huge = [chance.choice((0, 1, 2, 2**20, 2**31, 2**40, 2**62)) for _ in shape]
            try:
                return tenon.empty(huge, dtype=dtype, device="meta")
            except (RuntimeError, ValueError):
                pass
        count = 1
        for one in shape:
            count *= one
        made = tenon.tensor([self.element(dtype) for _ in range(count)], dtype=dtype)
        made = made.reshape(shape)
        kind = chance.randrange(8)
        if kind == 0 and len(shape) > 1:
            return made.permute(tuple(reversed(range(len(shape)))))
        if kind == 1 and shape:
            return made[..., ::2]
        if kind == 2 and count:
            return made.reshape(-1)[:1].expand(shape)
        if kind == 3 and count > 1:  # elements that overlap each other
            return tenon.ops.aten.as_strided(made, [2, 2], [1, 1], count - 2 if count < 3 else 0)
        return made

    def element(self, dtype: Any) -> Any:
        tenon, chance = self.tenon, self.chance
        if dtype is tenon.bool:
            return chance.random() < 0.5
        if dtype.is_floating_point or dtype.is_complex:
            return chance.choice((0.0, 1.0, -1.5, 0.25, 3.0, *FLOATS[:5]))
        least, most = tenon.iinfo(dtype).min, tenon.iinfo(dtype).max
        return chance.choice((0, 1, 2, 3, most, least, 5))

    def extreme(self, value: Any, kind: str, size: int | None) -> Any:
        """Makes an extreme argument in place of another one."""
        chance = self.chance
        base = kind.rstrip("?")
        if kind.endswith("?") and chance.random() < 0.1:
            return None
        if base.endswith("[]") and base not in ("Tensor[]", "Tensor?[]"):
            return self.extreme_list(value, base[:-2], size)
        if base in ("int", "SymInt"):
            return chance.choice(MORE_INTS)
        if base in ("float", "SymFloat"):
            return chance.choice(FLOATS)
        if base in ("Scalar", "number"):
            return chance.choice((*FLOATS, *MORE_INTS, True, 1j, complex("nan")))
        if base == "str":
            return chance.choice(STRINGS)
        if base == "Tensor" and isinstance(value, self.tenon.Tensor) and chance.random() < 0.4:
            return self.odd_view(value)
        if base in ("Tensor[]", "Tensor?[]"):
            made = list(value) if isinstance(value, (list, tuple)) else []
            if made and chance.random() < 0.7:
                made[chance.randrange(len(made))] = self.tensor()
                return made
        return self.of_type(base, size)

    def extreme_list(self, value: Any, kind: str, size: int | None) -> list:
        chance = self.chance
        made = list(value) if isinstance(value, (list, tuple)) else [value] * (size or 1)
        made = [1 if one is None else one for one in made]
        choice = chance.random()
        if choice < 0.1:
            return []
        if choice < 0.2:
            return made + made
        if choice < 0.25:
            return (made or [1]) * 70  # more than a tensor has dims
        made = made or [1]
        for at in range(len(made)) if choice < 0.5 else (chance.randrange(len(made)),):
            made[at] = self.extreme(made[at], kind, None)
        return made

    def odd_view(self, value: Any) -> Any:
        """Returns a sample's tensor with another dtype, layout, device or shape."""
        tenon, chance = self.tenon, self.chance
        kind = chance.randrange(7)
        if kind == 0:
            return value.to(getattr(tenon, chance.choice(DTYPES)))
        if kind == 1 and value.dim() > 1:
            return value.transpose(0, -1)
        if kind == 2 and value.dim() > 0:
            return value[:0]
        if kind == 3:
            return value.unsqueeze(0)
        if kind == 4 and value.numel():
            return value.reshape(-1)[:1].expand(value.shape)
        if kind == 5:
            return value.to("meta")
        return value.reshape(-1)


# ---- Calls ---------------------------------------------------------------------------------------


class Calls:
    """Makes the calls that names encode, and describes them."""

    def __init__(self) -> None:
        import tenon

        self.tenon = tenon
        self.samples = cases.by_operator()
        tenon.ops.aten.add.overloads()  # loads the operators
        self.overloads = [
            name for space in ("aten", "tenon") for name in tenon.introspect.operators(space)
        ]

    def names(self, seed: int, only: str = "") -> Iterator[str]:
        for name in self.overloads:
            if only not in name:
                continue
            for mode in MODES:
                count = len(self.integer_places(name)) * len(INTS) if seed == 0 else TRIES
                for k in range(count):
                    yield f"{seed}:{name}:{mode}:{k}"

    def integer_places(self, name: str) -> list[tuple[int, int]]:
        """Yields the positions of a sample's integers: an argument, and an index into a list."""
        places = []
        for at, one in enumerate(self.schema(name).arguments):
            kind = one.type.rstrip("?")
            if kind in ("int", "SymInt", "Scalar"):
                places.append((at, -1))
            elif kind in ("int[]", "SymInt[]"):
                places += [(at, 0), (at, 1)]
        return places

    def schema(self, name: str) -> Any:
        return self.tenon.find_op(name)._schema

    def arguments(self, call: str) -> tuple[str, str, list, dict]:
        """Returns the overload, the mode and the arguments of a call."""
        seed, name, mode, k = split_name(call)
        chance = random.Random(call)
        maker = Maker(self.tenon, chance, mode)
        schema = self.schema(name).arguments
        samples = self.samples.get(name)
        if samples and (seed == 0 or chance.random() < 0.9):
            case = samples[0] if seed == 0 else chance.choice(samples)
            given, named = cases.arguments(case)
        else:
            given, named = [], {}
        values: dict[int, Any] = {}
        for at, one in enumerate(schema):
            if at < len(given):
                values[at] = given[at]
            elif one.name in named:
                values[at] = named[one.name]
            elif not one.has_default:
                values[at] = maker.of_type(one.type, one.size)
        if seed == 0:
            self.put_integer(values, schema, *self.integer_places(name)[k // len(INTS)], k)
        else:
            for _ in range(chance.choice((1, 1, 2, 3))):
                at = chance.randrange(len(schema)) if schema else -1
                if at >= 0:
                    one = schema[at]
                    values[at] = maker.extreme(values.get(at), one.type, one.size)
        args: list = []
        kwargs = {}
        for at, one in enumerate(schema):
            if at not in values:
                continue
            if one.kwarg_only or at > len(args):
                kwargs[one.name] = values[at]
            else:
                args.append(values[at])
        return name, mode, args, kwargs

    @staticmethod
    def put_integer(values: dict, schema: list, at: int, element: int, k: int) -> None:
        extreme = INTS[k % len(INTS)]
        if element < 0:
            values[at] = extreme
            return
        given = values.get(at, schema[at].default)
        made = list(given) if isinstance(given, (list, tuple)) else []
        if not isinstance(given, (list, tuple)) and given is not None:
            made = [given] * (schema[at].size or 1)
        made += [1] * (element + 1 - len(made))
        made[element] = extreme
        values[at] = made

    def make(self, call: str) -> int:
        """Makes a call; returns the bytes of its results. Errors of the call propagate."""
        if call.startswith(TRIAL):
            return misbehave(call.removeprefix(TRIAL))
        name, mode, args, kwargs = self.arguments(call)
        op = self.tenon.find_op(name)
        return getattr(self, f"make_{mode}")(op, args, kwargs)

    def make_plain(self, op: Any, args: list, kwargs: dict) -> int:
        return self.bytes_of(op(*args, **kwargs))

    def make_tracked(self, op: Any, args: list, kwargs: dict) -> int:
        tenon = self.tenon
        leaves = []
        is_written = any(one.is_write for one in op._schema.arguments)

        def tracked(tensor: Any) -> Any:
            if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
                return tensor
            leaf = tensor.detach()
            leaves.append(leaf.requires_grad_())
            return leaf.clone() if is_written else leaf

        result = op(*self.mapped(args, tracked), **self.mapped(kwargs, tracked))
        outs = [one for one in self.tensors_in(result) if one.requires_grad and one.grad_fn]
        if outs and sum(one.numel() for one in outs) < 1 << 20:
            ones = [tenon.ones_like(one) for one in outs]
            tenon.autograd.grad(outs, leaves, ones, allow_unused=True)
        return self.bytes_of(result)

    def make_vmap(self, op: Any, args: list, kwargs: dict) -> int:
        tenon = self.tenon
        inputs: list = []

        def take(tensor: Any) -> Any:
            inputs.append(tenon.stack([tensor, tensor]))
            return Place(len(inputs) - 1)

        args, kwargs = self.mapped(args, take), self.mapped(kwargs, take)

        def function(*given: Any) -> Any:
            def put(place: Any) -> Any:
                return given[place.at]

            return op(*self.mapped(args, put, Place), **self.mapped(kwargs, put, Place))

        if not inputs:
            return self.bytes_of(op(*args, **kwargs))
        return self.bytes_of(tenon.func.vmap(function, randomness="different")(*inputs))

    def make_fake(self, op: Any, args: list, kwargs: dict) -> int:
        with self.tenon.fake.FakeTensorMode() as mode:
            fake = mode.from_tensor
            op(*self.mapped(args, fake), **self.mapped(kwargs, fake))
        return 0

    def make_meta(self, op: Any, args: list, kwargs: dict) -> int:
        tenon = self.tenon

        def meta(tensor: Any) -> Any:
            if tensor.device.type == "meta":
                return tensor
            sizes, strides = list(tensor.shape), list(tensor.stride())
            return tenon.empty_strided(sizes, strides, dtype=tensor.dtype, device="meta")

        op(*self.mapped(args, meta), **self.mapped(kwargs, meta))
        return 0

    def make_dynamic(self, op: Any, args: list, kwargs: dict) -> int:
        inputs: list = []

        def take(tensor: Any) -> Any:
            inputs.append(tensor)
            return Place(len(inputs) - 1)

        args, kwargs = self.mapped(args, take), self.mapped(kwargs, take)

        def function(*given: Any) -> Any:
            def put(place: Any) -> Any:
                return given[place.at]

            return op(*self.mapped(args, put, Place), **self.mapped(kwargs, put, Place))

        self.tenon.graph.trace(function, *inputs, dynamic=True)
        return 0

    def mapped(self, tree: Any, function: Any, kind: type | None = None) -> Any:
        """Returns a tree of arguments with each tensor replaced."""
        if isinstance(tree, kind or self.tenon.Tensor):
            return function(tree)
        if isinstance(tree, dict):
            return {key: self.mapped(one, function, kind) for key, one in tree.items()}
        if isinstance(tree, (list, tuple)):
            return [self.mapped(one, function, kind) for one in tree]
        return tree

    def tensors_in(self, tree: Any) -> list:
        found: list = []
        self.mapped(tree, found.append)
        return found

    def bytes_of(self, result: Any) -> int:
        return sum(one.numel() * one.element_size() for one in self.tensors_in(result))

    def describe(self, call: str) -> str:
        if call.startswith(TRIAL):
            return "on purpose"
        name, mode, args, kwargs = self.arguments(call)
        parts = [self.text_of(one) for one in args]
        parts += [f"{key}={self.text_of(one)}" for key, one in kwargs.items()]
        return f"{name}({', '.join(parts)}) {mode}"

    def text_of(self, value: Any) -> str:
        if isinstance(value, self.tenon.Tensor):
            kind = str(value.dtype).rpartition(".")[2]
            text = f"{kind}{list(value.shape)}"
            if value.device.type == "meta":
                return f"{text} on meta"
            row_major = value.is_contiguous()
            return text if row_major else f"{text} of strides {list(value.stride())}"
        if isinstance(value, list):
            shown = ", ".join(self.text_of(one) for one in value[:8])
            return f"[{shown}{', ...' if len(value) > 8 else ''}]"
        return repr(value)[:80]


class Place:
    """A placeholder for a tensor among arguments."""

    def __init__(self, at: int) -> None:
        self.at = at


def misbehave(kind: str) -> int:
    """Misbehaves in one of the ways that --self-test expects to detect."""
    if kind == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if kind in ("slow", "hang"):
        slow = float(os.environ["TENON_EXTREMES_SLOW"])
        end = time.process_time() + (1.5 if kind == "slow" else 1000) * slow
        while time.process_time() < end:
            pass
    if kind == "memory":
        bytearray(2 * SPARE)
    if kind == "error":
        raise AssertionError("on purpose")
    return 0


def split_name(call: str) -> tuple[int, str, str, int]:
    seed, rest = call.split(":", 1)
    name, mode, k = rest.rsplit(":", 2)
    return int(seed), name, mode, int(k)


# ---- Faults of a call ----------------------------------------------------------------------------


def work(options: argparse.Namespace) -> int:
    """Makes the calls of a child process, with a limit of memory."""
    calls = Calls()
    tenon = calls.tenon
    tenon.set_num_threads(1)
    for mode in MODES:  # libraries and threads are loaded before memory is limited
        square = [tenon.ones(2, 2), tenon.ones(2, 2)]
        getattr(calls, f"make_{mode}")(tenon.find_op("aten::matmul"), square, {})
    with open("/proc/self/status") as status:
        room = next(int(line.split()[1]) for line in status if line.startswith("VmSize")) << 10
    resource.setrlimit(resource.RLIMIT_AS, (room + ROOM, room + ROOM))
    warnings.simplefilter("always")
    return watched.work(options, lambda call: trouble_of(calls, call))


def trouble_of(calls: Calls, call: str) -> list[tuple[str, str]]:
    """Makes a call; returns the kind and a description of each fault in its behaviour."""
    found = []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    begin = time.process_time()
    slow = float(os.environ.get("TENON_EXTREMES_SLOW", SLOW_S))
    refusal: BaseException | None = None
    room = 0
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            room = calls.make(call)
        except BaseException as error:
            refusal = error
    seconds = time.process_time() - begin
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) - before
    if seconds > slow:
        found.append(("slow", f"{seconds:.1f} s"))
    if more > SPARE + 3 * room:
        found.append(("memory", f"{more >> 20} MiB for a result of {room >> 20} MiB"))
    if refusal is not None:
        kind = odd_error(calls.tenon, refusal)
        if kind:
            found.append(("error", f"{kind}: {str(refusal)[:300]}"))
        if any("resized from" in str(one.message) for one in told) and is_of_size(refusal):
            found.append(("warning", f"warned before the refusal: {str(refusal)[:200]}"))
    return found


def is_of_size(error: BaseException) -> bool:
    text = str(error)
    of_size = "size" in text and "must be >= 0" in text
    return of_size or "63 bits" in text or "out of memory" in text


def odd_error(tenon: Any, error: BaseException) -> str:
    """Returns why a user should not see this error, or "" if it is clear."""
    text = str(error)
    if isinstance(error, tenon.error.InternalError):
        return "an internal error"
    for word in ("vector::", "basic_string", "std::", "cannot create", "_M_"):
        if word in text:
            return "words of C++"
    expected = (tenon.Error, TypeError, ValueError, OverflowError, MemoryError)
    return "" if isinstance(error, expected) else type(error).__name__


# ---- The command ---------------------------------------------------------------------------------


def watch(names: list[str], processes: int) -> list[watched.Failure]:
    return watched.watch(__file__, names, processes, 2 * SLOW_S)


def self_test(processes: int) -> int:
    """Returns true if each kind of failure is detected, and nothing else."""
    kinds = ("crash", "slow", "hang", "memory", "error")
    os.environ["TENON_EXTREMES_SLOW"] = "1"  # more than the allocation of memory takes
    found = watch([f"{TRIAL}{kind}" for kind in ("nothing", *kinds, "nothing")], processes)
    told = {(call.removeprefix(TRIAL), kind) for call, kind, _ in found}
    print(sorted(told))
    return 0 if told == {(kind, kind) for kind in kinds} else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, default=5, help="how many seeds are tried (default: 5)"
    )
    parser.add_argument("--first-seed", type=int, default=0, help="the first seed (default: 0)")
    watched.add_options(parser)
    parser.add_argument("--filter", default="", help="only overloads with this text in their names")
    parser.add_argument("--call", default="", help="makes this one call, here")
    parser.add_argument("--self-test", action="store_true", help="finds failures made on purpose")
    options = parser.parse_args()
    if options.work:
        return work(options)
    if options.self_test:
        return self_test(options.processes)
    calls = Calls()
    if options.call:
        print(calls.describe(options.call), flush=True)
        try:
            calls.make(options.call)
        except calls.tenon.Error as error:
            print(f"{type(error).__name__}: {error}")
        return 0
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    names = [name for seed in seeds for name in calls.names(seed, options.filter)]
    random.Random(0).shuffle(names)
    begin = time.monotonic()
    found = watch(names, options.processes)
    for call, kind, text in found:
        print(f"{kind}: {call}: {calls.describe(call)}: {text}")
    kinds = collections.Counter(kind for _, kind, _ in found)
    overloads = len({split_name(name)[1] for name in names})
    print(
        f"{len(names)} calls, {overloads} overloads, {kinds['crash']} crashes, "
        f"{kinds['hang'] + kinds['slow']} calls above {SLOW_S:.0f} s, {kinds['memory']} with "
        f"memory beyond the result, {kinds['error'] + kinds['warning']} odd errors, "
        f"{time.monotonic() - begin:.0f} s"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
