# SPDX-License-Identifier: Apache-2.0
"""Distributions of counts: binomial, negative binomial, multinomial."""

from __future__ import annotations

from typing import Any

from .._tenon import Size, Tensor
from ..factories import arange
from ..functional import poisson
from ..grad_mode import no_grad
from ..ops import _packet
from ..sampling import binomial
from . import constraints
from .continuous import Gamma
from .discrete import Categorical, _OfProbs
from .distribution import Distribution, broadcast_all

_lgamma = _packet("aten::lgamma")


class _OfCounts(_OfProbs):
    """Base of distributions of a number of trials and a probability."""

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the options."""
        from .discrete import _only_one

        _only_one(type(self).__name__, probs, logits)
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        count, value = broadcast_all(total_count, given)
        self.total_count, self.__dict__[name] = count.type_as(value), value
        Distribution.__init__(self, value.shape, validate_args=validate_args)

    @property
    def _param(self) -> Tensor:
        return self.__dict__["probs" if "probs" in self.__dict__ else "logits"]


class Binomial(_OfCounts):
    """The number of successes among several trials."""

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    @constraints.dependent_property(is_discrete=True)
    def support(self) -> Any:
        """See `Distribution.support`."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return ((self.total_count + 1) * self.probs).floor().minimum(self.total_count)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        count, logits = self.total_count, self.logits
        ways = _lgamma(count + 1) - _lgamma(value + 1) - _lgamma(count - value + 1)
        # n log(1 + e^x), whose gradient at 0 is that of the mean of both sides.
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        norm = count * positive + count * (-logits.abs()).exp().log1p()
        return value * logits + ways - norm

    def _one_count(self) -> int:
        count = int(self.total_count.max())
        if not bool((self.total_count == count).all()):
            raise NotImplementedError("Binomial: total_count must be one number, got several")
        return count

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        self._one_count()
        logs = self.log_prob(self.enumerate_support(False))
        return -(logs.exp() * logs).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """See `Distribution.enumerate_support`."""
        like = self._param
        values = arange(1 + self._one_count(), dtype=like.dtype, device=like.device)
        values = values.view((-1,) + (1,) * len(self.batch_shape))
        return values.expand((-1, *self.batch_shape)) if expand else values


class NegativeBinomial(_OfCounts):
    """The number of successes before a number of failures."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            gamma = Gamma(self.total_count, (-self.logits).exp(), validate_args=False)
            return poisson(gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        from ..nn.functional import logsigmoid

        self._validate_sample(value)
        count = self.total_count
        plain = count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        ways = _lgamma(count + value) - _lgamma(1.0 + value) - _lgamma(count)
        return plain + ways.masked_fill(count + value == 0.0, 0.0)


class Multinomial(Distribution):
    """Counts of classes among several draws."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(
        self,
        total_count: int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the options."""
        if not isinstance(total_count, int):
            raise NotImplementedError(
                f"Multinomial: total_count must be an integer, got {type(total_count).__name__}"
            )
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Multinomial:
        """See `Distribution.expand`."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._categorical = self._categorical.expand(batch_shape)
        made._batch_shape = Size(batch_shape)
        return made

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """See `Distribution.support`."""
        return constraints.multinomial(self.total_count)

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """Their logarithms."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Any:
        """The shape of the parameters."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + shape)
        drawn = drawn.movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(shape))
        ones = drawn.new_ones(drawn.shape)
        return counts.scatter_add(-1, drawn, ones).type_as(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        ways = _lgamma(value.sum(-1) + 1) - _lgamma(value + 1).sum(-1)
        logits = logits.masked_fill((value == 0) & (logits == -float("inf")), 0)
        return ways + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        count = self.total_count
        values = arange(1, count + 1, dtype=self.probs.dtype, device=self.probs.device)
        values = values.view((-1,) + (1,) * len(self.batch_shape) + (1,))
        one = Binomial(count, probs=self.probs)
        weights = one.log_prob(values).exp()
        first = count * self._categorical.entropy() - _lgamma(values.new_full((), count + 1.0))
        return first + (weights * _lgamma(values + 1)).sum((0, -1))


__all__ = ["Binomial", "Multinomial", "NegativeBinomial"]
