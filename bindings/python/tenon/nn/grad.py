# SPDX-License-Identifier: Apache-2.0
"""Gradients of convolutions as functions of the gradient of their result."""

from __future__ import annotations

from ..factories import empty
from ..ops import _packet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tenon import Tensor

_backward = _packet("aten::convolution_backward")


def _listed(dims: int, value: Any) -> list[int]:
    return [value] * dims if isinstance(value, int) else list(value)


def _convolution_gradient(
    dims: int, input: Any, weight: Any, grad: Tensor, options: tuple[Any, ...], place: int
) -> Tensor:
    stride, padding, dilation, groups = options
    sizes = [_listed(dims, one) for one in (stride, padding, dilation)]
    bias = [weight.shape[0]]
    given = (grad, input, weight, bias, *sizes, False, [0] * dims, groups, [True] * 3)
    return _backward(*given)[place]


def _functions(dims: int) -> tuple[Any, Any]:
    def of_input(
        input_size: Any,
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        input = empty(1, dtype=grad_output.dtype, device=grad_output.device).expand(input_size)
        options = (stride, padding, dilation, groups)
        return _convolution_gradient(dims, input, weight, grad_output, options, 0)

    def of_weight(
        input: Tensor,
        weight_size: Any,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        weight = empty(1, dtype=grad_output.dtype, device=grad_output.device).expand(weight_size)
        options = (stride, padding, dilation, groups)
        return _convolution_gradient(dims, input, weight, grad_output, options, 1)

    for function, what in ((of_input, "input"), (of_weight, "weight")):
        function.__name__ = function.__qualname__ = f"conv{dims}d_{what}"
        function.__doc__ = f"Returns the gradient of conv{dims}d's {what}."
    return of_input, of_weight


conv1d_input, conv1d_weight = _functions(1)
conv2d_input, conv2d_weight = _functions(2)
conv3d_input, conv3d_weight = _functions(3)

__all__ = [
    "conv1d_input",
    "conv1d_weight",
    "conv2d_input",
    "conv2d_weight",
    "conv3d_input",
    "conv3d_weight",
]
