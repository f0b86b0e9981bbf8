# SPDX-License-Identifier: Apache-2.0
"""Names of the package that are imported at their first use, and the modules that have them."""

from __future__ import annotations

_NAMES = {
    "amp": ("GradScaler",),
    "broadcasting": ("broadcast_shapes", "broadcast_tensors"),
    "compositions": (
        *("adjoint", "argwhere", "detach_", "diagflat", "dsplit", "floor_divide", "get_device"),
        *("gradient", "hsplit", "is_conj", "is_inference", "is_neg", "is_nonzero", "is_same_size"),
        *("is_signed", "is_storage", "narrow_copy", "numel", "range", "resize_as_"),
        *("resolve_conj", "resolve_neg", "row_stack", "scalar_tensor", "tensor_split"),
        *("threshold", "threshold_", "unravel_index", "vsplit"),
    ),
    "copies": (
        *("as_strided_scatter", "cond", "conv_tbc", "empty_permuted", "histogramdd"),
        *("native_channel_shuffle", "split_copy", "split_with_sizes_copy", "sym_int", "sym_ite"),
        *("sym_sum", "unbind_copy", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"),
        "while_loop",
    ),
    "default_device": ("get_default_device", "set_default_device"),
    "matrix_decompositions": (
        *("cholesky", "eig", "frobenius_norm", "lstsq", "lu", "lu_unpack", "matrix_rank"),
        *("norm_except_dim", "nuclear_norm", "pca_lowrank", "qr", "solve", "svd_lowrank"),
        *("symeig", "triangular_solve"),
    ),
    "overrides": ("DisableTorchFunction", "DisableTorchFunctionSubclass"),
    "rare_methods": ("TypedStorage",),
    "sampling": ("binomial", "initial_seed", "rand_like", "randn_like", "seed"),
    "typed_tensors": (
        *("BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor"),
        *("FloatTensor", "HalfTensor", "IntTensor", "LongTensor", "ShortTensor"),
    ),
}
# Methods of Tensor, and the modules that have them.
METHODS = {
    "copies": ("as_strided_scatter", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"),
    "matrix_decompositions": (
        *("cholesky", "eig", "lstsq", "lu", "qr", "solve", "symeig", "triangular_solve"),
    ),
    "rare_methods": (
        *("apply_", "const_data_ptr", "dense_dim", "dim_order", "floor_divide_", "is_set_to"),
        *("map2_", "map_", "polygamma", "polygamma_", "record_stream", "reinforce", "resize"),
        *("resize_as", "set_", "sparse_dim", "storage", "storage_type", "to_dense"),
    ),
}
HOMES = {name: module for module, names in _NAMES.items() for name in names}
MODULES = (*("array_api", "introspect"), "distributions", "random", "special", "types")
# Operators that write their argument, as functions: `relu_(x)` is `x.relu_()`.
IN_PLACE = (
    *("addmv_", "alpha_dropout_", "deg2rad_", "dropout_", "feature_alpha_dropout_"),
    *("feature_dropout_", "gcd_", "i0_", "lcm_", "ldexp_", "logit_", "rad2deg_", "rrelu_"),
    "sinc_",
)

# The lazy names of functions; the others are modules and classes.
FUNCTIONS = (*(name for name in HOMES if not name[0].isupper()), *IN_PLACE)


def find(name: str) -> object:
    """Imports the object of a lazy name of the package; raises KeyError for other names."""
    from importlib import import_module

    if name in IN_PLACE:
        from .ops import _packet

        return _packet(f"aten::{name}")
    if name in MODULES:
        return import_module(f"tenon.{name}")
    return getattr(import_module(f"tenon.{HOMES[name]}"), name)
