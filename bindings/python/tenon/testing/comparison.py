# SPDX-License-Identifier: Apache-2.0
"""assert_close: compares tensors, and containers of tensors, within tolerances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._tenon import Tensor, dtype, promote_types
from ..dtype import bfloat16, complex32, complex64, complex128, float16, float32, float64, int64
from ..error import ArgumentTypeError, InvalidArgumentError
from ..factories import as_tensor

# Relative and absolute tolerances; other dtypes have none. PyTorch's.
_TOLERANCES = {
    float16: (1e-3, 1e-5),
    bfloat16: (1.6e-2, 1e-5),
    float32: (1.3e-6, 1e-5),
    float64: (1e-7, 1e-7),
    complex32: (1e-3, 1e-5),
    complex64: (1.3e-6, 1e-5),
    complex128: (1e-7, 1e-7),
}

_KINDS = (bool, int, float, complex)
_NUMBERS = {float: float64, complex: complex128}


@dataclass
class _Comparison:
    """Options for all comparisons of one call."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_stride: bool
    allow_subclasses: bool
    msg: str | Callable[[str], str] | None

    def fail(self, place: str, text: str) -> None:
        text += f"\n\nThe failure occurred for item {place}" if place else ""
        if callable(self.msg):
            text = self.msg(text)
        raise AssertionError(self.msg if isinstance(self.msg, str) else text)

    def compare(self, actual: Any, expected: Any, place: str) -> None:
        actual, expected = _read(actual), _read(expected)
        if isinstance(actual, Tensor) and isinstance(expected, Tensor):
            one, other = type(actual), type(expected)
            related = issubclass(one, other) or issubclass(other, one)
            if one is not other and not (self.allow_subclasses and related):
                self.refuse(actual, expected, place)
            self.tensors(actual, expected, place)
        elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
            self.mappings(actual, expected, place)
        elif isinstance(actual, str) and isinstance(expected, str):
            if actual != expected:
                self.fail(place, f"Values are not equal: {actual!r} != {expected!r}.")
        elif isinstance(actual, Sequence) and isinstance(expected, Sequence):
            self.sequences(actual, expected, place)
        elif actual is None or expected is None:
            if actual is not expected:
                self.fail(place, f"None mismatch: {actual} is not {expected}")
        elif isinstance(actual, bool) and isinstance(expected, bool):
            if actual is not expected:
                self.fail(place, f"Booleans mismatch: {actual} is not {expected}")
        elif isinstance(actual, _KINDS) and isinstance(expected, _KINDS):
            self.numbers(actual, expected, place)
        else:
            self.refuse(actual, expected, place)

    def refuse(self, actual: Any, expected: Any, place: str) -> None:
        """Raises for values that cannot be compared."""
        at = f" at item {place}" if place else ""
        raise ArgumentTypeError(
            "assert_close: actual and expected must be tensors, arrays, numbers, strings, "
            f"None or containers of these, of one kind, got {type(actual).__name__} and "
            f"{type(expected).__name__}{at}"
        )

    def sequences(self, actual: Sequence, expected: Sequence, place: str) -> None:
        if len(actual) != len(expected):
            self.fail(
                place, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            )
        for i, pair in enumerate(zip(actual, expected, strict=True)):
            self.compare(*pair, f"{place}[{i}]")

    def mappings(self, actual: Mapping, expected: Mapping, place: str) -> None:
        if set(actual) != set(expected):
            missing = sorted(set(expected) - set(actual), key=repr)
            more = sorted(set(actual) - set(expected), key=repr)
            self.fail(
                place,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {more}",
            )
        for key in expected:
            self.compare(actual[key], expected[key], f"{place}[{key!r}]")

    def numbers(self, actual: Any, expected: Any, place: str) -> None:
        if self.check_dtype and type(actual) is not type(expected):
            self.fail(place, f"The (d)types do not match: {type(actual)} != {type(expected)}.")
        rtol, atol = self.tolerances(*(_NUMBERS.get(type(x), int64) for x in (actual, expected)))
        if not self.near(actual, expected, rtol, atol):
            self.scalars(actual, expected, rtol, atol, place)

    def scalars(self, actual: Any, expected: Any, rtol: float, atol: float, place: str) -> None:
        """Raises for two numbers that differ."""
        off = abs(actual - expected)
        relative = off / abs(expected) if expected else math.inf
        self.fail(
            place,
            f"Scalars are not {'close' if rtol or atol else 'equal'}!\n\n"
            f"Expected {expected} but got {actual}.\n"
            f"Absolute difference: {off}{_allowed(atol, rtol, atol)}\n"
            f"Relative difference: {relative}{_allowed(rtol, rtol, atol)}",
        )

    def near(self, actual: Any, expected: Any, rtol: float, atol: float) -> bool:
        if actual == expected:
            return True
        if actual != actual or expected != expected:
            return self.equal_nan and actual != actual and expected != expected
        allowed = atol + rtol * abs(expected)
        return math.isfinite(abs(expected)) and abs(actual - expected) <= allowed

    def tolerances(self, *kinds: dtype) -> tuple[float, float]:
        """Returns the widest tolerances of some dtypes, unless they are given."""
        found = [_TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
        rtol = max(pair[0] for pair in found) if self.rtol is None else self.rtol
        atol = max(pair[1] for pair in found) if self.atol is None else self.atol
        return rtol, atol

    def tensors(self, actual: Tensor, expected: Tensor, place: str) -> None:
        checks = [("shape", actual.shape, expected.shape, True)]
        checks.append(("device", actual.device, expected.device, self.check_device))
        checks.append(("dtype", actual.dtype, expected.dtype, self.check_dtype))
        checks.append(("stride()", actual.stride(), expected.stride(), self.check_stride))
        for what, one, other, counts in checks:
            if counts and one != other:
                self.fail(
                    place, f"The values for attribute '{what}' do not match: {one} != {other}."
                )
        if actual.is_meta or expected.is_meta:
            return
        rtol, atol = self.tolerances(actual.dtype, expected.dtype)
        kind = promote_types(actual.dtype, expected.dtype)
        one, other = (x.detach().cpu().to(kind) for x in (actual, expected))
        if kind.is_floating_point and kind.itemsize < 4:
            one, other = one.float(), other.float()
        if one.isclose(other, rtol=rtol, atol=atol, equal_nan=self.equal_nan).all():
            return
        self.describe(one, other, rtol, atol, place)

    def describe(self, one: Tensor, other: Tensor, rtol: float, atol: float, place: str) -> None:
        """Describes how many elements differ, and by how much at most."""
        if one.ndim == 0:
            self.scalars(one.item(), other.item(), rtol, atol, place)
        if not (one.is_floating_point() or one.is_complex()):
            one, other = one.to(int64), other.to(int64)
        a, b = (_flat(x) for x in (one, other))
        off = [i for i in range(len(a)) if not self.near(a[i], b[i], rtol, atol)]
        apart = (one - other).abs()
        shares = _flat(apart / other.abs())
        lines = [
            f"Tensor-likes are not {'close' if rtol or atol else 'equal'}!",
            "",
            f"Mismatched elements: {len(off)} / {len(a)} ({100 * len(off) / len(a):.1f}%)",
        ]
        for what, values, bound in (("absolute", _flat(apart), atol), ("relative", shares, rtol)):
            worst = max(off, key=lambda i: -math.inf if values[i] != values[i] else values[i])
            at, allowed = _place(worst, one.shape), _allowed(bound, rtol, atol)
            lines.append(f"Greatest {what} difference: {values[worst]} at index {at}{allowed}")
        self.fail(place, "\n".join(lines))


def _allowed(bound: float, rtol: float, atol: float) -> str:
    """Returns the part of a message about a tolerance; empty if values must be equal."""
    return f" (up to {bound} allowed)" if rtol or atol else ""


def _read(value: Any) -> Any:
    """Returns numpy arrays as tensors, and numpy scalars as numbers."""
    if type(value).__module__ != "numpy":
        return value
    if isinstance(value, _KINDS) or not hasattr(value, "ndim"):
        return value.item() if hasattr(value, "item") else value
    return as_tensor(value) if hasattr(value, "strides") and value.ndim else value.item()


def _flat(tensor: Tensor) -> list[Any]:
    return tensor.reshape(-1).tolist()


def _place(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        number, rest = divmod(number, size)
        index.insert(0, rest)
    return tuple(index)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Asserts that `abs(actual - expected) <= atol + rtol * abs(expected)` for all elements.

    Args:
        actual: A Tensor, an array, a number, a string, None, or a sequence or mapping of these.
        expected: The expected value, of the same structure.
        allow_subclasses: If true, Tensors of different classes may be compared.
        rtol: Relative tolerance, given with `atol` or left to the wider dtype of the two, as in
            PyTorch: 1.3e-6 for float32, 1e-7 for float64, none for integers.
        atol: Absolute tolerance: 1e-5 for float32, 1e-7 for float64.
        equal_nan: If true, NaN is equal to NaN.
        check_device: If true, devices must be equal.
        check_dtype: If true, dtypes must be equal.
        check_stride: If true, strides must be equal.
        msg: The text of the error, or a function that makes it from the default text.

    Raises:
        AssertionError: With the position, the number of different elements, and the differences.
        ArgumentTypeError: If values cannot be compared.
        InvalidArgumentError: If only one tolerance is given.
    """
    __tracebackhide__ = True
    if (rtol is None) != (atol is None):
        raise InvalidArgumentError(
            f"assert_close: rtol and atol must both be given or none, got {rtol} and {atol}"
        )
    how = _Comparison(
        rtol, atol, equal_nan, check_device, check_dtype, check_stride, allow_subclasses, msg
    )
    how.compare(actual, expected, "")


__all__ = ["assert_close"]
