# SPDX-License-Identifier: Apache-2.0
"""recipe_cost.py makes complete copies of operators: no step of the recipe is missing."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import unittest

import pairs
import recipe_cost

ROOT = pathlib.Path(__file__).resolve().parents[2]


class RecipeCostTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for part in ("kernels", "tests/kernels", "tests/conformance"):
            shutil.copytree(ROOT / part, self.root / part, ignore=shutil.ignore_patterns("schemas"))

    def test_each_kind_is_two_files_and_a_few_lines_of_lists(self):
        for kind, header in recipe_cost.SAMPLES.items():
            with self.subTest(kind):
                cost = recipe_cost.Cost()
                recipe_cost.copy_own_files(self.root, header, cost)
                checks = (pairs.check_facts, pairs.check_listed, pairs.check_conformance)
                twin = f"twin_{header.rpartition('/')[2]}"
                self.assertIn(twin, " ".join(pairs.check_facts(self.root)))
                recipe_cost.add_to_lists(self.root, header, cost)
                recipe_cost.add_conformance_cases(self.root, header, cost)
                self.assertEqual((cost.new, cost.touched), (2, 3))
                self.assertLess(cost.code, 50)
                self.assertEqual([text for check in checks for text in check(self.root)], [])

    def test_names_in_strings_functions_and_types_are_changed_and_others_not(self):
        text = (
            '#include "kernels/ops/elementary/exp.h"\n'
            "struct Exp { return maths::exp(x); };\n"
            'kExp{.name = "exp"}; kExpTensor{"exp.out"}; kExpandable; exp_view(expand);\n'
        )
        self.assertEqual(
            recipe_cost.renamed(text, "exp"),
            '#include "kernels/ops/elementary/twin_exp.h"\n'
            "struct TwinExp { return maths::exp(x); };\n"
            'kTwinExp{.name = "twin_exp"}; kTwinExpTensor{"twin_exp.out"}; kExpandable; '
            "twin_exp_view(expand);\n",
        )


if __name__ == "__main__":
    unittest.main()
