# SPDX-License-Identifier: Apache-2.0
"""Muon (Jordan et al., 2024): steps of matrices along nearly orthogonal directions."""

from __future__ import annotations

import math

from .._tenon import Tensor
from ..dtype import bfloat16
from ..error import InvalidArgumentError
from ..factories import zeros_like
from ..functional import addmm
from .optimizer import Optimizer, require_number, require_rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ADJUSTMENTS = (None, "original", "match_rms_adamw", "spectral_unclamped")


def _nearly_orthogonal(matrix: Tensor, group: dict[str, Any]) -> Tensor:
    """Moves all singular values towards 1 by Newton-Schulz iterations in bfloat16.

    An iteration is X := a X + (b A + c A A) X with A = X X^T.
    """
    a, b, c = group["ns_coefficients"]
    is_tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.to(bfloat16, copy=True)
    x = x.T if is_tall else x
    x.div_(x.norm().clamp(min=group["eps"]))
    for _ in range(group["ns_steps"]):
        gram = x @ x.T
        x = addmm(x, addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if is_tall else x


def _adjusted(rate: float, how: str | None, rows: int, columns: int) -> float:
    """Returns the learning rate of a matrix of a shape."""
    if how == "match_rms_adamw":
        return rate * 0.2 * math.sqrt(max(rows, columns))
    if how == "spectral_unclamped":
        return rate * math.sqrt(rows / columns)
    return rate * math.sqrt(max(1, rows / columns))


class Muon(Optimizer):
    """p -= lr * o, where o is the momentum of gradients, made nearly orthogonal.

    Args:
        params: Matrices; see `Optimizer`.
        lr: Learning rate.
        weight_decay: Each step multiplies parameters by 1 - lr * weight_decay.
        momentum: Decay rate of the moving mean of gradients.
        nesterov: If true, the mean is moved towards the gradient once more.
        ns_coefficients: Coefficients of the iterations.
        eps: Lower bound of the norm that matrices are divided by.
        ns_steps: Number of iterations; below 100.
        adjust_lr_fn: How the rate depends on a matrix's shape: "original" (also None),
            "match_rms_adamw" or "spectral_unclamped".
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        """Stores the groups."""
        require_rate("Muon", lr)
        require_number("Muon", "momentum", momentum)
        require_number("Muon", "weight_decay", weight_decay)
        if adjust_lr_fn not in _ADJUSTMENTS:
            raise InvalidArgumentError(
                f"Muon: adjust_lr_fn must be one of {_ADJUSTMENTS}, got {adjust_lr_fn!r}"
            )
        if ns_steps >= 100 or len(ns_coefficients) != 3:
            raise InvalidArgumentError(
                "Muon: ns_steps must be below 100 and ns_coefficients three numbers, got "
                f"{ns_steps} and {ns_coefficients}"
            )
        options = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, options)
        for group in self.param_groups:
            for one in group["params"]:
                if one.ndim != 2:
                    raise InvalidArgumentError(
                        f"Muon: params must be matrices, got one of shape {tuple(one.shape)}"
                    )

    def update(self, group: dict[str, Any]) -> None:
        """See `Optimizer.update`."""
        rate, momentum = float(group["lr"]), group["momentum"]
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is None:
                continue
            state = self.state[parameter]
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = zeros_like(grad)
            mean = state["momentum_buffer"].lerp_(grad, 1 - momentum)
            direction = grad.lerp(mean, momentum) if group["nesterov"] else mean
            direction = _nearly_orthogonal(direction, group)
            parameter.mul_(1 - rate * group["weight_decay"])
            scaled = _adjusted(rate, group["adjust_lr_fn"], *parameter.shape)
            parameter.add_(direction.to(parameter.dtype), alpha=-scaled)


__all__ = ["Muon"]
