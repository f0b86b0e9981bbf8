# SPDX-License-Identifier: Apache-2.0
"""Results of operators: memory formats, ties, warnings, and elements that cannot be read."""

import warnings

import pytest
from seed import sub, torch

F = sub("nn.functional")


def image():
    return torch.arange(2 * 4 * 6 * 6).reshape(2, 4, 6, 6).to(torch.float32)


def volume():
    return torch.arange(2 * 3 * 4 * 5 * 6).reshape(2, 3, 4, 5, 6).to(torch.float32)


def ones(*sizes):
    return torch.ones(sizes)


IMAGES = {
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 3),
    "channel_shuffle": lambda x: F.channel_shuffle(x, 2),
    "conv2d": lambda x: F.conv2d(x, ones(5, 4, 2, 2)),
    "conv_transpose2d": lambda x: F.conv_transpose2d(x, ones(4, 5, 2, 2)),
    "pad": lambda x: F.pad(x, (1, 1)),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
}
VOLUMES = {
    "channel_shuffle": lambda x: F.channel_shuffle(x, 3),
    "conv3d": lambda x: F.conv3d(x, ones(4, 3, 2, 2, 2)),
    "conv_transpose3d": lambda x: F.conv_transpose3d(x, ones(3, 2, 2, 2, 2)),
    "pad": lambda x: F.pad(x, (1, 1)),
    "max_pool3d": lambda x: F.max_pool3d(x, 2),
}
ROW_MAJOR = {
    "avg_pool3d": lambda x: F.avg_pool3d(x, 2),
    "adaptive_avg_pool3d": lambda x: F.adaptive_avg_pool3d(x, 2),
    "adaptive_max_pool3d": lambda x: F.adaptive_max_pool3d(x, 2),
}


def check(function, x, memory_format, is_kept):
    plain = function(x)
    assert plain.is_contiguous()
    result = function(x.contiguous(memory_format=memory_format))
    assert result.is_contiguous(memory_format=memory_format if is_kept else torch.contiguous_format)
    assert torch.allclose(result, plain)


@pytest.mark.parametrize("name", IMAGES)
def test_channels_last_is_kept(name):
    check(IMAGES[name], image(), torch.channels_last, True)


@pytest.mark.parametrize("name", VOLUMES)
def test_channels_last_3d_is_kept(name):
    check(VOLUMES[name], volume(), torch.channels_last_3d, True)


@pytest.mark.parametrize("name", ROW_MAJOR)
def test_means_and_adaptive_pools_of_volumes_are_row_major(name):
    check(ROW_MAJOR[name], volume(), torch.channels_last_3d, False)


def test_weights_in_channels_last_decide_too():
    weight = ones(5, 4, 2, 2).contiguous(memory_format=torch.channels_last)
    assert F.conv2d(image(), weight).is_contiguous(memory_format=torch.channels_last)


TIED = [3.0, 1, 3, 2, 3, 1, 2, 3, 1, 1, 3, 3, 2, 2, 1, 3, 3]


def test_topk_orders_ties_as_pytorch():
    x = torch.tensor(TIED)
    assert torch.topk(x, 4).indices.tolist() == [10, 7, 0, 16]
    assert torch.topk(x, 4, largest=False).indices.tolist() == [9, 5, 8, 1]
    many = (torch.arange(2000) % 7).to(torch.float32)
    few = torch.topk(many[:200], 10).indices.tolist()
    assert few == [69, 90, 20, 146, 83, 153, 27, 76, 181, 167]
    assert torch.topk(many, 1500).indices[:4].tolist() == [1077, 538, 1098, 258]


def test_topk_values_are_right_beside_nan():
    x = torch.tensor([1.0, float("nan"), 2.0, 2.0, float("nan"), 0.0])
    values, indices = torch.topk(x, 4)
    assert sorted(indices.tolist()) == [1, 2, 3, 4]
    assert values[2:].tolist() == [2.0, 2.0]


def test_numpy_under_vmap_is_refused():
    with pytest.raises(RuntimeError):
        sub("func").vmap(lambda row: torch.tensor(row.numpy()))(ones(3, 2))


def test_half_floats_without_numpy_dtype_are_refused():
    with pytest.raises(TypeError):
        ones(2).to(torch.bfloat16).numpy()


def test_complex_to_real_warns_at_most_once():
    z = torch.tensor([1 + 2j, 3 - 1j])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert z.to(torch.bool).tolist() == [True, True]
        assert seen == []
        for _ in range(3):
            assert z.to(torch.float32).tolist() == [1.0, 3.0]
    assert len([one for one in seen if "imaginary" in str(one.message)]) <= 1
