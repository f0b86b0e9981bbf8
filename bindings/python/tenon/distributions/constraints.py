# SPDX-License-Identifier: Apache-2.0
"""Constraints: which values parameters and samples may have; `check` returns a tensor of bools."""

from __future__ import annotations

from typing import Any

from .._tenon import Tensor


class Constraint:
    """Base of constraints.

    Attributes:
        is_discrete: True if values are whole numbers.
        event_dim: How many last dims make one value.
    """

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """Returns for each value whether it is allowed."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__.lstrip('_')}()"


class _Real(Constraint):
    def check(self, value: Tensor) -> Tensor:
        """Returns false for NaN."""
        return value == value


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        """Returns true for 0 and 1."""
        return (value == 0) | (value == 1)


class _Bounded(Constraint):
    """Values with bounds, each of which may be left out, or be excluded."""

    def __init__(
        self, lower_bound: Any = None, upper_bound: Any = None, *, open: tuple[bool, bool]
    ) -> None:
        self.lower_bound, self.upper_bound, self._open = lower_bound, upper_bound, open

    def check(self, value: Tensor) -> Tensor:
        """Returns true within the bounds."""
        result = value == value
        if self.lower_bound is not None:
            low = self.lower_bound
            result = result & ((value > low) if self._open[0] else (value >= low))
        if self.upper_bound is not None:
            high = self.upper_bound
            result = result & ((value < high) if self._open[1] else (value <= high))
        return result


class _GreaterThan(_Bounded):
    """Values above a bound."""

    def __init__(self, lower_bound: Any) -> None:
        super().__init__(lower_bound, open=(True, True))


class _GreaterThanEq(_Bounded):
    """Values above or at a bound."""

    def __init__(self, lower_bound: Any) -> None:
        super().__init__(lower_bound, open=(False, False))


class _LessThan(_Bounded):
    """Values below a bound."""

    def __init__(self, upper_bound: Any) -> None:
        super().__init__(None, upper_bound, open=(True, True))


class _Interval(_Bounded):
    """Values between bounds, which are allowed."""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        super().__init__(lower_bound, upper_bound, open=(False, False))


class _HalfOpenInterval(_Bounded):
    """Values between bounds, of which the upper one is not allowed."""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        super().__init__(lower_bound, upper_bound, open=(False, True))


class _IntegerInterval(_Bounded):
    is_discrete = True

    def __init__(self, lower_bound: Any = None, upper_bound: Any = None) -> None:
        super().__init__(lower_bound, upper_bound, open=(False, False))

    def check(self, value: Tensor) -> Tensor:
        """Returns true for whole numbers within the bounds."""
        return (value % 1 == 0) & super().check(value)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        """Returns true for vectors of numbers >= 0 with the sum 1."""
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        """Returns true for vectors of zeros and a one."""
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _LowerCholesky(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        """Returns true for lower triangles with positive diagonals."""
        is_lower = (value.tril() == value).flatten(-2).all(-1)
        return is_lower & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _PositiveDefinite(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        """Returns true for symmetric matrices that have a Cholesky factor."""
        from ..linalg import cholesky_ex

        is_symmetric = ((value - value.mT).abs() < 1e-6).flatten(-2).all(-1)
        return is_symmetric & (cholesky_ex(value).info == 0)


class _Independent(Constraint):
    def __init__(self, base: Constraint, dims: int) -> None:
        self.base_constraint, self.reinterpreted_batch_ndims = base, dims
        self.is_discrete, self.event_dim = base.is_discrete, base.event_dim + dims

    def check(self, value: Tensor) -> Tensor:
        """Returns true if all values of the last dims are allowed."""
        result = self.base_constraint.check(value)
        for _ in range(self.reinterpreted_batch_ndims):
            result = result.all(-1)
        return result


class _Dependent(Constraint):
    """A constraint that depends on parameters: nothing is checked by it."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self.is_discrete, self.event_dim = is_discrete, event_dim


def is_dependent(constraint: object) -> bool:
    """Returns true for a constraint that depends on parameters."""
    return isinstance(constraint, _Dependent)


class dependent_property(property):
    """A property whose value is a constraint: `support` of distributions with such bounds."""

    def __init__(self, fn: Any = None, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        """Stores the function."""
        super().__init__(fn)
        self._options = {"is_discrete": is_discrete, "event_dim": event_dim}

    def __call__(self, fn: Any) -> dependent_property:
        """Returns the property of a function."""
        return dependent_property(fn, **self._options)

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return _Dependent(**self._options) if obj is None else super().__get__(obj, owner)


def independent(base: Constraint, reinterpreted_batch_ndims: int) -> Constraint:
    """Returns a constraint of several last dims."""
    return _Independent(base, reinterpreted_batch_ndims)


greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval = _Interval, _HalfOpenInterval
integer_interval = _IntegerInterval
dependent = _Dependent()
boolean = _Boolean()
one_hot = _OneHot()
real = _Real()
real_vector = _Independent(real, 1)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
positive_integer = _IntegerInterval(1)
nonnegative_integer = _IntegerInterval(0)
unit_interval = interval(0.0, 1.0)
simplex = _Simplex()
lower_cholesky = _LowerCholesky()
positive_definite = _PositiveDefinite()
