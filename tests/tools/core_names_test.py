# SPDX-License-Identifier: Apache-2.0
"""The lint core_names finds names of operators in code, and nothing else."""

from __future__ import annotations

import unittest

import core_names

OPERATORS = {"view", "add", "add.Tensor"}
FILE = "core/graph/binder.cpp"
WORDS = "core/graph/numbers.cpp"


class CoreNamesTest(unittest.TestCase):
    def found(self, line: str, path: str = FILE) -> int:
        return len(core_names.check(path, line, OPERATORS))

    def test_finds_names(self):
        for line in (
            'find("aten::view");',
            'find("tenon::any");',
            'if (n == "add.Tensor")',
            '{"view"',
        ):
            self.assertEqual(self.found(line), 1, line)

    def test_passes_other_text(self):
        for line in ('find("aten::" + n);', '// "aten::view"', 'f(); // "add"', '#include "view"'):
            self.assertEqual(self.found(line), 0, line)

    def test_allows_calls_in_their_file_and_words_in_theirs(self):
        self.assertEqual(self.found('"aten::view"', "core/graph/operators.h"), 0)
        self.assertEqual(self.found('"add"', WORDS), 0)
        self.assertEqual(self.found('"aten::add"', WORDS), 1)

    def test_facts_have_forms(self):
        names = core_names.operator_names()
        self.assertLessEqual({"view", "add.Tensor", "add_.Tensor", "normal_"}, names)


if __name__ == "__main__":
    unittest.main()
