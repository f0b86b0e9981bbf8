# SPDX-License-Identifier: Apache-2.0
"""Normalisation: inputs with mean 0 and deviation 1, over some dims."""

from __future__ import annotations

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from .. import functional as F
from ..parameter import Parameter
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _register(
    module: Module, shape: Any, has_weight: bool, has_bias: bool | None, device: Any, dtype: Any
) -> None:
    """Makes the parameters `weight`, ones, and `bias`, zeros, or sets them to None.

    With None for `has_bias` there is no such name.
    """
    from ...factories import ones, zeros

    options = {"device": device, "dtype": dtype}
    options = {name: value for name, value in options.items() if value is not None}
    for name, make, wanted in (("weight", ones, has_weight), ("bias", zeros, has_bias)):
        if wanted is None:
            continue
        module.register_parameter(name, Parameter(make(shape, **options)) if wanted else None)


class LayerNorm(Module):
    """Layer norm: normalizes the last dims, then applies a learnable scale and offset.

    Args:
        normalized_shape: Sizes of those dims.
        eps: Added to the variance.
        elementwise_affine: If true, has learnable parameters.
        bias: If true, the parameters include an offset.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters: ones as scale, zeros as offset."""
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        has_bias = elementwise_affine and bias
        _register(self, self.normalized_shape, elementwise_affine, has_bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Returns sizes and options as text."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """RMS norm: divides by the root mean square over the last dims; has a learnable scale.

    Args:
        normalized_shape: Sizes of those dims.
        eps: Added to the mean square; by default the machine epsilon.
        elementwise_affine: If true, has learnable parameters.
        device: Device of the parameter.
        dtype: Dtype of the parameter.
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameter: ones."""
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        _register(self, self.normalized_shape, elementwise_affine, None, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Returns sizes and options as text."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Group norm: normalizes groups of channels, with a learnable scale and offset per channel.

    Args:
        num_groups: Number of groups; must divide the number of channels.
        num_channels: The size of dim 1 of inputs.
        eps: Added to the variance.
        affine: If true, has learnable parameters.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If true, the parameters include an offset.
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        """Creates the parameters: ones as scale, zeros as offset."""
        if num_groups < 1 or num_channels % num_groups != 0:
            raise InvalidArgumentError(
                f"GroupNorm: num_groups must divide num_channels {num_channels}, got {num_groups}"
            )
        super().__init__()
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        _register(self, (num_channels,), affine, affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Numbers and options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]
