# SPDX-License-Identifier: Apache-2.0
"""Base class of optimisers: parameter groups, state, saving and loading."""

from __future__ import annotations

import copy
import functools
from collections import defaultdict

from .._tenon import Tensor
from ..error import ArgumentTypeError, InvalidArgumentError
from ..grad_mode import enable_grad, set_grad_enabled
from ..ops import _packet
from ..utils.hooks import HookTable, RemovableHandle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Params = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


def require_number(function: str, name: str, value: Any, least: float = 0.0) -> None:
    """Raises an error if an option is not a number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= least:
        raise InvalidArgumentError(
            f"{function}: {name} must be a number of at least {least:g}, got {value!r}"
        )


def require_rate(function: str, value: Any) -> None:
    """Raises an error if a learning rate is neither a number of at least 0 nor a tensor of one."""
    if not isinstance(value, Tensor):
        require_number(function, "lr", value)
    elif value.numel() != 1:
        raise InvalidArgumentError(
            f"{function}: lr must be one number, got a tensor of {value.numel()}"
        )


def foreach_of(name: str, *args: Any, **kwargs: Any) -> Any:
    """Calls an operator on lists of tensors, such as "add_"."""
    return _packet(f"aten::_foreach_{name}")(*args, **kwargs)


def check_kind(
    function: str, foreach: bool | None, fused: bool | None, differentiable: bool = False
) -> None:
    """Raises an error if several of foreach, fused and differentiable are requested."""
    if foreach and fused:
        raise InvalidArgumentError(f"{function}: foreach and fused must not both be True")
    if differentiable and (foreach or fused):
        raise InvalidArgumentError(
            f"{function}: differentiable steps must be neither foreach nor fused"
        )


_before_all, _after_all = HookTable(), HookTable()


def _hooked(table: HookTable, hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(table)
    table[handle.id] = hook
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls hook(optimizer, args, kwargs) before each step of every optimiser."""
    return _hooked(_before_all, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls hook(optimizer, args, kwargs) after each step of every optimiser."""
    return _hooked(_after_all, hook)


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a step that runs the hooks around it, and counts itself, unless it is nested."""

    @functools.wraps(step)
    def hooked_step(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if self._is_in_step:
            return step(self, *args, **kwargs)
        self._is_in_step = True
        try:
            for hook in [*_before_all.values(), *self._table("before").values()]:
                result = hook(self, args, kwargs)
                if result is not None:
                    if not (isinstance(result, tuple) and len(result) == 2):
                        raise ArgumentTypeError(
                            f"{type(self).__name__}: hooks before a step must return None or "
                            f"arguments and keywords, got {result!r}"
                        )
                    args, kwargs = result
            loss = step(self, *args, **kwargs)
            self.steps_taken += 1
            for hook in [*self._table("after").values(), *_after_all.values()]:
                hook(self, args, kwargs)
        finally:
            self._is_in_step = False
        return loss

    return hooked_step


class Optimizer:
    """Base of optimisers. A subclass defines `update`, which changes one group of parameters.

    Args:
        params: Parameters, pairs of name and parameter, or dicts with "params" and options.
        defaults: Options for groups that do not set them.

    Raises:
        InvalidArgumentError: If there are no parameters, one is not a leaf, or one is repeated.
        ArgumentTypeError: If params is a tensor, or contains another type.
    """

    _is_in_step = False
    steps_taken = 0  # read by learning rate schedules

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Makes a subclass's own step run the hooks."""
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        """Stores the parameter groups."""
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._hooks: dict[str, HookTable] = {}
        self.steps_taken = 0
        name = type(self).__name__
        if isinstance(params, Tensor):
            raise ArgumentTypeError(
                f"{name}: params must be an iterable of tensors or dicts, got one Tensor"
            )
        groups: list[Any] = list(params)
        if not groups:
            raise InvalidArgumentError(f"{name}: params must hold a parameter, got an empty list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a dict of "params" and options; missing options are the defaults."""
        name = type(self).__name__
        group = dict(param_group)
        params = group["params"]
        given: Sequence[Any] = [params] if isinstance(params, Tensor) else list(params)
        if given and all(isinstance(one, tuple) for one in given):
            group["param_names"] = [one[0] for one in given]
            given = [one[1] for one in given]
        has_names = "param_names" in group
        if self.param_groups and has_names != ("param_names" in self.param_groups[0]):
            raise InvalidArgumentError(
                f"{name}: parameters of all groups must have names, or none of them, got both"
            )
        known = {one for each in self.param_groups for one in each["params"]}
        for one in given:
            if not isinstance(one, Tensor):
                raise ArgumentTypeError(
                    f"{name}: params must hold Tensors, got {type(one).__name__}"
                )
            if not (one.is_leaf or one.retains_grad or self.defaults.get("differentiable")):
                raise InvalidArgumentError(
                    f"{name}: parameters must be leaves, got one made by {one.grad_fn.name()}"
                )
            if one in known:
                raise InvalidArgumentError(f"{name}: a parameter must be given once, got it twice")
            known.add(one)
        group["params"] = list(given)
        for option, value in self.defaults.items():
            group.setdefault(option, value)
        self.param_groups.append(group)

    def _patch_step_function(self) -> None:
        """Does nothing: `step` needs no wrapper; subclasses of other packages call it."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters, or sets them to zero."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    parameter.grad = parameter.grad.detach().zero_()

    @_with_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once; parameters without gradient are skipped.

        Args:
            closure: Recomputes the loss and its gradients; its result is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with set_grad_enabled(bool(self.defaults.get("differentiable"))):
            for group in self.param_groups:
                self.update(group)
        return loss

    def update(self, group: dict[str, Any]) -> None:
        """Changes the parameters of one group; runs without recording."""
        raise NotImplementedError(f"{type(self).__name__} must define update")

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(optimizer, args, kwargs) before each step."""
        return _hooked(self._table("before"), hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(optimizer, args, kwargs) after each step."""
        return _hooked(self._table("after"), hook)

    def _table(self, name: str) -> HookTable:
        """Returns the hooks of a kind; subclasses need not have called the constructor."""
        return self.__dict__.setdefault("_hooks", {}).setdefault(name, HookTable())

    def _register(self, name: str, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
        table = self._table(name)
        handle = RemovableHandle(table)
        if prepend:
            table.prepend(handle.id, hook)
        else:
            table[handle.id] = hook
        return handle

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls hook(optimizer) before `state_dict`."""
        return self._register("before_saving", hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls hook(optimizer, state_dict) after `state_dict`; a result replaces the dict."""
        return self._register("after_saving", hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls hook(optimizer, state_dict) before loading; a result replaces the dict."""
        return self._register("before_loading", hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls hook(optimizer) after `load_state_dict`."""
        return self._register("after_loading", hook, prepend)

    def _numbers(self) -> dict[Tensor, int]:
        numbers: dict[Tensor, int] = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers[parameter] = len(numbers)
        return numbers

    def state_dict(self) -> dict[str, Any]:
        """Returns options and state, with numbers instead of parameters."""
        for hook in [*self._table("before_saving").values()]:
            hook(self)
        numbers = self._numbers()
        groups = [
            {**group, "params": [numbers[one] for one in group["params"]]}
            for group in self.param_groups
        ]
        state = {numbers.get(one, one): values for one, values in self.state.items()}
        found = {"state": state, "param_groups": groups}
        for hook in [*self._table("after_saving").values()]:
            result = hook(self, found)
            found = found if result is None else result
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state that `state_dict` of an optimiser with the same groups returned.

        Tensors of the state become of their parameter's dtype and device, steps excepted.

        Raises:
            InvalidArgumentError: other groups, or groups of other sizes.
        """
        state_dict = dict(state_dict)
        for hook in [*self._table("before_loading").values()]:
            result = hook(self, state_dict)
            state_dict = state_dict if result is None else result
        saved = state_dict["param_groups"]
        name = type(self).__name__
        sizes = [len(group["params"]) for group in self.param_groups]
        given = [len(group["params"]) for group in saved]
        if sizes != given:
            raise InvalidArgumentError(
                f"{name}: state_dict must have groups of {sizes} parameters, got {given}"
            )
        parameters = list(self._numbers())
        order = [number for group in saved for number in group["params"]]
        by_number = dict(zip(order, parameters, strict=True))
        self.state = defaultdict(dict)
        for number, values in state_dict["state"].items():
            owner = by_number.get(number)
            if owner is None:
                self.state[number] = copy.deepcopy(values)
            else:
                self.state[owner] = {key: _like(owner, key, one) for key, one in values.items()}
        for group, other in zip(self.param_groups, saved, strict=True):
            options = {key: one for key, one in other.items() if key != "params"}
            group.update(copy.deepcopy(options))
        for hook in [*self._table("after_loading").values()]:
            hook(self)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def _like(parameter: Tensor, key: str, value: Any) -> Any:
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    if key == "step" or not parameter.dtype.is_floating_point:
        return value.clone()
    return value.to(device=parameter.device, dtype=parameter.dtype).clone()


__all__ = [
    "Optimizer",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
]
