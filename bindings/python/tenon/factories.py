# SPDX-License-Identifier: Apache-2.0
"""Making tensors: from numbers, from other objects' memory, and filled ones."""

from __future__ import annotations

from . import _tenon
from ._tenon import Tensor, device, dtype, from_buffer
from .dtype import contiguous_format
from .error import ArgumentTypeError, InvalidArgumentError
from .ops import _packet
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

empty = overridable(_tenon.empty)


@overridable
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Returns a tensor on the memory of an object with `__dlpack__`.

    Args:
        ext_tensor: The object, or a DLPack capsule.
        device: The device of the result; by default that of the object.
        copy: True: on memory of its own.
    """
    result = _tenon.from_dlpack(ext_tensor)
    if copy:
        result = _clone(result)
    return result if device is None else result.to(device)


from_numpy = overridable(_tenon.from_numpy)
full = overridable(_tenon.full)
ones = overridable(_tenon.ones)
rand = overridable(_tenon.rand)
randn = overridable(_tenon.randn)
tensor = overridable(_tenon.tensor)
zeros = overridable(_tenon.zeros)

_clone = _packet("aten::clone")
_empty_strided = _packet("aten::empty_strided")
_arange = _packet("aten::arange")
_linspace = _packet("aten::linspace")
_empty_like = _packet("aten::empty_like")
_zeros_like = _packet("aten::zeros_like")
_ones_like = _packet("aten::ones_like")
_full_like = _packet("aten::full_like")


def _copy(data: Any, dtype: dtype | None, device: device | str | None) -> Tensor:
    """The part of `tensor` that is not about numbers: copies another object's elements."""
    shared = as_tensor(data)
    result = shared.to(dtype=dtype, device=device)
    return _clone(result, memory_format=contiguous_format) if result is shared else result


@overridable
def as_tensor(
    data: Any, *, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """Returns data as a tensor, on the same memory where it has one of that dtype and device."""
    if isinstance(data, Tensor):
        result = data
    elif isinstance(data, (list, tuple, int, float, complex)):
        result = _tenon.tensor_from_data(data, dtype)
    elif hasattr(type(data), "__dlpack__") and not hasattr(data, "__array_interface__"):
        result = from_dlpack(data)
    elif hasattr(data, "__array_interface__") and hasattr(data, "ndim"):
        result = (
            from_numpy(data)
            if type(data).__name__ == "ndarray"
            else _tenon.tensor_from_data(data, None)
        )
    elif hasattr(data, "__index__") or hasattr(data, "__float__"):
        result = _tenon.tensor_from_data(data, dtype)
    else:
        try:
            memoryview(data)
        except TypeError:
            is_sequence = hasattr(data, "__len__") and hasattr(data, "__getitem__")
            if is_sequence and not isinstance(data, (str, dict)):  # such as deque and range
                return as_tensor(list(data), dtype=dtype, device=device)
            raise ArgumentTypeError(
                "tensor: data must be numbers, nested lists of numbers or an object with "
                f"__dlpack__ or a buffer, got {type(data).__name__}"
            ) from None
        result = from_buffer(data)
    if result is not data:
        result = _tenon.in_fake_mode(result)
    return result if dtype is None and device is None else result.to(dtype=dtype, device=device)


@overridable
def frombuffer(buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0) -> Tensor:
    """Returns a 1-d tensor on the memory of an object with a buffer, its bytes read as a dtype."""
    from .dtype import _NUMPY

    formats = {"uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "float16": "e"}
    formats |= {"float32": "f", "float64": "d", "bool": "?"}
    code: Any = formats.get(_NUMPY.get(dtype, ""))
    if code is None:
        raise ArgumentTypeError(f"frombuffer: dtype must be one that buffers have, got {dtype}")
    view = memoryview(buffer).cast("B")[offset:]
    size = dtype.itemsize * (count if count >= 0 else len(view) // dtype.itemsize)
    return from_buffer(view[:size].cast(code))


def _options(dtype: Any, device: Any) -> dict[str, Any]:
    options = {}
    if dtype is not None:
        options["dtype"] = dtype
    if device is not None:
        options["device"] = device
    return options


def _asking(result: Tensor, requires_grad: bool) -> Tensor:
    """The same tensor, which may be to ask for gradients."""
    if requires_grad:
        result.requires_grad = True
    return result


@overridable
def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns a tensor with uninitialised elements and the given strides, in elements."""
    return _asking(_empty_strided(size, stride, **_options(dtype, device)), requires_grad)


@overridable
def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: Any = None,
    device: device | str | None = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Returns the numbers from start (0 when only one is given) up to end, end left out."""
    if end is None:
        start, end = 0, start
    if out is not None:
        return _arange(start, end, step, out=out)
    return _asking(_arange(start, end, step, **_options(dtype, device)), requires_grad)


@overridable
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: Any = None,
    device: device | str | None = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Returns so many numbers at equal steps from start to end, both included."""
    if out is not None:
        return _linspace(start, end, steps, out=out)
    return _asking(_linspace(start, end, steps, **_options(dtype, device)), requires_grad)


@overridable
def eye(
    n: int,
    m: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: Any = None,
    device: device | str | None = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Returns a matrix of n rows and m (by default n) columns, ones where they meet, else zeros."""
    m = n if m is None else m
    for name, count in (("n", n), ("m", m)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InvalidArgumentError(f"eye: {name} must be an int >= 0, got {count!r}")
    if out is not None:
        return _packet("aten::eye")(n, m, out=out)
    result = zeros(n, m, **_options(dtype, device))
    result.as_strided((min(n, m),), (m + 1,)).fill_(1)
    return _asking(result, requires_grad)


def _like(
    op: Any,
    args: tuple[Any, ...],
    dtype: Any,
    device: Any,
    memory_format: Any,
    requires_grad: bool,
) -> Tensor:
    """Calls an operator that makes a tensor like another, which vmap and the other layers see."""
    options = _options(dtype, device)
    if memory_format is not None:
        options["memory_format"] = memory_format
    return _asking(op(*args, **options), requires_grad)


@overridable
def empty_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns a tensor with uninitialised elements, of the sizes, dtype and device of another."""
    if dtype is None and device is None and memory_format is None and not requires_grad:
        return _empty_like(input)
    return _like(_empty_like, (input,), dtype, device, memory_format, requires_grad)


@overridable
def zeros_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns zeros of a tensor's sizes, dtype and device."""
    if dtype is None and device is None and memory_format is None and not requires_grad:
        return _zeros_like(input)
    return _like(_zeros_like, (input,), dtype, device, memory_format, requires_grad)


@overridable
def ones_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns ones of a tensor's sizes, dtype and device."""
    if dtype is None and device is None and memory_format is None and not requires_grad:
        return _ones_like(input)
    return _like(_ones_like, (input,), dtype, device, memory_format, requires_grad)


@overridable
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns one number in a tensor's sizes, dtype and device."""
    return _like(_full_like, (input, fill_value), dtype, device, memory_format, requires_grad)


def _restore(data: Any, dtype: dtype, shape: tuple, device: device) -> Tensor:
    """Rebuilds a pickled tensor from its bytes, or from numbers for dtypes without a buffer."""
    if isinstance(data, bytes):
        if not data:
            return empty(shape, dtype=dtype, device=device)
        result = empty(shape, dtype=dtype)
        memoryview(result).cast("B")[:] = data
        return result.to(device=device)
    return _tenon.tensor_from_data(data, dtype).to(device=device)


__all__ = [
    "arange",
    "as_tensor",
    "empty",
    "empty_like",
    "empty_strided",
    "eye",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "rand",
    "randn",
    "tensor",
    "zeros",
    "zeros_like",
]
