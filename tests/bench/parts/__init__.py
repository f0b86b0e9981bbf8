# SPDX-License-Identifier: Apache-2.0
"""The parts of the benchmarks: a module with `measure(bench)` for each of options.PARTS."""

from . import counts, java, kernels, layers, native, python, rust, weight

# Each part's function, and the prefixes of all names that it may report.
PARTS = {
    "c": (native.measure, ("c:", "many:")),
    "instructions": (counts.measure, ("count:",)),
    "python": (python.measure, ("python:",)),
    "layers": (layers.measure, ("layer:",)),
    "kernels": (kernels.measure, ("kernel:",)),
    "rust": (rust.measure, ("rust:",)),
    "java": (java.measure, ("java",)),
    "weight": (weight.measure, ("size:", "start:")),
}
