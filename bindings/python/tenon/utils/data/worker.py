# SPDX-License-Identifier: Apache-2.0
"""The main loop of a worker process of a loader."""

from __future__ import annotations

import dataclasses
import random
import sys
import traceback
from typing import Any


@dataclasses.dataclass
class WorkerInfo:
    """Information about the current worker process.

    Attributes:
        id: Index of the worker, from 0.
        num_workers: Number of workers.
        seed: Seed of the worker's random numbers.
        dataset: The worker's copy of the data set.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Returns information about the current worker process, or None in the main process."""
    return _info


class Failure:
    """An exception of a worker, which the loader raises again."""

    def __init__(self, worker: int) -> None:
        """Stores the exception that is being handled."""
        kind, value, trace = sys.exc_info()
        self.kind: Any = kind
        lines = "".join(traceback.format_exception(kind, value, trace))
        self.text = f"{kind.__name__} in DataLoader worker {worker}:\n{lines}"

    def reraise(self) -> None:
        """Raises an exception of the same type, with the worker's traceback as text."""
        try:
            error = self.kind(self.text)
        except TypeError:
            error = RuntimeError(self.text)
        raise error


END = "end"  # marks the end of a worker's stream


def fetcher(dataset: Any, is_stream: bool, collate: Any, drop_last: bool, batched: bool) -> Any:
    """Returns a function from indices (of a stream: their number) to a batch.

    It raises StopIteration at the end of a stream.
    """
    stream = iter(dataset) if is_stream else None

    def examples(indices: Any) -> Any:
        if stream is not None:
            if not batched:
                return next(stream)
            taken = []
            for _ in indices:
                try:
                    taken.append(next(stream))
                except StopIteration:
                    break
            if not taken or (drop_last and len(taken) < len(indices)):
                raise StopIteration
            return taken
        if batched and hasattr(dataset, "__getitems__") and dataset.__getitems__:
            return dataset.__getitems__(indices)
        return [dataset[one] for one in indices] if batched else dataset[indices]

    return lambda indices: collate(examples(indices))


def run(
    dataset: Any,
    is_stream: bool,
    collate: Any,
    drop_last: bool,
    batched: bool,
    tasks: Any,
    results: Any,
    seed: int,
    init: Any,
    number: int,
    count: int,
) -> None:
    """Serves tasks until None comes: (number of the task, indices), or a new epoch's seed."""
    import tenon

    global _info
    try:
        tenon.set_num_threads(1)
        _seed(seed + number)
        _info = WorkerInfo(number, count, seed + number, dataset)
        start: Any = None
        if init is not None:
            init(number)
        fetch = fetcher(dataset, is_stream, collate, drop_last, batched)
    except Exception:
        start, fetch = Failure(number), None
    while (task := tasks.get()) is not None:
        if task[0] == "epoch":
            fetch = fetcher(dataset, is_stream, collate, drop_last, batched)
            continue
        try:
            answer = start if start is not None else fetch(task[1])
        except StopIteration:
            answer = END
        except Exception:
            answer = Failure(number)
        results.put((task[0], answer))


def _seed(number: int) -> None:
    import tenon

    random.seed(number)
    tenon.manual_seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number % 2**32)
