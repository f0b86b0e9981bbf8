# SPDX-License-Identifier: Apache-2.0
"""The Python array API standard, version 2025.12, over tensors.

`tensor.__array_namespace__()` returns this module, which is imported at first use. Its functions
take and return tensors, with the names, defaults and type promotion of the standard: here tensors
without dims take part in promotion like others.
"""

from __future__ import annotations

from math import e, inf, nan, pi

import tenon

from ..dtype import complex64, complex128, float32, float64, int8, int16, int32, int64, uint8
from . import elementwise as _elementwise
from . import fft, linalg
from .creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from .data_types import astype, broadcast_arrays, can_cast, finfo, iinfo, isdtype, result_type
from .info import __array_namespace_info__ as __array_namespace_info__
from .linalg import matmul, matrix_transpose, tensordot, vecdot
from .manipulation import (
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from .searching import (
    argmax,
    argmin,
    argsort,
    count_nonzero,
    isin,
    nonzero,
    searchsorted,
    sort,
    take,
    take_along_axis,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from .statistical import (
    all,
    any,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)

bool = tenon.bool_
for _name in ("uint16", "uint32", "uint64"):
    if hasattr(tenon, _name):
        globals()[_name] = getattr(tenon, _name)
newaxis = None
globals().update({name: getattr(_elementwise, name) for name in _elementwise.__all__})
__array_api_version__ = "2025.12"

__all__ = [
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "astype",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "complex64",
    "complex128",
    "concat",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "e",
    "empty",
    "empty_like",
    "expand_dims",
    "eye",
    "fft",
    "finfo",
    "flip",
    "float32",
    "float64",
    "from_dlpack",
    "full",
    "full_like",
    "iinfo",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "isin",
    "linalg",
    "linspace",
    "matmul",
    "matrix_transpose",
    "max",
    "mean",
    "meshgrid",
    "min",
    "moveaxis",
    "nan",
    "newaxis",
    "nonzero",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "prod",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "searchsorted",
    "sort",
    "squeeze",
    "stack",
    "std",
    "sum",
    "take",
    "take_along_axis",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "uint8",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]
__all__ += _elementwise.__all__
