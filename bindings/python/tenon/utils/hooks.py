# SPDX-License-Identifier: Apache-2.0
"""Handles of hooks, and hooks around the backward pass of a module's call."""

from __future__ import annotations

import functools
import itertools
import warnings
import weakref

from .._tenon import Tensor
from ..error import ArgumentTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ids = itertools.count()


class HookTable(dict):
    """Hooks by the number of their handles, in the order in which they run."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies the table without linking it to the original."""
        return HookTable, (dict(self),)

    def prepend(self, number: int, hook: Any) -> None:
        """Inserts a hook before the existing ones."""
        rest = dict(self)
        self.clear()
        self[number] = hook
        self.update(rest)


class RemovableHandle:
    """A handle that removes a hook: by `remove`, or at the end of a `with` block.

    Args:
        hooks_dict: The dict of the hook, by the handle's `id`.
        extra_dict: One or several dicts with data of the hook, by the same id.
    """

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        """Takes a number that is unique among handles."""
        self.id = next(_ids)
        self.hooks_dict_ref: Any = weakref.ref(hooks_dict)
        extra = extra_dict if isinstance(extra_dict, (list, tuple)) else (extra_dict,)
        self.extra_dict_ref = tuple(weakref.ref(one) for one in extra if one is not None)

    def remove(self) -> None:
        """Removes the hook; does nothing if it is already removed."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            table = ref()
            if table is not None:
                table.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, int]:
        return self.hooks_dict_ref(), self.id

    def __setstate__(self, state: tuple[Any, int]) -> None:
        table, self.id = state
        self.hooks_dict_ref = weakref.ref(HookTable() if table is None else table)
        self.extra_dict_ref = ()

    def __enter__(self) -> RemovableHandle:
        """Returns the handle."""
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def add_hook(table: HookTable, hook: Any, prepend: bool = False, extra: Any = ()) -> Any:
    """Puts a hook into a table; returns its handle."""
    if not callable(hook):
        raise ArgumentTypeError(f"hook: hook must be callable, got {type(hook).__name__}")
    handle = RemovableHandle(table, extra_dict=extra)
    if prepend:
        table.prepend(handle.id, hook)
    else:
        table[handle.id] = hook
    return handle


class BackwardHook:
    """Runs a module's backward hooks when gradients pass the inputs and outputs of one call.

    Inputs and outputs pass through an identity node, which reports when all of their gradients are
    available.

    Args:
        module: The module that is passed to the hooks.
        hooks: Called as `hook(module, grad_input, grad_output)`; a result replaces grad_input.
        pre_hooks: Called as `hook(module, grad_output)`; a result replaces grad_output.
    """

    def __init__(self, module: Any, hooks: list[Any], pre_hooks: list[Any]) -> None:
        """Takes the hooks of one call."""
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.inputs = 0
        self.input_places: list[int] | None = None
        self.outputs = 0
        self.output_places: list[int] = []

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns the inputs, with tracked ones passed through the identity."""
        found, places, node = _through_identity(args)
        self.inputs = len(args)
        if node is None:
            return args
        self.input_places = places
        node.register_hook(self._on_inputs)
        return found

    def setup_output_hook(self, result: Any) -> Any:
        """Returns the outputs, a tensor or a tuple or list of them, passed through the identity."""
        single = isinstance(result, Tensor)
        if not single and not isinstance(result, (tuple, list)):
            warnings.warn(
                f"{type(self.module).__name__}: result must be a Tensor or a tuple of Tensors for "
                f"backward hooks to be called, got {type(result).__name__}",
                stacklevel=2,
            )
            return result
        found, places, node = _through_identity((result,) if single else tuple(result))
        if node is None:
            return result
        self.outputs, self.output_places = len(found), places
        node.register_prehook(self._on_outputs)
        if single:
            return found[0]
        return type(result)(*found) if hasattr(result, "_fields") else type(result)(found)

    def _on_outputs(self, grads: tuple[Any, ...]) -> Any:
        whole = _spread(grads, self.output_places, self.outputs)
        for hook in self.pre_hooks:
            answer = hook(self.module, whole)
            if answer is not None:
                whole = _answer("full backward pre hook", answer, self.outputs)
        self.grad_outputs = whole
        if self.input_places is None:  # no input requires grad: otherwise the hooks would never run
            if self.hooks:
                warnings.warn(
                    f"{type(self.module).__name__}: some input must require grad for full backward "
                    "hooks to be called with its gradient, got none: they are called with those of "
                    "the outputs alone",
                    stacklevel=2,
                )
            for hook in self.hooks:
                answer = hook(self.module, (None,) * self.inputs, whole)
                if answer is not None and not (
                    isinstance(answer, tuple) and all(one is None for one in answer)
                ):
                    raise ArgumentTypeError(
                        "full backward hook: result must be None where no input requires grad, "
                        f"got {type(answer).__name__}"
                    )
            self.grad_outputs = None
        return tuple(whole[place] for place in self.output_places)

    def _on_inputs(self, grad_input: tuple[Any, ...], _: tuple[Any, ...]) -> Any:
        if self.grad_outputs is None or self.input_places is None:
            # Gradients reached an input by a path that bypasses the module's outputs.
            return None
        whole = _spread(grad_input, self.input_places, self.inputs)
        for hook in self.hooks:
            answer = hook(self.module, whole, self.grad_outputs)
            if answer is not None:
                whole = _answer("full backward hook", answer, self.inputs)
        self.grad_outputs = None
        return tuple(whole[place] for place in self.input_places)


def hook_last_operator(module: Any, inputs: Any, result: Any, hooks: list[Any]) -> None:
    """Registers a module's hooks at the node that made the first tensor of a result.

    Warns if the module has other nodes, whose gradients the hooks do not see.
    """
    while not isinstance(result, Tensor):
        if isinstance(result, dict):
            result = next((one for one in result.values() if isinstance(one, Tensor)), None)
        else:
            result = result[0] if isinstance(result, (tuple, list)) and result else None
        if result is None:
            return
    node = result.grad_fn
    if node is not None:
        nodes = {one.grad_fn for one in inputs if isinstance(one, Tensor)} - {None}
        if nodes != {edge[0] for edge in node.next_functions} - {None}:
            warnings.warn(
                f"{type(module).__name__}: a backward hook that is not full sees the gradients of "
                "the last operator only; register_full_backward_hook is for the whole module",
                FutureWarning,
                stacklevel=3,
            )
        for hook in hooks:
            node.register_hook(functools.partial(hook, module))


def _through_identity(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int], Any]:
    """Passes tensors through the identity if one is tracked; returns values, places, node."""
    from ..grad_mode import is_grad_enabled

    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    tracked = [place for place in places if values[place].requires_grad]
    if not tracked or not is_grad_enabled():
        return values, [], None
    passed = _identity().apply(*(values[place] for place in places))
    passed = (passed,) if isinstance(passed, Tensor) else passed
    node = next(one.grad_fn for one in passed if one.grad_fn is not None)
    found = list(values)
    for place, value in zip(places, passed, strict=True):
        found[place] = value
    return tuple(found), places, node


@functools.cache
def _identity() -> Any:
    """Returns the identity as a function with a gradient."""
    from ..autograd import Function

    class BackwardHookFunction(Function):
        """Passes tensors and their gradients on unchanged."""

        @staticmethod
        def forward(ctx: Any, *tensors: Tensor) -> Any:
            """Returns the tensors, which become views that must not be written in place."""
            ctx.mark_non_differentiable(*(one for one in tensors if not one.requires_grad))
            return tensors

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            """Returns the gradients."""
            return grads

    return BackwardHookFunction


def _spread(grads: tuple[Any, ...], places: list[int], count: int) -> tuple[Any, ...]:
    whole: list[Any] = [None] * count
    for place, grad in zip(places, grads, strict=True):
        whole[place] = grad
    return tuple(whole)


def _answer(what: str, answer: Any, count: int) -> tuple[Any, ...]:
    grads = answer if isinstance(answer, tuple) else (answer,)
    if len(grads) != count:
        raise ArgumentTypeError(f"{what}: result must have {count} gradients, got {len(grads)}")
    return grads


__all__ = ["BackwardHook", "HookTable", "RemovableHandle", "add_hook"]
