# SPDX-License-Identifier: Apache-2.0
"""Tests the table of operators: it parses facts correctly, and detects changes."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import operators
import pairs

HEADER = """
inline constexpr FoldFacts kShared{.types = kBool | kReals};

inline constexpr Facts kTwice{
    .family = &kPointwise,
    .name = "twice.Tensor",
    .params =
        "Tensor self, *, "
        "$options",
    .forms = kAllForms,
    .out = "Tensor_out",
    // A reason.
    .gradient = "self: grad * 2",
    .tangent = "self_t * (2 | 0)",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex}, .check = &kReals},
};

inline constexpr Facts kFolded{
    .family = &kFold,
    .name = "folded",
    .params = "Tensor self",
    .gradient = "none: a count",
    .tangent = kTwice.tangent,
    .batching = Batching::Each,
    .cast = Cast::None,
    .fold = kShared,
};
"""


class OperatorsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("kernels/ops/plain", "docs", "tests/conformance", "tests/kernels"):
            (self.root / name).mkdir(parents=True)
        (self.root / "kernels/ops/plain/twice.h").write_text(HEADER)
        (self.root / "tests/kernels/golden/plain").mkdir(parents=True)
        (self.root / "tests/kernels/golden/plain/twice.txt").write_text(
            "# head\nop aten::twice.Tensor\ncase a\ncase b exact\nop aten::twice_.Tensor\ncase c\n"
        )
        self.list = self.root / "kernels/ops/ops.list"
        self.list.write_text(
            "# head\naten plain/twice kTwice Twice cpu cuda\naten plain/twice kFolded - cpu\n"
        )

    def test_rows_match_the_facts(self):
        rows = operators.page(self.root).splitlines()[-2:]
        self.assertEqual(
            rows[1],
            "| `aten::twice.Tensor(Tensor self, *, $options) -> Tensor` | `twice_.Tensor`, "
            "`twice.Tensor_out` | pointwise | floats, complex | meta, cpu, cuda | rule | "
            "rule | float32 (not on CPU) | self: grad * 2 | self_t * (2 \\| 0) | 3 golden |",
        )
        self.assertEqual(
            rows[0],
            "| `aten::folded(Tensor self) -> Tensor` | no others | reduction | bool, integers, "
            "floats | meta, cpu | loop: how many depends on data | rule | none | none: a count | "
            "self_t * (2 \\| 0) | twice_test |",
        )

    def test_a_page_that_is_not_renewed_is_a_complaint(self):
        command = ["--root", str(self.root)]
        self.assertEqual(operators.main(command), 1)
        self.assertEqual(operators.main([*command, "--update"]), 0)
        header = self.root / "kernels/ops/plain/twice.h"
        header.write_text(header.read_text().replace("none: a count", "self: grad"))
        self.assertEqual(operators.main(command), 1)

    def test_a_cell_that_facts_leave_empty_is_an_error(self):
        header = self.root / "kernels/ops/plain/twice.h"
        header.write_text(header.read_text().replace(".tangent = kTwice.tangent,", ""))
        with self.assertRaisesRegex(ValueError, "kFolded: must have no cell left empty"):
            operators.page(self.root)

    def test_facts_without_a_header_are_an_error(self):
        self.list.write_text("aten plain/twice kThrice - cpu\n")
        with self.assertRaisesRegex(ValueError, "must have kThrice"):
            operators.operators(self.root)

    def test_forms_of_a_view_have_the_names_that_are_registered(self):
        header = self.root / "kernels/ops/plain/twice.h"
        header.write_text(
            "inline constexpr Facts kTwice{\n"
            "    .family = &kView,\n"
            '    .name = "twice.int",\n'
            "    .forms = kViewForms | kInPlace,\n"
            '    .in_place = "",\n'
            "};\n"
        )
        self.list.write_text("aten plain/twice kTwice -\n")
        (one,) = operators.operators(self.root)
        self.assertEqual(
            one.forms(), ["twice.int", "twice_", "twice_copy.int", "twice_copy.int_out"]
        )

    def test_a_form_without_a_conformance_case_is_named(self):
        (self.root / "tests/conformance/a.json").write_text(
            '{"cases": [{"name": "a", "op": "aten::twice_.Tensor"}]}'
        )
        self.assertEqual(
            pairs.check_conformance(self.root),
            [
                f"aten::{form} of kernels/ops/plain/twice.h must have a case in tests/conformance"
                for form in ("twice.Tensor", "twice.Tensor_out", "folded")
            ],
        )


if __name__ == "__main__":
    unittest.main()
