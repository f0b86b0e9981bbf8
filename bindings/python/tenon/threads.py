# SPDX-License-Identifier: Apache-2.0
"""The size of the thread pool for kernels' loops, which all languages of the process share."""

from __future__ import annotations

from . import _tenon


def get_num_threads() -> int:
    """Returns the number of threads that work on one operator, including the calling thread.

    The initial value is `TENON_NUM_THREADS`, or the number of processors that the CPU affinity and
    the cgroup quota of the process permit. Results do not depend on the number.
    """
    return int(_tenon.tenon_parallel_get_threads())


def set_num_threads(count: int) -> None:
    """Sets the number of threads that work on one operator.

    Args:
        count: A number from 1 to 256, or 0 to restore the initial value.

    Raises:
        ValueError: `count` is out of range.
    """
    _tenon.tenon_parallel_set_threads(count)
