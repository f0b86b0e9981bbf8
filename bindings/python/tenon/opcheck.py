# SPDX-License-Identifier: Apache-2.0
"""opcheck: checks that an operator's schema, gradients and fake kernel match its behaviour.

Names, arguments and reports are PyTorch's. The checks are implemented behind the C API, so that
they work for operators of every language.
"""

from __future__ import annotations

from . import _tenon
from ._tenon import OpOverload, OpOverloadPacket
from .custom_op import CustomOpDef
from .error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_CHECKS = {
    "test_schema": _tenon.TENON_OPCHECK_SCHEMA,
    "test_autograd_registration": _tenon.TENON_OPCHECK_AUTOGRAD_REGISTRATION,
    "test_faketensor": _tenon.TENON_OPCHECK_FAKE,
    "test_aot_dispatch_dynamic": _tenon.TENON_OPCHECK_TRACE,
}
_ALL = tuple(_CHECKS)


class OpCheckError(Exception):
    """The failure of a check, or an error that the operator raised during a check."""


def _overload_of(op: Any) -> OpOverload:
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, OpOverloadPacket):
        names = op.overloads()
        if len(names) != 1:
            raise InvalidArgumentError(
                f"opcheck: op must have one overload, got {op} with {', '.join(names)}"
            )
        return getattr(op, names[0])
    if not isinstance(op, OpOverload):
        raise InvalidArgumentError(
            "opcheck: op must be OpOverload, such as tenon.ops.aten.sin.default, got "
            f"{type(op).__name__}"
        )
    return op


def _names_of(test_utils: str | Sequence[str]) -> tuple[str, ...]:
    if test_utils == "ALL":
        return _ALL
    names = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    if not set(names) <= set(_ALL):
        raise InvalidArgumentError(f"opcheck: test_utils must be some of {_ALL}, got {names}")
    return names


def opcheck(
    op: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = _ALL,
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, Any]:
    """Checks an operator by calling it with copies of sample arguments.

    - test_schema: the schema declares all arguments that are written, and all results that share
      memory with arguments.
    - test_autograd_registration: gradients come from a formula or another kernel at Autograd.
    - test_faketensor: results on fake tensors have the metadata of the real results.
    - test_aot_dispatch_dynamic: the same holds for symbolic sizes, and running a recording of the
      call and its backward pass reproduces the results.

    Args:
        op: The result of `custom_op`, an overload, or a packet with one overload.
        args: The arguments; gradients are checked for those that require grad.
        kwargs: Arguments by name.
        test_utils: Names of checks; all by default.
        raise_exception: Whether to raise the first failure; otherwise failures are returned.
        atol: Absolute tolerance for a recording's elements; by default that of the dtype.
        rtol: Relative tolerance; must be passed together with `atol`.

    Returns:
        "SUCCESS" or the exception, by name of the check.

    Raises:
        OpCheckError: A check failed.
        InvalidArgumentError: `op` is no operator, a check's name is unknown, or only one of `atol`
            and `rtol` is passed.
    """
    if (atol is None) != (rtol is None):
        raise InvalidArgumentError("opcheck: atol must be given with rtol and the reverse, got one")
    overload = _overload_of(op)
    results: dict[str, Any] = {}
    for name in _names_of(test_utils):
        try:
            report = _tenon.run_opcheck(
                overload,
                _CHECKS[name],
                -1.0 if rtol is None else rtol,
                -1.0 if atol is None else atol,
                *args,
                **(kwargs or {}),
            )
            if report is not None:
                raise OpCheckError(report)
            results[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error}") from error
            results[name] = error
    return results


__all__ = ["OpCheckError", "opcheck"]
