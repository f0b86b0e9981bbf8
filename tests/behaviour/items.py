# SPDX-License-Identifier: Apache-2.0
"""Verdicts: what each test says of the numbered behaviour that it checks.

A test carries its number in its name and one verdict above it. `docs/behaviour.md` is generated
from these by `tests/tools/behaviour.py`, which reads them as text; C++ tests say the same in a
comment, `// item 149, same: text`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Test = Callable[..., Any]


def _numbered(number: int, text: str) -> Callable[[Test], Test]:
    def mark(test: Test) -> Test:
        assert test.__name__.startswith(f"test_item_{number:03}_"), (number, test.__name__)
        assert text.strip(), number
        return test

    return mark


def same(number: int, text: str) -> Callable[[Test], Test]:
    """Tenon does what PyTorch does: `text` says what."""
    return _numbered(number, text)


def better(number: int, text: str, how: str) -> Callable[[Test], Test]:
    """Tenon does better than PyTorch: `how` says in what."""
    return _numbered(number, text and how)


def not_applicable(number: int, text: str, why: str) -> Callable[[Test], Test]:
    """Tenon has no such feature: `why` is the reason, the test shows what exists instead."""
    return _numbered(number, text and why)
