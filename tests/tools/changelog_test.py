# SPDX-License-Identifier: Apache-2.0
"""CHANGELOG.md has its groups, and the table of renamed names leads to names that exist."""

from __future__ import annotations

import pathlib
import re
import unittest

import cheader

ROOT = pathlib.Path(__file__).resolve().parents[2]


def renamed(text: str) -> list:
    """Returns (old, new) for each row of the table, as the identifiers that each names in full."""
    rows = re.findall(r"^\| (`.*) \| (.*) \|$", text, re.M)
    # Ignores text in the parentheses of calls.
    return [
        tuple(re.findall(r"`((?:tenon|TENON)_\w+)", re.sub(r"\([^)]*\)", "", cell)) for cell in row)
        for row in rows
    ]


class ChangelogTest(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "CHANGELOG.md").read_text()

    def test_has_its_groups_in_order(self):
        latest = re.split(r"^## ", self.text, flags=re.M)[1]
        groups = re.findall(r"^### (.+)$", latest, re.M)
        known = ["Added", "Changed", "Fixed", "ABI"]
        self.assertEqual(groups, [name for name in known if name in groups])
        self.assertEqual((groups[0], groups[-1]), ("Added", "ABI"))

    def test_new_names_exist_and_old_ones_do_not(self):
        headers = "".join(path.read_text() for path in sorted(cheader.INCLUDE.rglob("*.h")))
        known = set(re.findall(r"\w+", headers))
        rows = renamed((ROOT / "capi" / "abi" / "renamed.md").read_text())
        self.assertGreater(len(rows), 30)
        now = {name for _, names in rows for name in names}
        self.assertEqual(now - known, set())
        # A replaced name may still exist with another meaning, or with other parameters.
        was = {name for names, _ in rows for name in names}
        kept = {
            "tenon_op_call",
            "tenon_key_guard_include",
            "tenon_key_guard_leave",
            "tenon_thread_state_leave",
            "tenon_mode_pop",
            "tenon_generator_random",
            "tenon_generator_state",
            "tenon_object_type",
            "tenon_frame",
        }
        self.assertEqual(was & known, kept)


if __name__ == "__main__":
    unittest.main()
