# SPDX-License-Identifier: Apache-2.0
"""Every C function returns an error for NULL and for numbers outside of its enumerations."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "badinput" / "null_calls.py"


def test_functions_return_for_null_and_wild_numbers():
    command = [sys.executable, SCRIPT, "libtenon.so.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    tried = int(done.stdout.split()[0])
    assert tried > 1000


@pytest.mark.leaks
def test_a_function_that_crashes_is_found():
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        import null_calls
    finally:
        sys.path.pop(0)
    import ctypes

    world = null_calls.ValidValues(ctypes.CDLL("libtenon.so.0"))
    crashing = null_calls.Function(
        "tenon_tensor_ndim", "tenon_status tenon_tensor_ndim(const tenon_tensor* tensor)"
    )
    tried, crashed = null_calls.crashes_of(world, crashing, "")
    assert (tried, crashed) == (1, ["tenon_tensor_ndim: tensor NULL: SIGSEGV"])


@pytest.mark.parametrize(
    ("name", "accepts"),
    [("tenon_tensor_release", True), ("tenon_tensor_ndim", False), ("tenon_op_call_fast", False)],
)
def test_contracts_state_where_null_is_accepted(name, accepts):
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        import null_calls
    finally:
        sys.path.pop(0)
    function = next(one for one in null_calls.functions() if one.name == name)
    assert null_calls.may_be_null(function, 0, null_calls.contracts()[name]) is accepts
