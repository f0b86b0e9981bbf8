# SPDX-License-Identifier: Apache-2.0
"""Gradients for a batch of first gradients: one pass for each, the results stacked."""

from __future__ import annotations

from .. import _tenon
from .._tenon import Tensor
from ..error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEEP = _tenon.TENON_BACKWARD_KEEP_GRAPH


def _batch_size(outputs: tuple[Any, ...], grads: tuple[Any, ...]) -> int:
    """The size of the first dim of all gradients, each behind it like its output."""
    sizes = set()
    for place, (output, grad) in enumerate(zip(outputs, grads, strict=True)):
        if grad is None:
            raise InvalidArgumentError(
                f"grad: gradient of output {place} must be given where grads are batched, got None"
            )
        if grad.ndim == 0 or (isinstance(output, Tensor) and grad.shape[1:] != output.shape):
            raise InvalidArgumentError(
                f"grad: gradient of output {place} must be of shape a batch of the output's "
                f"{getattr(output, 'shape', '')} "
                f"where grads are batched, got {grad.shape}"
            )
        sizes.add(grad.shape[0])
    if len(sizes) != 1:
        raise InvalidArgumentError(f"grad: gradients must have one batch size, got {sorted(sizes)}")
    return sizes.pop()


def run_batched(
    outputs: tuple[Any, ...], grads: tuple[Any, ...], inputs: tuple[Any, ...], flags: int
) -> tuple[Tensor | None, ...]:
    """Returns what `run_grad` gives for each element of the batch, stacked.

    Raises:
        InvalidArgumentError: gradients are missing, or differ in their batch sizes.
    """
    from ..functional import stack

    count = _batch_size(outputs, grads)
    rows = [
        _tenon.run_grad(
            outputs,
            tuple(grad[row] for grad in grads),
            inputs,
            flags if row == count - 1 else flags | _KEEP,
        )
        for row in range(count)
    ]
    if not rows:
        return tuple(each.new_zeros((0, *each.shape)) for each in inputs)
    return tuple(
        None if column[0] is None else stack(list(column)) for column in zip(*rows, strict=True)
    )


__all__ = ["run_batched"]
