# SPDX-License-Identifier: Apache-2.0
"""Swapping the contents of two tensors while their Python objects stay."""

from __future__ import annotations

from .._tenon import Tensor
from ..error import StateError


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchanges elements, gradients, requires_grad and attributes of two leaves of one class.

    Raises:
        StateError: for tensors of different classes, or results of recorded calls.
    """
    if type(t1) is not type(t2):
        raise StateError(
            "swap_tensors: t1 and t2 must be of the same class, got "
            f"{type(t1).__name__} and {type(t2).__name__}"
        )
    for name, tensor in (("t1", t1), ("t2", t2)):
        if not tensor.is_leaf:
            raise StateError(
                f"swap_tensors: {name} must be a leaf, got the result of a recorded call"
            )
    data = t1.data, t2.data
    grads = t1.grad, t2.grad
    asks = t1.requires_grad, t2.requires_grad
    for tensor, other in ((t1, 1), (t2, 0)):
        tensor.grad = None
        tensor.requires_grad_(False)
        tensor.data = data[other]
    for tensor, other in ((t1, 1), (t2, 0)):
        tensor.requires_grad_(asks[other])
        tensor.grad = grads[other]
    attributes = dict(t1.__dict__), dict(t2.__dict__)
    for tensor, other in ((t1, 1), (t2, 0)):
        tensor.__dict__.clear()
        tensor.__dict__.update(attributes[other])


__all__ = ["swap_tensors"]
