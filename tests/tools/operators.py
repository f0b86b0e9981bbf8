# SPDX-License-Identifier: Apache-2.0
"""Writes docs/operators.md from the facts of all operators, and checks that it is up to date.

The facts are parsed from the headers that kernels/ops/ops.list names, so that the page follows the
sources, whatever is built.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = pathlib.Path("docs") / "operators.md"
LIST = pathlib.Path("kernels") / "ops" / "ops.list"
FACTS = re.compile(r"^inline constexpr Facts (k\w+)\{\n(.*?)^\};", re.M | re.S)
FIELD = re.compile(r"^    \.(\w+) =\s*(.*?),\n(?=    \.|\Z)", re.M | re.S)
CONSTANT = re.compile(r"^inline constexpr \w+ (k\w+)(?:\[\])?(?: =\s*)?\{(.*?)\};", re.M | re.S)
FORMS = {
    "kAllForms": ("kFunctional", "kInPlace", "kOut"),
    "kViewForms": ("kFunctional", "kCopy", "kCopyOut"),
}
FAMILIES = {
    "kSynonym": "synonym",
    "kPointwise": "pointwise",
    "kNumberForm": "pointwise, of a number",
    "kFold": "reduction",
    "kView": "view",
    "kRoutine": "own routine",
    "kExplicit": "composite",
    "kComposite": "composite",
}
DTYPES = {
    "TENON_DTYPE_F32": "float32",
    "TENON_DTYPE_F64": "float64",
    "kBool": "bool",
    "kIntegers": "integers",
    "kFloats": "floats",
    "kComplex": "complex",
    "kFloat8": "float8",
    "kReals": "integers, floats",
    "kNumbers": "integers, floats, complex",
    "kAllDtypes": "bool, integers, floats, complex, float8",
    "kStoredDtypes": "all",
    "kWideUnsigned": "uint16 to uint64",
    "kOrderedUnsigned": "uint16, uint32",
    "kHalfComplex": "complex32",
}


# How vmap runs an operator, by the enumerator in its facts. For "no rule" and "loop", the facts
# have a reason.
BATCHING = {
    "Pointwise": "rule",
    "Fold": "rule",
    "View": "rule",
    "Shift": "rule",
    "Product": "rule",
    "Own": "rule",
    "Composite": "composite",
}
CASTS = {
    "None": "none",
    "Lower": "lower precision",
    "Fp32": "float32",
    "Fp32Dtype": "float32 result",
    "Widest": "widest",
    "Banned": "banned",
}


@dataclasses.dataclass(frozen=True)
class Operator:
    """One line of the list, with its facts as text."""

    namespace: str
    header: str
    facts: str
    devices: tuple
    fields: dict
    constants: dict  # constants of the header that fields refer to

    def text(self, field: str, default: str = "") -> str:
        """Returns a field's text, with its string literals joined."""
        found = re.findall(r'"((?:[^"\\]|\\.)*)"', self.fields.get(field, ""))
        return "".join(found) if field in self.fields else default

    def schema(self) -> str:
        return f"{self.text('name')}({self.text('params')}) -> {self.text('returns', 'Tensor')}"

    def forms(self) -> list:
        """Returns the names of its forms, as registered."""
        base, dot, overload = self.text("name").partition(".")
        given = re.findall(r"k\w+", self.fields.get("forms", "kFunctional"))
        flags = {flag for name in given for flag in FORMS.get(name, (name,))}
        own = self.text("in_place") if "in_place" in self.fields else overload
        names = {
            "kFunctional": self.text("name"),
            "kInPlace": f"{base}_" + (f".{own}" if own else ""),
            "kOut": f"{base}.{self.text('out', 'out')}",
            "kCopy": f"{base}_copy{dot}{overload}",
            "kCopyOut": f"{base}_copy." + (f"{overload}_out" if overload else "out"),
        }
        return [name for flag, name in names.items() if flag in flags]

    def dtypes(self, others: dict) -> str:
        """Returns the dtypes it computes in, from its facts; `others` maps facts to operators."""
        if self.fields["family"] == "&kView":
            return "all"
        if "tensor_form" in self.fields:
            return others[self.fields["tensor_form"].lstrip("&")].dtypes(others)
        if self.fields["family"] in ("&kExplicit", "&kComposite"):
            return "as what it calls"
        if self.fields["family"] == "&kRoutine":
            return "as its device says"
        rule = self.fields.get("pointwise", "") + self.fields.get("fold", "")
        rule = re.split(r"\.(?:check|variant|no_bool)\b", rule)[0]
        rule += self.constants.get(self.fields.get("fold", ""), "")
        rule += "".join(self.constants.get(name, "") for name in self._rules())
        names = [
            name for name in re.findall(r"\b(?:k[A-Z]|TENON_DTYPE_)\w*", rule) if name in DTYPES
        ]
        return ", ".join(dict.fromkeys(", ".join(DTYPES[name] for name in names).split(", ")))

    def _rules(self) -> list:
        return re.findall(r"\.rules = (k\w+)", self.fields.get("pointwise", ""))

    def batching(self) -> str:
        """Describes how vmap runs it: a rule, a composition, or a loop with the reason."""
        if self.fields["family"] in ("&kNumberForm", "&kSynonym", "&kComposite"):
            return "composite" if self.word("batching") != "Own" else "rule"
        if self.word("batching") in BATCHING:
            return BATCHING[self.word("batching")]
        if "nondeterministic_seeded" in self.text("tags"):
            return "by randomness" if self.has_tensors() else "by randomness, no tensor"
        if not self.has_tensors():
            return "no tensor"
        if self.word("batching") == "None" or "dynamic_output_shape" in self.text("tags"):
            return "none: needs data"
        return "loop: how many depends on data"

    def has_tensors(self) -> bool:
        """Returns true if some argument is a tensor."""
        return "Tensor" in self.text("params")

    def cast(self) -> str:
        """Returns the dtype that autocast casts it to, by device if that differs."""
        everywhere = CASTS[self.word("cast")]
        if "cast_on_cpu" not in self.fields:
            return everywhere
        on_cpu = CASTS[self.word("cast_on_cpu")]
        parts = (everywhere != "none" and f"{everywhere} (not on CPU)", on_cpu != "none" and on_cpu)
        return ", ".join(text for text in parts if text) or "none"

    def symbolic(self, ruled: set) -> str:
        """Returns what serves calls with symbolic sizes; `ruled` are the names with a rule."""
        family, tags = self.fields["family"], self.text("tags")
        if family in ("&kPointwise", "&kFold", "&kNumberForm") or self.text("name") in ruled:
            return "rule"
        if family in ("&kSynonym", "&kComposite"):
            return "composite"
        needs_data = "dynamic_output_shape" in tags or "data_dependent_output" in tags
        if needs_data:
            return "composite" if family == "&kExplicit" else "none: needs data"
        is_view = family == "&kView" or self.text("params").startswith("Tensor(a")
        writes_only = not {"kFunctional", "kInPlace"} & set(self.flags())
        return "guard" if is_view or writes_only else "compared runs"

    def flags(self) -> list:
        """Returns the names of its forms in the facts."""
        flags = re.findall(r"k\w+", self.fields.get("forms", "kFunctional"))
        whole = {"kAllForms", "kViewForms"} & set(flags)
        return ["kFunctional", *flags] if whole else flags

    def word(self, field: str) -> str:
        """Returns the enumerator in a field."""
        return self.fields.get(field, "::None").partition("::")[2]

    def served(self) -> str:
        """Returns the devices that serve it, without those that plugins add."""
        if self.fields["family"] not in ("&kPointwise", "&kFold", "&kRoutine"):
            return "all"
        return ", ".join(["meta", *self.devices])


def fields_of(bodies: dict, facts: str) -> dict:
    """Returns the fields of one operator; references to others (`kOther.gradient`) are resolved."""
    fields = dict(FIELD.findall(bodies[facts]))
    for name, text in fields.items():
        if (found := re.fullmatch(r"(k\w+)\.(\w+)", text)) and found[1] in bodies:
            fields[name] = fields_of(bodies, found[1])[found[2]]
    return fields


def operators(root: pathlib.Path) -> list:
    """Returns all operators of the list in order; raises for a name that no header has."""
    found = []
    path = root / LIST
    for line in path.read_text().splitlines() if path.exists() else ():
        if not line or line.startswith("#"):
            continue
        namespace, header, facts, _, *devices = line.split()
        text = (root / LIST.parent / f"{header}.h").read_text()
        bodies = dict(FACTS.findall(re.sub(r"^    //.*\n", "", text, flags=re.M)))
        if facts not in bodies:
            raise ValueError(f"kernels/ops/{header}.h: must have {facts}, got {sorted(bodies)}")
        fields = fields_of(bodies, facts)
        # Constants that fields name may be defined in an included header.
        shared = re.findall(r'^#include "kernels/ops/([\w/]+\.h)"', text, re.M)
        near = [path for name in shared if (path := root / LIST.parent / name).exists()]
        constants = dict(CONSTANT.findall("\n".join([*(one.read_text() for one in near), text])))
        found.append(Operator(namespace, header, facts, tuple(devices), fields, constants))
    return found


def symbolic_rules(root: pathlib.Path) -> set:
    """The names of the operators in the tables of rules for symbolic sizes."""
    folder = root / "kernels" / "ops" / "symbolic"
    texts = [path.read_text() for path in sorted(folder.glob("*.cpp"))]
    row = re.compile(r'\{"([\w.]+)",(?:\s*k\w+,)?\s*&')
    return {name for text in texts for name in row.findall(text)}


def golden_cases(root: pathlib.Path, header: str) -> collections.Counter:
    """Counts the golden cases with PyTorch's results, by full names of forms."""
    path = root / "tests" / "kernels" / "golden" / f"{header}.txt"
    found: collections.Counter = collections.Counter()
    name = ""
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("op "):
            name = line[3:]
        elif line.startswith("case "):
            found[name] += 1
    return found


def tested(root: pathlib.Path, row: Operator) -> str:
    """Returns its tests, besides those of all operators."""
    cases = golden_cases(root, row.header)
    count = sum(cases[f"{row.namespace}::{name}"] for name in row.forms())
    return f"{count} golden" if count else f"{pathlib.Path(row.header).name}_test"


def tangent(row: Operator) -> str:
    """Returns the formula of its tangent, or the reason why it has none."""
    return row.text("tangent").replace("|", "\\|")


def page(root: pathlib.Path) -> str:
    """Returns the text of docs/operators.md."""
    rows = operators(root)
    names = [name for row in rows for name in row.forms()]
    lines = [
        "<!-- Generated by tests/tools/operators.py; do not edit. -->",
        "# Operators",
        "",
        f"The {len(names)} overloads that come from facts, written once each "
        "([write a kernel](write-a-kernel.md)). Names, schemas and answers are PyTorch's;",
        "`$options` stands for `ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
        "bool? pin_memory=None`. *Forms* are the",
        "further overloads of a line: in place, into the caller's tensor, and of a view copies; "
        "what PyTorch has besides is in tests/conformance/schemas/lacking.txt, with reasons. "
        "*Dtypes* are those that a result is computed in.",
        "*Devices*: `all` for what only calls other operators or touches no data. *In a vmap*: a "
        "batching `rule`, the rules of what a `composite` calls,",
        "or a `loop`, with its reason; of random operators `randomness=` decides. "
        "*Symbolic sizes*: a `rule`, the rules of what a `composite` calls,",
        "or `compared runs`: sizes are found by runs on several sets of numbers, and where these "
        "disagree, a guard makes the sizes numbers; a `guard` always does; `none: needs data` "
        "raises DATA_DEPENDENT. "
        "*Autocast*: what inputs are cast to.",
        "*Gradient* has the formulas of the inputs, or why there are none, and *tangent* that of "
        "the result; `derived` ones come from the gradient's.",
        "*Tests*: how many calls of it PyTorch answered, or the suite in tests/kernels that asks "
        "for it otherwise. Each form has a case in tests/conformance besides, and each operator is "
        "replayed beside PyTorch, with derivatives and in vmaps, on PyTorch's own samples",
        "(tests/python/test_torch_samples.py, test_torch_derivatives.py).",
        "",
        "| operator | forms | kind | dtypes | devices | in a vmap | symbolic sizes | autocast "
        "| gradient | tangent | tests |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    ruled = symbolic_rules(root)
    by_facts = {row.facts: row for row in rows}
    for row in sorted(rows, key=lambda row: (row.namespace, row.text("name").lstrip("_"))):
        first, *rest = row.forms()
        kind = FAMILIES[row.fields["family"].lstrip("&")]
        schema = row.schema() if first == row.text("name") else first
        forms = ", ".join(f"`{name}`" for name in rest) or "no others"
        gradient = row.text("gradient").replace("|", "\\|")
        layers = (row.batching(), row.symbolic(ruled), row.cast())
        cells = (forms, kind, row.dtypes(by_facts), row.served(), *layers, gradient)
        cells = (*cells, tangent(row), tested(root, row))
        if not all(cells):
            raise ValueError(f"{row.facts}: must have no cell left empty, got {cells}")
        lines.append(f"| `{row.namespace}::{schema}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--update", action="store_true", help="write the page")
    options = parser.parse_args(arguments)
    path = options.root / PAGE
    text = page(options.root)
    if options.update:
        path.write_text(text)
    stale = not path.exists() or path.read_text() != text
    if stale:
        print(f"operators: {PAGE} must be what the facts say; run operators.py --update")
    print(f"operators: {len(operators(options.root))} operators: {int(stale)} complaints")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
