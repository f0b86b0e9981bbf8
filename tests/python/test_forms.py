# SPDX-License-Identifier: Apache-2.0
"""Every shipped operator has each variant that PyTorch has, with PyTorch's schema."""

from __future__ import annotations

import pathlib
import re

import tenon

SCHEMAS = pathlib.Path(__file__).resolve().parents[1] / "conformance" / "schemas"
# Suffixes of the names of PyTorch's variants of an operator.
ENDS = ("", "_", "_copy", "_functional")


def lines(file: str) -> list[str]:
    text = (SCHEMAS / file).read_text().splitlines()
    return [line for line in text if line and not line.startswith("#")]


def pytorch(*, all_kinds: bool = False) -> dict[str, str]:
    """Returns PyTorch's schemas of operators on tensors, or all schemas, by full name."""
    found = {}
    for line in lines("pytorch.txt"):
        is_wanted = all_kinds or "Tensor" in line and "Dimname" not in line
        if line.startswith("aten::") and is_wanted:
            found[line.split("(")[0]] = line
    return found


def shipped() -> dict[str, str]:
    return {name: schema_of(name) for name in tenon.introspect.operators("aten")}


def schema_of(name: str) -> str:
    base, _, overload = name.removeprefix("aten::").partition(".")
    return str(getattr(getattr(tenon.ops.aten, base), overload or "default")._schema)


def base_of(name: str) -> str:
    return re.sub(
        r"(_functional|_copy)$|(?<=[a-z])_$", "", name.removeprefix("aten::").split(".")[0]
    )


def test_schemas_are_pytorchs():
    theirs = pytorch(all_kinds=True)
    different = {name: text for name, text in shipped().items() if theirs.get(name) != text}
    assert different == {}


def test_no_form_is_missing_without_a_reason():
    ours = shipped()
    bases = {base_of(name) for name in ours}
    wanted = {name for name in pytorch() if any_form(name, bases)}
    lacking = dict(line.split("\t") for line in lines("lacking.txt"))
    assert all(reason.strip() for reason in lacking.values())
    assert wanted - set(ours) == set(lacking)


def any_form(name: str, bases: set[str]) -> bool:
    base = name.removeprefix("aten::").split(".")[0]
    return any(base == shipped_base + end for shipped_base in bases for end in ENDS)
