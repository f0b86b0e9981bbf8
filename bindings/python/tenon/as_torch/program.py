# SPDX-License-Identifier: Apache-2.0
"""Runs a program as `python program.py` does, with torch being Tenon: `tenon run`."""

from __future__ import annotations

import os
import runpy
import sys
import types


def run(program: str, arguments: list[str], *, as_module: bool, report: bool) -> None:
    """Runs a file or a module as __main__.

    Args:
        program: Path of a file, or name of a module.
        arguments: What the program finds in sys.argv behind its own name.
        as_module: Whether `program` is the name of a module.
        report: Whether the absent names that it touched are listed on the standard error.
    """
    import tenon.as_torch

    sys.argv = [program, *arguments]
    try:
        if as_module:
            sys.path.insert(0, os.getcwd())
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
            _run_file(program)
    finally:
        if report:
            _print_report(tenon.as_torch.touched())


def _run_file(path: str) -> None:
    # A module of its own: multiprocessing and pickle look for __main__ and its __file__.
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    exec(code, main.__dict__)


def _print_report(absences: list[object]) -> None:
    print(f"absent names touched: {len(absences)}", file=sys.stderr)
    for one in absences:
        use = "used" if one.is_used else "mentioned"  # type: ignore[attr-defined]
        print(f"  {one.name}: {one.reason} ({use} at {one.place})", file=sys.stderr)  # type: ignore[attr-defined]
