# SPDX-License-Identifier: Apache-2.0
"""The stored first headers are those of their commit, and the current ABI only adds to them."""

from __future__ import annotations

import io
import json
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import abi
import cheader

FOLDER = cheader.ROOT / "tests" / "abi" / "first"
ARCHIVE = FOLDER / "headers.tar.gz"

# Functions that neither client nor plugin calls, and why.
NOT_CALLED: dict = {}


def members(archive: tarfile.TarFile) -> dict:
    return {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}


def commit_of(archive: tarfile.TarFile) -> str:
    """Returns the commit that `git archive` wrote into an archive; '' for other archives."""
    archive.getmembers()
    return archive.pax_headers.get("comment", "")


class FirstHeadersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with tarfile.open(ARCHIVE) as archive:
            self.commit = commit_of(archive)
            self.files = members(archive)
        for name, text in self.files.items():
            path = pathlib.Path(folder.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        self.include = pathlib.Path(folder.name) / "capi" / "include"

    def test_are_those_of_their_commit(self):
        self.assertRegex(self.commit, r"^[0-9a-f]{40}$", "made as tests/abi/first/README.md says")
        if shutil.which("git") is None:
            self.skipTest("git is not installed")
        command = ["git", "-C", cheader.ROOT, "archive", "--format=tar", self.commit]
        done = subprocess.run([*command, "capi/include/tenon"], capture_output=True)
        if done.returncode != 0:
            self.skipTest(f"commit {self.commit} is not in this copy of the history")
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as there:
            self.assertEqual(self.files, members(there))

    def test_head_only_adds_to_them(self):
        head = json.loads(abi.COMMITTED.read_text())
        first = abi.describe(self.include)
        self.assertEqual(first["abi_major"], head["abi_major"])
        self.assertGreater(len(first["functions"]), 200)
        verdict = abi.compare(first, head)
        self.assertEqual(verdict["changed"], [])
        self.assertEqual(verdict["removed"], [])

    def test_clients_and_plugins_call_all_their_functions(self):
        sources = [path for path in sorted(FOLDER.iterdir()) if path.suffix in (".c", ".h", ".cpp")]
        called = set(re.findall(r"\btenon_\w+", "".join(path.read_text() for path in sources)))
        names = {one.name for header in cheader.parse_all(self.include) for one in header.functions}
        self.assertEqual(names - called - NOT_CALLED.keys(), set())
        self.assertEqual(NOT_CALLED.keys() & called, set())
        self.assertEqual(NOT_CALLED.keys() - names, set())


if __name__ == "__main__":
    unittest.main()
