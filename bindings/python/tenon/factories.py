# SPDX-License-Identifier: Apache-2.0
"""Factory functions: tensors from numbers, on other objects' memory, and filled tensors."""

from __future__ import annotations

from operator import index

from . import _tenon
from ._tenon import Tensor, device, dtype, from_buffer
from .dtype import contiguous_format
from .error import ArgumentTypeError, InvalidArgumentError, StateError
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
        copy: Whether to copy the elements to new memory.
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

_as_strided = _packet("aten::as_strided")
_clone = _packet("aten::clone")
_empty_strided = _packet("aten::empty_strided")
_arange = _packet("aten::arange")
_linspace = _packet("aten::linspace")
_empty_like = _packet("aten::empty_like")
_zeros_like = _packet("aten::zeros_like")
_ones_like = _packet("aten::ones_like")
_full_like = _packet("aten::full_like")


def _copy(data: Any, dtype: dtype | None, device: device | str | None) -> Tensor:
    """Implements `tensor` for objects other than numbers by copying their elements."""
    shared = as_tensor(data)
    result = shared.to(dtype=dtype, device=device)
    return _clone(result, memory_format=contiguous_format) if result is shared else result


@overridable
def as_tensor(
    data: Any, *, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """Returns data as a tensor, which shares its memory if dtype and device match."""
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
def frombuffer(
    buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Returns a 1-d tensor on the memory of a buffer, whose bytes are interpreted as a dtype.

    Args:
        buffer: An object with a contiguous buffer.
        dtype: The dtype of the elements.
        count: The number of elements; -1 means all after the offset.
        offset: The number of bytes to skip.
        requires_grad: Whether gradients are recorded.

    Raises:
        ValueError: The object has no buffer, or the buffer is too small.
        RuntimeError: The buffer is not contiguous.
    """
    count, offset = index(count), index(offset)
    if not isinstance(dtype, _tenon.dtype):
        kind = type(dtype).__name__
        raise ArgumentTypeError(f"frombuffer: dtype must be a dtype, got {kind}")
    try:
        whole = memoryview(buffer)
    except TypeError:
        raise InvalidArgumentError(
            f"frombuffer: buffer must be an object with a buffer, got {type(buffer).__name__}"
        ) from None
    if not whole.c_contiguous:
        raise StateError("frombuffer: buffer must be contiguous, got a buffer with gaps")
    size, left = dtype.itemsize, whole.nbytes - offset
    if whole.nbytes == 0 or not 0 <= offset < whole.nbytes:
        raise InvalidArgumentError(
            f"frombuffer: offset must be from 0 up to the {whole.nbytes} bytes of buffer, which "
            f"must not be empty, got {offset}"
        )
    if count == 0:
        raise InvalidArgumentError("frombuffer: count must be positive, or -1 for all, got 0")
    if count < 0 and left % size != 0:
        raise InvalidArgumentError(
            f"frombuffer: buffer must have whole elements of {size} bytes, got {left} bytes"
        )
    count = left // size if count < 0 else count
    if count * size > left:
        raise InvalidArgumentError(
            f"frombuffer: buffer must have {count} elements of {size} bytes from the offset on, "
            f"got {left} bytes"
        )
    part = whole.cast("B")[offset : offset + count * size]
    return _asking(_tenon.from_bytes(part, dtype), requires_grad)


@overridable
def asarray(
    obj: Any,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns an object as a tensor, which shares the object's memory if possible.

    Args:
        obj: A Tensor, an array, an object with `__dlpack__` or a buffer, numbers or sequences.
        dtype: The dtype of the result; by default that of the object. The bytes of a plain buffer
            are interpreted as this dtype.
        device: The device of the result.
        copy: Whether to copy always (True), if necessary (None), or never (False).
        requires_grad: Whether the result requires gradients; the result of a Tensor that requires
            gradients always does.

    Raises:
        ValueError: `copy` is False and the object must be copied.
    """
    given = obj
    if isinstance(obj, Tensor):
        result = obj
    elif hasattr(obj, "__array_interface__") or hasattr(obj, "__dlpack__"):
        result = as_tensor(obj)
    elif isinstance(obj, (bool, int, float, complex, list, tuple, range)):
        result, given = _tenon.tensor_from_data(obj, dtype), None
    elif hasattr(obj, "__buffer__") or _has_buffer(obj):
        kind = _tenon.get_default_dtype() if dtype is None else dtype
        result = frombuffer(obj, dtype=kind)
    else:
        is_sequence = hasattr(obj, "__len__") and hasattr(obj, "__getitem__")
        items = list(obj) if is_sequence and not hasattr(obj, "keys") else obj
        result, given = _tenon.tensor_from_data(items, dtype), None
    moved = result.to(dtype=dtype, device=device)
    if copy is False and (moved is not result or given is None):
        raise InvalidArgumentError(
            f"asarray: copy must be None or True where obj cannot be shared as {moved.dtype} on "
            f"{moved.device}, got False"
        )
    if copy and moved is result:
        moved = _clone(result)
    return moved.requires_grad_() if requires_grad else moved


def _has_buffer(obj: Any) -> bool:
    try:
        memoryview(obj).release()
    except TypeError:
        return False
    return True


def _options(dtype: Any, device: Any) -> dict[str, Any]:
    options = {}
    if dtype is not None:
        options["dtype"] = dtype
    if device is not None:
        options["device"] = device
    return options


def _asking(result: Tensor, requires_grad: bool) -> Tensor:
    """Sets the tensor's `requires_grad` if the argument is true; returns the same tensor."""
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
    start: Any = 0,
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
    """Returns the numbers from start (by default 0) up to, but not including, end."""
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
    """Returns `steps` evenly spaced numbers from start to end, both included."""
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
    """Returns an n x m matrix (m is n by default) with ones on the diagonal, otherwise zeros."""
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
    """Calls a `*_like` operator through the dispatcher, so that vmap and other layers apply."""
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
    """Returns a tensor of a tensor's sizes, dtype and device, filled with one number."""
    return _like(_full_like, (input, fill_value), dtype, device, memory_format, requires_grad)


def _restore(
    data: Any, dtype: dtype, shape: tuple, device: device, strides: tuple | None = None
) -> Tensor:
    """Rebuilds a pickled tensor from its bytes, which are None if the tensor has no elements.

    Older pickles have no strides, and store numbers instead of bytes for dtypes without a buffer.
    """
    if isinstance(data, list) or not isinstance(data, (bytes, type(None), float, int)):
        return _tenon.tensor_from_data(data, dtype).to(device=device)
    if isinstance(data, (float, int)):
        return _tenon.tensor_from_data(data, dtype).to(device=device)
    if not data:
        result = empty(shape, dtype=dtype, device=device)
        return (
            result
            if strides is None
            else _empty_strided(shape, strides, dtype=dtype, device=device)
        )
    from ctypes import memmove

    memory = empty((len(data) // dtype.itemsize,), dtype=dtype)
    memmove(memory.data_ptr(), data, len(data))
    memory = memory.to(device=device)
    return (
        memory.reshape(shape) if strides is None else _as_strided(memory, shape, strides).detach()
    )


__all__ = [
    "arange",
    "as_tensor",
    "asarray",
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
