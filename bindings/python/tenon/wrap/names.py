# SPDX-License-Identifier: Apache-2.0
"""Names in a language, by one rule.

A name that is a keyword there, that the wrapper needs for itself or that is taken gets an
underscore at its end, and another one until it is free.
"""

from __future__ import annotations

import keyword


def words(text: str) -> frozenset[str]:
    """Names that a text lists."""
    return frozenset(text.split())


C = words(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while bool true false nullptr alignas alignof asm typeof "
    "constexpr static_assert thread_local NULL"
)
# C headers are read by C++ compilers, too.
CPP = C | words(
    "and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield "
    "compl concept consteval constinit const_cast decltype delete dynamic_cast explicit export "
    "friend mutable namespace new noexcept not not_eq operator or or_eq private protected public "
    "reinterpret_cast requires static_cast template this throw try typeid typename using virtual "
    "wchar_t xor xor_eq std"
)
RUST = words(
    "as async await break const continue crate dyn else enum extern false fn for if impl in let "
    "loop match mod move mut pub ref return self Self static struct super trait true type unsafe "
    "use where while abstract become box do final gen macro override priv try typeof unsized "
    "virtual yield"
)
JAVA = words(
    "abstract assert boolean break byte case catch char class const continue default do double "
    "else enum extends final finally float for goto if implements import instanceof int interface "
    "long native new package private protected public return short static strictfp super switch "
    "synchronized this throw throws transient try void volatile while true false null var record "
    "yield sealed permits _"
)
# Methods that every Java class has and no static one may take the name of.
JAVA_METHODS = words("clone equals finalize getClass hashCode notify notifyAll toString wait")
PYTHON = frozenset(keyword.kwlist)


class Names:
    """Names of one scope."""

    def __init__(self, reserved: frozenset[str] = frozenset()) -> None:
        """Begins with the names that nothing may have."""
        self._taken = set(reserved)

    def take(self, name: str) -> str:
        """Returns the name as it may be written here; nothing else gets it."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name
