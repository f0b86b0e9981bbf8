# SPDX-License-Identifier: Apache-2.0
"""A substitute for `typing.overload`: importing `typing` would double the time of small imports."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import overload as overload
else:

    def overload(function):
        """Marks one overload of a function, for type checkers only."""
        return function
