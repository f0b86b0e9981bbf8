# SPDX-License-Identifier: Apache-2.0
"""Orthogonal polynomials by their recurrences, and Bessel and Airy functions by integrals.

Sources: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 9, 10 and 22.
"""

from __future__ import annotations

import math

from ._tenon import Tensor
from .dtype import float64, get_default_dtype
from .factories import arange, full_like, ones_like, tensor, zeros_like
from .functional import where
from .ops import _packet
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_EULER = 0.57721566490153286


def _floating(value: Any) -> Tensor:
    value = value if isinstance(value, Tensor) else tensor(float(value))
    if value.dtype.is_floating_point:
        return value
    return value.to(get_default_dtype())


def _polynomial(name: str, what: str, first: Any, following: Any, shift: bool = False) -> Any:
    def function(input: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
        x = _floating(input)
        x = 2 * x - 1 if shift else x
        degrees = n if isinstance(n, Tensor) else None
        highest = int(degrees.max()) if degrees is not None else int(n)
        before, now = zeros_like(x), ones_like(x)
        result = before
        for degree in range(highest + 1):
            result = now if degrees is None else where(degrees == degree, now, result)
            after = first(x) if degree == 0 else following(x, degree, now, before)
            before, now = now, after
        if degrees is not None and highest < 0:
            result = result + degrees * 0
        return result if out is None else out.copy_(result)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns the {what} polynomials of degree n."
    return overridable(function)


def _chebyshev(x: Tensor, k: int, now: Tensor, before: Tensor) -> Tensor:
    return 2 * x * now - before


_KINDS: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    "t": ("Chebyshev (first kind)", lambda x: x),
    "u": ("Chebyshev (second kind)", lambda x: 2 * x),
    "v": ("Chebyshev (third kind)", lambda x: 2 * x - 1),
    "w": ("Chebyshev (fourth kind)", lambda x: 2 * x + 1),
}
for _kind, (_what, _first) in _KINDS.items():
    for _prefix, _shifted in (("", False), ("shifted_", True)):
        _name = f"{_prefix}chebyshev_polynomial_{_kind}"
        _made = _polynomial(_name, f"{_prefix[:-1]} {_what}".strip(), _first, _chebyshev, _shifted)
        globals()[_name] = _made
hermite_polynomial_h = _polynomial(
    *("hermite_polynomial_h", "physicists' Hermite", lambda x: 2 * x),
    lambda x, k, now, before: 2 * x * now - 2 * k * before,
)
hermite_polynomial_he = _polynomial(
    *("hermite_polynomial_he", "probabilists' Hermite", lambda x: x),
    lambda x, k, now, before: x * now - k * before,
)
laguerre_polynomial_l = _polynomial(
    *("laguerre_polynomial_l", "Laguerre", lambda x: 1 - x),
    lambda x, k, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1),
)
legendre_polynomial_p = _polynomial(
    *("legendre_polynomial_p", "Legendre", lambda x: x),
    lambda x, k, now, before: ((2 * k + 1) * x * now - k * before) / (k + 1),
)


def _scaled_k(order: float, x: Tensor) -> Tensor:
    """Returns exp(x) K(x) for x from 1e-8, by the trapezoidal rule (9.6.24)."""
    step = 0.25
    t = arange(0, 26, step, dtype=float64, device=x.device)
    weights = (order * t).cosh() * step
    weights[0] = step / 2
    return ((-x.unsqueeze(-1) * (t.cosh() - 1)).exp() * weights).sum(-1)


def _k(order: int, input: Any, is_scaled: bool, out: Tensor | None) -> Tensor:
    x = _floating(input)
    wide = x.to(float64)
    small = 1 / wide if order == 1 else -(wide / 2).log() - _EULER
    result = _scaled_k(order, wide.clamp(min=1e-8))
    if not is_scaled:
        result = result * (-wide).exp()
    result = where(wide < 1e-8, small, result)
    result = where(wide == 0, full_like(wide, math.inf), result)
    result = where(wide < 0, full_like(wide, math.nan), result)
    result = where(wide == math.inf, zeros_like(wide), result).to(x.dtype)
    return result if out is None else out.copy_(result)


@overridable
def modified_bessel_k0(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Returns the modified Bessel function of the second kind of order 0."""
    return _k(0, input, False, out)


@overridable
def modified_bessel_k1(input: Any, *, out: Tensor | None = None) -> Tensor:
    """Returns the modified Bessel function of the second kind of order 1."""
    return _k(1, input, False, out)


@overridable
def scaled_modified_bessel_k0(x: Any, *, out: Tensor | None = None) -> Tensor:
    """Returns exp(x) times `modified_bessel_k0`."""
    return _k(0, x, True, out)


@overridable
def scaled_modified_bessel_k1(x: Any, *, out: Tensor | None = None) -> Tensor:
    """Returns exp(x) times `modified_bessel_k1`."""
    return _k(1, x, True, out)


modified_bessel_i0 = _packet("aten::i0")
modified_bessel_i1 = _packet("aten::special_i1")


@overridable
def spherical_bessel_j0(x: Any, *, out: Tensor | None = None) -> Tensor:
    """Returns sin(x) / x."""
    x = _floating(x)
    result = where(x == 0, ones_like(x), x.sin() / x)
    result = where(x.abs() == math.inf, zeros_like(x), result)
    return result if out is None else out.copy_(result)


def _airy_series(x: Tensor) -> Tensor:
    """Sums the power series (10.4.2); for |x| up to 8."""
    f, g = ones_like(x), x
    of_f, of_g, cube = f, g, x**3
    for k in range(1, 60):
        of_f = of_f * cube / ((3 * k - 1) * (3 * k))
        of_g = of_g * cube / ((3 * k) * (3 * k + 1))
        f, g = f + of_f, g + of_g
    return 0.355028053887817239 * f - 0.258819403792806798 * g


def _airy_waves(x: Tensor) -> Tensor:
    """Sums the asymptotic series for negative x (10.4.60)."""
    z = -x
    zeta = 2 / 3 * z**1.5
    even, odd, u = ones_like(x), zeros_like(x), ones_like(x)
    for k in range(1, 14):
        u = u * ((6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1))) / zeta
        sign = -1 if k % 4 in (2, 3) else 1
        if k % 2:
            odd = odd + sign * u
        else:
            even = even + sign * u
    phase = zeta - math.pi / 4
    return (phase.cos() * even + phase.sin() * odd) / (math.sqrt(math.pi) * z**0.25)


@overridable
def airy_ai(x: Any, *, out: Tensor | None = None) -> Tensor:
    """Returns the Airy function Ai."""
    x = _floating(x)
    wide = x.to(float64)
    far = wide.clamp(min=1.0)
    zeta = 2 / 3 * far**1.5
    decayed = (far / 3).sqrt() / math.pi * _scaled_k(1 / 3, zeta) * (-zeta).exp()
    result = where(wide > 1, decayed, _airy_series(wide.clamp(min=-8.0, max=1.0)))
    result = where(wide < -8, _airy_waves(wide.clamp(max=-8.0)), result).to(x.dtype)
    return result if out is None else out.copy_(result)


from .special import _LATER as _NAMES  # noqa: E402

__all__ = list(_NAMES)
