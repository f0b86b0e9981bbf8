# SPDX-License-Identifier: Apache-2.0
"""Continuous distributions that few programs use."""

from __future__ import annotations

import math
from typing import Any

from .._tenon import Tensor
from ..dtype_info import finfo
from ..factories import rand
from ..functional import where
from ..ops import _packet
from . import constraints
from .combined import TransformedDistribution
from .continuous import Exponential, Gamma, Uniform
from .discrete import _clamped, _OfProbs
from .distribution import Distribution, ExponentialFamily, broadcast_all
from .transforms import AffineTransform, PowerTransform

_lgamma, _digamma = _packet("aten::lgamma"), _packet("aten::digamma")
_EULER = 0.57721566490153286


class ContinuousBernoulli(_OfProbs, ExponentialFamily):
    """Densities proportional to p^x (1 - p)^(1 - x) on [0, 1] (Loaiza-Ganem, Cunningham 2019).

    Near p = 0.5, within `lims`, Taylor's series replace the formulas.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        """Stores the parameters."""
        self._lims = lims
        super().__init__(probs, logits, validate_args)
        if "probs" in self.__dict__:
            self.__dict__["probs"] = _clamped(self.probs)

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if name == "probs":
            value = self.__dict__["probs"] = _clamped(value)
        return value

    def _is_stable(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        return where(self._is_stable(), self.probs, self.probs * 0 + self._lims[0])

    def _log_norm(self) -> Tensor:
        cut = self._cut_probs()
        far = (-cut).log1p() - cut.log()
        result = far.abs().log() - (1 - 2 * cut).abs().log()
        x = (self.probs - 0.5) ** 2
        return where(self._is_stable(), result, math.log(2.0) + (4 / 3 + 104 / 45 * x) * x)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        cut = self._cut_probs()
        result = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        return where(self._is_stable(), result, 0.5 + (1 / 3 + 16 / 45 * x**2) * x)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        cut = self._cut_probs()
        first = cut * (cut - 1.0) / (1.0 - 2.0 * cut) ** 2
        result = first + 1.0 / ((-cut).log1p() - cut.log()) ** 2
        x = (self.probs - 0.5) ** 2
        return where(self._is_stable(), result, 1 / 12 - (1 / 15 - 128 / 945 * x) * x)

    @property
    def stddev(self) -> Tensor:
        """See `Distribution.stddev`."""
        return self.variance.sqrt()

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        from ..nn.functional import binary_cross_entropy_with_logits

        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        loss = binary_cross_entropy_with_logits(logits, value, reduction="none")
        return self._log_norm() - loss

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._validate_sample(value)
        cut = self._cut_probs()
        inner = (cut**value * (1.0 - cut) ** (1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        result = where(self._is_stable(), inner, value)
        result = where(value >= 1.0, value * 0 + 1, result)
        return where(value <= 0.0, value * 0, result)

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        cut = self._cut_probs()
        top = (-cut + value * (2.0 * cut - 1.0)).log1p() - (-cut).log1p()
        return where(self._is_stable(), top / (cut.log() - (-cut).log1p()), value)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        no, yes = (-self.probs).log1p(), self.probs.log()
        return self.mean * (no - yes) - self._log_norm() - no


class FisherSnedecor(Distribution):
    """The ratio of two chi-squared numbers, each divided by its degrees of freedom."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        """Stores the degrees of freedom."""
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        d = self.df2.masked_fill(self.df2 <= 2, math.nan)
        return d / (d - 2)

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, math.nan)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        d = self.df2.masked_fill(self.df2 <= 4, math.nan)
        return 2 * d.pow(2) * (self.df1 + d - 2) / (self.df1 * (d - 2).pow(2) * (d - 4))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        tiny = finfo(self.df1.dtype).tiny
        first = Gamma(self.df1 * 0.5, self.df1, False).rsample(sample_shape)
        second = Gamma(self.df2 * 0.5, self.df2, False).rsample(sample_shape)
        return (first / second.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        norm = _lgamma(a + b) - _lgamma(a) - _lgamma(b)
        return norm + a * ratio.log() + (a - 1) * value.log() - (a + b) * (ratio * value).log1p()


class GeneralizedPareto(Distribution):
    """The tails of other distributions: exponential, power law, or bounded, by a concentration."""

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        """Stores the parameters."""
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        """See `Distribution.support`."""
        end = self.loc - self.scale / self.concentration
        high = end.masked_fill(self.concentration >= 0, math.inf)
        return constraints.interval(self.loc, high)

    def _is_exponential(self) -> tuple[Tensor, Tensor]:
        """Returns where the concentration is 0, and the concentration with 1 there."""
        is_zero = self.concentration.abs() <= 1e-8
        return is_zero, self.concentration.masked_fill(is_zero, 1.0)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        z = (value - self.loc) / self.scale
        is_zero, c = self._is_exponential()
        y = 1 / c + z * 0 + 1
        return -self.scale.log() - where(is_zero, z, where(y == 0, y, y * (c * z).log1p()))

    def log_survival_function(self, value: Tensor) -> Tensor:
        """Returns the logarithm of the probability of larger values."""
        self._validate_sample(value)
        z = (value - self.loc) / self.scale
        is_zero, c = self._is_exponential()
        return where(is_zero, -z, -(c * z).log1p() / c)

    def log_cdf(self, value: Tensor) -> Tensor:
        """Returns the logarithm of `cdf`."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        is_zero, c = self._is_exponential()
        log = (-value).log1p()
        power = self.loc + self.scale / c * (-c * log).expm1()
        return where(is_zero, self.loc - self.scale * log, power)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        c = self.concentration
        return (self.loc + self.scale / (1 - c)).masked_fill(c >= 1, math.nan)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        c = self.concentration
        result = self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c))
        return result.masked_fill(c >= 0.5, math.nan)

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.loc

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return self.scale.log() + self.concentration + 1


class InverseGamma(TransformedDistribution):
    """The reciprocals of gamma numbers."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        base = Gamma(concentration, rate, validate_args)
        power = PowerTransform(-base.rate.new_ones(()))
        super().__init__(base, power, validate_args)

    @property
    def concentration(self) -> Tensor:
        """The concentration."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        a = self.concentration
        return where(a > 1, self.rate / (a - 1), a * 0 + math.inf)

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        a = self.concentration
        result = self.rate.square() / ((a - 1).square() * (a - 2))
        return where(a > 2, result, a * 0 + math.inf)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        a = self.concentration
        return a + self.rate.log() + _lgamma(a) - (1 + a) * _digamma(a)


def _moment(a: Tensor, b: Tensor, n: int) -> Tensor:
    """Returns the n-th moment of Kumaraswamy's distribution."""
    place = 1 + n / a
    return (_lgamma(place) + _lgamma(b) - _lgamma(place + b)).exp() * b


class Kumaraswamy(TransformedDistribution):
    """Numbers in [0, 1], like Beta's, with a simple cumulative distribution function."""

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
        one = self.concentration0 * 0 + 1
        base = Uniform(one * 0, one, validate_args)
        parts = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(1.0, -1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        super().__init__(base, parts, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Kumaraswamy:
        """See `Distribution.expand`."""
        parts = (self.concentration1, self.concentration0)
        return Kumaraswamy(*(one.expand(batch_shape) for one in parts), validate_args=False)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return _moment(self.concentration1, self.concentration0, 1)

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        a, b = self.concentration1, self.concentration0
        shares = (a - 1) / (a * b - 1)
        return shares.pow(a.reciprocal()).masked_fill((b < 1) | (a < 1), math.nan)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return _moment(self.concentration1, self.concentration0, 2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        first = 1 - self.concentration1.reciprocal()
        second = 1 - self.concentration0.reciprocal()
        harmonic = _digamma(self.concentration0 + 1) + _EULER
        logs = self.concentration1.log() + self.concentration0.log()
        return second + first * harmonic - logs


class Weibull(TransformedDistribution):
    """Powers of exponential numbers."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(self.scale * 0 + 1, validate_args)
        parts = [PowerTransform(self.concentration_reciprocal), AffineTransform(0, self.scale)]
        super().__init__(base, parts, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Weibull:
        """See `Distribution.expand`."""
        parts = (self.scale, self.concentration)
        return Weibull(*(one.expand(batch_shape) for one in parts), validate_args=False)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.scale * _lgamma(1 + self.concentration_reciprocal).exp()

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        shares = (self.concentration - 1) / self.concentration
        return self.scale * shares ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        r = self.concentration_reciprocal
        return self.scale.pow(2) * (_lgamma(1 + 2 * r).exp() - (2 * _lgamma(1 + r)).exp())

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        r = self.concentration_reciprocal
        return _EULER * (1 - r) + (self.scale * r).log() + 1


__all__ = [
    "ContinuousBernoulli",
    "FisherSnedecor",
    "GeneralizedPareto",
    "InverseGamma",
    "Kumaraswamy",
    "Weibull",
]
