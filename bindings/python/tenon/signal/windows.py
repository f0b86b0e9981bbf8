# SPDX-License-Identifier: Apache-2.0
"""Window functions (Harris, 1978): symmetric ones by default, or periodic ones for spectra."""

from __future__ import annotations

import math

from .._tenon import Tensor
from ..dtype import get_default_dtype
from ..error import InvalidArgumentError
from ..factories import arange, empty, linspace, ones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def _check(name: str, M: int, options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of factories, after checks."""
    if M < 0:
        raise InvalidArgumentError(f"{name}: M must be at least 0, got {M}")
    kind = options.get("dtype") or get_default_dtype()
    if not kind.is_floating_point:
        raise InvalidArgumentError(f"{name}: dtype must be a floating one, got {kind}")
    device = options.get("device")
    return {"dtype": kind} | ({} if device is None else {"device": device})


def _finished(window: Tensor, options: dict[str, Any]) -> Tensor:
    return window.requires_grad_() if options.get("requires_grad") else window


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:
    """Returns sum of (-1)^i a_i cos(2 pi i n / (M - 1)).

    Args:
        M: Number of points.
        a: The coefficients.
        sym: If false, the window is periodic: one of M + 1 points without the last.
        options: Options of factories: dtype, device, requires_grad.
    """
    made = _check("general_cosine", M, options)
    if M == 0:
        return empty(0, **made)
    factors = list(a)
    if not factors:
        raise InvalidArgumentError("general_cosine: a must hold a number, got none")
    step = 2 * math.pi / (M if not sym else max(M - 1, 1))
    k = linspace(0, (M - 1) * step, M, **made)
    window = k * 0
    for place, factor in enumerate(factors):
        window = window + (-1) ** place * factor * (place * k).cos()
    return _finished(window if M > 1 else ones(1, **made), options)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """Returns alpha - (1 - alpha) cos(2 pi n / (M - 1)); see `general_cosine`."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Returns the Hamming window; see `general_cosine`."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Returns the Hann window; see `general_cosine`."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Returns the Blackman window; see `general_cosine`."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Returns Nuttall's window with the least side lobes; see `general_cosine`."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Returns the triangular window; see `general_cosine`."""
    made = _check("bartlett", M, options)
    if M == 0:
        return empty(0, **made)
    step = 2 / (M if not sym else max(M - 1, 1))
    k = linspace(-1, -1 + (M - 1) * step, M, **made)
    return _finished(1 - k.abs() if M > 1 else ones(1, **made), options)


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Returns sin(pi (n + 0.5) / M); see `general_cosine`."""
    made = _check("cosine", M, options)
    if M == 0:
        return empty(0, **made)
    step = math.pi / (M if sym else M + 1)
    return _finished((arange(M, **made) * step + 0.5 * step).sin(), options)


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any
) -> Tensor:
    """Returns exp(-|n - center| / tau); see `general_cosine`."""
    made = _check("exponential", M, options)
    if tau <= 0 or (sym and center is not None):
        raise InvalidArgumentError(
            f"exponential: tau must be positive and center None for symmetric windows, got {tau} "
            f"and {center}"
        )
    middle = (M if not sym and M > 1 else M - 1) / 2 if center is None else center
    return _finished((-(arange(M, **made) - middle).abs() / tau).exp(), options)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """Returns exp(-(n - center)^2 / (2 std^2)); see `general_cosine`."""
    made = _check("gaussian", M, options)
    if std <= 0:
        raise InvalidArgumentError(f"gaussian: std must be positive, got {std}")
    middle = (M if not sym and M > 1 else M - 1) / 2
    return _finished((-(((arange(M, **made) - middle) / (std * math.sqrt(2))) ** 2)).exp(), options)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """Returns I0(beta sqrt(1 - x^2)) / I0(beta), for x from -1 to 1; see `general_cosine`."""
    made = _check("kaiser", M, options)
    if beta < 0:
        raise InvalidArgumentError(f"kaiser: beta must be at least 0, got {beta}")
    if M <= 1:
        return _finished(ones(M, **made), options)
    x = linspace(-1, -1 + (M - 1) * 2 / (M - 1 if sym else M), M, **made)
    root = (1 - x * x).clamp(min=0).sqrt() * beta
    return _finished(root.i0() / (x.new_full((), beta)).i0(), options)


__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]
