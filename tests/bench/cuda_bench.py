#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares GPU calls with PyTorch, alternating in one process: time, and share of copy bandwidth.

Needs a GPU, `torch` with CUDA and a `tenon` package with libtenon_cuda.so beside libtenon. Each
call is repeated without synchronization, with one synchronization at the end: below some 10 000
elements this measures the CPU's launch cost, above it the GPU's time. Inputs are reused, results
are newly allocated. Bandwidth is relative to cudaMemcpy between two buffers of 1 GiB.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import time
from collections.abc import Callable
from functools import partial

import tenon
import torch

SIZES = (16, 1024, 65536, 1 << 20, 1 << 24, 1 << 27)
Call = Callable[[], object]


class Row:
    """One call in both libraries, with its least memory traffic in bytes."""

    def __init__(self, name: str, ours: Call, theirs: Call, nbytes: int, flops: int = 0) -> None:
        self.name = name
        self.calls = (ours, theirs)
        self.nbytes = nbytes
        self.flops = flops


def seconds(call: Call, repeats: int) -> float:
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / repeats


def measure(row: Row, rounds: int, budget: float) -> tuple[float, float]:
    """Returns the median seconds per call for both libraries, over alternating rounds."""
    repeats = []
    for call in row.calls:
        seconds(call, 3)
        once = seconds(call, 3)
        repeats.append(max(3, min(2000, int(budget / max(once, 1e-7)))))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for which, call in enumerate(row.calls):
            times[which].append(seconds(call, repeats[which]))
    return statistics.median(times[0]), statistics.median(times[1])


def pair(count: int, dtype: str, shape: tuple[int, ...] | None = None):
    """Returns a tensor for each library with the same elements on the GPU."""
    generator = torch.Generator().manual_seed(count)
    cpu = (torch.rand(count, generator=generator) + 0.5).reshape(shape or (count,))
    ours = tenon.from_dlpack(cpu).to(getattr(tenon, dtype)).to("cuda")
    return ours, cpu.to(getattr(torch, dtype)).to("cuda")


def pointwise_rows() -> list[Row]:
    rows = []
    for count in SIZES:
        for dtype in ("float32", "bfloat16") if count >= 1 << 20 else ("float32",):
            size = 2 if dtype == "bfloat16" else 4
            a, ta = pair(count, dtype)
            b, tb = pair(count, dtype)
            for name in ("add", "mul", "eq"):
                out = 1 if name == "eq" else size
                ours = partial(getattr(tenon, name), a, b)
                theirs = partial(getattr(torch, name), ta, tb)
                rows.append(Row(f"{name}/{dtype}/{count}", ours, theirs, count * (2 * size + out)))
            for name in ("exp", "gelu", "sigmoid"):
                own, other = (tenon, torch)
                if name == "gelu":
                    own, other = tenon.nn.functional, torch.nn.functional
                ours = partial(getattr(own, name), a)
                theirs = partial(getattr(other, name), ta)
                rows.append(Row(f"{name}/{dtype}/{count}", ours, theirs, count * 2 * size))
            for name in ("sum", "amax"):
                ours = partial(getattr(tenon, name), a)
                theirs = partial(getattr(torch, name), ta)
                rows.append(Row(f"{name}/{dtype}/{count}", ours, theirs, count * size))
            rows.append(Row(f"clone/{dtype}/{count}", a.clone, ta.clone, count * 2 * size))
            rows.append(
                Row(
                    f"fill_/{dtype}/{count}",
                    lambda a=tenon.empty_like(a): a.fill_(2.0),
                    lambda a=torch.empty_like(ta): a.fill_(2.0),
                    count * size,
                )
            )
    return rows


def matrix_rows() -> list[Row]:
    rows = []
    for side in (1024, 8192):
        a, ta = pair(side * side, "float32", (side, side))
        b, tb = pair(side, "float32")
        nbytes = side * side * 4
        rows += [
            Row(f"sum dim 0/float32/{side}²", lambda a=a: a.sum(0), lambda a=ta: a.sum(0), nbytes),
            Row(f"sum dim 1/float32/{side}²", lambda a=a: a.sum(1), lambda a=ta: a.sum(1), nbytes),
            Row(
                f"add row/float32/{side}²",
                lambda a=a, b=b: a + b,
                lambda a=ta, b=tb: a + b,
                2 * nbytes,
            ),
            Row(
                f"transposed copy/float32/{side}²",
                lambda a=a: a.t().contiguous(),
                lambda a=ta: a.t().contiguous(),
                2 * nbytes,
            ),
            Row(
                f"cast to float16/{side}²",
                lambda a=a: a.to(tenon.float16),
                lambda a=ta: a.to(torch.float16),
                nbytes * 3 // 2,
            ),
            Row(
                f"where/float32/{side}²",
                lambda c=a > 1, a=a: tenon.where(c, a, a),
                lambda c=ta > 1, a=ta: torch.where(c, a, a),
                nbytes * 2 + nbytes // 4,
            ),
        ]
        for name in ("uniform_", "normal_"):
            ours, theirs = getattr(tenon.empty_like(a), name), getattr(torch.empty_like(ta), name)
            rows.append(Row(f"{name}/float32/{side}²", ours, theirs, nbytes))
    for side in (64, 512, 4096):
        for dtype in ("float32", "bfloat16"):
            a, ta = pair(side * side, dtype, (side, side))
            ours, theirs = partial(tenon.mm, a, a), partial(torch.mm, ta, ta)
            rows.append(Row(f"mm/{dtype}/{side}", ours, theirs, 0, 2 * side**3))
    a, ta = pair(64 * 128 * 128, "float32", (64, 128, 128))
    ours, theirs = partial(tenon.bmm, a, a), partial(torch.bmm, ta, ta)
    rows.append(Row("bmm/float32/64×128", ours, theirs, 0, 64 * 2 * 128**3))
    return rows


def copy_bandwidth() -> float:
    """Returns the bandwidth of a device-to-device copy, in bytes read and written per second."""
    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() / min(seconds(lambda: target.copy_(source), 10) for _ in range(5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each row (default: 5)")
    parser.add_argument("--seconds", type=float, default=0.02, help="of a round (default: 0.02)")
    parser.add_argument("--json", type=pathlib.Path, help="also write the rows to a file")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    copied = copy_bandwidth()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print(f"copy bandwidth {copied / 1e12:.2f} TB/s")
    heads = ("µs", "PyTorch", "× its speed", "of the copy", "TFLOP/s")
    print(f"{'call':34}" + "".join(f"{head:>13}" for head in heads))
    found = []
    for row in pointwise_rows() + matrix_rows():
        ours, theirs = measure(row, options.rounds, options.seconds)
        share = row.nbytes / ours / copied
        flops = row.flops / ours / 1e12
        print(
            f"{row.name:34}{ours * 1e6:13.2f}{theirs * 1e6:13.2f}{theirs / ours:13.2f}"
            f"{share:13.2f}{flops:13.1f}",
            flush=True,
        )
        found.append({"name": row.name, "ours": ours, "theirs": theirs, "share": share})
    if options.json:
        options.json.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
