# SPDX-License-Identifier: Apache-2.0
"""Adafactor (Shazeer and Stern, 2018): squares of gradients kept as rows and columns only."""

from __future__ import annotations

from ..dtype_info import finfo
from ..error import InvalidArgumentError
from ..factories import zeros_like
from ..linalg import vector_norm
from .single_update import SingleUpdate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Adafactor(SingleUpdate):
    """p -= alpha * u, where u is the gradient over the root of its factored mean square, clipped.

    Args:
        params: See `Optimizer`.
        lr: Upper bound of the relative step size.
        beta2_decay: Exponent of the step number in the decay rate of mean squares; at most 0.
        eps: Lower bounds of mean squares (None: the dtype's epsilon) and of the parameters' scale.
        d: Threshold of the root mean square from which updates are clipped; at least 1.
        weight_decay: Each step multiplies parameters by 1 - lr * weight_decay.
        foreach: Has no effect.
        maximize: If true, parameters move up the gradient.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        """Stores the groups."""
        if beta2_decay > 0:
            raise InvalidArgumentError(
                f"Adafactor: beta2_decay must be at most 0, got {beta2_decay}"
            )
        if d < 1:
            raise InvalidArgumentError(f"Adafactor: d must be at least 1, got {d}")
        options = {"lr": lr, "eps": eps, "d": d, "weight_decay": weight_decay}
        extras = {"beta2_decay": beta2_decay, "foreach": foreach, "maximize": maximize}
        super().__init__(params, options, extras)

    def decayed(self, parameter: Any, grad: Any, group: Any) -> Any:
        """See `SingleUpdate.decayed`: the decay is not part of the gradient."""
        return grad

    def start(self, parameter: Any, group: Any) -> dict[str, Any]:
        """See `SingleUpdate.start`."""
        grad = parameter.grad
        if grad.ndim < 2:
            return {"variance": zeros_like(grad)}
        rows, columns = [*grad.shape], [*grad.shape]
        rows[-1] = columns[-2] = 1
        return {"row_var": grad.new_zeros(rows), "col_var": grad.new_zeros(columns)}

    def change(self, parameter: Any, grad: Any, state: Any, step: int, group: Any) -> None:
        """See `SingleUpdate.change`."""
        rate = float(group["lr"])
        eps1, eps2 = group["eps"]
        eps1 = finfo(parameter.dtype).eps if eps1 is None else eps1
        weight = float(step) ** group["beta2_decay"]
        scale = max(eps2, parameter.norm(2).item() / parameter.numel() ** 0.5)
        alpha = scale * min(rate, 1 / step**0.5)
        if group["weight_decay"] != 0:
            parameter.mul_(1 - rate * group["weight_decay"])
        if grad.ndim > 1:
            rows, columns = state["row_var"], state["col_var"]
            for mean, dim in ((rows, -1), (columns, -2)):
                square = vector_norm(grad, dim=dim, keepdim=True).square_().div_(grad.shape[dim])
                mean.lerp_(square, weight)
            estimate = (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            estimate = state["variance"].lerp_(grad * grad, weight).clone()
        update = estimate.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        size = update.norm(2).item() / (update.numel() ** 0.5 * group["d"])
        parameter.add_(update, alpha=-alpha / max(1.0, size))


__all__ = ["Adafactor"]
