# SPDX-License-Identifier: Apache-2.0
"""Verdicts: how Tenon compares with PyTorch in the numbered behaviour that a test checks.

A test has the item's number in its name and one verdict above it. `tests/tools/behaviour.py`
generates `docs/behaviour.md` from the verdicts, which it reads as text. C++ tests have a comment
instead, `// item 149, same: text`.
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
    """Tenon behaves as PyTorch does, as `text` describes."""
    return _numbered(number, text)


def better(number: int, text: str, how: str) -> Callable[[Test], Test]:
    """Tenon behaves better than PyTorch; `how` describes the difference."""
    return _numbered(number, text and how)


def not_applicable(number: int, text: str, why: str) -> Callable[[Test], Test]:
    """Tenon has no such feature; `why` is the reason. The test shows what exists instead."""
    return _numbered(number, text and why)
