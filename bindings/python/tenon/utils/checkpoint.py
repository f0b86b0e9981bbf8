# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: a function's intermediate results are computed again in backward, not kept."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import warnings
import weakref

from .. import _tenon
from .._tenon import Tensor, default_generator
from ..amp.autocast_mode import (
    autocast,
    get_autocast_dtype,
    is_autocast_cache_enabled,
    is_autocast_enabled,
)
from ..error import InvalidArgumentError, NotSupportedError, StateError
from ..grad_mode import enable_grad, no_grad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

_early_stop: contextvars.ContextVar[bool | None] = contextvars.ContextVar(
    "early_stop", default=None
)


class CheckpointError(StateError):
    """The function behaved differently when it was recomputed."""


class _StopRecomputation(Exception):
    """Stops recomputation once all saved tensors are available again."""


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Sets whether checkpoints of a `with` block stop recomputation as early as possible.

    Args:
        enable: The value, which overrides that of the checkpoints.
    """
    token = _early_stop.set(bool(enable))
    try:
        yield
    finally:
        _early_stop.reset(token)


def noop_context_fn() -> tuple[Any, Any]:
    """Returns two contexts that do nothing: the default of `context_fn`."""
    return contextlib.nullcontext(), contextlib.nullcontext()


# ---- State that recomputation restores ----------------------------------------------------------


def _autocast_of(device_type: str) -> tuple[bool, Any, bool]:
    enabled, dtype = is_autocast_enabled(device_type), get_autocast_dtype(device_type)
    return enabled, dtype, is_autocast_cache_enabled()


class _FirstRun:
    """State of the first run: the CPU generator's state and the autocast regions."""

    def __init__(self, preserve: bool, tensors: Iterable[Tensor]) -> None:
        self.state = default_generator().get_state() if preserve else None
        types = {tensor.device.type for tensor in tensors} - {"meta"} | {"cpu"}
        self.regions = [(name, *_autocast_of(name)) for name in sorted(types)]

    @contextlib.contextmanager
    def again(self) -> Iterator[None]:
        """Restores autocast regions and random state during a `with` block."""
        with contextlib.ExitStack() as stack:
            for name, enabled, dtype, caches in self.regions:
                stack.enter_context(autocast(name, dtype, enabled, caches))
            with self._same_numbers():
                yield

    @contextlib.contextmanager
    def _same_numbers(self) -> Iterator[None]:
        if self.state is None:
            yield
            return
        due = default_generator().get_state()
        default_generator().set_state(self.state)
        try:
            yield
        finally:
            default_generator().set_state(due)


# ---- Plain ---------------------------------------------------------------------------------------


class _Holder:
    """A placeholder in the graph for a tensor that is not kept."""

    __slots__ = ("__weakref__", "frame", "index")

    def __init__(self, frame: _Frame, index: int) -> None:
        self.frame = frame
        self.index = index


def _facts(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class _Frame:
    """One checkpoint: how to recompute the function, and the tensors that its graph saved."""

    def __init__(self, recompute: Callable[[], Any], early_stop: bool, compares: bool) -> None:
        self.recompute = recompute
        self.early_stop = early_stop
        self.compares = compares
        self.facts: list[dict[str, Any]] = []
        self.holders: list[weakref.ref[_Holder]] = []
        self.found: dict[int, Tensor] = {}

    def pack(self, tensor: Tensor) -> _Holder:
        """Records a tensor's metadata, without keeping the tensor."""
        holder = _Holder(self, len(self.holders))
        self.holders.append(weakref.ref(holder))
        self.facts.append(_facts(tensor))
        return holder

    def unpack(self, holder: _Holder) -> Tensor:
        """Returns the tensor, recomputing the function if needed."""
        if holder.index not in self.found:
            self._run()
        return self.found.pop(holder.index)

    def _run(self) -> None:
        from ..autograd.graph import saved_tensors_hooks

        self.found.clear()
        count = 0

        def pack(tensor: Tensor) -> Tensor:
            nonlocal count
            index, count = count, count + 1
            kept = tensor.detach()
            if index < len(self.holders) and self.holders[index]() is not None:
                self.found[index] = kept
                self._compare(index, kept)
            if self.early_stop and count == len(self.holders):
                raise _StopRecomputation
            return kept

        hooks = saved_tensors_hooks(pack, lambda tensor: tensor)
        with contextlib.suppress(_StopRecomputation), enable_grad(), hooks:
            self.recompute()
        if count != len(self.holders):
            raise CheckpointError(
                "checkpoint: number of saved tensors must be the same when the function is "
                f"recomputed, {len(self.holders)}, got {count}"
            )

    def _compare(self, index: int, tensor: Tensor) -> None:
        facts = _facts(tensor)
        if self.compares and facts != self.facts[index]:
            raise CheckpointError(
                f"checkpoint: saved tensor {index} must have the same metadata when the function "
                f"is recomputed, {self.facts[index]}, got {facts}"
            )


def _checkpoint_plain(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    preserve: bool,
    context_fn: Any,
    compares: bool,
    early_stop: bool,
) -> Any:
    from ..autograd.graph import saved_tensors_hooks
    from ..grad_mode import is_grad_enabled

    first, second = context_fn()
    if not is_grad_enabled():
        with first:
            return function(*args, **kwargs)
    given = [one for one in (*args, *kwargs.values()) if isinstance(one, Tensor)]
    first_run = _FirstRun(preserve, given)
    versions = [one._version for one in given]

    def recompute() -> None:
        for place, (one, version) in enumerate(zip(given, versions, strict=True)):
            if one._version != version:
                raise CheckpointError(
                    f"checkpoint: tensor argument {place} must stay as it is until the function is "
                    "recomputed, got one that was modified inplace"
                )
        with first_run.again(), second:
            function(*args, **kwargs)

    chosen = _early_stop.get()
    frame = _Frame(recompute, early_stop if chosen is None else chosen, compares)
    with saved_tensors_hooks(frame.pack, lambda holder: holder.frame.unpack(holder)), first:
        return function(*args, **kwargs)


# ---- Reentrant -----------------------------------------------------------------------------------


def _detached(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    return value.detach().requires_grad_(value.requires_grad)


def _checkpoint_reentrant(function: Any, args: tuple[Any, ...], preserve: bool) -> Any:
    from ..grad_mode import is_grad_enabled

    tracked = any(isinstance(one, Tensor) and one.requires_grad for one in args)
    if is_grad_enabled() and not tracked:
        warnings.warn(
            "checkpoint: an argument must require grad, got none; no gradient will flow",
            stacklevel=3,
        )
    return _reentrant_function().apply(function, preserve, *args)


@functools.cache
def _reentrant_function() -> Any:
    """Defines the Function of reentrant checkpoints at its first use."""
    from ..autograd import Function, backward

    class CheckpointFunction(Function):
        """Runs a function unrecorded, and in backward again, recorded."""

        @staticmethod
        def forward(ctx: Any, function: Any, preserve: bool, *args: Any) -> Any:
            """Returns the function's results."""
            ctx.function = function
            ctx.first_run = _FirstRun(preserve, (a for a in args if isinstance(a, Tensor)))
            ctx.places = [place for place, one in enumerate(args) if isinstance(one, Tensor)]
            ctx.others = [None if isinstance(one, Tensor) else one for one in args]
            ctx.save_for_backward(*(args[place] for place in ctx.places))
            with no_grad():
                return function(*args)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            """Recomputes the function, and runs a backward pass through it."""
            if _tenon.passes_to_inputs():
                raise StateError(
                    "checkpoint: a backward pass through a reentrant checkpoint must be one to all "
                    "leaves, got grad() or backward(inputs=); use_reentrant=False allows them"
                )
            args = list(ctx.others)
            for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
                args[place] = _detached(tensor)
            with ctx.first_run.again(), enable_grad():
                outputs = ctx.function(*args)
            outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
            roots = [
                (output, grad)
                for output, grad in zip(outputs, grads, strict=True)
                if isinstance(output, Tensor) and output.requires_grad
            ]
            if not roots:
                raise StateError(
                    "checkpoint: an output must require grad, got none; the function may have run "
                    "in no_grad mode"
                )
            backward([output for output, _ in roots], [grad for _, grad in roots])
            return (
                None,
                None,
                *(one.grad if isinstance(one, Tensor) else None for one in args),
            )

    return CheckpointFunction


def _decorator(options: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns the decorator for `checkpoint` without a function."""
    if args or kwargs:
        raise InvalidArgumentError(
            "checkpoint: arguments must be none without a function, got "
            f"{', '.join([*map(repr, args), *kwargs])}"
        )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return checkpoint(function, *args, **options, **kwargs)

        return wrapper

    return decorate


# ---- Both ----------------------------------------------------------------------------------------


def checkpoint(
    function: Callable[..., Any] | None = None,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Calls a function whose graph keeps none of its tensors; backward recomputes them.

    Without a function it returns a decorator: `@checkpoint(use_reentrant=False)`.

    Args:
        function: The function; it must behave identically when it is recomputed.
        *args: Arguments of the function.
        use_reentrant: If false, records the graph and recomputes its tensors when backward reaches
            it. If true, runs the function unrecorded, and in backward a nested backward pass; this
            supports only passes to all leaves, and an argument must require grad.
        context_fn: Returns two contexts, for the first run and for recomputation.
        determinism_check: "default" compares shapes, dtypes and devices of both runs, "none"
            nothing.
        debug: Not supported.
        early_stop: If true, stops recomputation once all saved tensors are available again.
        preserve_rng_state: If true, recomputation draws the same random numbers.
        **kwargs: Keyword arguments of the function; not for `use_reentrant=True`.

    Returns:
        The function's results.

    Raises:
        CheckpointError: In backward, if the function behaved differently when recomputed.
    """
    if function is None:
        options = {
            "use_reentrant": use_reentrant,
            "context_fn": context_fn,
            "determinism_check": determinism_check,
            "debug": debug,
            "early_stop": early_stop,
            "preserve_rng_state": preserve_rng_state,
        }
        return _decorator(options, args, kwargs)
    if use_reentrant is None:
        warnings.warn(
            "checkpoint: use_reentrant must be given, got none: True is taken; False is better",
            stacklevel=2,
        )
        use_reentrant = True
    if determinism_check not in ("default", "none"):
        raise InvalidArgumentError(
            f"checkpoint: determinism_check must be 'default' or 'none', got {determinism_check!r}"
        )
    if use_reentrant:
        if context_fn is not noop_context_fn or debug:
            raise InvalidArgumentError(
                "checkpoint: context_fn and debug must be left out where use_reentrant is True"
            )
        if kwargs:
            raise InvalidArgumentError(
                f"checkpoint: keywords must be none where use_reentrant is True, got "
                f"{', '.join(kwargs)}"
            )
        return _checkpoint_reentrant(function, args, preserve_rng_state)
    if debug:
        raise NotSupportedError("checkpoint: debug must be False, got True")
    return _checkpoint_plain(
        function,
        args,
        kwargs,
        preserve=preserve_rng_state,
        context_fn=context_fn,
        compares=determinism_check == "default",
        early_stop=early_stop,
    )


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Runs functions in sequence, with all segments but the last as checkpoints.

    Args:
        functions: A Sequential, or a sequence of functions.
        segments: Number of segments.
        input: Argument of the first function.
        use_reentrant: As for checkpoint.
        preserve_rng_state: As for checkpoint.

    Returns:
        The last function's result.
    """
    if use_reentrant is None:
        warnings.warn(
            "checkpoint_sequential: use_reentrant must be given, got none: True is taken; False is "
            "better",
            stacklevel=2,
        )
        use_reentrant = True
    steps: Sequence[Any] = list(functions)
    if not 1 <= segments <= max(len(steps), 1):
        raise InvalidArgumentError(
            f"checkpoint_sequential: segments must be between 1 and {len(steps)}, got {segments}"
        )

    def run(start: int, end: int) -> Callable[[Any], Any]:
        def forward(value: Any) -> Any:
            for step in steps[start:end]:
                value = step(value)
            return value

        return forward

    size = len(steps) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(
            run(start, start + size),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
    return run(size * (segments - 1), len(steps))(input)


def __getattr__(name: str) -> Any:
    """Imports selective checkpointing at its first use."""
    if name not in _SELECTIVE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import selective_checkpoint

    return getattr(selective_checkpoint, name)


_SELECTIVE = (
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
)
__all__ = [
    "CheckpointError",
    *_SELECTIVE,
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_early_stop",
]
