# SPDX-License-Identifier: Apache-2.0
"""Functions that define and implement operators by qualified name, without a Library."""

from __future__ import annotations

from . import _tenon
from ._typing import overload
from .error import ArgumentTypeError, InvalidArgumentError
from .library import Library, _forever

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    _F = TypeVar("_F", bound=Callable[..., Any])


def _split(qualname: str, function: str) -> tuple[str, str]:
    if not isinstance(qualname, str):
        raise InvalidArgumentError(
            f"{function}: qualname must be str, got {type(qualname).__name__} {qualname!r}"
        )
    parts = qualname.split("::")
    if len(parts) != 2 or not all(parts):
        raise InvalidArgumentError(
            f"{function}: qualname must be of the form 'namespace::name', got {qualname!r}"
        )
    return parts[0], parts[1]


@overload
def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None: ...


@overload
def define(
    qualname: Library, schema: str, alias_analysis: str = "", *, tags: Any = ()
) -> Callable[[_F], _F]: ...


def define(
    qualname: str | Library, schema: str, *args: Any, lib: Library | None = None, **kw: Any
) -> Any:
    """Defines an operator: `define("ns::name", "(Tensor x) -> Tensor", lib=None, tags=())`.

    The older form `define(lib, "name(Tensor x) -> Tensor", alias_analysis="")` defines and returns
    a decorator for the kernel.

    Raises:
        InvalidArgumentError: qualname is not "namespace::name", or schema is not "(...) -> ...".
    """
    if isinstance(qualname, Library):
        alias_analysis = args[0] if args else kw.pop("alias_analysis", "")
        name = qualname.define(schema, alias_analysis, tags=kw.pop("tags", ()))
        library = qualname

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            library.impl(name, function)
            return function

        return decorate
    ns, name = _split(qualname, "define")
    text = schema.strip() if isinstance(schema, str) else ""
    if not (text.startswith("(") and ") -> " in text):
        raise InvalidArgumentError(
            f"define: schema must look like '(Tensor x) -> Tensor', got {schema!r}"
        )
    if lib is None:
        lib = Library(ns, "FRAGMENT")
        _forever.append(lib)
    lib.define(name + text, kw.pop("alias_analysis", ""), tags=kw.pop("tags", ()))
    if kw:
        raise ArgumentTypeError(f"define: keyword must be lib or tags, got {sorted(kw)[0]!r}")
    return None


@overload
def impl(
    qualname: str, types: str | Sequence[str], func: None = None, *, lib: Library | None = None
) -> Callable[[_F], _F]: ...


@overload
def impl(
    qualname: str,
    types: str | Sequence[str],
    func: Callable[..., Any],
    *,
    lib: Library | None = None,
) -> None: ...


@overload
def impl(qualname: Library, types: str, func: str = "") -> Callable[[_F], _F]: ...


def impl(
    qualname: str | Library,
    types: str | Sequence[str],
    func: Any = None,
    *,
    lib: Library | None = None,
) -> Any:
    """Registers a kernel for device types, `impl("ns::name", "cpu", func)`, or as a decorator.

    "default" means all device types (CompositeExplicitAutograd). The older form
    `impl(lib, name, dispatch_key="")` is a decorator.

    Raises:
        InvalidArgumentError: qualname is not "namespace::name".
        NotFoundError: an unknown device type; the message lists those that exist.
    """
    if isinstance(qualname, Library):
        return qualname.impl(str(types), dispatch_key=func or "")
    ns, name = _split(qualname, "impl")
    keys = [_key_of_type(one) for one in ([types] if isinstance(types, str) else types)]

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        library = lib
        if library is None:
            library = Library(ns, "FRAGMENT")
            _forever.append(library)
        for key in keys:
            library.impl(name, function, key)
        return function

    if func is None:
        return register
    register(func)
    return None


def _key_of_type(name: str) -> str:
    if name == "default":
        return "CompositeExplicitAutograd"
    if name == "CompositeImplicitAutograd":
        return name
    return _tenon.tenon_key_name(_tenon.tenon_key_for_device(name))


__all__ = ["define", "impl"]
