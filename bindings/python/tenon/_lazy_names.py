# SPDX-License-Identifier: Apache-2.0
"""Names of the package that are imported at their first use, and the modules that have them."""

from __future__ import annotations

_NAMES = {
    "broadcasting": ("broadcast_shapes", "broadcast_tensors"),
    "compositions": (
        *("adjoint", "argwhere", "detach_", "diagflat", "dsplit", "floor_divide", "get_device"),
        *("gradient", "hsplit", "is_conj", "is_inference", "is_neg", "is_nonzero", "is_same_size"),
        *("is_signed", "is_storage", "narrow_copy", "numel", "range", "resize_as_"),
        *("resolve_conj", "resolve_neg", "row_stack", "scalar_tensor", "tensor_split"),
        *("threshold", "threshold_", "unravel_index", "vsplit"),
    ),
    "default_device": ("get_default_device", "set_default_device"),
    "sampling": ("binomial", "initial_seed", "rand_like", "randn_like", "seed"),
    "typed_tensors": (
        *("BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor"),
        *("FloatTensor", "HalfTensor", "IntTensor", "LongTensor", "ShortTensor"),
    ),
}
HOMES = {name: module for module, names in _NAMES.items() for name in names}
MODULES = ("distributions", "random", "special", "types")
# Operators that write their argument, as functions: `relu_(x)` is `x.relu_()`.
IN_PLACE = (
    *("addmv_", "alpha_dropout_", "deg2rad_", "dropout_", "feature_alpha_dropout_"),
    *("feature_dropout_", "gcd_", "i0_", "lcm_", "ldexp_", "logit_", "rad2deg_", "rrelu_"),
    "sinc_",
)

# The lazy names of functions; the others are modules and classes.
FUNCTIONS = (*(name for name in HOMES if HOMES[name] != "typed_tensors"), *IN_PLACE)


def find(name: str) -> object:
    """Imports the object of a lazy name of the package; raises KeyError for other names."""
    from importlib import import_module

    if name in IN_PLACE:
        from .ops import _packet

        return _packet(f"aten::{name}")
    if name in MODULES:
        return import_module(f"tenon.{name}")
    return getattr(import_module(f"tenon.{HOMES[name]}"), name)
