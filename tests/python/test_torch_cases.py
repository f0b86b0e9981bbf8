# SPDX-License-Identifier: Apache-2.0
"""Programs of `torch_cases/` run on Tenon; what they print must be what PyTorch printed.

Their expected output is beside them; `test_torch_cases.py --write` writes it with PyTorch. Where
PyTorch is installed, its output is compared as well.
"""

from __future__ import annotations

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

PROGRAMS = sorted((pathlib.Path(__file__).parent / "torch_cases").glob("*.py"))
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+|inf|nan)(?![\w])")


def printed(program: pathlib.Path, *by: str) -> list[str]:
    """Returns the lines that a program prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *by, str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def assert_same(lines: list[str], wanted: list[str]) -> None:
    """Compares lines: numbers up to a rounding of the last printed digit, the rest as text."""
    assert len(lines) == len(wanted)
    for line, other in zip(lines, wanted, strict=True):
        assert _NUMBER.sub("#", line) == _NUMBER.sub("#", other)
        mine, theirs = (list(map(float, _NUMBER.findall(one))) for one in (line, other))
        assert mine == pytest.approx(theirs, rel=2e-4, abs=2e-3, nan_ok=True), line


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.stem)
def test_tenon_prints_what_pytorch_printed(program):
    wanted = program.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    assert_same(printed(program, "-m", "tenon", "run"), wanted)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.stem)
@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None,
    reason="PyTorch is not installed: ./dev test --with-torch",
)
def test_pytorch_still_prints_it(program):
    wanted = program.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    assert_same(printed(program), wanted)


if __name__ == "__main__":
    for _program in PROGRAMS:
        _text = "\n".join(printed(_program)) + "\n"
        _program.with_suffix(".txt").write_text(_text, encoding="utf-8")
