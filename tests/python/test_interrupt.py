# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in a long call: it ends with KeyboardInterrupt, and nothing is left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import pytest

PRELUDE = """
import signal, sys, threading, time
import tenon
from tenon.library import Library

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it
library = Library("long", "DEF")
library.define("inner(Tensor a) -> Tensor")
library.define("outer(Tensor a) -> Tensor")

def inner(a):
    print("running", flush=True)
    while True:
        pass

library.impl("inner", inner, "CPU")
library.impl("outer", lambda a: tenon.ops.long.inner(a), "CPU")
t = tenon.ones(4)

def after():
    library.define("small(Tensor a) -> Tensor")
    library.impl("small", lambda a: a, "CPU")
    assert tenon.ops.long.small(t) is t
    assert (t + t).tolist() == [2.0] * 4
    tenon.introspect.invariants()
    print("interrupted", flush=True)

"""

LONG_CALLS = {
    "python kernel": "tenon.ops.long.inner(t)",
    "python kernel below another": "tenon.ops.long.outer(t)",
    "many quick calls": """
        print("running", flush=True)
        while True:
            t + t
    """,
    "many errors": """
        print("running", flush=True)
        while True:
            try:
                t + tenon.ones(3)
            except tenon.Error:
                pass
    """,
}


@pytest.mark.parametrize("name", LONG_CALLS)
def test_interrupt_ends_a_long_call(name):
    body = textwrap.indent(textwrap.dedent(LONG_CALLS[name]).strip(), "    ")
    code = f"{PRELUDE}\ntry:\n{body}\nexcept KeyboardInterrupt:\n    after()\n"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "running\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (0, "interrupted\n", "")
