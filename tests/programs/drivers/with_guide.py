# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/run-a-torch-program.md: a language model, a vision model, a process."""

import contextlib
import io
import pathlib

from report import part

TEXT = pathlib.Path(__file__).parents[3] / "docs" / "run-a-torch-program.md"
PROGRAMS = [p.partition("```")[0] for p in TEXT.read_text().split("```python\n")[1:]]

for name, program in zip(("language", "vision", "process"), PROGRAMS, strict=True):

    def body(program=program):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(program, str(TEXT), "exec"), {"__name__": "__main__"})
        return out.getvalue().split()

    body.__name__ = name
    part(body)
