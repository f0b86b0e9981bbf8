# SPDX-License-Identifier: Apache-2.0
"""Checks of gradients: those of backward passes beside differences of the function.

Names and arguments are PyTorch's. The work is done in C, for functions of every language.
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
    """A gradient that is not the derivative, or a backward pass that breaks a rule."""


class NothingToCheckError(InvalidArgumentError, AssertionError):
    """A call that asks for no check at all."""


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
    """Compares gradients with differences of the function's outputs, for each input element.

    Of a complex function the real and the imaginary part are checked as two real ones, and complex
    inputs move along both axes. Differences need inputs of double precision.

    Args:
        func: Gives a tensor or several; it runs many times and must always give the same.
        inputs: What it is called with; gradients are checked of tensors that require grad.
        eps: By how much an element moves to both sides.
        atol: A derivative may be off by this,
        rtol: and by this times the difference quotient.
        raise_exception: Whether a wrong gradient raises, or gives False.
        nondet_tol: By how much two passes with the same gradient may differ.
        check_undefined_grad: Whether undefined gradients of outputs must count as zero.
        check_grad_dtypes: Whether a gradient's dtype must be its input's.
        check_batched_grad: Whether gradients must add up, as batches of them need.
        check_batched_forward_grad: The same of forward mode.
        check_forward_ad: Whether derivatives of forward mode are compared.
        check_backward_ad: Whether those of backward passes are.
        fast_mode: Compares products with random vectors first: one pass an output.
        masked: No difference: all tensors are dense.

    Returns:
        Whether all gradients are right.

    Raises:
        GradcheckError: a gradient is wrong; the text says which, and what mistake it looks like.
        Error: no input requires grad, one overlaps itself; what `func` or a formula raised.
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
    """Does the same for gradients of gradients, by the inputs and by gradients of the outputs.

    Args:
        func: As of `gradcheck`, and so are the arguments that are not named here.
        inputs: What it is called with.
        grad_outputs: Gradients of the outputs that require grad; by default random ones.
        eps: By how much an element moves to both sides.
        atol: A derivative may be off by this,
        rtol: and by this times the difference quotient.
        gen_non_contig_grad_outputs: Whether random ones have gaps in memory.
        raise_exception: Whether a wrong gradient raises, or gives False.
        nondet_tol: By how much two passes with the same gradient may differ.
        check_undefined_grad: Whether undefined gradients must count as zero.
        check_grad_dtypes: Whether a gradient's dtype must be its input's.
        check_batched_grad: Whether gradients must add up.
        check_fwd_over_rev: Whether forward mode derives backward passes.
        check_rev_over_rev: Whether backward passes do.
        fast_mode: Compares products with random vectors first.
        masked: No difference: all tensors are dense.

    Returns:
        Whether all gradients are right.

    Raises:
        GradcheckError: a gradient is wrong.
        Error: as `gradcheck`; grad_outputs do not fit the outputs.
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
