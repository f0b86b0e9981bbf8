# SPDX-License-Identifier: Apache-2.0
"""Pointwise operators, folds and copies beside PyTorch's, for each dtype and number of elements.

    ./dev python tests/bench/beside_torch.py                  all; some minutes
    ./dev python tests/bench/beside_torch.py --ops add,sum --dtypes float32 --sizes 65536

Both libraries compute from the same memory into the same memory, on one thread, in turns; the least
of all rounds counts. Needs PyTorch in the Python that runs it. Speeds are PyTorch's time divided by
ours: above 1 is faster. Rows below --below are listed, then geometric means.
"""

from __future__ import annotations

import argparse
import collections
import math
import time
from collections.abc import Callable

import tenon
import torch

UNARY = "abs neg relu reciprocal sqrt exp log sin cos tanh sigmoid".split()
BINARY = "add sub mul div maximum minimum".split()
COMPARISONS = "eq ne lt le gt ge".split()
FOLDS = "sum mean amax argmax max min".split()
COPIES = [f"to_{name}" for name in "float32 float64 bfloat16 float16 int64 int32 bool".split()]
ALL = [*UNARY, *BINARY, *COMPARISONS, "where", *FOLDS, *COPIES]
# Operators whose result of integers is of the default floating dtype.
TO_FLOAT = {*UNARY, "div"} - {"abs", "neg", "relu"}

Call = Callable[[], object]


def elements(count: int, dtype: torch.dtype, seed: int) -> torch.Tensor:
    """Numbers that no operator refuses: from 0.5 to 4.5, or whole ones from 1 to 99."""
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point or dtype.is_complex:
        return (torch.rand(count, generator=generator) * 4 + 0.5).to(dtype)
    return torch.randint(1, 100, (count,), generator=generator, dtype=dtype)


class Pair:
    """One call in both libraries, over the same memory."""

    def __init__(self, name: str, *args, **outs: torch.Tensor) -> None:
        base, _, overload = name.partition(".")
        self.theirs = getattr(getattr(torch.ops.aten, base), overload)
        self.ours = getattr(getattr(tenon.ops.aten, base), overload)
        self.args, self.outs = args, outs
        self.our_args = [self._ours(arg) for arg in args]
        self.our_outs = {key: self._ours(out) for key, out in outs.items()}

    @staticmethod
    def _ours(value):
        return tenon.from_dlpack(value) if isinstance(value, torch.Tensor) else value

    def calls(self) -> tuple[Call, Call]:
        theirs, ours = self.theirs, self.ours
        args, outs, our_args, our_outs = self.args, self.outs, self.our_args, self.our_outs
        return lambda: theirs(*args, **outs), lambda: ours(*our_args, **our_outs)


def pair_of(op: str, dtype: torch.dtype, count: int) -> Pair | None:
    """The operator's out form over `count` elements; None where it has none for the dtype."""
    a, b = elements(count, dtype, 1), elements(count, dtype, 2)
    is_float = dtype.is_floating_point or dtype.is_complex
    result = dtype if is_float or op not in TO_FLOAT else torch.float32
    if op in UNARY:
        return Pair(f"{op}.out", a, out=torch.empty(count, dtype=result))
    if op in BINARY:
        return Pair(f"{op}.out", a, b, out=torch.empty(count, dtype=result))
    if op in COMPARISONS:
        return Pair(f"{op}.Tensor_out", a, b, out=torch.empty(count, dtype=torch.bool))
    if op == "where":
        return Pair("where.self_out", a > 2, a, b, out=torch.empty_like(a))
    if op in COPIES:
        to = getattr(torch, op.removeprefix("to_"))
        return None if to == dtype else Pair("copy_.default", torch.empty(count, dtype=to), a)
    index = torch.empty((), dtype=torch.int64)
    value = torch.empty((), dtype=dtype)
    if op == "mean" and not is_float:
        return None
    if op == "sum":
        return Pair("sum.IntList_out", a, [0], out=value if is_float else index)
    if op in ("mean", "amax"):
        return Pair(f"{op}.out", a, [0], out=value)
    if op == "argmax":
        return Pair("argmax.out", a, 0, out=index)
    indices = "max_values" if op == "max" else "min_indices"
    return Pair(f"{op}.dim_{op}", a, 0, **{op: value, indices: index})


def least(calls: tuple[Call, Call], seconds: float) -> list[float]:
    """Seconds a call, the least of rounds of half a millisecond that take turns."""
    repeats = []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        repeats.append(max(1, int(5e-4 / max(time.perf_counter() - start, 1e-7))))
    best = [math.inf] * len(calls)
    end = time.perf_counter() + seconds
    rounds = 0
    # Some at least: others may have the machine for all of the time.
    while time.perf_counter() < end or rounds < 7:
        rounds += 1
        for k, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeats[k]):
                call()
            best[k] = min(best[k], (time.perf_counter() - start) / repeats[k])
    return best


def mean(speeds: list[float]) -> float:
    """The geometric one."""
    return math.exp(sum(map(math.log, speeds)) / len(speeds))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", default=",".join(ALL))
    parser.add_argument("--dtypes", default="float32,float64,bfloat16,float16,int64")
    parser.add_argument("--sizes", default="1,1000,65536,1048576,16777216")
    parser.add_argument("--seconds", type=float, default=0.05, help="for each row")
    parser.add_argument("--below", type=float, default=0.95, help="list slower rows than this")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    speeds = collections.defaultdict(list)
    for count in map(int, options.sizes.split(",")):
        for name in options.dtypes.split(","):
            for op in options.ops.split(","):
                pair = pair_of(op, getattr(torch, name), count)
                if pair is None:
                    continue
                theirs, ours = least(pair.calls(), options.seconds)
                speeds[count, name].append(theirs / ours)
                if theirs / ours < options.below:
                    print(
                        f"{op:12} {name:9} {count:9}  PyTorch {theirs * 1e6:10.2f} us"
                        f"  ours {ours * 1e6:10.2f} us  speed {theirs / ours:.2f}",
                        flush=True,
                    )
    for (count, name), group in speeds.items():
        print(f"{name:9} {count:9} elements: speed {mean(group):.2f} of {len(group)} rows")
    large = [speed for (count, _), group in speeds.items() if count >= 1000 for speed in group]
    if large:
        print(f"from 1000 elements: speed {mean(large):.2f} of {len(large)} rows")


if __name__ == "__main__":
    main()
