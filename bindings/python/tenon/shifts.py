# SPDX-License-Identifier: Apache-2.0
"""Bitwise shifts of integers, for which Tenon has no ATen operators.

They are composed of powers, products and floor division, which wrap around and round like shifts.
As in PyTorch, a shift by a negative count, or by the number of bits or more, returns 0, or -1 for
a negative number that is shifted to the right.
"""

from __future__ import annotations

from ._tenon import Tensor
from .dtype import bool_
from .error import ArgumentTypeError, InvalidArgumentError, NotSupportedError
from .functional import result_type
from .ops import _packet
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_add = _packet("aten::add")
_clamp = _packet("aten::clamp")
_copy = _packet("aten::copy_")
_div = _packet("aten::div")
_logical_and = _packet("aten::logical_and")
_mul = _packet("aten::mul")
_pow = _packet("aten::pow")
_where = _packet("aten::where")
_sub = _packet("aten::sub")


def _operands(name: str, a: Any, b: Any) -> tuple[Tensor, Tensor]:
    """Both operands as tensors of the dtype that they promote to."""
    for what, value in (("input", a), ("other", b)):
        if not isinstance(value, (Tensor, bool, int, float, complex)):
            raise ArgumentTypeError(
                f"{name}: {what} must be a Tensor or a number, got {type(value).__name__}"
            )
    like = a if isinstance(a, Tensor) else b
    if not isinstance(like, Tensor):
        raise ArgumentTypeError(f"{name}: input or other must be a Tensor, got two numbers")
    kind = result_type(a, b)
    if kind is bool_ or kind.is_floating_point or kind.is_complex:
        raise NotSupportedError(f"{name}: input and other must be integers, got {kind}")
    one, other = (
        value.to(kind) if isinstance(value, Tensor) else like.new_full((), value, dtype=kind)
        for value in (a, b)
    )
    return one, other


def _left(a: Tensor, b: Tensor) -> Tensor:
    bits = 8 * a.dtype.itemsize
    shifted = _mul(a, _pow(2, _clamp(b, 0, bits - 1)))
    return _where(_logical_and(b >= 0, b < bits), shifted, _mul(shifted, 0))


def _right(a: Tensor, b: Tensor) -> Tensor:
    bits = 8 * a.dtype.itemsize
    far = _where(_logical_and(b >= 0, b < bits), b, _add(_mul(b, 0), bits - 1))
    # Two steps, for 2 to the power of all bits but one is no positive number.
    near = _clamp(far, 0, bits - 2)
    shifted = _div(a, _pow(2, near), rounding_mode="floor")
    shifted = _div(shifted, _pow(2, _sub(far, near)), rounding_mode="floor")
    if a.dtype.is_signed:
        return shifted
    return _where(_logical_and(b >= 0, b < bits), shifted, _mul(shifted, 0))


def _written(name: str, result: Tensor, out: Tensor | None) -> Tensor:
    if out is None:
        return result
    if out.shape != result.shape:
        out.resize_(result.shape)
    if out.dtype is not result.dtype and out.dtype is bool_:
        raise InvalidArgumentError(f"{name}: out must be of {result.dtype}, got {out.dtype}")
    return _copy(out, result)


@overridable
def bitwise_left_shift(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Returns integers with their bits shifted to the left, zeros shifted in."""
    return _written(
        "bitwise_left_shift", _left(*_operands("bitwise_left_shift", input, other)), out
    )


@overridable
def bitwise_right_shift(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Returns integers with their bits shifted to the right, signs shifted in."""
    return _written(
        "bitwise_right_shift", _right(*_operands("bitwise_right_shift", input, other)), out
    )


def _in_place(function: Any) -> Any:
    name = function.__name__ + "_"

    def shift(self: Tensor, other: Any) -> Tensor:
        result = function(self, other)
        if result.shape != self.shape:
            raise InvalidArgumentError(
                f"{name}: self must have the sizes of the result, {tuple(result.shape)}, got "
                f"{tuple(self.shape)}"
            )
        if self.dtype is bool_ and result.dtype is not bool_:
            raise InvalidArgumentError(f"{name}: self must be of {result.dtype}, got {self.dtype}")
        return _copy(self, result)

    shift.__name__ = shift.__qualname__ = name
    shift.__doc__ = f"Writes what {function.__name__} returns."
    return shift


def _is_number(value: Any) -> bool:
    return isinstance(value, (Tensor, bool, int, float, complex))


def _operator(function: Any, name: str, reflected: bool = False) -> Any:
    def operate(self: Tensor, other: Any) -> Any:
        if not _is_number(other):
            plain = getattr(other, "tolist", None)
            if type(other).__module__ != "numpy" or plain is None:
                return NotImplemented
            if getattr(other, "ndim", 0):
                from .factories import from_numpy

                other = from_numpy(other)
            else:
                other = plain()
        return function(other, self) if reflected else function(self, other)

    operate.__name__ = operate.__qualname__ = name
    return operate


for _direction, _shift in (("l", bitwise_left_shift), ("r", bitwise_right_shift)):
    _writing = _in_place(_shift)
    setattr(Tensor, _shift.__name__, _shift)
    setattr(Tensor, _writing.__name__, overridable(_writing))
    for _name, _what, _reflected in (
        (f"__{_direction}shift__", _shift, False),
        (f"__r{_direction}shift__", _shift, True),
        (f"__i{_direction}shift__", _writing, False),
    ):
        setattr(Tensor, _name, overridable(_operator(_what, _name, _reflected)))

__all__ = ["bitwise_left_shift", "bitwise_right_shift"]
