# SPDX-License-Identifier: Apache-2.0
"""Random programs of views, writes and operators beside PyTorch: see programs.py.

Skipped visibly where PyTorch is not installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import programs
import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")


# A tensor that a node saved, and that is then written with what the node led to, keeps itself: in
# PyTorch, too.
@pytest.mark.leaks
@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_programs_agree(first):
    found = programs.run_programs(programs.check, tenon, torch, range(first, first + 250))
    assert not found, "\n\n".join(found)


def test_differences_are_found():
    """What differs by one wrong operator is noticed, and cut down to it."""

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
