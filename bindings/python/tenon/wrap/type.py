# SPDX-License-Identifier: Apache-2.0
"""Types of a schema as a tree, which emitters translate into their language."""

from __future__ import annotations

import dataclasses
import re

# Types without parts; each language has a table of their names.
SIMPLE = (
    *("Tensor", "int", "SymInt", "DeviceIndex", "QScheme", "float", "SymFloat", "bool", "SymBool"),
    *("complex", "Scalar", "str", "ScalarType", "Layout", "MemoryFormat", "Device", "Stream"),
    *("Generator", "Storage", "NoneType", "Any"),
)
# Types that bindings treat as another type: symbolic numbers are plain numbers there.
SAME = {
    **{"SymInt": "int", "DeviceIndex": "int", "QScheme": "int"},
    **{"SymFloat": "float", "SymBool": "bool"},
}


@dataclasses.dataclass(frozen=True)
class Type:
    """One type.

    Attributes:
        kind: A name of SIMPLE after SAME, or "optional", "list", "tuple", "Dict", "Union", "other":
            a class, a function, a type variable.
        text: As the schema prints it.
        elements: Types that it is made of.
        size: N of `T[N]`, None for other types.
    """

    kind: str
    text: str
    elements: tuple[Type, ...] = ()
    size: int | None = None

    @property
    def element(self) -> Type:
        """The one type that an optional or a list is made of."""
        return self.elements[0]

    @property
    def key(self) -> str:
        """Kind with those of its elements: "int", "int?", "Tensor[]", "Tensor?[]"; "other" else."""
        if self.kind == "optional":
            return f"{self.element.key}?"
        if self.kind == "list":
            return f"{self.element.key}[]"
        return self.kind


def parse(text: str) -> Type:
    """Reads a type as schemas print it, such as "int[2]?"."""
    if text.endswith("?"):
        return Type("optional", text, (parse(text[:-1]),))
    match = re.fullmatch(r"(.+)\[(\d*)\]", text)
    if match is not None:
        return Type("list", text, (parse(match[1]),), int(match[2]) if match[2] else None)
    if text in SIMPLE:
        return Type(SAME.get(text, text), text)
    for kind, head in (("Dict", "Dict("), ("Union", "Union("), ("tuple", "(")):
        if text.startswith(head) and text.endswith(")"):
            return Type(kind, text, tuple(map(parse, _split(text[len(head) : -1]))))
    return Type("other", text)


def _split(text: str) -> list[str]:
    """Parts between the commas that are in no parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
