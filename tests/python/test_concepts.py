# SPDX-License-Identifier: Apache-2.0
"""Runs examples/concepts: each line that docs/concepts.md quotes prints what its comment says."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "concepts" / "concepts.py"
SAID = re.compile(r"^(?:\s*print\(.*\)  # |#   )(.+)$", re.M)


def test_prints_what_its_comments_say():
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True, timeout=120
    )
    expected = SAID.findall(EXAMPLE.read_text())
    assert len(expected) >= 14
    # Only these lines are compared; the output of explain is tested elsewhere.
    lines = (line.strip() for line in done.stdout.splitlines())
    missing = [text for text in expected if text not in lines]
    assert not missing, done.stdout
