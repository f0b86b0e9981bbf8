# SPDX-License-Identifier: Apache-2.0
"""Interpreters that end while objects of Tenon are alive: each must end quietly and at once.

TENON_EXIT_RESULTS names a file to which the counts are added.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

# Each scenario runs in a separate interpreter; TENON_STRESS=long repeats each twenty times.
REPEATS = 20 if os.environ.get("TENON_STRESS") == "long" else 1

PRELUDE = """
import atexit, gc, os, sys, threading, time
import tenon
from tenon.library import Library

library = Library("leaving", "DEF")
library.define("x(Tensor a) -> Tensor")
library.define("stay(Tensor a) -> Tensor")
library.define("boom(Tensor a) -> Tensor")
library.impl("x", lambda a: a, "CPU")
inside = threading.Event()

def stay(a):
    inside.set()
    while True:
        time.sleep(0.001)

def boom(a):
    raise KeyError("boom")

library.impl("stay", stay, "CPU")
library.impl("boom", boom, "CPU")
ops = tenon.ops.leaving
t = tenon.ones(2)

def daemon(function):
    threading.Thread(target=function, daemon=True).start()

def call_for_ever():
    while True:
        ops.x(t)
        t + t

"""

SCENARIOS = {
    "tensor in a cycle": "t.self = t",
    "tensor in a global of another module": "sys.kept = [t, ops.x(t)]",
    "dlpack capsule not taken": "sys.capsule = t.__dlpack__()",
    "caught error kept": """
        try:
            ops.boom(t)
        except KeyError as error:
            sys.kept = error
    """,
    "error of ours kept": """
        try:
            ops.x(1)
        except TypeError as error:
            sys.kept = error
    """,
    "library closed": "library._destroy()",
    "library closed, operator kept": "sys.kept = ops.x; library._destroy()",
    "daemon thread calls": "daemon(call_for_ever); time.sleep(0.02)",
    "four daemon threads call": """
        for _ in range(4):
            daemon(call_for_ever)
        time.sleep(0.02)
    """,
    "daemon thread inside a kernel": "daemon(lambda: ops.stay(t)); inside.wait()",
    "daemon thread inside a kernel of a closed library": """
        daemon(lambda: ops.stay(t))
        inside.wait()
        library._destroy()
    """,
    "daemon thread registers": """
        def register():
            while True:
                with Library("leaving", "FRAGMENT") as more:
                    more.impl("x", lambda a: a, "CUDA")
        daemon(register)
        time.sleep(0.02)
    """,
    "daemon thread raises through a kernel": """
        def fail():
            while True:
                try:
                    ops.boom(t)
                except KeyError:
                    pass
        daemon(fail)
        time.sleep(0.02)
    """,
    "call from atexit": "atexit.register(lambda: ops.x(t))",
    "close from atexit": "atexit.register(library._destroy)",
    "close from atexit, threads call": """
        def call_until_gone():
            try:
                call_for_ever()
            except (NotImplementedError, LookupError):
                pass
        daemon(call_until_gone)
        atexit.register(library._destroy)
    """,
    "call from a finaliser": """
        class Last:
            def __del__(self, call=ops.x, t=t):
                call(t)
        sys.last = Last()
    """,
    "kernel calls sys.exit": """
        def leave(a):
            sys.exit(0)
        with Library("leaving", "FRAGMENT") as more:
            more.impl("x", leave, "CPU", allow_override=True)
            ops.x(t)
    """,
    "kernel calls os._exit": """
        def leave(a):
            os._exit(0)
        with Library("leaving", "FRAGMENT") as more:
            more.impl("x", leave, "CPU", allow_override=True)
            ops.x(t)
    """,
    "fork, child ends first": """
        child = os.fork()
        if child == 0:
            ops.x(t)
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
    """,
    "thread that is no daemon ends after main": """
        def later():
            time.sleep(0.05)
            ops.x(t)
        threading.Thread(target=later).start()
    """,
}


def end_of(code: str) -> str:
    """Describes what was wrong when an interpreter ended; "" if nothing."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
    )
    good = done.returncode == 0 and done.stderr == ""
    return "" if good else f"status {done.returncode}: {done.stderr}"


@pytest.mark.parametrize("name", SCENARIOS)
def test_exit_is_quiet(name):
    code = PRELUDE + textwrap.dedent(SCENARIOS[name])
    wrong = [end for end in (end_of(code) for _ in range(REPEATS)) if end]
    if "TENON_EXIT_RESULTS" in os.environ:
        with open(os.environ["TENON_EXIT_RESULTS"], "a") as results:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            results.write(f"Python {version}\t{name}\t{REPEATS}\t{len(wrong)}\n")
    assert wrong == []
