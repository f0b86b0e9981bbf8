# SPDX-License-Identifier: Apache-2.0
"""Follows the recipe of docs/write-a-kernel.md on a copy: lint names each missing step."""

from __future__ import annotations

import pathlib
import re
import shutil
import tempfile
import unittest

import pairs

ROOT = pathlib.Path(__file__).resolve().parents[2]


class RecipeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for part in ("kernels", "tests/kernels"):
            shutil.copytree(ROOT / part, self.root / part)
        self.assertEqual(self.missing(), [])

    def missing(self) -> list:
        checks = (
            pairs.check_facts,
            pairs.check_listed,
            pairs.check_operators,
        )
        return sorted({text for check in checks for text in check(self.root)})

    def copy_skeleton(self, folder: str, suffix: str):
        source = self.root / folder / f"skeleton_op{suffix}"
        text = source.read_text().replace("skeleton_op", "cube").replace("SkeletonOp", "Cube")
        (self.root / folder / f"arithmetic/cube{suffix}").write_text(text)

    def add_line(self, file: str, after: str, line: str):
        path = self.root / file
        text = path.read_text()
        self.assertIn(after, text, file)
        path.write_text(text.replace(after, f"{after}{line}", 1))

    def test_each_missing_step_is_named_until_there_is_none(self):
        self.copy_skeleton("tests/kernels", "_test.cpp")
        self.assertIn("tests/kernels/arithmetic/cube_test.cpp must be listed", self.missing()[0])
        self.add_line("tests/kernels/CMakeLists.txt", "SOURCES\n", "    arithmetic/cube_test.cpp\n")
        self.assertEqual(self.missing(), [])

        self.copy_skeleton("kernels/ops", ".h")
        (unlisted,) = self.missing()
        header = "kernels/ops/arithmetic/cube.h"
        self.assertIn(f"kCube of {header} must be in kernels/ops/ops.list", unlisted)
        (line,) = re.findall(
            r"^tenon +skeleton_op .*\n", (self.root / "kernels/ops/ops.list").read_text(), re.M
        )
        cube = line.replace("skeleton_op", "arithmetic/cube").replace("SkeletonOp", "Cube")
        self.add_line("kernels/ops/ops.list", line, cube)
        self.assertEqual(self.missing(), [])

        (self.root / "tests/kernels/arithmetic/cube_test.cpp").unlink()
        self.assertEqual(
            self.missing(),
            [
                f"{header} must have tests/kernels/arithmetic/cube_test.cpp or "
                "tests/kernels/golden/arithmetic/cube.txt"
            ],
        )

    def test_the_page_names_each_file_of_the_recipe(self):
        page = (ROOT / "docs" / "write-a-kernel.md").read_text()
        recipe = re.search(r"^## Add an operator\n(.*?)^## ", page, re.M | re.S)[1]
        for file in (
            "tests/kernels/skeleton_op_test.cpp",
            "tests/kernels/CMakeLists.txt",
            "kernels/ops/skeleton_op.h",
            "kernels/ops/ops.list",
            "tests/conformance",
        ):
            self.assertIn(f"`{file}`", recipe)


if __name__ == "__main__":
    unittest.main()
