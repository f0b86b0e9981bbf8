# SPDX-License-Identifier: Apache-2.0
"""Samplers: the order in which examples are taken, one index or one batch of them at a time."""

from __future__ import annotations

import itertools
from typing import Any, Generic, TypeVar

from ..._tenon import Generator
from ...dtype import float64, int64
from ...error import InvalidArgumentError
from ...factories import as_tensor, empty
from ...functional import multinomial, randint, randperm

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """A subclass defines `__iter__`, and as a rule `__len__`."""

    def __init__(self, data_source: Any = None) -> None:
        """Takes a data set, which is not used."""

    def __iter__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: __iter__ must be defined")


class SequentialSampler(Sampler[int]):
    """All indices in order."""

    def __init__(self, data_source: Any) -> None:
        """Stores the data set."""
        self.data_source = data_source

    def __iter__(self) -> Any:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def _fresh_generator() -> Generator:
    """Returns a generator seeded from the default one."""
    made = Generator()
    made.manual_seed(int(empty((), dtype=int64).random_().item()))
    return made


class RandomSampler(Sampler[int]):
    """Indices in random order.

    Args:
        data_source: The data set.
        replacement: If true, an index may be drawn more than once.
        num_samples: Number of draws, by default the number of examples.
        generator: The random number generator.
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        """Stores the options."""
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise InvalidArgumentError(
                f"RandomSampler: replacement must be bool, got {replacement!r}"
            )
        if not isinstance(self.num_samples, int) or self.num_samples < 0:
            raise InvalidArgumentError(
                f"RandomSampler: num_samples must be an int >= 0, got {self.num_samples!r}"
            )

    @property
    def num_samples(self) -> int:
        """Number of draws."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Any:
        size, count = len(self.data_source), self.num_samples
        source = _fresh_generator() if self.generator is None else self.generator
        if self.replacement:
            # In blocks, so that the draws are in PyTorch's order.
            for block in [32] * (count // 32) + [count % 32]:
                yield from randint(size, (block,), dtype=int64, generator=source).tolist()
            return
        for _ in range(count // size if size else 0):
            yield from randperm(size, generator=source).tolist()
        yield from randperm(size, generator=source).tolist()[: count % size if size else 0]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order."""

    def __init__(self, indices: Any, generator: Any = None) -> None:
        """Stores the indices."""
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Any:
        order = randperm(len(self.indices), generator=self.generator).tolist()
        return (self.indices[place] for place in order)

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn by their weights.

    Args:
        weights: One weight per example; they need not sum to 1.
        num_samples: Number of draws.
        replacement: If true, an index may be drawn more than once.
        generator: The random number generator.
    """

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        """Stores the options."""
        if isinstance(num_samples, bool) or not isinstance(num_samples, int) or num_samples <= 0:
            raise InvalidArgumentError(
                f"WeightedRandomSampler: num_samples must be a positive int, got {num_samples!r}"
            )
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise InvalidArgumentError(
                f"WeightedRandomSampler: weights must have 1 dim, got {self.weights.ndim}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Any:
        options = {} if self.generator is None else {"generator": self.generator}
        drawn = multinomial(self.weights, self.num_samples, self.replacement, **options)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Batches of the indices of another sampler.

    Args:
        sampler: The sampler, or any iterable.
        batch_size: The length of the lists.
        drop_last: If true, a last list that is shorter is left out.
    """

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        """Stores the options."""
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size <= 0:
            raise InvalidArgumentError(
                f"BatchSampler: batch_size must be a positive int, got {batch_size!r}"
            )
        if not isinstance(drop_last, bool):
            raise InvalidArgumentError(f"BatchSampler: drop_last must be bool, got {drop_last!r}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Any:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count, rest = divmod(len(self.sampler), self.batch_size)
        return count if self.drop_last else count + (rest > 0)
