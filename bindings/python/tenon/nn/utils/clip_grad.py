# SPDX-License-Identifier: Apache-2.0
"""Clipping of gradients."""

from __future__ import annotations

import math

from ..._tenon import Tensor
from ...error import StateError
from ...factories import tensor
from ...functional import clamp, stack
from ...grad_mode import no_grad
from ...ops import _packet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def _grads(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [one.grad for one in given if one.grad is not None]


def _foreach(name: str, *args: Any) -> Any:
    return _packet(f"aten::_foreach_{name}")(*args)


@no_grad()
def get_total_norm(
    tensors: Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Returns the norm of all elements of some tensors together.

    Raises:
        StateError: it is infinite or NaN, and `error_if_nonfinite` is true.
    """
    given = [one for one in tensors if one.numel() != 0]
    if not given:
        return tensor(0.0)
    norms = _foreach("norm", given, float(norm_type))
    total = norms[0] if len(norms) == 1 else _foreach("norm", [stack(norms)], float(norm_type))[0]
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise StateError(
            f"get_total_norm: the norm of order {norm_type} must be finite, got a non-finite one, "
            f"{total.item()}"
        )
    return total


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales gradients so that their total norm is at most max_norm; returns the previous norm.

    Args:
        parameters: Parameters whose gradients are scaled.
        max_norm: The maximum total norm.
        norm_type: Order of the norm; math.inf for the largest element.
        error_if_nonfinite: If true, an infinite or NaN norm is an error.
        foreach: Has no effect: all gradients are scaled by one call.
    """
    grads = _grads(parameters)
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    _scale(grads, max_norm, total)
    return total


def _scale(grads: list[Tensor], max_norm: float, total: Tensor) -> None:
    if grads:
        _foreach("mul_", grads, clamp(max_norm / (total + 1e-6), max=1.0))


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scales gradients so that their total norm, which is given, becomes at most max_norm."""
    _scale(_grads(parameters), max_norm, total_norm)


def clip_grad_norm(parameters: Any, max_norm: float, norm_type: float = 2.0) -> Tensor:
    """Deprecated name of `clip_grad_norm_`."""
    return clip_grad_norm_(parameters, max_norm, norm_type)


@no_grad()
def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Keeps each element of gradients between -clip_value and clip_value; foreach is ignored."""
    for grad in _grads(parameters):
        grad.clamp_(-float(clip_value), float(clip_value))


__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]
