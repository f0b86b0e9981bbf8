# SPDX-License-Identifier: Apache-2.0
"""Kernels that run on several threads return the same results for any number of threads."""

import multiprocessing
import os
import subprocess
import sys

import pytest
import tenon

NUMEL = 300_001  # several chunks, the last one shorter


@pytest.fixture(autouse=True)
def _as_at_first():
    yield
    tenon.set_num_threads(0)


def _both(compute):
    results = []
    for count in (1, 5):
        tenon.set_num_threads(count)
        results.append(compute())
    assert tenon.equal(*results)
    return results[1]


def test_number_of_threads():
    assert tenon.get_num_threads() >= 1
    tenon.set_num_threads(3)
    assert tenon.get_num_threads() == 3
    tenon.set_num_threads(0)
    assert tenon.get_num_threads() >= 1


@pytest.mark.parametrize("count", [-1, 257])
def test_other_numbers_are_refused(count):
    with pytest.raises(ValueError, match=f"count must be from 0 to 256, got {count}"):
        tenon.set_num_threads(count)


def test_environment_says_how_many():
    code = "import tenon; print(tenon.get_num_threads())"
    env = os.environ | {"TENON_NUM_THREADS": "7"}
    told = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert told.stdout == b"7\n"


def test_pointwise():
    a, b = tenon.arange(NUMEL) / 7, tenon.arange(NUMEL) - 1000
    assert _both(lambda: a * 2 + 1)[-1] == float(a[-1]) * 2 + 1
    _both(lambda: a.sin())
    assert _both(lambda: a + b).dtype == tenon.float32  # two dtypes, so converted block by block
    assert int(_both(lambda: a > 3).sum()) == NUMEL - 22
    assert float(_both(lambda: a.clone().mul_(0)).abs().sum()) == 0


def test_rows_columns_and_turned():
    a = (tenon.arange(700 * 900) % 1013).reshape(700, 900) / 8
    row, column = a[:1], a[:, :1]
    whole = _both(lambda: a + row * column)
    assert float(whole[699, 899]) == float(a[699, 899] + a[0, 899] * a[699, 0])
    turned = _both(lambda: a.t().contiguous())
    assert turned.stride() == (700, 1)
    assert tenon.equal(turned[5], a[:, 5])
    assert tenon.equal(_both(lambda: a.t() + turned), turned * 2)
    assert tenon.equal(_both(lambda: a.to(tenon.float64)).float(), a)


@pytest.mark.parametrize("name", ["sum", "amax", "mean", "argmax", "var", "prod"])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_folds(name, dim):
    a = (tenon.arange(60 * 70 * 80) % 997).reshape(60, 70, 80) / 997
    whole = _both(lambda: getattr(a, name)(dim))
    one = getattr(a.select(1 if dim == 0 else 0, 3), name)(max(dim - 1, 0))
    assert tenon.allclose(whole.select(0, 3), one)


def test_fills():
    assert float(_both(lambda: tenon.full((NUMEL,), 3.0)).sum()) == 3 * NUMEL
    assert float(_both(lambda: tenon.zeros(1000, 600).t().fill_(2)).sum()) == 1_200_000


def _child(queue):
    queue.put(float((tenon.ones(NUMEL) * 2).sum()))


def test_a_forked_child_computes():
    tenon.set_num_threads(4)
    assert float((tenon.ones(NUMEL) * 2).sum()) == 2 * NUMEL
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == 2 * NUMEL
    child.join()
    assert child.exitcode == 0
