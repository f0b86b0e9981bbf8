# SPDX-License-Identifier: Apache-2.0
"""Every public C function that can fail has a case in the catalogue of bad input."""

from __future__ import annotations

import pathlib
import re
import unittest

import cheader

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Functions whose only errors cannot be provoked by a caller, with the reason.
WITHOUT = {
    "tenon_tensor_describe": "fails for symbolic shapes, which nothing creates yet",
    "tenon_tensor_sizes": "returns NULL for symbolic shapes, which nothing creates yet",
    "tenon_tensor_copy_dims": "returns -1 for symbolic shapes, without an error",
    "tenon_tensor_strides": "returns NULL for symbolic shapes, which nothing creates yet",
    "tenon_device_count": "fails as a provider does",
    "tenon_generator_seed": "fails as a provider does",
    "tenon_generator_seed_all": "fails as a provider does",
}


def can_be_misused(function: cheader.Function) -> bool:
    """Returns true if a contract names an error other than out of memory."""
    errors = re.search(r"^Errors:(.*?)(?=^\w+:|\Z)", function.comment, re.M | re.S)
    if errors is None:
        return False
    text = re.sub(r"\s+", " ", errors[1])
    if re.match(r" none\b| returns `| always returns", text):
        return False
    others = re.sub(r"TENON_ERROR_OUT_OF_MEMORY( on a thread's first use)?[.,;]?", "", text)
    return re.search(r"\w", others) is not None


def without_a_case(functions: list, sources: str) -> list:
    """Lists the functions that can be misused and that no case calls."""
    called = set(re.findall(r"\btenon_\w+", sources))
    return [
        function.name
        for function in functions
        if can_be_misused(function) and function.name not in called | WITHOUT.keys()
    ]


class BadInputTest(unittest.TestCase):
    def test_every_function_that_can_fail_has_a_case(self):
        functions = [each for header in cheader.parse_all() for each in header.functions]
        folder = ROOT / "tests" / "badinput"
        sources = "".join(path.read_text() for path in sorted(folder.glob("*.[ch]")))
        self.assertGreater(len(functions), 200)
        self.assertGreater(sum(map(can_be_misused, functions)), 80)
        self.assertEqual(without_a_case(functions, sources), [])

    def test_a_function_without_a_case_is_found(self):
        def declared(name: str, errors: str) -> cheader.Function:
            comment = f"Does it.\n\nErrors:    {errors}\nSince:     0.1\n"
            return cheader.Function(name, f"tenon_status {name}(void)", "", (), comment, "a.h", 1)

        functions = [
            declared("tenon_a", "TENON_ERROR_TYPE for\n           a number."),
            declared("tenon_b", "TENON_ERROR_OUT_OF_MEMORY on a thread's first use."),
            declared("tenon_c", "as tenon_a."),
            declared("tenon_device_count", "what the provider raised."),
            declared("tenon_d", "returns `status`."),
        ]
        self.assertEqual(without_a_case(functions, "x = tenon_c(); tenon_an();"), ["tenon_a"])

    def test_exceptions_are_functions(self):
        known = {each.name for header in cheader.parse_all() for each in header.functions}
        self.assertEqual(WITHOUT.keys() - known, set())

    def test_every_call_of_the_catalogue_has_cases(self):
        folder = ROOT / "tests" / "badinput"
        lines = (folder / "cases.txt").read_text().splitlines()
        fields = [line.split(" | ") for line in lines if line and not line.startswith("#")]
        with_cases = {found[1] for found in fields}
        tables = "".join(path.read_text() for path in folder.glob("*_calls.c"))
        self.assertEqual(with_cases, set(re.findall(r'\{"(\w+)", &\w+\}', tables)))


if __name__ == "__main__":
    unittest.main()
