# SPDX-License-Identifier: Apache-2.0
"""Custom autograd functions, as in `torch.autograd.Function`."""

from __future__ import annotations

import functools
import warnings

from .. import _tenon
from .._tenon import FunctionContext
from ..error import ArgumentTypeError, StateError
from ..grad_mode import no_grad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _F = TypeVar("_F", bound=Callable[..., Any])

    from .._tenon import Tensor, dtype


class FunctionCtx(FunctionContext):
    """The context of a call: state that forward leaves for backward; also the call's node."""

    output_grad_dtypes: tuple[Any, ...] | None = None

    def set_output_grad_dtype(self, *dtypes: dtype | None) -> None:
        """Declares in which dtype backward gets the gradient of each output.

        Args:
            *dtypes: One for each output, in forward or setup_context: a dtype; None for a gradient
                of any dtype, and for an output without gradient.

        Raises:
            StateError: it was called before; from `apply`, for another number of outputs and for
                the dtype of an output without gradient.
        """
        if self.output_grad_dtypes is not None:
            raise StateError("set_output_grad_dtype: must be called once, got another call")
        self.output_grad_dtypes = dtypes

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Saves tensors for `jvp`, which reads them from `saved_tensors`."""
        for index, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, _tenon.Tensor):
                raise ArgumentTypeError(
                    f"save_for_forward: argument {index} must be Tensor or None, got "
                    f"{type(tensor).__name__}"
                )
        self.saved_for_forward = tensors


def declare_grad_dtypes(dtypes: tuple[Any, ...], result: Any) -> None:
    """Applies `set_output_grad_dtype` to the outputs of a call."""
    outputs = result if isinstance(result, tuple) else (result,)
    if len(dtypes) != len(outputs):
        raise StateError(
            f"set_output_grad_dtype: dtypes must be one for each of {len(outputs)} outputs, got "
            f"{len(dtypes)}"
        )
    tracked = any(isinstance(one, _tenon.Tensor) and one.requires_grad for one in outputs)
    for place, (output, declared) in enumerate(zip(outputs, dtypes, strict=True)):
        differentiable = isinstance(output, _tenon.Tensor) and (
            output.is_floating_point() or output.is_complex()
        )
        if differentiable and output.requires_grad:
            _tenon.declare_grad_dtype(output, declared)
        elif declared is not None and (not differentiable or tracked):
            raise StateError(
                f"set_output_grad_dtype: dtype {place} must be None for an output without "
                f"gradient, got {declared}"
            )


class BackwardCFunction(FunctionCtx):
    """The base of contexts of one Function class, whose nodes they are."""


def _bind_defaults(
    forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    import inspect  # imported late: a large module that is rarely needed

    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise ArgumentTypeError(
            "Function.apply: arguments of a forward without ctx must be positional, got "
            f"{sorted(bound.kwargs)[0]!r} by keyword only"
        )
    return bound.args


class Function(_tenon.FunctionBase):
    """A function with a custom gradient: static methods of a class that derives from this.

    Define `forward(ctx, *args)` and `backward(ctx, *grads)`; or `forward(*args)` without `ctx`, and
    `setup_context(ctx, inputs, output)`, which stores in `ctx` what backward needs. `jvp(ctx,
    *tangents)` serves forward mode::

        class Exp(Function):
            @staticmethod
            def forward(ctx, x):
                result = x.exp()
                ctx.save_for_backward(result)
                return result

            @staticmethod
            def backward(ctx, grad):
                (result,) = ctx.saved_tensors
                return grad * result

        y = Exp.apply(x)

    Attributes:
        generate_vmap_rule: If true, vmap maps forward, backward and jvp instead of calling `vmap`.
        clear_saved_tensors_on_access: If true, frees `saved_tensors` after they are read.
    """

    # For type checkers `**kwargs` are what lets a subclass name the arguments of its methods.
    generate_vmap_rule = False
    clear_saved_tensors_on_access = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name = f"{cls.__name__}Backward"
        cls._backward_cls = type(name, (BackwardCFunction,), {"_forward_cls": cls})
        cls._record = _tenon.FunctionRecord(
            cls.__name__, cls._backward_cls, bool(cls.clear_saved_tensors_on_access)
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Warns: functions are applied through their class and need no instances."""
        warnings.warn(
            f"{type(self).__name__}: a Function should be applied as a class, "
            f"{type(self).__name__}.apply(...), got an instance",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raises: calling instances is a deprecated style without a context.

        Raises:
            StateError: always.
        """
        raise StateError(
            f"{type(self).__name__}: a Function must be applied as a class, "
            f"{type(self).__name__}.apply(...), got a call of an instance"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the outputs, in no_grad mode. Must be overridden.

        Returns:
            A Tensor, a tuple whose Tensors are outputs, or anything else, which has no gradient.
        """
        raise NotImplementedError("a Function must implement forward, got one that does not")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Stores in `ctx` what backward needs, for a forward without `ctx`. May be overridden."""
        raise NotImplementedError("setup_context is not implemented")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **kwargs: Any) -> Any:
        """Returns a gradient, or None, for each argument of forward. Must be overridden."""
        raise NotImplementedError(
            "a Function must implement backward or vjp to be run backward, got one that does not"
        )

    vjp = backward

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
        """Implements the function under vmap; tensors include the mapped dims.

        Args:
            info: Has `batch_size` and `randomness`.
            in_dims: The mapped dim of each argument, or None.
            args: The arguments.
            kwargs: None.

        Returns:
            A pair: the output, and its mapped dim.
        """
        raise NotImplementedError(
            "a Function must implement vmap to be used in a vmap, got one that does not"
        )

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any, **kwargs: Any) -> Any:
        """Returns the tangent of each output from those of the arguments, for forward mode."""
        raise NotImplementedError(
            "a Function must implement jvp to be used in forward mode, got one that does not"
        )


_tenon._set_function_base(Function.setup_context, Function.backward, _bind_defaults)


def once_differentiable(fn: _F) -> _F:
    """Decorates a backward that is not made of recorded operators.

    It runs in no_grad mode, and to derive the gradients that it returns again is an error.
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        ctx._set_once_differentiable()
        with no_grad():
            return fn(ctx, *args)

    decorated: Any = wrapper
    return decorated


class InplaceFunction(Function):
    """A Function that may be asked to write its argument; kept for programs that derive from it."""


__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
