# SPDX-License-Identifier: Apache-2.0
"""Distributions of real numbers."""

from __future__ import annotations

import math
from typing import Any

from .._tenon import Tensor
from ..dtype_info import finfo
from ..factories import empty, ones, rand, zeros
from ..functional import normal
from ..grad_mode import no_grad
from ..ops import _packet
from . import constraints
from .distribution import Distribution, ExponentialFamily, broadcast_all
from .gamma_samples import standard_gamma

_lgamma, _digamma = _packet("aten::lgamma"), _packet("aten::digamma")
_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


def _like(parameter: Tensor, shape: Any) -> Tensor:
    return empty(shape, dtype=parameter.dtype, device=parameter.device)


class _LocScale(Distribution):
    """Base of distributions of a place and a scale."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.loc


class Normal(_LocScale, ExponentialFamily):
    """The normal distribution."""

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        """See `Distribution.stddev`."""
        return self.scale

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        square = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -square - self.scale.log() - _HALF_LOG_2PI

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._validate_sample(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return 0.5 + _HALF_LOG_2PI + self.scale.log()


def standard_normal(shape: Any, like: Tensor) -> Tensor:
    """Returns samples of the standard normal distribution, of the dtype and device of a tensor."""
    options = {"dtype": like.dtype, "device": like.device}
    return normal(zeros(shape, **options), ones(shape, **options))


class Uniform(Distribution):
    """Numbers from low up to high."""

    arg_constraints = {"low": constraints.dependent, "high": constraints.dependent}
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        """Stores the bounds."""
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        """See `Distribution.support`."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return (self.high + self.low) / 2

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        drawn = rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        inside = (self.low <= value) & (self.high > value)
        return inside.to(self.low.dtype).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return (self.high - self.low).log()


class Exponential(ExponentialFamily):
    """Waiting times at a rate."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        """Stores the rate."""
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.rate * 0

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        return _like(self.rate, shape).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return 1.0 - self.rate.log()


class Laplace(_LocScale):
    """Two exponential distributions back to back."""

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        """See `Distribution.stddev`."""
        return math.sqrt(2) * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        drawn = _like(self.loc, shape).uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * drawn.sign() * (-drawn.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        far = value - self.loc
        return 0.5 - 0.5 * far.sign() * (-far.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        part = value - 0.5
        return self.loc - self.scale * part.sign() * (-2 * part.abs()).log1p()

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return 1 + (2 * self.scale).log()


class Cauchy(_LocScale):
    """The ratio of two normal distributions."""

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`: there is none."""
        return self.loc * math.nan

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`: it is infinite."""
        return self.loc * 0 + math.inf

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        return self.loc + _like(self.loc, shape).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        square = (((value - self.loc) / self.scale) ** 2).log1p()
        return -math.log(math.pi) - self.scale.log() - square

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return math.log(4 * math.pi) + self.scale.log()


class Gamma(ExponentialFamily):
    """The gamma distribution."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`: no gradients flow through samples."""
        shape = self._extended_shape(sample_shape)
        drawn = standard_gamma(self.concentration.expand(shape), type(self).__name__)
        return (drawn / self.rate.expand(shape)).clamp(min=finfo(self.rate.dtype).tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        a, rate = self.concentration, self.rate
        power = _packet("aten::xlogy")(a - 1, value)
        return _packet("aten::xlogy")(a, rate) + power - rate * value - _lgamma(a)

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._validate_sample(value)
        return _packet("aten::special_gammainc")(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        a = self.concentration
        return a - self.rate.log() + _lgamma(a) + (1.0 - a) * _digamma(a)


class Chi2(Gamma):
    """The sum of squares of df normal numbers."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        """Stores the number."""
        (df,) = broadcast_all(df)
        super().__init__(0.5 * df, df * 0 + 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """The number of degrees of freedom."""
        return self.concentration * 2


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`: no gradients flow through samples."""
        shape = self._extended_shape(sample_shape)
        drawn = standard_gamma(self.concentration.expand(shape), "Dirichlet")
        return drawn / drawn.sum(-1, True)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        a = self.concentration
        power = _packet("aten::xlogy")(a - 1.0, value).sum(-1)
        return power + _lgamma(a.sum(-1)) - _lgamma(a).sum(-1)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        a = self.concentration
        k, total = a.shape[-1], a.sum(-1)
        spread = _lgamma(a).sum(-1) - _lgamma(total) - (k - total) * _digamma(total)
        return spread - ((a - 1.0) * _digamma(a)).sum(-1)


class Beta(ExponentialFamily):
    """The beta distribution."""

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        """Stores the parameters."""
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`: no gradients flow through samples."""
        from ..functional import stack

        both = stack([self.concentration1, self.concentration0], -1)
        return Dirichlet(both, False).rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        a, b = self.concentration1, self.concentration0
        powers = _packet("aten::xlogy")(a - 1, value) + _packet("aten::xlogy")(b - 1, 1 - value)
        return powers + _lgamma(a + b) - _lgamma(a) - _lgamma(b)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        a, b = self.concentration1, self.concentration0
        spread = _lgamma(a) + _lgamma(b) - _lgamma(a + b)
        return (
            spread - (a - 1) * _digamma(a) - (b - 1) * _digamma(b) + (a + b - 2) * _digamma(a + b)
        )


class StudentT(_LocScale):
    """Student's t distribution."""

    arg_constraints = {"df": constraints.positive, **_LocScale.arg_constraints}

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        """Stores the parameters."""
        self.df, loc, scale = broadcast_all(df, loc, scale)
        super().__init__(loc, scale, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`: NaN for one degree of freedom or less."""
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`: infinite for two degrees of freedom or less."""
        found = self.scale**2 * self.df / (self.df - 2)
        return found.masked_fill(self.df <= 2, math.inf).masked_fill(self.df <= 1, math.nan)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        half, more = 0.5 * self.df, 0.5 * (self.df + 1.0)
        beta = _lgamma(half) + math.log(math.pi) / 2 - _lgamma(more)
        rest = more * (_digamma(more) - _digamma(half)) + 0.5 * self.df.log() + beta
        return self.scale.log() + rest

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`: no gradients flow through samples."""
        shape = self._extended_shape(sample_shape)
        drawn = standard_normal(shape, self.df)
        square = Chi2(self.df, False).rsample(sample_shape)
        return self.loc + self.scale * drawn * (self.df / square).sqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        y, half = (value - self.loc) / self.scale, 0.5 * (self.df + 1.0)
        constant = 0.5 * self.df.log() + 0.5 * math.log(math.pi) + _lgamma(0.5 * self.df)
        constant = self.scale.log() + constant - _lgamma(half)
        return -half * (y**2.0 / self.df).log1p() - constant


__all__ = [
    "Beta",
    "Cauchy",
    "Chi2",
    "Dirichlet",
    "Exponential",
    "Gamma",
    "Laplace",
    "Normal",
    "StudentT",
    "Uniform",
]
