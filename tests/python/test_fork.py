# SPDX-License-Identifier: Apache-2.0
"""Processes forked from a busy interpreter: children call, register, raise and exit normally."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import textwrap

import pytest
import tenon
from tenon.library import Library

LONG = os.environ.get("TENON_STRESS") == "long"


def use_everything(number: int) -> int:
    """Calls operators of C and Python, registers and raises; runs in a child."""
    with Library(f"forked{number}", "DEF") as library:
        library.define("x(Tensor a, int n) -> Tensor")
        library.impl("x", lambda a, n: a + n, "CPU")
        op = getattr(tenon.ops, f"forked{number}").x
        result = op(tenon.ones(3), number).tolist()
        try:
            op(tenon.ones(3), "n")
        except TypeError:
            return int(result[0])
    return -1


def wait_for(child: int) -> int:
    """Returns a child's exit code, negative for a signal."""
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def test_children_of_a_plain_process_use_everything():
    for number in range(10):
        child = os.fork()
        if child == 0:
            # Exits at once, so that the child does not return into pytest.
            os._exit(0 if use_everything(number) == number + 1 else 1)
        assert wait_for(child) == 0


@pytest.mark.parametrize("processes", [1, 4])
def test_a_pool_of_forked_processes_computes(processes):
    tenon.ones(2) + 1
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        assert pool.map(use_everything, range(40), chunksize=1) == list(range(1, 41))


# Runs in a separate process, because its threads must not be pytest's.
STORM = """
import os, sys, threading, time
sys.path.insert(0, {tests!r})
import tenon
from test_fork import use_everything, wait_for
from tenon.library import Library

library = Library("storm", "DEF")
library.define("x(Tensor a) -> Tensor")
library.impl("x", lambda a: a, "CPU")
x, t, stop, wrong = tenon.ops.storm.x, tenon.ones(2), threading.Event(), []

def call():
    while not stop.is_set():
        if x(t) is not t:
            wrong.append("call")
        t + t

def register():
    while not stop.is_set():
        with Library("storm", "FRAGMENT") as more:
            more.impl("x", lambda a: a, "CPU", allow_override=True)

def fork(first):
    for number in range(first, first + {count}):
        child = os.fork()
        if child == 0:
            good = use_everything(number) == number + 1 and x(t) is t
            os._exit(0 if good else 1)
        status = wait_for(child)
        if status != 0:
            wrong.append(("child", number, status))

others = [threading.Thread(target=one) for one in (call, register)]
forkers = [threading.Thread(target=fork, args=(10_000 * n,)) for n in range(3)]
for thread in others + forkers:
    thread.start()
for thread in forkers:
    thread.join()
stop.set()
for thread in others:
    thread.join()
print(wrong)
"""


def test_many_forks_while_threads_call_and_register():
    code = STORM.format(tests=os.path.dirname(__file__), count=500 if LONG else 10)
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=600 if LONG else 120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_a_child_ends_as_an_interpreter_does():
    """sys.exit in a child finalizes its interpreter, where the parent's threads no longer exist."""
    code = """
        import os, sys, threading, tenon
        t = tenon.ones(2)
        stop = threading.Event()
        def call():
            while not stop.is_set():
                t + t
        threading.Thread(target=call).start()
        for _ in range(5):
            child = os.fork()
            if child == 0:
                t + t
                kept = tenon.library.Library("kept", "DEF")
                sys.exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        stop.set()
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
