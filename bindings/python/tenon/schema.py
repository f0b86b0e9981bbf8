# SPDX-License-Identifier: Apache-2.0
"""Schemas: the signature of an operator, parsed from and printed as text."""

from __future__ import annotations

from . import _tenon
from .error import ArgumentTypeError, InvalidArgumentError


class AliasInfo:
    """A parsed alias annotation such as "(a!)".

    Attributes:
        is_write: Whether the argument is written.
        before_set: Names of the alias sets.
    """

    __slots__ = ("before_set", "is_write")

    def __init__(self, annotation: str, is_write: bool) -> None:
        """Parses an annotation in the form of `Argument.alias`."""
        names = annotation.strip("()").partition("->")[0].replace("!", "")
        self.before_set = {name.strip() for name in names.split("|")}
        self.is_write = is_write

    def __repr__(self) -> str:
        return f"AliasInfo({sorted(self.before_set)}, is_write={self.is_write})"


class Argument:
    """One argument or return of a schema.

    Attributes:
        name: Name, "" for an unnamed return.
        type: Type as printed, without its alias annotation, such as "int[]?".
        alias: Alias annotation such as "(a!)", or "".
        has_default: Whether the argument has a default.
        default: The default, or None.
        kwarg_only: Whether the argument is keyword-only.
        is_out: Whether the argument is keyword-only and written.
        is_write: Whether the alias annotation has a `!`.
        size: N for a type `T[N]`, otherwise None.
    """

    __slots__ = (
        "alias",
        "default",
        "has_default",
        "is_out",
        "is_write",
        "kwarg_only",
        "name",
        "size",
        "type",
    )

    def __init__(self, facts: tuple) -> None:
        """Initializes the fields from a tuple of the native layer."""
        (
            self.name,
            self.type,
            self.alias,
            self.has_default,
            self.default,
            self.kwarg_only,
            self.is_out,
            self.is_write,
            size,
        ) = facts
        self.size: int | None = None if size < 0 else size

    def has_default_value(self) -> bool:
        """Returns true if the argument has a default; PyTorch's name for `has_default`."""
        return self.has_default

    @property
    def default_value(self) -> object:
        """The default; PyTorch's name for `default`."""
        return self.default

    @property
    def alias_info(self) -> AliasInfo | None:
        """The parsed alias annotation, or None."""
        return AliasInfo(self.alias, self.is_write) if self.alias else None

    def __repr__(self) -> str:
        default = f"={self.default!r}" if self.has_default else ""
        return f"Argument({self.type}{self.alias} {self.name}{default})"


class Schema:
    """A parsed schema. Schemas are equal if names, types, defaults and annotations are."""

    __slots__ = ("_handle",)

    def __init__(self, handle: object) -> None:
        """Wraps a native handle; Schema.parse makes one from text."""
        self._handle = handle

    @classmethod
    def parse(cls, text: str) -> Schema:
        """Parses text such as "ns::op.overload(Tensor(a!) x, int[] d=[], *, int? e=None) -> ()".

        Raises:
            ParseError: the text is malformed; the message shows the position.
        """
        if not isinstance(text, str):
            raise ArgumentTypeError(f"Schema.parse: text must be str, got {type(text).__name__}")
        return cls(_tenon.tenon_schema_parse(text, len(text.encode())))

    @property
    def name(self) -> str:
        """Name without overload, such as "aten::add"."""
        return _tenon.tenon_schema_name(self._handle)

    @property
    def overload_name(self) -> str:
        """Overload name, "" for the default overload."""
        return _tenon.tenon_schema_overload(self._handle)

    @property
    def arguments(self) -> list[Argument]:
        """Arguments in order."""
        return [Argument(facts) for facts in _tenon.schema_arguments(self._handle)]

    @property
    def returns(self) -> list[Argument]:
        """Returns in order."""
        return [Argument(facts) for facts in _tenon.schema_returns(self._handle)]

    @property
    def is_mutable(self) -> bool:
        """Whether some argument is written."""
        return self._has(_tenon.TENON_SCHEMA_MUTABLE)

    @property
    def is_vararg(self) -> bool:
        """Whether the arguments end in `...`."""
        return self._has(_tenon.TENON_SCHEMA_VARARG)

    @property
    def is_functional(self) -> bool:
        """Whether nothing is written, no return aliases an argument, and something is returned."""
        return self._has(_tenon.TENON_SCHEMA_FUNCTIONAL)

    def _has(self, flag: int) -> bool:
        return bool(_tenon.tenon_schema_flags(self._handle) & flag)

    def is_backward_compatible_with(self, older: Schema) -> bool:
        """Returns true if callers of `older` can call this schema."""
        return self._compatible(older, 0)

    def is_forward_compatible_with(self, older: Schema) -> bool:
        """Returns true if callers of `older` can call this schema, and vice versa."""
        return self._compatible(older, 1)

    def _compatible(self, older: Schema, forward: int) -> bool:
        try:
            self.check_compatible(older, forward=bool(forward))
        except InvalidArgumentError:
            return False
        return True

    def check_compatible(self, older: Schema, *, forward: bool = False) -> None:
        """Raises an error with the reason if callers of `older` cannot call this schema.

        Raises:
            InvalidArgumentError: the schemas are not compatible.
        """
        _tenon.tenon_schema_check_compatible(self._handle, older._handle, int(forward))

    def __str__(self) -> str:
        return _tenon.tenon_schema_text(self._handle)

    def __repr__(self) -> str:
        return f"Schema({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return bool(_tenon.tenon_schema_equal(self._handle, other._handle))

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple:
        return Schema.parse, (str(self),)


__all__ = ["Argument", "Schema"]
