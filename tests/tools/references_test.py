# SPDX-License-Identifier: Apache-2.0
"""references.py finds each kind of reference that does not resolve."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import references

PAGE = "# A page\n\n## The second `part`\n\nSee [here](#the-second-part) and `core/base/a.h`.\n"


class ReferencesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("core/base/a.h", "// docs/page.md and docs/page.md#the-second-part\n")
        self.write("docs/page.md", PAGE)

    def write(self, name: str, text: str):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def complaints(self) -> list:
        files = [path for path in sorted(self.root.rglob("*")) if path.is_file()]
        return [text for _, _, text in references.check(self.root, files)]

    def test_good_tree_passes(self):
        self.assertEqual(self.complaints(), [])

    def test_link_to_no_file_no_heading_and_outside_fail(self):
        for target in ("no.md", "page.md#first", "#first", "../../etc"):
            with self.subTest(target=target):
                self.write("docs/page.md", PAGE + f"[x]({target})\n")
                found = self.complaints()
                self.assertEqual(len(found), 1, found)
                self.assertIn("link must", found[0])

    def test_links_in_code_and_to_the_web_are_free(self):
        self.write("docs/page.md", PAGE + "`[x](no.md)` [y](https://a.b)\n```\n[z](no.md)\n```\n")
        self.assertEqual(self.complaints(), [])

    def test_path_in_backticks_must_exist(self):
        for path in ("core/base/b.h", "core/{base,tensor}/a.h", "core/*/b.h", "HOWTO.md"):
            with self.subTest(path=path):
                self.write("docs/page.md", PAGE + f"Read `{path}`.\n")
                self.assertEqual(len(self.complaints()), 1)
        for path in ("core/<part>/a.h", "core/base/", "core/*/a.h", "int/float", "b.h"):
            with self.subTest(path=path):
                self.write("docs/page.md", PAGE + f"Read `{path}`.\n")
                self.assertEqual(self.complaints(), [])

    def test_code_that_cites_missing_files_fails(self):
        for cited in ("docs/no.md", "docs/page.md#first", "DESIGN", "as DESIGN says", "docs, §3"):
            with self.subTest(cited=cited):
                self.write("core/base/a.h", f"// {cited}\n")
                self.assertEqual(len(self.complaints()), 1)

    def test_comment_that_names_no_file_fails(self):
        for good in ("// see a.h", "int as = x.c; // stdint.h", "#include <jni.h>  // a.h"):
            self.write("core/base/a.h", f"{good}\n")
            self.assertEqual(self.complaints(), [])
        for bad in ("// see b.h", "/* dispatch.h */", " * as key.cpp does"):
            with self.subTest(bad=bad):
                self.write("core/base/a.h", f"{bad}\n")
                self.assertEqual(len(self.complaints()), 1)


if __name__ == "__main__":
    unittest.main()
