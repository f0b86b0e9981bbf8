# SPDX-License-Identifier: Apache-2.0
"""The check of version numbers finds a number that was not updated."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import unittest

import version


class VersionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in (version.SOURCE, *version.PLACES):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(version.ROOT / name, self.root / name)

    def test_all_are_equal(self):
        self.assertEqual(version.complaints(self.root), [])

    def test_a_release_must_reach_every_place(self):
        header = self.root / version.SOURCE
        text = header.read_text()
        header.write_text(text.replace("TENON_VERSION_MINOR 1", "TENON_VERSION_MINOR 2"))
        found = "".join(version.complaints(self.root))
        for name in version.PLACES:
            self.assertIn(f"{name}: version must be 0.2.0", found)

    def test_a_place_without_the_number_is_named(self):
        (self.root / "README.md").write_text("# Tenon\n")
        self.assertIn("README.md: must name the version", "".join(version.complaints(self.root)))


if __name__ == "__main__":
    unittest.main()
