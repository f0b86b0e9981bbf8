# SPDX-License-Identifier: Apache-2.0
"""Transforms of shapes, of parts of tensors, and of matrices."""

from __future__ import annotations

import math
from typing import Any

from .._tenon import Size, Tensor
from ..error import InvalidArgumentError
from ..functional import cat, stack
from . import constraints
from .transforms import LowerCholeskyTransform, Transform, _summed


class ReshapeTransform(Transform):
    """Reshapes the last dims.

    Args:
        in_shape: Shape of inputs.
        out_shape: Shape of outputs, with the same number of elements.
    """

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        """Stores the shapes."""
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise InvalidArgumentError(
                f"ReshapeTransform: out_shape must have {math.prod(self.in_shape)} elements, got "
                f"{math.prod(self.out_shape)}"
            )
        super().__init__(cache_size)

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """See `Transform.domain`."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        """See `Transform.codomain`."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.ndim - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.ndim - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`: it is 0."""
        return x.new_zeros(x.shape[: x.ndim - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Any:
        """See `Transform.forward_shape`."""
        return self._changed(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        """See `Transform.inverse_shape`."""
        return self._changed(shape, self.out_shape, self.in_shape)

    def _changed(self, shape: Any, old: Any, new: Any) -> Any:
        cut = len(shape) - len(old)
        if cut < 0 or tuple(shape[cut:]) != tuple(old):
            raise InvalidArgumentError(
                f"ReshapeTransform: shape must end with {tuple(old)}, got {tuple(shape)}"
            )
        return Size(tuple(shape[:cut]) + tuple(new))


class CumulativeDistributionTransform(Transform):
    """The cumulative distribution function of a distribution.

    Args:
        distribution: The distribution.
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        """Stores the distribution."""
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """See `Transform.domain`."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        return self.distribution.log_prob(x)


class PositiveDefiniteTransform(Transform):
    """Unconstrained matrices to positive definite ones, by a Cholesky factor."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        from ..linalg import cholesky

        return LowerCholeskyTransform().inv(cholesky(y))


class CorrCholeskyTransform(Transform):
    """Vectors of n (n - 1) / 2 numbers to Cholesky factors of correlations of n variables.

    With z = tanh(x), each row is a stick of length 1 whose squares z^2 are broken off in turn
    (Lewandowski, Kurowicka and Joe, 2009).
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        from ..dtype_info import finfo
        from ..factories import eye
        from ..nn.functional import pad

        eps = finfo(x.dtype).eps
        z = _vector_to_tril(x.tanh().clamp(min=-1 + eps, max=1 - eps), -1)
        left = (1 - z.square()).sqrt().cumprod(-1)
        z = z + eye(z.shape[-1], dtype=z.dtype, device=z.device)
        return z * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        from ..nn.functional import pad

        left = 1 - (y * y).cumsum(-1)
        left = pad(left[..., :-1], [1, 0], value=1)
        ratio = _tril_to_vector(y, -1) / _tril_to_vector(left, -1).sqrt()
        return (ratio.log1p() - ratio.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        from ..nn.functional import softplus

        left = 1 - (y * y).cumsum(-1)
        breaking = 0.5 * _tril_to_vector(left, -2).log().sum(-1)
        tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)
        return breaking + tanh

    def forward_shape(self, shape: Any) -> Any:
        """See `Transform.forward_shape`."""
        size = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != shape[-1]:
            raise InvalidArgumentError(
                f"CorrCholeskyTransform: input must be of size n (n - 1) / 2, got {shape[-1]}"
            )
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Any:
        """See `Transform.inverse_shape`."""
        if shape[-2] != shape[-1]:
            raise InvalidArgumentError(
                f"CorrCholeskyTransform: input must be square, got {tuple(shape[-2:])}"
            )
        size = shape[-1]
        return Size((*shape[:-2], size * (size - 1) // 2))


def _places(size: int, diagonal: int, like: Tensor) -> tuple[Tensor, Tensor]:
    from ..functional import tril_indices

    places = tril_indices(size, size, diagonal)
    return places[0].to(like.device), places[1].to(like.device)


def _vector_to_tril(vector: Tensor, diagonal: int = 0) -> Tensor:
    """Returns matrices with vectors in their lower triangles, row by row."""
    offset = 1 + 2 * diagonal
    size = (math.isqrt(offset * offset + 8 * vector.shape[-1]) - offset) // 2
    rows, columns = _places(size, diagonal, vector)
    flat = vector.new_zeros((*vector.shape[:-1], size * size))
    place = (rows * size + columns).expand(vector.shape)
    return flat.scatter(-1, place, vector).reshape((*vector.shape[:-1], size, size))


def _tril_to_vector(matrix: Tensor, diagonal: int = 0) -> Tensor:
    """Returns the lower triangles of matrices as vectors, row by row."""
    size = matrix.shape[-1]
    rows, columns = _places(size, diagonal, matrix)
    flat = matrix.reshape((*matrix.shape[:-2], size * size))
    return flat.index_select(-1, rows * size + columns)


class _Parts(Transform):
    """Base of transforms of the parts of a tensor along a dim."""

    def __init__(self, tseq: Any, dim: int = 0, cache_size: int = 0) -> None:
        """Stores the transforms."""
        super().__init__(cache_size)
        self.transforms, self.dim = list(tseq), dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """See `Transform.bijective`."""
        return all(one.bijective for one in self.transforms)


class CatTransform(_Parts):
    """Transforms of slices along a dim.

    Args:
        tseq: The transforms.
        dim: The dim.
        lengths: Lengths of the slices, by default 1 each.
    """

    def __init__(self, tseq: Any, dim: int = 0, lengths: Any = None, cache_size: int = 0) -> None:
        """Stores the parts."""
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise InvalidArgumentError(
                f"CatTransform: lengths must be {len(self.transforms)}, got {len(self.lengths)}"
            )

    @property
    def length(self) -> int:
        """The sum of the lengths."""
        return sum(self.lengths)

    @property
    def event_dim(self) -> int:
        """See `Transform.event_dim`."""
        return max(one.event_dim for one in self.transforms)

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """See `Transform.domain`."""
        parts = [one.domain for one in self.transforms]
        return constraints.cat(parts, self.dim, self.lengths)

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        """See `Transform.codomain`."""
        parts = [one.codomain for one in self.transforms]
        return constraints.cat(parts, self.dim, self.lengths)

    def _slices(self, value: Tensor) -> list[Tensor]:
        if value.shape[self.dim] != self.length:
            raise InvalidArgumentError(
                f"CatTransform: size of dim {self.dim} must be {self.length}, got "
                f"{value.shape[self.dim]}"
            )
        starts = [sum(self.lengths[:place]) for place in range(len(self.lengths))]
        pairs = zip(starts, self.lengths, strict=True)
        return [value.narrow(self.dim, start, length) for start, length in pairs]

    def _call(self, x: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._slices(x), strict=True)
        return cat([one(part) for one, part in pairs], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._slices(y), strict=True)
        return cat([one.inv(part) for one, part in pairs], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        parts = []
        for one, of_x, of_y in zip(self.transforms, self._slices(x), self._slices(y), strict=True):
            found = one.log_abs_det_jacobian(of_x, of_y)
            parts.append(_summed(found, self.event_dim - one.event_dim))
        dim = (self.dim - x.ndim if self.dim >= 0 else self.dim) + self.event_dim
        return cat(parts, dim) if dim < 0 else sum(parts[1:], parts[0])


class StackTransform(_Parts):
    """Transforms of the elements of a dim.

    Args:
        tseq: The transforms.
        dim: The dim.
    """

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """See `Transform.domain`."""
        return constraints.stack([one.domain for one in self.transforms], self.dim)

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        """See `Transform.codomain`."""
        return constraints.stack([one.codomain for one in self.transforms], self.dim)

    def _slices(self, value: Tensor) -> list[Tensor]:
        if value.shape[self.dim] != len(self.transforms):
            raise InvalidArgumentError(
                f"StackTransform: size of dim {self.dim} must be {len(self.transforms)}, got "
                f"{value.shape[self.dim]}"
            )
        return [value.select(self.dim, place) for place in range(len(self.transforms))]

    def _call(self, x: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._slices(x), strict=True)
        return stack([one(part) for one, part in pairs], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._slices(y), strict=True)
        return stack([one.inv(part) for one, part in pairs], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        triples = zip(self.transforms, self._slices(x), self._slices(y), strict=True)
        return stack([one.log_abs_det_jacobian(a, b) for one, a, b in triples], self.dim)


__all__ = [
    "CatTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "PositiveDefiniteTransform",
    "ReshapeTransform",
    "StackTransform",
]
