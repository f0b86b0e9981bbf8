# SPDX-License-Identifier: Apache-2.0
"""Symbolic tracing: a function or module is called with proxies, and becomes a graph."""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import sys

from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..nn import Module, Parameter, Sequential
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .proxy import Proxy, TracerBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# Functions that `wrap` makes leaves: the dict that has them, and their names.
_wrapped: dict[tuple[int, str], tuple[dict[str, Any], str]] = {}


def wrap(fn_or_name: Any) -> Any:
    """Makes a function of the calling module a leaf: a trace records its calls.

    Args:
        fn_or_name: The function, or its name.

    Returns:
        The argument, so that `wrap` can be a decorator.
    """
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    scope = frame.f_globals
    _wrapped[id(scope), name] = (scope, name)
    return fn_or_name


def _recording(function: Any) -> Any:
    """Returns a function that is recorded if an argument is a proxy, and called otherwise."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy((args, kwargs))
        if proxy is None:
            return function(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", function, args, kwargs)

    return call


def _find_proxy(value: Any) -> Proxy | None:
    if isinstance(value, Proxy):
        return value
    parts: Any = ()
    if isinstance(value, (tuple, list)):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
    return next((found for one in parts if (found := _find_proxy(one)) is not None), None)


class Tracer(TracerBase):
    """Traces modules and functions; subclasses decide what is a leaf.

    Args:
        autowrap_modules: Modules of Python whose functions are leaves.
        autowrap_functions: Functions that are leaves.
        param_shapes_constant: Has no effect.

    Attributes:
        root: The module that is traced.
        graph: Its graph.
    """

    def __init__(
        self,
        autowrap_modules: tuple[Any, ...] = (),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        """Stores the options."""
        import math

        self._autowrapped = (math, *autowrap_modules)
        self._leaf_functions = autowrap_functions
        self.root: Any = None
        self._paths: dict[int, str] = {}
        self.tensor_attrs: dict[int, str] = {}
        self._of_parameters: list[Node] = []
        self._constants: list[Tensor] = []

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Returns true for the modules of `nn`, Sequential excepted: they are not traced into."""
        home = type(m).__module__
        return home.startswith(("tenon.nn", "torch.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Returns the path of a module of the root.

        Raises:
            NameError: it is none.
        """
        path = self._paths.get(id(mod))
        if path is None:
            raise NameError("fx: a module that is called must be a submodule of the traced one")
        return path

    def call_module(
        self,
        m: Module,
        forward: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Records the call of a leaf; calls other modules."""
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy("call_module", path, args, kwargs)
        return forward(*args, **kwargs)

    def create_arg(self, a: Any) -> Any:
        """See `TracerBase.create_arg`; tensors become attributes of the root."""
        if isinstance(a, Parameter) or (isinstance(a, Tensor) and not isinstance(a, Proxy)):
            return self._attribute(a)
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        return super().create_arg(a)

    def _attribute(self, tensor: Tensor) -> Node:
        name = self.tensor_attrs.get(id(tensor))
        if name is None:
            number = 0
            while hasattr(self.root, f"_tensor_constant{number}"):
                number += 1
            name = f"_tensor_constant{number}"
            self._constants.append(tensor)
            self.tensor_attrs[id(tensor)] = name
            setattr(self.root, name, tensor)
        return self.create_node("get_attr", name, (), {})

    def _inputs(self, function: Any, skips_self: bool, concrete: dict[str, Any]) -> Any:
        """Returns the proxies of a function's arguments, by position and by name."""
        parameters = [*inspect.signature(function).parameters.values()][1 if skips_self else 0 :]
        args, kwargs = [], {}
        for one in parameters:
            if one.name in concrete:
                value = concrete[one.name]
            else:
                stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
                default = () if one.default is one.empty else (one.default,)
                name = f"{stars}{one.name}"
                value = self.create_proxy("placeholder", name, default, {}, one.name)
            if one.kind is one.KEYWORD_ONLY:
                kwargs[one.name] = value
            elif one.kind is one.VAR_KEYWORD:
                if one.name in concrete:
                    kwargs.update(value)
            elif one.kind is one.VAR_POSITIONAL and one.name in concrete:
                args.extend(value)
            else:
                args.append(value)
        return args, kwargs

    @contextlib.contextmanager
    def _parameters_as_proxies(self) -> Iterator[None]:
        """Makes the modules' parameters proxies, so that operations on them are recorded."""
        held: list[tuple[dict[str, Any], str, Any]] = []
        proxies: dict[int, Proxy] = {}
        for prefix, module in self.root.named_modules():
            if self.is_leaf_module(module, prefix) and module is not self.root:
                continue
            for name, value in module._parameters.items():
                if value is None:
                    continue
                if id(value) not in proxies:
                    path = self.tensor_attrs[id(value)]
                    proxies[id(value)] = self.create_proxy("get_attr", path, (), {})
                held.append((module._parameters, name, value))
        for kept, name, value in held:
            kept[name] = proxies[id(value)]
        try:
            yield
        finally:
            for kept, name, value in held:
                kept[name] = value
        for proxy in proxies.values():
            node = proxy.node
            if not node.users:
                self.graph.erase_node(node)
            else:
                order = {one: place for place, one in enumerate(self.graph.nodes)}
                min(node.users, key=order.__getitem__).prepend(node)

    @contextlib.contextmanager
    def _recorded_calls(self) -> Iterator[None]:
        """Redirects modules' calls to `call_module`, and records calls of wrapped functions."""
        before = Module.__call__
        held = []

        def call(module: Module, /, *args: Any, **kwargs: Any) -> Any:
            def forward(*given: Any, **options: Any) -> Any:
                return before(module, *given, **options)

            if module is self.root or id(module) not in self._paths:
                return forward(*args, **kwargs)
            return self.call_module(module, forward, args, kwargs)

        places = [*_wrapped.values()]
        for scope, name in places:
            found = scope.get(name, getattr(builtins, name, None))
            if found is not None:
                held.append((scope, name, scope.get(name)))
                scope[name] = _recording(found)
        of_root = getattr(self._function, "__globals__", {})
        leaves = [*self._leaf_functions]
        for module in self._autowrapped:
            leaves += [one for one in vars(module).values() if callable(one)]
        for name, value in [*of_root.items()]:
            if callable(value) and any(value is one for one in leaves):
                held.append((of_root, name, value))
                of_root[name] = _recording(value)
        for module in self._autowrapped:
            for name, value in [*vars(module).items()]:
                if not name.startswith("_") and callable(value):
                    held.append((vars(module), name, value))
                    vars(module)[name] = _recording(value)
        Module.__call__ = call  # type: ignore[method-assign]
        try:
            yield
        finally:
            Module.__call__ = before  # type: ignore[method-assign]
            for scope, name, value in reversed(held):
                if value is None:
                    scope.pop(name, None)
                else:
                    scope[name] = value

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> Graph:
        """Returns the graph of a module or function.

        Args:
            root: The module or function.
            concrete_args: Values of arguments that are no inputs of the graph.
        """
        is_module = isinstance(root, Module)
        self.root = root if is_module else Module()
        self.graph = Graph()
        self.graph.owning_module = self.root
        function = type(root).forward if is_module else root
        self._function = inspect.unwrap(function)
        self._paths = {id(one): name for name, one in reversed([*self.root.named_modules()])}
        tensors = [*self.root.named_buffers(), *self.root.named_parameters()]
        self.tensor_attrs = {id(one): name for name, one in tensors}
        for prefix, module in self.root.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, Tensor):
                    path = f"{prefix}.{name}" if prefix else name
                    self.tensor_attrs.setdefault(id(value), path)
        args, kwargs = self._inputs(function, is_module, concrete_args or {})
        if is_module:
            args = [root, *args]
        with self._recorded_calls(), self._parameters_as_proxies():
            result = function(*args, **kwargs)
            self.create_node("output", "output", (self.create_arg(result),), {})
        return self.graph


def symbolic_trace(root: Any, concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Returns a module that runs the graph of a module or function.

    Args:
        root: The module or function; its control flow must not depend on inputs.
        concrete_args: Values of arguments that are no inputs of the graph.
    """
    if not (isinstance(root, Module) or callable(root)):
        raise InvalidArgumentError(
            f"symbolic_trace: root must be a module or a function, got {type(root).__name__}"
        )
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


__all__ = ["Tracer", "symbolic_trace", "wrap"]
