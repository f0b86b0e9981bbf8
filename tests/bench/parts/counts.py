# SPDX-License-Identifier: Apache-2.0
"""Instructions a call, counted by callgrind: the same on a busy machine."""

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
