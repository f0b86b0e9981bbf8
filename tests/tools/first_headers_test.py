# SPDX-License-Identifier: Apache-2.0
"""The kept first headers are those of their commit, and head's ABI only adds to them."""

from __future__ import annotations

import io
import json
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import abi
import cheader

ARCHIVE = cheader.ROOT / "tests" / "abi" / "first" / "headers.tar.gz"
COMMIT = "9481867"


def members(archive: tarfile.TarFile) -> dict:
    return {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}


class FirstHeadersTest(unittest.TestCase):
    def test_are_those_of_their_commit(self):
        done = subprocess.run(
            ["git", "-C", cheader.ROOT, "archive", "--format=tar", COMMIT, "capi/include/tenon"],
            capture_output=True,
        )
        if done.returncode != 0:
            self.skipTest(f"commit {COMMIT} is not in this copy of the history")
        with tarfile.open(ARCHIVE) as kept, tarfile.open(fileobj=io.BytesIO(done.stdout)) as there:
            self.assertEqual(members(kept), members(there))

    def test_head_only_adds_to_them(self):
        head = json.loads(abi.COMMITTED.read_text())
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(ARCHIVE) as archive:
                for name, text in members(archive).items():
                    path = pathlib.Path(folder) / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(text)
            first = abi.describe(pathlib.Path(folder) / "capi" / "include")
        self.assertEqual(first["abi_major"], head["abi_major"])
        self.assertEqual(len(first["functions"]), 183)
        verdict = abi.compare(first, head)
        self.assertEqual(verdict["changed"], [])
        self.assertEqual(verdict["removed"], [])


if __name__ == "__main__":
    unittest.main()
