# SPDX-License-Identifier: Apache-2.0
"""Conversion of parameters to one vector and back."""

from __future__ import annotations

from ... import functional as _operators
from ..._tenon import Tensor
from ...error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Returns the elements of all parameters in one vector."""
    return _operators.cat([param.reshape(-1) for param in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copies consecutive elements of a vector into parameters."""
    if not isinstance(vec, Tensor):
        from ...error import ArgumentTypeError

        raise ArgumentTypeError(
            f"vector_to_parameters: vec must be Tensor, got {type(vec).__name__}"
        )
    parameters = list(parameters)
    wanted = sum(param.numel() for param in parameters)
    if vec.numel() != wanted:
        raise InvalidArgumentError(
            f"vector_to_parameters: vec must have {wanted} elements, got {vec.numel()}"
        )
    at = 0
    for param in parameters:
        param.data = vec[at : at + param.numel()].reshape(param.shape)
        at += param.numel()


__all__ = ["parameters_to_vector", "vector_to_parameters"]
