# SPDX-License-Identifier: Apache-2.0
"""Runs random programs of views, writes and operators and compares with PyTorch, see programs.py.

Skipped visibly if PyTorch is not installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import programs
import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")


# As in PyTorch, a saved tensor that is then written with a result of the saving node keeps itself
# alive by a cycle.
@pytest.mark.leaks
@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_programs_agree(first):
    found = programs.run_programs(programs.check, tenon, torch, range(first, first + 250))
    assert not found, "\n\n".join(found)


def test_differences_are_found():
    """Detects one wrong operator, and reduces the program to it."""

    class Other:
        def __getattr__(self, name):
            return getattr(tenon, name)

        @staticmethod
        def cat(tensors):
            return tenon.cat(tensors) * 2

    lines = [
        "t0 = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)",
        "t1 = t0.sin()",
        "t2 = torch.cat([t0, t0])",
    ]
    assert programs.compare(lines, tenon, torch) is None
    difference = programs.compare(lines, Other(), torch)
    assert difference is not None and "cat" in difference.where
    assert programs.shrink(lines, Other(), torch) == [lines[0], lines[2]]
