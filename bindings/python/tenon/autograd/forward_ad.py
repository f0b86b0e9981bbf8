# SPDX-License-Identifier: Apache-2.0
"""Forward mode: tangents, which operators propagate from their arguments to their results.

    with dual_level():
        y = f(make_dual(x, t))
        value, slope = unpack_dual(y)  # f(x), and its derivative along t

Names and behaviour are PyTorch's. There is one level at a time on a thread; its tangents are gone
when it is left. Tangents are recorded as other tensors are, so that `grad` and forward mode mix.
"""

from __future__ import annotations

from collections import namedtuple

from .. import _tenon
from .._tenon import Tensor
from ..error import InvalidArgumentError, StateError
from ..grad_mode import _Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class UnpackedDualTensor(namedtuple("UnpackedDualTensor", ["primal", "tangent"])):
    """The result of `unpack_dual`."""

    __slots__ = ()

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Opens a level on the calling thread and returns its number, 0.

    Raises:
        StateError: another one is open.
    """
    return _tenon.tenon_dual_enter()


def exit_dual_level(*, level: int | None = None) -> None:
    """Closes the innermost level and drops its tangents.

    Args:
        level: Its number; by default it is not looked at.

    Raises:
        StateError: `level` is another one, or none is open.
    """
    _tenon.tenon_dual_leave(_tenon.tenon_dual_level() if level is None else level)


def _check_float(what: str, tensor: Tensor) -> None:
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise InvalidArgumentError(
            f"make_dual: {what} must be floating or complex, got {tensor.dtype}"
        )


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Returns a view of a tensor that has a tangent.

    The tangent itself is kept if its memory layout matches the tensor's; otherwise a copy is.

    Args:
        tensor: Tensor of a floating or complex dtype.
        tangent: Tensor with the same sizes, dtype and device.
        level: Number of the open level, which is the default.

    Raises:
        StateError: If no level is open, sizes differ, or one of the tensors has a tangent.
        InvalidArgumentError: If a dtype is neither floating nor complex.
    """
    if level is None:
        level = _tenon.tenon_dual_level()
        if level < 0:
            raise StateError("make_dual: a dual level must be open, got none; use dual_level()")
    if isinstance(tensor, Tensor) and isinstance(tangent, Tensor):
        _check_float("tensor", tensor)
        _check_float("tangent", tangent)
    return _tenon.dual_make(level, tensor, tangent)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Returns a tensor's two parts: itself without tangent, and the tangent or None.

    Args:
        tensor: Any tensor; outside of levels no tensor has a tangent.
        level: The number of the open level, which is the default.
    """
    if level is None:
        level = _tenon.tenon_dual_level()
        if level < 0:
            return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*_tenon.dual_unpack(level, tensor))


class dual_level(_Context):
    """Opens a level for a `with` block or a decorated function, and closes it at its end."""

    _level: int | None = None

    def __enter__(self) -> int:
        """Opens the level and returns its number."""
        self._level = enter_dual_level()
        return self._level

    def __exit__(self, *exc: Any) -> None:
        """Closes the level."""
        exit_dual_level(level=self._level)


__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]
