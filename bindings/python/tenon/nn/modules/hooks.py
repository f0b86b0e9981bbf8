# SPDX-License-Identifier: Apache-2.0
"""Hooks of modules: those of one module, those of all, and the call that runs them."""

from __future__ import annotations

from ... import _tenon
from ...error import StateError
from ...utils.hooks import (
    BackwardHook,
    HookTable,
    RemovableHandle,
    add_hook,
    hook_last_operator,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The tables that each module has, attributes of it.
TABLES = (
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)

# Hooks of all modules: calls look into the first one, which has every hook of the four others.
global_hooks = HookTable()
_tenon._set_global_module_hooks(global_hooks)
_forward_hooks = HookTable()
_forward_hooks_with_kwargs = HookTable()
_forward_hooks_always_called = HookTable()
_forward_pre_hooks = HookTable()
_backward_hooks = HookTable()
_backward_pre_hooks = HookTable()
_plain_backward_hooks = HookTable()
buffer_registration_hooks = HookTable()
module_registration_hooks = HookTable()
parameter_registration_hooks = HookTable()


def _add_global(table: HookTable, hook: Any, *marks: HookTable) -> RemovableHandle:
    handle = add_hook(table, hook, extra=(global_hooks, *marks))
    for each in (global_hooks, *marks):
        each[handle.id] = True
    return handle


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers `hook(module, args)` to run before each module's forward; see Module's method."""
    return _add_global(_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Registers `hook(module, args, output)`, called after each module's forward.

    Args:
        hook: The hook; a result other than None replaces the output.
        with_kwargs: If true, it is called as `hook(module, args, kwargs, output)`.
        always_call: If true, it is also called after a forward that raised.
    """
    marks = []
    if with_kwargs:
        marks.append(_forward_hooks_with_kwargs)
    if always_call:
        marks.append(_forward_hooks_always_called)
    return _add_global(_forward_hooks, hook, *marks)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers `hook(module, grad_input, grad_output)` for the last operator of each module.

    Deprecated: `register_module_full_backward_hook` is for the whole module.
    """
    if _backward_hooks:
        raise StateError(
            "register_module_backward_hook: global backward hooks must be either all full or all "
            "regular, got full ones before"
        )
    return _add_global(_plain_backward_hooks, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers `hook(module, grad_input, grad_output)`, called when gradients are complete."""
    if _plain_backward_hooks:
        raise StateError(
            "register_module_full_backward_hook: global backward hooks must be either all full or "
            "all regular, got regular ones before"
        )
    return _add_global(_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers `hook(module, grad_output)`, called before gradients flow through a module."""
    return _add_global(_backward_pre_hooks, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers `hook(module, name, buffer)` for new buffers; its result replaces them."""
    return add_hook(buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers `hook(module, name, submodule)` for modules that are added to others."""
    return add_hook(module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers `hook(module, name, param)` for new parameters; its result replaces them."""
    return add_hook(parameter_registration_hooks, hook)


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


class Hooks:
    """Mixin of Module that holds its hooks."""

    _forward_hooks: HookTable
    _forward_hooks_with_kwargs: HookTable
    _forward_hooks_always_called: HookTable
    _forward_pre_hooks: HookTable
    _forward_pre_hooks_with_kwargs: HookTable
    _backward_hooks: HookTable
    _backward_pre_hooks: HookTable
    _is_full_backward_hook: bool | None = None

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Registers a hook that is called before each forward.

        Args:
            hook: Called as `hook(module, args)`; a result other than None replaces the positional
                arguments, a tuple all of them.
            prepend: If true, runs before the existing hooks.
            with_kwargs: If true, it is called as `hook(module, args, kwargs)` and returns both.

        Returns:
            A handle that removes it.
        """
        marks = (self._forward_pre_hooks_with_kwargs,) if with_kwargs else ()
        handle = add_hook(self._forward_pre_hooks, hook, prepend, marks)
        for each in marks:
            each[handle.id] = True
        return handle

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Registers a hook that is called after each forward.

        Args:
            hook: Called as `hook(module, args, output)`; a result other than None replaces the
                output.
            prepend: If true, runs before the existing hooks.
            with_kwargs: If true, it is called as `hook(module, args, kwargs, output)`.
            always_call: If true, it is also called, with None, after a forward that raised.

        Returns:
            A handle that removes it.
        """
        marks = []
        if with_kwargs:
            marks.append(self._forward_hooks_with_kwargs)
        if always_call:
            marks.append(self._forward_hooks_always_called)
        handle = add_hook(self._forward_hooks, hook, prepend, marks)
        for each in marks:
            each[handle.id] = True
        return handle

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers `hook(module, grad_input, grad_output)` for the last operator of a call.

        Deprecated: `register_full_backward_hook` is for the whole module.
        """
        self._set_full(False, "register_backward_hook")
        return add_hook(self._backward_hooks, hook)

    def _set_full(self, full: bool, name: str) -> None:
        if self._is_full_backward_hook is (not full):
            raise StateError(
                f"{name}: backward hooks of a module must be either all full or all regular, "
                "got both kinds"
            )
        self._is_full_backward_hook = full

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Registers a hook that is called when the gradients of a call's inputs are complete.

        Args:
            hook: Called as `hook(module, grad_input, grad_output)`, both tuples with None for
                values that are not tensors; a result other than None replaces grad_input.
            prepend: If true, runs before the existing hooks.

        Returns:
            A handle that removes it.
        """
        self._set_full(True, "register_full_backward_hook")
        return add_hook(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Registers a hook that is called before gradients flow through a call.

        Args:
            hook: Called as `hook(module, grad_output)`; a result other than None replaces it.
            prepend: If true, runs before the existing hooks.

        Returns:
            A handle that removes it.
        """
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def _run_pre_hooks(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        hooks = [(False, hook) for hook in _forward_pre_hooks.values()]
        named = self._forward_pre_hooks_with_kwargs
        hooks += [(number in named, hook) for number, hook in self._forward_pre_hooks.items()]
        for with_kwargs, hook in hooks:
            answer = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if answer is None:
                continue
            if not with_kwargs:
                args = _tuple(answer)
            elif isinstance(answer, tuple) and len(answer) == 2:
                args, kwargs = answer
            else:
                raise RuntimeError(
                    "forward pre hook: result must be None or a tuple of args and kwargs, got "
                    f"{answer!r}"
                )
        return args, kwargs

    def _after_hooks(self) -> list[tuple[int, Any, bool, bool]]:
        """Number, hook, whether it takes keywords, whether it is always called."""
        own = (
            self._forward_hooks,
            self._forward_hooks_with_kwargs,
            self._forward_hooks_always_called,
        )
        everywhere = (_forward_hooks, _forward_hooks_with_kwargs, _forward_hooks_always_called)
        return [
            (number, hook, number in named, number in always)
            for table, named, always in (everywhere, own)
            for number, hook in table.items()
        ]

    def _call_with_hooks(self, args: Any, kwargs: Any) -> Any:
        """Calls a module for which a hook is registered."""
        called: set[int] = set()
        try:
            return self._call_all(args, kwargs, called)
        except Exception:
            for number, hook, with_kwargs, always in self._after_hooks():
                if not always or number in called:
                    continue
                try:
                    if with_kwargs:
                        hook(self, args, kwargs, None)
                    else:
                        hook(self, args, None)
                except Exception as error:
                    import warnings

                    warnings.warn(
                        f"{type(self).__name__}: a forward hook that is always called raised "
                        f"{error!r} after forward had raised",
                        stacklevel=2,
                    )
            raise

    def _call_all(self, args: Any, kwargs: Any, called: set[int]) -> Any:
        before = [*_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
        own = list(self._backward_hooks.values())
        plain = [*_plain_backward_hooks.values()]
        if self._is_full_backward_hook is False:
            plain, own = plain + own, []
        behind = [*_backward_hooks.values(), *own]
        args, kwargs = self._run_pre_hooks(args, kwargs)
        passing = BackwardHook(self, behind, before) if before or behind else None
        if passing is not None:
            args = passing.setup_input_hook(args)
        result = self.forward(*args, **kwargs)  # type: ignore[attr-defined]
        for number, hook, with_kwargs, _ in self._after_hooks():
            called.add(number)
            answer = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            if answer is not None:
                result = answer
        if passing is not None:
            result = passing.setup_output_hook(result)
        if plain:
            hook_last_operator(self, args, result, plain)
        return result


__all__ = [
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]
