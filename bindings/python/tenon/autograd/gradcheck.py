# SPDX-License-Identifier: Apache-2.0
"""Checks of gradients against finite differences.

Names and arguments are PyTorch's. The checks run in C, for functions of every language.
"""

from __future__ import annotations

from .. import _tenon
from .._tenon import Tensor
from ..error import ArgumentTypeError, InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_FLAGS = {
    "backward": _tenon.TENON_GRADCHECK_BACKWARD,
    "forward": _tenon.TENON_GRADCHECK_FORWARD,
    "undefined": _tenon.TENON_GRADCHECK_UNDEFINED,
    "batched": _tenon.TENON_GRADCHECK_BATCHED,
    "batched_forward": _tenon.TENON_GRADCHECK_BATCHED_FORWARD,
    "dtypes": _tenon.TENON_GRADCHECK_DTYPES,
    "fast": _tenon.TENON_GRADCHECK_FAST,
    "strided_grads": _tenon.TENON_GRADCHECK_STRIDED_GRADS,
}


class GradcheckError(RuntimeError):
    """A gradient that differs from the derivative, or a backward pass that breaks a rule."""


class NothingToCheckError(InvalidArgumentError, AssertionError):
    """An error for a call that requests no check at all."""


def _inputs(function: str, func: Any, inputs: Any) -> tuple[Any, ...]:
    if not callable(func):
        raise ArgumentTypeError(f"{function}: func must be callable, got {type(func).__name__}")
    if isinstance(inputs, Tensor):
        return (inputs,)
    if isinstance(inputs, (tuple, list)):
        return tuple(inputs)
    raise ArgumentTypeError(
        f"{function}: inputs must be Tensor or a sequence of them, got {type(inputs).__name__}"
    )


def _flags(**wanted: bool) -> int:
    return sum(_FLAGS[name] for name, is_wanted in wanted.items() if is_wanted)


def _told(report: str | None, raise_exception: bool) -> bool:
    if report is not None and raise_exception:
        raise GradcheckError(report)
    return report is None


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compares gradients with finite differences of the function, for each input element.

    For complex functions the real and the imaginary part are checked separately, and complex inputs
    are perturbed along both axes. Finite differences need inputs of double precision.

    Args:
        func: Returns one or several tensors; it runs many times and must be deterministic.
        inputs: Arguments of `func`; gradients of tensors that require grad are checked.
        eps: Perturbation of an element in both directions.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the difference quotient.
        raise_exception: If true, a wrong gradient raises; otherwise False is returned.
        nondet_tol: Tolerated difference between two passes with the same gradient.
        check_undefined_grad: If true, undefined gradients of outputs must be treated as zeros.
        check_grad_dtypes: If true, a gradient must have its input's dtype.
        check_batched_grad: If true, gradients must add up, as batched gradients require.
        check_batched_forward_grad: Like `check_batched_grad`, for forward mode.
        check_forward_ad: If true, checks forward-mode derivatives.
        check_backward_ad: If true, checks gradients of backward passes.
        fast_mode: If true, first compares products with random vectors: one pass per output.
        masked: Has no effect: all tensors are dense.

    Returns:
        True if all gradients are right.

    Raises:
        GradcheckError: If a gradient is wrong; the message names it and the likely mistake.
        Error: If no input requires grad or one overlaps itself; also errors of `func` or a formula.
    """
    values = _inputs("gradcheck", func, inputs)
    flags = _flags(
        backward=check_backward_ad,
        forward=check_forward_ad,
        undefined=check_undefined_grad,
        batched=check_batched_grad,
        batched_forward=check_batched_forward_grad,
        dtypes=check_grad_dtypes,
        fast=fast_mode,
    )
    if not (check_forward_ad or check_backward_ad):
        raise NothingToCheckError(
            "gradcheck: check_backward_ad or check_forward_ad must be True, got both False"
        )
    if check_batched_forward_grad and not check_forward_ad:
        raise NothingToCheckError(
            "gradcheck: check_forward_ad must be True with check_batched_forward_grad, got False"
        )
    report = _tenon.run_gradcheck(func, values, None, flags, eps, atol, rtol, nondet_tol)
    return _told(report, raise_exception)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Checks gradients of gradients, by the inputs and by the gradients of the outputs.

    Args:
        func: As in `gradcheck`, like the other arguments that are not described here.
        inputs: Arguments of `func`.
        grad_outputs: Gradients of the outputs that require grad; by default random ones.
        eps: Perturbation of an element in both directions.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the difference quotient.
        gen_non_contig_grad_outputs: If true, random gradients are not contiguous.
        raise_exception: If true, a wrong gradient raises; otherwise False is returned.
        nondet_tol: Tolerated difference between two passes with the same gradient.
        check_undefined_grad: If true, undefined gradients must be treated as zeros.
        check_grad_dtypes: If true, a gradient must have its input's dtype.
        check_batched_grad: If true, gradients must add up.
        check_fwd_over_rev: If true, checks forward mode over backward passes.
        check_rev_over_rev: If true, checks backward passes over backward passes.
        fast_mode: If true, first compares products with random vectors.
        masked: Has no effect: all tensors are dense.

    Returns:
        True if all gradients are right.

    Raises:
        GradcheckError: If a gradient is wrong.
        Error: As in `gradcheck`; or if grad_outputs do not fit the outputs.
    """
    values = _inputs("gradgradcheck", func, inputs)
    grads = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs or ())
    flags = _flags(
        backward=check_rev_over_rev,
        forward=check_fwd_over_rev,
        undefined=check_undefined_grad,
        batched=check_batched_grad,
        dtypes=check_grad_dtypes,
        fast=fast_mode,
        strided_grads=gen_non_contig_grad_outputs,
    )
    report = _tenon.run_gradcheck(func, values, grads, flags, eps, atol, rtol, nondet_tol)
    return _told(report, raise_exception)
