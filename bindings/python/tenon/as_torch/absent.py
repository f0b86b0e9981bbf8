# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for names that PyTorch has and Tenon lacks: importing works, using them raises."""

from __future__ import annotations

import functools
import re
import sys
import types

from .. import _tenon
from ..error import NotSupportedError
from .reasons import reason_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Absence:
    """One absent name that a program asked for.

    Attributes:
        name: With its path, such as "torch.nested.nested_tensor".
        reason: Why Tenon lacks the name.
        place: FILE:LINE of the first use, or of the first mention if it was not used.
        is_used: True if it was called, or one of its attributes was read.
    """

    def __init__(self, name: str) -> None:
        """Records where the name is requested."""
        self.name = name
        self.reason = reason_for(name)
        self.place = _place()
        self.is_used = False

    def refuse(self) -> NoReturn:
        """Raises the error of a use."""
        if not self.is_used:
            self.is_used, self.place = True, _place()
        raise NotSupportedError(f"{self.name}: {self.reason}; see docs/status.md")


_touched: dict[str, Absence] = {}


def _place() -> str:
    """Returns FILE:LINE of the innermost frame outside this package and the import system."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(("tenon.as_torch", "importlib")):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"


def touched() -> list[Absence]:
    """Returns the absent names that were asked for so far, sorted by name."""
    return [_touched[name] for name in sorted(_touched)]


def _note(name: str) -> Absence:
    if name not in _touched:
        _touched[name] = Absence(name)
    return _touched[name]


class _AbsentClass:
    """A stand-in for a class: usable in annotations, isinstance and as a base.

    It is no class itself, because its metaclass could conflict with those of other bases: a class
    that derives from it gets a plain class of the same name as its base.
    """

    __bases__ = (object,)  # issubclass accepts it

    def __init__(self, absence: Absence) -> None:
        """Stores the absence and takes its name."""
        self._absence = absence
        self.__module__, _, name = absence.name.rpartition(".")
        self.__name__ = self.__qualname__ = name

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return type  # inspect.isclass returns true

    @functools.cached_property
    def _base(self) -> type:
        absence = self._absence

        def refuse(cls: type, *args: object, **kwargs: object) -> NoReturn:
            absence.refuse()

        body: dict[str, Any] = {"__new__": refuse, "__module__": self.__module__}
        body["__doc__"] = f"{absence.name}: {absence.reason}."
        return type(self.__name__, (), body)

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type]:
        return (self._base,)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._base)

    def __subclasscheck__(self, subclass: Any) -> bool:
        return subclass is self or issubclass(subclass, self._base)

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        self._absence.refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(f"type object {self.__name__!r} has no attribute {name!r}")
        self._absence.refuse()

    def __getitem__(self, key: object) -> types.GenericAlias:
        return types.GenericAlias(self._base, key)

    def __or__(self, other: Any) -> Any:
        return self._base | other

    def __ror__(self, other: Any) -> Any:
        return other | self._base

    def __repr__(self) -> str:
        return f"<class '{self._absence.name}', absent from Tenon>"


class _AbsentValue:
    """A stand-in for a function or another value."""

    def __init__(self, absence: Absence) -> None:
        self._absence = absence
        self.__name__ = self.__qualname__ = absence.name.rpartition(".")[2]
        self.__module__ = absence.name.rpartition(".")[0]

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        self._absence.refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(f"absent value has no attribute {name!r}")
        self._absence.refuse()

    def __reduce__(self) -> tuple[Any, ...]:
        return stand_in, (self.__module__, self.__name__, "value")

    def __copy__(self) -> _AbsentValue:
        return self

    def __deepcopy__(self, memo: object) -> _AbsentValue:
        return self

    def __iter__(self) -> NoReturn:
        self._absence.refuse()

    def __getitem__(self, key: object) -> NoReturn:
        self._absence.refuse()

    def __repr__(self) -> str:
        return f"<{self._absence.name}: absent from Tenon>"


class _AbsentDtype(_AbsentValue):
    """A stand-in for a dtype: programs put dtypes into lists and compare tensors' dtypes to it."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return _tenon.dtype

    @property
    def is_floating_point(self) -> bool:
        return self.__name__.startswith("float")

    @property
    def is_complex(self) -> bool:
        return self.__name__.startswith(("complex", "bcomplex", "chalf"))


_DTYPE = re.compile(r"(q?u?int|float|b?complex|bits)\d+\w*|chalf")


def stand_in(path: str, name: str, kind: str) -> object:
    """Returns the stand-in for a name of a module of torch, and notes that it was asked for."""
    absence = _note(f"{path}.{name}")
    if kind == "class":
        return _AbsentClass(absence)
    is_dtype = path == "torch" and _DTYPE.fullmatch(name) is not None
    return _AbsentDtype(absence) if is_dtype else _AbsentValue(absence)
