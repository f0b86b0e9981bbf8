# SPDX-License-Identifier: Apache-2.0
"""Data sets, samplers and loaders; expected orders are PyTorch's for equal seeds."""

from __future__ import annotations

import collections
import itertools

import pytest
import tenon
from tenon.utils import data


class Squares(data.Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        if index == 99:
            raise KeyError("no such square")
        return {"x": tenon.tensor([index, index**2]), "name": str(index)}


class Stream(data.IterableDataset):
    def __iter__(self):
        info = data.get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, 7, step))


class Noise(data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return tenon.rand(1).item()


def names(loader):
    return [batch["name"] for batch in loader]


def test_batches_in_order():
    loader = data.DataLoader(Squares(), 4)
    batches = list(loader)
    assert len(loader) == 3 and [len(one["name"]) for one in batches] == [4, 4, 2]
    assert batches[0]["x"].tolist() == [[0, 0], [1, 1], [2, 4], [3, 9]]
    assert len(list(data.DataLoader(Squares(), 4, drop_last=True))) == 2
    assert [one["name"] for one in data.DataLoader(Squares(), None)][:2] == ["0", "1"]


def test_random_order_is_pytorchs():
    tenon.manual_seed(0)
    assert names(data.DataLoader(Squares(), 10, shuffle=True)) == [ORDER]
    generator = tenon.Generator()
    generator.manual_seed(5)
    first = names(data.DataLoader(Squares(), 5, shuffle=True, generator=generator))
    generator.manual_seed(5)
    again = data.DataLoader(Squares(), 5, shuffle=True, generator=generator, num_workers=2)
    assert first == names(again) and sorted(itertools.chain(*first)) == [
        str(one) for one in range(10)
    ]


def test_workers_make_the_same_batches_and_numbers():
    for options in ({}, {"persistent_workers": True}, {"prefetch_factor": 1}):
        loader = data.DataLoader(Squares(), 3, num_workers=2, **options)
        assert names(loader) == names(loader) == names(data.DataLoader(Squares(), 3))
    tenon.manual_seed(0)
    numbers = [batch.tolist() for batch in data.DataLoader(Noise(), 2, num_workers=2)]
    assert numbers == [pytest.approx(one, abs=1e-6) for one in NOISE]


@pytest.mark.parametrize("workers", [0, 2])
def test_streams(workers):
    loader = data.DataLoader(Stream(), 2, num_workers=workers)
    assert sorted(itertools.chain(*(batch.tolist() for batch in loader))) == list(range(7))


def test_errors_of_workers_are_raised():
    subset = data.Subset(Squares(), [1, 99])
    for workers in (0, 1):
        with pytest.raises(KeyError, match="no such square"):
            list(data.DataLoader(subset, 2, num_workers=workers))


def test_samplers_draw_pytorchs_numbers():
    def seeded(make):
        tenon.manual_seed(0)
        return list(make)

    assert seeded(data.RandomSampler(range(6))) == SAMPLED["random"]
    assert seeded(data.RandomSampler(range(6), True, 5)) == SAMPLED["replaced"]
    assert seeded(data.SubsetRandomSampler([3, 5, 7])) == SAMPLED["subset"]
    assert seeded(data.WeightedRandomSampler([0.1, 0.2, 3.0], 5)) == SAMPLED["weighted"]
    tenon.manual_seed(0)
    assert [one.indices for one in data.random_split(range(5), [2, 3])] == SAMPLED["split"]
    shares = [list(data.DistributedSampler(range(7), 2, rank, shuffle=False)) for rank in (0, 1)]
    assert shares == [[0, 2, 4, 6], [1, 3, 5, 0]]
    assert list(data.BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]


def test_collate_keeps_structures():
    Pair = collections.namedtuple("Pair", "a b")
    made = data.default_collate([Pair(1, 2.0), Pair(3, 4.0)])
    assert type(made) is Pair and made.a.tolist() == [1, 3] and made.b.dtype is tenon.float64
    assert data.default_collate(["a", "b"]) == ["a", "b"]
    assert [one.tolist() for one in data.default_collate([(1, [2]), (3, [4])])[1]] == [[2, 4]]
    with pytest.raises(tenon.Error, match="equal size"):
        data.default_collate([[1], [2, 3]])
    with pytest.raises(TypeError, match="got object"):
        data.default_collate([object()])


def test_data_sets_are_combined():
    joined = data.ConcatDataset([range(3), range(4)])
    assert len(joined) == 7 and joined[4] == 1 and joined[-1] == 3
    assert data.StackDataset(a=range(2), b="xy")[1] == {"a": 1, "b": "y"}
    assert data.TensorDataset(tenon.arange(3), tenon.ones(3))[1][0].item() == 1
    assert list(data.ChainDataset([Stream(), Stream()])) == [*range(7), *range(7)]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"shuffle": True, "sampler": [1]}, "sampler must come without shuffle"),
        ({"batch_sampler": [[1]], "batch_size": 3}, "batch_sampler must come without"),
        ({"prefetch_factor": 2}, "must come with num_workers"),
        ({"num_workers": -1}, "at least 0"),
        ({"batch_size": None, "drop_last": True}, "drop_last must come with"),
        ({"batch_size": 0}, "batch_size must be a positive int"),
    ],
)
def test_wrong_options_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        data.DataLoader(Squares(), **options)


# From PyTorch 2.15 for the same calls.
ORDER = ["6", "7", "1", "4", "2", "0", "9", "8", "3", "5"]
NOISE = [[0.7821399, 0.053599], [0.6938179, 0.297959], [0.9887869, 0.1948593]]
SAMPLED = {
    "random": [0, 1, 2, 3, 5, 4],
    "replaced": [0, 2, 2, 3, 3],
    "subset": [7, 3, 5],
    "weighted": [2, 2, 2, 2, 2],
    "split": [[4, 0], [1, 3, 2]],
}
