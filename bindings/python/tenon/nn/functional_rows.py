# SPDX-License-Identifier: Apache-2.0
"""Helpers of embeddings and embedding bags: row norms, and the warning about dense gradients."""

from __future__ import annotations

import warnings

from .._tenon import Tensor
from ..functional import where
from ..grad_mode import no_grad


def bound_rows(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Scales the selected rows in place if their norm is above `max_norm`."""
    from ..own_arguments import unique

    with no_grad():
        rows = unique(indices.detach().reshape(-1)).long()
        found = weight.index_select(0, rows)
        norms = found.norm(p=norm_type, dim=1, keepdim=True)
        scales = where(norms > max_norm, max_norm / (norms + 1e-7), norms * 0 + 1)
        weight.index_copy_(0, rows, found * scales)


def warn_dense(name: str) -> None:
    """Warns that gradients are dense although sparse ones are requested."""
    warnings.warn(
        f"{name}: sparse must be False, as sparse gradients are not supported; the gradient "
        "of weight is dense",
        stacklevel=4,
    )


__all__ = ["bound_rows", "warn_dense"]
