# SPDX-License-Identifier: Apache-2.0
"""docs/dispatch.svg shows existing keys, highest first, and strikes out those that are skipped."""

from __future__ import annotations

import re
import unittest
import xml.etree.ElementTree

import cheader

DOCS = cheader.ROOT / "docs"
TEXT = "{http://www.w3.org/2000/svg}text"


def numbers(header: str) -> dict:
    """Returns {key name in lower case: functionality number} of key.h."""
    found = re.findall(r"#define TENON_FUNCTIONALITY_(\w+) (\d+)u", header)
    return {name.replace("_", "").lower(): int(number) for name, number in found}


def rows(picture: str) -> list:
    """Returns (name, whether it is struck out) of the table's rows from the top."""
    texts = xml.etree.ElementTree.fromstring(picture).iter(TEXT)
    table = [one for one in texts if one.get("x") == "416" and int(one.get("y")) > 40]
    return [
        (name, "text-decoration" in one.attrib) for one in table for name in one.text.split(" · ")
    ]


def misplaced(header: str, picture: str) -> list:
    """Lists errors in the names and the order of the rows."""
    known = numbers(header)
    names = [name for name, _ in rows(picture)]
    found = [f"{name}: no key has this name" for name in names if name.lower() not in known]
    there = [name for name in names if name.lower() in known]
    ordered = sorted(there, key=lambda name: -known[name.lower()])
    if there != ordered:
        found.append(f"rows must be {ordered}, got {there}")
    return found


def skipped(page: str) -> set:
    """Returns the keys that the page's example of `explain` lists as skipped."""
    return set(re.search(r"skipped: ([\w, ]+), which fall through", page)[1].split(", "))


class PictureTest(unittest.TestCase):
    def setUp(self):
        self.header = (cheader.INCLUDE / "tenon" / "key.h").read_text()
        self.picture = (DOCS / "dispatch.svg").read_text()

    def test_rows_are_keys_highest_first(self):
        self.assertGreater(len(rows(self.picture)), 8)
        self.assertEqual(misplaced(self.header, self.picture), [])

    def test_rows_struck_out_are_those_that_fall_through(self):
        struck = {name for name, is_struck in rows(self.picture) if is_struck}
        self.assertEqual(struck, skipped((DOCS / "concepts.md").read_text()))

    def test_wrong_rows_are_reported(self):
        picture = self.picture.replace(">Fake<", ">Wrapped<").replace(">Tracer<", ">Fake<")
        found = misplaced(self.header, picture)
        self.assertIn("Wrapped: no key has this name", found)
        self.assertEqual(len(found), 2, found)


if __name__ == "__main__":
    unittest.main()
