# SPDX-License-Identifier: Apache-2.0
"""Module: parameters, buffers and modules by name, and a call that hooks can watch and change."""

from __future__ import annotations

from ..._tenon import ModuleBase, Tensor
from ...error import ArgumentTypeError, InvalidArgumentError
from ...grad_mode import no_grad
from ...utils.hooks import HookTable
from ..conversion import get_overwrite_module_params_on_conversion
from ..parameter import Buffer, Parameter
from . import hooks as _hooks
from .hooks import (
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .state_dict import StateDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    _Self = TypeVar("_Self", bound="Module")


class _CallSignature:
    """The signature that inspect.signature reports for a module: any arguments, as for calls."""

    def __get__(self, module: object, owner: type) -> Any:
        if module is None:  # a class has the signature of its constructor
            raise AttributeError("__signature__")
        from inspect import Parameter, Signature

        kinds = (("args", Parameter.VAR_POSITIONAL), ("kwargs", Parameter.VAR_KEYWORD))
        return Signature([Parameter(name, kind) for name, kind in kinds])


class Module(_hooks.Hooks, StateDict, ModuleBase):
    """A part of a network: it keeps parameters, buffers and other modules by name.

    A subclass calls `super().__init__()` before it assigns any of these, and defines `forward`,
    which runs in a call:

        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.factor = nn.Parameter(tenon.ones(1))

            def forward(self, x):
                return x * self.factor

    Attributes:
        training: True if the module is in training mode; see `train` and `eval`.
    """

    __signature__ = _CallSignature()
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Creates an empty module."""
        if args or kwargs:
            raise ArgumentTypeError(
                f"{type(self).__name__}.__init__: arguments must be none, got "
                f"{len(args) + len(kwargs)}"
            )
        state = self.__dict__
        state["training"] = True
        state["_parameters"] = {}
        state["_buffers"] = {}
        state["_non_persistent_buffers_set"] = set()
        state["_modules"] = {}
        for table in _hooks.TABLES:
            state[table] = HookTable()

    # ---- Calls -----------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the module's result; each class has its own."""
        raise NotImplementedError(
            f"{type(self).__name__}.forward: method must be defined, got a class without it"
        )

    # ---- Registration ----------------------------------------------------------------------------

    def _check_name(self, function: str, name: Any, table: str) -> None:
        where = f"{type(self).__name__}.{function}: name must be"
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{where} str, got {type(name).__name__}")
        if "." in name or name == "":
            raise KeyError(f"{where} without dots and not empty, got {name!r}")
        if hasattr(self, name) and name not in self.__dict__[table]:
            raise KeyError(f"{where} free, got {name!r}, which is an attribute already")

    def _require_init(self, what: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__}: {what} must be assigned after Module.__init__() was "
                "called, got one before"
            )

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter; None keeps the name for one."""
        self._require_init("parameters")
        self._check_name("register_parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise ArgumentTypeError(
                f"register_parameter: {name} must be Parameter or None, got {type(param).__name__}"
            )
        if param is not None and param.grad_fn is not None:
            raise InvalidArgumentError(
                f"register_parameter: {name} must be a leaf, got a parameter made by "
                f"{param.grad_fn.name()}"
            )
        for hook in _hooks.parameter_registration_hooks.values():
            answer = hook(self, name, param)
            param = param if answer is None else answer
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is part of the module and no parameter.

        Args:
            name: By which it can be reached.
            tensor: None keeps the name for one.
            persistent: If true, it is part of the state dict.
        """
        self._require_init("buffers")
        self._check_name("register_buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"register_buffer: {name} must be Tensor or None, got {type(tensor).__name__}"
            )
        for hook in _hooks.buffer_registration_hooks.values():
            answer = hook(self, name, tensor)
            tensor = tensor if answer is None else answer
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a module; None keeps the name for one."""
        self._require_init("modules")
        if module is not None and not isinstance(module, Module):
            raise ArgumentTypeError(
                f"add_module: {name} must be Module or None, got {type(module).__name__}"
            )
        self._check_name("add_module", name, "_modules")
        for hook in _hooks.module_registration_hooks.values():
            answer = hook(self, name, module)
            module = module if answer is None else answer
        self._modules[name] = module

    register_module = add_module

    def __setattr__(self, name: str, value: Any) -> None:
        """Puts parameters, buffers and modules into their tables, other values into attributes."""
        state = self.__dict__
        if isinstance(value, Parameter):
            self._require_init("parameters")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif name in state.get("_parameters", ()):
            self._take_none("parameter", name, value, "Parameter")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._require_init("modules")
            self._forget(name, "_modules")
            self.add_module(name, value)
        elif name in state.get("_modules", ()):
            self._take_none("module", name, value, "Module")
            self.add_module(name, value)
        elif isinstance(value, Buffer):
            self._require_init("buffers")
            self._forget(name, "_buffers")
            self.register_buffer(name, value, value.persistent)
        elif name in state.get("_buffers", ()):
            if not isinstance(value, Tensor):
                self._take_none("buffer", name, value, "Tensor")
            self.register_buffer(name, value, name not in self._non_persistent_buffers_set)
        else:
            super().__setattr__(name, value)

    def _take_none(self, what: str, name: str, value: Any, expected: str) -> None:
        if value is not None:
            raise ArgumentTypeError(
                f"{type(self).__name__}: {what} {name} must be {expected} or None, got "
                f"{type(value).__name__}"
            )

    def _forget(self, name: str, but: str) -> None:
        """Removes a name from all tables but one."""
        state = self.__dict__
        state.pop(name, None)
        for table in ("_parameters", "_buffers", "_modules"):
            if table != but:
                state[table].pop(name, None)
        if but != "_buffers":
            state["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name: str) -> None:
        for table in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[table]:
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = set(dir(type(self))) | set(self.__dict__)
        names |= {*self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in names if not name[0].isdigit())

    # ---- What is in it ---------------------------------------------------------------------------

    def children(self) -> Iterator[Module]:
        """Yields the modules directly in it, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yields the modules directly in it with their names, each once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yields the module itself and all modules in it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yields the module itself and all modules in it with their paths, such as "first.0"."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, path, remove_duplicate)

    def _named_members(
        self, table: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            for name, member in module.__dict__[table].items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield path + ("." if path else "") + name, member

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yields the parameters, each once; also those of the modules in it."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Returns the parameters with their paths."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yields the buffers, each once; also those of the modules in it."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Returns the buffers with their paths."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def get_submodule(self, target: str) -> Module:
        """Returns the module at a path such as "first.0"; the empty one is the module itself."""
        module: Any = self
        for name in target.split(".") if target else ():
            found = module._modules.get(name)
            if found is None:
                raise AttributeError(
                    f"{type(self).__name__}.get_submodule: target must be the path of a module, "
                    f"got {target!r}: {type(module).__name__} has no module {name!r}"
                )
            module = found
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Replaces the module at a path; with `strict` one must exist."""
        path, _, name = target.rpartition(".")
        if not name:
            raise InvalidArgumentError("set_submodule: target must be a path, got an empty one")
        parent = self.get_submodule(path)
        if strict and name not in parent._modules:
            raise AttributeError(
                f"{type(self).__name__}.set_submodule: target must be the path of a module, got "
                f"{target!r}"
            )
        setattr(parent, name, module)

    def _member_at(self, function: str, table: str, target: str) -> Any:
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path).__dict__[table].get(name)
        if found is None:
            what = table.strip("_")[:-1]
            raise AttributeError(
                f"{type(self).__name__}.{function}: target must be the path of a {what}, got "
                f"{target!r}"
            )
        return found

    def get_parameter(self, target: str) -> Parameter:
        """Returns the parameter at a path."""
        return self._member_at("get_parameter", "_parameters", target)

    def get_buffer(self, target: str) -> Tensor:
        """Returns the buffer at a path."""
        return self._member_at("get_buffer", "_buffers", target)

    # ---- All at once -----------------------------------------------------------------------------

    def apply(self: _Self, fn: Callable[[Module], Any]) -> _Self:
        """Calls a function with each module in it, then with the module itself; returns it."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: _Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> _Self:
        """Applies `fn` to the elements of parameters, gradients and buffers."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, param in self._parameters.items():
            if param is None:
                continue
            grad = param.grad
            with no_grad():
                if get_overwrite_module_params_on_conversion():
                    fresh = Parameter(fn(param), param.requires_grad)
                    if grad is not None:
                        fresh.grad = fn(grad).requires_grad_(grad.requires_grad)
                    self._parameters[name] = fresh
                    continue
                param.data = fn(param)
                if grad is not None:
                    param.grad = fn(grad).requires_grad_(grad.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: _Self, *args: Any, **kwargs: Any) -> _Self:
        """Moves and casts parameters and buffers, and returns the module.

        Called as `to(device)`, `to(dtype)`, `to(device, dtype)` or `to(tensor)`, as `Tensor.to`. A
        dtype applies to floating and complex tensors; integers only move. A memory_format
        applies to tensors of the number of dims that it needs.
        """
        layout = kwargs.pop("memory_format", None)
        from ...factories import empty

        wanted = empty(0).to(*args, **kwargs)  # reads the arguments as Tensor.to does
        device = wanted.device if _names(args, kwargs, "device") else None
        dtype = wanted.dtype if _names(args, kwargs, "dtype") else None
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise ArgumentTypeError(f"to: dtype must be floating or complex, got {dtype}")
        blocking = {"non_blocking": kwargs["non_blocking"]} if "non_blocking" in kwargs else {}

        def convert(tensor: Tensor) -> Tensor:
            casts = tensor.is_floating_point() or tensor.is_complex()
            more = {} if layout is None or tensor.ndim not in (4, 5) else {"memory_format": layout}
            return tensor.to(device=device, dtype=dtype if casts else None, **blocking, **more)

        return self._apply(convert)

    def to_empty(self: _Self, *, device: Any, recurse: bool = True) -> _Self:
        """Moves parameters and buffers to a device, with uninitialised elements."""
        from ...factories import empty_like

        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse)

    def _cast(self: _Self, name: str) -> _Self:
        def convert(tensor: Tensor) -> Tensor:
            return getattr(tensor, name)() if tensor.is_floating_point() else tensor

        return self._apply(convert)

    def float(self: _Self) -> _Self:
        """Casts floating parameters and buffers to float32."""
        return self._cast("float")

    def double(self: _Self) -> _Self:
        """Casts floating parameters and buffers to float64."""
        return self._cast("double")

    def half(self: _Self) -> _Self:
        """Casts floating parameters and buffers to float16."""
        return self._cast("half")

    def bfloat16(self: _Self) -> _Self:
        """Casts floating parameters and buffers to bfloat16."""
        return self._cast("bfloat16")

    def type(self: _Self, dst_type: Any) -> _Self:
        """Casts all parameters and buffers to a dtype."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def cpu(self: _Self) -> _Self:
        """Moves parameters and buffers to the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self: _Self, device: int | None = None) -> _Self:
        """Moves parameters and buffers to a CUDA device."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def train(self: _Self, mode: bool = True) -> _Self:
        """Sets training mode here and in all modules in it; returns the module."""
        if not isinstance(mode, bool):
            raise InvalidArgumentError(f"train: mode must be bool, got {mode!r}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: _Self) -> _Self:
        """Leaves training mode: `train(False)`."""
        return self.train(False)

    def share_memory(self: _Self) -> _Self:
        """Returns the module; tensors of this process are not moved to shared memory."""
        return self

    def requires_grad_(self: _Self, requires_grad: bool = True) -> _Self:
        """Sets whether all parameters require gradients; returns the module."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters, or fills them with zeros."""
        for param in self.parameters():
            grad = param.grad
            if grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    # ---- Printing and copies ---------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Text for the brackets of the printed module."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = [f"({name}): {indent(repr(module))}" for name, module in self._modules.items()]
        return layout(self._get_name(), extra.split("\n") if extra else [], lines)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for table in _hooks.TABLES:
            self.__dict__.setdefault(table, HookTable())


def _names(args: tuple[Any, ...], kwargs: dict[str, Any], what: str) -> bool:
    """Returns true if arguments of `to` name a device, or a dtype."""
    from ..._tenon import dtype

    if kwargs.get(what) is not None:
        return True
    for one in args:
        if isinstance(one, Tensor):
            return True
        if isinstance(one, dtype):
            if what == "dtype":
                return True
        elif one is not None and not isinstance(one, bool) and what == "device":
            return True
    return False


def indent(text: str) -> str:
    """Indents all lines of a text but the first by two columns."""
    return text.replace("\n", "\n  ")


def layout(name: str, extra: list[str], lines: list[str]) -> str:
    """Returns a module as text: on one line if it is short, otherwise one line per part."""
    if not lines and len(extra) <= 1:
        return f"{name}({''.join(extra)})"
    return f"{name}(\n  " + "\n  ".join(extra + lines) + "\n)"


__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]
