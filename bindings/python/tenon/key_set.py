# SPDX-License-Identifier: Apache-2.0
"""Sets of dispatch keys, and guards that temporarily change those of the thread."""

from __future__ import annotations

from . import _tenon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ALIAS_BITS = {
    "Autograd": 1 << (_tenon.TENON_BACKEND_BITS + _tenon.TENON_FUNCTIONALITY_AUTOGRAD),
    "Autocast": 1 << (_tenon.TENON_BACKEND_BITS + _tenon.TENON_FUNCTIONALITY_AUTOCAST),
}


class DispatchKeySet(int):
    """A set of dispatch keys: functionalities and backends, as 64 bits.

    Args:
        keys: Names such as "CPU" or "AutogradCPU", the aliases "Autograd" and "Autocast" for
            all backends, other sets, or the bits as an int.
    """

    __slots__ = ()

    def __new__(cls, *keys: str | int) -> DispatchKeySet:
        """Unites the keys."""
        bits = 0
        for key in keys:
            if isinstance(key, int):
                bits |= key
            elif key in _ALIAS_BITS:
                bits |= _ALIAS_BITS[key]
            else:
                bits |= _tenon.tenon_keyset_from_key(_tenon.tenon_key_parse(key))
        return int.__new__(cls, bits)

    def has(self, key: str) -> bool:
        """Returns true if the set has a key."""
        return bool(_tenon.tenon_keyset_has(self, _tenon.tenon_key_parse(key)))

    def highest(self) -> str:
        """Returns the key that a call with this set goes to, "Undefined" for an empty one."""
        return _tenon.tenon_key_name(_tenon.tenon_keyset_highest(self))

    def add(self, key: str) -> DispatchKeySet:
        """Returns the set with a key."""
        return self | DispatchKeySet(key)

    def remove(self, key: str) -> DispatchKeySet:
        """Returns the set without a key's functionality; backends stay."""
        return DispatchKeySet(_tenon.tenon_keyset_remove(self, _tenon.tenon_key_parse(key)))

    def below(self, key: str) -> DispatchKeySet:
        """Returns what remains strictly below a key: the set to redispatch with from its kernel."""
        return DispatchKeySet(self & int(_tenon.tenon_keyset_below(_tenon.tenon_key_parse(key))))

    def __or__(self, other: int) -> DispatchKeySet:
        return DispatchKeySet(int.__or__(self, other))

    def __and__(self, other: int) -> DispatchKeySet:
        return DispatchKeySet(int.__and__(self, other))

    def __sub__(self, other: int) -> DispatchKeySet:
        """Returns the set without another's functionalities; backends stay."""
        backends = _tenon.TENON_BACKEND_BITS
        return DispatchKeySet(int.__and__(self, ~(int(other) >> backends << backends)))

    __ror__ = __or__
    __rand__ = __and__

    def __contains__(self, key: str) -> bool:
        return self.has(key)

    def __repr__(self) -> str:
        return f"DispatchKeySet({_tenon.tenon_keyset_print(self)})"

    __str__ = __repr__


_tenon._set_keyset_class(DispatchKeySet)


class IncludeDispatchKeyGuard(_tenon.KeyGuard):
    """Adds keys to every call of the thread inside the `with` block."""

    def __new__(cls, *keys: str | int) -> IncludeDispatchKeyGuard:
        """Takes names or sets."""
        return super().__new__(cls, 0, DispatchKeySet(*keys), 0)


class ExcludeDispatchKeyGuard(_tenon.KeyGuard):
    """Removes keys from every call of the thread inside the `with` block."""

    def __new__(cls, *keys: str | int) -> ExcludeDispatchKeyGuard:
        """Takes names or sets."""
        return super().__new__(cls, 1, 0, DispatchKeySet(*keys))


class ForceDispatchKeyGuard(_tenon.KeyGuard):
    """Replaces the thread's included keys, and its excluded ones, inside the `with` block."""

    def __new__(cls, *keys: str | int, exclude: Sequence[str | int] = ()) -> ForceDispatchKeyGuard:
        """Takes names or sets; `exclude` likewise."""
        return super().__new__(cls, 2, DispatchKeySet(*keys), DispatchKeySet(*exclude))


def included_keys() -> DispatchKeySet:
    """Returns the keys that the thread adds to every call."""
    return DispatchKeySet(_tenon.tenon_keyset_included())


def excluded_keys() -> DispatchKeySet:
    """Returns the keys that the thread removes from every call."""
    return DispatchKeySet(_tenon.tenon_keyset_excluded())


__all__ = [
    "DispatchKeySet",
    "ExcludeDispatchKeyGuard",
    "ForceDispatchKeyGuard",
    "IncludeDispatchKeyGuard",
    "excluded_keys",
    "included_keys",
]
