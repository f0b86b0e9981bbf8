# SPDX-License-Identifier: Apache-2.0
"""Transforms from all real numbers to a constraint, by the constraint's class."""

from __future__ import annotations

from typing import Any

from . import constraints, more_transforms, transforms


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


def _independent(registry: ConstraintRegistry) -> Any:
    def transform(constraint: Any) -> Any:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    return transform


def _joined(registry: ConstraintRegistry, kind: Any) -> Any:
    def transform(constraint: Any) -> Any:
        parts = [registry(one) for one in constraint.cseq]
        if kind is more_transforms.CatTransform:
            return kind(parts, constraint.dim, constraint.lengths)
        return kind(parts, constraint.dim)

    return transform


_MATRICES = {
    "lower_cholesky": lambda _: transforms.LowerCholeskyTransform(),
    "positive_definite": lambda _: more_transforms.PositiveDefiniteTransform(),
    "positive_semidefinite": lambda _: more_transforms.PositiveDefiniteTransform(),
}
_BOUNDED = ("greater_than", "greater_than_eq", "less_than", "interval", "half_open_interval")
for _one in (biject_to, transform_to):
    _one.register(constraints.real, lambda _: transforms.identity_transform)
    for _name in _BOUNDED:
        _one.register(getattr(constraints, _name), _bounded)
    _one.register(constraints.corr_cholesky, lambda _: more_transforms.CorrCholeskyTransform())
    _one.register(constraints.real_vector, _independent(_one))
    _one.register(constraints.independent, _independent(_one))
    _one.register(constraints.cat, _joined(_one, more_transforms.CatTransform))
    _one.register(constraints.stack, _joined(_one, more_transforms.StackTransform))
for _name, _factory in _MATRICES.items():
    transform_to.register(getattr(constraints, _name), _factory)
biject_to.register(constraints.simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]
