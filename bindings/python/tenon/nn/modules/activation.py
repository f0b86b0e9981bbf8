# SPDX-License-Identifier: Apache-2.0
"""Activations as modules."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ReLU(Module):
    """The larger of each element and 0.

    Args:
        inplace: If true, overwrites inputs.
    """

    def __init__(self, inplace: bool = False) -> None:
        """Stores the option."""
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """Returns the option as text, if it is set."""
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """Leaky ReLU: x if it is positive, otherwise `negative_slope * x`.

    Args:
        negative_slope: The factor.
        inplace: If true, overwrites inputs.
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        """Stores the options."""
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """Returns the slope as text."""
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class RReLU(Module):
    """Randomized leaky ReLU.

    In training slopes are drawn uniformly; otherwise the slope is the mean of the bounds.

    Args:
        lower: Lower bound of the slopes.
        upper: Upper bound of the slopes.
        inplace: If true, overwrites inputs.
    """

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        """Stores the options."""
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Returns the bounds as text."""
        return f"lower={self.lower}, upper={self.upper}" + (
            ", inplace=True" if self.inplace else ""
        )


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
        inplace: If true, overwrites inputs.
    """

    def __init__(self, inplace: bool = False) -> None:
        """Stores the option."""
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """Returns the option as text, if it is set."""
        return "inplace=True" if self.inplace else ""


class GELU(Module):
    """GELU: each element times the standard normal distribution function at it.

    Args:
        approximate: "none", or "tanh" for an approximation.
    """

    def __init__(self, approximate: str = "none") -> None:
        """Stores the option."""
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Returns the option as text."""
        return f"approximate={self.approximate!r}"


class Softmax(Module):
    """Softmax along a dim.

    Args:
        dim: The dim; without one the last, or the first of tensors of 0, 1 and 3 dims.
    """

    def __init__(self, dim: int | None = None) -> None:
        """Stores the dim."""
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Returns the dim as text."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of Softmax, computed in a numerically stable way.

    Args:
        dim: As for Softmax.
    """

    def __init__(self, dim: int | None = None) -> None:
        """Stores the dim."""
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Returns the dim as text."""
        return f"dim={self.dim}"


class _Plain(Module):
    """An activation without options."""

    _function: Any

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return type(self)._function(input)


class _InPlace(_Plain):
    """An activation with one option.

    Args:
        inplace: If true, overwrites inputs.
    """

    def __init__(self, inplace: bool = False) -> None:
        """Stores the option."""
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return type(self)._function(input, self.inplace)

    def extra_repr(self) -> str:
        """Returns the option as text, if it is set."""
        return "inplace=True" if self.inplace else ""


class LogSigmoid(_Plain):
    """The logarithm of the sigmoid of each element."""

    _function = staticmethod(F.logsigmoid)


class Hardsigmoid(_InPlace):
    """Hard sigmoid: x / 6 + 0.5, clamped to [0, 1]."""

    _function = staticmethod(F.hardsigmoid)


class Hardswish(_InPlace):
    """Each element times its hard sigmoid."""

    _function = staticmethod(F.hardswish)


class ReLU6(_InPlace):
    """ReLU6: each element clamped to [0, 6]."""

    _function = staticmethod(F.relu6)


class SELU(_InPlace):
    """SELU: a scaled ELU that preserves mean and variance."""

    _function = staticmethod(F.selu)


class Mish(_InPlace):
    """Each element times tanh(softplus(x))."""

    _function = staticmethod(F.mish)


class ELU(Module):
    """ELU: x if it is positive, otherwise `alpha * (exp(x) - 1)`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        """Stores the options."""
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class Hardtanh(Module):
    """Each element clamped to [`min_val`, `max_val`]."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        """Stores the bounds (the last two are their deprecated names), and the place of results."""
        super().__init__()
        self.inplace = inplace
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Returns the bounds as text."""
        text = f"min_val={self.min_val}, max_val={self.max_val}"
        return f"{text}, inplace=True" if self.inplace else text


class Softplus(Module):
    """Softplus: `log(1 + exp(beta * x)) / beta`, or x if `beta * x` is above `threshold`."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        """Stores the options."""
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmin(Module):
    """Softmax of the negative of each element.

    Args:
        dim: Along which the results add up to 1.
    """

    def __init__(self, dim: int | None = None) -> None:
        """Stores the dim."""
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.softmin(input, self.dim)

    def extra_repr(self) -> str:
        """Returns the dim as text."""
        return f"dim={self.dim}"


class GLU(Module):
    """GLU: the first half of a dim times the sigmoid of the second.

    Args:
        dim: That dim.
    """

    def __init__(self, dim: int = -1) -> None:
        """Stores the dim."""
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of half the size at the dim."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Returns the dim as text."""
        return f"dim={self.dim}"


class PReLU(Module):
    """PReLU: x if it is positive, otherwise a learnable slope times x.

    Args:
        num_parameters: One slope for all, or one per channel.
        init: Initial value of the slopes.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        """Creates the parameters."""
        from ...factories import full
        from ..parameter import Parameter

        super().__init__()
        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        self.num_parameters = num_parameters
        self.weight = Parameter(full((num_parameters,), init, **options))

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Returns the number of slopes as text."""
        return f"num_parameters={self.num_parameters}"


__all__ = [
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmin",
    "Softplus",
    "Tanh",
]
