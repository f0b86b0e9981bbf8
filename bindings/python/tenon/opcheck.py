# SPDX-License-Identifier: Apache-2.0
"""opcheck: whether an operator's schema, gradients and fake kernel agree with what it does.

Names, arguments and reports are PyTorch's. The work is done in C, for operators of every language.
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
    """What a check found wrong, or what the operator raised in it."""


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
    """Checks an operator by calling it with copies of some arguments.

    - test_schema: the schema says which arguments are written, and which results share memory with
      arguments.
    - test_autograd_registration: gradients come from a formula or another kernel at Autograd.
    - test_faketensor: on fake tensors results are like the real ones, but for the elements.
    - test_aot_dispatch_dynamic: so they are with symbolic sizes, and a recording of the call and
      its backward pass gives the same when it is run.

    Args:
        op: What `custom_op` made, an overload, or a packet of one.
        args: Its arguments; those that require grad have their gradients checked, too.
        kwargs: Arguments by name.
        test_utils: Names of checks; all by default.
        raise_exception: Whether the first failure raises; else it is in what is returned.
        atol: How far elements of a recording may be off; by default what is usual for the dtype,
        rtol: and so much of the element besides.

    Returns:
        "SUCCESS" or what was raised, for each name.

    Raises:
        OpCheckError: a check failed.
        InvalidArgumentError: op is no operator, an unknown name, or one of atol and rtol only.
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
