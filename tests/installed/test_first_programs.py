# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/first-operator.md, built by the commands of docs/install.md."""

from __future__ import annotations

import pathlib
import re
import shutil

import pytest
from conftest import CARGO, DIST, PATH, ROOT, run

PAGE = (ROOT / "docs" / "install.md").read_text()
SECTION = re.search(r"^## First programs\n(.*?)^## ", PAGE, re.M | re.S)[1]
BLOCKS = re.findall(r"^\S+, in `(\S+)`:\n\n```sh\n(.*?)```", SECTION, re.M | re.S)
NEEDS = {"c": "pkg-config", "cpp": "pkg-config", "java": "java", "rs": CARGO or "cargo"}


def test_each_language_has_rows():
    suffixes = sorted(pathlib.Path(file).suffix for file, _ in BLOCKS)
    assert suffixes == [".c", ".cpp", ".java", ".py", ".rs"]


@pytest.mark.parametrize(("file", "lines"), BLOCKS, ids=[file for file, _ in BLOCKS])
def test_it_runs_as_typed(file, lines, tmp_path):
    tool = NEEDS.get(file.rsplit(".", 1)[1])
    if tool is not None and shutil.which(tool, path=PATH) is None:
        pytest.skip(f"{tool} is not installed")
    program = tmp_path / file
    program.parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / "examples" / "quickstart" / file, program)
    said = run("bash", "-ec", lines, cwd=tmp_path, env={"D": str(DIST), "PATH": PATH})
    assert said.splitlines()[-1] == ("42" if file.endswith(".c") else "tensor([2., 4.])")
