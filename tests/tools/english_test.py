# SPDX-License-Identifier: Apache-2.0
"""The finder of idioms: what it reads of each kind of file, and how ceilings move."""

import unittest

import english

C = """// SPDX-License-Identifier: Apache-2.0
// Returns the sum
// of two numbers.
int f();  // The same for three.
/* Whoever calls this
 * must hold the lock. */
const char* text = "dim must be // an int";
const char* key = "what is";
"""

PYTHON = '''#!/usr/bin/env python3
"""Returns what is there."""
x = 1  # Of the first kind.


def f():
    raise ValueError("x must be positive, got 0")
'''

MARKDOWN = """# What it is

One paragraph
of two lines.
- an item that
  goes on
- a second one

```python
# nobody reads this
```

| somebody | wrote a table |
"""


def texts(path: str, source: str) -> list:
    return [" ".join(one.text.split()) for one in english.passages_of(path, source)]


class Passages(unittest.TestCase):
    def test_comments_and_messages_of_c(self):
        wanted = [
            "Returns the sum of two numbers. The same for three.",
            "Whoever calls this must hold the lock.",
            "dim must be // an int",
        ]
        self.assertEqual(texts("a.cpp", C), wanted)

    def test_comments_docstrings_and_messages_of_python(self):
        wanted = ["Of the first kind.", "Returns what is there.", "x must be positive, got 0"]
        self.assertEqual(texts("a.py", PYTHON), wanted)

    def test_paragraphs_of_markdown(self):
        wanted = ["One paragraph of two lines.", "an item that goes on", "a second one"]
        self.assertEqual(texts("a.md", MARKDOWN), wanted)

    def test_broken_python_and_data_have_no_prose(self):
        self.assertEqual(texts("a.py", "def ("), [])
        self.assertEqual(texts("a.json", '{"a": "whoever comes first here"}'), [])


class Idioms(unittest.TestCase):
    def test_each_pattern_finds_its_idiom(self):
        for sentence in (
            "The same for a redispatch.",
            "What misses gets installed.",
            "It gives the sum.",
            "Fails, or else waits.",
            "Adds so many of them.",
        ):
            self.assertTrue(english.is_idiom(sentence), sentence)

    def test_plain_sentences_are_none(self):
        for sentence in (
            "Like find_kernel(), but for a redispatch.",
            "What is a schema?",
            "If there is a kernel, it runs.",
            "It returns the sum.",
        ):
            self.assertFalse(english.is_idiom(sentence), sentence)


class Ceilings(unittest.TestCase):
    def test_folder_above_its_ceiling_is_named(self):
        passages = [
            english.Passage("core/a/x.cpp", 3, "The same for two. Returns five more words here."),
            english.Passage("core/b/x.cpp", 3, "Returns the sum."),
        ]
        counts = english.count(passages)
        self.assertEqual(counts["core/a"].rate(), 111.2)  # one hit in nine words
        self.assertEqual(english.compare(counts, {"core/a": 112.0}), [])
        (complaint,) = english.compare(counts, {"core/a": 50.0})
        self.assertIn("core/a has 111.2 idioms per 1,000 words", complaint)
        self.assertEqual(len(english.compare(counts, {})), 1)  # a new folder may have no hit

    def test_ceilings_only_fall(self):
        counts = {"core/a": english.Count(1000, 5), "core/b": english.Count(1000, 1)}
        self.assertEqual(english.lowered(counts, {}), {"core/a": 5.0, "core/b": 1.0})
        lower = english.lowered(counts, {"core/a": 3.0, "core/b": 4.0})
        self.assertEqual(lower, {"core/a": 3.0, "core/b": 1.0})
        self.assertEqual(english.lowered(counts, {"core/a": 9.0}), {"core/a": 5.0, "core/b": 0})


if __name__ == "__main__":
    unittest.main()
