# SPDX-License-Identifier: Apache-2.0
"""Automatic differentiation: gradients of tensors with respect to tensors.

Names and behaviour are PyTorch's. `backward` adds gradients to `.grad` of leaves, `grad` returns
them; a pass with `create_graph=True` is recorded itself and can be derived again.
"""

from __future__ import annotations

from contextvars import ContextVar

from .. import _tenon
from .._tenon import Tensor
from ..error import ArgumentTypeError, InvalidArgumentError, NotSupportedError, StateError
from ..grad_mode import (
    _Context,
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from ..overridable import overridable
from . import forward_ad, graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .batched import run_batched
from .function import Function
from .gradcheck import gradcheck, gradgradcheck
from .graph import _places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_KEEP = _tenon.TENON_BACKWARD_KEEP_GRAPH
_CREATE = _tenon.TENON_BACKWARD_CREATE_GRAPH
_ALLOW_UNUSED = _tenon.TENON_BACKWARD_ALLOW_UNUSED


def _grads(function: str, outputs: tuple[Any, ...], given: Any) -> tuple[Any, ...]:
    if given is None:
        return (None,) * len(outputs)
    grads = (given,) if isinstance(given, Tensor) else tuple(given)
    if len(grads) != len(outputs):
        raise ArgumentTypeError(
            f"{function}: gradients must be given one for each of {len(outputs)} outputs, got "
            f"{len(grads)}"
        )
    return grads


def _flags(retain_graph: bool | None, create_graph: bool) -> int:
    keep = create_graph if retain_graph is None else retain_graph
    return (_KEEP if keep else 0) | (_CREATE if create_graph else 0)


@overridable
def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Runs a backward pass, which adds gradients to `.grad` of the leaves.

    Args:
        tensors: Start of the pass: tensors that require grad, or gradient edges.
        grad_tensors: A gradient for each of them, of its shape; None means 1 for a tensor of one
            element.
        retain_graph: If true, the graph can be run again; by default as `create_graph`.
        create_graph: If true, records the pass itself, for higher derivatives.
        inputs: The tensors that get gradients, optionally in a dict; by default all leaves. Results
            of operators retain their gradients from then on.

    Raises:
        Error: If an output does not require grad, or needs a gradient and has none; if the graph
            was freed; if a saved tensor was written in place; also errors of formulas.
    """
    outputs = _places("backward", "tensors", tensors)
    wanted = () if inputs is None else _places("backward", "inputs", inputs)
    if inputs is not None and not wanted:
        raise ArgumentTypeError("backward: inputs must not be empty; leave them out for all leaves")
    grads = _grads("backward", outputs, grad_tensors)
    _tenon.run_backward(outputs, grads, wanted, _flags(retain_graph, create_graph))


def _zeros_for(place: int, end: Any, batch: tuple[int, ...]) -> Tensor:
    """Returns the gradient of an input that no output depends on, laid out as the input."""
    if not isinstance(end, Tensor):
        raise StateError(
            f"grad: input {place} must be a Tensor for materialize_grads=True to make zeros for "
            "it, got a GradientEdge that no output depends on"
        )
    from ..factories import zeros_like

    return end.new_zeros((*batch, *end.shape)) if batch else zeros_like(end)


@overridable
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Any,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Returns the gradients of inputs, and leaves `.grad` alone.

    Args:
        outputs: Where the pass begins: tensors that require grad, or gradient edges.
        inputs: Tensors that require grad, or gradient edges; for a dict the result is a dict.
        grad_outputs: A gradient for each output, of its shape; None means 1 for a one-element
            output.
        retain_graph: If true, the graph can be run again; by default as `create_graph`.
        create_graph: If true, records the pass itself, for higher derivatives.
        only_inputs: Must be True: use `backward` to accumulate into all leaves.
        allow_unused: If true, inputs that no output depends on get None; otherwise they are an
            error.
        is_grads_batched: If true, the first dim of grad_outputs is a batch of passes, whose results
            are stacked.
        materialize_grads: If true, unused inputs get zeros instead of None.

    Raises:
        Error: As `backward`; or if an input does not require grad, or no output depends on it.
    """
    if not only_inputs:
        raise NotSupportedError("grad: only_inputs must be True; backward() is for all leaves")
    if allow_unused is False and materialize_grads:
        raise InvalidArgumentError(
            "grad: allow_unused must be True or None with materialize_grads=True, got False"
        )
    begins = _places("grad", "outputs", outputs)
    ends = _places("grad", "inputs", inputs)
    if not ends:
        raise ArgumentTypeError("grad: inputs must not be empty")
    flags = _flags(retain_graph, create_graph)
    if allow_unused or materialize_grads:
        flags |= _ALLOW_UNUSED
    first = _grads("grad", begins, grad_outputs)
    found = (run_batched if is_grads_batched else _tenon.run_grad)(begins, first, ends, flags)
    if materialize_grads:
        batch = first[0].shape[:1] if is_grads_batched else ()
        found = tuple(
            _zeros_for(place, end, batch) if one is None else one
            for place, (one, end) in enumerate(zip(found, ends, strict=True))
        )
    return dict(zip(inputs, found, strict=True)) if isinstance(inputs, dict) else found


def _backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Runs a backward pass that begins at this tensor: see `autograd.backward`."""
    if gradient is None and inputs is None:
        _tenon.run_backward_from(self, retain_graph, create_graph)
    else:
        backward(self, gradient, retain_graph, create_graph, inputs)


def _is_view(self: Tensor) -> bool:
    """Returns true if the tensor is a view of another tensor."""
    return self._base is not None


# ---- Threads -------------------------------------------------------------------------------------

_multithreading: ContextVar[bool] = ContextVar("_multithreading", default=True)


def is_multithreading_enabled() -> bool:
    """Returns the calling thread's setting of `set_multithreading_enabled`."""
    return _multithreading.get()


class set_multithreading_enabled(_Context):
    """Enables or disables multithreaded backward; as a context manager, until exit.

    All nodes run on the calling thread in any case: the setting only changes the result of
    `is_multithreading_enabled`.
    """

    def __init__(self, mode: bool) -> None:
        """Applies the setting immediately."""
        self.mode = bool(mode)
        self.prev = _multithreading.get()
        _multithreading.set(self.mode)

    def _again(self) -> set_multithreading_enabled:
        return type(self)(self.mode)

    def __call__(self, function: Any) -> Any:
        """Decorates a function; restores the setting that preceded this object."""
        self.__exit__()
        return super().__call__(function)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _multithreading.set(self.prev)


class _ExecutionEngine:
    """The part of PyTorch's execution engine that Python programs use."""

    queue_callback = staticmethod(graph.queue_callback)


def __getattr__(name: str) -> Any:
    """Imports the derivatives of whole functions at their first use."""
    if name == "functional":
        from importlib import import_module

        return import_module("tenon.autograd.functional")
    raise AttributeError(f"module 'tenon.autograd' has no attribute {name!r}")


# PyTorch's older name for tensors that require grad.
Variable = Tensor
Tensor._execution_engine = _ExecutionEngine()

_backward.__name__ = "backward"
_backward.__qualname__ = "Tensor.backward"
Tensor.backward = overridable(_backward)
Tensor._is_view = overridable(_is_view)
# Inherited by subclasses, these getters must not convert their results to the subclass.
_tenon.set_plain_results((Tensor._base.__get__, Tensor.grad.__get__))

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "forward_ad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
