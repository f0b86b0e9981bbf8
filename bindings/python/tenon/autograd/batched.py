# SPDX-License-Identifier: Apache-2.0
"""Gradients for a batch of first gradients: one pass for all of them."""

from __future__ import annotations

from .. import _tenon
from .._tenon import Tensor
from ..error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _batch_size(outputs: tuple[Any, ...], grads: tuple[Any, ...]) -> int:
    """Returns the size of the first dim of all gradients; other dims are the outputs'."""
    sizes = set()
    for place, (output, grad) in enumerate(zip(outputs, grads, strict=True)):
        if grad is None:
            raise InvalidArgumentError(
                f"grad: gradient of output {place} must be given if is_grads_batched is True, got "
                "None"
            )
        if grad.ndim == 0 or (isinstance(output, Tensor) and grad.shape[1:] != output.shape):
            raise InvalidArgumentError(
                f"grad: gradient of output {place} must have a batch dim and the output's "
                f"shape {getattr(output, 'shape', '')} if is_grads_batched is True, "
                f"got {tuple(grad.shape)}"
            )
        sizes.add(grad.shape[0])
    if len(sizes) != 1:
        raise InvalidArgumentError(f"grad: gradients must have one batch size, got {sorted(sizes)}")
    return sizes.pop()


def run_batched(
    outputs: tuple[Any, ...], grads: tuple[Any, ...], inputs: tuple[Any, ...], flags: int
) -> tuple[Tensor | None, ...]:
    """Returns the stacked results of `run_grad` for all elements of the batch.

    Raises:
        InvalidArgumentError: If gradients are missing, or their batch sizes differ.
    """
    from ..func import vmap

    _batch_size(outputs, grads)
    found: list[int] = []  # indices of inputs that have a gradient

    def one(*some: Tensor) -> tuple[Tensor, ...]:
        every = _tenon.run_grad(outputs, some, inputs, flags)
        found.extend(place for place, grad in enumerate(every) if grad is not None)
        return tuple(every[place] for place in found)

    rows = iter(vmap(one)(*grads))
    return tuple(next(rows) if place in found else None for place in range(len(inputs)))


__all__ = ["run_batched"]
