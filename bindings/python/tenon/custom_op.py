# SPDX-License-Identifier: Apache-2.0
"""Operators made from annotated Python functions, like `torch.library.custom_op`."""

from __future__ import annotations

import contextlib
import warnings
from typing import Generic, ParamSpec, TypeVar, overload

from . import _tenon
from ._tenon import OpOverload
from .custom_op_schema import Tag, aliased_result, check_written, tag_names
from .definition import _key_of_type, _split
from .error import ArgumentTypeError, InvalidArgumentError, NotSupportedError
from .infer_schema import infer_schema
from .library import Library, _forever, _missing_fakes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from .dtype import dtype

_P = ParamSpec("_P")
_R = TypeVar("_R")
_F = TypeVar("_F", bound="Callable[..., Any]")

# The definition of each name; defining a name again replaces its entry.
_definitions: dict[str, CustomOpDef[..., Any]] = {}


@overload
def custom_op(
    name: str,
    fn: None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Any = None,
) -> Callable[[Callable[_P, _R]], CustomOpDef[_P, _R]]: ...


@overload
def custom_op(
    name: str,
    fn: Callable[_P, _R],
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Any = None,
) -> CustomOpDef[_P, _R]: ...


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes an operator from an annotated function; without `fn`, returns a decorator.

        @custom_op("my::scale", mutates_args=())
        def scale(x: Tensor, k: float = 2.0) -> Tensor:
            return x * k

    Args:
        name: "namespace::name".
        fn: The kernel. Results must not share memory with arguments, nor with each other.
        mutates_args: Names of the arguments that the kernel writes, or "unknown".
        device_types: The device types that the kernel supports; all by default.
        schema: The schema, such as "(Tensor x, float k=2) -> Tensor"; by default it is inferred
            from the annotations.
        tags: One or several tags.

    Raises:
        InvalidArgumentError: an invalid name, or annotations without a schema type.
        NotSupportedError: keyword-only tensors.
    """
    ns, base = _split(name, "custom_op")
    if fn is None:
        return lambda function: custom_op(
            name,
            function,
            mutates_args=mutates_args,
            device_types=device_types,
            schema=schema,
            tags=tags,
        )
    names = tag_names(tags)
    if schema is not None:
        text = schema
        check_written(base, schema, mutates_args)
    else:
        text = infer_schema(fn, mutates_args=mutates_args)
        if {"inplace", "out"} & set(names):
            text = aliased_result(text, fn, mutates_args, names)
    return CustomOpDef(ns, base, text, fn, device_types, names)


class CustomOpDef(Generic[_P, _R]):
    """An operator that `custom_op` made, to be called like its function."""

    # A call reads the slot and reaches the operator without a frame of Python between.
    __slots__ = ("__call__", "__dict__", "__weakref__")
    __call__: Callable[_P, _R]

    def __init__(
        self,
        ns: str,
        name: str,
        schema: str,
        fn: Callable[..., Any],
        device_types: str | Sequence[str] | None,
        tags: tuple[str, ...],
    ) -> None:
        """Initializes a definition; `custom_op` creates them."""
        self._qualname = f"{ns}::{name}"
        self._name = name
        self._namespace = ns
        self._init_fn = fn
        self._aliases = bool({"inplace", "out"} & set(tags))
        self._disabled: set[str] = set()
        older = _definitions.pop(self._qualname, None)
        if older is not None:
            older._lib.close()
        self._lib = Library(ns, "FRAGMENT")
        self._lib.define(f"{name}{schema}", tags=tags)
        self._opoverload = _tenon.find_op(self._qualname)
        self._refuse_keyword_tensors()
        self.__call__ = self._opoverload
        _definitions[self._qualname] = self
        self._kernels: dict[str, Any] = {}
        for device_type in (
            (device_types,) if isinstance(device_types, str) else (device_types or ("default",))
        ):
            self._add_kernel(device_type, self._checked(fn))
        self._register_missing_fake()
        self.__name__ = name
        self.__doc__ = fn.__doc__
        self.__wrapped__ = fn

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def _refuse_keyword_tensors(self) -> None:
        if self._aliases:
            return
        try:
            _refuse_keyword_tensors("custom_op", self._opoverload)
        except NotSupportedError:
            self._lib.close()
            raise

    def _register_missing_fake(self) -> None:
        """Makes calls on fake and Meta tensors fail by name until there is a fake kernel.

        An operator without results needs no fake kernel.
        """
        name = self._qualname
        makes_nothing = not self._opoverload._schema.returns

        def missing(*args: Any, **kwargs: Any) -> None:
            if not makes_nothing:
                raise NotSupportedError(
                    f"{name}: operator must have a fake kernel to run on tensors without memory, "
                    "got none; register_fake() registers one"
                )

        self._lib.register_fake(self._opoverload, missing, allow_override=True)
        _missing_fakes.add(name)

    def _checked(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps a function with a check that its results share no memory."""
        if self._aliases:
            return fn
        return _tenon.AliasCheckedKernel(self._qualname, fn)

    def _add_kernel(self, device_type: str, kernel: Callable[..., Any]) -> None:
        key = _key_of_type(device_type)
        registration = self._lib.impl(self._name, kernel, key, allow_override=True)
        self._kernels[device_type] = registration

    @overload
    def register_kernel(
        self, device_types: str | Sequence[str] | None, func: None = None, /
    ) -> Callable[[_F], _F]: ...

    @overload
    def register_kernel(self, device_types: str | Sequence[str] | None, func: _F, /) -> _F: ...

    def register_kernel(
        self, device_types: str | Sequence[str] | None, func: Callable[..., Any] | None = None, /
    ) -> Any:
        """Registers a kernel for device types, or returns a decorator that does; returns `func`."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            types = (device_types,) if isinstance(device_types, str) else device_types
            for device_type in types or ("default",):
                checked = self._checked(function)
                if device_type == "default":
                    self._add_kernel(device_type, checked)
                else:
                    self._add_kernel(device_type, self._switched(device_type, checked))
            return function

        return register if func is None else register(func)

    def _switched(self, device_type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        original = self._checked(self._init_fn)
        disabled = self._disabled

        def switched(*args: Any, **kwargs: Any) -> Any:
            chosen = original if device_type in disabled else kernel
            return chosen(*args, **kwargs)

        switched.__qualname__ = kernel.__qualname__
        return switched

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """Switches a kernel of `register_kernel` on or off inside a `with` block.

        While it is off, calls reach the original function.
        """
        was_off = device_type in self._disabled
        if device_type not in self._kernels:
            raise InvalidArgumentError(
                f"set_kernel_enabled: {self._qualname} must have a kernel for {device_type}, got "
                f"none; it has them for {sorted(self._kernels)}"
            )
        (self._disabled.discard if enabled else self._disabled.add)(device_type)
        try:
            yield
        finally:
            (self._disabled.add if was_off else self._disabled.discard)(device_type)

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Registers the gradient formula: see `tenon.library.register_autograd`."""
        register_autograd(self, backward, setup_context=setup_context, lib=self._lib)

    def register_autocast(self, device_type: str, cast_inputs: dtype, /) -> None:
        """Registers a cast rule: see `tenon.library.register_autocast`."""
        register_autocast(self, device_type, cast_inputs, lib=self._lib)

    def register_fake(self, fn: _F, /) -> _F:
        """Registers the fake kernel, in place of an older one: see `library.register_fake`."""
        self._lib.register_fake(self._opoverload, fn, allow_override=True)
        return fn

    @overload
    def register_torch_dispatch(
        self, torch_dispatch_class: type, fn: None = None, /
    ) -> Callable[[_F], _F]: ...

    @overload
    def register_torch_dispatch(self, torch_dispatch_class: type, fn: _F, /) -> _F: ...

    def register_torch_dispatch(
        self, torch_dispatch_class: type, fn: Callable[..., Any] | None = None, /
    ) -> Any:
        """Registers a rule for a class: see `tenon.library.register_torch_dispatch`."""
        return register_torch_dispatch(self, torch_dispatch_class, fn, lib=self._lib)

    def register_vmap(self, func: Callable[..., Any] | None = None, /) -> Any:
        """Registers the batching rule: see `tenon.library.register_vmap`."""
        from .func.rule import register_vmap

        return register_vmap(self, func, lib=self._lib)


def _overload_of(op: Any, function: str) -> OpOverload:
    """Returns the overload of a name, an overload or a definition."""
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, OpOverload):
        return op
    if isinstance(op, str):
        return _tenon.find_op(op)
    raise InvalidArgumentError(
        f"{function}: op must be a name, an OpOverload or a custom_op, got {type(op).__name__}"
    )


def _refuse_keyword_tensors(function: str, op: OpOverload) -> None:
    for argument in op._schema.arguments:
        if argument.kwarg_only and "Tensor" in str(argument.type):
            raise NotSupportedError(
                f"{function}: {op.name()}: tensors must not be keyword-only, got {argument.name}; "
                "make it positional"
            )


def _library_for(op: Any, overload: OpOverload, lib: Library | None) -> Library:
    if lib is not None:
        return lib
    if isinstance(op, CustomOpDef):
        return op._lib
    library = Library(overload.name().partition("::")[0], "FRAGMENT")
    _forever.append(library)
    return library


def register_autograd(
    op: Any,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Library | None = None,
) -> None:
    """Registers the gradient formula of an operator.

        def setup_context(ctx, inputs, output):
            (x,) = inputs
            ctx.save_for_backward(x)

        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x.cos()

        register_autograd("my::sin", backward, setup_context=setup_context)

    Args:
        op: A name, an overload, or a result of `custom_op`.
        backward: Takes the context and the gradients of the results, returns those of the
            arguments, None for what is no tensor, a list for a list.
        setup_context: Leaves in `ctx` what backward needs, after each recorded call. With
            keyword-only arguments it takes `keyword_only_inputs`, too.
        lib: The library that owns the formula; by default it lives as long as the process.

    Raises:
        InvalidArgumentError: op is none of these.
        NotSupportedError: keyword-only tensors.
    """
    overload = _overload_of(op, "register_autograd")
    _refuse_keyword_tensors("register_autograd", overload)
    for what, function in (("backward", backward), ("setup_context", setup_context)):
        if not callable(function) and not (function is None and what == "setup_context"):
            raise ArgumentTypeError(
                f"register_autograd: {what} must be callable, got {type(function).__name__}"
            )
    library = _library_for(op, overload, lib)
    _tenon.register_gradient(
        library._native, overload, backward, setup_context, _tenon.TENON_REPLACE_LAYER
    )


def register_autocast(
    op: Any,
    device_type: str,
    cast_inputs: dtype,
    /,
    *,
    lib: Library | None = None,
) -> None:
    """Sets the dtype to which autocast regions cast an operator's floating-point arguments.

    Autocast is then off inside of the operator. `Library.register_autocast` has further rules.

    Args:
        op: A name, an overload, or a result of `custom_op`.
        device_type: The type of the regions and of the tensors to cast; float64 is never cast.
        cast_inputs: The dtype.
        lib: The library that owns the rule; by default it lives as long as the process.

    Raises:
        InvalidArgumentError: op is none of these, or a device type without autocast.
    """
    overload = _overload_of(op, "register_autocast")
    if not isinstance(cast_inputs, _tenon.dtype):
        raise ArgumentTypeError(
            f"register_autocast: cast_inputs must be dtype, got {type(cast_inputs).__name__}"
        )
    _library_for(op, overload, lib).register_autocast(overload, cast_inputs, device_type)


@overload
def register_kernel(
    op: Any,
    device_types: str | Sequence[str] | None,
    func: None = None,
    /,
    *,
    lib: Library | None = None,
) -> Callable[[_F], _F]: ...


@overload
def register_kernel(
    op: Any, device_types: str | Sequence[str] | None, func: _F, /, *, lib: Library | None = None
) -> _F: ...


def register_kernel(
    op: Any,
    device_types: str | Sequence[str] | None,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Registers a kernel of an operator for device types; without `func` a decorator.

    Raises:
        InvalidArgumentError: op is no operator.
    """
    if isinstance(op, CustomOpDef):
        return op.register_kernel(device_types, func)
    overload = _overload_of(op, "register_kernel")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        library = _library_for(op, overload, lib)
        types = (device_types,) if isinstance(device_types, str) else device_types
        for device_type in types or ("default",):
            library.impl(overload, function, _key_of_type(device_type))
        return function

    return register if func is None else register(func)


@overload
def register_fake(
    op: Any, func: None = None, /, *, lib: Library | None = None, allow_override: bool = True
) -> Callable[[_F], _F]: ...


@overload
def register_fake(
    op: Any, func: _F, /, *, lib: Library | None = None, allow_override: bool = True
) -> _F: ...


def register_fake(
    op: Any,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
    allow_override: bool = True,
) -> Any:
    """Registers the fake kernel of an operator; without `func` a decorator.

    It makes results of the right shape, strides, dtype and device without computing elements, and
    serves fake tensors and those on Meta:

        @register_fake("my::scale")
        def _(x, k=2.0):
            return tenon.empty_like(x)

    Args:
        op: A name, an overload, or a result of `custom_op`.
        func: Called with the operator's arguments, all of whose tensors are without memory.
        lib: The library that owns the kernel; by default it lives as long as the process.
        allow_override: Whether an existing fake kernel is replaced; the one of an operator that
            `custom_op` made always is.

    Raises:
        InvalidArgumentError: op is no operator, or its CompositeImplicitAutograd kernel serves.
        AlreadyExistsError: it has a fake kernel that is not to be replaced, or a kernel for Meta.
    """
    overload = _overload_of(op, "register_fake")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        replaces = allow_override or isinstance(op, CustomOpDef)
        _library_for(op, overload, lib).register_fake(overload, function, allow_override=replaces)
        return function

    return register if func is None else register(func)


@overload
def impl_abstract(
    op: Any, func: None = None, /, *, lib: Library | None = None
) -> Callable[[_F], _F]: ...


@overload
def impl_abstract(op: Any, func: _F, /, *, lib: Library | None = None) -> _F: ...


def impl_abstract(
    op: Any,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """The old name of `register_fake`."""
    warnings.warn(
        "impl_abstract was renamed to register_fake: use that", FutureWarning, stacklevel=2
    )
    return register_fake(op, func, lib=lib)


@overload
def register_torch_dispatch(
    op: Any, torch_dispatch_class: type, func: None = None, /, *, lib: Library | None = None
) -> Callable[[_F], _F]: ...


@overload
def register_torch_dispatch(
    op: Any, torch_dispatch_class: type, func: _F, /, *, lib: Library | None = None
) -> _F: ...


def register_torch_dispatch(
    op: Any,
    torch_dispatch_class: type,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Registers a function to run instead of a class's `__torch_dispatch__` for an operator.

    Args:
        op: A name with overload, an overload, or a custom_op.
        torch_dispatch_class: A subclass of Tensor with `__torch_dispatch__`, or a
            TorchDispatchMode. The rule does not apply to derived classes.
        func: Takes the class, or the mode, and then what `__torch_dispatch__` takes; without it
            this is a decorator.
        lib: The library that owns the rule; by default it lives as long as the process.

    Raises:
        ArgumentTypeError: the class has no `__torch_dispatch__`.
        AlreadyExistsError: there is a rule for the operator and the class.
    """
    overload = _overload_of(op, "register_torch_dispatch")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        library = _library_for(op, overload, lib)
        library.register_torch_dispatch(overload, torch_dispatch_class, function)
        return function

    return register if func is None else register(func)


__all__ = [
    "CustomOpDef",
    "Tag",
    "custom_op",
    "impl_abstract",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
]
