# SPDX-License-Identifier: Apache-2.0
"""Initializers: each function fills a tensor without recording, and returns it."""

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
    """Returns the recommended gain of a nonlinearity.

    Args:
        nonlinearity: "linear", "conv1d" to "conv3d", "sigmoid", "tanh", "relu", "leaky_relu" or
            "selu".
        param: Negative slope of leaky_relu, by default 0.01.
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
    """Fills a tensor with samples of a uniform distribution on [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fills a tensor with samples of a normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _normal_share(x: float) -> float:
    """Returns the cumulative distribution function of the standard normal distribution at x."""
    return (1 + math.erf(x / math.sqrt(2.0))) / 2


def _redraw_normal(tensor: Tensor, mean: float, std: float, a: float, b: float, g: Any) -> None:
    """Draws normal samples, redrawing those outside [a, b]."""
    low, high = (tensor.new_tensor(edge, device="cpu").item() for edge in (a, b))
    tensor.normal_(mean, std, generator=g)
    while True:
        outside = (tensor < low) | (tensor > high)
        if not outside.any():
            return
        fresh = empty_like(tensor).normal_(mean, std, generator=g)
        tensor.copy_(where(outside, fresh, tensor))


def _redraw_uniform(tensor: Tensor, mean: float, std: float, a: float, b: float, g: Any) -> None:
    """Draws samples by rejection from the uniform distribution on [a, b)."""
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
    """Fills a tensor with samples of a normal distribution truncated to [a, b].

    Samples are drawn in PyTorch's order, so that equal seeds produce equal numbers.
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
    """Writes the identity matrix into a matrix; extra rows or columns are zero."""
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
    """Fills a convolution's weight so that it passes on all channels that it has room for.

    Args:
        tensor: Tensor of 3, 4 or 5 dims.
        groups: Number of groups of the convolution; must divide the first dim.
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
    """Fills a tensor with orthonormal rows, or columns if there are fewer (Saxe et al., 2013).

    Args:
        tensor: Tensor of at least two dims; dims after the first are flattened.
        gain: Factor of the result.
        generator: The random number generator.
    """
    if tensor.ndim < 2:
        raise InvalidArgumentError(
            f"orthogonal_: tensor must have at least 2 dims, got {tensor.ndim}"
        )
    if tensor.numel() == 0:
        return tensor
    with no_grad():
        rows, columns = tensor.shape[0], tensor[0].numel()
        numbers = tensor.detach().new_empty(rows, columns).normal_(generator=generator)
        q, r = qr(numbers.t() if rows < columns else numbers)
        q = q * r.diagonal().sign()  # makes the factorization unique: the diagonal of R is positive
        return tensor.copy_((q.t() if rows < columns else q).reshape(tensor.shape)).mul_(gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fills a matrix with normal samples and zeros part of each column.

    Args:
        tensor: Tensor of two dims.
        sparsity: Fraction of each column that is zero.
        std: Standard deviation of the nonzero elements.
        generator: The random number generator.
    """
    if tensor.ndim != 2:
        raise InvalidArgumentError(f"sparse_: tensor must have 2 dims, got {tensor.ndim}")
    zeros = math.ceil(sparsity * tensor.shape[0])
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(tensor.shape[1]):
            order = randperm(tensor.shape[0])  # from the default generator, as in PyTorch
            tensor[order[:zeros], column] = 0
    return tensor


def _fans(function: str, tensor: Tensor) -> tuple[int, int]:
    """Returns fan-in and fan-out: the inputs per output, and the outputs per input."""
    if tensor.ndim < 2:
        raise InvalidArgumentError(
            f"{function}: tensor must have at least 2 dims, got {tensor.ndim}"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fills a tensor with uniform samples after Glorot and Bengio (2010)."""
    bound = gain * math.sqrt(6.0 / sum(_fans("xavier_uniform_", tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fills a tensor with normal samples after Glorot and Bengio (2010)."""
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
    """Fills a tensor with uniform samples after He et al. (2015).

    Args:
        tensor: Tensor of at least two dims.
        a: Negative slope of the leaky_relu that follows the layer.
        mode: "fan_in" preserves the variance forward, "fan_out" backward.
        nonlinearity: As in calculate_gain.
        generator: The random number generator.
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
    """Fills a tensor with normal samples after He et al. (2015); see `kaiming_uniform_`."""
    if tensor.numel() == 0:
        return tensor
    std = _kaiming("kaiming_normal_", tensor, a, mode, nonlinearity)
    return normal_(tensor, 0.0, std, generator)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Returns fan-in and fan-out: the inputs per output, and the outputs per input."""
    return _fans("_calculate_fan_in_and_fan_out", tensor)


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """Returns fan-in or fan-out, by `mode`."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise InvalidArgumentError(f"mode must be fan_in or fan_out, got {mode!r}")
    return _fans("_calculate_correct_fan", tensor)[mode.lower() == "fan_out"]


def _old_name(name: str) -> Any:
    """Returns a deprecated alias, without the underscore, that warns."""

    def call(*args: Any, **kwargs: Any) -> Tensor:
        import warnings

        warnings.warn(
            f"init.{name} is deprecated in favor of init.{name}_", FutureWarning, stacklevel=2
        )
        return globals()[f"{name}_"](*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The old name of {name}_."
    return call


_OLD = (
    *("constant", "dirac", "eye", "kaiming_normal", "kaiming_uniform", "normal", "orthogonal"),
    *("sparse", "uniform", "xavier_normal", "xavier_uniform"),
)
globals().update({_name: _old_name(_name) for _name in _OLD})

__all__ = [
    *_OLD,
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
