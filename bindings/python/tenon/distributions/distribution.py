# SPDX-License-Identifier: Apache-2.0
"""Base classes of distributions: shapes, checks, and methods derived from log_prob and samples."""

from __future__ import annotations

from typing import Any

from .._tenon import Size, Tensor
from ..broadcasting import broadcast_tensors
from ..error import InvalidArgumentError
from ..factories import tensor
from ..grad_mode import no_grad
from . import constraints


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Returns numbers and tensors as tensors of one shape."""
    tensors = [one for one in values if isinstance(one, Tensor)]
    options = {"dtype": tensors[0].dtype, "device": tensors[0].device} if tensors else {}
    if not tensors:
        return broadcast_tensors(*(tensor(float(one)) for one in values))
    return broadcast_tensors(
        *(one if isinstance(one, Tensor) else tensor(one, **options) for one in values)
    )


class Distribution:
    """Base of distributions.

    Attributes:
        arg_constraints: The constraint of each parameter by its name.
        support: The constraint of samples.
        has_rsample: True if gradients flow through samples.
        has_enumerate_support: True if all values can be listed.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: Any = {}
    support: Any = constraints.dependent
    _validate_args = __debug__

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None
    ) -> None:
        """Stores the shapes, and checks the parameters."""
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        for name, constraint in self.arg_constraints.items():
            if constraints.is_dependent(constraint) or name not in self.__dict__:
                continue
            value = getattr(self, name)
            if not bool(constraint.check(value).all()):
                raise InvalidArgumentError(
                    f"{type(self).__name__}: {name} must satisfy {constraint}, got {value}"
                )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Sets whether arguments are checked."""
        Distribution._validate_args = value

    @property
    def batch_shape(self) -> Any:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        """The shape of one sample."""
        return self._event_shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Returns the distribution with its parameters expanded to a shape."""
        shape = Size(batch_shape)
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        for name, value in self.__dict__.items():
            if isinstance(value, Tensor):
                extra = value.shape[len(self._batch_shape) :]
                made.__dict__[name] = value.expand(shape + extra)
            elif isinstance(value, Distribution):
                made.__dict__[name] = value.expand(
                    shape + value.batch_shape[len(self._batch_shape) :]
                )
        made._batch_shape = shape
        return made

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """Returns an empty object for `expand`: a subclass must expand what it adds itself."""
        if _instance is None and type(self).__init__ != cls.__init__:
            name = type(self).__name__
            raise NotImplementedError(f"{name}: expand must be defined, got a new __init__ only")
        return self.__new__(type(self)) if _instance is None else _instance

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError(f"{type(self).__name__} has no mean")

    @property
    def mode(self) -> Tensor:
        """The mode: the most likely value."""
        raise NotImplementedError(f"{type(self).__name__} has no mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError(f"{type(self).__name__} has no variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Returns samples without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Returns reparametrized samples, through which gradients flow to the parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no rsample")

    def sample_n(self, n: int) -> Tensor:
        """Returns n samples."""
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """Returns the log density or log probability of values."""
        raise NotImplementedError(f"{type(self).__name__} has no log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """Returns the cumulative distribution function at values."""
        raise NotImplementedError(f"{type(self).__name__} has no cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """Returns the inverse of the cumulative distribution function."""
        raise NotImplementedError(f"{type(self).__name__} has no icdf")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Returns all values, along a new first dim."""
        raise NotImplementedError(f"{type(self).__name__} has no enumerate_support")

    def entropy(self) -> Tensor:
        """Returns the entropy."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy")

    def perplexity(self) -> Tensor:
        """Returns the perplexity: e to the power of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> Any:
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _validate_sample(self, value: Any) -> None:
        if not self._validate_args:
            return
        name = type(self).__name__
        if not isinstance(value, Tensor):
            raise InvalidArgumentError(
                f"{name}: value must be a Tensor, got {type(value).__name__}"
            )
        whole = self._batch_shape + self._event_shape
        for have, wanted in zip(reversed(value.shape), reversed(whole), strict=False):
            if have != 1 and wanted != 1 and have != wanted:
                raise InvalidArgumentError(
                    f"{name}: value must broadcast with {tuple(whole)}, got {tuple(value.shape)}"
                )
        try:
            support = self.support
        except NotImplementedError:
            return
        if not constraints.is_dependent(support) and not bool(support.check(value).all()):
            raise InvalidArgumentError(
                f"{name}: value must be within the support {support}, got {value}"
            )

    def __repr__(self) -> str:
        parts = []
        for name in self.arg_constraints:
            value = self.__dict__.get(name)
            if isinstance(value, Tensor):
                text = str(value) if value.numel() == 1 else str(value.size())
                parts.append(f"{name}: {text}")
        return f"{type(self).__name__}({', '.join(parts)})"


class ExponentialFamily(Distribution):
    """Base of distributions of an exponential family."""
