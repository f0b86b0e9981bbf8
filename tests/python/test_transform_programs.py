# SPDX-License-Identifier: Apache-2.0
"""Random functions under random transforms, compared with loops, see transform_programs.py.

Also compared with PyTorch if it is installed: `./dev test --with-torch`.
"""

from __future__ import annotations

import pytest
import tenon
import programs
import transform_programs

try:
    import torch
except ImportError:
    torch = None


# A saved tensor that is then written with a result of the saving node keeps itself alive by a
# cycle.
@pytest.mark.leaks
@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_programs_agree(first):
    found = programs.run_programs(transform_programs.check, tenon, torch, range(first, first + 250))
    assert not found, "\n\n".join(found)


def test_differences_are_found():
    """Detects one wrong transform, and reduces the program to the lines that it needs."""

    class Other:
        """Tenon with a vmap that ignores out_dims."""

        def __getattr__(self, name):
            return getattr(tenon, name)

        class func:
            @staticmethod
            def vmap(f, in_dims, out_dims):
                return tenon.func.vmap(f, in_dims=in_dims)

    program = transform_programs.Program(
        ["vmap , 0, -1"],
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        (2, 3),
        ["t0 = x1 * x1", "t1 = x1.sum()", "t2 = t0.sin()"],
    )
    assert transform_programs.compare(program, tenon, torch) is None
    difference = transform_programs.compare(program, Other(), None)
    assert difference is not None and "loops" in difference.where
    assert transform_programs.shrink(program, Other(), None).lines == [
        program.lines[0],
        program.lines[2],
    ]
