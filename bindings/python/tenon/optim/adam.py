# SPDX-License-Identifier: Apache-2.0
"""Adam (Kingma, Ba 2015; AMSGrad: Reddi et al. 2018) and AdamW (Loshchilov, Hutter 2019)."""

from __future__ import annotations

import math

from .._tenon import is_fake
from ..error import InvalidArgumentError
from ..factories import tensor, zeros_like
from ..functional import maximum
from ..ops import _packet
from .optimizer import Optimizer, check_kind, foreach_of, require_number, require_rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tenon import Tensor
    from .optimizer import Params


class Adam(Optimizer):
    """p -= lr * m / (sqrt(v) + eps), of the moving means m of gradients and v of their squares.

    Both means are corrected for their bias in the first steps.

    Args:
        params: See `Optimizer`.
        lr: Learning rate: a number or a tensor of one.
        betas: Decay rates of m and v, in [0, 1).
        eps: Added to the root.
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        amsgrad: If true, uses the largest v so far.
        maximize: If true, parameters move up the gradient, not down.
        capturable: If true, counts steps in tensors only, so that the graph of one step is valid
            for every step. Otherwise the step numbers are constants of the recorded graph.
        decoupled_weight_decay: If true, parameters shrink by lr * weight_decay instead.
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
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        capturable: bool = False,
        decoupled_weight_decay: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        """Stores the groups."""
        name = type(self).__name__
        check_kind(name, foreach, fused, differentiable)
        require_rate(name, lr)
        require_number(name, "eps", eps)
        require_number(name, "weight_decay", weight_decay)
        if len(betas) != 2 or not all(0 <= beta < 1 for beta in betas):
            raise InvalidArgumentError(f"{name}: betas must be two numbers in [0, 1), got {betas}")
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, options)

    def update(self, group: dict[str, Any]) -> None:
        """See `Optimizer.update`."""
        given = [one for one in group["params"] if one.grad is not None]
        if given and group.get("fused"):
            self._update_fused(given, group)
        elif given and group.get("foreach") and not (group["capturable"] or is_fake(given[0])):
            self._update_each(given, group)
        else:
            for parameter in given:
                self._update_one(parameter, group)

    def _lists_of(self, parameters: list[Tensor], group: dict[str, Any]) -> list[list[Tensor]]:
        """Returns means, squares, the largest squares and steps, which include this one."""
        states = [self._state_of(one, group["amsgrad"]) for one in parameters]
        steps = [state["step"] for state in states]
        foreach_of("add_", steps, 1)
        largest = [state["max_exp_avg_sq"] for state in states] if group["amsgrad"] else []
        means = [state["exp_avg"] for state in states]
        return [means, [state["exp_avg_sq"] for state in states], largest, steps]

    def _update_fused(self, parameters: list[Tensor], group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        step = _packet("aten::_fused_adam" + ("w_" if group["decoupled_weight_decay"] else "_"))
        step(
            parameters,
            [one.grad for one in parameters],
            *self._lists_of(parameters, group),
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=group["amsgrad"],
            maximize=group["maximize"],
        )

    def _update_each(self, parameters: list[Tensor], group: dict[str, Any]) -> None:
        """Like `_update_one`, but each operation runs on the lists of all parameters."""
        beta1, beta2 = group["betas"]
        grads = [one.grad for one in parameters]
        if group["maximize"]:
            grads = foreach_of("neg", grads)
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                foreach_of("mul_", parameters, 1 - group["lr"] * group["weight_decay"])
            else:
                grads = foreach_of("add", grads, parameters, alpha=group["weight_decay"])
        means, squares, largest, steps = self._lists_of(parameters, group)
        foreach_of("lerp_", means, grads, 1 - beta1)
        foreach_of("mul_", squares, beta2)
        conjugates = [one.conj() for one in grads]
        foreach_of("addcmul_", squares, grads, conjugates, 1 - beta2)
        if group["amsgrad"]:
            foreach_of("maximum_", largest, squares)
            squares = largest
        taken = [step.item() for step in steps]
        roots = foreach_of("sqrt", squares)
        foreach_of("div_", roots, [math.sqrt(1 - beta2**count) for count in taken])
        foreach_of("add_", roots, group["eps"])
        sizes = [-group["lr"] / (1 - beta1**count) for count in taken]
        foreach_of("addcdiv_", parameters, means, roots, sizes)

    def _state_of(self, parameter: Tensor, amsgrad: bool) -> dict[str, Any]:
        state = self.state[parameter]
        if not state:
            state["step"] = tensor(0.0)
            state["exp_avg"] = zeros_like(parameter)
            state["exp_avg_sq"] = zeros_like(parameter)
        if amsgrad and "max_exp_avg_sq" not in state:
            state["max_exp_avg_sq"] = zeros_like(parameter)
        return state

    def _update_one(self, parameter: Tensor, group: dict[str, Any]) -> None:
        grad = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
            else:
                grad = grad.add(parameter, alpha=group["weight_decay"])
        state = self._state_of(parameter, group["amsgrad"])
        beta1, beta2 = group["betas"]
        if group.get("differentiable"):
            # In-place updates must not change tensors that earlier steps saved for backward.
            state.update({key: state[key].clone() for key in state})
        step = state["step"].add_(1)
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad.conj(), value=1 - beta2)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            before = largest.clone() if group.get("differentiable") else largest
            square = largest.copy_(maximum(before, square))
        if group["capturable"] or group.get("differentiable") or is_fake(step):
            rate = (1 - beta1**step).reciprocal().mul(-group["lr"])
            root = square.sqrt() / ((1 - beta2**step).sqrt() * rate) + group["eps"] / rate
            parameter.addcdiv_(mean, root)
            return
        taken = step.item()
        root = (square.sqrt() / math.sqrt(1 - beta2**taken)).add_(group["eps"])
        parameter.addcdiv_(mean, root, value=-group["lr"] / (1 - beta1**taken))


class AdamW(Adam):
    """Adam with decoupled weight decay, which shrinks parameters independently of the gradient.

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        betas: See `Adam`.
        eps: See `Adam`.
        weight_decay: Each step multiplies parameters by 1 - lr * weight_decay.
        amsgrad: See `Adam`.
        maximize: See `Adam`.
        capturable: See `Adam`.
        foreach: See `Adam`.
        differentiable: See `Adam`.
        fused: See `Adam`.
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
    ) -> None:
        """Stores the groups."""
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            maximize=maximize,
            capturable=capturable,
            decoupled_weight_decay=True,
            foreach=foreach,
            differentiable=differentiable,
            fused=fused,
        )


__all__ = ["Adam", "AdamW"]
