# SPDX-License-Identifier: Apache-2.0
"""Saving and loading state dicts: parameters, buffers and extra state by path."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ..._tenon import Tensor
from ...error import ArgumentTypeError, StateError
from ...grad_mode import no_grad
from ...utils import swap_tensors
from ...utils.hooks import HookTable, RemovableHandle, add_hook
from ..conversion import get_swap_module_params_on_conversion
from ..parameter import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The keys that `load_state_dict` did not find or did not expect."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()


class StateDict:
    """Mixin of Module that saves and loads state dicts."""

    _version: int = 1
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: HookTable
    _state_dict_pre_hooks: HookTable
    _load_state_dict_pre_hooks: HookTable
    _load_state_dict_post_hooks: HookTable

    # ---- Out -------------------------------------------------------------------------------------

    def get_extra_state(self) -> Any:
        """Returns additional state for the state dict; subclasses with such state override it."""
        raise NotImplementedError("get_extra_state: method must be defined, got a class without it")

    def set_extra_state(self, state: Any) -> None:
        """Restores the state that `get_extra_state` returned."""
        raise NotImplementedError("set_extra_state: method must be defined, got a class without it")

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Writes the module's own tensors and extra state; subclasses may override it."""
        for name, tensor in (*self._parameters.items(), *self._buffers.items()):
            if tensor is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not StateDict.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """Returns parameters, persistent buffers and extra state of the module and its submodules.

        Args:
            *args: destination, prefix and keep_vars by position (deprecated in PyTorch).
            destination: A dict to write to; by default a new one.
            prefix: Prefix of all keys.
            keep_vars: If true, stores the tensors themselves; otherwise detached ones.

        Returns:
            A dict from paths, such as "first.weight", to tensors that share the module's memory.
        """
        if len(args) > 0 and destination is None:
            destination = args[0]
        if len(args) > 1 and prefix == "":
            prefix = args[1]
        if len(args) > 2 and keep_vars is False:
            keep_vars = args[2]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._state_dict_hooks.values():
            answer = hook(self, destination, prefix, local_metadata)
            if answer is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise StateError("state_dict post hook: result must be None, got another value")
            destination = answer
        return destination

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers `hook(module, prefix, keep_vars)`, called before writing."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers `hook(module, state_dict, prefix, local_metadata)`, called after writing."""
        return add_hook(self._state_dict_hooks, _MustReturnNone(hook))

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a post hook that may return another dict."""
        return add_hook(self._state_dict_hooks, hook)

    # ---- In --------------------------------------------------------------------------------------

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a hook that is called before the module's part of a state dict is read.

        It is called as `hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)` and may change the state dict.
        """
        return add_hook(self._load_state_dict_pre_hooks, _WithModule(hook))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Registers a pre hook that gets the module as first argument only if `with_module`."""
        return add_hook(self._load_state_dict_pre_hooks, _WithModule(hook) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers `hook(module, incompatible_keys)`, called after loading."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Reads the module's own tensors and extra state; subclasses may override it."""
        for hook in self._load_state_dict_pre_hooks.values():
            given = (state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys)
            if isinstance(hook, _WithModule):
                hook.hook(self, *given, error_msgs)
            else:
                hook(*given, error_msgs)
        assign = bool(local_metadata.get("assign_to_params_buffers", False))
        for table in (self._parameters, self._buffers):
            for name, tensor in list(table.items()):
                if tensor is None or name in self._non_persistent_buffers_set:
                    continue
                key = prefix + name
                if key in state_dict:
                    self._load_one(key, name, tensor, state_dict[key], assign, error_msgs)
                elif strict:
                    missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        if type(self).set_extra_state is not StateDict.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra and not self._knows(key[len(prefix) :]):
                    unexpected_keys.append(key)

    def _knows(self, path: str) -> bool:
        """Returns true if the first name of a path is a tensor or a submodule of this module."""
        name, dot, _ = path.partition(".")
        if dot and self._modules.get(name) is not None:
            return True
        if dot or name in self._non_persistent_buffers_set:
            return False
        own = (self._parameters.get(name), self._buffers.get(name))
        return any(tensor is not None for tensor in own)

    def _load_one(
        self, key: str, name: str, tensor: Any, given: Any, assign: bool, errors: list[str]
    ) -> None:
        if not isinstance(given, Tensor):
            errors.append(f"{key}: value must be Tensor, got {type(given).__name__}")
            return
        if tensor.shape == () and given.shape == (1,):
            given = given[0]  # scalars used to be saved with shape (1,)
        if given.shape != tensor.shape:
            errors.append(
                f"{key}: size mismatch: value must have shape {tuple(tensor.shape)}, got "
                f"{tuple(given.shape)}"
            )
            return
        try:
            if tensor.is_meta and not given.is_meta and not assign:
                warnings.warn(
                    f"load_state_dict: {key} must have memory to be copied to, got a tensor on "
                    "meta, which stays unchanged; assign=True replaces it",
                    stacklevel=2,
                )
            if get_swap_module_params_on_conversion():
                self._swap_one(tensor, given, assign)
                return
            if not assign:
                with no_grad():
                    tensor.copy_(given)
                return
            if isinstance(tensor, Parameter):
                if isinstance(given, Parameter):
                    given.requires_grad_(tensor.requires_grad)
                else:
                    given = Parameter(given, tensor.requires_grad)
            setattr(self, name, given)
        except Exception as error:
            errors.append(
                f"{key}: value of shape {tuple(given.shape)} could not be copied: {error}"
            )

    @staticmethod
    def _swap_one(tensor: Tensor, given: Tensor, assign: bool) -> None:
        """Swaps the contents of a loaded tensor into the existing tensor object."""
        with no_grad():
            fresh = tensor.module_load(given, assign=assign)
        if fresh is given or fresh is tensor:
            fresh = fresh.detach()
        if isinstance(tensor, Parameter):
            asks = fresh.requires_grad if assign and isinstance(given, Parameter) else True
            fresh = Parameter(fresh.detach(), tensor.requires_grad and asks)
        swap_tensors(tensor, fresh)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copies tensors of a state dict into parameters and buffers.

        Args:
            state_dict: Tensors and extra state by path, as returned by `state_dict`.
            strict: If true, keys must match those of the module exactly.
            assign: If true, the given tensors replace the module's instead of being copied.

        Returns:
            A named tuple of missing_keys and unexpected_keys.

        Raises:
            StateError: If keys are missing or unexpected, or if shapes differ.
        """
        if not isinstance(state_dict, Mapping):
            raise ArgumentTypeError(
                f"load_state_dict: state_dict must be a dict, got {type(state_dict).__name__}"
            )
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []

        def load(module: Any, local: Any, prefix: str = "") -> None:
            known = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                known = {**known, "assign_to_params_buffers": True}
            module._load_from_state_dict(local, prefix, known, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    path = f"{prefix}{name}."
                    load(child, _part(local, path), path)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise StateError(
                        "load_state_dict post hook: result must be None, got another value; it "
                        "changes the keys in place"
                    )

        load(self, state_dict)
        if strict:
            if unexpected:
                errors.append(f"unexpected keys: {', '.join(unexpected)}")
            if missing:
                errors.append(f"missing keys: {', '.join(missing)}")
        if errors:
            raise StateError(
                f"load_state_dict: state_dict must fit {type(self).__name__}, got\n\t"
                + "\n\t".join(errors)
            )
        return _IncompatibleKeys(missing, unexpected)


def _part(state_dict: Any, prefix: str) -> Any:
    """Returns the entries whose path starts with a prefix."""
    return {key: value for key, value in state_dict.items() if key.startswith(prefix)}


class _WithModule:
    """A pre hook that gets the module as its first argument."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


class _MustReturnNone:
    """A post hook whose result must be None."""

    _from_public_api = True

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


__all__ = ["StateDict"]
