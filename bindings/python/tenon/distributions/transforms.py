# SPDX-License-Identifier: Apache-2.0
"""Maps of values with the logarithms of their determinants, for TransformedDistribution."""

from __future__ import annotations

import math
from typing import Any

from .._tenon import Tensor
from ..nn.functional import logsigmoid, softplus
from . import constraints


class Transform:
    """Base of transforms: a subclass defines `_call`, `_inverse` and `log_abs_det_jacobian`.

    Attributes:
        domain: The constraint of inputs.
        codomain: The constraint of outputs.
        bijective: If true, the transform has an inverse.
        sign: 1 or -1 for monotonic transforms.
    """

    bijective = False
    domain: Any = constraints.real
    codomain: Any = constraints.real
    sign: Any = 1

    def __init__(self, cache_size: int = 0) -> None:
        """Accepts a cache size for compatibility; nothing is cached."""
        self._cache_size = cache_size

    @property
    def event_dim(self) -> int:
        """Number of trailing dims that are mapped together."""
        return max(self.domain.event_dim, self.codomain.event_dim)

    @property
    def inv(self) -> Transform:
        """The inverse."""
        return _InverseTransform(self)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Returns the transform."""
        return self

    def __call__(self, x: Tensor) -> Tensor:
        """Returns the mapped values."""
        return self._call(x)

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Returns log |dy / dx|."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """Returns the output shape of an input shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """Returns the input shape of an output shape."""
        return shape

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    bijective = True

    def __init__(self, base: Transform) -> None:
        super().__init__()
        self._inv = base
        self.domain, self.codomain, self.sign = base.codomain, base.domain, base.sign

    @property
    def inv(self) -> Transform:
        """See `Transform.inv`."""
        return self._inv

    def _call(self, x: Tensor) -> Tensor:
        return self._inv._inverse(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        return -self._inv.log_abs_det_jacobian(y, x)


def _summed(value: Tensor, dims: int) -> Tensor:
    return value.flatten(-dims).sum(-1) if dims > 0 else value


class ComposeTransform(Transform):
    """A composition of transforms, applied in order."""

    def __init__(self, parts: Any, cache_size: int = 0) -> None:
        """Stores the parts."""
        super().__init__(cache_size)
        self.parts = list(parts)
        self.bijective = all(part.bijective for part in self.parts)
        if self.parts:
            self.domain, self.codomain = self.parts[0].domain, self.parts[-1].codomain
            dims = max(part.event_dim for part in self.parts)
            if dims > self.domain.event_dim:
                self.domain = constraints.independent(self.domain, dims - self.domain.event_dim)
            if dims > self.codomain.event_dim:
                extra = dims - self.codomain.event_dim
                self.codomain = constraints.independent(self.codomain, extra)
        self.sign = (
            math.prod(part.sign for part in self.parts)
            if all(isinstance(part.sign, int) for part in self.parts)
            else 1
        )

    def _call(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part._inverse(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        total: Any = None
        for part in self.parts:
            after = part(x)
            term = _summed(part.log_abs_det_jacobian(x, after), self.event_dim - part.event_dim)
            total = term if total is None else total + term
            x = after
        return x * 0 if total is None else total


identity_transform = ComposeTransform([])


class ExpTransform(Transform):
    """y = exp(x)."""

    codomain = constraints.positive
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        return x


class PowerTransform(Transform):
    """y = x ** exponent."""

    domain = codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        """Stores the exponent."""
        super().__init__(cache_size)
        self.exponent = exponent
        is_tensor = isinstance(exponent, Tensor)
        self.sign = exponent.sign() if is_tensor else (exponent > 0) - (exponent < 0)

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        return (self.exponent * y / x).abs().log()


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x))."""

    codomain = constraints.unit_interval
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        return x.sigmoid().clamp(min=1e-38, max=1 - 2.0**-24)

    def _inverse(self, y: Tensor) -> Tensor:
        y = y.clamp(min=1e-38, max=1 - 2.0**-24)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Transform):
    """y = log(1 + exp(x))."""

    codomain = constraints.positive
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        return -softplus(-x)


class TanhTransform(Transform):
    """y = tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|."""

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """y = loc + scale * x; `event_dim` last dims are one value."""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        """Stores the options."""
        super().__init__(cache_size)
        self.loc, self.scale = loc, scale
        if event_dim > 0:
            self.domain = self.codomain = constraints.independent(constraints.real, event_dim)
        self.sign = scale.sign() if isinstance(scale, Tensor) else (scale > 0) - (scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        if isinstance(self.scale, Tensor):
            result = self.scale.abs().log().expand(x.shape)
        else:
            result = x * 0 + math.log(abs(self.scale))
        return _summed(result, self.event_dim)


class SoftmaxTransform(Transform):
    """The softmax of vectors."""

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return x.softmax(-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()


class StickBreakingTransform(Transform):
    """Stick breaking: each share is a fraction of what the previous shares left."""

    domain, codomain = constraints.real_vector, constraints.simplex
    bijective = True

    def _offset(self, count: int, like: Tensor) -> Tensor:
        from ..factories import arange

        return arange(count, 0, -1, dtype=like.dtype, device=like.device)

    def _call(self, x: Tensor) -> Tensor:
        z = (x - self._offset(x.shape[-1], x).log()).sigmoid()
        left = (1 - z).cumprod(-1)
        from ..nn.functional import pad

        return pad(z, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        shares = y[..., :-1]
        left = (1 - shares.cumsum(-1)).clamp(min=1e-38)
        return shares.log() - left.log() + self._offset(shares.shape[-1], y).log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        x = x - self._offset(x.shape[-1], x).log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        """See `Transform.forward_shape`."""
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Any) -> Any:
        """See `Transform.inverse_shape`."""
        return (*shape[:-1], shape[-1] - 1)


class LowerCholeskyTransform(Transform):
    """Matrices as lower triangles with positive diagonals."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class IndependentTransform(Transform):
    """A transform whose last dims are one value."""

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        """Stores the options."""
        super().__init__(cache_size)
        self.base_transform, self.dims = base_transform, reinterpreted_batch_ndims
        self.domain = constraints.independent(base_transform.domain, self.dims)
        self.codomain = constraints.independent(base_transform.codomain, self.dims)
        self.bijective, self.sign = base_transform.bijective, base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.base_transform._inverse(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """See `Transform.log_abs_det_jacobian`."""
        return _summed(self.base_transform.log_abs_det_jacobian(x, y), self.dims)


__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ComposeTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]
