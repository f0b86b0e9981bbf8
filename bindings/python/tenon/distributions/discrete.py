# SPDX-License-Identifier: Apache-2.0
"""Distributions of whole numbers and classes."""

from __future__ import annotations

from typing import Any

from .._tenon import Size, Tensor
from ..dtype_info import finfo
from ..error import InvalidArgumentError
from ..factories import arange, zeros_like
from ..functional import bernoulli, binary_cross_entropy_with_logits, multinomial, poisson
from ..grad_mode import no_grad
from ..ops import _packet
from . import constraints
from .distribution import Distribution, ExponentialFamily, broadcast_all

_lgamma = _packet("aten::lgamma")


def _clamped(probs: Tensor) -> Tensor:
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def _only_one(name: str, probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise InvalidArgumentError(
            f"{name}: one of probs and logits must be given, got "
            + ("none" if probs is None else "both")
        )


class _OfProbs(Distribution):
    """Base of distributions of probabilities or their logits; the missing one is computed."""

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        """Stores probs or logits."""
        _only_one(type(self).__name__, probs, logits)
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        (value,) = broadcast_all(given)
        self.__dict__[name] = value
        super().__init__(value.shape, validate_args=validate_args)

    def __getattr__(self, name: str) -> Any:
        if name == "probs" and "logits" in self.__dict__:
            self.__dict__["probs"] = self.logits.sigmoid()
        elif name == "logits" and "probs" in self.__dict__:
            clamped = _clamped(self.probs)
            self.__dict__["logits"] = clamped.log() - (-clamped).log1p()
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.__dict__[name]

    @property
    def param_shape(self) -> Any:
        """The shape of the parameters."""
        return (self.logits if "logits" in self.__dict__ else self.probs).size()


class Bernoulli(_OfProbs, ExponentialFamily):
    """0 or 1."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return (self.probs >= 0.5).to(self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, None, None, 0)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, None, None, 0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """See `Distribution.enumerate_support`."""
        values = arange(2, dtype=self.logits.dtype, device=self.logits.device)
        values = values.view((-1,) + (1,) * len(self.batch_shape))
        return values.expand((-1, *self.batch_shape)) if expand else values


class Geometric(_OfProbs):
    """The number of failures before the first success."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            tiny = finfo(self.probs.dtype).tiny
            drawn = self.probs.new_empty(shape).uniform_(tiny, 1)
            return (drawn.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        loss = binary_cross_entropy_with_logits(self.logits, self.probs, None, None, 0)
        return loss / self.probs


class Poisson(ExponentialFamily):
    """The number of events at a rate."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        """Stores the rate."""
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.rate

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return _packet("aten::xlogy")(value, rate) - rate - _lgamma(value + 1)


class Categorical(Distribution):
    """One of several classes, by probabilities (made to have the sum 1), or their logarithms."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        """Stores probs or logits."""
        _only_one(type(self).__name__, probs, logits)
        given = logits if probs is None else probs
        if given.ndim < 1:
            raise InvalidArgumentError("Categorical: parameters must have a dim of classes")
        if probs is not None:
            self.__dict__["probs"] = probs / probs.sum(-1, keepdim=True)
        else:
            self.__dict__["logits"] = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], validate_args=validate_args)

    def __getattr__(self, name: str) -> Any:
        if name == "probs" and "logits" in self.__dict__:
            self.__dict__["probs"] = self.logits.softmax(-1)
        elif name == "logits" and "probs" in self.__dict__:
            self.__dict__["logits"] = _clamped(self.probs).log()
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.__dict__[name]

    @constraints.dependent_property(is_discrete=True)
    def support(self) -> Any:
        """See `Distribution.support`."""
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def param_shape(self) -> Any:
        """The shape of the parameters."""
        return (self.logits if "logits" in self.__dict__ else self.probs).size()

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`: classes have none."""
        return self.probs.sum(-1) * float("nan")

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`: classes have none."""
        return self.mean

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        shape = Size(sample_shape)
        with no_grad():
            rows = self.probs.reshape(-1, self._num_events)
            drawn = multinomial(rows, shape.numel(), True).t()
            return drawn.reshape(self._extended_shape(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        from ..broadcasting import broadcast_tensors

        place, table = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return table.gather(-1, place[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        least = finfo(self.logits.dtype).min
        return -(self.logits.clamp(min=least) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """See `Distribution.enumerate_support`."""
        device = (self.__dict__.get("logits", self.__dict__.get("probs"))).device
        values = arange(self._num_events, device=device)
        values = values.view((-1,) + (1,) * len(self.batch_shape))
        return values.expand((-1, *self.batch_shape)) if expand else values


class OneHotCategorical(Distribution):
    """As Categorical, with one-hot samples."""

    arg_constraints = Categorical.arg_constraints
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        """Stores probs or logits."""
        self._categorical = Categorical(probs, logits, validate_args)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """Their logarithms."""
        return self._categorical.logits

    @property
    def mean(self) -> Tensor:
        """See `Distribution.mean`."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """See `Distribution.variance`."""
        return self.probs * (1 - self.probs)

    @property
    def mode(self) -> Tensor:
        """See `Distribution.mode`."""
        return self._one_hot(self._categorical.mode)

    def _one_hot(self, index: Tensor) -> Tensor:
        return _packet("aten::one_hot")(index, self._event_shape[0]).to(self.probs.dtype)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        return self._one_hot(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._validate_sample(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        return self._categorical.entropy()


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """As OneHotCategorical; gradients of samples are those of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


__all__ = [
    "Bernoulli",
    "Categorical",
    "Geometric",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Poisson",
]
