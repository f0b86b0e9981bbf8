# SPDX-License-Identifier: Apache-2.0
"""Equal kernel calls in Tenon, PyTorch and numpy, by operator, dtype, layout and size.

All three read the same memory if numpy has the dtype, and allocate their results, as programs do. A
matrix of n elements is square.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator

import numpy
import tenon
import torch

SIZES = (16, 1024, 65536, 1 << 20, 1 << 24)

UNARY = "abs neg sqrt rsqrt reciprocal exp log sin cos tanh sigmoid erf relu gelu silu".split()
BINARY = "add sub mul div maximum pow lt eq".split()
FOLDS = "sum mean amax argmax var all".split()
ROWS = "softmax log_softmax layer_norm cumsum sort topk".split()
MOVES = "clone cat gather index_select scatter".split()
CASTS = "float64 bfloat16 float16 int64 int32 bool".split()
# Operators measured with dtypes other than float32.
FLOAT_SAMPLE = "add mul div exp tanh lt sum amax".split()
WHOLE_SAMPLE = "add mul lt sum amax".split()
NUMPY = {
    "neg": "negative",
    "mul": "multiply",
    "sub": "subtract",
    "div": "true_divide",
    "pow": "power",
    "lt": "less",
    "eq": "equal",
    "clone": "copy",
    "mm": "matmul",
}
# numpy lacks these functions, or has a different one of that name.
NOT_IN_NUMPY = {"rsqrt", "sigmoid", "erf", "relu", "gelu", "silu", "topk", "gather", "scatter"}
NOT_IN_NUMPY |= {"softmax", "log_softmax", "layer_norm", "index_select", "cat"}

Call = Callable[[], object]
Calls = dict[str, Call]


class Row:
    """A call in each library, with the least memory traffic and arithmetic that it needs."""

    def __init__(
        self,
        op: str,
        dtype: str,
        layout: str,
        count: int,
        calls: Calls,
        nbytes: int,
        flops: int = 0,
    ) -> None:
        self.name = f"{op}/{dtype}/{layout}/{count}"
        self.count = count
        self.calls = calls
        self.nbytes = nbytes
        self.flops = flops


@functools.lru_cache(maxsize=8)
def elements(count: int, dtype: str, seed: int) -> torch.Tensor:
    """Returns numbers that every operator accepts: 0.5 to 4.5, or whole numbers from 1 to 99."""
    generator = torch.Generator().manual_seed(seed)
    kind = getattr(torch, dtype)
    if kind.is_floating_point:
        return (torch.rand(count, generator=generator) * 4 + 0.5).to(kind)
    return torch.randint(1, 100, (count,), generator=generator).to(kind)


def indices(count: int, below: int, seed: int = 3) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, below, (count,), generator=generator)


def ours(value):
    """Converts a PyTorch tensor to a Tenon tensor on the same memory; returns others unchanged."""
    return tenon.from_dlpack(value) if isinstance(value, torch.Tensor) else value


def for_numpy(value):
    if not isinstance(value, torch.Tensor):
        return value
    return None if value.dtype == torch.bfloat16 else value.numpy()


def function_of(library, op: str) -> Callable:
    found = getattr(library, op, None)
    return found if found is not None else getattr(library.nn.functional, op)


def calls_of(op: str, *args, in_numpy: Callable | None = None, **options) -> Calls:
    """Returns the calls of a function with one name in both libraries, and numpy's if given."""
    calls = {
        "torch": functools.partial(function_of(torch, op), *args, **options),
        "tenon": functools.partial(function_of(tenon, op), *map(ours, args), **options),
    }
    its = [for_numpy(arg) for arg in args]
    if all(one is not None for one in its):
        if in_numpy is not None:
            calls["numpy"] = functools.partial(in_numpy, *its)
        elif not options and op not in NOT_IN_NUMPY and hasattr(numpy, NUMPY.get(op, op)):
            calls["numpy"] = functools.partial(getattr(numpy, NUMPY.get(op, op)), *its)
    return calls


def methods_of(op: str, tensor: torch.Tensor, options: Callable) -> Calls:
    """Returns the calls of a method, whose options depend on the library."""
    mine = ours(tensor)
    return {
        "torch": functools.partial(getattr(tensor, op), **options(torch)),
        "tenon": functools.partial(getattr(mine, op), **options(tenon)),
    }


def size_of(dtype: str) -> int:
    return getattr(torch, dtype).itemsize


# ---- Rows by kind --------------------------------------------------------------------------------


def pointwise(op: str, dtype: str, count: int) -> Row:
    a, b = elements(count, dtype, 1), elements(count, dtype, 2)
    args = (a,) if op in UNARY else (a, b)
    written = 1 if op in ("lt", "eq") else size_of(dtype)
    calls = calls_of(op, *args)
    return Row(op, dtype, "contiguous", count, calls, count * (len(args) * a.itemsize + written))


def add_layouts(dtype: str, side: int) -> Iterator[Row]:
    count = side * side
    a, b = (elements(count, dtype, seed).view(side, side) for seed in (1, 2))
    row, column = b[0].clone(), b[0].clone().view(side, 1)
    size = a.itemsize
    yield Row("add", dtype, "transposed", count, calls_of("add", a, b.t()), 3 * count * size)
    yield Row("add", dtype, "+ row", count, calls_of("add", a, row), 2 * count * size)
    yield Row("add", dtype, "+ column", count, calls_of("add", a, column), 2 * count * size)
    yield Row("add", dtype, "+ number", count, calls_of("add", a, 1.5), 2 * count * size)


def out_forms(count: int) -> Iterator[Row]:
    """Yields calls that write to existing tensors."""
    a, b = elements(count, "float32", 1), elements(count, "float32", 2)
    out = torch.empty_like(a)
    for op, args in (("add", (a, b)), ("exp", (a,))):
        calls = calls_of(op, *args)
        calls["torch"] = functools.partial(calls["torch"], out=out)
        calls["tenon"] = functools.partial(calls["tenon"], out=ours(out))
        calls["numpy"] = functools.partial(calls["numpy"], out=out.numpy())
        yield Row(op, "float32", "into out", count, calls, (len(args) + 1) * 4 * count)


def fold(op: str, dtype: str, side: int, dim: int | None) -> Row:
    count = side * side
    a = elements(count, dtype, 1).view(side, side)
    layout = {None: "contiguous", 0: "dim 0", 1: "dim 1"}[dim]
    if op == "all":
        a = a > 0
    its = {"in_numpy": getattr(numpy, op)}
    calls = calls_of(op, a, **its) if dim is None else calls_of(op, a, dim, **its)
    if op == "var":
        calls.pop("numpy", None)  # numpy divides by something else
    return Row(op, dtype, layout, count, calls, count * a.itemsize)


def along_rows(op: str, side: int, dim: int) -> Row:
    count = side * side
    a = elements(count, "float32", 1).view(side, side)
    moved = 2 * count * a.itemsize
    if op == "topk":
        calls = calls_of(op, a, min(side, 10), dim)
        moved = count * a.itemsize
    elif op == "layer_norm":
        weight = elements(side, "float32", 2)
        calls = {
            "torch": functools.partial(torch.layer_norm, a, (side,), weight, weight),
            "tenon": functools.partial(
                tenon.nn.functional.layer_norm, ours(a), (side,), ours(weight), ours(weight)
            ),
        }
    elif op == "sort":
        calls = calls_of(op, a, dim, in_numpy=numpy.sort)
        moved += 8 * count
    else:
        calls = calls_of(op, a, dim)
    return Row(op, "float32", f"dim {dim}", count, calls, moved)


def moves(op: str, side: int) -> Row:
    count = side * side
    a, b = (elements(count, "float32", seed).view(side, side) for seed in (1, 2))
    moved = 8 * count
    if op == "clone":
        calls = calls_of(op, a)
    elif op == "cat":
        calls = {
            "torch": functools.partial(torch.cat, [a, b]),
            "tenon": functools.partial(tenon.cat, [ours(a), ours(b)]),
            "numpy": functools.partial(numpy.concatenate, [a.numpy(), b.numpy()]),
        }
        moved *= 2
    elif op == "gather":
        calls = calls_of(op, a, 1, indices(count, side).view(side, side))
        moved += 8 * count
    elif op == "index_select":
        calls = calls_of(op, a, 0, indices(side, side), in_numpy=None)
    else:
        places = torch.argsort(torch.rand(side, side), 1)
        calls = calls_of(op, a, 1, places, b)
        moved += 16 * count
    return Row(op, "float32", "contiguous", count, calls, moved)


def turned_copy(dtype: str, side: int) -> Row:
    count = side * side
    a = elements(count, dtype, 1).view(side, side).t()
    calls = methods_of("clone", a, lambda lib: {"memory_format": lib.contiguous_format})
    calls["numpy"] = functools.partial(numpy.ascontiguousarray, a.numpy())
    return Row("clone", dtype, "transposed", count, calls, 2 * count * a.itemsize)


def cast(to: str, from_: str, count: int) -> Row:
    a = elements(count, from_, 1)
    calls = methods_of("to", a, lambda lib: {"dtype": getattr(lib, to)})
    if "bfloat16" not in (to, from_):
        calls["numpy"] = functools.partial(a.numpy().astype, to)
    moved = count * (a.itemsize + size_of(to))
    return Row(f"to {to}", from_, "contiguous", count, calls, moved)


def mixed(left: str, right: str, count: int) -> Row:
    a, b = elements(count, left, 1), elements(count, right, 2)
    moved = count * (a.itemsize + b.itemsize + torch.promote_types(a.dtype, b.dtype).itemsize)
    return Row("add", f"{left} + {right}", "contiguous", count, calls_of("add", a, b), moved)


def products(dtype: str, side: int) -> Iterator[Row]:
    a, b = (elements(side * side, dtype, seed).view(side, side) for seed in (1, 2))
    moved, flops = 3 * side * side * a.itemsize, 2 * side**3
    count = side * side
    yield Row("mm", dtype, "contiguous", count, calls_of("mm", a, b), moved, flops)
    if dtype != "float32":
        return
    yield Row("mm", dtype, "transposed", count, calls_of("mm", a, b.t()), moved, flops)
    bias = b[0].clone()
    yield Row("addmm", dtype, "contiguous", count, calls_of("addmm", bias, a, b), moved, flops)
    if side >= 32:
        batches = 8
        c = elements(side * side, dtype, 1).view(batches, side // 2, side // 4)
        d = elements(side * side, dtype, 2).view(batches, side // 4, side // 2)
        flops = 2 * batches * (side // 2) ** 2 * (side // 4)
        calls = calls_of("bmm", c, d)
        yield Row("bmm", dtype, "contiguous", count, calls, 4 * count * a.itemsize, flops)


def rows_of(count: int) -> Iterator[Row]:
    """All rows of one size."""
    side = math.isqrt(count)
    for op in (*UNARY, *BINARY):
        yield pointwise(op, "float32", count)
    yield from add_layouts("float32", side)
    yield from out_forms(count)
    for op in FOLDS:
        for dim in (None, 0, 1):
            yield fold(op, "float32", side, dim)
    for op in ROWS:
        yield along_rows(op, side, 1)
    yield along_rows("softmax", side, 0)
    yield along_rows("cumsum", side, 0)
    for op in MOVES:
        yield moves(op, side)
    yield turned_copy("float32", side)
    for to in CASTS:
        yield cast(to, "float32", count)
    for from_ in ("bfloat16", "float16", "int64"):
        yield cast("float32", from_, count)
    yield mixed("int64", "float32", count)
    yield mixed("float16", "float32", count)
    for dtype in ("float64", "bfloat16", "float16", "int64"):
        for op in WHOLE_SAMPLE if dtype == "int64" else FLOAT_SAMPLE:
            if op in FOLDS:
                yield fold(op, dtype, side, None)
            else:
                yield pointwise(op, dtype, count)
        yield fold("sum", dtype, side, 0)
        yield fold("sum", dtype, side, 1)
    # A product of 4096 x 4096 takes a second.
    if side <= 1024:
        for dtype in ("float32", "float64", "bfloat16"):
            yield from products(dtype, side)
