# SPDX-License-Identifier: Apache-2.0
"""DataLoader: batches of a data set, made in this process or by workers, in the samplers' order."""

from __future__ import annotations

import itertools
from typing import Any, Generic, TypeVar

from ...dtype import int64
from ...error import InvalidArgumentError, StateError
from ...factories import empty
from . import worker
from .collate import default_collate, default_convert
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler

T_co = TypeVar("T_co", covariant=True)


class _Endless:
    """The sampler of a stream: it has no indices."""

    def __iter__(self) -> Any:
        return itertools.repeat(None)


class DataLoader(Generic[T_co]):
    """An iterable of batches.

    Args:
        dataset: A data set with indices, or a stream.
        batch_size: Number of examples per batch; None yields single examples without batching.
        shuffle: If true, the order is random, and different in each epoch.
        sampler: The order of the indices, instead of `shuffle`.
        batch_sampler: Lists of indices, instead of the previous three options and `drop_last`.
        num_workers: Number of worker processes; 0 loads in this process.
        collate_fn: Makes a batch from a list of examples.
        pin_memory: Has no effect: batches are in ordinary memory.
        drop_last: If true, drops a last batch that is smaller.
        timeout: Seconds to wait for a worker's batch; 0 waits without limit.
        worker_init_fn: Called in each worker with its number.
        multiprocessing_context: How processes are started: a context, or its name.
        generator: The generator of the random order and of the workers' seeds.
        prefetch_factor: Number of batches that each worker prepares ahead, by default 2.
        persistent_workers: If true, workers stay alive between epochs.
        pin_memory_device: Has no effect.
        in_order: If false, batches may arrive in the order in which workers finish them.
    """

    def __init__(
        self,
        dataset: Dataset[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Any = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        """Checks and keeps the options."""
        is_stream = isinstance(dataset, IterableDataset)
        _check_options(num_workers, timeout, prefetch_factor, persistent_workers)
        _check_order(is_stream, shuffle, sampler, batch_sampler, batch_size, drop_last)
        self.dataset, self.num_workers, self.timeout = dataset, num_workers, timeout
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.worker_init_fn, self.generator = worker_init_fn, generator
        self.multiprocessing_context = multiprocessing_context
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.persistent_workers, self.in_order = persistent_workers, in_order
        self._is_stream = is_stream
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            if is_stream:
                sampler = _Endless()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        default = default_convert if batch_sampler is None else default_collate
        self.collate_fn = default if collate_fn is None else collate_fn
        self._workers: _Workers | None = None

    def _fetcher_options(self) -> tuple[Any, ...]:
        batched = self.batch_sampler is not None
        return self.dataset, self._is_stream, self.collate_fn, self.drop_last, batched

    def __iter__(self) -> Any:
        order = iter(self.sampler if self.batch_sampler is None else self.batch_sampler)
        if self.persistent_workers and self._workers is not None:
            self._workers.begin_epoch()
            return _WorkerBatches(self, self._workers, order)
        seed = int(empty((), dtype=int64).random_(generator=self.generator).item())
        if self.num_workers == 0:
            return _Batches(order, worker.fetcher(*self._fetcher_options()))
        workers = _Workers(self, seed)
        if self.persistent_workers:
            self._workers = workers
        return _WorkerBatches(self, workers, order)

    def __len__(self) -> int:
        if self._is_stream:
            length = len(self.dataset)  # type: ignore[arg-type]
            if self.batch_size is None:
                return length
            count, rest = divmod(length, self.batch_size)
            return count if self.drop_last else count + (rest > 0)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


def _check_options(workers: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    if workers < 0 or timeout < 0:
        raise InvalidArgumentError(
            f"DataLoader: num_workers and timeout must be at least 0, got {workers}, {timeout}"
        )
    if workers == 0 and (prefetch is not None or persistent):
        raise InvalidArgumentError(
            "DataLoader: prefetch_factor and persistent_workers must come with num_workers > 0"
        )


def _check_order(
    is_stream: bool, shuffle: Any, sampler: Any, batch_sampler: Any, size: Any, drop_last: bool
) -> None:
    if is_stream and (shuffle or sampler is not None or batch_sampler is not None):
        raise InvalidArgumentError(
            "DataLoader: shuffle, sampler and batch_sampler must be left out for an IterableDataset"
        )
    if sampler is not None and shuffle:
        raise InvalidArgumentError("DataLoader: sampler must come without shuffle")
    if batch_sampler is not None and (size != 1 or shuffle or sampler is not None or drop_last):
        raise InvalidArgumentError(
            "DataLoader: batch_sampler must come without batch_size, shuffle, sampler and drop_last"
        )
    if size is None and drop_last:
        raise InvalidArgumentError("DataLoader: drop_last must come with a batch_size")


class _Batches:
    """Batches made in this process."""

    def __init__(self, order: Any, fetch: Any) -> None:
        self._order, self._fetch = order, fetch

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self._fetch(next(self._order))


class _Workers:
    """The processes of a loader."""

    def __init__(self, loader: DataLoader[Any], seed: int) -> None:
        import multiprocessing
        import weakref

        context = loader.multiprocessing_context
        if context is None or isinstance(context, str):
            context = multiprocessing.get_context(context)
        self.results = context.Queue()
        self.tasks = [context.Queue() for _ in range(loader.num_workers)]
        self.processes = []
        self.sent = 0  # tasks so far; numbers go on from epoch to epoch
        for number, tasks in enumerate(self.tasks):
            process = context.Process(
                target=worker.run,
                args=(
                    *loader._fetcher_options(),
                    *(tasks, self.results, seed, loader.worker_init_fn),
                    *(number, loader.num_workers),
                ),
                daemon=True,
            )
            process.start()
            self.processes.append(process)
        self.stop = weakref.finalize(self, _stop, self.tasks, self.results, self.processes)

    def begin_epoch(self) -> None:
        """Starts a new epoch in the workers of streams."""
        for tasks in self.tasks:
            tasks.put(("epoch", None))


def _stop(tasks: list[Any], results: Any, processes: list[Any]) -> None:
    for one in tasks:
        one.put(None)
    for process in processes:
        process.join(5)
        if process.is_alive():
            process.terminate()
            process.join()
    for queue in (*tasks, results):
        queue.cancel_join_thread()
        queue.close()


class _WorkerBatches:
    """Batches made by workers, which take turns; they come in order."""

    def __init__(self, loader: DataLoader[Any], workers: _Workers, order: Any) -> None:
        self._loader, self._workers, self._order = loader, workers, order
        self._place = self._first = workers.sent
        self._made: dict[int, Any] = {}
        self._active = list(range(loader.num_workers))
        self._worker_of: dict[int, int] = {}
        self._turn = 0
        for _ in range(loader.num_workers * (loader.prefetch_factor or 2)):
            self._send()

    def _send(self) -> None:
        """Sends the next task to the next active worker, if there is one."""
        if not self._active:
            return
        try:
            indices = next(self._order)
        except StopIteration:
            return
        number = self._active[self._turn % len(self._active)]
        self._turn += 1
        self._worker_of[self._workers.sent] = number
        self._workers.tasks[number].put((self._workers.sent, indices))
        self._workers.sent += 1

    def _receive(self) -> None:
        import queue

        timeout = self._loader.timeout
        waited = 0.0
        while True:
            try:
                place, answer = self._workers.results.get(timeout=timeout or 5)
            except queue.Empty:
                waited += timeout or 5
                dead = [one.pid for one in self._workers.processes if not one.is_alive()]
                if dead:
                    raise StateError(
                        f"DataLoader: workers must run until the end, got workers that "
                        f"exited unexpectedly: {dead}"
                    ) from None
                if timeout and waited >= timeout:
                    raise StateError(
                        f"DataLoader: a batch must come within {timeout} s, got none"
                    ) from None
                continue
            if place >= self._first:  # others are of an epoch that was left early
                self._made[place] = answer
                return

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        while self._place in self._worker_of:
            while self._place not in self._made:
                self._receive()
            answer = self._made.pop(self._place)
            number = self._worker_of.pop(self._place)
            self._place += 1
            if isinstance(answer, str) and answer == worker.END:
                if number in self._active:
                    self._active.remove(number)
                self._send()
                continue
            self._send()
            if isinstance(answer, worker.Failure):
                answer.reraise()
            return answer
        if not self._loader.persistent_workers:
            self._workers.stop()
        raise StopIteration
