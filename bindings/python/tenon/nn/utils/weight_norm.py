# SPDX-License-Identifier: Apache-2.0
"""Weight norm by a forward pre-hook. `nn.utils.parametrizations.weight_norm` is its successor."""

from __future__ import annotations

import warnings

from ...error import InvalidArgumentError, StateError
from ..parameter import Parameter
from .parametrizations import norm_except_dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..._tenon import Tensor
    from ..modules.module import Module


class WeightNorm:
    """The hook that computes a weight of its length and its direction.

    Args:
        name: The name of the parameter.
        dim: The dim of which each slice has a length; -1: the whole tensor has one.
    """

    def __init__(self, name: str, dim: int | None) -> None:
        """Stores the name and the dim."""
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """Returns the weight."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return v * (g / norm_except_dim(v, 2, self.dim))

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Replaces a parameter of a module by two others and the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise StateError(
                    f"weight_norm: {name!r} must have no weight norm yet, got one that has"
                )
        norm = WeightNorm(name, dim)
        weight = getattr(module, name)
        del module._parameters[name]
        length = norm_except_dim(weight.detach(), 2, norm.dim)
        module.register_parameter(name + "_g", Parameter(length))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, norm.compute_weight(module))
        module.register_forward_pre_hook(norm)
        return norm

    def remove(self, module: Module) -> None:
        """Turns the weight into a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Computes the weight before a forward."""
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Computes a parameter of its length, `weight_g`, and its direction, `weight_v`.

    Deprecated: see `nn.utils.parametrizations.weight_norm`.
    """
    warnings.warn(
        "weight_norm: nn.utils.parametrizations.weight_norm takes its place",
        FutureWarning,
        stacklevel=2,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Turns a parameter with a weight norm into a plain one again."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise InvalidArgumentError(
        f"remove_weight_norm: {name!r} must have a weight norm, got one of "
        f"{type(module).__name__} that has none"
    )


__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]
