# SPDX-License-Identifier: Apache-2.0
"""Linear layers, and the module that changes nothing."""

from __future__ import annotations

import math

from ... import functional as _operators
from ..._tenon import Tensor
from .. import init
from ..parameter import Parameter
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_linear = _operators.linear


class Identity(Module):
    """Returns its input; accepts and ignores any constructor arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Ignores its arguments."""
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Returns the input."""
        return input


class Linear(Module):
    """Computes `input @ weight.T + bias`.

    Args:
        in_features: Size of the last dim of inputs.
        out_features: Size of the last dim of results.
        bias: If true, adds a bias.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Attributes:
        weight: Shape (out_features, in_features), initially uniform within +-1/sqrt(in_features).
        bias: Shape (out_features,), with the same initial distribution; None without bias.
    """

    in_features: int
    out_features: int
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        from ...factories import empty

        super().__init__()
        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), **options))
        if bias:
            self.bias = Parameter(empty(out_features, **options))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes the parameters again."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of shape (..., out_features) for one of shape (..., in_features)."""
        own = self._parameters
        weight = own.get("weight")
        if weight is None or "bias" not in own:  # a property's, or a plain tensor
            return _linear(input, self.weight, self.bias)
        return _linear(input, weight, own["bias"])

    def extra_repr(self) -> str:
        """Returns sizes, and whether there is a bias, as text."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that PyTorch prints for the output of attention."""


__all__ = ["Identity", "Linear"]
