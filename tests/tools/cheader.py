# SPDX-License-Identifier: Apache-2.0
"""Reads the public C headers: functions with their comments, structs, constants and typedefs."""

from __future__ import annotations

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "capi" / "include"


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    signature: str  # "ret name(type parameter, ...)" with single spaces
    returns: str
    parameters: tuple  # of (type, name)
    comment: str  # text of the comment directly above, without comment marks
    header: str
    line: int

    @property
    def since(self) -> str:
        found = re.search(r"^Since:\s+([0-9.]+)", self.comment, re.M)
        return found.group(1) if found else ""


@dataclasses.dataclass(frozen=True)
class Struct:
    kind: str  # "struct" or "union"
    name: str
    fields: tuple  # of field names in order
    header: str


@dataclasses.dataclass(frozen=True)
class Header:
    name: str
    functions: tuple
    structs: tuple
    constants: tuple  # of (name, expression)
    typedefs: tuple  # of (name, text)


def headers(include: pathlib.Path = INCLUDE) -> list:
    return sorted((include / "tenon").glob("*.h"))


def _without_comments(text: str) -> str:
    """Blanks out comments; line numbers and string literals are kept."""

    def blank(match):
        found = match.group(0)
        return found if found[0] == '"' else re.sub(r"[^\n]", " ", found)

    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def _flat(text: str) -> str:
    """Returns the canonical spelling of a type: single spaces, stars on the type, no spaces inside
    parentheses.
    """
    text = re.sub(r"\s*\*\s*", "* ", re.sub(r"\s+", " ", text).strip())
    while "* *" in text:
        text = text.replace("* *", "**")
    text = re.sub(r"\(\s*", "(", re.sub(r"\s*([,)])", r"\1", text)).strip()
    return re.sub(r"\(\* ", "(*", re.sub(r"\s+", " ", text))


def _comment_above(lines: list, line: int) -> str:
    """Returns the comment that ends directly above `line` (0-based), in either style."""
    end = line - 1
    if end >= 0 and lines[end].lstrip().startswith("//"):
        begin = end
        while begin > 0 and lines[begin - 1].lstrip().startswith("//"):
            begin -= 1
        return "\n".join(re.sub(r"^\s*///?/? ?", "", part) for part in lines[begin : end + 1])
    if end >= 0 and lines[end].rstrip().endswith("*/"):
        begin = end
        while begin > 0 and "/*" not in lines[begin]:
            begin -= 1
        text = "\n".join(lines[begin : end + 1])
        text = text[text.index("/*") + 2 : text.rindex("*/")]
        return "\n".join(re.sub(r"^\s*\* ?", "", part).strip() for part in text.splitlines())
    return ""


def _split_parameters(text: str) -> tuple:
    """Splits the parameters of a prototype into (type, name), not at commas inside parentheses."""
    if text.strip() in ("", "void"):
        return ()
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += letter
    parts.append(current)
    result = []
    for part in parts:
        part = _flat(part)
        pointer = re.match(r"^(.*\(\*)\s*(\w+)(\).*)$", part)  # a function pointer
        plain = re.match(r"^(.*?[\s*])(\w+)((?:\[\w*\])*)$", part)
        if pointer:
            result.append((pointer.group(1) + pointer.group(3), pointer.group(2)))
        elif plain:
            result.append((plain.group(1).strip() + plain.group(3), plain.group(2)))
        else:
            result.append((part, ""))
    return tuple(result)


def _blocks(text: str, pattern: str):
    """Yields matches of `pattern` that end in '{', each with the text up to its closing brace."""
    for match in re.finditer(pattern, text):
        depth, index = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[index], 0)
            index += 1
        yield match, text[match.end() : index - 1]


def parse(path: pathlib.Path) -> Header:
    source = path.read_text()
    lines = source.splitlines()
    text = _without_comments(source)
    functions = []
    for match in re.finditer(
        r"^TENON_(?:CALL_)?API\s+([^;{]+?)\s*\b(tenon_\w+)\s*\(([^;]*)\)\s*;", text, re.M
    ):
        returns, name, parameters = _flat(match.group(1)), match.group(2), match.group(3)
        pairs = _split_parameters(parameters)
        inside = ", ".join(f"{kind} {given}".strip() for kind, given in pairs) or "void"
        line = text.count("\n", 0, match.start())
        functions.append(
            Function(
                name,
                f"{returns} {name}({inside})",
                returns,
                pairs,
                _comment_above(lines, line),
                path.name,
                line + 1,
            )
        )
    structs = []
    for match, body in _blocks(text, r"typedef (struct|union) (tenon_\w+) \{"):
        fields = []
        for part in body.split(";"):
            part = part.strip()
            pointer = re.search(r"\(\*\s*(\w+)\)\s*\(", part)
            plain = re.search(r"(\w+)\s*(?:\[\w+\])?$", part)
            if pointer or plain:
                fields.append((pointer or plain).group(1))
        structs.append(Struct(match.group(1), match.group(2), tuple(fields), path.name))
    constants = []
    for match in re.finditer(r"^#define (TENON_\w+) +(\S(?:[^\n]|\\\n)*)$", text, re.M):
        constants.append((match.group(1), re.sub(r"\s+", " ", match.group(2)).strip()))
    typedefs = []
    for match in re.finditer(r"^typedef ([^;{}]+);", text, re.M):
        flat = _flat(match.group(1))
        name = re.search(r"\(\*\s*(\w+)\)", flat) or re.search(r"(\w+)$", flat)
        typedefs.append((name.group(1), flat))
    return Header(path.name, tuple(functions), tuple(structs), tuple(constants), tuple(typedefs))


def parse_all(include: pathlib.Path = INCLUDE) -> list:
    return [parse(path) for path in headers(include)]
