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
    """A constraint of several last dims.

    Args:
        base_constraint: The constraint of single values.
        reinterpreted_batch_ndims: Number of the dims.
    """

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        base, dims = base_constraint, reinterpreted_batch_ndims
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


class _Triangle(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        """Returns true for lower triangles."""
        return (value.tril() == value).flatten(-2).all(-1)


class _CorrCholesky(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        """Returns true for lower Cholesky factors of correlations: their rows have norm 1."""
        from ..dtype_info import finfo

        tolerance = finfo(value.dtype).eps * value.shape[-1] * 10
        norms = value.square().sum(-1).sqrt()
        return lower_cholesky.check(value) & ((norms - 1).abs() < tolerance).all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        """Returns true for square matrices."""
        from ..factories import full

        is_square = value.shape[-2] == value.shape[-1]
        return full(value.shape[:-2], is_square, device=value.device)


class _Symmetric(_Square):
    def check(self, value: Tensor) -> Tensor:
        """Returns true for symmetric matrices."""
        is_square = super().check(value)
        if not bool(is_square.all()):
            return is_square
        return ((value - value.mT).abs() <= 1e-6 + 1e-5 * value.mT.abs()).flatten(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Tensor) -> Tensor:
        """Returns true for symmetric matrices without negative eigenvalues."""
        from ..linalg import eigvalsh

        is_symmetric = super().check(value)
        if not bool(is_symmetric.all()):
            return is_symmetric
        return (eigvalsh(value) >= 0).all(-1)


class multinomial(Constraint):
    """Vectors of counts whose sum is at most a number.

    Args:
        upper_bound: The number.
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        """Stores the number."""
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        """Returns true for counts with a sum up to the number."""
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class _Joined(Constraint):
    """Base of constraints of the parts of a tensor along a dim."""

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """See `Constraint.is_discrete`."""
        return any(one.is_discrete for one in self.cseq)


class cat(_Joined):
    """Constraints of slices of some lengths along a dim.

    Args:
        cseq: The constraints.
        dim: The dim.
        lengths: The lengths, by default 1 each.
    """

    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        """Stores the parts."""
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """See `Constraint.event_dim`."""
        return max(one.event_dim for one in self.cseq)

    def check(self, value: Tensor) -> Tensor:
        """Returns for each value whether it is allowed."""
        from ..functional import cat as join

        parts, start = [], 0
        for one, length in zip(self.cseq, self.lengths, strict=True):
            parts.append(one.check(value.narrow(self.dim, start, length)))
            start += length
        return join(parts, self.dim)


class stack(_Joined):
    """Constraints of the elements of a dim.

    Args:
        cseq: The constraints.
        dim: The dim.
    """

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """See `Constraint.event_dim`."""
        dim = max(one.event_dim for one in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Tensor) -> Tensor:
        """Returns for each value whether it is allowed."""
        from ..functional import stack as join

        pairs = enumerate(self.cseq)
        parts = [one.check(value.select(self.dim, place)) for place, one in pairs]
        return join(parts, self.dim)


class MixtureSameFamilyConstraint(Constraint):
    """The constraint of a mixture: that of its components.

    Args:
        base_constraint: The constraint of the components.
    """

    def __init__(self, base_constraint: Constraint) -> None:
        """Stores the constraint."""
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """See `Constraint.is_discrete`."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """See `Constraint.event_dim`."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        """Returns true if a component allows the value."""
        found = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        found = found.flatten(value.ndim - self.event_dim)
        return found.any(-1) if found.ndim > value.ndim - self.event_dim else found


independent = _Independent


class greater_than(_Bounded):
    """Values above a bound."""

    def __init__(self, lower_bound: Any) -> None:
        """Stores the bound."""
        super().__init__(lower_bound, open=(True, True))


class greater_than_eq(_Bounded):
    """Values above or at a bound."""

    def __init__(self, lower_bound: Any) -> None:
        """Stores the bound."""
        super().__init__(lower_bound, open=(False, False))


class less_than(_Bounded):
    """Values below a bound."""

    def __init__(self, upper_bound: Any) -> None:
        """Stores the bound."""
        super().__init__(None, upper_bound, open=(True, True))


class interval(_Bounded):
    """Values between bounds, which are allowed."""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        """Stores the bounds."""
        super().__init__(lower_bound, upper_bound, open=(False, False))


class half_open_interval(_Bounded):
    """Values between bounds, of which the upper one is not allowed."""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        """Stores the bounds."""
        super().__init__(lower_bound, upper_bound, open=(False, True))


class _RealVector(_Independent):
    """Vectors of real numbers; transforms are registered by this class."""

    def __init__(self) -> None:
        super().__init__(real, 1)


integer_interval = _IntegerInterval
dependent = _Dependent()
boolean = _Boolean()
one_hot = _OneHot()
real = _Real()
real_vector = _RealVector()
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
positive_integer = _IntegerInterval(1)
nonnegative_integer = _IntegerInterval(0)
unit_interval = interval(0.0, 1.0)
simplex = _Simplex()
lower_cholesky = _LowerCholesky()
lower_triangular = _Triangle()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
