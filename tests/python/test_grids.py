# SPDX-License-Identifier: Apache-2.0
"""Grid sampling of images, unpooling, and transforms of a signal's frames."""

from __future__ import annotations

import pytest
import tenon
from tenon import nn
from tenon.nn import functional as F  # noqa: N812


def image() -> tenon.Tensor:
    return tenon.arange(12, dtype=tenon.float32).reshape(1, 1, 3, 4)


def matrix(*rows: list[float]) -> tenon.Tensor:
    return tenon.tensor([rows])


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("align_corners", [False, True])
def test_the_identity_grid_returns_the_image(mode, align_corners):
    grid = F.affine_grid(matrix([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), [1, 1, 3, 4], align_corners)
    assert grid.shape == (1, 3, 4, 2)
    sampled = F.grid_sample(image(), grid, mode, align_corners=align_corners)
    assert tenon.allclose(sampled, image(), atol=1e-5)


def test_a_mirrored_grid_mirrors_the_image():
    grid = F.affine_grid(matrix([-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), (1, 1, 3, 4), False)
    sampled = F.grid_sample(image(), grid, "nearest", align_corners=False)
    assert sampled.tolist() == image().flip([3]).tolist()


def test_padding_modes_beyond_the_edges():
    grid = tenon.tensor([[[[-1.5, -1.0]]]])
    found = [
        F.grid_sample(image() + 1, grid, padding_mode=word, align_corners=True).item()
        for word in ("zeros", "border", "reflection")
    ]
    assert found == [0.25, 1.0, 1.75]


def test_gradients_of_grids_go_to_the_maps():
    theta = matrix([1.0, 0.0, 0.25], [0.0, 1.0, 0.0]).requires_grad_()
    pixels = image().requires_grad_()
    grid = F.affine_grid(theta, (1, 1, 3, 4), True)
    F.grid_sample(pixels, grid, padding_mode="border", align_corners=True).sum().backward()
    assert pixels.grad.sum().item() == 12
    assert theta.grad[0, 1, 2].item() == pytest.approx(16)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: F.grid_sample(image(), tenon.zeros(1, 1, 1, 2), "cubic"), "mode must be one of"),
        (lambda: F.grid_sample(image(), image(), padding_mode="ones"), "padding_mode must be"),
        (lambda: F.affine_grid(image(), [1, 1, 3, 4], False), r"shape \(batch, 2, 3\)"),
        (lambda: F.affine_grid(tenon.zeros(1, 2, 3, dtype=tenon.int64), [1, 1, 3, 4], False), "fl"),
        (lambda: F.affine_grid(matrix([1.0] * 3, [1.0] * 3), [1, 1, 0, 4], False), "at least 1"),
        (lambda: F.max_unpool2d(image(), image().long(), 2, output_size=[9, 9]), "output_size"),
    ],
)
def test_arguments_that_are_refused(call, says):
    with pytest.raises(tenon.InvalidArgumentError, match=says):
        call()


def test_a_grid_of_other_dims_is_not_supported():
    with pytest.raises(tenon.NotSupportedError, match="4 or 5 dims"):
        F.affine_grid(image(), [1, 2, 3], False)


def test_corners_that_are_not_said_to_be_aligned_are_warned_of():
    with pytest.warns(UserWarning, match="align_corners must be given"):
        F.grid_sample(image(), tenon.zeros(1, 1, 1, 2))


def test_unpooling_restores_the_maxima():
    pool, unpool = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)
    values, places = pool(image()[:, :, :2])
    assert unpool(values, places).tolist() == [[[[0, 0, 0, 0], [0, 5, 0, 7]]]]
    assert unpool(values, places, output_size=(1, 1, 3, 4)).shape == (1, 1, 3, 4)
    assert repr(unpool) == "MaxUnpool2d(kernel_size=2, stride=2, padding=0)"


def test_pooling_of_signals_and_volumes_is_undone():
    signal = tenon.tensor([[1.0, 4.0, 3.0, 2.0]])
    values, places = nn.MaxPool1d(2, return_indices=True)(signal)
    assert nn.MaxUnpool1d(2)(values, places).tolist() == [[0, 4, 3, 0]]
    assert nn.MaxUnpool1d(2)(values, places, output_size=(5,)).tolist() == [[0, 4, 3, 0, 0]]
    volume = image().reshape(1, 1, 2, 2, 3)[..., :2]
    values, places = nn.MaxPool3d(2, return_indices=True)(volume)
    unpool = nn.MaxUnpool3d(2)
    assert unpool(values, places).tolist() == [[[[[0, 0], [0, 0]], [[0, 0], [0, 10]]]]]
    assert unpool(values, places, output_size=[2, 3, 3]).shape == (1, 1, 2, 3, 3)
    assert repr(unpool) == "MaxUnpool3d(kernel_size=2, stride=2, padding=0)"


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_identity_grid_returns_the_volume(mode):
    volume = image().reshape(1, 1, 2, 2, 3)
    theta = tenon.eye(3, 4).unsqueeze(0)
    grid = F.affine_grid(theta, [1, 1, 2, 2, 3], False)
    sampled = F.grid_sample(volume, grid, mode, align_corners=False)
    assert tenon.allclose(sampled, volume, atol=1e-5)


def test_places_that_no_element_has_are_refused():
    values, places = nn.MaxPool2d(2, return_indices=True)(image())
    with pytest.raises(tenon.Error, match=r"max_unpool2d: indices must be in \[0, 3\]"):
        tenon.ops.aten.max_unpool2d(values, places, [2, 2])


def test_a_signal_is_restored_from_its_transforms():
    signal = tenon.sin(tenon.arange(40, dtype=tenon.float64))
    window = tenon.hann_window(8, dtype=tenon.float64)
    spectra = tenon.stft(signal, 8, 2, window=window, return_complex=True)
    assert spectra.shape == (5, 21) and spectra.is_complex()
    same = signal.stft(8, 2, window=window, return_complex=False)
    assert same.shape == (5, 21, 2)
    back = tenon.istft(spectra, 8, 2, window=window)
    assert tenon.allclose(back, signal)


def test_stft_is_derived():
    signal = tenon.arange(12, dtype=tenon.float64).requires_grad_()
    power = tenon.stft(signal, 4, 4, center=False, onesided=False, return_complex=True).abs() ** 2
    power.sum().backward()
    assert tenon.allclose(signal.grad, 8 * signal.detach())
