# SPDX-License-Identifier: Apache-2.0
"""Instructions per call, counted by callgrind, which do not depend on the machine's load."""

from __future__ import annotations

import shutil

import instructions
from bench import Bench
from sample import Sample


def measure(bench: Bench) -> None:
    if shutil.which("valgrind") is None:
        bench.skip("count:", "valgrind is not installed")
        return
    for path, calls in instructions.count().items():
        bench.put(f"count:{path}", Sample(calls, unit="instructions"))
