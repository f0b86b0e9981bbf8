# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of many lines at once: any count, length and layout."""

from __future__ import annotations

import numpy
import pytest
import tenon
from tenon import fft

LINES = (1, 2, 3, 4, 7, 8, 15, 16, 17, 33)
# Products of all radixes, odd lengths, one with a large prime factor, and some that are split.
LENGTHS = [*range(1, 14), 16, 31, 32, 49, 64, 66, 78, 100, 127, 128, 256, 512, 1024, 1500, 2048]
KINDS = {"complex64": 2e-6, "complex128": 1e-14}


def numbers(lines: int, length: int, kind: str) -> numpy.ndarray:
    random = numpy.random.default_rng(lines * 10_000 + length)
    both = random.standard_normal((2, lines, length))
    return (both[0] + 1j * both[1]).astype(kind)


def check(got: tenon.Tensor, expected: numpy.ndarray, tolerance: float) -> None:
    scale = max(1.0, float(numpy.abs(expected).max()))
    assert got.shape == expected.shape
    assert float(numpy.abs(got.numpy() - expected).max()) <= tolerance * scale * 4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", LENGTHS)
def test_lines_of_any_number(length, kind):
    for lines in LINES:
        values = numbers(lines, length, kind)
        reals = numpy.ascontiguousarray(values.real)
        wide = values.astype("complex128")
        half = numpy.fft.rfft(reals.astype("float64"))
        x, r = tenon.from_numpy(values), tenon.from_numpy(reals)
        check(fft.fft(x), numpy.fft.fft(wide), KINDS[kind])
        check(fft.ifft(x), numpy.fft.ifft(wide), KINDS[kind])
        check(fft.rfft(r), half, KINDS[kind])
        back = fft.irfft(tenon.from_numpy(half.astype(kind)), length)
        check(back, reals.astype("float64"), KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_columns_and_lines_with_gaps(kind):
    for lines, length in ((3, 5), (16, 64), (33, 100), (20, 2048)):
        values = numbers(lines, length, kind)
        wide = values.astype("complex128")
        columns = tenon.from_numpy(numpy.ascontiguousarray(values.T))
        check(fft.fft(columns, dim=0), numpy.fft.fft(wide.T, axis=0), KINDS[kind])
        check(fft.rfft(columns.real, dim=0), numpy.fft.rfft(wide.T.real, axis=0), KINDS[kind])
        gaps = tenon.from_numpy(numbers(lines, 2 * length, kind))[:, ::2]
        expected = numpy.fft.fft(numbers(lines, 2 * length, kind)[:, ::2].astype("complex128"))
        check(fft.fft(gaps), expected, KINDS[kind])
        cube = tenon.from_numpy(values.reshape(lines, length, 1).repeat(3, axis=2))
        expected = numpy.fft.fft2(cube.numpy().astype("complex128"), axes=(0, 1))
        check(fft.fft2(cube, dim=(0, 1)), expected, KINDS[kind])


def test_a_number_has_no_line():
    real, both = tenon.tensor(1.0), tenon.tensor(1 + 0j)
    calls = [
        lambda: tenon.ops.aten._fft_r2c(real, [0], 0, True),
        lambda: tenon.ops.aten._fft_c2c(both, [-1], 0, True),
        lambda: tenon.ops.aten._fft_c2r(both, [0], 0, 1),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="self must have at least one dim"):
            call()
    assert tenon.ops.aten._fft_c2c(both, [], 0, True).item() == 1
