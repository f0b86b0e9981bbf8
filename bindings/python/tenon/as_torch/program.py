# SPDX-License-Identifier: Apache-2.0
"""Runs a program as `python program.py` does, with torch being Tenon: `tenon run`."""

from __future__ import annotations

import os
import runpy
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .absent import Absence


def run(program: str, arguments: list[str], *, as_module: bool, report: bool) -> None:
    """Runs a file or a module as __main__.

    Args:
        program: Path of a file, or name of a module.
        arguments: The program's arguments in sys.argv, after its name.
        as_module: If true, `program` is the name of a module.
        report: If true, lists the missing names that the program used on standard error.
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
    # multiprocessing and pickle look up __main__ and its __file__, so it must be a real module.
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    exec(code, main.__dict__)


def _print_report(absences: list[Absence]) -> None:
    print(f"absent names touched: {len(absences)}", file=sys.stderr)
    for one in absences:
        use = "used" if one.is_used else "mentioned"
        print(f"  {one.name}: {one.reason} ({use} at {one.place})", file=sys.stderr)
