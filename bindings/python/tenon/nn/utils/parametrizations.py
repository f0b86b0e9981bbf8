# SPDX-License-Identifier: Apache-2.0
"""Parametrisations by weight norm, spectral norm and orthogonal matrices."""

from __future__ import annotations

from ... import linalg
from ..._tenon import Tensor
from ...error import InvalidArgumentError
from ...functional import cat, matrix_exp
from ...grad_mode import no_grad
from ..functional import normalize
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from . import parametrize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """Returns the norm over all dims but one, with the dims of size 1; over all for dim -1."""
    if dim == -1:
        return v.norm(p=pow)
    rows = v.movedim(dim, 0).reshape(v.shape[dim], -1).norm(p=pow, dim=1)
    return rows.reshape([v.shape[dim] if one == dim else 1 for one in range(v.ndim)])


class _WeightNorm(Module):
    """A direction times a length: `g * v / norm(v)`."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / norm_except_dim(weight_v, 2, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Computes a parameter of its length, `original0`, and its direction, `original1`.

    Args:
        module: The module, which is returned.
        name: The name of the parameter.
        dim: The dim of which each slice has a length; None: the whole tensor has one.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: Any, prefix: str, *rest: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for place, key in enumerate(old):
                new = f"{prefix}parametrizations.{name}.original{place}"
                state_dict[new] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    """A tensor divided by its largest singular value, which power iterations estimate."""

    _u: Tensor
    _v: Tensor

    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"spectral_norm: dim must be from {-ndim} to {ndim - 1}, got {dim}")
        if n_power_iterations <= 0:
            raise InvalidArgumentError(
                f"spectral_norm: n_power_iterations must be above 0, got {n_power_iterations}"
            )
        self.dim = dim % ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight).detach()
            rows, columns = matrix.shape
            for key, size in (("_u", rows), ("_v", columns)):
                self.register_buffer(
                    key, normalize(matrix.new_empty(size).normal_(0, 1), dim=0, eps=eps)
                )
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    def _power_method(self, matrix: Tensor, n_power_iterations: int) -> None:
        with no_grad():
            for _ in range(n_power_iterations):
                self._u.copy_(normalize(matrix.mv(self._v), dim=0, eps=self.eps))
                self._v.copy_(normalize(matrix.t().conj().mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix.detach(), self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / u.conj().dot(matrix.mv(v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divides a parameter by its largest singular value.

    Args:
        module: The module, which is returned.
        name: The name of the parameter.
        n_power_iterations: The number of power iterations of each call in training.
        eps: Lower bound of norms.
        dim: The dim of the rows; by default 0, or 1 for transposed convolutions.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise InvalidArgumentError(
            f"spectral_norm: name must be that of a parameter or buffer, got {name!r}"
        )
    if dim is None:
        transposed = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
        dim = 1 if isinstance(module, transposed) else 0
    norm = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, norm)


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows if it is wide, of a matrix without constraints."""

    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise InvalidArgumentError(
                "orthogonal: orthogonal_map must be another than 'householder' for complex tensors"
            )
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        self.register_buffer("base", None)
        if use_trivialization:
            self.base = weight.new_zeros(())  # right_inverse fills it

    def forward(self, X: Tensor) -> Tensor:
        rows, columns = X.shape[-2:]
        is_wide = rows < columns
        if is_wide:
            X = X.mT
            rows, columns = columns, rows
        if self.orthogonal_map == "householder":
            A = X.tril(-1)
            tau = 2 / (1 + (A * A).sum(-2))
            Q = _householder(A, tau) * X.diagonal(0, -2, -1).sign().unsqueeze(-2)
        else:
            A = X.tril()
            if rows != columns:
                more = A.new_zeros((*A.shape[:-2], rows, rows - columns))
                A = cat([A, more], -1)
            A = A - A.mH
            if self.orthogonal_map == "matrix_exp":
                Q = matrix_exp(A)
            else:
                one = _identity_like(A)
                Q = linalg.solve(one - A / 2, one + A / 2)
            Q = Q[..., :columns]
        if self.base is not None:
            Q = self.base @ Q
        return Q.mT if is_wide else Q

    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise InvalidArgumentError(
                f"orthogonal: value must have shape {self.shape}, got {Q.shape}"
            )
        with no_grad():
            found = Q.mT if Q.shape[-2] < Q.shape[-1] else Q
            rows, columns = found.shape[-2:]
            if self.base is None:
                raise NotImplementedError(
                    "orthogonal: use_trivialization must be True for a tensor to be assigned, got "
                    "False"
                )
            full = found
            if not _is_orthogonal(found):
                full = linalg.qr(found).Q
                signs = (full * found).sum(-2).sign()
                full = full * (signs + (signs == 0).to(signs.dtype)).unsqueeze(-2)
            if rows != columns:
                # Completes the columns to a basis.
                more = full.new_empty((*full.shape[:-2], rows, rows - columns)).normal_()
                whole = linalg.qr(cat([full, more], -1)).Q
                full = cat([full, whole[..., columns:]], -1)
            self.base = full.clone()
            start = found.new_zeros(found.shape)
            start.diagonal(0, -2, -1).fill_(-1.0)
            return start.mT if Q.shape[-2] < Q.shape[-1] else start


def _identity_like(matrix: Tensor) -> Tensor:
    one = matrix.new_zeros(matrix.shape)
    one.diagonal(0, -2, -1).fill_(1)
    return one


def _householder(A: Tensor, tau: Tensor) -> Tensor:
    """Returns the first columns of a product of Householder reflections, given by columns of A."""
    rows, columns = A.shape[-2:]
    Q = A.new_zeros((*A.shape[:-2], rows, columns))
    Q.diagonal(0, -2, -1).fill_(1)
    for place in range(columns - 1, -1, -1):
        unit = A.new_zeros((rows,))
        unit[place] = 1
        v = (A[..., place] + unit).unsqueeze(-1)
        Q = Q - tau[..., place, None, None] * (v @ (v.mT @ Q))
    return Q


def _is_orthogonal(Q: Tensor) -> bool:
    product = Q.mH @ Q
    eps = {2: 1e-2, 4: 1e-5}.get(Q.dtype.itemsize // (2 if Q.is_complex() else 1), 1e-12)
    difference = (product - _identity_like(product)).abs().max()
    return bool(difference <= eps * Q.shape[-2])


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Keeps a matrix orthogonal, or its columns or rows orthonormal if it is not square.

    Args:
        module: The module, which is returned.
        name: The name of the parameter, of two dims or more.
        orthogonal_map: "matrix_exp", "cayley" or "householder"; by default the first for square
            and complex matrices, and the last for others.
        use_trivialization: If true, the matrix is relative to the last assigned one.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise InvalidArgumentError(
            f"orthogonal: name must be that of a parameter or buffer, got {name!r}"
        )
    if weight.ndim < 2:
        raise InvalidArgumentError(f"orthogonal: tensor must be a matrix, got shape {weight.shape}")
    is_square = weight.shape[-2] == weight.shape[-1]
    kind = orthogonal_map or ("matrix_exp" if is_square or weight.is_complex() else "householder")
    if kind not in ("matrix_exp", "cayley", "householder"):
        raise InvalidArgumentError(
            "orthogonal: orthogonal_map must be 'matrix_exp', 'cayley' or 'householder', got "
            f"{orthogonal_map!r}"
        )
    one = _Orthogonal(weight, kind, use_trivialization)
    if not use_trivialization:
        one.right_inverse = lambda value: value  # type: ignore[method-assign, assignment]
    return parametrize.register_parametrization(module, name, one, unsafe=True)


__all__ = ["norm_except_dim", "orthogonal", "spectral_norm", "weight_norm"]
