# SPDX-License-Identifier: Apache-2.0
"""Data sets: by index, or as streams."""

from __future__ import annotations

import bisect
import itertools
import math
from typing import Any, Generic, TypeVar

from ..._tenon import Tensor, default_generator
from ...error import InvalidArgumentError
from ...functional import randperm

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Examples by index: a subclass defines `__getitem__`, and as a rule `__len__`."""

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError(f"{type(self).__name__}: __getitem__ must be defined")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """A stream of examples: a subclass defines `__iter__`."""

    def __iter__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: __iter__ must be defined")

    def __add__(self, other: Dataset[T_co]) -> ChainDataset:
        return ChainDataset([self, other])


class TensorDataset(Dataset[Any]):
    """Rows of tensors of the same first size, as tuples."""

    def __init__(self, *tensors: Tensor) -> None:
        """Stores the tensors."""
        if any(one.shape[0] != tensors[0].shape[0] for one in tensors):
            sizes = [one.shape[0] for one in tensors]
            raise InvalidArgumentError(f"TensorDataset: first sizes must be equal, got {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(one[index] for one in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class StackDataset(Dataset[Any]):
    """Data sets of the same length side by side: tuples, or dicts of named ones."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Stores the data sets, which are all given by position or all by name."""
        if bool(args) == bool(kwargs):
            raise InvalidArgumentError(
                "StackDataset: datasets must be given either by position or by name"
            )
        self.datasets: Any = kwargs if kwargs else args
        lengths = {len(one) for one in (kwargs.values() if kwargs else args)}
        if len(lengths) != 1:
            raise InvalidArgumentError(
                f"StackDataset: datasets must have the same length, got {sorted(lengths)}"
            )
        self._length = lengths.pop()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: one[index] for name, one in self.datasets.items()}
        return tuple(one[index] for one in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """The concatenation of data sets."""

    def __init__(self, datasets: Any) -> None:
        """Stores the data sets."""
        self.datasets = list(datasets)
        if not self.datasets:
            raise InvalidArgumentError("ConcatDataset: datasets must not be empty")
        if any(isinstance(one, IterableDataset) for one in self.datasets):
            raise InvalidArgumentError("ConcatDataset: datasets must have indices, got a stream")
        self.cumulative_sizes = list(itertools.accumulate(len(one) for one in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T_co:
        place = index + len(self) if index < 0 else index
        if place < 0:
            raise InvalidArgumentError(
                f"ConcatDataset: index must be at least {-len(self)}, got {index}"
            )
        which = bisect.bisect_right(self.cumulative_sizes, place)
        before = self.cumulative_sizes[which - 1] if which > 0 else 0
        return self.datasets[which][place - before]


class ChainDataset(IterableDataset[Any]):
    """The concatenation of streams."""

    def __init__(self, datasets: Any) -> None:
        """Stores the streams."""
        self.datasets = datasets

    def __iter__(self) -> Any:
        for one in self.datasets:
            yield from one

    def __len__(self) -> int:
        return sum(len(one) for one in self.datasets)


class Subset(Dataset[T_co]):
    """Some examples of a data set."""

    def __init__(self, dataset: Dataset[T_co], indices: Any) -> None:
        """Stores the data set and the indices of the examples."""
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[one] for one in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        """Returns several examples."""
        places = [self.indices[one] for one in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(places)  # type: ignore[attr-defined]
        return [self.dataset[one] for one in places]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Any, generator: Any = None) -> list[Subset[Any]]:
    """Splits a data set at random.

    Args:
        dataset: A data set with a length.
        lengths: Lengths of the parts, or fractions whose sum is 1; examples left by rounding go to
            the first parts, one each.
        generator: The random number generator; by default the default generator.
    """
    counts = list(lengths)
    total = len(dataset)
    if math.isclose(sum(counts), 1) and sum(counts) <= 1:
        if any(not 0 <= one <= 1 for one in counts):
            raise InvalidArgumentError("random_split: fractions must be between 0 and 1")
        counts = [math.floor(total * one) for one in counts]
        for place in range(total - sum(counts)):
            counts[place % len(counts)] += 1
    if sum(counts) != total:
        raise InvalidArgumentError(
            f"random_split: lengths must have the sum {total}, got {sum(counts)}"
        )
    source = default_generator() if generator is None else generator
    order = randperm(total, generator=source).tolist()
    ends = list(itertools.accumulate(counts))
    return [
        Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts, strict=True)
    ]
