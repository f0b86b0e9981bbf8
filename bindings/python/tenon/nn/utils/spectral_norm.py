# SPDX-License-Identifier: Apache-2.0
"""Spectral norm by a forward pre-hook; superseded by `nn.utils.parametrizations.spectral_norm`."""

from __future__ import annotations

from ...error import InvalidArgumentError, StateError
from ...grad_mode import no_grad
from ..functional import normalize
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..parameter import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..._tenon import Tensor
    from ..modules.module import Module


class SpectralNorm:
    """The hook that divides a weight by its largest singular value.

    Args:
        name: The name of the parameter.
        n_power_iterations: The number of power iterations of each call in training.
        dim: The dim of the rows.
        eps: Lower bound of norms.
    """

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        """Checks the options."""
        if n_power_iterations <= 0:
            raise InvalidArgumentError(
                f"spectral_norm: n_power_iterations must be above 0, got {n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """Returns the weight as a matrix with a row for each slice of the dim."""
        return weight.movedim(self.dim, 0).reshape(weight.shape[self.dim], -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """Returns the weight, after power iterations if they are requested."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(normalize(matrix.mv(v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()
        return weight / u.dot(matrix.mv(v))

    def remove(self, module: Module) -> None:
        """Turns the weight into a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for end in ("_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Computes the weight before a forward."""
        setattr(module, self.name, self.compute_weight(module, module.training))

    @staticmethod
    def apply(
        module: Module, name: str, n_power_iterations: int, dim: int, eps: float
    ) -> SpectralNorm:
        """Replaces a parameter of a module by another, two buffers and the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise StateError(
                    f"spectral_norm: {name!r} must have no spectral norm yet, got one that has"
                )
        norm = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise InvalidArgumentError(f"spectral_norm: {name!r} must be a parameter, got None")
        with no_grad():
            matrix = norm.reshape_weight_to_matrix(weight)
            u, v = (
                normalize(matrix.new_empty(size).normal_(0, 1), dim=0, eps=eps)
                for size in matrix.shape
            )
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(norm)
        return norm


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divides a parameter by its largest singular value before each forward.

    Args:
        module: The module, which is returned.
        name: The name of the parameter.
        n_power_iterations: The number of power iterations of each call in training.
        eps: Lower bound of norms.
        dim: The dim of the rows; by default 0, or 1 for transposed convolutions.
    """
    if dim is None:
        transposed = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
        dim = 1 if isinstance(module, transposed) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Turns a parameter with a spectral norm into a plain one again."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise InvalidArgumentError(
        f"remove_spectral_norm: {name!r} must have a spectral norm, got one of "
        f"{type(module).__name__} that has none"
    )


__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]
