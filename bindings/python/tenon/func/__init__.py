# SPDX-License-Identifier: Apache-2.0
"""Transforms of functions, as `torch.func` has them: they nest in any order and depth.

per_sample = vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, targets)
"""

from __future__ import annotations

from .derivatives import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from .functionalize import functionalize
from .modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .vmap import vmap

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
