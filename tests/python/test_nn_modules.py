# SPDX-License-Identifier: Apache-2.0
"""Layers for images and sequences: refusals, buffers, random draws, and hand-computed numbers."""

from __future__ import annotations

import pytest
import tenon
from tenon import nn

F = nn.functional


def count(*shape):
    return tenon.arange(tenon.zeros(shape).numel(), dtype=tenon.float32).reshape(shape)


def test_a_convolution_sums_over_its_window():
    layer = nn.Conv2d(1, 1, 2, bias=False)
    with tenon.no_grad():
        layer.weight.fill_(1)
    assert layer(count(1, 1, 2, 3)).tolist() == [[[[8.0, 12.0]]]]


def test_a_convolution_is_drawn_within_its_bound():
    layer = nn.Conv2d(3, 8, 5)
    bound = 1 / (3 * 5 * 5) ** 0.5
    assert layer.weight.abs().max().item() <= bound and layer.bias.abs().max().item() <= bound
    assert layer.weight.abs().max().item() > bound / 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), "in_channels must be divisible by groups"),
        (lambda: nn.Conv2d(4, 4, 3, padding="all"), "padding must be numbers, 'same' or 'valid'"),
        (lambda: nn.Conv2d(4, 4, 3, stride=2, padding="same"), "stride must be 1"),
        (lambda: nn.Conv2d(4, 4, 3, padding_mode="mirror"), "padding_mode must be"),
        (lambda: nn.ConvTranspose2d(4, 4, 3, padding_mode="reflect"), "padding_mode 'zeros'"),
        (lambda: nn.BatchNorm2d(4)(tenon.zeros(2, 4)), "BatchNorm2d: input must have 4 dims"),
        (lambda: nn.BatchNorm1d(4)(tenon.zeros(1, 4)), "more than 1 element of each channel"),
        (lambda: nn.Dropout2d(1.5), "Dropout2d: p must be between 0 and 1"),
        (lambda: nn.LSTM(4, 0), "LSTM: hidden_size must be above 0"),
        (lambda: nn.GRU(4, 3)(tenon.zeros(5, 2, 3)), "GRU: input must have 4 features"),
        (lambda: nn.MultiheadAttention(8, 3), "num_heads must divide embed_dim"),
        (lambda: nn.Embedding(4, 2, padding_idx=4), "padding_idx must be between -4 and 3"),
        (lambda: F.interpolate(tenon.zeros(1, 1, 2, 2)), "size or scale_factor must be given"),
        (lambda: F.interpolate(tenon.zeros(1, 1, 2), 3, mode="bilinear"), "mode must be one for"),
        (lambda: F.interpolate(tenon.zeros(1, 1, 2), 3, align_corners=True), "align_corners"),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_norm_moves_its_running_tensors_in_training_alone():
    norm = nn.BatchNorm1d(1, momentum=0.5)
    x = tenon.tensor([[1.0], [3.0]])
    assert norm(x).sum().item() == pytest.approx(0)
    assert norm.running_mean.tolist() == [1.0] and norm.running_var.tolist() == [1.5]
    assert norm.num_batches_tracked.item() == 1
    norm.eval()
    norm(x)
    assert norm.running_mean.tolist() == [1.0] and norm.num_batches_tracked.item() == 1
    norm.reset_running_stats()
    assert norm.running_mean.tolist() == [0.0] and norm.running_var.tolist() == [1.0]


def test_dropout_drops_and_scales():
    x = tenon.ones(100, 50)
    for function in (F.dropout, lambda x, p: F.dropout1d(x.reshape((100, 50, 1)), p)):
        kept = function(x, 0.25).reshape(-1)
        assert sorted(set(kept.tolist())) == pytest.approx([0.0, 4 / 3])
        assert abs((kept == 0).to(tenon.float32).mean().item() - 0.25) < 0.05
    assert F.dropout(x, 0.5, training=False) is x
    assert F.dropout(x, 1.0).sum().item() == 0
    F.dropout(x, 0.5, inplace=True)
    assert set(x.reshape(-1).tolist()) == {0.0, 2.0}


def test_whole_channels_are_dropped():
    kept = F.dropout2d(tenon.ones(8, 16, 3, 3), 0.5)
    each = kept.reshape((128, 9))
    assert all(row in ([0.0] * 9, [2.0] * 9) for row in each.tolist())


def test_alpha_dropout_keeps_mean_and_deviation():
    tenon.manual_seed(0)
    kept = F.alpha_dropout(tenon.randn(200, 200), 0.3, training=True)
    assert abs(kept.mean().item()) < 0.03 and abs(kept.std().item() - 1) < 0.03


def test_an_lstm_drops_between_layers_in_training():
    tenon.manual_seed(0)
    net = nn.LSTM(3, 4, num_layers=2, dropout=0.5)
    x = tenon.randn(5, 2, 3)
    assert net(x)[0].tolist() != net(x)[0].tolist()
    net.eval()
    assert net(x)[0].tolist() == net(x)[0].tolist()


def test_layers_show_their_options():
    assert repr(nn.Conv2d(3, 8, 3, padding=1)) == (
        "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))"
    )
    assert repr(nn.LSTM(4, 3, num_layers=2)) == "LSTM(4, 3, num_layers=2)"


def test_a_batch_stays_a_symbol():
    env = tenon.ShapeEnv()
    batch = env.new_size(4)
    x = tenon.empty([batch, 3, 8, 8], device="meta")
    weight = tenon.empty([6, 3, 3, 3], device="meta")
    y = F.max_pool2d(F.conv2d(x, weight, padding=1), 2)
    z = F.adaptive_avg_pool2d(F.pad(y, [1, 1]), 1)
    assert [repr(size) for size in y.shape] == ["s0", "6", "4", "4"]
    assert [repr(size) for size in z.shape] == ["s0", "6", "1", "1"]
    assert env.guards == []


def test_vmap_of_weights_is_one_convolution_of_groups():
    x, weights = tenon.randn(2, 3, 5, 5), tenon.randn(4, 6, 3, 3, 3)
    mapped = tenon.func.vmap(lambda w: F.conv2d(x, w))(weights)
    for one, weight in zip(mapped.unbind(0), weights.unbind(0), strict=True):
        assert (one - F.conv2d(x, weight)).abs().max().item() < 1e-5
