# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms: `tenon.fft.rfft(x)` is `tenon.ops.aten.fft_rfft(x)`."""

from __future__ import annotations

from .ops import _packet

_NAMES = (
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
)
globals().update({name: _packet(f"aten::fft_{name}") for name in _NAMES})

__all__ = list(_NAMES)
