# SPDX-License-Identifier: Apache-2.0
"""usages.py finds headers without an example, and examples that are long or do not compile."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import cheader
import usages

GOOD = (
    '// Usage:\n//\n//   status = tenon_op_find("aten::relu", &op);\n//\n//   (void)op;\n\nint a;\n'
)


class UsagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.include = pathlib.Path(folder.name)
        (self.include / "tenon").mkdir()

    def examples(self, text: str) -> tuple[dict, list]:
        (self.include / "tenon" / "a.h").write_text(text)
        return usages.examples(self.include, ".h")

    def test_an_example_is_read_without_its_comment_signs(self):
        codes, complaints = self.examples(GOOD)
        self.assertEqual(complaints, [])
        self.assertEqual(
            codes, {"a.h": 'status = tenon_op_find("aten::relu", &op);\n\n(void)op;\n'}
        )

    def test_a_header_without_one_is_found(self):
        for text in ("int a;\n", "// Usage: none\nint a;\n", "/// Usage:\n///   a\n"):
            with self.subTest(text):
                self.assertIn("must have an example", self.examples(text)[1][0])

    def test_a_long_one_is_found(self):
        text = "// Usage:\n//\n" + "//   a();\n" * (usages.MOST_LINES + 1)
        self.assertIn("lines at most", self.examples(text)[1][0])

    def test_one_that_does_not_compile_is_found_in_its_header(self):
        codes = {"a.h": "status = tenon_op_fnd(0);\n"}
        source = usages.unit(codes, usages.WORLD, "tenon_status")
        said = usages.compiled(source, ".h", cheader.INCLUDE)
        self.assertIn("tenon_op_fnd", said)
        self.assertIn("a.h:1", said)

    def test_names_of_exempt_headers_exist(self):
        for name in usages.EXEMPT | usages.TOP_LEVEL:
            self.assertTrue((cheader.INCLUDE / "tenon" / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
