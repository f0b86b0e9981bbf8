# SPDX-License-Identifier: Apache-2.0
"""First values of parameters: each function writes a tensor, unrecorded, and returns it."""

from __future__ import annotations

import math

from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..factories import empty_like
from ..functional import randperm, where
from ..grad_mode import no_grad
from ..linalg import qr

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


def _normal_share(x: float) -> float:
    """Returns the part of the standard normal distribution that lies below x."""
    return (1 + math.erf(x / math.sqrt(2.0))) / 2


def _redraw_normal(tensor: Tensor, mean: float, std: float, a: float, b: float, g: Any) -> None:
    """Draws from the normal distribution until all numbers lie between a and b."""
    low, high = (tensor.new_tensor(edge, device="cpu").item() for edge in (a, b))
    tensor.normal_(mean, std, generator=g)
    while True:
        outside = (tensor < low) | (tensor > high)
        if not outside.any():
            return
        fresh = empty_like(tensor).normal_(mean, std, generator=g)
        tensor.copy_(where(outside, fresh, tensor))


def _redraw_uniform(tensor: Tensor, mean: float, std: float, a: float, b: float, g: Any) -> None:
    """Draws evenly between a and b, each number kept as often as its density is to the peak's."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    pending: Any = None
    while pending is None or pending.any():
        drawn = empty_like(tensor).uniform_(a, b, generator=g)
        chance = drawn.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        refused = empty_like(tensor).uniform_(generator=g).log_().gt(chance)
        if pending is None:
            tensor.copy_(drawn)
            pending = refused
        else:
            tensor.copy_(where(pending, drawn, tensor))
            pending = pending & refused


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Fills a tensor with numbers of a normal distribution between a and b.

    Numbers that lie outside are drawn again, in PyTorch's order: a seed gives the same numbers.
    """
    if tensor.is_meta:
        return tensor
    share = _normal_share((b - mean) / std) - _normal_share((a - mean) / std)
    with no_grad():
        draw = _redraw_normal if share > 0.3 else _redraw_uniform
        draw(tensor.detach(), mean, std, a, b, generator)
    return tensor


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
        rows, columns = tensor.shape[0], tensor[0].numel()
        numbers = tensor.detach().new_empty(rows, columns).normal_(generator=generator)
        q, r = qr(numbers.t() if rows < columns else numbers)
        q = q * r.diagonal().sign()  # unique: the diagonal of R is positive
        return tensor.copy_((q.t() if rows < columns else q).reshape(tensor.shape)).mul_(gain)


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
            order = randperm(tensor.shape[0])  # from the default generator, as PyTorch's
            tensor[order[:zeros], column] = 0
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


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Returns the number of inputs of an output, and of outputs of an input."""
    return _fans("_calculate_fan_in_and_fan_out", tensor)


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """Returns one of the two numbers of `_calculate_fan_in_and_fan_out`."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise InvalidArgumentError(f"mode must be fan_in or fan_out, got {mode!r}")
    return _fans("_calculate_correct_fan", tensor)[mode.lower() == "fan_out"]


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
