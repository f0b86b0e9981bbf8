# SPDX-License-Identifier: Apache-2.0
"""Lines of generated code: lists that wrap at the column that the house keeps to."""

from __future__ import annotations

COLUMNS = 100


def listed(head: str, items: list[str], tail: str, indent: str = "    ") -> str:
    """Returns `head(item, item)tail` on one line, or wrapped into full lines."""
    line = f"{head}({', '.join(items)}){tail}"
    if len(line) <= COLUMNS or not items:
        return line
    lead = head[: len(head) - len(head.lstrip())] + indent
    lines, current = [f"{head}("], ""
    for at, item in enumerate(items):
        item += "," if at + 1 < len(items) else f"){tail}"
        if current and len(lead + current) + 1 + len(item) > COLUMNS:
            lines.append(lead + current)
            current = item
        else:
            current = f"{current} {item}" if current else item
    return "\n".join([*lines, lead + current])


def comment(text: str, lead: str) -> str:
    """Returns a text as comment lines."""
    lines, current = [], lead
    for word in text.split(" "):
        if len(current) + 1 + len(word) > COLUMNS and current != lead:
            lines.append(current)
            current = lead
        current += f" {word}"
    return "\n".join([*lines, current])


def refusal(what: str, why: object, lead: str) -> str:
    """Returns the comment in place of an operator that has no wrapper."""
    return comment(f"{what} is not wrapped: {why}.", lead)


def refusals(lost: tuple[str, ...], lead: str) -> list[str]:
    """Returns the comments in place of operators without schema."""
    return [refusal(name, "it has kernels but no schema", lead) for name in lost]


def pascal(name: str) -> str:
    """Returns a name such as "max_dim" as "MaxDim"."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def type_name(name: str, overload: str) -> str:
    """Returns the name of the type of an overload: "AddInPlaceTensor" for `add_.Tensor`."""
    return pascal(name) + ("InPlace" if name.endswith("_") else "") + pascal(overload)
