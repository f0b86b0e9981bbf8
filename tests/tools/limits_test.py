# SPDX-License-Identifier: Apache-2.0
"""docs/platforms.md states the limits that the code has."""

from __future__ import annotations

import json
import pathlib
import re
import unittest

import abi

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(
    r"^\| (?P<what>[^|]+) \| (?P<limit>\d+|2⁴⁷) \| `(?P<name>\w+)`(?: in `(?P<file>\S+)`)? \|$"
)


def limits(page: str) -> list:
    """Returns (text, limit, identifier, file or None) of rows that name a number in the code."""
    found = []
    for line in page.splitlines():
        row = ROW.match(line)
        if row:
            limit = 1 << 47 if row["limit"] == "2⁴⁷" else int(row["limit"])
            found.append((row["what"], limit, row["name"], row["file"]))
    return found


def number(name: str, text: str) -> int:
    """Returns the value of a constant in a C++ source."""
    found = re.search(rf"\b{name}\s*=\s*([^;]+);", text)
    if found is None:
        raise LookupError(f"{name} must be a constant, got none")
    value = re.sub(r"int64_t\{(\d+)\}|\b(\d+)u\b", lambda m: m[1] or m[2], found[1])
    value = value.replace("kBackendCount", str(constants()["TENON_BACKEND_BITS"]))
    if not re.fullmatch(r"[\d\s<+*()-]+", value):
        raise ValueError(f"{name} must be a number, got {value}")
    return eval(value)


def constants() -> dict:
    return json.loads(abi.COMMITTED.read_text())["constants"]


class LimitsTest(unittest.TestCase):
    def test_are_those_of_the_code(self):
        rows = limits((ROOT / "docs" / "platforms.md").read_text())
        self.assertGreaterEqual(len(rows), 13)
        for what, limit, name, file in rows:
            with self.subTest(what):
                if file:
                    self.assertEqual(number(name, (ROOT / file).read_text()), limit)
                elif name in constants():
                    self.assertEqual(constants()[name], limit)
                else:
                    # Otherwise the name is a function whose contract states the limit.
                    headers = ROOT / "capi" / "include" / "tenon"
                    text = "".join(path.read_text() for path in sorted(headers.glob("*.h")))
                    contract = text[: text.index(f" {name}(")].rsplit("\n\n", 1)[1]
                    self.assertRegex(contract, rf"\b{limit}\b")

    def test_constants_are_read_as_the_compiler_does(self):
        text = "constexpr int kA = 64 - kBackendCount;\nconstexpr auto kB = int64_t{1} << 47;\n"
        self.assertEqual(number("kA", text), 40)
        self.assertEqual(number("kB", text), 1 << 47)
        with self.assertRaises(LookupError):
            number("kC", text)
        with self.assertRaises(ValueError):
            number("kD", "constexpr int kD = sizeof(x);")


if __name__ == "__main__":
    unittest.main()
