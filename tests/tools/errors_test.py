# SPDX-License-Identifier: Apache-2.0
"""Tests the catalogue of messages: each language's way to raise, and calls without words."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import errors
import python_messages
import raised

KERNEL = """
#include "check.h"
void fail_argument(const char* op, std::string_view argument, std::string_view expected,
                   const Part& actual) {
  fail(TENON_ERROR_TYPE, {op, ": ", argument, " must be ", expected, ", got ", actual});
}
void check(const char* op, const char* argument, Sizes sizes, bool is_batch) {
  if (sizes.empty()) fail_argument(op, argument, "a vector", sizes);
  fail_argument(op, "self", is_batch ? "a batch" : "a matrix", info.sizes());
}
void check_all(const char* op) { check(op, "weight", sizes, true); }
"""
EXPECTED = [
    "<operator>: <argument> must be a vector, got <sizes>",
    "<operator>: self must be {a batch | a matrix}, got <sizes>",
]
LANGUAGES = {
    "a.c": (
        'void f(void) { tnp_raise_format(TENON_ERROR_TYPE, "f: x must be %s, got %zd", type, n); }',
        [("f: x must be <type>, got <n>", "TYPE")],
    ),
    "A.java": (
        'class A { void f() { throw new TenonException(ErrorCode.INDEX, "f: " + i + " end"); } }',
        [("f: <i> end", "INDEX")],
    ),
    "a.rs": (
        'fn f() -> Result<()> { Err(Error::new(Status::STATE, format!("{name}: must {x:?}"))) }',
        [("<name>: must <x>", "STATE")],
    ),
    "a.cpp": (
        'void f() { std::string text = "f: is"; text += " late"; fail(TENON_ERROR_BUSY, text); }',
        [("f: is late", "BUSY")],
    ),
}
PYTHON = """
def _refuse(name, what):
    raise StateError(f"{name}: must be {what}, got {type(what).__name__}")

def f(x):
    if x < 0:
        raise InvalidArgumentError(f"f: x must be at least {-x}, got " + str(x))
    _refuse("f", "an open file")
    warnings.warn("f: is slow", FutureWarning)
"""


class ErrorsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "code").mkdir()

    def layer(self, name: str, text: str) -> raised.Layer:
        (self.root / "code" / name).write_text(text)
        return raised.Layer(self.root, ("code",), {})

    def test_words_come_from_callers(self):
        layer = self.layer("check.cpp", KERNEL)
        self.assertEqual(sorted(message.text for message in layer.messages()), EXPECTED)
        self.assertEqual(layer.complaints, [])

    def test_each_language(self):
        for name, (text, expected) in LANGUAGES.items():
            with self.subTest(name):
                self.setUp()
                layer = self.layer(name, text)
                found = [(message.text, message.code) for message in layer.messages()]
                self.assertEqual(found, expected)

    def test_call_without_words_is_a_complaint(self):
        layer = self.layer("a.cpp", "void f() { fail(TENON_ERROR_BUSY, text_of(x)); }")
        self.assertEqual(layer.messages(), [])
        self.assertEqual(len(layer.complaints), 1)
        self.assertIn("code/a.cpp:1: f: the words", layer.complaints[0])

    def test_python(self):
        (self.root / "code" / "a.py").write_text(PYTHON)
        package = python_messages.Package(self.root, "code", {})
        found = sorted((message.text, message.code) for message in package.messages())
        self.assertEqual(
            found,
            [
                ("f: is slow", "FutureWarning"),
                ("f: must be an open file, got <type>", "StateError"),
                ("f: x must be at least -<x>, got <x>", "InvalidArgumentError"),
            ],
        )

    def test_rows_are_joined(self):
        one = [errors.Message("f: x", "TYPE", f"core/base/{name}.cpp") for name in "abcd"]
        self.assertEqual(
            errors.row("f: x", one),
            "| `f: x` | `TYPE` | `core/base/a.cpp`, `core/base/b.cpp`, `core/base/c.cpp` "
            "and 1 more |",
        )


if __name__ == "__main__":
    unittest.main()
