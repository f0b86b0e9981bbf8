# SPDX-License-Identifier: Apache-2.0
"""The threads that share the loops of kernels: one small pool for all languages of the process."""

from __future__ import annotations

from . import _tenon


def get_num_threads() -> int:
    """Tells how many threads work on one operator, the caller's included.

    At first these are as many as `TENON_NUM_THREADS` says, else as the process may use processors
    by its affinity and the quota of its control group. Results are the same for any number.
    """
    return int(_tenon.tenon_parallel_get_threads())


def set_num_threads(count: int) -> None:
    """Sets how many threads work on one operator.

    Args:
        count: from 1 to 256; 0 for as many as at first.

    Raises:
        ValueError: `count` is another number.
    """
    _tenon.tenon_parallel_set_threads(count)
