# SPDX-License-Identifier: Apache-2.0
"""Measures errors of elementary functions in units in the last place (ULP).

    ./dev python tests/bench/ulp.py             some seconds
    ./dev python tests/bench/ulp.py --step 1    every float32; an hour

float32 is compared with numpy in float64, float64 with the processor's long double, over all
magnitudes: each --step-th bit pattern of float32, and equally many of float64. If the exact result
is subnormal, the unit is the smallest normal number, because sigmoid returns 0 there. Prints the
table of docs/kernels.md.
"""

from __future__ import annotations

import argparse
import math

import numpy
import tenon

SIMPLE = """exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh sqrt""".split()
ARCS = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}
CHUNK = 1 << 22


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def rsqrt(x):
    return 1 / numpy.sqrt(x)


EXACT = {name: getattr(numpy, name) for name in SIMPLE}
EXACT |= {name: getattr(numpy, its) for name, its in ARCS.items()}
EXACT |= {"sigmoid": sigmoid, "rsqrt": rsqrt, "reciprocal": numpy.reciprocal}
# The C library's functions process one element at a time, so fewer numbers are checked, and only
# float32.
SLOW = {"erf": numpy.vectorize(math.erf), "erfc": numpy.vectorize(math.erfc)}


def float32_inputs(start: int, step: int) -> numpy.ndarray:
    """Returns one chunk of every `step`-th number from bit pattern `start` on, with both signs."""
    bits = numpy.arange(start, min(start + CHUNK * step, 0x7F800000), step, dtype=numpy.uint32)
    positive = bits.view(numpy.float32)
    return numpy.concatenate([positive, -positive])


def float64_inputs(count: int) -> numpy.ndarray:
    bits = numpy.linspace(0, 0x7FEFFFFFFFFFFFFF, count).astype(numpy.uint64)
    positive = bits.view(numpy.float64)
    near = numpy.random.default_rng(1).uniform(-20, 20, count)
    return numpy.concatenate([positive, -positive, near])


def worst(name: str, inputs: numpy.ndarray, exact) -> tuple[float, float]:
    """Returns the largest error, in units in the last place, and its input."""
    got = numpy.asarray(getattr(tenon, name)(tenon.from_numpy(inputs)).numpy())
    wide = numpy.float64 if inputs.dtype == numpy.float32 else numpy.longdouble
    with numpy.errstate(all="ignore"):
        right = numpy.asarray(exact(inputs.astype(wide)))
        rounded = right.astype(inputs.dtype)
        least = numpy.finfo(inputs.dtype).tiny
        unit = numpy.where(numpy.abs(rounded) < least, least, numpy.spacing(numpy.abs(rounded)))
        error = numpy.abs(got.astype(wide) - right) / unit
    # Infinite and NaN results must agree exactly.
    special = ~numpy.isfinite(rounded)
    same = (got == rounded) | (numpy.isnan(got) & numpy.isnan(rounded))
    error = numpy.where(special, numpy.where(same, 0, numpy.inf), error)
    at = int(numpy.argmax(error))
    return float(error[at]), float(inputs[at])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--step", type=int, default=2003)
    options = parser.parse_args()
    print("| function | float32 | float64 |\n|---|---|---|")
    for name in sorted([*EXACT, *SLOW]):
        exact = EXACT.get(name) or SLOW[name]
        step = options.step * (50 if name in SLOW else 1)
        chunks = range(0, 0x7F800000, CHUNK * step)
        errors = [worst(name, float32_inputs(start, step), exact) for start in chunks]
        cells = [f"{max(errors)[0]:.2f}"]
        if name not in SLOW:
            cells.append(f"{worst(name, float64_inputs(0x7F800000 // step // 2), exact)[0]:.2f}")
        else:
            cells.append("")
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
