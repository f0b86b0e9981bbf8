# SPDX-License-Identifier: Apache-2.0
"""Runs `run_calls` of a shared library in a process that has the namespace `wrapped`.

host.py LIBRARY [PLUGIN]: the plugin defines the namespace; without one, Python does.
"""

from __future__ import annotations

import ctypes
import sys

import tenon

if len(sys.argv) > 2:
    tenon.ops.load_library(sys.argv[2])
else:
    import defined

    assert defined.library is not None
tenon.ones(1)  # loads the operators of ATen
failures = ctypes.CDLL(sys.argv[1]).run_calls()
print(f"{failures} answers were others")
sys.exit(failures != 0)
