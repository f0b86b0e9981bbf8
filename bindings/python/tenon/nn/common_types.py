# SPDX-License-Identifier: Apache-2.0
"""Types of layer options: one number, or one for each dim."""

# ruff: noqa: UP007, UP045 (these are values, which Python 3.9's typing evaluates)
from __future__ import annotations

from typing import Optional, TypeVar, Union

from .._tenon import Tensor

_T = TypeVar("_T")
_scalar_or_tuple_any_t = Union[_T, tuple[_T, ...]]
_scalar_or_tuple_1_t = Union[_T, tuple[_T]]
_scalar_or_tuple_2_t = Union[_T, tuple[_T, _T]]
_scalar_or_tuple_3_t = Union[_T, tuple[_T, _T, _T]]
_scalar_or_tuple_4_t = Union[_T, tuple[_T, _T, _T, _T]]
_scalar_or_tuple_5_t = Union[_T, tuple[_T, _T, _T, _T, _T]]
_scalar_or_tuple_6_t = Union[_T, tuple[_T, _T, _T, _T, _T, _T]]
_size_any_t = _scalar_or_tuple_any_t[int]
_size_1_t = _scalar_or_tuple_1_t[int]
_size_2_t = _scalar_or_tuple_2_t[int]
_size_3_t = _scalar_or_tuple_3_t[int]
_size_4_t = _scalar_or_tuple_4_t[int]
_size_5_t = _scalar_or_tuple_5_t[int]
_size_6_t = _scalar_or_tuple_6_t[int]
_size_any_opt_t = _scalar_or_tuple_any_t[Optional[int]]
_size_2_opt_t = _scalar_or_tuple_2_t[Optional[int]]
_size_3_opt_t = _scalar_or_tuple_3_t[Optional[int]]
_ratio_2_t = _scalar_or_tuple_2_t[float]
_ratio_3_t = _scalar_or_tuple_3_t[float]
_ratio_any_t = _scalar_or_tuple_any_t[float]
_tensor_list_t = _scalar_or_tuple_any_t[Tensor]
_maybe_indices_t = _scalar_or_tuple_2_t[Tensor]

__all__ = [name for name in dir() if name.endswith("_t")]
