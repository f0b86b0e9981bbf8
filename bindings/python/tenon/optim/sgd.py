# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent, with momentum as in Sutskever et al. (2013)."""

from __future__ import annotations

from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..factories import empty_like
from ..ops import _packet
from .optimizer import Optimizer, check_kind, foreach_of, require_number, require_rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .optimizer import Params


# Options that are passed to a fused step unchanged.
_FUSED = ("weight_decay", "momentum", "lr", "dampening", "nesterov", "maximize")


class SGD(Optimizer):
    """p -= lr * v, where v is the gradient g, or v = momentum * v + (1 - dampening) * g.

    Args:
        params: See `Optimizer`.
        lr: Learning rate: a number or a tensor of one.
        momentum: Decay rate of v.
        dampening: Fraction of each gradient but the first that is left out of v.
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        nesterov: If true, p -= lr * (g + momentum * v).
        maximize: If true, parameters move up the gradient, not down.
        foreach: If true, each part of a step is one call for all parameters.
        differentiable: If true, steps are recorded, so that gradients flow through them.
        fused: If true, a step is one call for all parameters, in one pass over memory.

    Raises:
        InvalidArgumentError: If an option is out of its range.
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        """Stores the groups."""
        check_kind("SGD", foreach, fused, differentiable)
        require_rate("SGD", lr)
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
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, options)

    def update(self, group: dict[str, Any]) -> None:
        """See `Optimizer.update`."""
        given = [one for one in group["params"] if one.grad is not None]
        if given and group.get("fused"):
            return self._update_fused(given, group)
        if given and group.get("foreach"):
            return self._update_each(given, group)
        for parameter in given:
            grad = parameter.grad
            if group["maximize"]:
                grad = -grad
            if group["weight_decay"] != 0:
                grad = grad.add(parameter, alpha=group["weight_decay"])
            if group["momentum"] != 0:
                grad = self._moved(parameter, grad, group)
            rate = group["lr"]
            if isinstance(rate, Tensor) and rate.requires_grad:
                parameter.addcmul_(grad, rate, value=-1)
            else:
                parameter.add_(grad, alpha=-rate)

    def _update_fused(self, parameters: list[Any], group: dict[str, Any]) -> None:
        """Runs one fused call for parameters without momentum yet, and one for all others."""
        begins = {
            first: [
                one for one in parameters if ("momentum_buffer" not in self.state[one]) == first
            ]
            for first in (True, False)
        }
        for is_first, chosen in begins.items():
            buffers = []
            for one in chosen if group["momentum"] != 0 else ():
                state = self.state[one]
                if is_first:
                    state["momentum_buffer"] = empty_like(one)
                buffers.append(state["momentum_buffer"])
            if chosen:
                _packet("aten::_fused_sgd_")(
                    chosen,
                    [one.grad for one in chosen],
                    buffers,
                    **{name: group[name] for name in _FUSED},
                    is_first_step=is_first,
                )

    def _update_each(self, parameters: list[Any], group: dict[str, Any]) -> None:
        """Like `update`, but each operation runs on the lists of all parameters."""
        grads = [one.grad for one in parameters]
        if group["maximize"]:
            grads = foreach_of("neg", grads)
        if group["weight_decay"] != 0:
            grads = foreach_of("add", grads, parameters, alpha=group["weight_decay"])
        if group["momentum"] != 0:
            known = [one for one in parameters if "momentum_buffer" in self.state[one]]
            if len(known) == len(parameters):
                buffers = [self.state[one]["momentum_buffer"] for one in parameters]
                foreach_of("mul_", buffers, group["momentum"])
                foreach_of("add_", buffers, grads, alpha=1 - group["dampening"])
                moved = buffers
                if group["nesterov"]:
                    moved = foreach_of("add", grads, buffers, alpha=group["momentum"])
                grads = moved
            else:
                pairs = zip(parameters, grads, strict=True)
                grads = [self._moved(one, grad, group) for one, grad in pairs]
        foreach_of("add_", parameters, grads, alpha=-group["lr"])

    def _moved(self, parameter: Any, grad: Any, group: dict[str, Any]) -> Any:
        state = self.state[parameter]
        momentum = group["momentum"]
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = grad.detach().clone()
        else:
            buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
        return grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer


__all__ = ["SGD"]
