# SPDX-License-Identifier: Apache-2.0
"""Libraries, which define operators and register kernels and fallbacks; key sets and guards.

The names and their meaning are those of `torch.library`.
"""

from __future__ import annotations

import sys as _sys
from importlib import import_module as _import_module

from . import _tenon
from ._tenon import OpOverload
from ._typing import overload
from .device import register_backend, register_functionality
from .error import AlreadyExistsError, ArgumentTypeError, InvalidArgumentError
from .key_set import (
    DispatchKeySet,
    ExcludeDispatchKeyGuard,
    ForceDispatchKeyGuard,
    IncludeDispatchKeyGuard,
    excluded_keys,
    included_keys,
)
from .ops import _find_op_or_none

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from .dtype import dtype

    _F = TypeVar("_F", bound=Callable[..., Any])

_KINDS = {
    "DEF": _tenon.TENON_LIBRARY_DEF,
    "IMPL": _tenon.TENON_LIBRARY_IMPL,
    "FRAGMENT": _tenon.TENON_LIBRARY_FRAGMENT,
}
_POLICIES = {
    "error": _tenon.TENON_GRADIENT_ERROR,
    "warn": _tenon.TENON_GRADIENT_WARN,
    "nothing": _tenon.TENON_GRADIENT_STOP,
}


def check_gradient_policy(function: str, policy: str) -> None:
    """Raises if `policy` is no gradient policy; `function` names the caller in the message."""
    if policy not in _POLICIES:
        raise InvalidArgumentError(
            f"{function}: policy must be one of {', '.join(_POLICIES)}, got {policy!r}"
        )


_CAST_KINDS = {
    "lower_precision_fp": _tenon.TENON_CAST_LOWER,
    "fp32": _tenon.TENON_CAST_FP32,
    "fp32_set_opt_dtype": _tenon.TENON_CAST_FP32_DTYPE,
    "fp32_append_dtype": _tenon.TENON_CAST_FP32_OVERLOAD,
    "promote": _tenon.TENON_CAST_PROMOTE,
    "banned": _tenon.TENON_CAST_BANNED,
    "to": _tenon.TENON_CAST_TO,
}
# Namespaces that Tenon's own plugins define, and one that is ATen's for its interpreter.
_RESERVED = {"DEF": ("aten", "tenon", "prim"), "FRAGMENT": ("prim",), "IMPL": ()}
# (operator, key) -> libraries with a Python kernel there, by id: a reference would keep them open.
_python_kernels: dict[tuple[str, int], list[int]] = {}
# Libraries of the module-level functions live as long as the process.
_forever: list[Library] = []


def fallthrough_kernel() -> None:
    """Makes calls skip a key, when passed to `Library.impl` or `Library.fallback`.

    Raises:
        NotImplementedError: Always; the function is a marker that must not be called.
    """
    raise NotImplementedError("fallthrough_kernel must be registered, not called")


def _caller() -> tuple[str, int]:
    """Returns the file and line of the innermost caller outside of this package."""
    frame = _sys._getframe()
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__")):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _is_own(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == "tenon"


# Operators whose fake kernel only raises that there is none; any other one may replace it.
_missing_fakes: set[str] = set()


def _key(name: str | int) -> int:
    return name if isinstance(name, int) else _tenon.tenon_key_parse(name)


class Library:
    """Owner of definitions and kernels, which are removed when the library is destroyed.

    Args:
        ns: The namespace, or "_" for an IMPL library of fallbacks.
        kind: "DEF" for the single owner of a namespace, "FRAGMENT" to define operators in a shared
            namespace, "IMPL" to register kernels only.
        dispatch_key: The default key of the library's kernels.

    Raises:
        InvalidArgumentError: The kind is unknown, or the namespace is malformed or reserved.
        AlreadyExistsError: The namespace already has a DEF library, which the message names.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        """Opens the library."""
        if kind not in _KINDS:
            raise InvalidArgumentError(
                f"Library: kind must be 'DEF', 'IMPL' or 'FRAGMENT', got {kind!r}"
            )
        if ns in _RESERVED[kind]:
            raise InvalidArgumentError(
                f"Library: ns must not be reserved for kind {kind}, got {ns!r}"
            )
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        self._kernels: list[tuple[str, int]] = []
        self._rules: list[tuple[OpOverload, type]] = []
        key = _key(dispatch_key) if dispatch_key else _tenon.TENON_KEY_NONE
        file, line = _caller()
        self._native = _tenon.NativeLibrary(ns, _KINDS[kind], key, file, line)

    def __repr__(self) -> str:
        state = "" if self._native.is_open else ", closed"
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key}{state})"

    def define(
        self, schema: str, alias_analysis: str = "", *, tags: str | Sequence[str] = ()
    ) -> str:
        """Defines an operator; returns its name with overload, without namespace.

        Args:
            schema: Such as "mul.Tensor(Tensor x, Tensor y) -> Tensor".
            alias_analysis: "" or "FROM_SCHEMA" to trust the annotations, "CONSERVATIVE" not to.
            tags: Names such as "pointwise". With "allow_numbers_as_tensors", callers in Python may
                pass numbers as tensor arguments.

        Raises:
            ParseError: the schema is malformed.
            AlreadyExistsError: the operator is defined; the message says where.
            InvalidArgumentError: an IMPL library, another namespace, an unknown alias analysis, or
                a kernel already there that does not match.
        """
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise InvalidArgumentError(
                "Library.define: alias_analysis must be '', 'FROM_SCHEMA' or 'CONSERVATIVE', "
                f"got {alias_analysis!r}"
            )
        if not isinstance(schema, str):
            raise ArgumentTypeError(
                f"Library.define: schema must be str, got {type(schema).__name__}"
            )
        names = (tags,) if isinstance(tags, str) else tuple(tags)
        file, line = _caller()
        full_name = self._native.define(schema, names, alias_analysis or None, file, line)
        return full_name.partition("::")[2]

    @overload
    def impl(
        self,
        op_name: str | OpOverload,
        fn: None = None,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> Callable[[_F], _F]: ...

    @overload
    def impl(
        self,
        op_name: str | OpOverload,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> Registration: ...

    def impl(
        self,
        op_name: str | OpOverload,
        fn: Callable[..., Any] | None = None,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> Any:
        """Registers a function as the kernel of an operator for a key; may come before `define`.

        Args:
            op_name: Name with overload, with or without namespace, or an overload object.
            fn: The kernel, or `fallthrough_kernel`. Left out, a decorator is returned.
            dispatch_key: Key or alias key; by default that of the library, or
                CompositeImplicitAutograd if the library has none.
            with_keyset: Whether the kernel takes the call's DispatchKeySet as first argument.
            allow_override: Whether to override a Python kernel of another registration.

        Returns:
            The Registration, through which the kernel can call the kernel that it overrides.

        Raises:
            ArgumentTypeError: fn is not callable.
            AlreadyExistsError: Python already has a kernel there.
            InvalidArgumentError: a bad key or name, or a key other than the library's.
        """
        if fn is None:

            def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
                self.impl(
                    op_name,
                    function,
                    dispatch_key,
                    with_keyset=with_keyset,
                    allow_override=allow_override,
                )
                return function

            return decorate
        if not callable(fn):
            raise ArgumentTypeError(
                f"Library.impl: fn must be callable, got {type(fn).__name__} for {op_name}"
            )
        name = op_name.name() if isinstance(op_name, OpOverload) else op_name
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"Library.impl: op_name must be str or OpOverload, got {type(name).__name__}"
            )
        full_name = self._full_name(name)
        key = self._key_of(dispatch_key)
        if key == _tenon.TENON_KEY_META:
            self._refuse_meta(full_name)
        slot = full_name, key
        if _python_kernels.get(slot) and not allow_override:
            raise AlreadyExistsError(
                f"Library.impl: {full_name} must have no Python kernel for key "
                f"{_tenon.tenon_key_name(key)}, got one; allow_override=True layers over it"
            )
        policy = _tenon.TENON_REPLACE_OVERRIDE if allow_override else _tenon.TENON_REPLACE_LAYER
        function = None if fn is fallthrough_kernel else fn
        handle = self._native.impl(name, key, function, with_keyset, policy)
        _python_kernels.setdefault(slot, []).append(id(self))
        self._kernels.append(slot)
        return Registration(handle, full_name, key)

    def fallback(
        self, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False
    ) -> None:
        """Registers a function for all operators at a key, in an IMPL library of namespace "_".

        The function is called as `fn(op, *args, **kwargs)`, optionally with the key set before
        `op`.

        Raises:
            AlreadyExistsError: the key has a fallback.
            InvalidArgumentError: another library, or a bad key.
        """
        key = self._key_of(dispatch_key)
        self._native.fallback(key, None if fn is fallthrough_kernel else fn, with_keyset)

    def register_fake(
        self, op_name: str | OpOverload, fn: Callable[..., Any], *, allow_override: bool = True
    ) -> Registration:
        """Registers the fake kernel of an operator: see `tenon.library.register_fake`.

        Args:
            op_name: Name with overload, with or without namespace, or an overload object.
            fn: Makes the results.
            allow_override: Replace an older one.
        """
        full_name = self._full_name(op_name)
        replaces = allow_override or full_name in _missing_fakes
        policy = _tenon.TENON_REPLACE_OVERRIDE if replaces else _tenon.TENON_REPLACE_ERROR
        from .fake import NamedFakeKernel

        kernel = NamedFakeKernel(full_name, fn) if callable(fn) else fn
        handle = self._native.register_fake(full_name, kernel, policy)
        _missing_fakes.discard(full_name)
        return Registration(handle, full_name, _tenon.TENON_KEY_META)

    def set_gradient_policy(self, op_name: str | OpOverload, policy: str) -> None:
        """Sets how backward passes treat calls of an operator without a gradient formula.

        Args:
            op_name: Name with overload, with or without namespace, or an overload object; "_", in a
                library of namespace "_", for all operators that have neither formula nor policy.
            policy: "error", the default: the backward pass fails; "warn": the backward pass warns
                and continues without a gradient; "nothing": calls are not recorded.

        Raises:
            InvalidArgumentError: another policy, or a bad name.
        """
        check_gradient_policy("Library.set_gradient_policy", policy)
        full_name = op_name if op_name == "_" else self._full_name(op_name)
        _tenon.set_gradient_policy(self._native, full_name, _POLICIES[policy])

    def register_autocast(
        self,
        op_name: str | OpOverload,
        policy: str | dtype,
        device_type: str | None = None,
        *,
        advice: str | None = None,
    ) -> Registration:
        """Registers how an operator is cast in autocast regions.

        Args:
            op_name: Name with overload, with or without namespace, or an overload object.
            policy: A dtype to cast to, or one of "lower_precision_fp", "fp32",
                "fp32_set_opt_dtype" (`dtype=float32` where none is given), "fp32_append_dtype" (the
                overload with a `dtype` besides), "promote" (to the widest argument), "banned".
            device_type: The device type of the regions; by default all types without a specific
                rule for the operator.
            advice: For "banned", the alternative that the error message recommends.

        Raises:
            InvalidArgumentError: another policy, a device type without autocast, or a bad name.
        """
        kind = policy if isinstance(policy, str) else "to"
        if kind not in _CAST_KINDS or policy == "to":
            raise InvalidArgumentError(
                "Library.register_autocast: policy must be a dtype or one of "
                f"{', '.join(name for name in _CAST_KINDS if name != 'to')}, got {policy!r}"
            )
        full_name = self._full_name(op_name)
        if device_type is None:
            number, key = -1, _tenon.TENON_KEY_AUTOCAST
        else:
            number = _tenon.device(device_type).type_code
            key = _tenon.TENON_KEY_AUTOCAST_CPU | number << 8
        file, line = _caller()
        handle = _tenon.register_autocast(
            self._native,
            full_name,
            _CAST_KINDS[kind],
            number,
            None if isinstance(policy, str) else policy,
            advice,
            _tenon.TENON_REPLACE_LAYER,
            file,
            line,
        )
        return Registration(handle, full_name, key)

    def register_torch_dispatch(
        self, op_name: str | OpOverload, torch_dispatch_class: type, fn: Callable[..., Any]
    ) -> None:
        """Registers an operator's function for a class: see `library.register_torch_dispatch`."""
        from .dispatch_rule import add_rule

        op = _tenon.find_op(self._full_name(op_name))
        add_rule(op, torch_dispatch_class, fn)
        self._rules.append((op, torch_dispatch_class))

    def _full_name(self, op_name: str | OpOverload) -> str:
        name = op_name.name() if isinstance(op_name, OpOverload) else op_name
        return name if "::" in name else f"{self.ns}::{name}"

    def _key_of(self, dispatch_key: str) -> int:
        if dispatch_key:
            key = _key(dispatch_key)
            if self.dispatch_key and key != _key(self.dispatch_key):
                raise InvalidArgumentError(
                    f"Library: dispatch_key must be the library's {self.dispatch_key}, got "
                    f"{dispatch_key}"
                )
            return key
        if self.dispatch_key:
            return _key(self.dispatch_key)
        return _tenon.TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD

    def _refuse_meta(self, full_name: str) -> None:
        op = _find_op_or_none(full_name)
        if op is None or not op.is_defined:
            return
        provenance = _tenon.op_slot(op, _tenon.TENON_KEY_META)[0]
        if provenance == _tenon.TENON_PROVENANCE_MATH_KERNEL:
            raise InvalidArgumentError(
                f"Library.impl: {full_name} must have no CompositeImplicitAutograd kernel to get "
                "one for Meta, got one that already serves Meta"
            )

    def _destroy(self) -> None:
        """Removes everything that the library registered, at once; a second call has no effect."""
        native = self.__dict__.get("_native")
        if native is None:
            return
        while self._rules:
            from .dispatch_rule import remove_rule

            remove_rule(*self._rules.pop())
        for slot in self._kernels:
            owners = _python_kernels[slot]
            owners.remove(id(self))
            if not owners:
                del _python_kernels[slot]
        self._kernels.clear()
        native.close()

    close = _destroy

    def __del__(self) -> None:
        if _sys is not None and not _sys.is_finalizing():
            self._destroy()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *exc: object) -> None:
        self._destroy()


class Registration:
    """A kernel that `Library.impl` registered.

    Attributes:
        name: Full name of the operator.
        key: Key or alias key that it was registered on.
    """

    __slots__ = ("_handle", "key", "name")

    def __init__(self, handle: Any, name: str, key: int) -> None:
        """Initializes a registration; `Library.impl` creates them."""
        self._handle = handle
        self.name = name
        self.key = _tenon.tenon_key_name(key)

    def __repr__(self) -> str:
        return f"Registration({self.name}, {self.key})"

    def call_older(self, keyset: int, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the overridden kernel: the one that calls would reach without this registration.

        A kernel calls this to extend the older kernel instead of replacing it:

            def double(keyset, x):
                return 2 * registration.call_older(keyset, x)

            registration = library.impl("aten::sin", double, "CPU", with_keyset=True)

        Args:
            keyset: The key set that the kernel received because of `with_keyset`.
            *args: Arguments of the operator.
            **kwargs: Keyword arguments of the operator.

        Raises:
            NoKernelError: there is no other kernel for the operator and key.
            StateError: the library has been closed.
        """
        op = _tenon.find_op(self.name)
        return _tenon.call_older(self._handle, op, keyset, *args, **kwargs)


def _scoped_library(*args: Any, **kwargs: Any) -> Library:
    """Opens a library for a `with` block, which closes it."""
    return Library(*args, **kwargs)


# ---- Module-level functions ----------------------------------------------------------------------


# The names of `torch.library` whose implementation is built on Library.
if TYPE_CHECKING:
    from .custom_op import (
        CustomOpDef,
        custom_op,
        impl_abstract,
        register_autocast,
        register_autograd,
        register_fake,
        register_kernel,
        register_torch_dispatch,
    )
    from .definition import define, impl
    from .fake import get_ctx
    from .func.rule import register_vmap
    from .infer_schema import infer_schema
    from .opcheck import OpCheckError, opcheck


_LAZY = frozenset(
    (
        "CustomOpDef",
        "custom_op",
        "impl_abstract",
        "register_autocast",
        "register_autograd",
        "register_fake",
        "register_kernel",
        "register_torch_dispatch",
    )
)
_ELSEWHERE = {
    "define": "definition",
    "get_ctx": "fake",
    "impl": "definition",
    "infer_schema": "infer_schema",
    "OpCheckError": "opcheck",
    "opcheck": "opcheck",
    "register_vmap": "func.rule",
}


def __getattr__(name: str) -> Any:
    """Imports functions that read signatures at their first use: they need large modules."""
    module = "custom_op" if name in _LAZY else _ELSEWHERE.get(name)
    if module is not None:
        return getattr(_import_module(f".{module}", __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "CustomOpDef",
    "DispatchKeySet",
    "ExcludeDispatchKeyGuard",
    "ForceDispatchKeyGuard",
    "IncludeDispatchKeyGuard",
    "Library",
    "OpCheckError",
    "Registration",
    "custom_op",
    "define",
    "excluded_keys",
    "fallthrough_kernel",
    "get_ctx",
    "impl",
    "impl_abstract",
    "included_keys",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_backend",
    "register_fake",
    "register_functionality",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
]
