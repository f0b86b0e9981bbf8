# SPDX-License-Identifier: Apache-2.0
"""First values of parameters: each function writes a tensor, unrecorded, and returns it."""

from __future__ import annotations

import math

from .._tenon import Tensor
from ..dtype import float64
from ..error import InvalidArgumentError
from ..grad_mode import no_grad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "sigmoid")


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Returns the factor by which a nonlinearity changes the deviation of what it is given.

    Args:
        nonlinearity: "linear", "conv1d" to "conv3d", "sigmoid", "tanh", "relu", "leaky_relu" or
            "selu".
        param: Of leaky_relu the slope, by default 0.01.
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise InvalidArgumentError(f"calculate_gain: param must be a number, got {param!r}")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise InvalidArgumentError(
        f"calculate_gain: nonlinearity must be a known one, got {nonlinearity!r}"
    )


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fills a tensor with numbers drawn between a and b."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fills a tensor with numbers of a normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _erfinv(u: Tensor) -> Tensor:
    """The x of -1 < erf(x) = u < 1: the approximation of Winitzki (2008), and Newton's steps."""
    a = 0.147
    log = (1 - u * u).log()
    t = log / 2 + 2 / (math.pi * a)
    x = ((t * t - log / a).sqrt() - t).sqrt() * u.sign()
    for _ in range(3):
        x = x - (x.erf() - u) * (math.sqrt(math.pi) / 2) * (x * x).exp()
    return x


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Fills a tensor with numbers of a normal distribution between a and b."""

    def below(x: float) -> float:
        return math.erf((x - mean) / std / math.sqrt(2.0))

    with no_grad():
        edge = 1 - 2.0**-53
        u = tensor.detach().to(float64).uniform_(below(a), below(b), generator=generator)
        x = _erfinv(u.clamp(-edge, edge)) * (std * math.sqrt(2.0)) + mean
        return tensor.copy_(x.clamp(a, b))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fills a tensor with one number."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fills a tensor with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fills a tensor with zeros."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Makes a matrix the identity, as far as it has one."""
    if tensor.ndim != 2:
        raise InvalidArgumentError(f"eye_: tensor must have 2 dims, got {tensor.ndim}")
    with no_grad():
        tensor.zero_()
        rows, columns = tensor.shape
        count = min(rows, columns)
        strides = tensor.stride()
        diagonal = tensor.detach().as_strided(
            (count,), (strides[0] + strides[1],), tensor.storage_offset()
        )
        diagonal.fill_(1)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Makes the weights of a convolution pass on as many channels as they can.

    Args:
        tensor: Of 3, 4 or 5 dims.
        groups: Of the convolution; the first dim must be a multiple of it.
    """
    if tensor.ndim not in (3, 4, 5):
        raise InvalidArgumentError(f"dirac_: tensor must have 3, 4 or 5 dims, got {tensor.ndim}")
    if tensor.shape[0] % groups != 0:
        raise InvalidArgumentError(
            f"dirac_: first dim must be a multiple of groups, got {tensor.shape[0]} and {groups}"
        )
    of_group = tensor.shape[0] // groups
    middle = tuple(size // 2 for size in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(of_group, tensor.shape[1])):
                tensor[(group * of_group + channel, channel, *middle)] = 1
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fills a tensor with orthogonal rows, or columns where these are fewer (Saxe et al., 2013).

    Args:
        tensor: Of two dims at least; those behind the first count as one.
        gain: Their length.
        generator: Of the random numbers.
    """
    if tensor.ndim < 2:
        raise InvalidArgumentError(
            f"orthogonal_: tensor must have 2 dims at least, got {tensor.ndim}"
        )
    if tensor.numel() == 0:
        return tensor
    with no_grad():
        # Of numbers of a normal distribution, by the method of Gram and Schmidt.
        numbers = tensor.detach().new_empty(tensor.shape[0], tensor[0].numel())
        numbers = numbers.to(float64).normal_(generator=generator)
        rows = numbers if numbers.shape[0] <= numbers.shape[1] else numbers.t()
        rows = rows.clone()
        for i in range(rows.shape[0]):
            for _ in range(2):  # the second takes what rounding has left
                rows[i] -= rows[:i].t() @ (rows[:i] @ rows[i])
            rows[i] /= (rows[i] * rows[i]).sum().sqrt()
        whole = rows if numbers.shape[0] <= numbers.shape[1] else rows.t()
        return tensor.copy_((whole * gain).reshape(tensor.shape))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fills a matrix with numbers of a normal distribution, and part of each column with zeros.

    Args:
        tensor: Of two dims.
        sparsity: The part of each column that is zero.
        std: Deviation of the others.
        generator: Of the random numbers.
    """
    if tensor.ndim != 2:
        raise InvalidArgumentError(f"sparse_: tensor must have 2 dims, got {tensor.ndim}")
    zeros = math.ceil(sparsity * tensor.shape[0])
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(tensor.shape[1]):
            order = tensor.detach().new_empty(tensor.shape[0]).uniform_(generator=generator)
            tensor[order.argsort()[:zeros], column] = 0
    return tensor


def _fans(function: str, tensor: Tensor) -> tuple[int, int]:
    """How many inputs an output has, and outputs an input."""
    if tensor.ndim < 2:
        raise InvalidArgumentError(
            f"{function}: tensor must have 2 dims at least, got {tensor.ndim}"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fills a tensor as Glorot and Bengio (2010) do, from a uniform distribution."""
    bound = gain * math.sqrt(6.0 / sum(_fans("xavier_uniform_", tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fills a tensor as Glorot and Bengio (2010) do, from a normal distribution."""
    std = gain * math.sqrt(2.0 / sum(_fans("xavier_normal_", tensor)))
    return normal_(tensor, 0.0, std, generator)


def _kaiming(function: str, tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise InvalidArgumentError(f"{function}: mode must be fan_in or fan_out, got {mode!r}")
    fan = _fans(function, tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Fills a tensor as He et al. (2015) do, from a uniform distribution.

    Args:
        tensor: Of two dims at least.
        a: Slope of the leaky_relu behind the layer.
        mode: "fan_in" keeps the deviation forward, "fan_out" backward.
        nonlinearity: As for calculate_gain.
        generator: Of the random numbers.
    """
    if tensor.numel() == 0:
        return tensor
    bound = math.sqrt(3.0) * _kaiming("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Fills a tensor as He et al. (2015) do, from a normal distribution; see `kaiming_uniform_`."""
    if tensor.numel() == 0:
        return tensor
    std = _kaiming("kaiming_normal_", tensor, a, mode, nonlinearity)
    return normal_(tensor, 0.0, std, generator)


__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]
