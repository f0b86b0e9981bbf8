# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor that take sizes one by one or as a list, such as `new_zeros`; and `stft`."""

from __future__ import annotations

from ._tenon import Tensor
from .factories import _asking, _options, tensor
from .ops import _packet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_new_empty = _packet("aten::new_empty")
_new_empty_strided = _packet("aten::new_empty_strided")
_new_full = _packet("aten::new_full")
_new_ones = _packet("aten::new_ones")
_new_zeros = _packet("aten::new_zeros")
_repeat = _packet("aten::repeat")
_stft = _packet("aten::stft")
_tile = _packet("aten::tile")


def _listed(numbers: tuple[Any, ...]) -> Any:
    """Returns numbers that are passed one by one, or as one sequence, as a sequence."""
    is_list = len(numbers) == 1 and isinstance(numbers[0], (list, tuple))
    return numbers[0] if is_list else numbers


def _sizes(function: str, numbers: tuple[Any, ...], named: dict[str, Any], name: str) -> Any:
    """Returns sizes that are passed by position, or by name; raises TypeError for other names."""
    if not named:
        return _listed(numbers)
    if numbers or set(named) != {name}:
        raise TypeError(f"{function}: keywords must be {name}, given once, got {[*named]}")
    return _listed((named[name],))


def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Copies data into a new tensor."""
    options = {"dtype": dtype or self.dtype, "device": device or self.device}
    return _asking(tensor(data, **options), requires_grad)


def new_empty(
    self: Tensor,
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Returns a tensor with uninitialised elements."""
    sizes = _sizes("new_empty", size, named, "size")
    made = _new_empty(self, sizes, **_options(dtype, device))
    return _asking(made, requires_grad)


def new_empty_strided(
    self: Tensor,
    size: Any,
    stride: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns a tensor with uninitialised elements and the given strides, in elements."""
    made = _new_empty_strided(self, size, stride, **_options(dtype, device))
    return _asking(made, requires_grad)


def new_zeros(
    self: Tensor,
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Returns a tensor of zeros."""
    sizes = _sizes("new_zeros", size, named, "size")
    made = _new_zeros(self, sizes, **_options(dtype, device))
    return _asking(made, requires_grad)


def new_ones(
    self: Tensor,
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Returns a tensor of ones."""
    sizes = _sizes("new_ones", size, named, "size")
    made = _new_ones(self, sizes, **_options(dtype, device))
    return _asking(made, requires_grad)


def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns a tensor of one number."""
    made = _new_full(self, size, fill_value, **_options(dtype, device))
    return _asking(made, requires_grad)


def repeat(self: Tensor, *repeats: Any, **named: Any) -> Tensor:
    """Repeats the tensor along each dim; extra leading counts add dims."""
    return _repeat(self, _sizes("repeat", repeats, named, "repeats"))


def tile(self: Tensor, *dims: Any, **named: Any) -> Tensor:
    """Like `repeat`, but missing leading counts are 1."""
    return _tile(self, _sizes("tile", dims, named, "dims"))


def stft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Returns the Fourier transforms of the signal's frames, as `tenon.stft`."""
    sizes = (n_fft, hop_length, win_length, window, center, pad_mode)
    return _stft.center(self, *sizes, normalized, onesided, return_complex, align_to_window)


METHODS = (
    new_empty,
    new_empty_strided,
    new_full,
    new_ones,
    new_tensor,
    new_zeros,
    repeat,
    stft,
    tile,
)

__all__ = ["METHODS"]
