# SPDX-License-Identifier: Apache-2.0
"""Runs the code in the package's README."""

from __future__ import annotations

import pathlib
import re

README = pathlib.Path(__file__).resolve().parents[2] / "bindings" / "python" / "README.md"


def test_code_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out == "tensor([2., 4.])\n"
