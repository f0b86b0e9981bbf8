# SPDX-License-Identifier: Apache-2.0
"""quickstarts.py finds code that differs from its file, and replaces it."""

import pathlib
import tempfile
import unittest

import quickstarts

README = "# x\n<!-- quickstart: a.py -->\n```python\nold\n```\n"
SOURCE = "head\n  # [quickstart.begin]\n  one\n    two\n  # [quickstart.end]\ntail\n"


class QuickstartsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "README.md").write_text(README)
        (self.root / "a.py").write_text(SOURCE)

    def run_tool(self, *arguments):
        return quickstarts.main(["--root", str(self.root), *arguments])

    def test_drift_is_found_and_mended(self):
        self.assertEqual(self.run_tool(), 1)
        self.assertEqual(self.run_tool("--write"), 0)
        self.assertIn("```python\none\n  two\n```", (self.root / "README.md").read_text())
        self.assertEqual(self.run_tool(), 0)

    def test_drift_of_a_quote_is_found_and_mended(self):
        self.run_tool("--write")
        page = self.root / "docs" / "b.md"
        page.parent.mkdir()
        page.write_text("<!-- quote: b.py two -->\n```python\n```\n")
        source = "# [quote.begin one]\nx\n# [quote.end]\n# [quote.begin two]\ny\n# [quote.end]\n"
        (self.root / "b.py").write_text(source)
        self.assertEqual(self.run_tool(), 1)
        self.assertEqual(self.run_tool("--write"), 0)
        self.assertIn("```python\ny\n```", page.read_text())
        self.assertEqual(self.run_tool(), 0)

    def test_readme_without_blocks_is_an_error(self):
        (self.root / "README.md").write_text("nothing")
        self.assertEqual(self.run_tool(), 1)

    def test_file_without_marks_is_an_error(self):
        for source in ("nothing", SOURCE.replace("[quickstart.end]", "[quickstart.end x]")):
            (self.root / "a.py").write_text(source)
            with self.assertRaises(ValueError):
                self.run_tool()


if __name__ == "__main__":
    unittest.main()
