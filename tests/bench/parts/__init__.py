# SPDX-License-Identifier: Apache-2.0
"""What can be measured: a module with `measure(bench)` for each part of options.PARTS."""

from . import counts, java, kernels, layers, native, python, rust, weight

# By name: the function, and the prefixes of all names that it may give.
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
