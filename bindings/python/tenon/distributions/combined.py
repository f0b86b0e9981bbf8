# SPDX-License-Identifier: Apache-2.0
"""Distributions made of others: transformed, independent, mixed; and of vectors."""

from __future__ import annotations

import math
from typing import Any

from .._tenon import Size, Tensor
from ..dtype_info import finfo
from ..error import InvalidArgumentError
from ..grad_mode import no_grad
from ..linalg import cholesky, solve_triangular
from . import constraints
from .continuous import Cauchy, Exponential, Normal, Uniform, standard_normal
from .discrete import Categorical
from .distribution import Distribution, broadcast_all
from .transforms import AbsTransform, AffineTransform, ComposeTransform, ExpTransform, Transform


def _summed(value: Any, dims: int) -> Any:
    return value.flatten(-dims).sum(-1) if dims > 0 else value


class Independent(Distribution):
    """A distribution whose last batch dims are part of one sample."""

    arg_constraints: Any = {}

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the options."""
        dims = reinterpreted_batch_ndims
        if dims > len(base_distribution.batch_shape):
            raise InvalidArgumentError(
                "Independent: reinterpreted_batch_ndims must be at most "
                f"{len(base_distribution.batch_shape)}, got {dims}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, dims
        shape = base_distribution.batch_shape + base_distribution.event_shape
        size = dims + len(base_distribution.event_shape)
        cut = len(shape) - size
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Independent:
        """See `Distribution.expand`."""
        extra = self.event_shape[: self.reinterpreted_batch_ndims]
        base = self.base_dist.expand(Size(batch_shape) + extra)
        return Independent(base, self.reinterpreted_batch_ndims, validate_args=False)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """See `Distribution.has_rsample`."""
        return self.base_dist.has_rsample

    @property
    def support(self) -> Any:
        """See `Distribution.support`."""
        return constraints.independent(self.base_dist.support, self.reinterpreted_batch_ndims)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        return _summed(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return _summed(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """A distribution whose samples are passed through one or several transforms."""

    arg_constraints: Any = {}

    def __init__(
        self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None
    ) -> None:
        """Stores the base and the transforms."""
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        whole = ComposeTransform(self.transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        for one in self.transforms:
            shape = one.forward_shape(shape)
        missing = whole.event_dim - len(base_distribution.event_shape)
        self.base_dist: Any = base_distribution
        if missing > 0:
            self.base_dist = Independent(base_distribution, missing)
        dims = max(whole.event_dim, len(base_distribution.event_shape))
        cut = len(shape) - dims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """See `Distribution.expand`."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.base_dist = self.base_dist.expand(Size(batch_shape))
        made._batch_shape = Size(batch_shape)
        return made

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """See `Distribution.has_rsample`."""
        return self.base_dist.has_rsample

    @property
    def support(self) -> Any:
        """See `Distribution.support`."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        missing = len(self.event_shape) - support.event_dim
        return constraints.independent(support, missing) if missing > 0 else support

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            x = self.base_dist.sample(sample_shape)
            for one in self.transforms:
                x = one(x)
            return x

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        x = self.base_dist.rsample(sample_shape)
        for one in self.transforms:
            x = one(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        dims = len(self.event_shape)
        total: Any = 0.0
        y = value
        for one in reversed(self.transforms):
            x = one.inv(y)
            dims += one.domain.event_dim - one.codomain.event_dim
            total = total - _summed(one.log_abs_det_jacobian(x, y), dims - one.domain.event_dim)
            y = x
        return total + _summed(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _direction(self, value: Tensor) -> Tensor:
        sign: Any = 1
        for one in self.transforms:
            sign = sign * one.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        for one in reversed(self.transforms):
            value = one.inv(value)
        return self._direction(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        value = self.base_dist.icdf(self._direction(value))
        for one in self.transforms:
            value = one(value)
        return value


class LogNormal(TransformedDistribution):
    """e to the power of normal numbers."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return self.base_dist.entropy() + self.loc


class _Half(TransformedDistribution):
    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    _base: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(type(self)._base(0, scale, False), AbsTransform(), validate_args)

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.scale * 0

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        from ..functional import where

        result = self.base_dist.log_prob(value) + math.log(2)
        return where(value >= 0, result, result * 0 - math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """Absolute values of normal numbers."""

    _base = Normal

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """Absolute values of Cauchy's distribution."""

    _base = Cauchy

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`: it is infinite."""
        return self.scale * 0 + math.inf

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`: it is infinite."""
        return self.mean


class Gumbel(TransformedDistribution):
    """The Gumbel distribution, of the largest of many values."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        self.loc, self.scale = broadcast_all(loc, scale)
        facts = finfo(self.loc.dtype)
        base = Uniform(self.loc * 0 + facts.tiny, self.loc * 0 + (1 - facts.eps), False)
        parts = [
            ExpTransform().inv,
            AffineTransform(0, -1.0),
            ExpTransform().inv,
            AffineTransform(self.loc, -self.scale),
        ]
        super().__init__(base, parts, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Gumbel:
        """See `Distribution.expand`."""
        shape = Size(batch_shape)
        return Gumbel(self.loc.expand(shape), self.scale.expand(shape), False)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.loc + self.scale * 0.57721566490153286

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return (math.pi / math.sqrt(6)) ** 2 * self.scale.pow(2)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return self.scale.log() + (1 + 0.57721566490153286)


class Pareto(TransformedDistribution):
    """A power law above a scale."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args)
        super().__init__(base, [ExpTransform(), AffineTransform(0, self.scale)], validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Pareto:
        """See `Distribution.expand`."""
        shape = Size(batch_shape)
        return Pareto(self.scale.expand(shape), self.alpha.expand(shape), False)

    @constraints.dependent_property
    def support(self) -> Any:
        """See `Distribution.support`."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`: infinite up to 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`: infinite up to 2."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class MixtureSameFamily(Distribution):
    """One of several distributions of a family, by a Categorical."""

    arg_constraints: Any = {}

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the parts; the last batch dim of the components is chosen from."""
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        shape = component_distribution.batch_shape[:-1]
        self._event_ndims = len(component_distribution.event_shape)
        event = component_distribution.event_shape
        super().__init__(shape, event, validate_args=validate_args)

    @property
    def support(self) -> Any:
        """See `Distribution.support`: nothing is checked."""
        return constraints.dependent

    @property
    def mixture_distribution(self) -> Categorical:
        """The weights."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The parts."""
        return self._component_distribution

    def _weights(self) -> Tensor:
        probs = self._mixture_distribution.probs
        return probs.reshape(probs.shape + (1,) * self._event_ndims)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return (self._weights() * self._component_distribution.mean).sum(-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        dim, parts = -1 - self._event_ndims, self._component_distribution
        within = (self._weights() * parts.variance).sum(dim)
        far = parts.mean - self.mean.unsqueeze(dim)
        return within + (self._weights() * far.pow(2.0)).sum(dim)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        value = value.unsqueeze(-1 - self._event_ndims)
        found = self._component_distribution.log_prob(value)
        return (found + self._mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            place = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            place = place.expand(chosen.shape + (1,) + self.event_shape)
            return drawn.gather(dim, place).squeeze(dim)


class MultivariateNormal(Distribution):
    """Multivariate normal, by a covariance, its inverse, or its lower Cholesky factor."""

    arg_constraints = {"loc": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the parameters."""
        from ..broadcasting import broadcast_shapes

        given = (covariance_matrix, precision_matrix, scale_tril)
        if sum(one is not None for one in given) != 1:
            raise InvalidArgumentError(
                "MultivariateNormal: one of covariance_matrix, precision_matrix and scale_tril "
                "must be given"
            )
        matrix: Any = next(one for one in given if one is not None)
        shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        matrix = matrix.expand(shape + matrix.shape[-2:])
        self.loc = loc.expand(shape + loc.shape[-1:])
        if covariance_matrix is not None:
            self.covariance_matrix = matrix
            self._tril = cholesky(matrix)
        elif scale_tril is not None:
            self._tril = matrix
        else:
            # The inverse of the upper triangle of the reversed matrix.
            upper = cholesky(matrix.flip((-2, -1))).flip((-2, -1)).mT
            one = (matrix * 0).diagonal(dim1=-2, dim2=-1).add(1).diag_embed()
            self._tril = solve_triangular(upper, one, upper=False)
            self.precision_matrix = matrix
        super().__init__(shape, self.loc.shape[-1:], validate_args=validate_args)

    @property
    def scale_tril(self) -> Tensor:
        """The lower triangle."""
        return self._tril

    def __getattr__(self, name: str) -> Any:
        if name == "covariance_matrix":
            return self._tril @ self._tril.mT
        if name == "precision_matrix":
            from ..functional import cholesky_inverse

            return cholesky_inverse(self._tril)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.loc

    mode = mean

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self._tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        drawn = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + (self._tril @ drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        far = (value - self.loc).unsqueeze(-1)
        square = solve_triangular(self._tril, far, upper=False).squeeze(-1).pow(2).sum(-1)
        half = self._tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + square) - half

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        half = self._tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half
        return entropy.expand(self._batch_shape)


__all__ = [
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "LogNormal",
    "MixtureSameFamily",
    "MultivariateNormal",
    "Pareto",
    "TransformedDistribution",
]
