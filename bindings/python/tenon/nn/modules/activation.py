# SPDX-License-Identifier: Apache-2.0
"""Activations as modules."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from .module import Module


class ReLU(Module):
    """The larger of each element and 0.

    Args:
        inplace: Whether inputs are overwritten.
    """

    def __init__(self, inplace: bool = False) -> None:
        """Keeps the option."""
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """The option, where it is set."""
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """Each element where it is positive, else `negative_slope` times it.

    Args:
        negative_slope: The factor.
        inplace: Whether inputs are overwritten.
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        """Keeps the options."""
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The slope."""
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class Tanh(Module):
    """The hyperbolic tangent of each element."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.tanh(input)


class Sigmoid(Module):
    """`1 / (1 + exp(-x))` of each element."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.sigmoid(input)


class SiLU(Module):
    """`x * sigmoid(x)` of each element.

    Args:
        inplace: Whether inputs are overwritten.
    """

    def __init__(self, inplace: bool = False) -> None:
        """Keeps the option."""
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """The option, where it is set."""
        return "inplace=True" if self.inplace else ""


class GELU(Module):
    """Each element times the normal distribution's share below it.

    Args:
        approximate: "none", or "tanh" for an approximation.
    """

    def __init__(self, approximate: str = "none") -> None:
        """Keeps the option."""
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The option."""
        return f"approximate={self.approximate!r}"


class Softmax(Module):
    """Exponentials along a dim, divided by their sum.

    Args:
        dim: The dim; without one the last, or the first of tensors of 0, 1 and 3 dims.
    """

    def __init__(self, dim: int | None = None) -> None:
        """Keeps the dim."""
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of Softmax, computed without losing digits.

    Args:
        dim: As for Softmax.
    """

    def __init__(self, dim: int | None = None) -> None:
        """Keeps the dim."""
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


__all__ = ["GELU", "LeakyReLU", "LogSoftmax", "ReLU", "SiLU", "Sigmoid", "Softmax", "Tanh"]
