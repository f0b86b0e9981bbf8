# SPDX-License-Identifier: Apache-2.0
"""Base class of optimisers that update parameters one by one."""

from __future__ import annotations

from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..factories import tensor
from .optimizer import Optimizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SingleUpdate(Optimizer):
    """Base of optimisers: a subclass defines `start`, the first state, and `change`.

    The options foreach, capturable and fused have no effect.
    """

    def __init__(self, params: Any, options: dict[str, Any], extras: dict[str, Any]) -> None:
        """Stores the groups."""
        name = type(self).__name__
        for option, value in options.items():
            values = value if isinstance(value, tuple) else (value,)
            for one in values:
                if isinstance(one, (int, float)) and not one >= 0:
                    raise InvalidArgumentError(f"{name}: {option} must be at least 0, got {value}")
            if isinstance(value, Tensor) and value.numel() != 1:
                raise InvalidArgumentError(
                    f"{name}: {option} must be one number, got a tensor of {value.numel()}"
                )
        super().__init__(params, {**options, **extras})

    def start(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """Returns the initial state of a parameter, except its number of steps."""
        raise NotImplementedError(f"{type(self).__name__} must define start")

    def change(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], step: int, group: Any
    ) -> None:
        """Changes one parameter; `step` counts from 1."""
        raise NotImplementedError(f"{type(self).__name__} must define change")

    def decayed(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
        """Returns the gradient plus weight_decay times the parameter."""
        decay = group["weight_decay"]
        return grad.add(parameter, alpha=decay) if decay != 0 else grad

    def update(self, group: dict[str, Any]) -> None:
        """See `Optimizer.update`."""
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            state = self.state[parameter]
            if not state:
                state["step"] = tensor(0.0)
                state.update(self.start(parameter, group))
            if group.get("differentiable"):
                # In-place updates must not change tensors that earlier steps saved for backward.
                state.update({key: state[key].clone() for key in state if key != "step"})
            state["step"] += 1
            grad = -parameter.grad if group["maximize"] else parameter.grad
            grad = self.decayed(parameter, grad, group)
            self.change(parameter, grad, state, int(state["step"].item()), group)


__all__ = ["SingleUpdate"]
