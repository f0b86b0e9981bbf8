# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent, with momentum as in Sutskever et al. (2013)."""

from __future__ import annotations

from ..error import InvalidArgumentError
from .optimizer import Optimizer, require_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .optimizer import Params


class SGD(Optimizer):
    """p -= lr * v, where v is the gradient g, or v = momentum * v + (1 - dampening) * g.

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        momentum: What is kept of the sum at each step.
        dampening: What is left out of each gradient but the first.
        weight_decay: This many parameters are added to the gradient.
        nesterov: Whether p -= lr * (g + momentum * v).
        maximize: Whether parameters go up the gradient, not down.

    Raises:
        InvalidArgumentError: an option out of its range.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        """Keeps the groups."""
        require_number("SGD", "lr", lr)
        require_number("SGD", "momentum", momentum)
        require_number("SGD", "weight_decay", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise InvalidArgumentError(
                "SGD: nesterov must come with a momentum and no dampening, got "
                f"momentum={momentum}, dampening={dampening}"
            )
        options = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, options)

    def update(self, group: dict[str, Any]) -> None:
        """See `Optimizer.update`."""
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is None:
                continue
            if group["maximize"]:
                grad = -grad
            if group["weight_decay"] != 0:
                grad = grad.add(parameter, alpha=group["weight_decay"])
            if group["momentum"] != 0:
                grad = self._moved(parameter, grad, group)
            parameter.add_(grad, alpha=-group["lr"])

    def _moved(self, parameter: Any, grad: Any, group: dict[str, Any]) -> Any:
        state = self.state[parameter]
        momentum = group["momentum"]
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = grad.clone()
        else:
            buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
        return grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer


__all__ = ["SGD"]
