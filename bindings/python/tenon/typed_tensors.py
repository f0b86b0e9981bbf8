# SPDX-License-Identifier: Apache-2.0
"""Constructors that fix the dtype: `LongTensor([1, 2])` is `tensor([1, 2], dtype=int64)`."""

from __future__ import annotations

from ._tenon import Size, Tensor, tensor_from_data
from .dtype import bfloat16, bool_, dtype, float16, float32, float64, int8, int16, int32, int64
from .dtype import uint8 as _uint8
from .factories import empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _TypedMeta(type):
    """Makes `isinstance(x, LongTensor)` true for every tensor of the dtype on the CPU."""

    dtype: dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.is_cpu

    def __repr__(cls) -> str:
        return f"<class 'tenon.{cls.__name__}'>"

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        if len(args) == 1 and isinstance(args[0], Size):
            return empty(args[0], dtype=cls.dtype)  # a shape, not data
        if len(args) == 1 and not isinstance(args[0], int):
            data = args[0]
            if isinstance(data, Tensor):
                return data.to(cls.dtype)
            return tensor_from_data(data if isinstance(data, list) else list(data), cls.dtype)
        return empty(args if args else (0,), dtype=cls.dtype)


_DTYPES = {
    "BFloat16Tensor": bfloat16,
    "BoolTensor": bool_,
    "ByteTensor": _uint8,
    "CharTensor": int8,
    "DoubleTensor": float64,
    "FloatTensor": float32,
    "HalfTensor": float16,
    "IntTensor": int32,
    "LongTensor": int64,
    "ShortTensor": int16,
}
for _name, _dtype in _DTYPES.items():
    _doc = f"Makes tensors of {_dtype} from numbers or sizes."
    globals()[_name] = _TypedMeta(_name, (), {"dtype": _dtype, "__doc__": _doc})


def type_name(dtype: dtype, device_type: str) -> str:
    """Returns the name of the constructor of a dtype with its path, as `Tensor.type()` does."""
    names = {one: name for name, one in _DTYPES.items()}
    place = "" if device_type == "cpu" else f"{device_type}."
    package = str(dtype).partition(".")[0]
    return f"{package}.{place}{names.get(dtype, 'Tensor')}"


def dtype_named(name: str) -> dtype | None:
    """Returns the dtype of a constructor's name, with or without its path; None for others."""
    return _DTYPES.get(name.rpartition(".")[2])


__all__ = list(_DTYPES)
