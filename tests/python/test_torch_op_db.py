# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own lists of operators, read on Tenon from the files of an installed PyTorch."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys

import pytest

FOUND = importlib.util.find_spec("torch")
if FOUND is None or FOUND.origin is None:
    pytest.skip("PyTorch is not installed: ./dev test --with-torch", allow_module_level=True)
if importlib.util.find_spec("expecttest") is None:
    pytest.skip("PyTorch's samples need expecttest", allow_module_level=True)
SITE = pathlib.Path(FOUND.origin).parents[1]

COUNT = """
import sys
sys.path.append({site!r})
import torch
from torch.testing._internal import common_methods_invocations, common_utils
names = [one.name for one in common_methods_invocations.op_db]
print(len(names), len(set(names)), common_utils.TestCase.__name__)
"""


def printed(prelude: str) -> str:
    code = prelude + COUNT.format(site=str(SITE))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_op_db_has_the_entries_that_it_has_on_pytorch():
    found = printed("import tenon.as_torch\n")
    assert found == printed("")
    assert int(found.split()[0]) > 600


def test_private_modules_are_absent_without_the_test_files():
    code = (
        "import tenon.as_torch, torch\n"
        "assert not hasattr(torch, '_refs') and not hasattr(torch, '_scaled_mm_v2')\n"
        "assert not hasattr(torch.ops.aten, '_batch_norm_with_update')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
