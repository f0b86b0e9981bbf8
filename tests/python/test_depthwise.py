# SPDX-License-Identifier: Apache-2.0
"""Depthwise convolutions, compared with dense ones whose weight is block-diagonal."""

import itertools
import random

import pytest
import tenon
from tenon.nn import functional as F


def dense(weight, groups: int):
    """Returns the weight of the equal convolution with one group: zeros outside of the groups."""
    outputs, per_group = weight.shape[:2]
    each = outputs // groups
    wide = tenon.zeros([outputs, groups * per_group, *weight.shape[2:]], dtype=weight.dtype)
    for output in range(outputs):
        group = output // each
        wide[output, group * per_group : (group + 1) * per_group] = weight[output]
    return wide


def random_cases(count: int):
    chance = random.Random(7)
    for _ in range(count):
        dims = chance.choice([1, 2])
        numbers = {
            "stride": [chance.randint(1, 5) for _ in range(dims)],
            "padding": [chance.randint(0, 4) for _ in range(dims)],
            "dilation": [chance.randint(1, 3) for _ in range(dims)],
        }
        kernel = [chance.randint(1, 5) for _ in range(dims)]
        reach = [d * (k - 1) + 1 for d, k in zip(numbers["dilation"], kernel)]
        least = [max(r - 2 * p, 1) for r, p in zip(reach, numbers["padding"])]
        size = [low + chance.randint(0, 40) for low in least]
        channels, each = chance.choice([1, 3, 8, 11]), chance.choice([1, 2, 3])
        yield dims, kernel, size, channels, each, numbers


def compare(convolve, x, w, groups: int, tolerance: float):
    """Compares the result and both gradients with those of the dense convolution."""
    x, w = x.requires_grad_(), w.requires_grad_()
    result = convolve(x, w, groups)
    grad = tenon.randn(result.shape, dtype=x.dtype)
    found = (result, *tenon.autograd.grad(result, (x, w), grad))
    dense_result = convolve(x, dense(w, groups), 1)
    wanted = (dense_result, *tenon.autograd.grad(dense_result, (x, w), grad))
    for one, other in zip(found, wanted):
        assert one.shape == other.shape
        scale = other.abs().max().item() + 1
        assert (one - other).abs().max().item() <= tolerance * scale


@pytest.mark.parametrize("dtype", [tenon.float32, tenon.float64], ids=str)
def test_random_shapes(dtype):
    tenon.manual_seed(0)
    tolerance = 1e-4 if dtype == tenon.float32 else 1e-12
    for dims, kernel, size, channels, each, numbers in random_cases(60):
        x = tenon.randn([2, channels, *size], dtype=dtype)
        w = tenon.randn([channels * each, 1, *kernel], dtype=dtype)
        convolve = F.conv1d if dims == 1 else F.conv2d
        compare(lambda x, w, g: convolve(x, w, groups=g, **numbers), x, w, channels, tolerance)


@pytest.mark.parametrize(("stride", "each"), list(itertools.product([1, 2], [1, 2])))
def test_transposed(stride, each):
    tenon.manual_seed(1)
    x = tenon.randn(2, 9 * each, 6, 7)
    w = tenon.randn(9 * each, 1, 3, 3)
    result = F.conv_transpose2d(x, w, stride=stride, padding=1, groups=9 * each)
    for channel in range(9 * each):
        alone = F.conv_transpose2d(
            x[:, channel : channel + 1], w[channel : channel + 1], stride=stride, padding=1
        )
        assert (result[:, channel : channel + 1] - alone).abs().max().item() < 1e-5


@pytest.mark.parametrize("size", [[1, 5000], [70, 70], [1, 2049], [3, 4100]])
def test_planes_of_several_tiles(size):
    tenon.manual_seed(2)
    x = tenon.randn([1, 8, *size], dtype=tenon.float64)
    w = tenon.randn([8, 1, 3, 5], dtype=tenon.float64)
    compare(lambda x, w, g: F.conv2d(x, w, padding=(1, 2), groups=g), x, w, 8, 1e-12)


def test_kernel_that_reaches_beyond_a_tile():
    x = tenon.arange(0.0, 24.0).reshape(1, 8, 3)
    w = tenon.ones(8, 1, 2)
    result = F.conv1d(x, w, padding=1 << 21, dilation=1 << 22, groups=8)
    assert result.shape == (1, 8, 3)
    assert result.abs().max().item() == 0  # both taps always read padding


def test_infinite_elements_reach_their_places_only():
    x = tenon.zeros(1, 8, 5, 5)
    x[0, :, 2, 2] = float("inf")
    result = F.conv2d(x, tenon.ones(8, 1, 3, 3), groups=8)
    assert tenon.isinf(result).all().item()
    wide = F.conv2d(x, tenon.ones(8, 1, 1, 1), groups=8, stride=2)
    assert tenon.isinf(wide).sum().item() == 8
    w = tenon.ones(8, 1, 3, 3, requires_grad=True)
    grad = tenon.ones(1, 8, 3, 3)
    grad[0, :, 0, 0] = 0
    (found,) = tenon.autograd.grad(F.conv2d(x, w, groups=8), w, grad)
    # The tap at (2, 2) reads the infinite element at (0, 0), where the gradient is 0.
    assert tenon.isnan(found).sum().item() == 8
