# SPDX-License-Identifier: Apache-2.0
"""Autocast regions, the thread's autocast settings, and helpers for code that casts explicitly.

A region applies to one device type. Inside it, operators whose cast rule says so compute in the
lower precision, or in float32 if they would lose too much; all others in their arguments' dtype.
"""

from __future__ import annotations

import functools as _functools

from .. import _tenon
from .._tenon import Tensor
from .._tenon import device as _device
from .._typing import overload
from ..dtype import bfloat16, dtype, float16
from ..error import ArgumentTypeError, InvalidArgumentError, StateError
from ..grad_mode import _decorated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _F = TypeVar("_F", bound=Callable[..., Any])

_ENABLED = _tenon.TENON_AUTOCAST_ENABLED
_CACHE = _tenon.TENON_AUTOCAST_CACHE


@_functools.cache
def _number(device_type: str) -> int:
    """Returns the number of a device type that has autocast.

    Results are cached, because device types are never removed.
    """
    if not isinstance(device_type, str):
        raise InvalidArgumentError(
            f"autocast: device_type must be str, got {type(device_type).__name__}"
        )
    where = _device(device_type)
    _tenon.autocast_get(where.type_code)
    return where.type_code


# ---- Settings of the thread ----------------------------------------------------------------------


def is_autocast_available(device_type: str) -> bool:
    """Returns true if a device type has autocast."""
    try:
        _number(device_type)
    except (ValueError, LookupError):
        return False
    return True


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Returns true if the thread is in an autocast region of a device type."""
    if not is_autocast_available(device_type):
        _device(device_type)  # an unknown type is an error
        return False
    return bool(_tenon.autocast_get(_number(device_type))[0] & _ENABLED)


def get_autocast_dtype(device_type: str) -> dtype:
    """Returns the lower precision of a device type."""
    return _tenon.autocast_get(_number(device_type))[1]


def is_autocast_cache_enabled() -> bool:
    """Returns true if regions cache casts of parameters."""
    return bool(_tenon.autocast_get(0)[0] & _CACHE)


def _changed(flags: int, bit: int, wanted: bool) -> int:
    return flags | bit if wanted else flags & ~bit


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Turns autocast on or off for the thread's calls, until a region around it is left."""
    number = _number(device_type)
    flags, lower = _tenon.autocast_get(number)
    _tenon.autocast_set(number, _changed(flags, _ENABLED, enabled), lower)


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Sets the lower precision of a device type for the thread.

    Raises:
        ArgumentTypeError: a dtype that is not floating.
    """
    number = _number(device_type)
    _tenon.autocast_set(number, _tenon.autocast_get(number)[0], dtype)


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets whether the thread's regions cache casts of parameters."""
    flags, lower = _tenon.autocast_get(0)
    _tenon.autocast_set(0, _changed(flags, _CACHE, enabled), lower)


def clear_autocast_cache() -> None:
    """Clears the thread's cached casts."""
    _tenon.tenon_autocast_clear_cache()


# ---- Regions -------------------------------------------------------------------------------------


class autocast:
    """A region of a device type: a `with` block, or each call of a function that it decorates.

    Args:
        device_type: "cpu", "cuda", or a registered backend.
        dtype: The lower precision; by default the thread's, initially bfloat16 for the CPU and
            float16 for other devices.
        enabled: False disables autocast within an outer region.
        cache_enabled: If true, casts of float32 parameters are cached until the outermost region
            ends; by default the thread's setting.

    Raises:
        InvalidArgumentError: If the device type has no autocast.
    """

    device: str
    fast_dtype: dtype

    def __init__(
        self,
        device_type: str,
        dtype: dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        """Prepares the region; entering it activates autocast."""
        number = _number(device_type)
        flags, lower = _tenon.autocast_get(number)
        self.device = device_type
        self.fast_dtype = lower if dtype is None else dtype
        if enabled and device_type == "cpu" and self.fast_dtype not in (bfloat16, float16):
            import warnings

            warnings.warn(
                "autocast: dtype must be bfloat16 or float16 on cpu, got "
                f"{self.fast_dtype}; autocast is disabled",
                stacklevel=2,
            )
            enabled, self.fast_dtype = False, lower
        self._enabled = bool(enabled)
        flags = _changed(flags, _ENABLED, enabled)
        self._flags = flags if cache_enabled is None else _changed(flags, _CACHE, cache_enabled)
        self._number = number
        self._guards: list[Any] = []  # innermost last: the object may be entered recursively

    def __enter__(self) -> autocast:
        guard = _tenon.AutocastGuard(self._number, self._flags, self.fast_dtype)
        guard.__enter__()
        self._guards.append(guard)
        return self

    def __exit__(self, *exc: object) -> None:
        if not self._guards:
            raise StateError(
                "autocast: a region must be entered before it is left, got one that is not"
            )
        self._guards[-1].__exit__()
        self._guards.pop()

    def __call__(self, function: _F) -> _F:
        """Decorates a function, also a generator function, whose body then runs in the region."""
        return _decorated(lambda: self, function)


# ---- Autograd functions --------------------------------------------------------------------------


def _cast_in(value: Any, number: int, dtype: dtype) -> Any:
    """Returns a value with its eligible tensors cast, inside of lists, tuples and dicts."""
    if isinstance(value, Tensor):
        return _tenon.autocast_cast(number, dtype, value)
    if isinstance(value, dict):
        return type(value)({key: _cast_in(one, number, dtype) for key, one in value.items()})
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_cast_in(one, number, dtype) for one in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_cast_in(one, number, dtype) for one in value)
    return value


@overload
def custom_fwd(
    fwd: None = None, *, device_type: str, cast_inputs: dtype | None = None
) -> Callable[[_F], _F]: ...


@overload
def custom_fwd(fwd: _F, *, device_type: str, cast_inputs: dtype | None = None) -> _F: ...


def custom_fwd(
    fwd: Any = None, *, device_type: str, cast_inputs: dtype | None = None
) -> Callable[..., Any]:
    """Decorates `forward` of an `autograd.Function`; records the autocast state for `backward`.

    Args:
        fwd: The method; without it a decorator is returned.
        device_type: Device type of the regions that apply.
        cast_inputs: Inside a region, eligible tensors are cast to this dtype and `forward` runs
            with autocast off; outside, nothing is done.
    """
    number = _number(device_type)
    if fwd is None:
        return _functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @_functools.wraps(fwd)
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        flags, ctx._dtype = _tenon.autocast_get(number)
        inside = bool(flags & _ENABLED)
        ctx._fwd_used_autocast = inside and cast_inputs is None
        if not inside or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(
                ctx,
                *_cast_in(args, number, cast_inputs),
                **_cast_in(kwargs, number, cast_inputs),
            )

    return forward


@overload
def custom_bwd(bwd: None = None, *, device_type: str) -> Callable[[_F], _F]: ...


@overload
def custom_bwd(bwd: _F, *, device_type: str) -> _F: ...


def custom_bwd(bwd: Any = None, *, device_type: str) -> Callable[..., Any]:
    """Decorates `backward`; it runs with the autocast state that `custom_fwd` recorded.

    Args:
        bwd: The method; without it a decorator is returned.
        device_type: Whose regions count.
    """
    _number(device_type)
    if bwd is None:
        return _functools.partial(custom_bwd, device_type=device_type)

    @_functools.wraps(bwd)
    def backward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, dtype=ctx._dtype, enabled=ctx._fwd_used_autocast):
            return bwd(ctx, *args, **kwargs)

    return backward


# ---- For kernels on Autocast ---------------------------------------------------------------------


def cached_cast(dtype: dtype, value: Any, device_type: str = "cuda") -> Any:
    """Casts the eligible tensors of a value, inside of lists, tuples and dicts too.

    Eligible are tensors of the device type and of a floating dtype other than float64. Casts of
    float32 parameters to the region's dtype are kept until the outermost region ends.
    """
    number = _number(device_type)
    with _tenon.KeyGuard(1, 0, _tenon.tenon_keyset_from_key(_tenon.TENON_KEY_AUTOCAST_CPU)):
        return _cast_in(value, number, dtype)


def promote_type(initial: dtype, *tensors: Tensor, device_type: str = "cuda") -> dtype:
    """Returns the widest dtype of a first guess and eligible tensors.

    Raises:
        ArgumentTypeError: a floating dtype that is neither float32 nor the lower precision.
    """
    for number, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"promote_type: argument {number} must be Tensor, got {type(tensor).__name__}"
            )
    return _tenon.autocast_promote(_number(device_type), initial, tensors)


__all__ = [
    "autocast",
    "cached_cast",
    "clear_autocast_cache",
    "custom_bwd",
    "custom_fwd",
    "get_autocast_dtype",
    "is_autocast_available",
    "is_autocast_cache_enabled",
    "is_autocast_enabled",
    "promote_type",
    "set_autocast_cache_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
]
