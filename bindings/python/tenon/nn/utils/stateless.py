# SPDX-License-Identifier: Apache-2.0
"""Calls of modules with other parameters; `tenon.func.functional_call` is its newer place."""

from __future__ import annotations

from ...func.modules import functional_call as _functional_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..modules.module import Module


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with parameters and buffers that replace its own during the call."""
    options = {"tie_weights": tie_weights, "strict": strict}
    return _functional_call(module, parameters_and_buffers, args, kwargs, **options)


__all__ = ["functional_call"]
