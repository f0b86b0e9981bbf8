# SPDX-License-Identifier: Apache-2.0
"""A sampler that assigns each of several processes its share of a data set."""

from __future__ import annotations

import math
from typing import Any

from ..._tenon import Generator
from ...error import InvalidArgumentError
from ...functional import randperm
from .sampler import Sampler


class DistributedSampler(Sampler[Any]):
    """A sampler of every `num_replicas`-th index, starting at `rank`.

    Args:
        dataset: A data set with a length.
        num_replicas: Number of processes; required, because there is no process group.
        rank: Index of this process.
        shuffle: If true, the order is random; it depends on the seed and the epoch only.
        seed: The seed; must be equal in all processes.
        drop_last: If true, shares are made equal by dropping indices; otherwise by repeating some.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        """Stores the options."""
        if num_replicas is None or rank is None:
            raise InvalidArgumentError(
                "DistributedSampler: num_replicas and rank must be given, since there is no "
                "process group"
            )
        if not 0 <= rank < num_replicas:
            raise InvalidArgumentError(
                f"DistributedSampler: rank must be between 0 and {num_replicas - 1}, got {rank}"
            )
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        self.epoch = 0
        size = len(dataset)
        rounded = math.floor if drop_last else math.ceil
        self.num_samples = rounded(size / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Any:
        size = len(self.dataset)
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            order = randperm(size, generator=generator).tolist()
        else:
            order = list(range(size))
        while len(order) < self.total_size and order:
            order += order[: self.total_size - len(order)]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, which changes a random order."""
        self.epoch = epoch
