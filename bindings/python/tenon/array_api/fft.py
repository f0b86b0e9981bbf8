# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of the array API."""

from __future__ import annotations

from .. import fft as _fft
from .._tenon import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def _line(name: str) -> Callable[..., Tensor]:
    call = getattr(_fft, name)

    def transform(
        x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
    ) -> Tensor:
        return call(x, n, axis, norm)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"Returns the transforms {name} along an axis."
    return transform


def _whole(name: str) -> Callable[..., Tensor]:
    call = getattr(_fft, name)

    def transform(
        x: Tensor,
        /,
        *,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str = "backward",
    ) -> Tensor:
        return call(x, s, axes, norm)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"Returns the transforms {name} along several axes."
    return transform


fft, ifft, rfft, irfft, hfft, ihfft = map(_line, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_whole, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns the frequencies of the elements of a transform."""
    return _fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns the frequencies of the elements of a transform of real numbers."""
    return _fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Returns the elements with the frequency 0 in the middle."""
    return _fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Returns the elements with the frequency 0 at the start."""
    return _fft.ifftshift(x, axes)


__all__ = [
    *("fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft"),
    *("irfft", "irfftn", "rfft", "rfftfreq", "rfftn"),
]
