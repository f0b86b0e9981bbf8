# SPDX-License-Identifier: Apache-2.0
"""Normalisation: inputs with mean 0 and deviation 1, over some dims."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from ..parameter import Parameter
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LayerNorm(Module):
    """Normalises over the last dims, then multiplies and adds parameters of their sizes.

    Args:
        normalized_shape: Sizes of those dims.
        eps: Added to the variance.
        elementwise_affine: Whether there are parameters.
        bias: Whether one of them is added.
        device: Of the parameters.
        dtype: Of the parameters.
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
        """Makes the parameters: ones, and zeros to add."""
        from ...factories import ones, zeros

        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        for name, make, wanted in (
            ("weight", ones, elementwise_affine),
            ("bias", zeros, elementwise_affine and bias),
        ):
            value = Parameter(make(self.normalized_shape, **options)) if wanted else None
            self.register_parameter(name, value)

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


__all__ = ["LayerNorm"]
