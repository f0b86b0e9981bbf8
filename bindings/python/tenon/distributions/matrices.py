# SPDX-License-Identifier: Apache-2.0
"""Distributions of angles, and of vectors and matrices by covariances or correlations."""

from __future__ import annotations

import math
import warnings
from typing import Any

from .._tenon import Size, Tensor
from ..broadcasting import broadcast_shapes
from ..dtype import float64
from ..dtype_info import finfo
from ..error import InvalidArgumentError
from ..factories import arange, eye, rand, randn, tensor, zeros
from ..functional import cat, where
from ..grad_mode import no_grad
from ..linalg import cholesky, slogdet, solve_triangular
from ..ops import _packet
from . import constraints
from .continuous import Beta, Chi2, standard_normal
from .distribution import Distribution, ExponentialFamily, broadcast_all

_lgamma, _digamma = _packet("aten::lgamma"), _packet("aten::digamma")
_mvlgamma, _cholesky_solve = _packet("aten::mvlgamma"), _packet("aten::cholesky_solve")
_i0e, _i1e = _packet("aten::special_i0e"), _packet("aten::special_i1e")


def _log_det(factor: Tensor) -> Tensor:
    """Returns the logarithm of the determinants of Cholesky factors."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class VonMises(Distribution):
    """Angles around a direction; concentration is the reciprocal of a spread."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The circular variance."""
        return 1 - _i1e(self.concentration) / _i0e(self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        k = self.concentration
        return k * (value - self.loc).cos() - math.log(2 * math.pi) - _i0e(k).log() - k

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`: rejection by Best and Fisher (1979), in float64."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            loc, k = self.loc.to(float64), self.concentration.to(float64)
            tau = 1 + (1 + 4 * k**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * k)
            r = where(k < 1e-5, 1 / k + k, (1 + rho**2) / (2 * rho))
            x = zeros(shape, dtype=float64, device=loc.device)
            done = x != x
            while not bool(done.all()):
                u1, u2, u3 = rand((3, *shape), dtype=float64, device=loc.device).unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                x = where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            angles = (x + math.pi + loc) % (2 * math.pi) - math.pi
            return angles.to(self.loc.dtype)


class LowRankMultivariateNormal(Distribution):
    """Multivariate normal with covariance W W^T + diag(D), of W with few columns."""

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        cov_factor: Tensor,
        cov_diag: Tensor,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the parameters."""
        size = loc.shape[-1:] if loc.ndim else None
        given = (cov_factor.shape[-2:-1], cov_diag.shape[-1:])
        if size is None or cov_factor.ndim < 2 or given != (size, size):
            raise InvalidArgumentError(
                "LowRankMultivariateNormal: cov_factor must be of shape (..., n, rank) and "
                f"cov_diag of (..., n) for loc of (..., n), got {tuple(cov_factor.shape)} and "
                f"{tuple(cov_diag.shape)} for {tuple(loc.shape)}"
            )
        wide = (loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        shape = broadcast_shapes(*(one.shape[:-2] for one in wide))
        first, self.cov_factor, last = (one.expand(shape + one.shape[-2:]) for one in wide)
        self.loc, self.cov_diag = first[..., 0], last[..., 0]
        # The capacitance I + W^T D^-1 W, of the size of the rank.
        scaled = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        identity = eye(cov_factor.shape[-1], dtype=loc.dtype, device=loc.device)
        self._capacitance_tril = cholesky(scaled @ self.cov_factor + identity)
        super().__init__(shape, size, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.cov_factor.pow(2).sum(-1) + self.cov_diag

    @property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        return self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed()

    @property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return cholesky(self.covariance_matrix)

    @property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance, by Woodbury's identity."""
        scaled = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        solved = solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self.cov_diag.reciprocal().diag_embed() - solved.mT @ solved

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        of_factor = standard_normal((*shape[:-1], self.cov_factor.shape[-1]), self.loc)
        of_diagonal = standard_normal(shape, self.loc)
        low_rank = (self.cov_factor @ of_factor.unsqueeze(-1)).squeeze(-1)
        return self.loc + low_rank + self.cov_diag.sqrt() * of_diagonal

    def _full_log_det(self) -> Tensor:
        """Returns the logarithm of the covariance's determinant."""
        return 2 * _log_det(self._capacitance_tril) + self.cov_diag.log().sum(-1)

    def _distance(self, far: Tensor) -> Tensor:
        """Returns the squared Mahalanobis distance."""
        scaled = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        inner = scaled @ far.unsqueeze(-1)
        solved = solve_triangular(self._capacitance_tril, inner, upper=False)
        return (far.pow(2) / self.cov_diag).sum(-1) - solved.squeeze(-1).pow(2).sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._full_log_det() + self._distance(value - self.loc))

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return 0.5 * (constant + self._full_log_det())


class LKJCholesky(Distribution):
    """Cholesky factors of correlations (Lewandowski, Kurowicka and Joe, 2009), by onions."""

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        """Stores the number of variables; concentration 1 is uniform over correlations."""
        if dim < 2:
            raise InvalidArgumentError(f"LKJCholesky: dim must be at least 2, got {dim}")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        like = {"dtype": self.concentration.dtype, "device": self.concentration.device}
        offset = cat([zeros(1, **like), arange(dim - 1, **like)])
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> LKJCholesky:
        """See `Distribution.expand`."""
        return LKJCholesky(self.dim, self.concentration.expand(batch_shape), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            drawn = randn(shape, dtype=y.dtype, device=y.device).tril(-1)
            sphere = drawn / drawn.norm(dim=-1, keepdim=True)
            sphere[..., 0, :] = 0.0
            w = y.sqrt() * sphere
            rest = (1 - (w**2).sum(-1)).clamp(min=finfo(w.dtype).tiny).sqrt()
            return w + rest.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        count = self.dim - 1
        alpha = self.concentration + 0.5 * count
        norm = 0.5 * count * math.log(math.pi) + _mvlgamma(alpha - 0.5, count)
        return (order * diagonal.log()).sum(-1) - norm + _lgamma(alpha) * count


class Wishart(ExponentialFamily):
    """The distribution of covariances of normal vectors, times their number."""

    arg_constraints = {
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
        "df": constraints.greater_than(0),
    }
    support = constraints.positive_definite
    has_rsample = True

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the degrees of freedom and one of the matrices."""
        given = (covariance_matrix, precision_matrix, scale_tril)
        if sum(one is not None for one in given) != 1:
            raise InvalidArgumentError(
                "Wishart: one of covariance_matrix, precision_matrix and scale_tril must be given"
            )
        matrix: Any = next(one for one in given if one is not None)
        degrees = df if isinstance(df, Tensor) else tensor(float(df), dtype=matrix.dtype)
        shape = broadcast_shapes(matrix.shape[:-2], degrees.shape)
        self.df = degrees.expand(shape)
        size = matrix.shape[-1]
        if bool((self.df <= size - 1).any()):
            raise InvalidArgumentError(f"Wishart: df must be above {size - 1}, got {df}")
        if bool((self.df < size).any()):
            warnings.warn(
                f"Wishart: df must be at least {size} for regular samples, got less", stacklevel=2
            )
        matrix = matrix.expand(shape + matrix.shape[-2:])
        if scale_tril is not None:
            factor = matrix
        elif covariance_matrix is not None:
            factor = cholesky(matrix)
        else:
            from .combined import MultivariateNormal

            zero = matrix.new_zeros(matrix.shape[:-1])
            factor = MultivariateNormal(zero, precision_matrix=matrix).scale_tril
        self._tril = factor
        super().__init__(shape, matrix.shape[-2:], validate_args=validate_args)

    @property
    def _chi2(self) -> Chi2:
        steps = arange(self._event_shape[-1], dtype=self.df.dtype, device=self.df.device)
        return Chi2(self.df.unsqueeze(-1) - steps)

    @property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._tril

    @property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        return self._tril @ self._tril.mT

    @property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        identity = eye(self._event_shape[-1], dtype=self._tril.dtype, device=self._tril.device)
        return _cholesky_solve(identity, self._tril).expand(self._batch_shape + self._event_shape)

    def _degrees(self) -> Tensor:
        return self.df.view(self._batch_shape + (1, 1))

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self._degrees() * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        factor = self._degrees() - self._event_shape[-1] - 1
        return factor.masked_fill(factor <= 0, math.nan) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self._degrees() * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett(self, sample_shape: Any) -> Tensor:
        """Draws by Bartlett's decomposition."""
        size = self._event_shape[-1]
        eps = finfo(self._tril.dtype).eps
        noise = self._chi2.rsample(sample_shape).sqrt().clamp(min=eps).diag_embed()
        rows, columns = _packet("aten::tril_indices")(size, size, -1)
        count = (*Size(sample_shape), *self._batch_shape, size * (size - 1) // 2)
        noise[..., rows, columns] = randn(count, dtype=noise.dtype, device=noise.device)
        factor = self._tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Tensor:
        """See `Distribution.rsample`; singular samples are drawn again, up to 10 times."""
        sample = self._bartlett(sample_shape)
        # PyTorch draws the regular samples a second time; the same seeds give the same numbers.
        again = self._any_of_batch(self.support.check(sample))
        for _ in range(10 if max_try_correction is None else max_try_correction):
            if not bool(again.any()):
                break
            drawn = self._bartlett((int(again.sum()),) if again.ndim else ())
            if again.ndim:
                sample[again] = drawn
                again = again.clone()
                again[again.clone()] = self._any_of_batch(~self.support.check(drawn))
            else:
                sample, again = drawn, self._any_of_batch(~self.support.check(drawn))
        return sample

    def _any_of_batch(self, found: Tensor) -> Tensor:
        dims = [-1 - place for place in range(len(self._batch_shape))]
        return found.amax(dims) if dims else found

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        nu, size = self.df, self._event_shape[-1]
        norm = nu * (size * math.log(2) / 2 + _log_det(self._tril)) + _mvlgamma(nu / 2, size)
        trace = _cholesky_solve(value, self._tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (nu - size - 1) / 2 * slogdet(value).logabsdet - trace / 2 - norm

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        nu, size = self.df, self._event_shape[-1]
        steps = arange(size, dtype=nu.dtype, device=nu.device) / 2
        digamma = _digamma((nu / 2).unsqueeze(-1) - steps).sum(-1)
        norm = (size + 1) * (size * math.log(2) / 2 + _log_det(self._tril))
        gammas = _mvlgamma(nu / 2, size) - (nu - size - 1) / 2 * digamma
        return norm + gammas + nu * size / 2


__all__ = ["LKJCholesky", "LowRankMultivariateNormal", "VonMises", "Wishart"]
