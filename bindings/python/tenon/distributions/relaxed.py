# SPDX-License-Identifier: Apache-2.0
"""Continuous relaxations of discrete distributions (Maddison et al.; Jang et al., 2017)."""

from __future__ import annotations

from typing import Any

from .._tenon import Size, Tensor
from ..factories import rand
from ..ops import _packet
from . import constraints
from .combined import TransformedDistribution
from .continuous import Normal
from .discrete import Categorical, _clamped, _OfProbs
from .distribution import Distribution, broadcast_all
from .transforms import ExpTransform, SigmoidTransform, StickBreakingTransform

_lgamma = _packet("aten::lgamma")


def _uniform(shape: Any, like: Tensor) -> Tensor:
    return _clamped(rand(shape, dtype=like.dtype, device=like.device))


class LogitRelaxedBernoulli(_OfProbs):
    """The logits of relaxed Bernoulli numbers."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(
        self,
        temperature: Tensor,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the options."""
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        probs = _clamped(self.probs.expand(shape))
        drawn = _uniform(shape, probs)
        logits = drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()
        return logits / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        far = logits - value.mul(self.temperature)
        return self.temperature.log() + far - 2 * far.exp().log1p()


class _OfBase(TransformedDistribution):
    """Base of distributions whose parameters are those of their base."""

    has_rsample = True

    @property
    def temperature(self) -> Tensor:
        """The temperature: at 0, samples would be discrete."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The logits."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs


class RelaxedBernoulli(_OfBase):
    """Numbers in (0, 1) that are near 0 or 1."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval

    def __init__(
        self,
        temperature: Tensor,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the options."""
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args)


class ExpRelaxedCategorical(Distribution):
    """The logarithms of relaxed one-hot vectors."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the options."""
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> ExpRelaxedCategorical:
        """See `Distribution.expand`."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._categorical = self._categorical.expand(batch_shape)
        made._batch_shape = Size(batch_shape)
        return made

    @property
    def param_shape(self) -> Any:
        """The shape of the parameters."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        """The logits."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        drawn = _uniform(self._extended_shape(sample_shape), self.logits)
        gumbels = -((-drawn.log()).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        count = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        size = self.temperature * 0 + float(count)
        scale = _lgamma(size) + self.temperature.log() * (count - 1)
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(_OfBase):
    """Vectors in the simplex that are near one of its corners."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex

    def __init__(
        self,
        temperature: Tensor,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        """Stores the options."""
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args)
        super().__init__(base, ExpTransform(), validate_args)


class LogisticNormal(TransformedDistribution):
    """Vectors in the simplex whose stick-breaking fractions have normal logits."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        """Stores the parameters."""
        base: Any = Normal(loc, scale, validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the logits."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The deviations of the logits."""
        return self.base_dist.base_dist.scale


__all__ = [
    "ExpRelaxedCategorical",
    "LogisticNormal",
    "LogitRelaxedBernoulli",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
]
