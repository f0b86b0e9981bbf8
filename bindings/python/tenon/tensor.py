# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor: operators of ATen by name, and what takes its arguments in several ways."""

from __future__ import annotations

from ._tenon import Tensor, TensorMethod, device, dtype
from .dtype import (
    _NUMPY,
    bfloat16,
    bool_,
    contiguous_format,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from .error import ArgumentTypeError, NotSupportedError
from .ops import _packet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Methods that are an operator and no more: `t.exp()` is `tenon.ops.aten.exp(t)`.
_METHODS = (
    *("abs", "add", "add_", "amax", "argmax", "bmm", "clone", "copy_", "cos", "detach", "div"),
    *("div_", "eq", "exp", "fill_", "ge", "gt", "le", "log", "lt", "matmul", "maximum", "mean"),
    *("minimum", "mm", "mul", "mul_", "ne", "neg", "nonzero", "relu", "select", "sigmoid", "sin"),
    *("sqrt", "squeeze", "sub", "sub_", "sum", "tanh", "transpose", "unsqueeze", "zero_"),
)
for _name in _METHODS:
    setattr(Tensor, _name, TensorMethod(_packet(f"aten::{_name}")))

_to_copy = _packet("aten::_to_copy")
_clone = _packet("aten::clone")
_view = _packet("aten::view")
_reshape = _packet("aten::reshape")
_permute = _packet("aten::permute")
_expand = _packet("aten::expand")
_transpose = _packet("aten::transpose")
_where = _packet("aten::where")


def _sizes(numbers: tuple) -> Any:
    """The sizes of `f(2, 3)`, `f([2, 3])` and `f((2, 3))`."""
    if len(numbers) == 1 and isinstance(numbers[0], (list, tuple)):
        return numbers[0]
    return numbers


def view(self: Tensor, *shape: Any) -> Tensor:
    """Returns a view of another shape, or with a dtype the elements' bytes read as that dtype."""
    if len(shape) == 1 and isinstance(shape[0], dtype):
        raise NotSupportedError(f"view: shape must be ints, got {shape[0]}")
    return _view(self, _sizes(shape))


def reshape(self: Tensor, *shape: Any) -> Tensor:
    """Returns the elements in another shape, a view where that is possible."""
    return _reshape(self, _sizes(shape))


def permute(self: Tensor, *dims: Any) -> Tensor:
    """Returns a view with the dims in another order."""
    return _permute(self, _sizes(dims))


def expand(self: Tensor, *sizes: Any) -> Tensor:
    """Returns a view with dims of size 1 repeated without copying; -1 keeps a size."""
    return _expand(self, _sizes(sizes))


def flatten(self: Tensor) -> Tensor:
    """Returns the elements in one dim."""
    return _reshape(self, (-1,))


def t(self: Tensor) -> Tensor:
    """Returns a matrix transposed; tensors of fewer dims as they are."""
    if self.ndim > 2:
        raise ArgumentTypeError(f"t: self must have at most 2 dims, got {self.ndim}")
    return _transpose(self, 0, 1) if self.ndim == 2 else _view(self, self.shape)


def _reversed_dims(self: Tensor) -> Tensor:
    return _permute(self, tuple(range(self.ndim - 1, -1, -1)))


def to(self: Tensor, *args: Any, copy: bool = False, **kwargs: Any) -> Tensor:
    """Returns the tensor with another dtype or device, itself when nothing changes.

    Takes a dtype, a device, both, or another tensor to be like; `dtype=`, `device=` and
    `memory_format=` by keyword; `non_blocking=` is accepted.
    """
    new_dtype = kwargs.pop("dtype", None)
    new_device = kwargs.pop("device", None)
    memory_format = kwargs.pop("memory_format", None)
    non_blocking = kwargs.pop("non_blocking", False)
    if kwargs:
        raise ArgumentTypeError(f"to: keyword must be a known one, got {sorted(kwargs)[0]!r}")
    for position, argument in enumerate(args):
        if isinstance(argument, dtype):
            new_dtype = argument
        elif isinstance(argument, (device, str)):
            new_device = argument
        elif isinstance(argument, Tensor):
            new_dtype, new_device = argument.dtype, argument.device
        elif isinstance(argument, bool) and position == len(args) - 1:
            non_blocking = argument
        else:
            raise ArgumentTypeError(
                f"to: argument {position} must be dtype, device or Tensor, got "
                f"{type(argument).__name__}"
            )
    if isinstance(new_device, str):
        new_device = device(new_device)
    same_dtype = new_dtype is None or new_dtype is self.dtype
    same_device = new_device is None or _same_device(self.device, new_device)
    if same_dtype and same_device and memory_format is None and not copy:
        return self
    options: dict[str, Any] = {}
    if not same_dtype:
        options["dtype"] = new_dtype
    if not same_device:
        options["device"] = new_device
    if non_blocking:
        options["non_blocking"] = True
    if memory_format is not None:
        options["memory_format"] = memory_format
    return _to_copy(self, **options)


def _same_device(have: device, want: device) -> bool:
    return have == want or (have.type == want.type and want.index is None)


def _caster(name: str, target: dtype) -> Any:
    def cast(self: Tensor) -> Tensor:
        return self if self.dtype is target else _to_copy(self, dtype=target)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"Returns the tensor as {target}, itself when it is."
    return cast


def type_(self: Tensor, new_dtype: dtype | None = None) -> Any:
    """Returns the dtype, or the tensor with another one."""
    return self.dtype if new_dtype is None else to(self, new_dtype)


def cpu(self: Tensor) -> Tensor:
    """Returns the tensor on the CPU, itself when it is there."""
    return to(self, "cpu")


def cuda(self: Tensor, index: int | None = None) -> Tensor:
    """Returns the tensor on a CUDA device."""
    return to(self, "cuda" if index is None else f"cuda:{index}")


def contiguous(self: Tensor) -> Tensor:
    """Returns the elements in row-major order, itself when they are."""
    return self if self.is_contiguous() else _clone(self, memory_format=contiguous_format)


def is_floating_point(self: Tensor) -> bool:
    """Whether the dtype is a real floating one."""
    return self.dtype.is_floating_point


def is_complex(self: Tensor) -> bool:
    """Whether the dtype is complex."""
    return self.dtype.is_complex


def numpy(self: Tensor) -> Any:
    """Returns a numpy array on the same memory.

    Raises:
        NotSupportedError: the tensor is not on the CPU, or numpy has no such dtype.
    """
    if not self.is_cpu or self.dtype not in _NUMPY:
        raise NotSupportedError(
            f"numpy: tensor must be on the CPU and of a dtype that numpy has, got {self.dtype} on "
            f"{self.device}"
        )
    import numpy as np

    return np.asarray(memoryview(self))


def _array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    import numpy as np

    array = numpy(self)
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return np.array(array) if copy else array


def where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """Returns the elements of self where the condition holds, those of other elsewhere."""
    return _where(condition, self, other)


def _format(self: Tensor, spec: str) -> str:
    if self.ndim == 0 and spec:
        return format(self.item(), spec)
    return format(repr(self), spec)


def _complex(self: Tensor) -> complex:
    return complex(self.item())


def _contains(self: Tensor, value: Any) -> bool:
    return any(bool(one) for one in (self == value).reshape(-1))


def _reduce(self: Tensor) -> tuple:
    from .factories import _restore

    dense = contiguous(cpu(self))
    data = memoryview(dense).tobytes() if dense.dtype in _NUMPY else dense.float().tolist()
    return _restore, (data, self.dtype, self.shape, self.device)


for _function in (
    *(view, reshape, permute, expand, flatten, t, to, cpu, cuda, contiguous, numpy, where),
    *(is_floating_point, is_complex),
):
    setattr(Tensor, _function.__name__, _function)
_MEMBERS = {
    "type": type_,
    "T": property(_reversed_dims, doc="The dims in reverse order."),
    "mT": property(lambda self: _transpose(self, -2, -1), doc="The last two dims exchanged."),
    "__array__": _array,
    "__array_priority__": 1000,  # numpy leaves `array + tensor` to the tensor
    "__format__": _format,
    "__complex__": _complex,
    "__contains__": _contains,
    "__reduce_ex__": lambda self, protocol: _reduce(self),
}
for _name, _member in _MEMBERS.items():
    setattr(Tensor, _name, _member)
for _name, _dtype in {
    "half": float16,
    "bfloat16": bfloat16,
    "float": float32,
    "double": float64,
    "char": int8,
    "short": int16,
    "int": int32,
    "long": int64,
    "byte": uint8,
    "bool": bool_,
}.items():
    setattr(Tensor, _name, _caster(_name, _dtype))

__all__ = ["Tensor"]
