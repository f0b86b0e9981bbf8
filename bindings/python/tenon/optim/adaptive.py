# SPDX-License-Identifier: Apache-2.0
"""Optimisers that scale each element of a gradient by its history."""

from __future__ import annotations

from ..factories import full_like, tensor, zeros_like
from ..functional import maximum
from .single_update import SingleUpdate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _extras(given: dict[str, Any], name: str, *more: str) -> dict[str, Any]:
    """Returns the options that have no effect, with their defaults."""
    known: dict[str, Any] = {"foreach": None, "capturable": False, "differentiable": False}
    known.update(dict.fromkeys(more))
    for one in given:
        if one not in known:
            raise TypeError(f"{name}: options must be among {sorted(known)}, got {one!r}")
    return known | given


class RMSprop(SingleUpdate):
    """p -= lr * g / sqrt(mean of g^2) (Hinton, 2012).

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        alpha: Decay rate of the mean square.
        eps: Added to the root.
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        momentum: Decay rate of the sum of scaled gradients.
        centered: If true, uses the variance instead of the mean square.
        capturable: Has no effect.
        foreach: Has no effect.
        maximize: If true, parameters move up the gradient.
        differentiable: If true, steps are recorded, so that gradients flow through them.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        """Stores the groups."""
        options = {
            **{"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered},
            "weight_decay": weight_decay,
        }
        extras = _extras({"foreach": foreach, "capturable": capturable}, "RMSprop")
        extras |= {"maximize": maximize, "differentiable": differentiable}
        super().__init__(params, options, extras)

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        names = ["square_avg"]
        names += ["momentum_buffer"] if group["momentum"] > 0 else []
        names += ["grad_avg"] if group["centered"] else []
        return {name: zeros_like(parameter) for name in names}

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        alpha = group["alpha"]
        square = state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = root.add(group["eps"])
        if group["momentum"] > 0:
            moved = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root)
            parameter.add_(moved, alpha=-group["lr"])
        else:
            parameter.addcdiv_(grad, root, value=-group["lr"])


class Adagrad(SingleUpdate):
    """p -= lr * g / sqrt(sum of g^2) (Duchi et al., 2011).

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        lr_decay: By which the rate shrinks: lr / (1 + steps * lr_decay).
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        initial_accumulator_value: Where the sums begin.
        eps: Added to the root.
        foreach: Has no effect.
        maximize: If true, parameters move up the gradient.
        differentiable: If true, steps are recorded, so that gradients flow through them.
        fused: Has no effect.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        """Stores the groups, and begins the sums."""
        options = {
            **{"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay},
            "initial_accumulator_value": initial_accumulator_value,
        }
        extras = {"foreach": foreach, "maximize": maximize, "differentiable": differentiable}
        super().__init__(params, options, {**extras, "fused": fused})
        for group in self.param_groups:
            for one in group["params"]:
                self.state[one] = {"step": tensor(0.0), **self.start(one, group)}

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        return {"sum": full_like(parameter, group["initial_accumulator_value"]).detach()}

    def share_memory(self) -> None:
        """Does nothing: processes do not share memory."""

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        rate = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        root = state["sum"].addcmul_(grad, grad, value=1).sqrt().add(group["eps"])
        parameter.addcdiv_(grad, root, value=-rate)


class Adadelta(SingleUpdate):
    """p -= lr * g * sqrt(mean of changes^2) / sqrt(mean of g^2) (Zeiler, 2012).

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        rho: Decay rate of the means.
        eps: Added below the roots.
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        foreach: Has no effect.
        capturable: Has no effect.
        maximize: If true, parameters move up the gradient.
        differentiable: If true, steps are recorded, so that gradients flow through them.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        """Stores the groups."""
        options = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        extras = {"maximize": maximize, "capturable": capturable, "foreach": foreach}
        super().__init__(params, options, {**extras, "differentiable": differentiable})

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        return {name: zeros_like(parameter) for name in ("square_avg", "acc_delta")}

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        rho, eps = group["rho"], group["eps"]
        square = state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        root = square.add(eps).sqrt_()
        delta = state["acc_delta"].add(eps).sqrt().div(root).mul(grad)
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        parameter.add_(delta, alpha=-group["lr"])


class Adamax(SingleUpdate):
    """Adam with the infinity norm of past gradients instead of the root (Kingma and Ba, 2015).

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        betas: Decay rates of the mean and of the norm.
        eps: Added to absolute values.
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        foreach: Has no effect.
        maximize: If true, parameters move up the gradient.
        differentiable: If true, steps are recorded, so that gradients flow through them.
        capturable: Has no effect.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        """Stores the groups."""
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        extras = {"foreach": foreach, "maximize": maximize, "differentiable": differentiable}
        super().__init__(params, options, {**extras, "capturable": capturable})

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        return {name: zeros_like(parameter) for name in ("exp_avg", "exp_inf")}

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        first, second = group["betas"]
        mean = state["exp_avg"].lerp_(grad, 1 - first)
        kept = state["exp_inf"].mul_(second)
        before = kept.clone() if group["differentiable"] else kept
        kept.copy_(maximum(before, grad.abs().add(group["eps"])))
        parameter.addcdiv_(mean, kept, value=-(group["lr"] / (1 - first**step)))


class NAdam(SingleUpdate):
    """Adam with Nesterov's momentum (Dozat, 2016).

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        betas: Decay rates of the means of gradients and squares.
        eps: Added to the root.
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        momentum_decay: Rate at which the momentum shrinks from step to step.
        decoupled_weight_decay: If true, weight_decay shrinks parameters directly.
        foreach: Has no effect.
        maximize: If true, parameters move up the gradient.
        capturable: Has no effect.
        differentiable: If true, steps are recorded, so that gradients flow through them.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        """Stores the groups."""
        options = {
            **{"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay},
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        extras = {"maximize": maximize, "foreach": foreach, "capturable": capturable}
        super().__init__(params, options, {**extras, "differentiable": differentiable})

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        means = {name: zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}
        return {"mu_product": tensor(1.0), **means}

    def decayed(self, parameter: Any, grad: Any, group: Any) -> Any:
        """See `SingleUpdate.decayed`."""
        if group["decoupled_weight_decay"]:
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            return grad
        return SingleUpdate.decayed(self, parameter, grad, group)

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        first, second = group["betas"]

        def momentum(at: int) -> float:
            return first * (1.0 - 0.5 * (0.96 ** (at * group["momentum_decay"])))

        now, after = momentum(step), momentum(step + 1)
        state["mu_product"] *= now
        product = state["mu_product"].item()
        mean = state["exp_avg"].lerp_(grad, 1 - first)
        square = state["exp_avg_sq"].mul_(second).addcmul_(grad, grad, value=1 - second)
        root = square.div(1 - second**step).sqrt().add(group["eps"])
        rate = group["lr"]
        parameter.addcdiv_(grad, root, value=-rate * (1.0 - now) / (1.0 - product))
        parameter.addcdiv_(mean, root, value=(-rate * after) / (1.0 - product * after))


class RAdam(SingleUpdate):
    """Adam that omits the adaptive scale until its variance is known (Liu et al., 2020).

    Args:
        params: See `Optimizer`.
        lr: Learning rate.
        betas: Decay rates of the means of gradients and squares.
        eps: Added to the root.
        weight_decay: L2 penalty: weight_decay times the parameters is added to the gradient.
        decoupled_weight_decay: If true, weight_decay shrinks parameters directly.
        foreach: Has no effect.
        maximize: If true, parameters move up the gradient.
        capturable: Has no effect.
        differentiable: If true, steps are recorded, so that gradients flow through them.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        """Stores the groups."""
        options = {
            **{"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay},
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        extras = {"maximize": maximize, "foreach": foreach, "capturable": capturable}
        super().__init__(params, options, {**extras, "differentiable": differentiable})

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        return {name: zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}

    decayed = NAdam.decayed

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        first, second = group["betas"]
        mean = state["exp_avg"].lerp_(grad, 1 - first)
        square = state["exp_avg_sq"].mul_(second).addcmul_(grad, grad, value=1 - second)
        left = 1 - second**step
        most = 2 / (1 - second) - 1
        length = most - 2 * step * (second**step) / left
        change = mean / (1 - first**step) * group["lr"]
        if length > 5.0:
            part = (length - 4) * (length - 2) * most
            whole = (most - 4) * (most - 2) * length
            change = change * (left**0.5 / square.sqrt().add(group["eps"]))
            change = change * (part / whole) ** 0.5
        parameter.add_(change, alpha=-1.0)


__all__ = ["Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop"]
