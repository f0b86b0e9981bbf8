# SPDX-License-Identifier: Apache-2.0
"""Special functions: `tenon.special.expit(x)` is `tenon.ops.aten.special_expit(x)`."""

from __future__ import annotations

from .ops import _packet

_NAMES = (
    *("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "digamma", "entr", "erf", "erfc"),
    *("erfcx", "erfinv", "exp2", "expit", "expm1", "gammainc", "gammaincc", "gammaln", "i0"),
    *("i0e", "i1", "i1e", "log1p", "log_ndtr", "logit", "logsumexp", "multigammaln", "ndtr"),
    *("ndtri", "polygamma", "psi", "sinc", "xlog1py", "zeta"),
)
globals().update({name: _packet(f"aten::special_{name}") for name in _NAMES})
round = _packet("aten::round")
xlogy = _packet("aten::xlogy")


def log_softmax(input, dim, *, dtype=None):  # type: ignore[no-untyped-def]
    """Returns the logarithm of the softmax along a dim."""
    return _packet("aten::log_softmax")(input, dim, dtype)


def softmax(input, dim, *, dtype=None):  # type: ignore[no-untyped-def]
    """Returns exponentials along a dim, divided by their sum."""
    return _packet("aten::softmax")(input, dim, dtype)


_LATER = (
    *("airy_ai", "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v"),
    *("chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he"),
    *("laguerre_polynomial_l", "legendre_polynomial_p", "modified_bessel_i0"),
    *("modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1"),
    *("scaled_modified_bessel_k0", "scaled_modified_bessel_k1"),
    *("shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u"),
    *("shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "spherical_bessel_j0"),
)


def __getattr__(name: str) -> object:
    """Imports polynomials and the functions that few programs use at their first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import special_polynomials

    return getattr(special_polynomials, name)


__all__ = [*_NAMES, *_LATER, "log_softmax", "round", "softmax", "xlogy"]
