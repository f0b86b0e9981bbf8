# SPDX-License-Identifier: Apache-2.0
"""ASGD, which keeps the average of parameters, and Rprop, which looks at signs only."""

from __future__ import annotations

from ..factories import full_like, ones, tensor, zeros_like
from ..functional import where
from .single_update import SingleUpdate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ASGD(SingleUpdate):
    """Stochastic gradient descent that averages parameters (Polyak and Juditsky, 1992).

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        lambd: By which parameters decay.
        alpha: Power of the rate's decay.
        t0: The step from which on parameters are averaged, as `ax` of the state.
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        foreach: Has no effect.
        maximize: If true, parameters move up the gradient.
        differentiable: If true, steps are recorded, so that gradients flow through them.
        capturable: Has no effect.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        """Stores the groups."""
        options = {
            **{"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0},
            "weight_decay": weight_decay,
        }
        extras = {"foreach": foreach, "maximize": maximize, "differentiable": differentiable}
        super().__init__(params, options, {**extras, "capturable": capturable})

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        return {
            "eta": tensor(float(group["lr"])),
            "mu": ones(()),
            "ax": zeros_like(parameter),
        }

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        eta, mu = state["eta"].item(), state["mu"].item()
        parameter.mul_(1 - group["lambd"] * eta)
        parameter.add_(grad, alpha=-eta)
        average = state["ax"]
        if mu != 1:
            average.add_(parameter.sub(average).mul_(mu))
        else:
            average.copy_(parameter)
        rate = float(group["lr"])
        state["eta"] = tensor(rate / ((1 + group["lambd"] * rate * step) ** group["alpha"]))
        state["mu"] = tensor(1 / max(1, step - group["t0"]))


class Rprop(SingleUpdate):
    """Steps that grow while an element's gradient keeps its sign (Riedmiller and Braun, 1993).

    Args:
        params: See `Optimizer`.
        lr: The first step.
        etas: Factors of a step when the sign changes, and when it stays.
        step_sizes: The least and the largest step.
        capturable: Has no effect.
        foreach: Has no effect.
        maximize: If true, parameters move up the gradient.
        differentiable: If true, steps are recorded, so that gradients flow through them.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        """Stores the groups."""
        options = {"lr": lr, "etas": etas, "step_sizes": step_sizes}
        extras = {"foreach": foreach, "maximize": maximize, "differentiable": differentiable}
        super().__init__(params, options, {**extras, "capturable": capturable})

    def decayed(self, parameter: Any, grad: Any, group: Any) -> Any:
        """See `SingleUpdate.decayed`: there is no weight decay."""
        return grad

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        step = full_like(parameter, float(group["lr"])).detach()
        return {"prev": zeros_like(parameter), "step_size": step}

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        (shrink, grow), (least, most) = group["etas"], group["step_sizes"]
        sign = grad.mul(state["prev"]).sign()
        one = full_like(sign, 1.0)
        factor = where(sign > 0, one * grow, where(sign < 0, one * shrink, one))
        size = state["step_size"].mul_(factor).clamp_(least, most)
        grad = where(sign < 0, zeros_like(grad), grad)
        parameter.addcmul_(grad.sign(), size, value=-1)
        state["prev"].copy_(grad)


__all__ = ["ASGD", "Rprop"]
