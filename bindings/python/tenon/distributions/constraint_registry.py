# SPDX-License-Identifier: Apache-2.0
"""Transforms from all real numbers to a constraint, by the constraint's class."""

from __future__ import annotations

from typing import Any

from . import constraints, transforms


class ConstraintRegistry:
    """Functions from constraints to transforms."""

    def __init__(self) -> None:
        """Begins empty."""
        self._registry: dict[type, Any] = {}

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Adds a function for a constraint's class; without a function returns a decorator."""
        if factory is None:
            return lambda given: self.register(constraint, given)
        kind = constraint if isinstance(constraint, type) else type(constraint)
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """Returns the transform to a constraint."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"no transform to {constraint} is registered")
        return factory(constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def _bounded(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if low is None:
        parts = [transforms.ExpTransform(), transforms.AffineTransform(high, -1)]
        return transforms.ComposeTransform(parts)
    if high is None:
        if isinstance(low, (int, float)) and low == 0:
            return transforms.ExpTransform()
        parts = [transforms.ExpTransform(), transforms.AffineTransform(low, 1)]
        return transforms.ComposeTransform(parts)
    if isinstance(low, (int, float)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    parts = [transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)]
    return transforms.ComposeTransform(parts)


for _one in (biject_to, transform_to):
    _one.register(constraints.real, lambda _: transforms.identity_transform)
    _one.register(constraints.positive, _bounded)
    _one.register(
        constraints.real_vector,
        lambda c, one=_one: transforms.IndependentTransform(
            one(c.base_constraint), c.reinterpreted_batch_ndims
        ),
    )
biject_to.register(constraints.simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform())

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]
